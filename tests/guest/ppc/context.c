// SPDX-License-Identifier: MIT
/*
 * Contexts outside signal frames: coroutines of the C library, the swapcontext system call, leaving
 * a handler by setcontext; and frames of random bytes.
 */
#define _GNU_SOURCE
#include "tap.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define NR_swapcontext 249
#define CONTEXT_SIZE   1696 /* with room for all VSRs */

static ucontext_t main_context, first, second;
static int trace[16], n_trace;

static void routine(int number)
{
	for (int i = 0; i < 3; i++) {
		trace[n_trace++] = 10 * number + i;
		swapcontext(number == 1 ? &first : &second, number == 1 ? &second : &first);
	}
}

static void coroutines(void)
{
	static char stacks[2][65536];
	static const int expected[6] = {10, 20, 11, 21, 12, 22};

	getcontext(&first);
	first.uc_stack = (stack_t){.ss_sp = stacks[0], .ss_size = sizeof(stacks[0])};
	first.uc_link = &main_context;
	makecontext(&first, (void (*)(void))routine, 1, 1);
	getcontext(&second);
	second.uc_stack = (stack_t){.ss_sp = stacks[1], .ss_size = sizeof(stacks[1])};
	second.uc_link = &main_context;
	makecontext(&second, (void (*)(void))routine, 1, 2);
	swapcontext(&main_context, &first);
	ok(n_trace == 6 && !memcmp(trace, expected, sizeof(expected)), "coroutines take turns");
}

static ucontext_t resume;
static volatile int handled;

static void leave(int signo, siginfo_t *si, void *context)
{
	handled++;
	setcontext(&resume);
}

static void leaving(void)
{
	struct sigaction action = {.sa_sigaction = leave, .sa_flags = SA_SIGINFO};
	volatile double d = 1.25;

	sigaction(SIGUSR1, &action, NULL);
	getcontext(&resume);
	if (handled < 100)
		raise(SIGUSR1);
	ok(handled == 100 && d == 1.25, "a handler left by setcontext, a hundred times");
}

/* The whole context of a handler, resumed by setcontext as in the kernel's selftest. */
static void resume_interrupted(int signo, siginfo_t *si, void *context)
{
	ucontext_t *uc = context;

	uc->uc_mcontext.gp_regs[32] += 4;
	uc->uc_mcontext.gp_regs[15] = 0x1515;
	setcontext(uc);
}

static void resuming(void)
{
	struct sigaction action = {.sa_sigaction = resume_interrupted, .sa_flags = SA_SIGINFO};
	u64 r14, r15;

	sigaction(SIGTRAP, &action, NULL);
	/* CTR is not kept: the C library needs it for the jump. */
	asm volatile("li 14,14\n\tli 15,15\n\ttrap\n\tmr %0,14\n\tmr %1,15"
		     : "=&r"(r14), "=&r"(r15)
		     :
		     : "r14", "r15", "ctr");
	is(r14, 14, "an interrupted context resumed by setcontext: r14");
	is(r15, 0x1515, "r15, edited");
}

static void system_call(void)
{
	static char old[CONTEXT_SIZE] __attribute__((aligned(16)));
	ucontext_t *uc = (ucontext_t *)old;
	volatile int passes = 0;

	is(syscall(NR_swapcontext, old, NULL, 100), -1, "a context that is too small");
	is(errno, EINVAL, "is EINVAL");
	is(syscall(NR_swapcontext, 8, NULL, CONTEXT_SIZE), -1, "a context that is not there");
	is(errno, EFAULT, "is EFAULT");
	is(syscall(NR_swapcontext, old, NULL, CONTEXT_SIZE), 0, "a context saved");
	passes++;
	is((u64)uc->uc_mcontext.v_regs & 15, 0, "with an aligned vector area");
	if (passes == 1) {
		/* It resumes behind that call, with what r3 was there. */
		uc->uc_mcontext.gp_regs[3] = 0;
		syscall(NR_swapcontext, NULL, old, CONTEXT_SIZE);
		ok(0, "swapcontext returned");
	}
	is(passes, 2, "and loaded");
}

/* --- stack overflow -------------------------------------------------------------------------- */

static void overflowed(int signo, siginfo_t *si, void *context)
{
	char here;
	u64 sp = ((ucontext_t *)context)->uc_mcontext.gp_regs[1];

	/* The access was near the stack pointer, and this stack is another one. */
	_exit(si->si_code == SEGV_MAPERR && (u64)si->si_addr - (sp - 65536) < 131072 &&
			      (u64)&here - sp > 65536
		      ? 42
		      : 43);
}

static __attribute__((noinline)) int recurse(int depth)
{
	volatile char block[4096];

	block[0] = depth;
	return recurse(depth + 1) + block[0];
}

static int child_status(void (*function)(void))
{
	int status;
	pid_t child = fork();

	if (!child) {
		function();
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return -1;
	return status;
}

static void overflow_handled(void)
{
	static char memory[65536];
	stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)};
	struct sigaction action = {.sa_sigaction = overflowed, .sa_flags = SA_SIGINFO | SA_ONSTACK};

	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &action, NULL);
	recurse(0);
}

static void overflow_unhandled(void)
{
	signal(SIGSEGV, SIG_DFL);
	recurse(0);
}

/* With a handler, but no room for its frame. */
static void overflow_hopeless(void)
{
	struct sigaction action = {.sa_sigaction = overflowed, .sa_flags = SA_SIGINFO};

	sigaction(SIGSEGV, &action, NULL);
	recurse(0);
}

static void overflows(void)
{
	is(WEXITSTATUS(child_status(overflow_handled)), 42, "stack overflow on an alternate stack");
	is(WTERMSIG(child_status(overflow_unhandled)), SIGSEGV, "without handler it kills");
	is(WTERMSIG(child_status(overflow_hopeless)), SIGSEGV, "and with one that has no stack");
}

/* --- random frames --------------------------------------------------------------------------- */

static u64 state;

static u64 next(void)
{
	u64 z = state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* As sigfuz of the kernel's selftests: anything may be in a frame that sigreturn gets. */
static void scramble(int signo, siginfo_t *si, void *context)
{
	ucontext_t *uc = context;
	u64 what = next();

	if (what & 1)
		uc->uc_mcontext.gp_regs[33] = next();
	if (what & 2)
		uc->uc_mcontext.gp_regs[33] &= ~(3ull << 33); /* not refused for that at least */
	if (what & 4)
		uc->uc_mcontext.gp_regs[32] = next();
	if (what & 8)
		uc->uc_mcontext.gp_regs[32] += (next() & 0xff) << 2;
	if (what & 16)
		uc->uc_link = (void *)next();
	if (what & 32)
		uc->uc_mcontext.v_regs = (void *)(what & 64 ? next() : next() & 0xffffffff);
	if (what & 128)
		for (int i = 0; i < 32; i++)
			uc->uc_mcontext.gp_regs[i] = next();
	if (what & 256)
		uc->uc_mcontext.gp_regs[1] = next();
	if (what & 512)
		for (u64 *p = (u64 *)uc; p < (u64 *)(uc + 1); p++)
			if (!(next() & 15))
				*p = next();
	if (what & 1024)
		uc->uc_mcontext.gp_regs[33] |= 1;
}

static void one_scrambled(void)
{
	static const int signals[] = {SIGUSR1, SIGSEGV, SIGILL, SIGBUS, SIGTRAP, SIGFPE};
	struct sigaction action = {.sa_sigaction = scramble, .sa_flags = SA_SIGINFO};
	const struct rlimit none = {0};

	setrlimit(RLIMIT_CORE, &none);
	for (int i = 0; i < 6; i++) {
		action.sa_flags = SA_SIGINFO | (i ? SA_RESETHAND : 0);
		sigaction(signals[i], &action, NULL);
	}
	alarm(2);
	for (int i = 0; i < 8; i++)
		syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR1);
}

static void random_frames(int count)
{
	int bad = 0;

	for (int i = 0; i < count; i++) {
		int status;

		state = 207 + (u64)i * 1000003;
		status = child_status(one_scrambled);
		/* 125 and SIGABRT are how powertm itself would fail. */
		if (status == -1 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) ||
		    (WIFEXITED(status) && WEXITSTATUS(status) == 125)) {
			printf("#   frame %d: status 0x%x\n", i, status);
			bad++;
		}
	}
	ok(!bad, "%d random frames", count);
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	coroutines();
	leaving();
	resuming();
	system_call();
	overflows();
	random_frames(count ? count : 300);
	return tap_end();
}
