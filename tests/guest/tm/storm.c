// SPDX-License-Identifier: MIT
/*
 * Transactions of several threads in a storm of signals and switches: whatever interrupts them, all
 * registers are those of the tbegin. after a failure and those of the transaction after a commit,
 * memory is all or nothing, and the thread pointer stays (cf13435b730a).
 *
 * Arguments: seconds (2), threads (4).
 */
#define _GNU_SOURCE
#include "transaction.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/*
 * One transaction. Before it r14 to r31, f14 to f31, v20 to v31, CTR, LR, CR2 to CR4 and TAR hold
 * @a, inside @b. It adds 1 to both words of @pair, @spins loops apart. @how: 1: it is suspended
 * meanwhile, and counts in pair[2], where nothing is rolled back.
 * Result: 0 committed, 1 failed, 2 to 6 wrong.
 */
long transaction(u64 a, u64 b, u64 spins, volatile u64 *pair, long how);
asm(".globl transaction\n"
    ".type transaction,@function\n"
    "transaction:\n"
    "	mflr 0\n	std 0,16(1)\n	mfcr 0\n	std 0,8(1)\n	stdu 1,-1024(1)\n"
    "	.irp r,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "	std \\r,(\\r*8)(1)\n	stfd \\r,(\\r*8+160)(1)\n	.endr\n"
    "	.irp v,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "	li 9,\\v*16+112\n	stvx \\v,1,9\n	.endr\n"
    "	.macro fill from\n"
    "	.irp r,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "	addi \\r,\\from,\\r\n	mtvsrd \\r,\\from\n	.endr\n"
    "	.irp v,52,53,54,55,56,57,58,59,60,61,62,63\n"
    "	mtvsrd \\v,\\from\n	xxpermdi \\v,\\v,\\v,0\n	.endr\n"
    "	mtctr \\from\n	mtlr \\from\n	mtspr 815,\\from\n	mtcrf 0x38,\\from\n"
    "	.endm\n"
    "	.macro compare from\n"
    "	li 10,2\n"
    "	.irp r,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "	addi 9,\\from,\\r\n	cmpd \\r,9\n	bne 8f\n	.endr\n"
    "	li 10,3\n"
    "	.irp r,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "	mfvsrd 9,\\r\n	cmpd 9,\\from\n	bne 8f\n	.endr\n"
    "	li 10,4\n"
    "	.irp v,52,53,54,55,56,57,58,59,60,61,62,63\n"
    "	mfvsrd 9,\\v\n	cmpd 9,\\from\n	bne 8f\n"
    "	xxpermdi 0,\\v,\\v,2\n	mfvsrd 9,0\n	cmpd 9,\\from\n	bne 8f\n	.endr\n"
    "	li 10,5\n"
    "	mfctr 9\n	cmpd 9,\\from\n	bne 8f\n"
    "	mflr 9\n	cmpd 9,\\from\n	bne 8f\n"
    "	mfspr 9,815\n	cmpd 9,\\from\n	bne 8f\n"
    "	li 10,6\n"
    "	mfcr 9\n	xor 9,9,\\from\n	rlwinm. 9,9,0,8,19\n	bne 8f\n"
    "	.endm\n"
    "	fill 3\n"
    "	tbegin.\n"
    "	beq 5f\n"
    "	fill 4\n"
    "	ld 9,0(6)\n	addi 9,9,1\n	std 9,0(6)\n"
    "	cmpdi 7,0\n"
    "	beq 1f\n"
    "	tsuspend.\n"
    "	ld 9,128(6)\n	addi 9,9,1\n	std 9,128(6)\n"
    "1:	cmpdi 5,0\n	beq 2f\n	addi 5,5,-1\n	b 1b\n"
    "2:	cmpdi 7,0\n"
    "	beq 3f\n"
    "	tresume.\n"
    "3:	ld 9,8(6)\n	addi 9,9,1\n	std 9,8(6)\n"
    "	tend.\n"
    "	compare 4\n"
    "	li 10,0\n"
    "	b 8f\n"
    "5:	compare 3\n"
    "	li 10,1\n"
    "8:	mr 3,10\n"
    "	.irp r,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "	ld \\r,(\\r*8)(1)\n	lfd \\r,(\\r*8+160)(1)\n	.endr\n"
    "	.irp v,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "	li 9,\\v*16+112\n	lvx \\v,1,9\n	.endr\n"
    "	addi 1,1,1024\n	ld 0,8(1)\n	mtcrf 0x38,0\n	ld 0,16(1)\n	mtlr 0\n	blr\n");

#define THREADS_MAX 64

static struct {
	volatile u64 pair[32] __attribute__((aligned(128)));
	volatile u64 committed, failed, wrong[8], thread_pointer_wrong, suspended;
	pthread_t thread;
} threads[THREADS_MAX];

static volatile u64 shared_pair[32] __attribute__((aligned(128)));
static volatile u64 signals_in_t, signals_in_s, signals_outside, shared_commits;
static volatile int stop;
static __thread int self;

/* A handler uses what it likes: vectors, and a transaction of its own. */
static void handler(int signo, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;
	u64 ts = ((const u64 *)uc->uc_mcontext.gp_regs)[MSR] & MSR_TS;

	__atomic_fetch_add(ts == MSR_TS_T   ? &signals_in_t
			   : ts == MSR_TS_S ? &signals_in_s
					    : &signals_outside,
			   1, __ATOMIC_RELAXED);
	/* But the TAR, which no frame holds. */
	asm volatile("xxlxor 14,14,14\n\txxlxor 63,63,63" ::: "vs14", "vs63");
	if (signo == SIGUSR1 && tbegin()) {
		threads[self].pair[24]++;
		tend();
	}
}

static void *run(void *number)
{
	int me = (int)(intptr_t)number;
	u64 random = 0x9e3779b97f4a7c15 * (u64)(me + 1), thread_pointer;

	self = me;
	asm volatile("mr %0,13" : "=r"(thread_pointer));
	while (!stop) {
		volatile u64 *pair = random >> 60 ? threads[me].pair : shared_pair;
		long how = (random >> 56 & 3) == 0, result;
		u64 now;

		random = random * 6364136223846793005 + 1442695040888963407;
		result = transaction(random, ~random >> 3, random >> 40 & 1023, pair, how);
		asm volatile("mr %0,13" : "=r"(now));
		threads[me].thread_pointer_wrong += now != thread_pointer;
		threads[me].committed += result == 0 && pair == threads[me].pair;
		if (!result && pair == shared_pair)
			__atomic_fetch_add(&shared_commits, 1, __ATOMIC_RELAXED);
		threads[me].failed += result == 1;
		if (result > 1)
			threads[me].wrong[result]++;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART};
	const struct itimerval often = {{0, 1000}, {0, 1000}};
	int seconds = argc > 1 ? atoi(argv[1]) : 2, n = argc > 2 ? atoi(argv[2]) : 4;
	u64 committed = 0, failed = 0, wrong[8] = {0}, pointers = 0, halves = 0;
	const struct timespec pause = {0, 300000};
	time_t end = time(NULL) + seconds;

	setvbuf(stdout, NULL, _IOLBF, 0);
	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i].thread, NULL, run, (void *)(intptr_t)i);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; time(NULL) < end; i++) {
		pthread_kill(threads[i % n].thread, SIGUSR1);
		nanosleep(&pause, NULL);
	}
	stop = 1;
	for (int i = 0; i < n; i++) {
		pthread_join(threads[i].thread, NULL);
		committed += threads[i].committed;
		failed += threads[i].failed;
		pointers += threads[i].thread_pointer_wrong;
		halves += threads[i].pair[0] != threads[i].pair[1];
		halves += threads[i].pair[0] != threads[i].committed;
		for (int k = 2; k < 8; k++)
			wrong[k] += threads[i].wrong[k];
	}
	printf("# %llu commits, %llu failures; signals: %llu in T, %llu in S, %llu outside\n",
	       (unsigned long long)committed, (unsigned long long)failed,
	       (unsigned long long)signals_in_t, (unsigned long long)signals_in_s,
	       (unsigned long long)signals_outside);
	ok(committed > 0, "transactions were committed");
	ok(failed > 0, "and some failed");
	ok(signals_in_t + signals_in_s > 0, "there were signals in transactions");
	is(wrong[2], 0, "general registers");
	is(wrong[3], 0, "FP registers");
	is(wrong[4], 0, "vector registers");
	is(wrong[5], 0, "CTR, LR and TAR");
	is(wrong[6], 0, "the condition register");
	is(pointers, 0, "the thread pointer");
	is(halves, 0, "memory of the thread is all or nothing");
	is(shared_pair[0], shared_pair[1], "shared memory, too");
	is(shared_pair[0], shared_commits, "once for each commit");
	return tap_end();
}
