/* SPDX-License-Identifier: MIT */
/*
 * Stencils: machine code of one instruction, with holes.
 *
 * src/engine/jit/stencil_*.c compile each block of src/isa/sem/ to a function; stencils.py turns
 * the compiler's assembly text into data: the code, and *marks* that say where its holes are. The
 * code of a region is made by copying stencils one behind the other and filling the holes
 * (region.c).
 *
 * A stencil is called like a handler of the interpreter, without a stack frame: cpu in %r12, and
 * seven more registers, the *pins*, which it hands on untouched. An operand that is a general
 * register is an access to memory at a known offset from %r12, the mark's slot; if that register is
 * pinned, the copier replaces the access by the pin.
 *
 * The rare parts of a stencil are kept apart (cold) and copied behind the region.
 */
#ifndef ENGINE_JIT_STENCIL_H
#define ENGINE_JIT_STENCIL_H

#include "base/types.h"

enum stencil_mark_kind {
	MARK_SLOT,   /* accesses the register of an operand */
	MARK_NUMBER, /* contains the number of an operand, an immediate, or the address */
	MARK_BYTE,   /* ends with the number of an operand, one byte */
	MARK_REL,    /* refers to something outside by a distance */
	MARK_NEXT,   /* jumps to the next instruction */
	MARK_TAKEN,  /* jumps to the target of the branch */
	MARK_JUMP,   /* jumps to cpu->pc */
	MARK_LEAVE,  /* leaves for the interpreter, which executes the instruction anew */
	MARK_LEAVE2, /* the same in the second instruction of a pair */
	MARK_LOCAL,  /* jumps between the hot and the cold part */
	MARK_FAULT,  /* may fault, and then goes on at its target */
};

/* Flags of MARK_SLOT. */
#define SLOT_READ    1u
#define SLOT_WRITE   2u
#define SLOT_REPLACE 4u /* the access can be one to a host register */

/* In an offset: of the cold part. */
#define STENCIL_COLD 0x8000u
/* As the target of MARK_FAULT: as MARK_LEAVE, MARK_LEAVE2. */
#define STENCIL_TO_LEAVE  0x7fffu
#define STENCIL_TO_LEAVE2 0x7ffeu

struct stencil_mark {
	u16 at;	    /* of the instruction */
	u8 length;  /* of the instruction */
	u8 kind;    /* enum stencil_mark_kind */
	u16 target; /* of MARK_LOCAL and MARK_FAULT */
	u8 operand; /* of MARK_SLOT and MARK_BYTE: 0 to 3 t a b c, 4 to 7 of the second instruction
		     */
	u8 flags;   /* SLOT_* */
};

/* Flags of a stencil. */
#define STENCIL_FIXED	  1u /* there are jumps into the hot part: its length must stay */
#define STENCIL_IN_MEMORY 2u /* calls functions or computes offsets: operands must be in memory */
#define STENCIL_FALLS	  4u /* the hot part ends with a jump to the next instruction, 5 bytes */

struct stencil {
	s32 hot, cold; /* distance from these fields to the code */
	u16 hot_size, cold_size;
	u16 n_marks, flags;
	struct stencil_mark marks[];
};

/*
 * What stands in the code for a value: the upper 12 bits say which, the rest is an addend. In 64
 * bits it is written twice.
 */
#define HOLE_OPERAND(n) (0x1f100000u + 0x100000u * (n)) /* t a b c t2 a2 b2 c2 */
#define HOLE_IMMEDIATE	0x1f900000u
#define HOLE_IMMEDIATE2 0x1fa00000u
#define HOLE_ADDRESS	0x1fb00000u /* of the instruction */
#define HOLE_ADDRESS2	0x1fc00000u
#define HOLE_MASK	0xfff00000u

/* The stencil of a form, for an immediate of 32 bits or any; NULL: it is left to the interpreter.
 */
const struct stencil *stencil_of(unsigned form, bool narrow);
/* The stencil of two neighbours; NULL. */
const struct stencil *stencil_of_pair(unsigned first, unsigned second);

#endif
