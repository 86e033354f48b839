/* SPDX-License-Identifier: MIT */
/*
 * Fields of an instruction word, from operands.def. Inside src/isa/ only.
 */
#ifndef ISA_OPERAND_H
#define ISA_OPERAND_H

#include "isa/insn.h"

/* Explained in operands.def. */
enum operand_class {
	CLASS_none,
	CLASS_gpr,
	CLASS_gpr0,
	CLASS_fpr,
	CLASS_vr,
	CLASS_vsr,
	CLASS_crf,
	CLASS_crb,
	CLASS_simm,
	CLASS_uimm,
	CLASS_count,
	CLASS_shifted,
	CLASS_ushifted,
	CLASS_disp,
	CLASS_rel,
	CLASS_abs,
	CLASS_slot,
	CLASS_mask_left,
	CLASS_mask_right,
	CLASS_mask_shift,
	CLASS_mask_begin,
	CLASS_mask_end,
	CLASS_hint,
	CLASS_cleared,
};

struct operand_field {
	u8 class; /* enum operand_class */
	u8 shift, width, high_shift, high_width;
};

extern const struct operand_field operand_fields[OPERAND_COUNT];

/* Bits of the word that an operand occupies: never the primary opcode, so int is enough. */
#define FIELD_BITS(shift, width) (((1 << (width)) - 1) << (shift))
enum {
	BITS_NONE = 0,
#define OPERAND(name, class, shift, width, high_shift, high_width)                                 \
	BITS_##name = FIELD_BITS(shift, width) | FIELD_BITS(high_shift, high_width),
#include "isa/operands.def"
#undef OPERAND
};

/* Both pieces of a field put together. */
static inline u32 operand_value(u32 word, const struct operand_field *f)
{
	u32 low = word >> f->shift & ((1u << f->width) - 1);
	u32 high = word >> f->high_shift & ((1u << f->high_width) - 1);

	return low | high << f->width;
}

static inline s64 sign_extend(u32 value, u32 width)
{
	return (s64)((u64)value << (64 - width)) >> (64 - width);
}

/* EACH(m, a, b, ...) is m(a) m(b) ..., for up to INSN_MAX_OPERANDS arguments. */
#define EACH(m, a, ...)	 m(a) __VA_OPT__(EACH2(m, __VA_ARGS__))
#define EACH2(m, a, ...) m(a) __VA_OPT__(EACH3(m, __VA_ARGS__))
#define EACH3(m, a, ...) m(a) __VA_OPT__(EACH4(m, __VA_ARGS__))
#define EACH4(m, a, ...) m(a) __VA_OPT__(EACH5(m, __VA_ARGS__))
#define EACH5(m, a, ...) m(a) __VA_OPT__(EACH6(m, __VA_ARGS__))
#define EACH6(m, a)	 m(a)

/* The operands of a row as initialisers, and all their bits. */
#define OPERAND_ITEM(name) OPERAND_##name,
#define BITS_ITEM(name)	   | BITS_##name
#define OPERAND_LIST(...)  EACH(OPERAND_ITEM, __VA_ARGS__)
#define OPERAND_BITS(...)  (0 EACH(BITS_ITEM, __VA_ARGS__))

#endif
