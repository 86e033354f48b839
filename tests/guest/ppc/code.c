// SPDX-License-Identifier: MIT
/*
 * Code that changes: what is written must be what runs.
 */
#define _GNU_SOURCE
#include "tap.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#define LI_R3(value) (0x38600000u | ((value)&0xffff))
#define BLR	     0x4e800020u
#define RWX	     (PROT_READ | PROT_WRITE | PROT_EXEC)
#define PAGE	     4096

typedef long function(long, long);

static long call(void *code)
{
	return ((function *)code)(0, 0);
}

static void write_function(void *to, int value)
{
	volatile u32 *p = to;

	p[0] = LI_R3(value);
	p[1] = BLR;
}

static void *map(size_t size, int prot)
{
	void *p = mmap(NULL, size, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		printf("Bail out! mmap\n");
		exit(1);
	}
	return p;
}

/* A compiler that writes the next function right behind the one that just ran. */
static void rewriting(void)
{
	u32 *page = map(PAGE, RWX);
	int bad = 0;

	for (int i = 0; i < 1000; i++) {
		write_function(page, i);
		bad += call(page) != i;
	}
	ok(!bad, "a function rewritten a thousand times");
	bad = 0;
	for (int i = 0; i < 500; i++) {
		write_function(page + 2 * i, i + 7);
		bad += call(page + 2 * i) != i + 7;
		bad += call(page) != 7;
	}
	ok(!bad, "functions added to a page that runs");
	munmap(page, PAGE);
}

/* One instruction of a function that runs overwrites a later one of the same page. */
static void self_modifying(void)
{
	u32 *code = map(PAGE, RWX);
	int bad = 0;

	code[0] = 0x90830000 | 16; /* stw r4,16(r3) */
	code[1] = 0x7c001fac;	   /* icbi 0,r3 */
	code[2] = 0x4c00012c;	   /* isync */
	code[3] = 0x60000000;	   /* nop */
	code[4] = LI_R3(1);
	code[5] = BLR;
	for (int i = 0; i < 1000; i++)
		bad += ((function *)code)((long)code, LI_R3(i)) != i;
	ok(!bad, "a function that stores into itself");
	munmap(code, PAGE);
}

/* A variable and a function in one page. */
static void mixed(void)
{
	u32 *page = map(PAGE, RWX);
	long sum = 0;

	write_function(page, 3);
	for (int i = 0; i < 1000; i++) {
		sum += call(page);
		page[100] = i;
		page[101] += page[100];
	}
	ok(sum == 3000 && page[101] == 499500, "code and data in one page");
	munmap(page, PAGE);
}

static void protections(void)
{
	void *page = map(PAGE, PROT_READ | PROT_WRITE);
	int bad = 0;

	for (int i = 0; i < 200; i++) {
		mprotect(page, PAGE, PROT_READ | PROT_WRITE);
		write_function(page, i);
		mprotect(page, PAGE, PROT_READ | PROT_EXEC);
		bad += call(page) != i;
	}
	ok(!bad, "writable or executable, in turn");
	munmap(page, PAGE);
}

static void remapping(void)
{
	char path[] = "/tmp/code-XXXXXX";
	void *page = map(PAGE, RWX), *other = map(PAGE, RWX);
	int fd = mkstemp(path);
	u32 words[2] = {LI_R3(77), BLR};

	unlink(path);
	write_function(page, 5);
	write_function(other, 6);
	is(call(page), 5, "before");
	if (write(fd, words, sizeof(words)) != sizeof(words) || ftruncate(fd, PAGE))
		return;
	if (mmap(page, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0) != page)
		return;
	is(call(page), 77, "a file mapped over code");
	mremap(other, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, page);
	is(call(page), 6, "code moved over code");
	write_function(page, 8);
	is(call(page), 8, "and written to");
	madvise(page, PAGE, MADV_DONTNEED);
	write_function(page, 9);
	is(call(page), 9, "thrown away and written again");
	if (pread(fd, page, sizeof(words), 0) != sizeof(words))
		return;
	is(call(page), 77, "read from a file into code");
	close(fd);
	munmap(page, PAGE);
}

/* The two views of a just-in-time compiler that never has a page writable and executable. */
static void two_views(void)
{
	int fd = memfd_create("code", 0), bad = 0;
	void *writable, *executable;

	if (ftruncate(fd, 2 * PAGE))
		return;
	executable = mmap(NULL, 2 * PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	writable = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (int i = 0; i < 200; i++) {
		write_function((char *)writable + PAGE, i);
		bad += call((char *)executable + PAGE) != i;
	}
	ok(!bad, "code written through another view of the same memory");
	munmap(writable, 2 * PAGE);
	munmap(executable, 2 * PAGE);
	close(fd);
}

static sigjmp_buf back;
static volatile int code;

static void handler(int signo, siginfo_t *si, void *context)
{
	code = si->si_code;
	siglongjmp(back, signo);
}

static void losing_execution(void)
{
	void *page = map(PAGE, RWX);
	int signo;

	write_function(page, 4);
	is(call(page), 4, "executable");
	mprotect(page, PAGE, PROT_READ | PROT_WRITE);
	signo = sigsetjmp(back, 1);
	if (!signo)
		call(page);
	ok(signo == SIGSEGV && code == SEGV_ACCERR, "no longer executable: SIGSEGV, SEGV_ACCERR");
	munmap(page, PAGE);
	signo = sigsetjmp(back, 1);
	if (!signo)
		call(page);
	ok(signo == SIGSEGV && code == SEGV_MAPERR, "no longer there: SIGSEGV, SEGV_MAPERR");
}

/* Instructions that straddle a page: the second page appears later. */
static void neighbours(void)
{
	char *pages = map(2 * PAGE, RWX);
	u32 *last = (u32 *)(pages + PAGE) - 1;
	int bad = 0;

	*last = LI_R3(11);
	*(u32 *)(pages + PAGE) = BLR;
	is(call(last), 11, "a function over two pages");
	for (int i = 0; i < 100; i++) {
		*(u32 *)(pages + PAGE) = LI_R3(i);
		*(u32 *)(pages + PAGE + 4) = BLR;
		bad += call(last) != i;
	}
	ok(!bad, "its second page rewritten");
	munmap(pages, 2 * PAGE);
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};

	setvbuf(stdout, NULL, _IOLBF, 0);
	sigaction(SIGSEGV, &action, NULL);
	rewriting();
	self_modifying();
	mixed();
	protections();
	remapping();
	two_views();
	losing_execution();
	neighbours();
	return tap_end();
}
