// SPDX-License-Identifier: MIT
/*
 * Pages that somebody else brings, and late: userfaultfd. A signal frame of a transaction that is
 * written to them, and read from them at sigreturn, as in the kernel's tm-signal-pagefault.
 */
#define _GNU_SOURCE
#include "transaction.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define PAGE  65536ul
#define PAGES 16

static char *late, *source;
static int uffd;
static volatile int served;

static void *serve(void *unused)
{
	struct uffd_msg message;

	while (read(uffd, &message, sizeof(message)) == sizeof(message)) {
		struct uffdio_copy copy = {.len = PAGE};

		copy.dst = message.arg.pagefault.address & ~(PAGE - 1);
		copy.src = (u64)source + (copy.dst - (u64)late);
		usleep(2000);
		/* Another page of these may have been asked for meanwhile. */
		if (!ioctl(uffd, UFFDIO_COPY, &copy))
			served++;
	}
	return NULL;
}

static char *next_page(const void *contents, size_t size)
{
	static int n;

	memcpy(source + n * PAGE, contents, size);
	return late + n++ * PAGE;
}

static volatile int handled;

static void handler(int signo, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	handled++;
	((u64 *)uc->uc_link->uc_mcontext.gp_regs)[NIP] += 4;
	uc->uc_link->uc_mcontext.v_regs = (void *)next_page(uc->uc_link->uc_mcontext.v_regs, 1024);
	uc->uc_mcontext.v_regs = (void *)next_page(uc->uc_mcontext.v_regs, 1024);
	uc->uc_link = (void *)next_page(uc->uc_link, 1696);
}

static void test_frames(int suspended)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	stack_t stack = {.ss_sp = next_page("", 1), .ss_size = PAGE};
	int before = served;
	u64 way;

	sigaltstack(&stack, NULL);
	sigaction(SIGTRAP, &action, NULL);
	handled = 0;
	asm volatile("li %0,1\n\t"
		     "tbegin.\n\t"
		     "beq 1f\n\t"
		     "cmpdi %1,0\n\t"
		     "beq 2f\n\t"
		     "tsuspend.\n"
		     "2:	trap\n\t"
		     "cmpdi %1,0\n\t"
		     "beq 3f\n\t"
		     "tresume.\n"
		     "3:	tend.\n\t"
		     "li %0,2\n"
		     "1:"
		     : "=&r"(way)
		     : "r"((long)suspended)
		     : "cr0", "memory");
	is(way, 1, suspended ? "in S: the failure path" : "in T: the failure path");
	is((u64)handled, 1, "after the handler");
	is(code(), CODE_SIGNAL, "by the signal");
	ok(served - before >= 2, "%d pages came late", served - before);
}

/* A transaction that waits for a page, for which its thread sleeps or not. */
static void test_access(void)
{
	volatile u64 *page = (volatile u64 *)next_page("\x11\x22\x33\x44\x55\x66\x77\x88", 8);
	volatile u64 value = 0;
	int done = 0;

	for (int i = 0; i < 10 && !done; i++)
		if (tbegin()) {
			value = *page;
			tend();
			done = 1;
		}
	ok(done, "a transaction that touches a late page succeeds at some time");
	is(value, 0x8877665544332211, "and sees what came");
}

static void test_refused(void)
{
	struct uffdio_register outside = {
		.range = {.start = 1ull << 46, .len = PAGE},
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	struct uffdio_api api = {.api = UFFD_API, .features = UFFD_FEATURE_EVENT_FORK};
	int other = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	is((u64)ioctl(uffd, UFFDIO_REGISTER, &outside), (u64)-1,
	   "no address outside the program's");
	is((u64)ioctl(other, UFFDIO_API, &api), (u64)-1, "no events of fork");
	close(other);
}

int main(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register area = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	pthread_t thread;

	setvbuf(stdout, NULL, _IOLBF, 0);
	uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (uffd < 0) {
		printf("1..0 # SKIP userfaultfd: %s\n", strerror(errno));
		return 0;
	}
	late = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	source = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	area.range.start = (u64)late;
	area.range.len = PAGES * PAGE;
	ok(!ioctl(uffd, UFFDIO_API, &api) && !ioctl(uffd, UFFDIO_REGISTER, &area),
	   "userfaultfd is there");
	pthread_create(&thread, NULL, serve, NULL);
	test_refused();
	test_frames(0);
	test_frames(1);
	test_access();
	return tap_end();
}
