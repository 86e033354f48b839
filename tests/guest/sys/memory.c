// SPDX-License-Identifier: MIT
/*
 * Address space: mapping, protections, moving, the heap, and the errors.
 */
#define _GNU_SOURCE
#include "check.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096l
#define RW   (PROT_READ | PROT_WRITE)
#define ANON (MAP_PRIVATE | MAP_ANONYMOUS)

/* The same, but tells of an address only whether it is one. */
#define SHOW_MAP(call)                                                                             \
	({                                                                                         \
		void *p__ = (call);                                                                \
		printf("%s: %s\n", #call, p__ == MAP_FAILED ? strerrorname_np(errno) : "mapped");  \
		p__;                                                                               \
	})

static sigjmp_buf back;
static volatile int armed;

static void on_fault(int signo)
{
	if (!armed)
		_exit(100);
	siglongjmp(back, signo);
}

/* 0, or the signal that touching the byte gives. */
static int touch(volatile char *p, int write)
{
	int signo = sigsetjmp(back, 1);

	if (signo) {
		armed = 0;
		return signo == SIGSEGV ? 11 : signo == SIGBUS ? 7 : signo;
	}
	armed = 1;
	if (write)
		*p = *p;
	else
		(void)*p;
	armed = 0;
	return 0;
}

static char *fresh(long pages)
{
	char *p = mmap(NULL, pages * PAGE, RW, ANON, -1, 0);

	CHECK(p != MAP_FAILED);
	return p;
}

static void errors(void)
{
	char *p = fresh(4);

	printf("--- errors\n");
	SHOW_MAP(mmap(NULL, 0, RW, ANON, -1, 0));
	SHOW_MAP(mmap(NULL, PAGE, RW, MAP_PRIVATE, -1, 0));
	SHOW_MAP(mmap(NULL, PAGE, RW, MAP_ANONYMOUS, -1, 0));
	SHOW_MAP(mmap((void *)1, PAGE, RW, ANON | MAP_FIXED, -1, 0));
	SHOW_MAP(mmap(NULL, ~0ul - 8192, RW, ANON, -1, 0));
	SHOW_MAP(mmap(NULL, 1ul << 62, PROT_NONE, ANON | MAP_NORESERVE, -1, 0));
	SHOW_MAP(mmap((void *)-4096, PAGE, RW, ANON | MAP_FIXED, -1, 0));
	SHOW_MAP(mmap(p, PAGE, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0));
	SHOW(munmap(p + 1, PAGE));
	SHOW(munmap(p, 0));
	SHOW(munmap((void *)(1ul << 62), PAGE));
	SHOW(munmap(p, ~0ul & ~4095ul));
	SHOW(mprotect(p + 1, PAGE, RW));
	SHOW(mprotect(p, 0, RW));
	SHOW(mprotect((void *)(1ul << 62), PAGE, RW));
	SHOW(msync(p + 1, PAGE, MS_SYNC));
	SHOW(msync(p, PAGE, MS_SYNC | MS_ASYNC));
	SHOW(madvise(p + 1, PAGE, MADV_NORMAL));
	SHOW(madvise(p, PAGE, 12345));
	SHOW(munmap(p + PAGE, PAGE));
	SHOW(mprotect(p, 4 * PAGE, PROT_READ));
	printf("part before the hole: %d\n", touch(p, 1));
	SHOW(msync(p, 4 * PAGE, MS_SYNC));
	SHOW(madvise(p, 4 * PAGE, MADV_DONTNEED));
	SHOW(mlock(p, 4 * PAGE));
	SHOW(munmap(p, 4 * PAGE));
	SHOW(munmap(p, 4 * PAGE));
}

static void protections(void)
{
	char *p = fresh(3);

	printf("--- protections\n");
	p[PAGE] = 'x';
	CHECK(!mprotect(p + PAGE, PAGE, PROT_READ));
	printf("read-only: %d %d\n", touch(p + PAGE, 0), touch(p + PAGE, 1));
	printf("neighbours: %d %d\n", touch(p, 1), touch(p + 2 * PAGE, 1));
	CHECK(!mprotect(p + PAGE, PAGE, PROT_NONE));
	printf("none: %d\n", touch(p + PAGE, 0));
	CHECK(!mprotect(p + PAGE, PAGE, PROT_WRITE));
	printf("write: %d %d\n", touch(p + PAGE, 0), touch(p + PAGE, 1));
	CHECK(!mprotect(p, 3 * PAGE, RW));
	printf("contents: %c\n", p[PAGE]);
	munmap(p, 3 * PAGE);
	printf("unmapped: %d %d %d\n", touch(p, 0), touch(p + PAGE, 0), touch(p + 2 * PAGE, 1));
}

static void placement(void)
{
	char *p = fresh(8), *q;

	printf("--- placement\n");
	munmap(p + 2 * PAGE, 2 * PAGE);
	q = mmap(p + 2 * PAGE, PAGE, RW, ANON, -1, 0);
	printf("free hint is taken: %d\n", q == p + 2 * PAGE);
	q = mmap(p, PAGE, RW, ANON, -1, 0);
	/* It may be in the gap: that depends on what else is mapped. */
	printf("hint in use is not: %d\n", q != MAP_FAILED && q != p);
	munmap(q, PAGE);
	q = mmap(p + 3 * PAGE, PAGE, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0);
	printf("fixed: %d\n", q == p + 3 * PAGE);
	p[0] = 'a';
	q = mmap(p, PAGE, RW, ANON | MAP_FIXED, -1, 0);
	printf("replaced: %d %d\n", q == p, p[0]);
	munmap(p, 8 * PAGE);
}

static void files(void)
{
	int fd = open("file", O_RDWR | O_CREAT, 0600), ro;
	char *shared, *private, *other;
	char c = 0;

	printf("--- files\n");
	CHECK(!ftruncate(fd, 2 * PAGE + 10));
	shared = mmap(NULL, 3 * PAGE, RW, MAP_SHARED, fd, 0);
	private = mmap(NULL, 3 * PAGE, RW, MAP_PRIVATE, fd, 0);
	other = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, PAGE);
	shared[PAGE + 1] = 's';
	printf("%c %c\n", private[PAGE + 1], other[1]);
	private[PAGE + 1] = 'p';
	printf("%c\n", shared[PAGE + 1]);
	CHECK(pread(fd, &c, 1, PAGE + 1) == 1);
	printf("%c\n", c);
	CHECK(pwrite(fd, "w", 1, 5) == 1);
	printf("%c %c\n", shared[5], private[5]);
	printf("last page: %d %d\n", touch(shared + 2 * PAGE + 9, 1),
	       touch(shared + 3 * PAGE - 1, 1));
	CHECK(!ftruncate(fd, PAGE));
	printf("truncated: %d %d\n", touch(shared, 0), touch(shared + PAGE, 0));
	SHOW(msync(shared, 3 * PAGE, MS_SYNC));
	SHOW_MAP(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 1));
	ro = open("file", O_RDONLY);
	SHOW_MAP(mmap(NULL, PAGE, RW, MAP_SHARED, ro, 0));
	SHOW_MAP(mmap(NULL, PAGE, RW, MAP_PRIVATE, ro, 0));
	other = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, ro, 0);
	SHOW(mprotect(other, PAGE, RW));
	close(ro);
	SHOW_MAP(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, ro, 0));
	close(fd);
	printf("after close: %c\n", shared[5]);
	munmap(shared, 3 * PAGE);
	munmap(private, 3 * PAGE);
}

static void moving(void)
{
	char *p = fresh(4), *q, *hole;

	printf("--- mremap\n");
	strcpy(p, "first");
	strcpy(p + 3 * PAGE, "last");
	q = mremap(p, 4 * PAGE, 2 * PAGE, 0);
	printf("shrunk: %d, rest %d\n", q == p, touch(p + 3 * PAGE, 0));
	q = mremap(p, 2 * PAGE, 3 * PAGE, 0);
	printf("grown in place: %d %s %d\n", q == p, p, p[2 * PAGE]);
	hole = mmap(p + 3 * PAGE, PAGE, RW, ANON | MAP_FIXED, -1, 0);
	/* It may be one mapping with the neighbour now, so the neighbour gets other properties. */
	CHECK(!mprotect(hole, PAGE, PROT_READ));
	SHOW_MAP(mremap(p, 3 * PAGE, 5 * PAGE, 0));
	q = mremap(p, 3 * PAGE, 5 * PAGE, MREMAP_MAYMOVE);
	printf("moved: %d %s, old %d\n", q != p && q != MAP_FAILED, q, touch(p, 0));
	p = fresh(5);
	strcpy(p, "target");
	printf("to a place: %d %s\n",
	       mremap(q, 5 * PAGE, 5 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, p) == p, p);
	SHOW_MAP(mremap(p, 5 * PAGE, 5 * PAGE, MREMAP_FIXED, p));
	SHOW_MAP(mremap(p, 5 * PAGE, 5 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, p + PAGE));
	SHOW_MAP(mremap(p, 5 * PAGE, 0, 0));
	SHOW_MAP(mremap(p + 1, PAGE, PAGE, 0));
	SHOW_MAP(mremap(p, PAGE, PAGE, 64));
	munmap(p, 5 * PAGE);
	SHOW_MAP(mremap(p, PAGE, 2 * PAGE, MREMAP_MAYMOVE));
}

static void heap(void)
{
	char *start = sbrk(0), *p;

	printf("--- heap\n");
	start = (char *)(((unsigned long)start + PAGE - 1) & -PAGE);
	CHECK(!brk(start));
	printf("behind it: %d\n", touch(start, 0));
	p = sbrk(10 * PAGE);
	printf("grown: %d, zero %d\n", p == start, p[9 * PAGE]);
	memset(p, 'h', 10 * PAGE);
	CHECK(!brk(start + 5 * PAGE));
	printf("shrunk: %d %d\n", touch(start + 5 * PAGE - 1, 1), touch(start + 5 * PAGE, 0));
	CHECK(!brk(start + 10 * PAGE));
	printf("grown again: %d %d\n", start[4 * PAGE], start[5 * PAGE]);
	printf("too far: %d\n", (char *)syscall(SYS_brk, ~0ul >> 1) == start + 10 * PAGE);
	printf("too low: %d\n", (char *)syscall(SYS_brk, 4096) == start + 10 * PAGE);
	SHOW(brk((void *)(1ul << 60)));
	CHECK(!brk(start));
}

static void advice(void)
{
	char *p = fresh(3);
	unsigned char resident[3];

	printf("--- advice\n");
	memset(p, 'm', 3 * PAGE);
	SHOW(madvise(p + PAGE, PAGE, MADV_DONTNEED));
	printf("%d %d %d\n", p[0], p[PAGE], p[2 * PAGE]);
	SHOW(madvise(p, 3 * PAGE, MADV_WILLNEED));
	SHOW(madvise(p, 3 * PAGE, MADV_SEQUENTIAL));
	CHECK(!mincore(p, 3 * PAGE, resident));
	printf("resident: %d %d %d\n", resident[0] & 1, resident[1] & 1, resident[2] & 1);
	SHOW(mincore(p + 1, PAGE, resident));
	SHOW(mincore(p, 3 * PAGE, (void *)8));
	SHOW(madvise(p, PAGE, MADV_DONTFORK));
	fflush(stdout);
	if (!fork()) {
		printf("child: %d %d\n", touch(p, 0), touch(p + PAGE, 0));
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
	SHOW(mlock(p, PAGE));
	SHOW(munlock(p, PAGE));
	munmap(p, 3 * PAGE);
}

static void sharing(void)
{
	char *shared = mmap(NULL, PAGE, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char *private = fresh(1);

	printf("--- sharing with a child\n");
	fflush(stdout);
	if (!fork()) {
		shared[0] = 'c';
		private[0] = 'c';
		_exit(0);
	}
	wait(NULL);
	printf("%c %d\n", shared[0], private[0]);
}

/* Buffers of system calls that are not there. */
static void buffers(void)
{
	char *p = fresh(2);
	int fd = open("file", O_RDWR | O_CREAT, 0600), pipe_fd[2];

	printf("--- bad buffers\n");
	CHECK(!pipe(pipe_fd));
	munmap(p + PAGE, PAGE);
	CHECK(write(fd, p, PAGE) == PAGE);
	SHOW(read(fd, (void *)8, 1));
	SHOW(pread(fd, (void *)8, 1, 0));
	SHOW(pread(fd, (void *)(1ul << 60), 1, 0));
	SHOW(pread(fd, (void *)-1, 1, 0));
	SHOW(write(pipe_fd[1], p + PAGE, 1));
	SHOW(write(pipe_fd[1], p + PAGE - 4, 8));
	SHOW(open((char *)8, O_RDONLY));
	SHOW(open(p + PAGE - 1, O_RDONLY));
	p[PAGE - 1] = 'x';
	SHOW(open(p + PAGE - 1, O_RDONLY));
	CHECK(!mprotect(p, PAGE, PROT_READ));
	SHOW(pread(fd, p, 1, 0));
	SHOW(pipe((int *)p));
	SHOW(getcwd(p, 100) == NULL ? -1 : 0);
}

int main(void)
{
	signal(SIGSEGV, on_fault);
	signal(SIGBUS, on_fault);
	fresh_directory();
	errors();
	protections();
	placement();
	files();
	moving();
	heap();
	advice();
	sharing();
	buffers();
	return 0;
}
