/* SPDX-License-Identifier: MIT */
/*
 * MSR[TM] is off until a thread uses transactions, and goes off again when the count of switches
 * away from it comes round (the RFC of June 2016, 5d176f751ee3). A signal frame shows the bit.
 *
 * For one CPU (--smp 1). Arguments: eager, if the policy is that of kernels before 4.9; a number: after so many switches
 * it goes off again (--load-tm).
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "transaction.h"

static volatile u64 seen_msr, seen_link;

static void on_signal(int signo, siginfo_t *si, void *context)
{
	const ucontext_t *uc = context;

	(void)signo;
	(void)si;
	seen_msr = uc->uc_mcontext.gp_regs[MSR];
	seen_link = (u64)uc->uc_link;
}

static int tm_is_on(void)
{
	raise(SIGUSR1);
	return (seen_msr & MSR_TM) != 0;
}

static volatile int stop;

static void *other(void *argument)
{
	while (!stop)
		sched_yield();
	return argument;
}

/* One switch away from this thread and back: there is one CPU, and another thread that yields. */
static void switch_away(void)
{
	sched_yield();
}

/* Switches until the bit is off, from the one after it was switched on; 0: it stays on. */
static unsigned switches_until_off(unsigned most)
{
	for (unsigned n = 1; n <= most; n++) {
		switch_away();
		if (!tm_is_on())
			return n;
	}
	return 0;
}

static u64 tfhar(void)
{
	u64 value;

	asm volatile("mfspr %0,128" : "=r"(value));
	return value;
}

static void set_tfhar(u64 value)
{
	asm volatile("mtspr 128,%0" : : "r"(value));
}

static int commits(void)
{
	for (int i = 0; i < 100; i++)
		if (tbegin()) {
			tend();
			return 1;
		}
	return 0;
}

static void child(int pipe_end, int eager)
{
	char answer;

	answer = (char)(tm_is_on() == eager && tfhar() == 0);
	(void)!write(pipe_end, &answer, 1);
	_exit(0);
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
	int eager = argc > 1 && !strcmp(argv[1], "eager");
	unsigned limit = argc > 1 && !eager ? (unsigned)atoi(argv[1]) : 256;
	double f = argc;
	unsigned off;
	u64 texasr, tfiar;
	pthread_t thread;
	int ends[2];

	sigaction(SIGUSR1, &action, NULL);
	ok(tm_is_on() == eager, "a program that never used transactions: MSR[TM] is %s",
	   eager ? "on" : "off");
	is(seen_link, 0, "a signal outside of transactions has no second context");
	is(seen_msr & MSR_TS, 0, "and no transaction state");
	f = f * 1.5 + 1;
	asm volatile("fadd %0,%0,%0\n\tvxor 0,0,0" : "+d"(f) : : "v0");
	ok(tm_is_on() == eager, "floating point and vectors do not switch it on");

	/* Forked before its first use: the counter and the registers are its own. */
	if (pipe(ends) || fork() == 0)
		child(ends[1], eager);
	char answer = 0;
	ok(read(ends[0], &answer, 1) == 1 && answer, "TFHAR is 0 in a program that never set it");
	wait(NULL);

	asm volatile("mfspr %0,130\n\tmfspr %1,129" : "=r"(texasr), "=r"(tfiar));
	ok(!texasr && !tfiar, "TEXASR and TFIAR are 0 at first");
	ok(tm_is_on(), "reading an SPR switched it on");
	set_tfhar(0x123450);
	is(tfhar(), 0x123450, "TFHAR keeps what is written");
	ok(commits(), "a transaction commits");
	set_tfhar(0x123454);

	pthread_create(&thread, NULL, other, NULL);
	off = switches_until_off(2 * limit);
	if (eager) {
		is(off, 0, "it stays on");
	} else {
		/* What came before has counted, too: now from a known point. */
		ok(off > 0, "it goes off again");
		is(tfhar(), 0x123454, "TFHAR has survived that");
		ok(tm_is_on(), "and reading it switched it on again");
		is(switches_until_off(2 * limit), limit - 1,
		   "it goes off with the last switch before the counter would be 1 again");
		ok(commits(), "the next transaction switches it on again, and commits");
	}
	stop = 1;
	pthread_join(thread, NULL);
	return tap_end();
}
