// SPDX-License-Identifier: MIT
/*
 * A program on a machine without transactional memory (argument "off": ppc_tm=off), or without
 * suspended state ("nosuspend": POWER9 DD2.1).
 */
#define _GNU_SOURCE
#include "transaction.h"

#include <signal.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define GP(uc) ((u64 *)(uc)->uc_mcontext.gp_regs)

#define HWCAP2_HTM	      0x40000000ul
#define HWCAP2_HTM_NOSC	      0x01000000ul
#define HWCAP2_HTM_NO_SUSPEND 0x00080000ul

static volatile int caught, caught_code;
static volatile u64 caught_address, caught_msr;
static u64 invented_state;

static void step_over(int signo, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	caught = signo;
	caught_code = info->si_code;
	caught_address = (u64)info->si_addr;
	caught_msr = GP(uc)[MSR];
	GP(uc)[NIP] += 4;
}

static void test_instructions(void)
{
	struct sigaction action = {.sa_sigaction = step_over, .sa_flags = SA_SIGINFO};

	sigaction(SIGILL, &action, NULL);
#define ILLEGAL(instruction)                                                                       \
	do {                                                                                       \
		caught = 0;                                                                        \
		asm volatile(instruction ::: "cr0", "r9", "memory");                               \
		ok(caught == SIGILL && caught_code == ILL_ILLOPC && !(caught_msr & MSR_TM),        \
		   "%s is no instruction", instruction);                                           \
	} while (0)
	ILLEGAL("tbegin.");
	ILLEGAL("tend.");
	ILLEGAL("tabort. 9");
	ILLEGAL("tsuspend.");
	ILLEGAL("tcheck 0");
	ILLEGAL("mfspr 9,128");
	ILLEGAL("mtspr 130,9");
}

static void invent(int signo, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	uc->uc_link = uc;
	GP(uc)[MSR] |= invented_state;
}

/* What becomes of a program whose handler returns into a transaction. */
static int returns_to(u64 state)
{
	struct sigaction action = {.sa_sigaction = invent, .sa_flags = SA_SIGINFO};
	pid_t child = fork();
	int status;

	if (!child) {
		invented_state = state;
		sigaction(SIGUSR1, &action, NULL);
		raise(SIGUSR1);
		_exit(0);
	}
	waitpid(child, &status, 0);
	return status;
}

static void test_never_suspends(void)
{
	volatile int begun = 0;

	for (int i = 0; i < 100 && !begun; i++)
		if (tbegin()) {
			tend();
			begun = 1;
		}
	ok(begun, "a transaction that nothing interrupts is committed");
	begun = 0;
	if (tbegin()) {
		tsuspend();
		begun = 1;
		tresume();
		tend();
	}
	is((u64)begun, 0, "tsuspend. makes one fail");
}

int main(int argc, char **argv)
{
	int off = argc > 1 && !strcmp(argv[1], "off");
	u64 hwcap2 = getauxval(AT_HWCAP2);

	setvbuf(stdout, NULL, _IOLBF, 0);
	is(hwcap2 & HWCAP2_HTM, 0, "no HTM in the hardware capabilities");
	is(hwcap2 & HWCAP2_HTM_NOSC, off ? 0 : HWCAP2_HTM_NOSC, "HTM_NOSC");
	is(hwcap2 & HWCAP2_HTM_NO_SUSPEND, off ? 0 : HWCAP2_HTM_NO_SUSPEND, "HTM_NO_SUSPEND");
	if (off)
		test_instructions();
	else
		test_never_suspends();
	is((u64)returns_to(0), 0, "a signal frame outside of a transaction");
	is((u64)returns_to(MSR_TS_S), SIGSEGV, "one in S is bad (CVE-2019-13648)");
	is((u64)returns_to(MSR_TS_T), SIGSEGV, "one in T, too");
	is((u64)returns_to(MSR_TS), SIGSEGV, "one in both");
	return tap_end();
}
