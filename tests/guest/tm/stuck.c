// SPDX-License-Identifier: MIT
/*
 * A CPU that waits for a page which another thread provides (userfaultfd): nobody may wait for that
 * CPU for ever. Transactions of others fail meanwhile, or commit; mappings can be changed; and the
 * thread that provides the page goes on.
 */
#include "check.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define PAGE 4096ul
#define RW   (PROT_READ | PROT_WRITE)

static int uffd;
static char *area; /* whose pages are missing at first */
static volatile bool finished, provided;
static volatile long counter __attribute__((aligned(LINE)));
static volatile long committed, failed;

static char *map_pages(int n)
{
	char *p = mmap(NULL, (size_t)n * PAGE, RW, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	return p;
}

static void watch(char *p, int n)
{
	struct uffdio_register request = {
		.range = {(uintptr_t)p, (size_t)n * PAGE},
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	CHECK(!ioctl(uffd, UFFDIO_REGISTER, &request));
}

/* Gives each page 30 ms after somebody asked for it; meanwhile it changes mappings. */
static void *provide(void *arg)
{
	char *source = map_pages(1);
	struct uffd_msg message;

	(void)arg;
	memset(source, 0x5a, PAGE);
	while (read(uffd, &message, sizeof(message)) == sizeof(message)) {
		struct uffdio_copy copy = {
			.dst = message.arg.pagefault.address & -PAGE,
			.src = (uintptr_t)source,
			.len = PAGE,
		};

		CHECK(message.event == UFFD_EVENT_PAGEFAULT);
		for (int i = 0; i < 30; i++) {
			char *p = map_pages(1);

			*p = 1;
			CHECK(!munmap(p, PAGE));
			usleep(1000);
		}
		provided = true;
		CHECK(!ioctl(uffd, UFFDIO_COPY, &copy));
	}
	return NULL;
}

static void *commits(void *arg)
{
	(void)arg;
	for (unsigned attempt = 0; !finished; attempt++) {
		if (TRY()) {
			counter++;
			COMMIT();
			committed++;
		} else {
			failed++;
			failed_attempt(attempt);
		}
	}
	return NULL;
}

/* Touch a missing page: by a load, by a store, in a transaction, and by the kernel for us. */
static void touch(int n)
{
	volatile char *p = area + (size_t)n * PAGE;
	struct {
		long mask[1];
	} set;
	int fds[2];

	switch (n) {
	case 0:
		CHECK(*p == 0x5a);
		break;
	case 1:
		*p = 1;
		CHECK(*p == 1 && p[1] == 0x5a);
		break;
	case 2:
		for (unsigned attempt = 0; attempt < 1000; attempt++)
			if (TRY()) {
				*p = 2;
				COMMIT();
				break;
			}
		CHECK(*p == 2 && p[1] == 0x5a);
		break;
	case 3: /* copied by the kernel half */
		CHECK(!syscall(SYS_rt_sigprocmask, 0, NULL, p, sizeof(set)));
		CHECK(p[8] == 0x5a);
		break;
	case 4: /* read by the host kernel */
		CHECK(!pipe(fds));
		CHECK(write(fds[1], (char *)p, 4) == 4);
		close(fds[0]);
		close(fds[1]);
		break;
	}
}

int main(void)
{
	const int pages = 5;
	struct uffdio_api api = {.api = UFFD_API};
	pthread_t provider, committer;

	uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (uffd < 0) {
		puts("skipped: no userfaultfd");
		return 77;
	}
	CHECK(!ioctl(uffd, UFFDIO_API, &api));
	area = map_pages(pages);
	watch(area, pages);
	CHECK(!pthread_create(&provider, NULL, provide, NULL));
	CHECK(!pthread_create(&committer, NULL, commits, NULL));
	for (int n = 0; n < pages; n++) {
		long before = committed;

		provided = false;
		touch(n);
		CHECK(provided);
		/* Afterwards they commit again. */
		while (committed < before + 10)
			sched_yield();
	}
	finished = true;
	CHECK(!pthread_join(committer, NULL));
	CHECK(counter == committed);
	puts("ok");
	return 0;
}
