// SPDX-License-Identifier: MIT
/*
 * Unwinding from a signal handler into what it interrupted: backtraces, and thread cancellation,
 * longjmp with cleanup and C++ exceptions stand on it.
 */
#define _GNU_SOURCE
#include "tap.h"

#include <signal.h>
#include <unistd.h>
#include <unwind.h>

static int depth, saw_interrupted, saw_main;
static u64 interrupted_pc;

int main(void);

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *argument)
{
	int before;
	u64 pc = _Unwind_GetIPInfo(context, &before);
	void *function = _Unwind_FindEnclosingFunction((void *)(before ? pc : pc - 1));

	if (depth++ > 50)
		return _URC_END_OF_STACK;
	if (pc == interrupted_pc)
		saw_interrupted = before; /* the exact place, not a return address */
	if (function == (void *)main)
		saw_main = 1;
	return _URC_NO_REASON;
}

static void handler(int signo, siginfo_t *si, void *context)
{
	interrupted_pc = (u64)si->si_addr;
	_Unwind_Backtrace(step, NULL);
	printf("# %d frames\n", depth);
	ok(depth < 50, "the backtrace ends");
	ok(saw_interrupted, "it contains the interrupted instruction, as such");
	ok(saw_main, "and main");
	_exit(tap_end());
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};

	setvbuf(stdout, NULL, _IOLBF, 0);
	/* si_addr of a trap is the instruction. */
	sigaction(SIGTRAP, &action, NULL);
	asm volatile("trap" : : : "memory");
	ok(0, "no signal");
	return 1;
}
