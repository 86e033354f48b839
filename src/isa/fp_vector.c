// SPDX-License-Identifier: MIT
#include "isa/fp_vector.h"

#include "arch/msr.h"

/* Elements are numbered as in memory of the host here: each one is for itself. */

static u64 get_double(v2u64 v, int i)
{
	return v[i];
}

static u64 get_single(v2u64 v, int i)
{
	return fp_widen(((v4u32)v)[i]);
}

static void set_single(v2u64 *v, int i, u64 value)
{
	v4u32 words = (v4u32)*v;

	words[i] = fp_narrow(value);
	*v = (v2u64)words;
}

/* Raise what the elements raised; an enabled exception of theirs suppresses the result. */
static void conclude(struct cpu *cpu, struct fp_vector_outcome *o, u32 exceptions)
{
	if (exceptions & FPSCR_VX_ALL)
		o->suppressed = cpu->fpscr & FPSCR_VE;
	/* OX, UX, ZX, XX stand 22 bits above their enables. */
	if (exceptions >> 22 & cpu->fpscr & (FPSCR_OE | FPSCR_UE | FPSCR_ZE | FPSCR_XE))
		o->suppressed = true;
	fp_raise(cpu, exceptions);
	o->trap = fp_trap(cpu);
}

struct fp_vector_outcome fp_vector_slow(struct cpu *cpu, u32 operation, v2u64 a, v2u64 b, v2u64 c)
{
	const bool single = operation & FP_SINGLE;
	struct fp_vector_outcome o = {0};
	u32 exceptions = 0;

	for (int i = 0; i < (single ? 4 : 2); i++) {
		struct fp_result r;

		if (single) {
			r = fp_exact(operation, get_single(a, i), get_single(b, i),
				     get_single(c, i), cpu->fpscr);
			set_single(&o.value, i, r.value);
		} else {
			r = fp_exact(operation, get_double(a, i), get_double(b, i),
				     get_double(c, i), cpu->fpscr);
			o.value[i] = r.value;
		}
		exceptions |= r.fpscr & FPSCR_STICKY;
	}
	conclude(cpu, &o, exceptions);
	return o;
}

/* Host index of the even word of doubleword i (host index): the more significant one. */
static int even_word(int i)
{
	return 2 * i + VSR_INDEX(0, 2);
}

static u64 convert_source(enum fp_shape from, bool is_signed, v2u64 a, int i)
{
	const v4u32 words = (v4u32)a;

	switch (from) {
	case SHAPE_F64:
	case SHAPE_I64:
		return a[i];
	case SHAPE_F32:
		return get_single(a, i);
	case SHAPE_F32_EVEN:
		return get_single(a, even_word(i));
	case SHAPE_I32_EVEN:
		i = even_word(i);
		break;
	case SHAPE_I32:
		break;
	}
	return is_signed ? (u64)(s64)(s32)words[i] : words[i];
}

static void convert_target(enum fp_shape to, v2u64 *v, int i, u64 value)
{
	u64 word;

	switch (to) {
	case SHAPE_F64:
	case SHAPE_I64:
		(*v)[i] = value;
		break;
	case SHAPE_F32:
		set_single(v, i, value);
		break;
	case SHAPE_I32: {
		v4u32 words = (v4u32)*v;

		words[i] = (u32)value;
		*v = (v2u64)words;
		break;
	}
	case SHAPE_F32_EVEN:
		word = fp_narrow(value);
		(*v)[i] = word << 32 | word;
		break;
	case SHAPE_I32_EVEN:
		word = (u32)value;
		(*v)[i] = word << 32 | word;
		break;
	}
}

struct fp_vector_outcome fp_vector_convert(struct cpu *cpu, u32 operation, enum fp_shape from,
					   enum fp_shape to, v2u64 a)
{
	const bool is_signed = (operation & FP_KIND) == FP_FROM_S64;
	const int count = from == SHAPE_F32 || from == SHAPE_I32 ? 4 : 2;
	struct fp_vector_outcome o = {0};
	u32 exceptions = 0;

	for (int i = 0; i < count; i++) {
		u64 x = convert_source(from, is_signed, a, i);
		struct fp_result r = fp_exact(operation, x, 0, 0, cpu->fpscr);

		convert_target(to, &o.value, i, r.value);
		exceptions |= r.fpscr & FPSCR_STICKY;
	}
	conclude(cpu, &o, exceptions);
	return o;
}

struct fp_vector_outcome fp_vector_compare_nan(struct cpu *cpu, v2u64 a, v2u64 b, bool single,
					       bool ordered)
{
	struct fp_vector_outcome o = {0};
	u32 exceptions = 0;

	for (int i = 0; i < (single ? 4 : 2); i++) {
		u64 x = single ? get_single(a, i) : get_double(a, i);
		u64 y = single ? get_single(b, i) : get_double(b, i);
		bool signaling = fp_is_snan(x) || fp_is_snan(y);

		if (signaling)
			exceptions |= FPSCR_VXSNAN;
		if (ordered && (fp_is_nan(x) || fp_is_nan(y)) &&
		    !(signaling && cpu->fpscr & FPSCR_VE))
			exceptions |= FPSCR_VXVC;
	}
	conclude(cpu, &o, exceptions);
	return o;
}

/* Larger (or smaller) of two numbers, by their bits as sign and magnitude; +0 is above -0. */
static u64 larger(u64 a, u64 b, bool max)
{
	s64 x = (s64)a < 0 ? (s64)(a ^ ~0ull >> 1) : (s64)a;
	s64 y = (s64)b < 0 ? (s64)(b ^ ~0ull >> 1) : (s64)b;

	return (x > y) == max ? a : b;
}

struct fp_vector_outcome fp_vector_max_min_nan(struct cpu *cpu, v2u64 a, v2u64 b, bool single,
					       bool max)
{
	struct fp_vector_outcome o = {0};
	u32 exceptions = 0;

	for (int i = 0; i < (single ? 4 : 2); i++) {
		u64 x = single ? get_single(a, i) : get_double(a, i);
		u64 y = single ? get_single(b, i) : get_double(b, i);
		u64 r = fp_is_nan(x) || fp_is_nan(y) ? fp_exact_max_min_nan(x, y)
						     : larger(x, y, max);

		if (fp_is_snan(x) || fp_is_snan(y))
			exceptions |= FPSCR_VXSNAN;
		if (single)
			set_single(&o.value, i, r);
		else
			o.value[i] = r;
	}
	conclude(cpu, &o, exceptions);
	return o;
}

u32 fp_vector_test_divide(v2u64 a, v2u64 b, bool single)
{
	u32 result = 0;

	for (int i = 0; i < (single ? 4 : 2); i++)
		result |= single ? fp_test_divide(((v4u32)a)[i], ((v4u32)b)[i], true)
				 : fp_test_divide(a[i], b[i], false);
	return result;
}

u32 fp_vector_test_root(v2u64 b, bool single)
{
	u32 result = 0;

	for (int i = 0; i < (single ? 4 : 2); i++)
		result |= single ? fp_test_root(((v4u32)b)[i], true) : fp_test_root(b[i], false);
	return result;
}
