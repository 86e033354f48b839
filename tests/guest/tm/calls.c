// SPDX-License-Identifier: MIT
/*
 * System calls in transactions (b4b56f9ecab4), and which instructions give a thread MSR[TM]: lazy.c
 * tells for how long.
 */
#define _GNU_SOURCE
#include "transaction.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define TRIES 200

/* --- in T ------------------------------------------------------------------------------------ */

struct outcome {
	u64 texasr, r3, cr;
};

/* A system call in T, with r3 = @before ahead of tbegin. */
static struct outcome call_in_t(long number, u64 before, long a, long b, long c)
{
	struct outcome o = {0};

	for (int i = 0; i < TRIES && o.texasr >> 56 != CODE_SYSCALL; i++) {
		register u64 r3 asm("r3") = before;

		asm volatile("mr 8,%[a]\n\tmr 0,%[n]\n\tmr 4,%[b]\n\tmr 5,%[c]\n\t"
			     "tbegin.\n\tbeq 1f\n\tmr 3,8\n\tsc\n\ttend.\n"
			     "1:	mfcr %[cr]\n\tmfspr %[texasr],130"
			     : "+r"(r3), [cr] "=&r"(o.cr), [texasr] "=&r"(o.texasr)
			     : [a] "r"(a), [b] "r"(b), [c] "r"(c), [n] "r"(number)
			     : "cr0", "ctr", "xer", "r0", "r4", "r5", "r6", "r7", "r8", "r9", "r10",
			       "r11", "r12", "memory");
		o.r3 = r3;
	}
	return o;
}

static void test_in_t(void)
{
	static const char byte = 'x';
	struct outcome o = call_in_t(SYS_getppid, 0x1234, 0, 0, 0);
	int pipes[2], wrong = 0;
	char got;

	is(o.texasr >> 56, CODE_SYSCALL, "getppid in T fails the transaction for good");
	is(o.r3, 0x1234, "r3 is that of tbegin.");
	is(o.cr >> 28, 10, "CR0");
	is(call_in_t(9999, 1, 0, 0, 0).texasr >> 56, CODE_SYSCALL,
	   "an invalid number in T is not looked at");
	is(call_in_t(SYS_fork, 1, 0, 0, 0).texasr >> 56, CODE_SYSCALL,
	   "fork in T is refused (621b5060e823)");
	if (pipe2(pipes, O_NONBLOCK))
		_exit(1);
	for (int i = 0; i < 1000; i++)
		wrong += call_in_t(SYS_write, 1, pipes[1], (long)&byte, 1).texasr >> 56 !=
			 CODE_SYSCALL;
	is((u64)wrong, 0, "write in T fails, 1000 times");
	ok(read(pipes[0], &got, 1) < 0 && errno == EAGAIN, "and nothing is written");
}

/* --- in S ------------------------------------------------------------------------------------ */

static void test_in_s(void)
{
	static char byte = 'y';
	volatile long result = 0;
	volatile int committed = 0;
	int pipes[2];
	char got = 0;

	for (volatile int i = 0; i < TRIES && !committed; i++)
		if (tbegin()) {
			tsuspend();
			result = call(SYS_getppid, 0, 0, 0, 0);
			tresume();
			tend();
			committed = 1;
		}
	is((u64)committed, 1, "a transaction with a system call in S commits");
	is((u64)result, (u64)getppid(), "and the call was done");
	if (pipe2(pipes, O_NONBLOCK))
		_exit(1);
	if (tbegin()) {
		tsuspend();
		result = call(SYS_write, pipes[1], (long)&byte, 1, 0);
		__builtin_tabort(0);
		tresume();
		tend();
	}
	/* A transaction that failed before its tsuspend. has written nothing. */
	is((u64)read(pipes[0], &got, 1), 1, "what was written in S stays after tabort.");
	is((u64)got, 'y', "as it was");
}

/* --- what the kernel says -------------------------------------------------------------------- */

static void test_capabilities(void)
{
	u64 caps = getauxval(AT_HWCAP2);

	ok(caps & 0x40000000, "PPC_FEATURE2_HTM");
	ok(caps & 0x01000000, "PPC_FEATURE2_HTM_NOSC comes with it");
	ok(!(caps & 0x00080000), "and not PPC_FEATURE2_HTM_NO_SUSPEND");
}

/* --- MSR[TM] --------------------------------------------------------------------------------- */

static volatile u64 msr_seen;

static void look(int signo, siginfo_t *info, void *context)
{
	msr_seen = ((u64 *)((ucontext_t *)context)->uc_mcontext.gp_regs)[MSR];
}

static int tm_is_on(void)
{
	call(SYS_tgkill, getpid(), call(SYS_gettid, 0, 0, 0, 0), SIGUSR1, 0);
	return (msr_seen & MSR_TM) != 0;
}

#define FIRST_USE(name, code)                                                                      \
	static void *name(void *unused)                                                            \
	{                                                                                          \
		int before = tm_is_on();                                                           \
                                                                                                   \
		asm volatile(code ::: "cr0", "cr7", "r9");                                         \
		return (void *)(long)(before << 1 | tm_is_on());                                   \
	}
FIRST_USE(by_tbegin, "tbegin.\n\tbeq 1f\n\ttend.\n1:")
FIRST_USE(by_tabort, "tabort. 9")
FIRST_USE(by_tcheck, "tcheck 7")
FIRST_USE(by_spr, "mfspr 9,128")

static long in_thread(void *(*body)(void *))
{
	pthread_t thread;
	void *result;

	pthread_create(&thread, NULL, body, NULL);
	pthread_join(thread, &result);
	return (long)result;
}

static void test_first_use(void)
{
	struct sigaction action = {.sa_sigaction = look, .sa_flags = SA_SIGINFO};

	sigaction(SIGUSR1, &action, NULL);
	is((u64)tm_is_on(), 0, "a program that has not used TM has it off");
	is((u64)in_thread(by_tbegin), 1, "tbegin. does, and no signal comes");
	is((u64)in_thread(by_tcheck), 1, "tcheck does");
	is((u64)in_thread(by_tabort), 1, "tabort. does");
	is((u64)in_thread(by_spr), 1, "mfspr TFHAR does");
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	test_first_use();
	test_capabilities();
	test_in_t();
	test_in_s();
	return tap_end();
}
