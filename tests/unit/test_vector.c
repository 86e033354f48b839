// SPDX-License-Identifier: MIT
/*
 * Vector semantics with known answers, and the host's instructions against their portable twins.
 * The blocks of src/isa/sem/ become plain functions here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <sys/mman.h>

#include "isa/bcd.h"
#include "isa/crypto.h"
#include "isa/sem.h"

#define SEM(name) static UNUSED void sem_##name(SEM_PARAMETERS)
#include "isa/sem/vmx.inc"
#include "isa/sem/vmx_crypto.inc"
#include "isa/sem/vsx_gpr.inc"
#include "isa/sem/vsx_move.inc"

static struct cpu cpu;
static struct sem_out out;

#define Q(high, low) ((u128)(high) << 64 | (low))

/* Runs name with VRT, VRA, VRB, VRC = v0 to v3. */
#define RUN(name, imm) \
	sem_##name(&cpu, &cpu, VR_OFFSET(0), VR_OFFSET(1), VR_OFFSET(2), VR_OFFSET(3), imm, 0, &out)
/* Runs name as a load or store of v0 at GPR 0 + GPR 3. */
#define RUN_AT(name) \
	sem_##name(&cpu, &cpu, VR_OFFSET(0), GPR_ZERO, GPR_OFFSET(3), 0, 0, 0, &out)

#define assert_quad(actual, high, low)                                                             \
	do {                                                                                       \
		const u128 actual_ = (actual);                                                     \
		assert_int_equal((u64)(actual_ >> 64), (u64)(high));                               \
		assert_int_equal((u64)actual_, (u64)(low));                                        \
	} while (0)

static void set(u128 a, u128 b, u128 c)
{
	cpu.vsr[32].u = Q(0x5555555555555555, 0x5555555555555555);
	cpu.vsr[33].u = a;
	cpu.vsr[34].u = b;
	cpu.vsr[35].u = c;
}

static u128 result(void)
{
	return cpu.vsr[32].u;
}

static int each(void **state)
{
	memset(&cpu, 0, offsetof(struct cpu, jump_cache));
	memset(&out, 0, sizeof(out));
	cpu.msr = MSR_FP | MSR_VEC | MSR_VSX;
	return 0;
}

static u64 random_state = 1;

static u64 random_u64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state * 0x2545f4914f6cdd1d;
}

static u128 random_u128(void)
{
	return Q(random_u64(), random_u64());
}

/* --- element order ---------------------------------------------------------------------------- */

static void elements_are_numbered_from_the_most_significant(void **state)
{
	set(Q(0x0001020304050607, 0x08090a0b0c0d0e0f), Q(0x1011121314151617, 0x18191a1b1c1d1e1f),
	    Q(0x1f0011021e03100f, 0x0001020304050607));
	RUN(vperm, 0);
	assert_quad(result(), 0x1f0011021e03100f, 0x0001020304050607);
	RUN(vmrghb, 0);
	assert_quad(result(), 0x0010011102120313, 0x0414051506160717);
	RUN(vmrglw, 0);
	assert_quad(result(), 0x08090a0b18191a1b, 0x0c0d0e0f1c1d1e1f);
	RUN(vpkuhum, 0);
	assert_quad(result(), 0x01030507090b0d0f, 0x11131517191b1d1f);
	RUN(vsldoi, 5);
	assert_quad(result(), 0x05060708090a0b0c, 0x0d0e0f1011121314);
	RUN(vspltb, 3);
	assert_quad(result(), 0x0303030303030303, 0x0303030303030303);
	RUN(vsplth, 2);
	assert_quad(result(), 0x0405040504050405, 0x0405040504050405);
	RUN(vspltw, 3);
	assert_quad(result(), 0x0c0d0e0f0c0d0e0f, 0x0c0d0e0f0c0d0e0f);
	RUN(vupklsh, 0);
	assert_quad(result(), 0x0000080900000a0b, 0x00000c0d00000e0f);
	RUN(xxpermdi, 2);
	assert_quad(result(), 0x08090a0b0c0d0e0f, 0x1011121314151617);
	RUN(xxsldwi, 3);
	assert_quad(result(), 0x0c0d0e0f10111213, 0x1415161718191a1b);
}

static void even_elements_are_the_more_significant(void **state)
{
	set(Q(0x00000003ffffffff, 5), Q(0x0000000700000002, 0xffffffff), 0);
	RUN(vmuleuw, 0);
	assert_quad(result(), 21, 0);
	RUN(vmulosw, 0);
	assert_quad(result(), -2ull, -5ull);
	RUN(vmulouw, 0);
	assert_quad(result(), 0x1fffffffe, 5 * 0xffffffffull);
}

static void memory_order_is_little_endian(void **state)
{
	u8 *const p = mmap((void *)0x20000000, 4096, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	assert_true(p != MAP_FAILED);
	for (u32 i = 0; i < 64; i++)
		p[i] = (u8)i;
	cpu.gpr[3] = (u64)p + 21;
	RUN_AT(lvx);
	assert_quad(result(), 0x1f1e1d1c1b1a1918, 0x1716151413121110);
	cpu.gpr[3] = (u64)p + 1;
	RUN_AT(lxvd2x);
	assert_quad(result(), 0x0807060504030201, 0x100f0e0d0c0b0a09);
	RUN_AT(lxvw4x);
	assert_quad(result(), 0x0403020108070605, 0x0c0b0a09100f0e0d);
	cpu.gpr[3] = (u64)p + 35;
	cpu.vsr[32].u = 0;
	RUN_AT(lvehx);
	assert_quad(result(), 0, 0x23220000);
	RUN_AT(stvebx);
	assert_int_equal(p[35], 0x23);
	cpu.vsr[32].u = Q(0x8182838485868788, 0x898a8b8c8d8e8f90);
	RUN_AT(stvewx);
	assert_int_equal(*(u32 *)(p + 32), 0x8d8e8f90);
	RUN_AT(stxsiwx);
	assert_int_equal(p[35], 0x88);
	assert_int_equal(p[38], 0x85);
	assert_int_equal(out.exit, 0);
}

static void shift_counts_for_permutes(void **state)
{
	for (u32 shift = 0; shift < 16; shift++) {
		cpu.gpr[3] = 0x7ffffffffff0 + shift;
		RUN_AT(lvsl);
		for (u32 i = 0; i < 16; i++)
			assert_int_equal(cpu.vsr[32].b[VSR_INDEX(i, 16)], shift + i);
		RUN_AT(lvsr);
		for (u32 i = 0; i < 16; i++)
			assert_int_equal(cpu.vsr[32].b[VSR_INDEX(i, 16)], 16 - shift + i);
	}
}

/* --- integer ---------------------------------------------------------------------------------- */

static void saturation_is_sticky(void **state)
{
	set(Q(0x7f80000000000000, 0), Q(0x01ff000000000000, 0), 0);
	RUN(vaddubs, 0); /* 7f + 01 fits, 80 + ff does not */
	assert_quad(result(), 0x80ff000000000000, 0);
	assert_int_equal(cpu.vscr_sat, 1);
	cpu.vscr_sat = 0;
	RUN(vaddsbs, 0);
	assert_quad(result(), 0x7f80000000000000, 0);
	assert_int_equal(cpu.vscr_sat, 1);
	set(1, 2, 0);
	RUN(vaddsbs, 0);
	assert_quad(result(), 0, 3);
	assert_int_equal(cpu.vscr_sat, 1);
	cpu.vscr_sat = 0;
	RUN(vaddsbs, 0);
	assert_int_equal(cpu.vscr_sat, 0);
}

static void record_forms_set_cr6(void **state)
{
	set(1, 1, 0);
	RUN(vcmpequb_rc, 0);
	assert_int_equal(cpu_get_cr(&cpu), 0x80);
	set(1, 3, 0);
	RUN(vcmpequb_rc, 0);
	assert_quad(result(), ~0ull, ~0xffull);
	assert_int_equal(cpu_get_cr(&cpu), 0);
	RUN(vcmpgtub_rc, 0);
	assert_quad(result(), 0, 0);
	assert_int_equal(cpu_get_cr(&cpu), 0x20);
}

static void quadword_carries(void **state)
{
	const u128 ones = ~(u128)0;

	set(ones, 0, 1);
	RUN(vaddeuqm, 0);
	assert_quad(result(), 0, 0);
	RUN(vaddecuq, 0);
	assert_quad(result(), 0, 1);
	set(ones, ones, 1);
	RUN(vaddecuq, 0);
	assert_quad(result(), 0, 1);
	RUN(vsubecuq, 0); /* ones + 0 + 1 */
	assert_quad(result(), 0, 1);
	set(5, 6, 0);
	RUN(vsubcuq, 0);
	assert_quad(result(), 0, 0);
	RUN(vsubuqm, 0);
	assert_quad(result(), ~0ull, ~0ull);
}

static void vscr_moves(void **state)
{
	cpu.vsr[32].u = Q(~0ull, ~0ull);
	RUN(mtvscr, 0);
	assert_int_equal(cpu_get_vscr(&cpu), VSCR_NJ | VSCR_SAT);
	RUN(mfvscr, 0);
	assert_quad(result(), 0, VSCR_NJ | VSCR_SAT);
}

static void bits_of_a_quadword(void **state)
{
	/* bits 0, 127 and 63 are set; 128 and up count as 0 */
	set(Q(0x8000000000000001, 1), Q(0x007f3f01fe80ff3f, 0x3f00000000000000), 0);
	RUN(vbpermq, 0);
	assert_quad(result(), 0xe1ff, 0);
	set(Q(0xff00000000000000, 0x0102040810204080), 0, 0);
	RUN(vgbbd, 0);
	assert_quad(result(), 0x8080808080808080, 0x0102040810204080);
}

/* --- facilities ------------------------------------------------------------------------------- */

static void moves_need_the_half_of_their_register(void **state)
{
	cpu.msr = MSR_VEC;
	cpu.gpr[4] = 77;
	sem_mtvsrd(&cpu, &cpu, VSR_OFFSET(31), GPR_OFFSET(4), 0, 0, 0, 0, &out);
	assert_int_equal(out.exit, CPU_EXIT_FACILITY);
	assert_int_equal(cpu.exit.facility, FACILITY_FP);
	assert_quad(cpu.vsr[31].u, 0, 0);
	memset(&out, 0, sizeof(out));
	sem_mtvsrd(&cpu, &cpu, VSR_OFFSET(32), GPR_OFFSET(4), 0, 0, 0, 0, &out);
	assert_int_equal(out.exit, 0);
	assert_quad(cpu.vsr[32].u, 77, 0);
	cpu.msr = MSR_FP;
	sem_mfvsrd(&cpu, &cpu, GPR_OFFSET(5), VSR_OFFSET(32), 0, 0, 0, 0, &out);
	assert_int_equal(out.exit, CPU_EXIT_FACILITY);
	assert_int_equal(cpu.exit.facility, FACILITY_VEC);
	assert_int_equal(cpu.gpr[5], 0);
}

/* --- AES -------------------------------------------------------------------------------------- */

static u8 gf_multiply(u8 x, u8 y)
{
	u8 product = 0;

	for (; y; y >>= 1, x = (u8)(x << 1 ^ (x & 0x80 ? 0x1b : 0)))
		if (y & 1)
			product ^= x;
	return product;
}

/* FIPS 197, 5.1.1. */
static u8 sub_byte(u8 x)
{
	u8 inverse = 0, y = 0x63;

	for (u32 candidate = 1; candidate < 256; candidate++)
		if (gf_multiply(x, (u8)candidate) == 1)
			inverse = (u8)candidate;
	for (u32 i = 0; i < 5; i++)
		y ^= (u8)(inverse << i | inverse >> (8 - i));
	return y;
}

static void sub_box_is_that_of_the_standard(void **state)
{
	for (u32 x = 0; x < 256; x++) {
		const v16u8 all = aes_sub_bytes_portable((v16u8){0} + (u8)x);

		for (u32 i = 0; i < 16; i++)
			assert_int_equal(all[i], sub_byte((u8)x));
		/* and back: InvShiftRows does not matter to equal bytes */
		const v16u8 back = aes_inverse_cipher_last_portable(all, (v16u8){0});

		for (u32 i = 0; i < 16; i++)
			assert_int_equal(back[i], x);
	}
}

/* The first and the last round of the example in FIPS 197, appendix B. */
static void aes_rounds_of_the_standard(void **state)
{
	set(Q(0x193de3bea0f4e22b, 0x9ac68d2ae9f84808),
	    Q(0xa0fafe1788542cb1, 0x23a339392a6c7605), 0);
	RUN(vcipher, 0);
	assert_quad(result(), 0xa49c7ff2689f352b, 0x6b5bea43026a5049);
	set(Q(0xeb40f21e592e3884, 0x8ba113e71bc342d2),
	    Q(0xd014f9a8c9ee2589, 0xe13f0cc8b6630ca6), 0);
	RUN(vcipherlast, 0);
	assert_quad(result(), 0x3925841d02dc09fb, 0xdc118597196a0b32);
}

static void assert_same_quad(u128 x, u128 y)
{
	assert_quad(x, y >> 64, y);
}
#define assert_same(x, y) assert_same_quad((u128)(x), (u128)(y))

static void host_twins_agree(void **state)
{
	for (u32 i = 0; i < 2000; i++) {
		const v16u8 x = (v16u8)(v2u64)random_u128(), y = (v16u8)(v2u64)random_u128();

		assert_same(aes_cipher(x, y), aes_cipher_portable(x, y));
		assert_same(aes_cipher_last(x, y), aes_cipher_last_portable(x, y));
		assert_same(aes_inverse_cipher(x, y), aes_inverse_cipher_portable(x, y));
		assert_same(aes_inverse_cipher_last(x, y), aes_inverse_cipher_last_portable(x, y));
		assert_same(aes_sub_bytes(x), aes_sub_bytes_portable(x));
		assert_same(polynomial_sum_w((v2u64)x, (v2u64)y),
			    polynomial_sum_w_portable((v2u64)x, (v2u64)y));
		assert_same(polynomial_sum_d((v2u64)x, (v2u64)y),
			    polynomial_sum_d_portable((v2u64)x, (v2u64)y));
		/* vncipher undoes what vcipher did: keys before and after MixColumns differ */
		assert_same(aes_inverse_cipher_last(aes_cipher_last(x, y) ^ y, (v16u8){0}), x);
	}
}

/* --- decimal ---------------------------------------------------------------------------------- */

static void decimal_known_answers(void **state)
{
	static const u128 nines = Q(0x9999999999999999, 0x999999999999999c);
	static const struct {
		u128 x, y;
		bool subtract, ps;
		u128 sum;
		u8 cr;
	} cases[] = {
		{0x12c, 0x9f, false, false, 0x21c, BCD_GT},
		{0x12c, 0x9d, false, true, 0x3f, BCD_GT},
		{0x12b, 0x9a, false, true, 0x3d, BCD_LT},
		{0x9c, 0x12e, true, false, 0x3d, BCD_LT},
		{0x9d, 0x12d, true, false, 0x3c, BCD_GT},
		{0x5c, 0x5c, true, false, 0x0c, BCD_EQ},
		{0x0d, 0x0d, false, true, 0x0f, BCD_EQ}, /* there is no minus zero */
		{nines, 0x1c, false, false, 0x0c, BCD_GT | BCD_SO},
		{nines - 0xc + 0xd, 0x2d, false, false, 0x1d, BCD_LT | BCD_SO},
		{nines, nines, true, false, 0x0c, BCD_EQ},
		{0xac, 0x1c, false, false, ~(u128)0, BCD_SO}, /* a digit A */
		{0xac, 0xac, true, false, ~(u128)0, BCD_SO},
		{0x12c, 0x19, false, false, ~(u128)0, BCD_SO}, /* a sign 9 */
		{Q(0xf000000000000000, 0xc), 0x1c, false, false, ~(u128)0, BCD_SO},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		u8 cr = 0;
		const u128 sum =
			bcd_add(cases[i].x, cases[i].y, cases[i].subtract, cases[i].ps, &cr);

		assert_quad(sum, cases[i].sum >> 64, cases[i].sum);
		assert_int_equal(cr, cases[i].cr);
	}
}

static u128 decimal_of(s128 value)
{
	u128 digits = 0, rest = value < 0 ? -(u128)value : (u128)value;

	for (u32 i = 0; i < 31; i++, rest /= 10)
		digits |= rest % 10 << 4 * i;
	return digits << 4 | (value < 0 ? 0xd : 0xc);
}

static void decimal_sums_are_those_of_numbers(void **state)
{
	for (u32 i = 0; i < 20000; i++) {
		const s128 x = (s128)random_u128() >> (26 + random_u64() % 100);
		const s128 y = (s128)random_u128() >> (26 + random_u64() % 100);
		const bool subtract = random_u64() & 1;
		const s128 z = subtract ? x - y : x + y;
		u8 cr;
		const u128 sum = bcd_add(decimal_of(x), decimal_of(y), subtract, false, &cr);

		assert_quad(sum, decimal_of(z) >> 64, decimal_of(z));
		assert_int_equal(cr, z < 0 ? BCD_LT : z > 0 ? BCD_GT : BCD_EQ);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(elements_are_numbered_from_the_most_significant, each),
		cmocka_unit_test_setup(even_elements_are_the_more_significant, each),
		cmocka_unit_test_setup(memory_order_is_little_endian, each),
		cmocka_unit_test_setup(shift_counts_for_permutes, each),
		cmocka_unit_test_setup(saturation_is_sticky, each),
		cmocka_unit_test_setup(record_forms_set_cr6, each),
		cmocka_unit_test_setup(quadword_carries, each),
		cmocka_unit_test_setup(vscr_moves, each),
		cmocka_unit_test_setup(bits_of_a_quadword, each),
		cmocka_unit_test_setup(moves_need_the_half_of_their_register, each),
		cmocka_unit_test(sub_box_is_that_of_the_standard),
		cmocka_unit_test_setup(aes_rounds_of_the_standard, each),
		cmocka_unit_test(host_twins_agree),
		cmocka_unit_test(decimal_known_answers),
		cmocka_unit_test(decimal_sums_are_those_of_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
