// SPDX-License-Identifier: MIT
/*
 * VMX floating point: what the ISA defines beside the arithmetic itself, and that the guest's
 * scalar floating-point state survives it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "isa/sem.h"

/* Not inlined: the compiler would compute with these operands itself, and not flush them. */
#define SEM(name) static NOINLINE UNUSED void sem_##name(SEM_PARAMETERS)
#include "isa/sem/vmx_float.inc"

static struct cpu cpu;
static struct sem_out out;

#define ONE	 0x3f800000u
#define INFINITE 0x7f800000u
#define MINUS	 0x80000000u
#define SNAN_1	 0x7f800001u
#define SNAN_2	 0xff800002u
#define QNAN	 0x7fc00000u

static int each(void **state)
{
	memset(&cpu, 0, offsetof(struct cpu, jump_cache));
	memset(&out, 0, sizeof(out));
	cpu.msr = MSR_VEC;
	cpu.vscr_nj = 1;
	return 0;
}

/* Runs name with VRT = v0 and the sources v1, v2, v3, each with one value in all elements. */
#define RUN(name, imm, x, y, z)                                                                    \
	({                                                                                         \
		cpu.vsr[33].v = (v2u64)SPLAT(v4u32, (u32)(x));                                     \
		cpu.vsr[34].v = (v2u64)SPLAT(v4u32, (u32)(y));                                     \
		cpu.vsr[35].v = (v2u64)SPLAT(v4u32, (u32)(z));                                     \
		sem_##name(&cpu, &cpu, VR_OFFSET(0), VR_OFFSET(1), VR_OFFSET(2), VR_OFFSET(3),     \
			   imm, 0, &out);                                                          \
		for (int i_ = 1; i_ < 4; i_++)                                                     \
			assert_int_equal(cpu.vsr[32].w[i_], cpu.vsr[32].w[0]);                     \
		cpu.vsr[32].w[0];                                                                  \
	})

static void nan_results(void **state)
{
	assert_int_equal(RUN(vaddfp, 0, SNAN_1, SNAN_2, 0), SNAN_1 | F32_QUIET);
	assert_int_equal(RUN(vaddfp, 0, ONE, SNAN_2, 0), SNAN_2 | F32_QUIET);
	assert_int_equal(RUN(vsubfp, 0, INFINITE, INFINITE, 0), QNAN);
	/* vmaddfp VRT,VRA,VRC,VRB: VRA before VRB before VRC */
	assert_int_equal(RUN(vmaddfp, 0, ONE, SNAN_1, SNAN_2), SNAN_2 | F32_QUIET);
	assert_int_equal(RUN(vmaddfp, 0, SNAN_1, ONE, SNAN_2), SNAN_1 | F32_QUIET);
	assert_int_equal(RUN(vmaddfp, 0, 0, INFINITE, ONE), QNAN);
	/* the sign of a NaN is not negated */
	assert_int_equal(RUN(vnmsubfp, 0, ONE, ONE, SNAN_2), SNAN_2 | F32_QUIET);
	assert_int_equal(RUN(vnmsubfp, 0, ONE, ONE, SNAN_1), SNAN_1 | F32_QUIET);
	assert_int_equal(RUN(vmaxfp, 0, ONE, SNAN_1, 0), SNAN_1 | F32_QUIET);
	assert_int_equal(RUN(vrfin, 0, SNAN_2, 0, 0), SNAN_2 | F32_QUIET);
	assert_int_equal(RUN(vrsqrtefp, 0, ONE | MINUS, 0, 0), QNAN);
	assert_int_equal(RUN(vlogefp, 0, ONE | MINUS, 0, 0), QNAN);
}

static void signed_zeros(void **state)
{
	assert_int_equal(RUN(vmaxfp, 0, 0, MINUS, 0), 0);
	assert_int_equal(RUN(vmaxfp, 0, MINUS, 0, 0), 0);
	assert_int_equal(RUN(vminfp, 0, 0, MINUS, 0), MINUS);
	assert_int_equal(RUN(vminfp, 0, MINUS, 0, 0), MINUS);
	/* -(1 * 1 - 1) */
	assert_int_equal(RUN(vnmsubfp, 0, ONE, ONE, ONE), MINUS);
	assert_int_equal(RUN(vcmpeqfp, 0, 0, MINUS, 0), ~0u);
	assert_int_equal(RUN(vrefp, 0, MINUS, 0, 0), INFINITE | MINUS);
}

static void denormals_are_flushed_in_non_java_mode(void **state)
{
	assert_int_equal(RUN(vaddfp, 0, 0x80400000, MINUS, 0), MINUS);
	assert_int_equal(RUN(vsubfp, 0, 0x00800001, 0x00800000, 0), 0);
	assert_int_equal(RUN(vcmpeqfp, 0, 1, 0, 0), ~0u);
	assert_int_equal(RUN(vmaxfp, 0, 1, 0, 0), 0);
	assert_int_equal(RUN(vrfip, 0, 1, 0, 0), 0);
	assert_int_equal(RUN(vrefp, 0, 0x7f000001, 0, 0), 0);
	cpu.vscr_nj = 0;
	assert_int_equal(RUN(vaddfp, 0, 0x80400000, MINUS, 0), 0x80400000);
	assert_int_equal(RUN(vsubfp, 0, 0x00800001, 0x00800000, 0), 1);
	assert_int_equal(RUN(vcmpeqfp, 0, 1, 0, 0), 0);
	assert_int_equal(RUN(vmaxfp, 0, 1, 0, 0), 1);
	assert_int_equal(RUN(vrfip, 0, 1, 0, 0), ONE);
}

static void tiny_is_decided_before_rounding(void **state)
{
	/* (1 - 2^-24) * 2^-126 rounds up to 2^-126, but is less */
	assert_int_equal(RUN(vmaddfp, 0, 0x3f7fffff, 0x00800000, 0), 0);
	assert_int_equal(RUN(vnmsubfp, 0, 0x3f7fffff, 0x00800000, 0), MINUS);
	assert_int_equal(RUN(vmaddfp, 0, ONE, 0x00800000, 0), 0x00800000);
	/* 2^-126 from a sum with a product beyond double precision, on either side */
	assert_int_equal(RUN(vmaddfp, 0, 0x00800000, 0x00800000, 0x00800000), 0x00800000);
	assert_int_equal(RUN(vmaddfp, 0, 0x80800000, 0x00800000, 0x00800000), 0);
	cpu.vscr_nj = 0;
	assert_int_equal(RUN(vmaddfp, 0, 0x80800000, 0x00800000, 0x00800000), 0x00800000);
}

static void conversions_saturate(void **state)
{
	static const struct {
		u32 x, scale, to_signed, to_unsigned;
		bool signed_saturates, unsigned_saturates;
	} cases[] = {
		{0x4effffff, 0, 0x7fffff80, 0x7fffff80, false, false}, /* the last below 2^31 */
		{0x4f000000, 0, 0x7fffffff, 0x80000000, true, false},
		{0xcf000000, 0, 0x80000000, 0, false, true},
		{0xcf000001, 0, 0x80000000, 0, true, true},
		{0x4f7fffff, 0, 0x7fffffff, 0xffffff00, true, false},
		{0x4f800000, 0, 0x7fffffff, 0xffffffff, true, true},
		{0xbf7fffff, 0, 0, 0, false, false}, /* toward zero */
		{0xbf800000, 0, 0xffffffff, 0, false, true},
		{0x3fc00000, 1, 3, 3, false, false},
		{ONE, 31, 0x7fffffff, 0x80000000, true, false},
		{INFINITE, 0, 0x7fffffff, 0xffffffff, true, true},
		{INFINITE | MINUS, 0, 0x80000000, 0, true, true},
		{SNAN_1, 0, 0, 0, false, false},
		{0x00000001, 31, 0, 0, false, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cpu.vscr_sat = 0;
		assert_int_equal(RUN(vctsxs, cases[i].scale, cases[i].x, 0, 0), cases[i].to_signed);
		assert_int_equal(cpu.vscr_sat, cases[i].signed_saturates);
		cpu.vscr_sat = 0;
		assert_int_equal(RUN(vctuxs, cases[i].scale, cases[i].x, 0, 0),
				 cases[i].to_unsigned);
		assert_int_equal(cpu.vscr_sat, cases[i].unsigned_saturates);
	}
	assert_int_equal(RUN(vcfsx, 1, -3, 0, 0), 0xbfc00000);
	assert_int_equal(RUN(vcfux, 0, 0xffffffff, 0, 0), 0x4f800000);
	assert_int_equal(RUN(vcfsx, 0, 0x01000001, 0, 0), 0x4b800000); /* ties to even */
	assert_int_equal(RUN(vcfsx, 31, 0x80000000, 0, 0), ONE | MINUS);
}

static void bounds(void **state)
{
	assert_int_equal(RUN(vcmpbfp_rc, 0, ONE, ONE, 0), 0);
	assert_int_equal(cpu_get_cr(&cpu), 0x20);
	assert_int_equal(RUN(vcmpbfp_rc, 0, INFINITE, ONE, 0), 0x80000000);
	assert_int_equal(cpu_get_cr(&cpu), 0);
	assert_int_equal(RUN(vcmpbfp_rc, 0, INFINITE | MINUS, ONE, 0), 0x40000000);
	assert_int_equal(RUN(vcmpbfp_rc, 0, 0, ONE | MINUS, 0), 0xc0000000);
	assert_int_equal(RUN(vcmpbfp_rc, 0, QNAN, ONE, 0), 0xc0000000);
}

/* The guest rounds up and has raised nothing: neither may change, nor matter. */
static void scalar_state_is_left_alone(void **state)
{
	host_fp_start(ROUND_UP_INF);
	const u32 sum = RUN(vaddfp, 0, ONE, 0x30000000, 0); /* 1 + 2^-31 */
	const u32 product = RUN(vmaddfp, 0, 0x3f800001, 0x3f800001, 0);
	const u32 huge = RUN(vaddfp, 0, 0x7f7fffff, 0x7f7fffff, 0);
	const u32 converted = RUN(vcfsx, 0, 0x01000001, 0, 0);
	const u32 integer = RUN(vctuxs, 0, 0x3fc00000, 0, 0);
	const u32 rounded = RUN(vrfim, 0, 0x3fc00000, 0, 0);
	const u32 power = RUN(vexptefp, 0, 0x3fc00000, 0, 0);
	const u32 logarithm = RUN(vlogefp, 0, 0, 0, 0);
	const u32 reciprocal = RUN(vrefp, 0, 0, 0, 0);
	const u32 flags = host_fp_flags();
	volatile double one = 1, little = 0x1p-60;
	const double up = one + little;

	host_fp_default();
	assert_int_equal(flags, 0);
	assert_true(up == 1 + 0x1p-52);
	assert_int_equal(sum, ONE);
	assert_int_equal(product, 0x3f800002);
	assert_int_equal(huge, INFINITE);
	assert_int_equal(converted, 0x4b800000);
	assert_int_equal(integer, 1);
	assert_int_equal(rounded, ONE);
	assert_int_equal(power, 0x403504f3);
	assert_int_equal(logarithm, INFINITE | MINUS);
	assert_int_equal(reciprocal, INFINITE);
}

static void powers_and_logarithms(void **state)
{
	/* exact where the ISA says so */
	for (int n = -126; n < 128; n++) {
		const u32 power = (u32)(127 + n) << 23;
		const u32 number = __builtin_bit_cast(u32, (float)n);

		assert_int_equal(RUN(vexptefp, 0, number, 0, 0), power);
		assert_int_equal(RUN(vlogefp, 0, power, 0, 0), number);
	}
	assert_int_equal(RUN(vexptefp, 0, INFINITE | MINUS, 0, 0), 0);
	assert_int_equal(RUN(vexptefp, 0, INFINITE, 0, 0), INFINITE);
	assert_int_equal(RUN(vexptefp, 0, 0xff7fffff, 0, 0), 0);
	assert_int_equal(RUN(vexptefp, 0, 0xc2fe0000, 0, 0), 0); /* -127: flushed */
	assert_int_equal(RUN(vlogefp, 0, INFINITE, 0, 0), INFINITE);
	/* each undoes the other */
	for (u32 x = 0x3e000000; x < 0x41000000; x += 0x12345) {
		const u32 back = RUN(vlogefp, 0, RUN(vexptefp, 0, x, 0, 0), 0, 0);
		const float error = __builtin_bit_cast(float, back) - __builtin_bit_cast(float, x);

		assert_true(error < 0x1p-20f && error > -0x1p-20f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(nan_results, each),
		cmocka_unit_test_setup(signed_zeros, each),
		cmocka_unit_test_setup(denormals_are_flushed_in_non_java_mode, each),
		cmocka_unit_test_setup(tiny_is_decided_before_rounding, each),
		cmocka_unit_test_setup(conversions_saturate, each),
		cmocka_unit_test_setup(bounds, each),
		cmocka_unit_test_setup(scalar_state_is_left_alone, each),
		cmocka_unit_test_setup(powers_and_logarithms, each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
