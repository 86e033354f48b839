// SPDX-License-Identifier: MIT
/*
 * The engine as its user sees it: counting, exits, precise state, safepoints, stepping,
 * invalidation. Guest code is written as instruction words into memory below the guest limit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/extable.h"
#include "engine/engine.h"

#define CODE 0x20000000ull
#define DATA 0x20100000ull
#define SIZE 0x10000

#define ADDI(rt, ra, si)  (14u << 26 | (rt) << 21 | (ra) << 16 | ((si) & 0xffff))
#define LD(rt, ds, ra)	  (58u << 26 | (rt) << 21 | (ra) << 16 | ((ds) & 0xfffc))
#define STD(rs, ds, ra)	  (62u << 26 | (rs) << 21 | (ra) << 16 | ((ds) & 0xfffc))
#define STW(rs, d, ra)	  (36u << 26 | (rs) << 21 | (ra) << 16 | ((d) & 0xffff))
#define LDU(rt, ds, ra)	  (58u << 26 | (rt) << 21 | (ra) << 16 | ((ds) & 0xfffc) | 1)
#define MTCTR(rs)	  (31u << 26 | (rs) << 21 | 9 << 16 | 467 << 1)
#define BDNZ(d)		  (16u << 26 | 16 << 21 | ((d) & 0xfffc))
#define B(d)		  (18u << 26 | ((d) & 0x3fffffc))
#define BL(d)		  (B(d) | 1)
#define CMPDI(bf, ra, si) (11u << 26 | (bf) << 23 | 1 << 21 | (ra) << 16 | ((si) & 0xffff))
#define BNE(d)		  (16u << 26 | 4 << 21 | 2 << 16 | ((d) & 0xfffc))
#define BLR		  0x4e800020u
#define SC		  0x44000002u
#define TRAP		  0x7fe00008u
#define ICBI(ra, rb)	  (31u << 26 | (ra) << 16 | (rb) << 11 | 982 << 1)
#define TBEGIN		  0x7c00051du
#define MFSPRG0(rt)	  (31u << 26 | (rt) << 21 | 16 << 16 | 8 << 11 | 339 << 1)

static bool fetch_allowed = true;
static unsigned fetches;

static bool fetch(void *context, u64 page)
{
	fetches++;
	return fetch_allowed && page >= CODE && page < CODE + SIZE;
}

static const struct code_source source = {.fetch = fetch};
static struct cpu cpu;

static void on_fault(int signo, siginfo_t *si, void *uc)
{
	if (!extable_fixup(si, uc)) {
		signal(signo, SIG_DFL);
		raise(signo);
	}
}

/* cmocka takes SIGSEGV for itself before each test. */
static void catch_faults(void)
{
	struct sigaction sa = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};

	sigaction(SIGSEGV, &sa, NULL);
	sigaction(SIGBUS, &sa, NULL);
}

static enum cpu_exit run(void)
{
	catch_faults();
	return cpu_run(&cpu);
}

static enum cpu_exit step(void)
{
	catch_faults();
	return cpu_step(&cpu);
}

static int setup(void **state)
{
	engine_init();
	for (u64 at = CODE; at <= DATA; at += DATA - CODE)
		if (mmap((void *)at, SIZE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != (void *)at)
			return -1;
	return 0;
}

static int each(void **state)
{
	memset((void *)CODE, 0, SIZE);
	memset((void *)DATA, 0, SIZE);
	fetch_allowed = true;
	code_space_destroy(cpu.code);
	cpu_init(&cpu, code_space_create(&source, NULL));
	cpu.pc = CODE;
	return 0;
}

static void put(u64 at, const u32 *words, size_t bytes)
{
	memcpy((void *)at, words, bytes);
}
#define PUT(at, ...) put(at, (const u32[]){__VA_ARGS__}, sizeof((const u32[]){__VA_ARGS__}))

static void runs_and_counts_a_loop(void **state)
{
	PUT(CODE, ADDI(3, 0, 1000), MTCTR(3), ADDI(4, 4, 3), BDNZ(-4), SC);
	assert_int_equal(run(), CPU_EXIT_SYSCALL);
	assert_int_equal(cpu.gpr[4], 3000);
	assert_int_equal(cpu.ctr, 0);
	assert_int_equal(cpu.pc, CODE + 20);
	assert_int_equal(cpu.icount, 2 + 2 * 1000 + 1);
}

static void runs_across_chunks_and_pages(void **state)
{
	for (u64 at = CODE; at < CODE + 0x3000; at += 4)
		PUT(at, ADDI(3, 3, 1));
	PUT(CODE + 0x3000, SC);
	assert_int_equal(run(), CPU_EXIT_SYSCALL);
	assert_int_equal(cpu.gpr[3], 0xc00);
	assert_int_equal(cpu.icount, 0xc01);
}

static void calls_and_returns(void **state)
{
	PUT(CODE, BL(0x2000), BL(0x1ffc), SC);
	PUT(CODE + 0x2000, ADDI(5, 5, 1), BLR);
	assert_int_equal(run(), CPU_EXIT_SYSCALL);
	assert_int_equal(cpu.gpr[5], 2);
	assert_int_equal(cpu.lr, CODE + 8);
	assert_int_equal(cpu.icount, 2 * 3 + 1);
}

static void compare_and_branch(void **state)
{
	/* counts r3 down from 10 through a compare right before the branch */
	PUT(CODE, ADDI(3, 0, 10), ADDI(3, 3, -1), ADDI(4, 4, 1), CMPDI(0, 3, 0), BNE(-12), SC);
	assert_int_equal(run(), CPU_EXIT_SYSCALL);
	assert_int_equal(cpu.gpr[4], 10);
	assert_int_equal(cpu.cr[2], 1);
	assert_int_equal(cpu.icount, 1 + 10 * 4 + 1);
}

static void fault_is_precise(void **state)
{
	cpu.gpr[6] = DATA + SIZE - 8;
	cpu.gpr[7] = 77;
	PUT(CODE, LDU(7, 8, 6), SC);
	assert_int_equal(run(), CPU_EXIT_FAULT);
	assert_int_equal(cpu.pc, CODE);
	assert_int_equal(cpu.exit.address, DATA + SIZE);
	assert_int_equal(cpu.exit.access, ACCESS_READ);
	assert_int_equal(cpu.gpr[6], DATA + SIZE - 8);
	assert_int_equal(cpu.gpr[7], 77);
	assert_int_equal(cpu.icount, 0);
}

static void addresses_above_the_limit_fault(void **state)
{
	static const u64 addresses[] = {GUEST_ADDRESS_LIMIT, GUEST_ADDRESS_LIMIT + 8,
					0x7fffffffe000,	     1ull << 47,
					1ull << 63,	     ~0ull & ~7ull};

	PUT(CODE, STD(7, 0, 6), SC);
	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++) {
		cpu.pc = CODE;
		cpu.gpr[6] = addresses[i];
		assert_int_equal(run(), CPU_EXIT_FAULT);
		assert_int_equal(cpu.exit.address, addresses[i]);
		assert_int_equal(cpu.exit.access, ACCESS_WRITE);
	}
	/* powertm's own memory is above the limit: a guest cannot reach it */
	assert_true((u64)&cpu >= GUEST_ADDRESS_LIMIT);
}

static void fetch_faults(void **state)
{
	cpu.pc = DATA;
	assert_int_equal(run(), CPU_EXIT_FAULT);
	assert_int_equal(cpu.exit.access, ACCESS_FETCH);
	assert_int_equal(cpu.exit.address, DATA);
	cpu.pc = CODE;
	cpu.lr = 1ull << 60;
	PUT(CODE, BLR);
	assert_int_equal(run(), CPU_EXIT_FAULT);
	assert_int_equal(cpu.exit.access, ACCESS_FETCH);
	assert_int_equal(cpu.pc, 1ull << 60);
	assert_int_equal(run(), CPU_EXIT_FAULT);
}

static void program_interrupts(void **state)
{
	PUT(CODE, TRAP, MFSPRG0(3), 0);
	assert_int_equal(run(), CPU_EXIT_PROGRAM);
	assert_int_equal(cpu.exit.program, PROGRAM_TRAP);
	assert_int_equal(cpu.exit.insn, TRAP);
	assert_int_equal(cpu.pc, CODE);
	cpu.pc += 4;
	assert_int_equal(run(), CPU_EXIT_PROGRAM);
	assert_int_equal(cpu.exit.program, PROGRAM_PRIVILEGED);
	cpu.pc += 4;
	assert_int_equal(run(), CPU_EXIT_PROGRAM);
	assert_int_equal(cpu.exit.program, PROGRAM_ILLEGAL);
}

static void facilities_are_off_until_enabled(void **state)
{
	PUT(CODE, TBEGIN, SC);
	assert_int_equal(run(), CPU_EXIT_FACILITY);
	assert_int_equal(cpu.exit.facility, FACILITY_TM);
	assert_int_equal(cpu.pc, CODE);
}

static void *kick_later(void *arg)
{
	usleep(20000);
	cpu_kick(&cpu, 1);
	return NULL;
}

static void endless_loop_stops_when_kicked(void **state)
{
	pthread_t thread;

	PUT(CODE, ADDI(3, 3, 1), B(-4));
	pthread_create(&thread, NULL, kick_later, NULL);
	assert_int_equal(run(), CPU_EXIT_INTERRUPT);
	pthread_join(thread, NULL);
	assert_int_equal(cpu.pc, CODE);
	assert_int_equal(cpu.icount, 2 * cpu.gpr[3]);
	/* and does not start while the word is set */
	u64 before = cpu.icount;
	assert_int_equal(run(), CPU_EXIT_INTERRUPT);
	assert_int_equal(cpu.icount, before);
	cpu.poll = 0;
}

static void stepping(void **state)
{
	PUT(CODE, ADDI(3, 0, 2), MTCTR(3), BDNZ(-4), BL(8), SC, LD(5, 0, 0), SC);
	static const u64 expected[] = {4, 8, 4, 8, 12, 20};

	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		if (i == 3) /* leave the loop: the CTR was reloaded */
			cpu.gpr[3] = 1;
		assert_int_equal(step(), CPU_EXIT_STEP);
		assert_int_equal(cpu.pc, CODE + expected[i]);
		assert_int_equal(cpu.icount, i + 1);
	}
	assert_int_equal(step(), CPU_EXIT_FAULT);
	assert_int_equal(cpu.pc, CODE + 20);
	cpu.pc += 4;
	assert_int_equal(step(), CPU_EXIT_SYSCALL);
	assert_int_equal(cpu.poll, 0);
}

static void invalidated_code_is_read_again(void **state)
{
	PUT(CODE, ADDI(3, 0, 1), SC);
	assert_int_equal(run(), CPU_EXIT_SYSCALL);
	PUT(CODE, ADDI(3, 0, 2));
	code_invalidate(cpu.code, CODE, 4);
	cpu.pc = CODE;
	assert_int_equal(run(), CPU_EXIT_SYSCALL);
	assert_int_equal(cpu.gpr[3], 2);

	/* the whole address space, and pages that lose the right to execute */
	PUT(CODE, ADDI(3, 0, 3));
	code_invalidate(cpu.code, 0, GUEST_ADDRESS_LIMIT);
	fetch_allowed = false;
	cpu.pc = CODE;
	assert_int_equal(run(), CPU_EXIT_FAULT);
	fetch_allowed = true;
	assert_int_equal(run(), CPU_EXIT_SYSCALL);
	assert_int_equal(cpu.gpr[3], 3);
}

static void icbi_makes_a_guest_see_its_own_code(void **state)
{
	/* stores `addi r3,0,9` (in r8) over the second instruction of the function at +0x400 */
	cpu.gpr[8] = ADDI(3, 0, 9);
	cpu.gpr[9] = CODE + 0x400;
	PUT(CODE, BL(0x400), STW(8, 0, 9), ICBI(0, 9), BL(0x400 - 12), SC);
	PUT(CODE + 0x400, ADDI(3, 0, 1), BLR);
	assert_int_equal(run(), CPU_EXIT_SYSCALL);
	assert_int_equal(cpu.gpr[3], 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(runs_and_counts_a_loop, each),
		cmocka_unit_test_setup(runs_across_chunks_and_pages, each),
		cmocka_unit_test_setup(calls_and_returns, each),
		cmocka_unit_test_setup(compare_and_branch, each),
		cmocka_unit_test_setup(fault_is_precise, each),
		cmocka_unit_test_setup(addresses_above_the_limit_fault, each),
		cmocka_unit_test_setup(fetch_faults, each),
		cmocka_unit_test_setup(program_interrupts, each),
		cmocka_unit_test_setup(facilities_are_off_until_enabled, each),
		cmocka_unit_test_setup(endless_loop_stops_when_kicked, each),
		cmocka_unit_test_setup(stepping, each),
		cmocka_unit_test_setup(invalidated_code_is_read_again, each),
		cmocka_unit_test_setup(icbi_makes_a_guest_see_its_own_code, each),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
