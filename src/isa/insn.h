/* SPDX-License-Identifier: MIT */
/*
 * The instruction table and what is derived from it: decoder and disassembler.
 *
 * insn.def has one row per instruction, operands.def one row per kind of operand. Everything
 * that knows instructions is made from these two: the decoder (decode.c), the disassembler
 * (disas.c), the handlers of the interpreter (src/engine/), the differential tests. What an
 * instruction does is written once, in src/isa/sem/, under the row's name (see sem.h).
 *
 * All functions here may be called by any thread once isa_init() has returned.
 */
#ifndef ISA_INSN_H
#define ISA_INSN_H

#include "base/types.h"

/* Level of the ISA that introduced an instruction. */
enum isa_level {
	ISA_P1, /* PowerPC, including the 64-bit category */
	ISA_V2_00,
	ISA_V2_01,
	ISA_V2_02,
	ISA_V2_03, /* VMX */
	ISA_V2_04,
	ISA_V2_05, /* POWER6, decimal floating point */
	ISA_V2_06, /* POWER7, VSX */
	ISA_V2_07, /* POWER8, TM, crypto */
	ISA_V3_0,  /* POWER9 */
};

/* Flags of an instruction. */
#define INSN_PRIVILEGED	 0x0001u /* not for problem state */
#define INSN_NOT_IN_TM	 0x0002u /* disallowed in a transaction: fails it */
#define INSN_ENDS_BLOCK	 0x0004u /* branch, system call, rfid, may change MSR[TS] or MSR[TM] */
#define INSN_LOAD	 0x0008u
#define INSN_STORE	 0x0010u
#define INSN_FP		 0x0020u /* needs MSR[FP] */
#define INSN_VEC	 0x0040u /* needs MSR[VEC] */
#define INSN_VSX	 0x0080u /* needs MSR[VSX] */
#define INSN_TM		 0x0100u /* needs MSR[TM] */
#define INSN_DFP	 0x0200u /* decimal floating point: decoded, not executed */
#define INSN_RC		 0x0400u /* record form: sets CR0, CR1 or CR6 */
#define INSN_FP_OR_VEC	 0x0800u /* MSR[FP] for VSR 0-31, MSR[VEC] for VSR 32-63 */
#define INSN_LE_ALIGN	 0x1000u /* alignment interrupt in little-endian mode */
#define INSN_UPDATE	 0x2000u /* load or store with update: RA must not be 0 */

/* Kinds of operand: operands.def. */
enum operand {
	OPERAND_NONE,
#define OPERAND(name, ...) OPERAND_##name,
#include "isa/operands.def"
#undef OPERAND
	OPERAND_COUNT,
};

#define INSN_MAX_OPERANDS 6

/**
 * struct insn - a row of the table
 * @mnemonic: as the assembler spells it, "add." for the record form
 * @name: as its semantics are called, "add_rc"
 * @value: opcode bits
 * @mask: which bits of the word are opcode
 * @reserved: bits that are neither opcode nor operand; hardware ignores them
 * @flags: INSN_*
 * @level: enum isa_level
 * @operands: enum operand, in the order of the assembler; OPERAND_NONE after the last
 */
struct insn {
	const char *mnemonic;
	const char *name;
	u32 value, mask, reserved;
	u32 flags;
	u8 level;
	u8 operands[INSN_MAX_OPERANDS];
};

/*
 * Decoded forms: one for each row of insn.def (FORM_add, FORM_add_rc, ...), then those of
 * forms.def, special cases which the decoder tells apart because they can run faster.
 */
enum form {
	FORM_invalid,
#define I(mnemonic, name, ...) FORM_##name,
#include "isa/insn.def"
#undef I
	FORM_ROWS_END,
	FORM_before_special = FORM_ROWS_END - 1,
#define F(name, row) FORM_##name,
#include "isa/forms.def"
#undef F
	FORM_COUNT,
};

/**
 * struct decoded - an instruction taken apart
 * @insn: its row; NULL if the word is no instruction
 * @form: enum form
 * @t: first of the register operands in the order of the assembler, as byte offset into
 *	struct cpu; numbers that do not go to @imm follow the registers, see operands.def
 * @a: second
 * @b: third
 * @c: fourth
 * @imm: the first immediate: sign-extended where the instruction does so; for branches the
 *	displacement (or absolute address if AA=1); for rotates the mask, with the shift in @b
 */
struct decoded {
	const struct insn *insn;
	u16 form;
	u16 t, a, b, c;
	s64 imm;
};

/* Builds the look-up tables from insn.def. Idempotent; call before any other function. */
void isa_init(void);

/**
 * isa_decode - find the instruction of a word
 * @word: in host order
 * @d: filled; d->form is FORM_invalid for words that are no instruction of level 2.07
 *
 * Return: true if the word is an instruction.
 */
bool isa_decode(u32 word, struct decoded *d);

/* The row of a form of insn.def, or of the row a special form was made from; NULL for invalid. */
const struct insn *isa_form_insn(enum form form);

/* The form of a row. */
enum form isa_insn_form(const struct insn *insn);

/* "add_rc" and the like; special forms too. */
const char *isa_form_name(enum form form);

/**
 * isa_disassemble - write an instruction as the assembler would
 * @word: in host order
 * @pc: its address, for branch targets
 * @buffer: at least 96 bytes
 * @size: of the buffer
 *
 * Uses extended mnemonics (mr, li, blr) and refuses invalid forms as objdump does: such words and
 * those that are no instruction come out as ".long 0x...". A branch target is the last operand.
 */
void isa_disassemble(u32 word, u64 pc, char *buffer, size_t size);

/* Where a direct branch at pc leads, if taken; false for all other instructions. */
bool isa_branch_target(u32 word, u64 pc, u64 *target);

#endif
