/* SPDX-License-Identifier: MIT */
/*
 * The language in which the semantics of instructions are written.
 *
 * A file of sem/ has one SEM block for each decoded form, with the instruction as the assembler
 * writes it above it:
 *
 *	// add RT,RA,RB
 *	SEM(add) { WR(t, RD(a) + RD(b)); }
 *
 * An engine defines SEM, SEM_BRANCH and SEM_INDIRECT before it includes the file, and thereby
 * decides what a block becomes: a handler of the interpreter, a stencil of the compiler, a
 * function in LLVM bitcode. The rules that make all three possible:
 *
 *  1. A block sees: s (register file operated on, may be a copy), env (the real CPU, for helper
 *     functions only), t a b c (operands: byte offsets into struct cpu, or small numbers), imm,
 *     cia (address of the instruction), out (what happens next). Nothing else; never pass s on.
 *  2. Registers are reached only through the macros below.
 *  3. All accesses that may fault come first, then the writes to registers. Read every source
 *     before writing t: t may be the same register as a or b.
 *  4. No control flow out of a block but through the macros: a SEM block falls through to the next
 *     instruction; SEM_BRANCH says TAKE(condition); SEM_INDIRECT says TAKE(condition), JUMP(target);
 *     any of them may EXIT().
 *  5. Straight-line code or small diamonds. No loops over registers, no address of a register, no
 *     access that spans several registers. What needs them is a function outside (helpers take
 *     env and operands, or values).
 *  6. Rare paths are calls to COLD functions. NaN tests are __builtin_isunordered(x, x).
 *  7. No host intrinsics without a portable twin.
 */
#ifndef ISA_SEM_H
#define ISA_SEM_H

#include "arch/cpu.h"
#include "base/host_access.h"
#include "tm/tm.h"

/* What a block decided; the engines look at it after inlining, so it costs nothing. */
struct sem_out {
	u8 exit;    /* enum cpu_exit; 0 = none */
	bool after; /* at an exit: pc is the following instruction */
	bool taken;
	u64 target;
};

/* An engine may want the operands wider. */
#ifndef SEM_OPERAND_TYPE
#define SEM_OPERAND_TYPE u16
#endif

#define SEM_PARAMETERS                                                                             \
	UNUSED struct cpu *s, UNUSED struct cpu *env, UNUSED const SEM_OPERAND_TYPE t,             \
		UNUSED const SEM_OPERAND_TYPE a, UNUSED const SEM_OPERAND_TYPE b,                  \
		UNUSED const SEM_OPERAND_TYPE c, UNUSED const s64 imm, UNUSED const u64 cia,       \
		UNUSED struct sem_out *out

/* --- registers ------------------------------------------------------------------------------- */

#define SEM_FIELD(type, offset) (*(type *)((char *)s + (offset)))

#define RD(r)	      SEM_FIELD(u64, r) /* general register */
#define WR(r, value)  (SEM_FIELD(u64, r) = (u64)(value))
#define RDF(r)	      SEM_FIELD(u64, r) /* floating-point register, bits */
/* Writing an FPR clears doubleword 1 of its VSR, as POWER8 does (the ISA leaves it undefined). */
#define WRF(r, value) (SEM_FIELD(u64, r) = (u64)(value), SEM_FIELD(u64, (r) + 8 * VSR_DW1 - 8 * VSR_DW0) = 0)
#define RDV(r)	      SEM_FIELD(union vsr, r) /* vector(-scalar) register */
#define WRV(r, value) (SEM_FIELD(union vsr, r) = (value))
#define RD_CRB(r)     SEM_FIELD(u8, r) /* CR bit: 0 or 1 */
#define WR_CRB(r, value) (SEM_FIELD(u8, r) = (value))

/* CR field r := lt gt eq so. */
#define WR_CRF(r, lt, gt, eq, so_)                                                                 \
	do {                                                                                       \
		u8 lt_ = (lt), gt_ = (gt), eq_ = (eq);                                             \
		WR_CRB((r) + 0, lt_);                                                              \
		WR_CRB((r) + 1, gt_);                                                              \
		WR_CRB((r) + 2, eq_);                                                              \
		WR_CRB((r) + 3, so_);                                                              \
	} while (0)

/* CR0 of a record form. */
#define SET_CR0(result)                                                                            \
	do {                                                                                       \
		s64 cr0_ = (s64)(result);                                                          \
		WR_CRF(CRF_OFFSET(0), cr0_ < 0, cr0_ > 0, cr0_ == 0, s->so);                       \
	} while (0)

/* XER[OV] := v, XER[SO] |= v. */
#define SET_OV(v)                                                                                  \
	do {                                                                                       \
		u8 ov_ = (v);                                                                      \
		s->ov = ov_;                                                                       \
		s->so |= ov_;                                                                      \
	} while (0)

/* --- leaving --------------------------------------------------------------------------------- */

#define EXIT(kind)                                                                                 \
	do {                                                                                       \
		out->exit = (kind);                                                                \
		return;                                                                            \
	} while (0)
/* The same with pc at the following instruction. */
#define EXIT_AFTER(kind)                                                                           \
	do {                                                                                       \
		out->after = true;                                                                 \
		EXIT(kind);                                                                        \
	} while (0)
/* In a stencil: the interpreter executes the instruction once more, and finds the reason. */
#ifdef SEM_STENCIL
#define PROGRAM(reason)			     EXIT(CPU_EXIT_PROGRAM)
#define FACILITY(which)			     EXIT(CPU_EXIT_FACILITY)
#define STORAGE_EXIT(kind, ea, how, bytes)   EXIT(kind)
#else
#define PROGRAM(reason)                                                                            \
	do {                                                                                       \
		env->exit.program = (reason);                                                      \
		EXIT(CPU_EXIT_PROGRAM);                                                            \
	} while (0)
#define FACILITY(which)                                                                            \
	do {                                                                                       \
		env->exit.facility = (which);                                                      \
		EXIT(CPU_EXIT_FACILITY);                                                           \
	} while (0)
#define STORAGE_EXIT(kind, ea, how, bytes)                                                         \
	do {                                                                                       \
		env->exit.address = (ea);                                                          \
		env->exit.access = (how);                                                          \
		env->exit.size = (bytes);                                                          \
		EXIT(kind);                                                                        \
	} while (0)
#endif /* SEM_STENCIL */
#define ALIGNMENT(ea, how, bytes) STORAGE_EXIT(CPU_EXIT_ALIGNMENT, ea, how, bytes)

#define TAKE(condition) (out->taken = (condition))
#define JUMP(address)	(out->target = (address))

/* Facility gate: first line of a block whose file has no SEM_GATE (below). */
#define NEED(msr_bit, which)                                                                       \
	do {                                                                                       \
		if (unlikely(!(s->msr & (msr_bit))))                                               \
			FACILITY(which);                                                           \
	} while (0)

/* --- guest memory ---------------------------------------------------------------------------- */

/*
 * LOAD(type, ea) and STORE(type, ea, value), type one of u8 u16 u32 u64 v128, for a guest in the
 * host's byte order. Guest addresses are host addresses; an address at or above the limit, and an
 * access that faults, leave the block with CPU_EXIT_FAULT.
 */
#define MEM_TYPE_u8   u8
#define MEM_TYPE_u16  u16
#define MEM_TYPE_u32  u32
#define MEM_TYPE_u64  u64
#define MEM_TYPE_v128 v2u64
#define MEM_TYPE_u128 u128

#define GUEST_POINTER(ea) ((void *)(uintptr_t)(ea))
#ifdef SEM_STENCIL
/* Compiled code does not look: what lies above is not the guest's to know (docs/limits.md). */
#define GUEST_OK(ea) ((void)(ea), true)
#else
#define GUEST_OK(ea) likely((ea) < GUEST_ADDRESS_LIMIT)
#endif

/*
 * In a file that defines SEM_TRANSACTIONAL the blocks become those for MSR[TS] other than 0, and all
 * their accesses go through src/tm/.
 */
#ifdef SEM_TRANSACTIONAL

#define TM_STORAGE_EXIT(outcome, ea, how, bytes)                                                   \
	do {                                                                                       \
		if ((outcome) == TM_FAILED)                                                        \
			EXIT(CPU_EXIT_TM_FAILURE);                                                 \
		STORAGE_EXIT(CPU_EXIT_FAULT, ea, how, bytes);                                      \
	} while (0)

#define LOAD(type, ea)                                                                             \
	({                                                                                         \
		const u64 ea_ = (ea);                                                              \
		MEM_TYPE_##type value_;                                                            \
		enum tm_outcome outcome_ = TM_FAULT;                                               \
		if (GUEST_OK(ea_))                                                                 \
			outcome_ = tm_load(env, cia, ea_, &value_, sizeof(value_));                \
		if (unlikely(outcome_ != TM_OK))                                                   \
			TM_STORAGE_EXIT(outcome_, ea_, ACCESS_READ, sizeof(value_));               \
		value_;                                                                            \
	})

#define STORE(type, ea, value)                                                                     \
	do {                                                                                       \
		const u64 ea_ = (ea);                                                              \
		const MEM_TYPE_##type value_ = (value);                                            \
		enum tm_outcome outcome_ = TM_FAULT;                                               \
		if (GUEST_OK(ea_))                                                                 \
			outcome_ = tm_store(env, cia, ea_, &value_, sizeof(value_));               \
		if (unlikely(outcome_ != TM_OK))                                                   \
			TM_STORAGE_EXIT(outcome_, ea_, ACCESS_WRITE, sizeof(value_));              \
	} while (0)

#define CMPXCHG(type, ea, old, new_value)                                                          \
	({                                                                                         \
		const u64 ea_ = (ea);                                                              \
		const MEM_TYPE_##type old_ = (old), new_ = (new_value);                            \
		enum tm_outcome outcome_ = TM_FAULT;                                               \
		bool ok_ = false;                                                                  \
		if (GUEST_OK(ea_))                                                                 \
			outcome_ = tm_cmpxchg(env, cia, ea_, &old_, &new_, sizeof(old_), &ok_);    \
		if (unlikely(outcome_ != TM_OK))                                                   \
			TM_STORAGE_EXIT(outcome_, ea_, ACCESS_WRITE, sizeof(old_));                \
		ok_;                                                                               \
	})

/* A cache instruction on the block of an address. */
#define TOUCH_BLOCK(ea, modify) tm_touch_block(env, cia, (ea), modify)

#else

#define LOAD(type, ea)                                                                             \
	({                                                                                         \
		const u64 ea_ = (ea);                                                              \
		MEM_TYPE_##type value_;                                                            \
		if (unlikely(!GUEST_OK(ea_) || !host_load_##type(GUEST_POINTER(ea_), &value_)))    \
			STORAGE_EXIT(CPU_EXIT_FAULT, ea_, ACCESS_READ, sizeof(value_));            \
		value_;                                                                            \
	})

#define STORE(type, ea, value)                                                                     \
	do {                                                                                       \
		const u64 ea_ = (ea);                                                              \
		if (unlikely(!GUEST_OK(ea_) || !host_store_##type(GUEST_POINTER(ea_), (value))))   \
			STORAGE_EXIT(CPU_EXIT_FAULT, ea_, ACCESS_WRITE, sizeof(MEM_TYPE_##type));  \
	} while (0)

/* Compare and swap of a stcx.: gives whether the store happened. Naturally aligned. */
#define CMPXCHG(type, ea, old, new_value)                                                          \
	({                                                                                         \
		const u64 ea_ = (ea);                                                              \
		bool ok_;                                                                          \
		if (unlikely(!GUEST_OK(ea_) ||                                                     \
			     !host_cmpxchg_##type(GUEST_POINTER(ea_), (old), (new_value), &ok_)))  \
			STORAGE_EXIT(CPU_EXIT_FAULT, ea_, ACCESS_WRITE, sizeof(MEM_TYPE_##type));  \
		ok_;                                                                               \
	})

#define TOUCH_BLOCK(ea, modify) ((void)0)

#endif /* SEM_TRANSACTIONAL */

#endif
