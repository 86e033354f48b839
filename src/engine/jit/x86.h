/* SPDX-License-Identifier: MIT */
/*
 * The few host instructions that the compiler writes by itself, and how it reads those of stencils:
 * x86-64.
 */
#ifndef ENGINE_JIT_X86_H
#define ENGINE_JIT_X86_H

#include <string.h>

#include "base/types.h"

enum x86_register {
	RAX,
	RCX,
	RDX,
	RBX,
	RSP,
	RBP,
	RSI,
	RDI,
	R8,
	R9,
	R10,
	R11,
	R12,
	R13,
	R14,
	R15,
};

/* Where code is written, and where it will be executed. */
struct x86_buffer {
	u8 *write;
	const u8 *execute; /* of the same byte as write */
	u32 used, size;	   /* more than size: there was no room */
};

static inline void x86_bytes(struct x86_buffer *b, const void *bytes, u32 n)
{
	if (b->used + n <= b->size)
		memcpy(b->write + b->used, bytes, n);
	b->used += n;
}

static inline void x86_u8(struct x86_buffer *b, u8 x)
{
	x86_bytes(b, &x, 1);
}

static inline void x86_u32(struct x86_buffer *b, u32 x)
{
	x86_bytes(b, &x, 4);
}

static inline void x86_u64(struct x86_buffer *b, u64 x)
{
	x86_bytes(b, &x, 8);
}

/* REX.W opcode reg, offset(%r12) */
static inline void x86_at_cpu(struct x86_buffer *b, bool wide, u8 opcode, u32 reg, u32 offset)
{
	x86_u8(b, (u8)(0x41 | wide << 3 | (reg >> 3) << 2));
	x86_u8(b, opcode);
	x86_u8(b, (u8)(0x84 | (reg & 7) << 3));
	x86_u8(b, 0x24);
	x86_u32(b, offset);
}

static inline void x86_load(struct x86_buffer *b, u32 reg, u32 offset)
{
	x86_at_cpu(b, true, 0x8b, reg, offset);
}

static inline void x86_store(struct x86_buffer *b, u32 reg, u32 offset)
{
	x86_at_cpu(b, true, 0x89, reg, offset);
}

/* REX.W opcode reg, rm: both registers */
static inline void x86_registers(struct x86_buffer *b, u8 opcode, u32 reg, u32 rm)
{
	x86_u8(b, (u8)(0x48 | (reg >> 3) << 2 | rm >> 3));
	x86_u8(b, opcode);
	x86_u8(b, (u8)(0xc0 | (reg & 7) << 3 | (rm & 7)));
}

static inline void x86_mov(struct x86_buffer *b, u32 to, u32 from)
{
	x86_registers(b, 0x89, from, to);
}

static inline void x86_mov_constant(struct x86_buffer *b, u32 reg, u64 value)
{
	x86_u8(b, (u8)(0x48 | reg >> 3));
	x86_u8(b, (u8)(0xb8 | (reg & 7)));
	x86_u64(b, value);
}

/* shift by a constant: 4 left, 5 right */
static inline void x86_shift(struct x86_buffer *b, u32 reg, u32 kind, u8 count)
{
	x86_u8(b, (u8)(0x48 | reg >> 3));
	x86_u8(b, 0xc1);
	x86_u8(b, (u8)(0xc0 | kind << 3 | (reg & 7)));
	x86_u8(b, count);
}

/* addq $n, offset(%r12) */
static inline void x86_add_at_cpu(struct x86_buffer *b, s32 n, u32 offset)
{
	x86_at_cpu(b, true, 0x81, 0, offset);
	x86_u32(b, (u32)n);
}

/* cmpl $0, offset(%r12) */
static inline void x86_test_at_cpu(struct x86_buffer *b, u32 offset)
{
	x86_at_cpu(b, false, 0x83, 7, offset);
	x86_u8(b, 0);
}

/* Conditions of jcc. */
enum x86_condition { X86_B = 2, X86_AE = 3, X86_E = 4, X86_NE = 5 };

/* jcc, jmp with a distance of 4 bytes. Return: where that stands. */
static inline u32 x86_jcc(struct x86_buffer *b, enum x86_condition condition)
{
	x86_u8(b, 0x0f);
	x86_u8(b, (u8)(0x80 | condition));
	x86_u32(b, 0);
	return b->used - 4;
}

static inline u32 x86_jmp(struct x86_buffer *b)
{
	x86_u8(b, 0xe9);
	x86_u32(b, 0);
	return b->used - 4;
}

/* Make the distance at a place lead to an address. */
static inline void x86_aim(struct x86_buffer *b, u32 place, const void *target)
{
	s32 distance = (s32)((const u8 *)target - (b->execute + place + 4));

	if (place + 4 <= b->size)
		memcpy(b->write + place, &distance, 4);
}

static inline void x86_jmp_to(struct x86_buffer *b, const void *target)
{
	x86_aim(b, x86_jmp(b), target);
}

/* jmp *(%reg) for %r13 */
static inline void x86_jmp_through_r13(struct x86_buffer *b)
{
	static const u8 code[] = {0x41, 0xff, 0x65, 0x00};

	x86_bytes(b, code, sizeof(code));
}

/* Position of the ModRM byte of an instruction. */
u32 x86_modrm(const u8 *insn);

/*
 * An instruction that accesses disp32(%r12), the displacement standing at @disp: the same with a
 * register instead. Return: its length.
 */
u32 x86_replace_by_register(const u8 *insn, u32 length, u32 disp, u32 reg, u8 *out);

/* Fill with instructions that do nothing. */
void x86_nop(struct x86_buffer *b, u32 n);

#endif
