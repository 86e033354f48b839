// SPDX-License-Identifier: MIT
/*
 * The signal frame of ppc64: where things lie, what they hold, what sigreturn takes back.
 */
#define _GNU_SOURCE
#include "tap.h"

#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define MSR_FP	(1ull << 13)
#define MSR_VSX (1ull << 23)
#define MSR_VEC (1ull << 25)
#define MSR_TS	(3ull << 33)
#define MSR_LE	1ull
#define MSR_PR	(1ull << 14)
#define MSR_SF	(1ull << 63)

#define GPR(n) gp_regs[n]

static u64 seen_r1, seen_r3, seen_r4, seen_r5, seen_r6, seen_r12, seen_lr, seen_msr;
static u64 seen_fpscr, seen_ctr;
/* glibc's type lacks the last part, the low halves of VSR 0 to 31. */
static union {
	ucontext_t uc;
	char bytes[1696];
} whole;
#define copy whole.uc
static volatile int handled;
static void (*inner)(ucontext_t *uc);

/* All registers at entry; then the C part, called with the same arguments. */
asm(".globl entry\n"
    ".type entry,@function\n"
    "entry:\n"
    "	addis 2,12,.TOC.-entry@ha\n"
    "	addi 2,2,.TOC.-entry@l\n"
    "	.localentry entry,.-entry\n"
    "	addis 11,2,seen@toc@ha\n"
    "	addi 11,11,seen@toc@l\n"
    "	std 1,0(11)\n"
    "	std 3,8(11)\n"
    "	std 4,16(11)\n"
    "	std 5,24(11)\n"
    "	std 6,32(11)\n"
    "	std 12,40(11)\n"
    "	mflr 0\n"
    "	std 0,48(11)\n"
    "	mfctr 0\n"
    "	std 0,56(11)\n"
    "	b second\n");
void entry(int signo, siginfo_t *si, void *context);
u64 seen[8];
void second(int signo, siginfo_t *si, ucontext_t *uc);

__attribute__((used)) void second(int signo, siginfo_t *si, ucontext_t *uc)
{
	double d;

	asm volatile("mffs %0" : "=d"(d));
	memcpy(&seen_fpscr, &d, 8);
	memcpy(&whole, uc, sizeof(whole));
	handled++;
	if (inner)
		inner(uc);
}

static void deliver(void)
{
	syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR1);
}

static void layout(void)
{
	u64 frame, sp;

	handled = 0;
	asm volatile("mr %0,1" : "=r"(sp));
	deliver();
	seen_r1 = seen[0], seen_r3 = seen[1], seen_r4 = seen[2], seen_r5 = seen[3];
	seen_r6 = seen[4], seen_r12 = seen[5], seen_lr = seen[6], seen_ctr = seen[7];
	frame = seen_r6;
	is(handled, 1, "the handler ran once");
	is(seen_r3, SIGUSR1, "r3 is the signal");
	is(seen_r4, frame + 3456, "r4 is the siginfo, 3456 into the frame");
	is(seen_r5, frame, "r5 is the ucontext, at the start of the frame");
	is(seen_r1, frame - 128, "r1 is 128 below");
	is(seen_r12, (u64)entry, "r12 is the handler");
	is(seen_ctr, (u64)entry, "CTR is the handler");
	is(frame & 15, 0, "the frame is aligned to 16");
	is((u64)copy.uc_mcontext.regs, frame + 232, "regs points to gp_regs");
	is((u64)copy.uc_mcontext.v_regs & 15, 0, "the vector area is aligned to 16");
	is(copy.uc_mcontext.GPR(1) - frame >= 4096, 1, "frame and red zone take 4096 bytes");
	is(copy.uc_mcontext.GPR(1) - frame < 4096 + 16, 1, "and not more than alignment needs");
	is(copy.uc_mcontext.GPR(1) <= sp, 1, "the interrupted stack is this one");
	is((u64)copy.uc_link, 0, "no second context");
	is(copy.uc_mcontext.signal, SIGUSR1, "the context tells the signal");
	is(copy.uc_mcontext.handler, (u64)entry, "and the handler");
	is(copy.uc_mcontext.GPR(39), 1, "softe reads 1");
	is(copy.uc_mcontext.GPR(40) & ~1ull, 0xc00, "trap is that of a system call");
	seen_msr = copy.uc_mcontext.GPR(33);
	is(seen_msr & (MSR_SF | MSR_PR | MSR_LE | MSR_TS), MSR_SF | MSR_PR | MSR_LE,
	   "MSR: 64 bits, user, little-endian, no transaction");
	is(seen_msr & MSR_FP, 0, "MSR: FP off in the frame");
	is(*(u32 *)seen_lr, 0x38210080, "LR is at addi r1,r1,128");
	is(*(u32 *)(seen_lr + 4), 0x380000ac, "then li r0,172");
	is(seen_fpscr, 0, "FPSCR is 0 in the handler");
}

/* Registers before and after, all that a program can compare. */
struct registers {
	u64 gpr[32], cr, ctr, xer;
	u64 vsr[64][2];
	u64 fpscr;
} before __attribute__((aligned(16))), after __attribute__((aligned(16)));

/*
 * Loads r14 to r31, CTR, XER, CR and all VSRs from `before`, makes the system call in r0, r3 to r5,
 * and stores them to `after`.
 */
void kill_with_registers(struct registers *from, struct registers *to, long pid, long tid,
			 long signo);
asm(".globl kill_with_registers\n"
    ".type kill_with_registers,@function\n"
    "kill_with_registers:\n"
    "	mflr 0\n"
    "	std 0,16(1)\n"
    "	stdu 1,-1024(1)\n"
    "	std 2,24(1)\n"
    "	mfcr 0\n"
    "	std 0,32(1)\n"
    "	std 4,40(1)\n"
    "	.irp n,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "	std \\n,64+8*\\n(1)\n"
    "	.endr\n"
    "	li 9,512\n"
    "	.irp n,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "	stvx \\n,9,1\n"
    "	addi 9,9,16\n"
    "	.endr\n"
    "	.irp n,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "	stfd \\n,704+8*\\n-112(1)\n"
    "	.endr\n"
    "	mr 10,3\n"
    "	mr 3,5\n"
    "	mr 4,6\n"
    "	mr 5,7\n"
    "	.irp n,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "	ld \\n,8*\\n(10)\n"
    "	.endr\n"
    "	ld 0,256(10)\n"
    "	mtcr 0\n"
    "	ld 0,264(10)\n"
    "	mtctr 0\n"
    "	ld 0,272(10)\n"
    "	mtxer 0\n"
    "	addi 9,10,280\n"
    "	lfd 0,1024(9)\n"
    "	mtfsf 255,0\n"
    "	.irp "
    "n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,"
    "32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,"
    "63\n"
    "	lxvd2x \\n,0,9\n"
    "	addi 9,9,16\n"
    "	.endr\n"
    "	li 0,250\n"
    "	sc\n"
    "	ld 10,40(1)\n"
    "	.irp n,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "	std \\n,8*\\n(10)\n"
    "	.endr\n"
    "	mfcr 0\n"
    "	std 0,256(10)\n"
    "	mfctr 0\n"
    "	std 0,264(10)\n"
    "	mfxer 0\n"
    "	std 0,272(10)\n"
    "	addi 9,10,280\n"
    "	.irp "
    "n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,"
    "32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,"
    "63\n"
    "	stxvd2x \\n,0,9\n"
    "	addi 9,9,16\n"
    "	.endr\n"
    "	mffs 0\n"
    "	stfd 0,0(9)\n"
    "	xxlxor 0,0,0\n"
    "	mtfsf 255,0\n"
    "	.irp n,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "	ld \\n,64+8*\\n(1)\n"
    "	lfd \\n,704+8*\\n-112(1)\n"
    "	.endr\n"
    "	li 9,512\n"
    "	.irp n,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "	lvx \\n,9,1\n"
    "	addi 9,9,16\n"
    "	.endr\n"
    "	ld 0,32(1)\n"
    "	mtcr 0\n"
    "	ld 2,24(1)\n"
    "	addi 1,1,1024\n"
    "	ld 0,16(1)\n"
    "	mtlr 0\n"
    "	blr\n");

static void fill(struct registers *r)
{
	for (int i = 0; i < 32; i++)
		r->gpr[i] = 0x0101010101010101 * i;
	r->cr = 0x12345678 & ~0x10000000ull; /* CR0[SO] is the system call's */
	r->ctr = 0xc0c0c0c0;
	r->xer = 0xe0000000;
	for (u64 i = 0; i < 64; i++) {
		r->vsr[i][0] = 0xa000000000000000 | i << 8;
		r->vsr[i][1] = 0xb000000000000000 | i << 8 | 1;
	}
	r->fpscr = 1;
}

/* Use every facility in the handler, differently. */
static void destroy(ucontext_t *uc)
{
	asm volatile(
		".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,"
		"27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,"
		"53,54,55,56,57,58,59,60,61,62,63\n\txxlxor \\n,\\n,\\n\n\t.endr" ::
			: "memory", "fr0", "fr1", "v0", "v1");
	asm volatile("mtfsb1 25");
}

/* VSR n of a context; n >= 32 are the vector registers. */
static void context_vsr(const ucontext_t *uc, int n, u64 value[2])
{
	const u64 *area = (const u64 *)((const char *)uc + 896);

	if (n < 32) {
		memcpy(&value[0], &uc->uc_mcontext.fp_regs[n], 8);
		value[1] = area[2 * 34 + n];
	} else {
		value[1] = area[2 * (n - 32)];
		value[0] = area[2 * (n - 32) + 1];
	}
}

static void check_registers(const char *when)
{
	int bad = 0;

	for (int i = 14; i < 32; i++)
		bad += before.gpr[i] != after.gpr[i];
	ok(!bad, "%s: general registers are the same", when);
	is(after.cr & ~0xf0000000, before.cr & ~0xf0000000, "CR1 to CR7");
	/* A system call leaves nothing in these. */
	is(after.ctr, 0, "CTR is cleared");
	is(after.xer, 0, "XER too");
	bad = 0;
	for (int i = 0; i < 64; i++) {
		if (before.vsr[i][0] == after.vsr[i][0] && before.vsr[i][1] == after.vsr[i][1])
			continue;
		printf("#   vs%d: %016llx %016llx\n", i, (unsigned long long)after.vsr[i][0],
		       (unsigned long long)after.vsr[i][1]);
		bad++;
	}
	/* VSR 0 was used for mffs only after it was stored. */
	ok(!bad, "%s: all vector-scalar registers are the same", when);
	is(after.fpscr & 0xff, before.fpscr & 0xff, "FPSCR");
}

static void registers(void)
{
	int bad = 0;

	fill(&before);
	inner = destroy;
	kill_with_registers(&before, &after, getpid(), syscall(SYS_gettid), SIGUSR1);
	inner = NULL;
	check_registers("after a handler that uses FP, VMX and VSX");
	for (int i = 14; i < 32; i++)
		bad += copy.uc_mcontext.GPR(i) != before.gpr[i];
	ok(!bad, "gp_regs hold r14 to r31");
	is(copy.uc_mcontext.GPR(35), 0, "gp_regs[35], CTR");
	is(copy.uc_mcontext.GPR(37), 0, "gp_regs[37], XER");
	is(copy.uc_mcontext.GPR(38) & 0x0fffffff, before.cr & 0x0fffffff, "gp_regs[38] is CR");
	bad = 0;
	for (int i = 0; i < 64; i++) {
		u64 value[2];

		context_vsr(&copy, i, value);
		if (value[0] == before.vsr[i][0] && value[1] == before.vsr[i][1])
			continue;
		printf("#   vs%d: %016llx %016llx\n", i, (unsigned long long)value[0],
		       (unsigned long long)value[1]);
		bad++;
	}
	ok(!bad, "fp_regs and the vector area hold all 64 vector-scalar registers");
	is(copy.uc_mcontext.GPR(33) & (MSR_VEC | MSR_VSX), MSR_VEC | MSR_VSX,
	   "MSR says that the areas are valid");
}

/* What the handler writes into the context becomes true. */
static void edit(ucontext_t *uc)
{
	u64 *area = (u64 *)uc->uc_mcontext.v_regs;
	double d = 2.5;

	uc->uc_mcontext.GPR(14) = 0x1414;
	uc->uc_mcontext.GPR(35) = 0x3535;
	uc->uc_mcontext.GPR(38) = (uc->uc_mcontext.GPR(38) & 0xf0000000) | 0x08421842;
	memcpy(&uc->uc_mcontext.fp_regs[5], &d, 8);
	area[2 * 3] = 0x3333;
	area[2 * 3 + 1] = 0x4444;
	area[2 * 34 + 7] = 0x7777;
}

static void editing(void)
{
	double d = 2.5;

	fill(&before);
	inner = edit;
	kill_with_registers(&before, &after, getpid(), syscall(SYS_gettid), SIGUSR1);
	inner = NULL;
	is(after.gpr[14], 0x1414, "an edited general register arrives");
	is(after.ctr, 0x3535, "an edited CTR");
	is(after.cr & 0x0fffffff, 0x08421842, "an edited CR");
	ok(!memcmp(&after.vsr[5][0], &d, 8), "an edited FPR");
	is(after.vsr[35][1], 0x3333, "an edited VR, low half");
	is(after.vsr[35][0], 0x4444, "an edited VR, high half");
	is(after.vsr[7][1], 0x7777, "an edited low half of a VSR");
}

/* Where a fault interrupts, every register is in the frame and comes back. */
static void at_fault(int signo, siginfo_t *si, void *context)
{
	ucontext_t *uc = context;

	memcpy(&whole, uc, sizeof(whole));
	uc->uc_mcontext.GPR(32) += 4;
}

static void faults(void)
{
	struct sigaction action = {.sa_sigaction = at_fault, .sa_flags = SA_SIGINFO};
	u64 out[8] = {0};
	u64 *p = out;

	sigaction(SIGTRAP, &action, NULL);
	asm volatile("li 0,100\n\tli 4,104\n\tli 9,109\n\tli 11,111\n\tli 12,112\n\t"
		     "mtctr 9\n\tlis 10,-8192\n\tmtxer 10\n\tmtcr 12\n\ttrap\n\t"
		     "std 0,0(%0)\n\tstd 4,8(%0)\n\tstd 9,16(%0)\n\tstd 11,24(%0)\n\t"
		     "std 12,32(%0)\n\tmfctr 0\n\tstd 0,40(%0)\n\tmfxer 0\n\tstd 0,48(%0)\n\t"
		     "mfcr 0\n\tstd 0,56(%0)"
		     : "+b"(p)
		     :
		     : "r0", "r4", "r9", "r10", "r11", "r12", "ctr", "cr0", "cr1", "cr2", "cr3",
		       "cr4", "cr5", "cr6", "cr7", "xer", "memory");
	is(copy.uc_mcontext.GPR(0), 100, "at a fault: r0 in the frame");
	is(copy.uc_mcontext.GPR(12), 112, "r12");
	is(copy.uc_mcontext.GPR(35), 109, "CTR");
	is(copy.uc_mcontext.GPR(37), 0xe0000000, "XER");
	is(copy.uc_mcontext.GPR(38), 112, "CR");
	is(copy.uc_mcontext.GPR(40) & ~1ull, 0x700, "trap is a program interrupt");
	ok(out[0] == 100 && out[1] == 104 && out[2] == 109 && out[3] == 111 && out[4] == 112,
	   "general registers afterwards");
	is(out[5], 109, "CTR afterwards");
	is(out[6], 0xe0000000, "XER afterwards");
	is(out[7], 112, "CR afterwards");
}

/* interrupt_64.S: a system call leaves zeros in the volatile registers. */
static void volatile_registers(void)
{
	u64 out[12];
	u64 *p = out;

	asm volatile("li 0,20\n\tli 4,4\n\tli 5,5\n\tli 6,6\n\tli 7,7\n\tli 8,8\n\tli 9,9\n\t"
		     "li 10,10\n\tli 11,11\n\tli 12,12\n\tmtctr 9\n\tmtlr 8\n\tsc\n\t"
		     "std 0,0(%0)\n\tstd 4,8(%0)\n\tstd 5,16(%0)\n\tstd 6,24(%0)\n\t"
		     "std 7,32(%0)\n\tstd 8,40(%0)\n\tstd 9,48(%0)\n\tstd 10,56(%0)\n\t"
		     "std 11,64(%0)\n\tstd 12,72(%0)\n\tmfctr 0\n\tstd 0,80(%0)\n\t"
		     "mflr 0\n\tstd 0,88(%0)"
		     : "+b"(p)
		     :
		     : "r0", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "ctr",
		       "lr", "cr0", "xer", "memory");
	for (int i = 0; i < 11; i++)
		if (out[i])
			printf("#   %d: %llx\n", i, (unsigned long long)out[i]);
	ok(!(out[0] | out[1] | out[2] | out[3] | out[4] | out[5] | out[6] | out[7] | out[8] |
	     out[9]),
	   "after a system call r0 and r4 to r12 are 0");
	is(out[10], 0, "CTR is 0");
	is(out[11], 8, "LR is kept");
}

/* Frames that the kernel must refuse. */
static u64 garbage_pc;
static void other(int signo)
{
	_exit(signo == SIGSEGV ? 42 : 43);
}

static void break_ts(ucontext_t *uc)
{
	uc->uc_mcontext.GPR(33) |= MSR_TS;
}

static void break_vregs(ucontext_t *uc)
{
	uc->uc_mcontext.v_regs = (void *)0x8000000000000000;
}

static void break_stack(ucontext_t *uc)
{
	asm volatile("li 1,16\n\tli 0,172\n\tsc");
}

static void clear_areas(ucontext_t *uc)
{
	uc->uc_mcontext.GPR(33) &= ~(MSR_VEC | MSR_VSX);
}

static int status_of(void (*function)(ucontext_t *))
{
	int status = -1;
	pid_t child = fork();

	if (!child) {
		signal(SIGSEGV, other);
		inner = function;
		deliver();
		_exit(44);
	}
	if (child < 0)
		return -1;
	syscall(SYS_wait4, child, &status, 0, NULL);
	return status >> 8;
}

static void garbage(void)
{
	is(status_of(break_ts), 42, "reserved transaction state: SIGSEGV");
	is(status_of(break_vregs), 42, "vector area outside user space: SIGSEGV");
	(void)garbage_pc;
	fill(&before);
	inner = clear_areas;
	kill_with_registers(&before, &after, getpid(), syscall(SYS_gettid), SIGUSR1);
	inner = NULL;
	is(after.vsr[40][0], 0, "without MSR[VEC] in the frame vector registers become 0");
	is(after.vsr[9][0], before.vsr[9][0], "FPRs do not");
	is(after.vsr[9][1], 0, "without MSR[VSX] their low halves do");
	is(status_of(break_stack), 0, "sigreturn from nowhere kills: no exit status");
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = (void (*)(int, siginfo_t *, void *))entry,
				   .sa_flags = SA_SIGINFO};

	setvbuf(stdout, NULL, _IOLBF, 0);
	sigaction(SIGUSR1, &action, NULL);
	is(getauxval(51), 4224, "AT_MINSIGSTKSZ is 4224");
	layout();
	registers();
	editing();
	faults();
	volatile_registers();
	garbage();
	return tap_end();
}
