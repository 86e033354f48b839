// SPDX-License-Identifier: MIT
/*
 * Interrupts in transactions: arch/powerpc/kernel/traps.c and its kind, and which registers a
 * transaction that the kernel has taken off the CPU gets back.
 */
#define _GNU_SOURCE
#include "transaction.h"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define GP(uc) ((u64 *)(uc)->uc_mcontext.gp_regs)

static volatile int caught, caught_code;
static volatile u64 caught_address, caught_nip, caught_state;

/* In S what is wrong is stepped over; in T the failure path is taken anyhow. */
static void handler(int signo, siginfo_t *info, void *context)
{
	ucontext_t *uc = context, *live = uc->uc_link ? uc->uc_link : uc;

	caught = signo;
	caught_code = info->si_code;
	caught_address = (u64)info->si_addr;
	caught_nip = GP(live)[NIP];
	caught_state = GP(uc)[MSR] & MSR_TS;
	GP(live)[NIP] += 4;
}

static void handle(int signo)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};

	sigaction(signo, &action, NULL);
}

/*
 * An instruction in T, in S or outside, and what became of the transaction: its failure code, or 0
 * if it was committed, or if there was none.
 */
#define IN_T(instruction, ...) WITH("", "", instruction, __VA_ARGS__)
#define IN_S(instruction, ...) WITH("tsuspend.\n\t", "tresume.\n\t", instruction, __VA_ARGS__)
#define WITH(before, after, instruction, ...)                                                      \
	({                                                                                         \
		u64 failed;                                                                        \
		caught = 0;                                                                        \
		asm volatile("tbegin.\n\t"                                                         \
			     "beq 1f\n\t" before instruction "\n\t" after "tend.\n\t"              \
			     "li %0,0\n\t"                                                         \
			     "b 2f\n"                                                              \
			     "1:	mfspr %0,130\n"                                                   \
			     "2:"                                                                  \
			     : "=&b"(failed)                                                       \
			     : __VA_ARGS__                                                         \
			     : "cr0", "ctr", "xer", "r9", "r31", "memory", "vs0", "vs32");         \
		failed >> 56;                                                                      \
	})

#define OUTSIDE(instruction)                                                                       \
	({                                                                                         \
		caught = 0;                                                                        \
		asm volatile(instruction ::: "cr0", "r8", "r9", "memory");                         \
	})

/* --- alignment ------------------------------------------------------------------------------- */

static u64 words[8] __attribute__((aligned(128)));

/* lmw 31,0(9), which the assembler does not take for little-endian code. */
#define LMW_R31 "mr 9,%1\n\t.long 0xbbe90000"

static void test_alignment(void)
{
	char *odd = (char *)words + 1;

	handle(SIGBUS);
	/* lmw is one that Linux emulates for a little-endian program. */
	is(IN_T(LMW_R31, "b"(odd)), CODE_ALIGNMENT,
	   "an alignment interrupt in T fails it for "
	   "good");
	is(caught, 0, "without SIGBUS");
	words[0] = 0x1122334455667788;
	u64 got = 0;

	asm volatile("tbegin.\n\tbeq 1f\n\ttsuspend.\n\t" LMW_R31
		     "\n\tmr %0,31\n\ttresume.\n\ttend.\n1:"
		     : "+&r"(got)
		     : "b"(odd)
		     : "r9", "r31", "cr0", "memory");
	is(got, 0x44556677, "in S it is emulated");
	is(caught, 0, "and nobody told");
	/* No kernel helps here. */
	is(IN_T("ldarx 9,0,%1", "b"(odd)), CODE_ALIGNMENT, "a larx that is not aligned, in T");
	is(caught, 0, "without SIGBUS");
	is(IN_S("ldarx 9,0,%1", "b"(odd)), CODE_SIGNAL, "the same in S fails by the signal");
	is(caught, SIGBUS, "SIGBUS");
	is(caught_address, (u64)odd, "with the address");
}

/* --- program --------------------------------------------------------------------------------- */

static void expect_ill(u64 result, int code_wanted, u64 ts, const char *what)
{
	ok(caught == SIGILL && caught_code == code_wanted && caught_state == ts &&
		   result == (ts ? CODE_SIGNAL : 0),
	   "%s", what);
	if (caught_code != code_wanted || caught_state != ts)
		printf("#   signal %d code %d state 0x%llx, failure 0x%llx\n", caught, caught_code,
		       (unsigned long long)caught_state, (unsigned long long)result);
}

static void test_program(void)
{
	handle(SIGILL);
	expect_ill(IN_S("tend.", "b"(0)), ILL_ILLOPN, MSR_TS_S, "tend. in S: a TM Bad Thing");
	expect_ill(IN_T("mtspr 130,%1", "b"(0)), ILL_ILLOPN, MSR_TS_T, "mtspr TEXASR in T");
	expect_ill(IN_S("mtspr 130,%1", "b"(0)), ILL_ILLOPN, MSR_TS_S, "mtspr TEXASR in S");
	expect_ill(IN_S("mtspr 129,%1", "b"(0)), ILL_ILLOPN, MSR_TS_S, "mtspr TFIAR in S");
	expect_ill(IN_T("mtspr 128,%1", "b"(0)), ILL_ILLOPN, MSR_TS_T, "mtspr TFHAR in T");
	expect_ill(IN_T(".long 0x00000000", "b"(0)), ILL_ILLOPC, MSR_TS_T, "no instruction, in T");
	OUTSIDE("treclaim. 9");
	expect_ill(0, ILL_PRVOPC, 0, "treclaim. outside");
	OUTSIDE("trechkpt.");
	expect_ill(0, ILL_PRVOPC, 0, "trechkpt. outside");
	expect_ill(IN_S("treclaim. 9", "b"(0)), ILL_PRVOPC, MSR_TS_S, "treclaim. in S");
	expect_ill(IN_S("trechkpt.", "b"(0)), ILL_PRVOPC, MSR_TS_S, "trechkpt. in S");
}

/* --- storage --------------------------------------------------------------------------------- */

static void test_storage(void)
{
	volatile char *page =
		mmap(NULL, 4 * 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	u64 failed;
	int tries;

	handle(SIGSEGV);
	mprotect((void *)page, 65536, PROT_NONE);
	is(IN_T("ld 9,8(%1)", "b"(page)), CODE_SIGNAL, "SIGSEGV in T");
	is(caught, SIGSEGV, "comes");
	is(caught_address, (u64)page + 8, "with the address");
	is(caught_state, MSR_TS_T, "in T");
	is(IN_S("ld 9,8(%1)", "b"(page)), CODE_SIGNAL, "SIGSEGV in S");
	is(caught_state, MSR_TS_S, "comes in S");
	mprotect((void *)page, 65536, PROT_READ);
	is(IN_T("std 9,16(%1)", "b"(page)), CODE_SIGNAL, "a store to a page that is read-only");
	is(caught_address, (u64)page + 16, "SIGSEGV has the address");
	/* Pages that come into being do no harm (unless somebody sleeps for them). */
	for (tries = 0; tries < 10; tries++) {
		failed = IN_T("std 9,0(%1)", "b"(page + (1 + tries % 3) * 65536 + 4096 * tries));
		if (!failed)
			break;
	}
	is(failed, 0, "a transaction may touch fresh pages");
}

/* --- facilities ------------------------------------------------------------------------------ */

static void test_facilities(void)
{
	u64 value;

	/* The C library has used them long ago; a switch to another task does not turn them off. */
	is(IN_T("fadd 0,0,0", "b"(0)), 0, "FP in T while it is on");
	is(IN_T("vaddcuw 0,0,0", "b"(0)), 0, "VMX in T while it is on");
	is(IN_T("xxlxor 0,0,0", "b"(0)), 0, "VSX in T while both are on (restore_math())");
	/* The DSCR by its privileged number is emulated in any state. */
	asm volatile("mfspr %0,3" : "=r"(value));
	is(IN_T("mfspr 9,17", "b"(0)), 0, "mfspr DSCR, privileged number, in T");
	is(value, 0, "DSCR");
}

/* --- registers that belong to the checkpoint -------------------------------------------------- */

/* Two processes on one CPU take turns. */
static void share_cpu(pid_t *other)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	*other = fork();
	if (!*other)
		for (;;)
			sched_yield();
}

/*
 * A register has one value before the transaction, one in T and one in S, where the thread waits
 * until it was switched. What it has in S afterwards, and on the failure path.
 */
#define SWITCHED(name, spr, before, in_t, in_s, mask)                                              \
	do {                                                                                       \
		u64 live, after, failed;                                                           \
		asm volatile("mtspr " #spr ",%3\n\t"                                               \
			     "tbegin.\n\t"                                                         \
			     "beq 1f\n\t"                                                          \
			     "mtspr " #spr ",%4\n\t"                                               \
			     "tsuspend.\n\t"                                                       \
			     "mtspr " #spr ",%5\n"                                                 \
			     "2:	tcheck 7\n\t"                                                     \
			     "bf 28,2b\n\t"                                                        \
			     "mfspr %0," #spr "\n\t"                                               \
			     "std %0,0(%6)\n\t"                                                    \
			     "tresume.\n\t"                                                        \
			     "trap\n"                                                              \
			     "1:	mfspr %1," #spr "\n\t"                                     \
			     "ld %0,0(%6)\n\t"                                                     \
			     "mfspr %2,130"                                                        \
			     : "=&r"(live), "=&r"(after), "=&r"(failed)                            \
			     : "r"(before), "r"(in_t), "r"(in_s), "b"(words)                       \
			     : "cr0", "cr7", "memory");                                            \
		is(live &(mask), (in_s) & (mask), name " in S after a switch");                    \
		is(after &(mask), (before) & (mask), name " on the failure path");                 \
		is(failed >> 56, CODE_RESCHEDULE, "the switch was the reason");                    \
	} while (0)

static void test_switched(void)
{
	pid_t other;

	share_cpu(&other);
	SWITCHED("TAR", 815, 0x100ul, 0x200ul, 0x300ul, ~0ul);
	SWITCHED("DSCR", 3, 1ul, 2ul, 3ul, ~0ul);
	SWITCHED("VRSAVE", 256, 0x11ul, 0x22ul, 0x33ul, 0xfffffffful);
	SWITCHED("PPR", 896, 2ul << 50, 3ul << 50, 4ul << 50, 7ul << 50);
	kill(other, SIGKILL);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	test_alignment();
	test_program();
	test_storage();
	test_facilities();
	test_switched();
	return tap_end();
}
