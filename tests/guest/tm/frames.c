// SPDX-License-Identifier: MIT
/*
 * Signals in transactions: both contexts of the frame, and what sigreturn makes of them.
 * arch/powerpc/kernel/signal_64.c
 */
#define _GNU_SOURCE
#include "transaction.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define GP(uc) ((u64 *)(uc)->uc_mcontext.gp_regs)

/* glibc's type lacks the low halves of VSR 0 to 31. */
struct context {
	union {
		ucontext_t uc;
		char bytes[1696];
	};
};

static struct context first, second; /* copies of those of the last frame */
static volatile int handled, linked;
static volatile u64 state_in_handler, frame_address;
static siginfo_t info;
static void (*change)(ucontext_t *uc);

static void handler(int signo, siginfo_t *si, void *context)
{
	ucontext_t *uc = context;

	state_in_handler = state();
	handled++;
	memcpy(&first, uc, sizeof(first));
	linked = uc->uc_link != NULL;
	if (linked)
		memcpy(&second, uc->uc_link, sizeof(second));
	info = *si;
	frame_address = (u64)uc;
	if (change)
		change(uc);
}

static void handle(int signo, int flags)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};

	sigaction(signo, &action, NULL);
	handled = 0;
	change = NULL;
	memset(&first, 0, sizeof(first));
	memset(&second, 0, sizeof(second));
}

static u64 own_pid;

/* --- a trap in T ----------------------------------------------------------------------------- */

/*
 * r14 to r31, f14, f31, v20, v31, CTR, LR and TAR have one value before the transaction, which
 * changes them all and traps. Result: 0 after a commit, 1 on the failure path, 2 if a register
 * does not have its first value there.
 */
long trap_in_transaction(u64 before, u64 inside);
extern char trap_tbegin[], trap_insn[], trap_failed[];
asm(".globl trap_in_transaction\n"
    "trap_in_transaction:\n"
    "	mflr 0\n	std 0,16(1)\n	stdu 1,-512(1)\n"
    "	.irp r,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "	std \\r,(\\r*8-80)(1)\n	mr \\r,3\n	.endr\n"
    "	stfd 14,320(1)\n	stfd 31,328(1)\n"
    "	mtvsrd 14,3\n	mtvsrd 31,3\n	mtvsrd 52,3\n	mtvsrd 63,3\n"
    "	mtctr 3\n	mtlr 3\n	mtspr 815,3\n"
    ".globl trap_tbegin\n"
    "trap_tbegin:\n"
    "	tbegin.\n	beq 1f\n"
    "	.irp r,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "	mr \\r,4\n	.endr\n"
    "	mtvsrd 14,4\n	mtvsrd 31,4\n	mtvsrd 52,4\n	mtvsrd 63,4\n"
    "	mtctr 4\n	mtlr 4\n	mtspr 815,4\n"
    ".globl trap_insn\n"
    "trap_insn:	trap\n"
    "	tend.\n"
    "	li 3,0\n	b 3f\n"
    ".globl trap_failed\n"
    "trap_failed:\n"
    "1:	mr 4,3\n	li 3,1\n"
    "	.irp r,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "	cmpd \\r,4\n	beq+ 2f\n	li 3,2\n2:\n	.endr\n"
    "	.irp v,14,31,52,63\n"
    "	mfvsrd 5,\\v\n	cmpd 5,4\n	beq+ 2f\n	li 3,2\n2:\n	.endr\n"
    "	mfctr 5\n	cmpd 5,4\n	beq+ 2f\n	li 3,2\n2:\n"
    "	mflr 5\n	cmpd 5,4\n	beq+ 2f\n	li 3,2\n2:\n"
    "	mfspr 5,815\n	cmpd 5,4\n	beq+ 3f\n	li 3,2\n"
    "3:	lfd 14,320(1)\n	lfd 31,328(1)\n"
    "	.irp r,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "	ld \\r,(\\r*8-80)(1)\n	.endr\n"
    "	addi 1,1,512\n	ld 0,16(1)\n	mtlr 0\n	blr\n");

static u64 vr_high(const struct context *c, int n)
{
	const u64 *area = (const u64 *)(c->bytes + 1696 - 256 - 34 * 16);

	return area[2 * n + 1];
}

static void test_transactional(void)
{
	int same = 1, live = 1;
	long result;

	handle(SIGTRAP, 0);
	result = trap_in_transaction(0x1111222233334444, 0x5555666677778888);
	is(handled, 1, "a trap in T is delivered");
	is(result, 1, "after the handler the failure path runs with the registers of tbegin.");
	is(code(), CODE_SIGNAL, "failure code of a signal");
	is(state_in_handler, 0, "a handler runs outside the transaction");
	is(linked, 1, "uc_link leads to the second context");
	is(GP(&first.uc)[NIP], (u64)trap_tbegin + 4, "NIP of the first: the failure path");
	is(GP(&second.uc)[NIP], (u64)trap_insn, "NIP of the second: the instruction");
	is(info.si_code, TRAP_BRKPT, "si_code of a trap");
	is((u64)info.si_addr, (u64)trap_insn, "si_addr is the instruction");
	is(GP(&first.uc)[MSR], GP(&second.uc)[MSR], "one MSR for both");
	is(GP(&first.uc)[MSR] & MSR_TS, MSR_TS_T, "MSR[TS] is T");
	ok((GP(&first.uc)[MSR] & MSR_TM) != 0, "MSR[TM] is on");
	ok(GP(&first.uc)[MSR] & MSR_LE, "still little-endian (1c200e63d055)");
	for (int i = 14; i < 32; i++) {
		same &= GP(&first.uc)[i] == 0x1111222233334444;
		live &= GP(&second.uc)[i] == 0x5555666677778888;
	}
	ok(same, "GPRs of the first: checkpointed");
	ok(live, "GPRs of the second: live");
	is(((u64 *)first.uc.uc_mcontext.fp_regs)[31], 0x1111222233334444, "f31 of the first");
	is(((u64 *)second.uc.uc_mcontext.fp_regs)[31], 0x5555666677778888, "f31 of the second");
	is(vr_high(&first, 20), 0x1111222233334444, "v20 of the first");
	is(vr_high(&second, 20), 0x5555666677778888, "v20 of the second");
	is(GP(&first.uc)[CTR], 0x1111222233334444, "CTR of the first");
	is(GP(&second.uc)[CTR], 0x5555666677778888, "CTR of the second");
	is(GP(&first.uc)[LNK], 0x1111222233334444, "LR of the first");
	is(GP(&first.uc)[CCR] >> 28, 2, "CR0 of the first: what treclaim. leaves");
	is((u64)second.uc.uc_mcontext.regs - (u64)second.uc.uc_mcontext.gp_regs -
		   (frame_address + 1696 - (u64)&second),
	   0, "the second context knows where its registers are");
}

static void move_abort(ucontext_t *uc)
{
	GP(uc)[3] = 0x9999;
	for (int i = 14; i < 32; i++)
		GP(uc)[i] = 0x9999;
	uc->uc_mcontext.fp_regs[14] = uc->uc_mcontext.fp_regs[31];
}

static void clear_tm(ucontext_t *uc)
{
	GP(uc)[MSR] &= ~MSR_TM;
	GP(uc->uc_link)[MSR] = 0; /* nobody looks at this one */
}

static u64 abort_target;

static void retarget(ucontext_t *uc)
{
	GP(uc)[NIP] = abort_target;
}

static void test_edited(void)
{
	handle(SIGTRAP, 0);
	change = move_abort;
	is(trap_in_transaction(1, 2), 2,
	   "the failure path sees registers that a handler has changed");

	handle(SIGTRAP, 0);
	change = clear_tm;
	is(trap_in_transaction(1, 2), 1,
	   "TM cleared in the frame: it is on all the same "
	   "(044215d145a7)");

	handle(SIGTRAP, 0);
	change = retarget;
	abort_target = (u64)trap_failed;
	is(trap_in_transaction(1, 2), 1, "a handler may move the failure path");
	is(__builtin_get_tfhar(), abort_target, "TFHAR is what it has asked for");
}

/* --- suspended ------------------------------------------------------------------------------- */

static volatile u64 in_memory;

/*
 * Sends itself a signal in S. Returns 1 on the failure path. @result: of kill, and then MSR[TS] and
 * whether the transaction is doomed.
 */
static int kill_suspended(int signo, volatile long *result)
{
	if (tbegin()) {
		in_memory = 2; /* rolled back */
		tsuspend();
		result[0] = call(SYS_kill, (long)own_pid, signo, 0, 0);
		result[1] = (long)state();
		result[2] = doomed();
		tresume();
		tend();
		return 0;
	}
	return 1;
}

static void skip_nothing(ucontext_t *uc)
{
	GP(uc->uc_link)[14] = GP(uc->uc_link)[14];
}

static void test_suspended(void)
{
	volatile long result[3] = {-1, 0, 0};

	handle(SIGUSR1, 0);
	change = skip_nothing;
	in_memory = 1;
	is(kill_suspended(SIGUSR1, result), 1, "a signal in S: the failure path in the end");
	is(handled, 1, "and a handler that ran");
	is(result[0], 0, "the call that sent it returned");
	is(result[1], MSR_TS_S, "to S");
	is(result[2], 1, "but doomed");
	is(code(), CODE_SIGNAL, "by the signal");
	is(in_memory, 1, "memory was rolled back");
	is(GP(&first.uc)[MSR] & MSR_TS, MSR_TS_S, "MSR[TS] of the first");
	is(GP(&second.uc)[MSR] & MSR_TS, MSR_TS_S, "MSR[TS] of the second");
	ok(GP(&first.uc)[NIP] != GP(&second.uc)[NIP], "two places");
	is(GP(&first.uc)[NIP], __builtin_get_tfhar(), "the first one is TFHAR");
}

static void test_outside(void)
{
	handle(SIGUSR1, 0);
	raise(SIGUSR1);
	is(linked, 0, "uc_link is 0 outside a transaction");
	is(GP(&first.uc)[MSR] & MSR_TS, 0, "MSR[TS] is 0");
}

/* --- where the frame lies -------------------------------------------------------------------- */

/*
 * In T the stack pointer goes up by 64 KiB, as if the function that began the transaction had
 * returned; @suspend: and then into S. The frame must lie below the checkpointed pointer in T.
 */
__attribute__((noinline)) static u64 frame_with_raised_stack(int suspend)
{
	static u64 distance;
	char room[65536 + 512];
	u64 r1;

	asm volatile("mr %0,1" : "=r"(r1));
	asm volatile("" ::"r"(room) : "memory");
	handle(SIGTRAP, 0);
	asm volatile("tbegin.\n\t"
		     "beq 1f\n\t"
		     "cmpdi %0,0\n\t"
		     "addis 1,1,1\n\t"
		     "beq 2f\n\t"
		     "tsuspend.\n"
		     "2:	trap\n\t"
		     "nop\n\t"
		     "cmpdi %0,0\n\t"
		     "beq 3f\n\t"
		     "tresume.\n"
		     "3:	tend.\n"
		     "1:" ::"r"((long)suspend)
		     : "cr0", "memory");
	distance = r1 - frame_address;
	return distance;
}

static void step_over_trap(ucontext_t *uc)
{
	if (uc->uc_link)
		GP(uc->uc_link)[NIP] += 4;
}

static void test_stack(void)
{
	u64 distance = frame_with_raised_stack(0);

	ok(distance >= 4096 && distance < 8192,
	   "in T the frame lies below the checkpointed stack pointer");
	is(GP(&second.uc)[1] - GP(&first.uc)[1], 65536, "each context has its own");
	is(*(u64 *)(frame_address - 128), GP(&second.uc)[1], "the chain leads to the live one");
}

__attribute__((noinline)) static void test_stack_suspended(void)
{
	char room[65536 + 512];
	u64 r1, live;

	asm volatile("mr %0,1" : "=r"(r1));
	asm volatile("" ::"r"(room) : "memory");
	handle(SIGTRAP, 0);
	change = step_over_trap;
	asm volatile("tbegin.\n\t"
		     "beq 1f\n\t"
		     "addis 1,1,1\n\t"
		     "tsuspend.\n\t"
		     "trap\n\t"
		     "addis 1,1,-1\n\t"
		     "tresume.\n\t"
		     "tend.\n"
		     "1:" ::
			     : "cr0", "memory");
	live = GP(&second.uc)[1];
	is(live - r1, 65536, "in S the live pointer is the second context's");
	ok(live - frame_address >= 4096 && live - frame_address < 8192,
	   "and the frame lies below it");
	is(code(), CODE_SIGNAL, "stepping over a trap in S needs the second context");
}

/* --- frames that nobody wrote ---------------------------------------------------------------- */

static int died(void (*body)(void))
{
	pid_t child = fork();
	int status;

	if (!child) {
		alarm(20);
		body();
		_exit(77);
	}
	waitpid(child, &status, 0);
	return status;
}

static void no_stack(int suspend)
{
	handle(SIGSEGV, 0);
	asm volatile("mr 31,1\n\t"
		     "li 1,0\n"
		     "1:	tbegin.\n\t"
		     "beq 1b\n\t"
		     "cmpdi %0,0\n\t"
		     "beq 2f\n\t"
		     "tsuspend.\n"
		     "2:	ld 3,0(1)\n\t"
		     "mr 1,31" ::"r"((long)suspend)
		     : "cr0", "r3", "r31", "memory");
}

static void no_stack_in_t(void)
{
	no_stack(0);
}

static void no_stack_in_s(void)
{
	no_stack(1);
}

static void reserved_state(ucontext_t *uc)
{
	uc->uc_link = uc;
	GP(uc)[MSR] |= MSR_TS;
}

static void suspended_without_link(ucontext_t *uc)
{
	GP(uc)[MSR] |= MSR_TS_S;
}

static void areas_outside(ucontext_t *uc)
{
	uc->uc_link = &second.uc;
	second = *(struct context *)uc;
	second.uc.uc_mcontext.v_regs = (void *)(1ull << 63);
	GP(uc)[MSR] |= MSR_TS_T;
}

static void bad_frame(void (*how)(ucontext_t *uc))
{
	handle(SIGUSR1, 0);
	change = how;
	raise(SIGUSR1);
}

static void reserved_body(void)
{
	bad_frame(reserved_state);
}

static void linkless_body(void)
{
	bad_frame(suspended_without_link);
}

static void outside_body(void)
{
	bad_frame(areas_outside);
}

static void test_bad(void)
{
	is(died(no_stack_in_s), SIGSEGV, "no stack in S: SIGSEGV (CVE-2015-8845)");
	is(died(no_stack_in_t), SIGSEGV, "no stack in T: SIGSEGV");
	is(died(reserved_body), SIGSEGV, "MSR[TS] = 11b: SIGSEGV (CVE-2015-8844)");
	is(died(linkless_body), SIGSEGV, "MSR[TS] without a second context: SIGSEGV");
	is(died(outside_body), SIGSEGV, "vector registers outside the program's memory: SIGSEGV");
}

/* --- a transaction out of the blue (CVE-2017-1000255) ---------------------------------------- */

static u64 invented_state, invented_nip;

static void invent(ucontext_t *uc)
{
	memcpy(&second, uc, sizeof(second));
	second.uc.uc_mcontext.v_regs =
		(void *)((char *)&second + ((char *)uc->uc_mcontext.v_regs - (char *)uc));
	uc->uc_link = &second.uc;
	GP(uc)[MSR] |= invented_state;
	GP(uc)[NIP] = invented_nip;
	GP(uc)[14] = 0x1414;
	GP(&second.uc)[14] = 0x4141;
	GP(&second.uc)[1] = 0xdeadbeef0000;
}

/* 1: went on where it was, in S, and the transaction failed at once when resumed; 0: it did not */
__attribute__((noinline)) static u64 invented(u64 ts)
{
	u64 live = 0, way = 0;

	handle(SIGTRAP, 0);
	change = invent;
	invented_state = ts;
	asm volatile("lis 9,1f@highest\n\t"
		     "ori 9,9,1f@higher\n\t"
		     "sldi 9,9,32\n\t"
		     "oris 9,9,1f@high\n\t"
		     "ori 9,9,1f@l\n\t"
		     "std 9,0(%2)\n\t"
		     "mr 31,1\n\t"
		     "li 14,0\n\t"
		     "trap\n\t"
		     "nop\n"
		     "b 2f\n"
		     "1:	li %1,1\n\t"
		     "mr %0,14\n"
		     "2:	mr 1,31\n"
		     : "=&r"(live), "+&r"(way)
		     : "b"(&invented_nip)
		     : "cr0", "r9", "r14", "r31", "memory");
	return way ? live : 0;
}

static void test_invented(void)
{
	is(invented(MSR_TS_T), 0x1414, "T in a frame: the failure path, with the first context");
	is(handled, 1, "once");
	is(state(), 0, "and no transaction");
	ok(__builtin_get_texasr() & 1 << 27, "TEXASR[FS] is set");
}

/* --- the handler's own transaction ----------------------------------------------------------- */

static volatile u64 before_suspend, after_suspend;

static void suspend_own(ucontext_t *uc)
{
	if (tbegin()) {
		before_suspend = 2;
		tsuspend();
		after_suspend = 2;
	}
}

static void test_own(void)
{
	handle(SIGUSR1, 0);
	change = suspend_own;
	before_suspend = after_suspend = 1;
	raise(SIGUSR1);
	is(state(), 0, "a transaction that a handler has suspended is gone after its return");
	is(before_suspend, 1, "what it stored is rolled back");
	is(after_suspend, 2, "what was stored in S is not (78a3e8889b4b)");
}

/* --- from outside ---------------------------------------------------------------------------- */

static void test_asynchronous(void)
{
	const struct itimerval soon = {.it_value = {0, 2000}};
	u64 end;
	int committed = 0, failed = 0;

	handle(SIGALRM, 0);
	in_memory = 1;
	setitimer(ITIMER_REAL, &soon, NULL);
	if (tbegin()) {
		in_memory = 2;
		/* At most some seconds. */
		asm volatile("mfspr %0,268" : "=r"(end));
		end += 5 * 512000000ull;
		for (u64 now = 0; now < end;)
			asm volatile("mfspr %0,268" : "=r"(now));
		tend();
		committed = 1;
	} else {
		failed = 1;
	}
	ok(failed && !committed, "a signal from outside ends a transaction that would run on");
	is(code(), CODE_SIGNAL, "by its code");
	is(handled, 1, "the handler ran");
	is(in_memory, 1, "memory was rolled back");
	is(GP(&first.uc)[MSR] & MSR_TS, MSR_TS_T, "the frame says T");
}

/* A signal that is pending already when a call in T is refused. */
static void test_refused_call(void)
{
	sigset_t set;
	volatile long arrived = 0;

	handle(SIGUSR1, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	if (tbegin()) {
		(void)call(SYS_kill, (long)own_pid, SIGUSR1, 0, 0);
		arrived = 1;
		tend();
	}
	is(arrived, 0, "a call in T is not done");
	is(handled, 0, "so no signal was sent");
	is(code(), CODE_SYSCALL, "its code tells");
}

/* --- swapcontext ----------------------------------------------------------------------------- */

static void test_swapcontext(void)
{
	static struct context here;
	static volatile long result = -1;
	static volatile u64 then;

	if (tbegin()) {
		tsuspend();
		result = call(SYS_swapcontext, (long)&here, 0, sizeof(here), 0);
		then = state();
		tresume();
		tend();
	}
	is(result, 0, "swapcontext in S saves a context");
	is(then, MSR_TS_S, "and stays in S");
	ok((GP(&here.uc)[MSR] & MSR_TS_S) != 0, "which its MSR tells");
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	own_pid = getpid();
	test_outside();
	test_transactional();
	test_edited();
	test_suspended();
	test_stack();
	test_stack_suspended();
	test_bad();
	test_invented();
	test_own();
	test_asynchronous();
	test_refused_call();
	test_swapcontext();
	return tap_end();
}
