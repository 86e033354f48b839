// SPDX-License-Identifier: MIT
/*
 * The instructions of the facility as a program sees them: CR0, TEXASR, TFHAR and TFIAR, nesting,
 * conditions of the conditional aborts, forms with reserved bits, what a failure gives back.
 * Power ISA 2.07B Book II 5.
 */
#define _GNU_SOURCE
#include "transaction.h"
#include "texasr.h"

#include <signal.h>
#include <string.h>
#include <ucontext.h>

/* --- CR0 ------------------------------------------------------------------------------------- */

/* Append CR0 to r10, then set it to what no instruction of the facility leaves. */
#define NOTE "mfcr 9\n\trlwinm 9,9,4,28,31\n\tsldi 10,10,4\n\tor 10,10,9\n\tmtcrf 0x80,8\n\t"

static const struct {
	const char *name;
	unsigned cr0;
} steps[16] = {
	{"tbegin. outside", 0},	   {"tbegin. in T", 4},	    {"nested tend.", 4},
	{"tsuspend. in T", 4},	   {"tsuspend. in S", 2},   {"tbegin. in S", 2},
	{"tabortwci. 0 in S", 2},  {"tresume. in S", 2},    {"tresume. in T", 4},
	{"tabortwci. 0 in T", 4},  {"tend. in T", 4},	    {"tend. outside", 0},
	{"tsuspend. outside", 0},  {"tresume. outside", 0}, {"tabort. outside", 0},
	{"tabortwci. outside", 0},
};

/* An emulation of TM in KVM had CR0 wrong: it is 0, MSR[TS] before the instruction, 0. */
static void test_cr0(void)
{
	u64 seen = 0;

	for (int i = 0; i < 100 && !seen; i++)
		asm volatile("li 10,0\n\tlis 8,-4096\n\tmtcrf 0x80,8\n\t"
			     "tbegin.\n\tbeq 1f\n\t" NOTE "tbegin.\n\t" NOTE "tend.\n\t" NOTE
			     "tsuspend.\n\t" NOTE "tsuspend.\n\t" NOTE "tbegin.\n\t" NOTE
			     "tabortwci. 0,1,0\n\t" NOTE "tresume.\n\t" NOTE "tresume.\n\t" NOTE
			     "tabortwci. 0,1,0\n\t" NOTE "tend.\n\t" NOTE "tend.\n\t" NOTE
			     "tsuspend.\n\t" NOTE "tresume.\n\t" NOTE "tabort. 9\n\t" NOTE
			     "tabortwci. 31,1,0\n\t" NOTE "mr %0,10\n1:"
			     : "+r"(seen)
			     :
			     : "cr0", "r8", "r9", "r10");
	for (int i = 0; i < 16; i++)
		is(seen >> (60 - 4 * i) & 15, steps[i].cr0, steps[i].name);
}

/* --- tbegin. --------------------------------------------------------------------------------- */

static void test_begin(void)
{
	u64 in[4] = {0}, where = 0, handler = 0;

	asm volatile("1:	tbegin.\n\tbeq 1b\n\t"
		     "mfspr 8,130\n\tmfspr 7,128\n\t"
		     "tbegin.\n\tmfspr 9,130\n\tmfspr 6,128\n\ttend.\n\tmfspr 10,130\n\ttend.\n\t"
		     "std 8,0(%2)\n\tstd 9,8(%2)\n\tstd 10,16(%2)\n\tstd 6,24(%2)\n\t"
		     "mr %1,7\n\tbcl 20,31,2f\n2:	mflr %0\n\taddi %0,%0,1b-2b+4"
		     : "=&r"(where), "=&r"(handler)
		     : "b"(in)
		     : "cr0", "lr", "r6", "r7", "r8", "r9", "r10", "memory");
	is(in[0], 1, "TEXASR behind tbegin.: level 1 and nothing else");
	is(handler, where, "TFHAR is the instruction behind it");
	is(in[1], 2, "a nested one: level 2");
	is(in[3], handler, "TFHAR stays");
	is(in[2], 1, "and level 1 behind its tend.");

	asm volatile("1:	tbegin. 1\n\tbeq 1b\n\tmfspr %0,130\n\ttbegin.\n\tmfspr %1,130\n\t"
		     "tendall.\n\ttcheck 7\n\tmfcr %2"
		     : "=&r"(in[0]), "=&r"(in[1]), "=&r"(in[2])
		     :
		     : "cr0", "cr7");
	is(in[0], TEXASR_ROT | 1, "tbegin. 1: rollback-only");
	is(in[1], 2, "a normal one inside makes it normal");
	is(in[2] & 6, 0, "tendall. ends all levels");
}

/* --- tabort. --------------------------------------------------------------------------------- */

struct failed {
	u64 texasr, tfiar, cr, r14, where;
};

/* Abort with @code at level 2 in T, or at level 1 in S; what the failure path finds. */
static struct failed abort_with(u64 code, int suspend)
{
	struct failed f = {0};

	for (int i = 0; i < 100; i++) {
		asm volatile("bcl 20,31,2f\n2:	mflr %4\n\taddi %4,%4,3f-2b\n\t"
			     "li 14,77\n\tcmpdi 1,%6,0\n\t"
			     "tbegin.\n\tbeq 1f\n\tli 14,78\n\t"
			     "beq 1,4f\n\ttsuspend.\n\tb 3f\n4:	tbegin.\n"
			     "3:	tabort. %5\n\tli 14,79\n\ttresume.\n\tli 14,80\n\ttend.\n"
			     "1:	mfcr %2\n\tmfspr %0,130\n\tmfspr %1,129\n\tmr %3,14"
			     : "=&r"(f.texasr), "=&r"(f.tfiar), "=&r"(f.cr), "=&r"(f.r14),
			       "=&b"(f.where)
			     : "b"(code), "r"((long)suspend)
			     : "cr0", "cr1", "lr", "r14");
		if (f.texasr & TEXASR_ABORT)
			break;
	}
	return f;
}

static void test_abort(void)
{
	struct failed f = abort_with(0xd8, 0);

	is(f.texasr, 0xd8ull << 56 | TEXASR_ABORT | TEXASR_PR | TEXASR_FS | TEXASR_EXACT | 2,
	   "tabort. in T, level 2: TEXASR");
	is(f.tfiar, f.where | 1, "TFIAR: its address, and problem state");
	is(f.cr >> 28, 10, "CR0 on the failure path");
	is(f.r14, 77, "registers are those of tbegin.");

	f = abort_with(0xd9, 1);
	is(f.texasr,
	   0xd9ull << 56 | TEXASR_ABORT | TEXASR_SUSPENDED | TEXASR_PR | TEXASR_FS | TEXASR_EXACT |
		   1,
	   "tabort. in S: TEXASR");
	is(f.tfiar, f.where | 1, "TFIAR");
	is(f.cr >> 28, 10, "CR0 on the failure path, behind tresume.");
	is(f.r14, 77, "registers are those of tbegin.");

	f = abort_with(0x12345601, 0);
	is(f.texasr >> 56, 1, "the code is the low byte of the register (18173559a2)");
	ok((f.texasr & TEXASR_PERSISTENT) != 0, "an odd code means persistent");
}

/* r0 in the field of tabort. is 0, whatever r0 holds: codes got lost so. */
static void test_abort_r0(void)
{
	u64 texasr = 0;

	for (int i = 0; i < 100 && !(texasr & TEXASR_ABORT); i++)
		asm volatile("li 0,0x31\n\ttbegin.\n\tbeq 1f\n\ttabort. 0\n1:	mfspr %0,130"
			     : "=r"(texasr)
			     :
			     : "cr0", "r0");
	is(texasr >> 32, 1, "tabort. 0 has code 0, not that of r0 (18173559a2)");
}

/* The first failure is what TEXASR tells. */
static void test_first_wins(void)
{
	u64 texasr = 0, cr = 0;

	for (int i = 0; i < 100 && texasr >> 56 != 0x10; i++)
		asm volatile("li 8,0x10\n\tli 9,0x20\n\ttbegin.\n\tbeq 1f\n\ttsuspend.\n\t"
			     "tabort. 8\n\ttcheck 7\n\tmfcr %1\n\tstd %1,0(%2)\n\ttabort. 9\n\t"
			     "tresume.\n\ttend.\n1:	ld %1,0(%2)\n\tmfspr %0,130"
			     : "=&r"(texasr), "=&r"(cr)
			     : "b"(&cr)
			     : "cr0", "cr7", "r8", "r9", "memory");
	is(texasr >> 56, 0x10, "a second tabort. in S changes nothing");
	is(cr & 15, 10, "tcheck: doomed, S");
}

/* --- conditions ------------------------------------------------------------------------------ */

#define TAKEN(instruction, a, b)                                                                   \
	({                                                                                         \
		u64 texasr_ = 0, committed_ = 0;                                                   \
		for (int i_ = 0; i_ < 100 && !committed_ && !(texasr_ & TEXASR_ABORT); i_++)       \
			asm volatile("mr 8,%2\n\tmr 9,%3\n\tli %1,0\n\ttbegin.\n\tbeq "            \
				     "1f\n\t" instruction                                          \
				     "\n\ttend.\n\tli %1,1\n1:	mfspr %0,130"                       \
				     : "=&r"(texasr_), "=&r"(committed_)                           \
				     : "r"((u64)(a)), "r"((u64)(b))                                \
				     : "cr0", "r8", "r9");                                         \
		committed_ ? 0 : texasr_ >> 32 == 1 ? 1 : 2;                                       \
	})

static void test_conditions(void)
{
	is(TAKEN("tabortwci. 4,8,-1", 0x00000001ffffffff, 0), 1, "tabortwci. compares low words");
	is(TAKEN("tabortdci. 4,8,-1", 0x00000001ffffffff, 0), 0, "tabortdci. doublewords");
	is(TAKEN("tabortdci. 4,8,7", 7, 0), 1, "tabortdci. equal: code 0, abort bit");
	is(TAKEN("tabortwc. 16,8,9", 0xffffffff, 1), 1, "tabortwc. less, signed");
	is(TAKEN("tabortwc. 2,8,9", 0xffffffff, 1), 0, "tabortwc. less, unsigned: not");
	is(TAKEN("tabortwc. 1,8,9", 0xffffffff, 1), 1, "tabortwc. greater, unsigned");
	is(TAKEN("tabortdc. 16,8,9", 0xffffffff, 1), 0, "tabortdc. less, signed: not");
	is(TAKEN("tabortdc. 8,8,9", 0xffffffff, 1), 1, "tabortdc. greater");
	is(TAKEN("tabortdci. 16,8,-16", -17, 0), 1, "tabortdci. sign of the operand");
	is(TAKEN("tabortwci. 0,8,0", 0, 0), 0, "no condition: never");
}

/* --- nesting --------------------------------------------------------------------------------- */

/* @n times tbegin., then the end of all. Returns TEXASR if that failed, 0 if not. */
static u64 nest(u64 n, u64 *level, u64 *at)
{
	u64 texasr, tfiar;

	asm volatile("bcl 20,31,2f\n2:	mflr %2\n\taddi %2,%2,3f-2b\n\t"
		     "li 10,0\n\tmtctr %4\n\ttbegin.\n\tbeq 1f\n\tbdz 4f\n"
		     "3:	tbegin.\n\tbdnz 3b\n"
		     "4:	mfspr 9,130\n\ttendall.\n\tmr %1,9\n\tli %0,0\n\tb 5f\n"
		     "1:	mfspr %0,130\n\tmfspr %3,129\n\tli %1,0\n5:"
		     : "=&b"(texasr), "=&r"(*level), "=&b"(*at), "=&r"(tfiar)
		     : "r"(n)
		     : "cr0", "ctr", "lr", "r9", "r10");
	*at = texasr ? tfiar ^ *at : 0;
	return texasr;
}

#define DEEPEST 62

static void test_nesting(void)
{
	u64 texasr = 1, level = 0, at = 0;

	for (int i = 0; i < 100 && texasr; i++)
		texasr = nest(DEEPEST, &level, &at);
	is(texasr, 0, "as many levels as there are");
	is(level & 0xfff, DEEPEST, "TEXASR counts them");
	for (int i = 0; i < 100 && !(texasr & TEXASR_NESTING); i++)
		texasr = nest(DEEPEST + 1, &level, &at);
	is(texasr,
	   TEXASR_PERSISTENT | TEXASR_NESTING | TEXASR_PR | TEXASR_FS | TEXASR_EXACT | DEEPEST,
	   "one more: nesting overflow, persistent, exact");
	is(at, 1, "TFIAR is the tbegin. that was too much");
}

/* --- SPRs ------------------------------------------------------------------------------------ */

static void test_sprs(void)
{
	u64 value, path = 0, upper;

	asm volatile("mtspr 128,%1\n\tmfspr %0,128" : "=r"(value) : "r"(0x1003ul));
	is(value, 0x1000, "the low bits of TFHAR are 0");
	asm volatile("mtspr 129,%1\n\tmfspr %0,129" : "=r"(value) : "r"(0x2001ul));
	is(value, 0x2001, "TFIAR can be read back if its privilege is the program's");
	asm volatile("mtspr 130,%2\n\tmfspr %0,130\n\tmfspr %1,131"
		     : "=r"(value), "=r"(upper)
		     : "r"(0xd900000108000000ul));
	is(value, 0xd900000108000000, "TEXASR outside a transaction");
	is(upper, 0xd9000001, "TEXASRU is its upper half");
	/* In S the failure path may be moved. */
	for (int i = 0; i < 100 && !path; i++)
		asm volatile("bcl 20,31,2f\n2:	mflr 9\n\taddi 9,9,3f-2b\n\tli %0,0\n\t"
			     "tbegin.\n\tbeq 1f\n\ttsuspend.\n\tmtspr 128,9\n\ttabort. 9\n\t"
			     "tresume.\n\tb 1f\n3:	li %0,1\n1:"
			     : "=&r"(path)
			     :
			     : "cr0", "lr", "r9");
	is(path, 1, "mtspr TFHAR in S moves the failure path");
}

/* A failure that the kernel caused: who reads TFIAR in problem state gets 0. */
static void test_privileged_tfiar(void)
{
	u64 texasr = 0, tfiar = 1;

	for (int i = 0; i < 100 && texasr >> 56 != CODE_SYSCALL; i++)
		asm volatile(
			"li 0,20\n\ttbegin.\n\tbeq 1f\n\tsc\n1:	mfspr %0,130\n\tmfspr %1,129"
			: "=r"(texasr), "=r"(tfiar)
			:
			: "cr0", "r0", "r3", "memory");
	is(texasr & ~0x20000000ull,
	   0xd9ull << 56 | TEXASR_ABORT | TEXASR_SUSPENDED | TEXASR_FS | TEXASR_EXACT | 1,
	   "a system call in T: TEXASR tells of the kernel");
	is(tfiar, 0, "whose TFIAR reads as 0");
}

/* --- forms with reserved bits ---------------------------------------------------------------- */

static volatile int caught, caught_code;

static void step_over(int signo, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	caught = signo;
	caught_code = info->si_code;
	uc->uc_mcontext.gp_regs[NIP] += 4;
}

static void test_invalid_forms(void)
{
	struct sigaction action = {.sa_sigaction = step_over, .sa_flags = SA_SIGINFO};
	u64 cr;

	sigaction(SIGILL, &action, NULL);
	caught = 0;
	asm volatile("lis 8,-4096\n\tmtcrf 0x80,8\n\t.long 0x7cfe9ddc\n\tmfcr %0"
		     : "=r"(cr)
		     :
		     : "cr0", "r8");
	ok(!caught && cr >> 28 == 0, "bit 31 of tresume. does not matter (KVM, 0x7cfe9ddc)");
	asm volatile(".long 0x7c00075c" ::: "cr0");
	ok(caught == SIGILL && caught_code == ILL_PRVOPC, "treclaim. without it: privileged");
	caught = 0;
	asm volatile(".long 0x7c0007dc" ::: "cr0");
	ok(caught == SIGILL && caught_code == ILL_PRVOPC, "trechkpt. without it: privileged");
}

/* --- registers ------------------------------------------------------------------------------- */

/* Special registers with a value before, another inside, and what each is after a failure. */
static void test_registers(void)
{
	static u64 vscr[2][2] __attribute__((aligned(16))) = {{0x10000, 0}, {1, 0}};
	static u64 vscr_after[2] __attribute__((aligned(16)));
	u64 xer, fpscr, vrsave, cr, texasr = 0, vs0;
	double out;

	for (int i = 0; i < 100 && texasr >> 56 != 0x42; i++)
		asm volatile(
			"lis 8,-16384\n\tmtxer 8\n\tmtfsfi 7,1\n\tli 8,0x77\n\tmtspr 256,8\n\t"
			"lvx 0,0,%6\n\tmtvscr 0\n\tlis 8,0x0123\n\tori 8,8,0x4567\n\tmtcr 8\n\t"
			"li 9,0x42\n\tmtvsrd 0,9\n\t"
			"tbegin.\n\tbeq 1f\n\t"
			"li 8,0\n\tmtxer 8\n\tmtfsfi 7,2\n\tmtspr 256,8\n\tmtcr 8\n\t"
			"addi 10,%6,16\n\tlvx 0,0,10\n\tmtvscr 0\n\tmtvsrd 0,8\n\t"
			"tabort. 9\n"
			"1:	mfxer %0\n\tmfspr %1,256\n\tmfcr %2\n\tmfvsrd %3,0\n\t"
			"mffs 1\n\tstfd 1,0(%7)\n\tmfvscr 0\n\tstvx 0,0,%8\n\tmfspr %4,130\n\t"
			"mtfsfi 7,0\n\tmtfsb0 0\n\tld %5,0(%7)"
			: "=&r"(xer), "=&r"(vrsave), "=&r"(cr), "=&r"(vs0), "=&r"(texasr),
			  "=&r"(fpscr)
			: "b"(vscr), "b"(&out), "b"(vscr_after)
			: "cr0", "cr1", "cr2", "cr3", "cr4", "cr5", "cr6", "cr7", "r8", "r9", "r10",
			  "fr0", "fr1", "v0", "xer", "memory");
	is(texasr >> 56, 0x42, "aborted");
	is(xer & 0xffffffff, 0xc0000000, "XER is rolled back");
	is(fpscr & 3, 1, "FPSCR[RN] too");
	is(vrsave & 0xffffffff, 0x77, "VRSAVE");
	is(vs0, 0x42, "vs0 (f48e91e87e67)");
	is(cr & 0x0fffffff, 0x01234567, "CR1 to CR7");
	is(cr >> 28, 10, "but not CR0");
	is(vscr_after[0] & 0xffffffff, 0x10000, "VSCR");
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	test_cr0();
	test_begin();
	test_abort();
	test_abort_r0();
	test_first_wins();
	test_conditions();
	test_nesting();
	test_sprs();
	test_privileged_tfiar();
	test_invalid_forms();
	test_registers();
	return tap_end();
}
