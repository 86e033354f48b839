// SPDX-License-Identifier: MIT
#include "linux/emulate.h"

#include "linux/task.h"
#include "linux/uaccess.h"

#define POWER8_PVR 0x004d0200u

#define RT(word)  ((word) >> 21 & 31)
#define RA(word)  ((word) >> 16 & 31)
#define RB(word)  ((word) >> 11 & 31)
#define NB(word)  (RB(word) ? RB(word) : 32)
#define SPR(word) (RA(word) | RB(word) << 5)
#define XO(word)  ((word) >> 1 & 1023)

/* Special purpose registers that a user may reach by their privileged numbers. */
#define SPR_DSCR 17
#define SPR_PVR	 287

/* Extended opcodes of primary opcode 31. */
enum {
	XO_MFSPR = 339,
	XO_MTSPR = 467,
	XO_MCRXR = 512,
	XO_LSWX = 533,
	XO_LSWI = 597,
	XO_STSWX = 661,
	XO_STSWI = 725,
	XO_DCBA = 758,
};

static enum emulation done(struct cpu *cpu)
{
	cpu->pc += 4;
	return EMULATED;
}

/* XER[SO, OV, CA] and a zero to a CR field; they become zero. */
static void mcrxr(struct cpu *cpu, u32 word)
{
	u8 *field = &cpu->cr[RT(word) & ~3u];

	field[0] = cpu->so;
	field[1] = cpu->ov;
	field[2] = cpu->ca;
	field[3] = 0;
	cpu->so = cpu->ov = cpu->ca = 0;
}

enum emulation emulate_instruction(struct task *task)
{
	struct cpu *cpu = task->cpu;
	u32 word;

	if (get_user(task, &word, cpu->pc))
		return EMULATION_FAULT;
	if (word >> 26 != 31)
		return NOT_EMULATED;
	switch (XO(word)) {
	case XO_MFSPR:
		if (SPR(word) == SPR_PVR)
			cpu->gpr[RT(word)] = POWER8_PVR;
		else if (SPR(word) == SPR_DSCR)
			cpu->gpr[RT(word)] = cpu->dscr;
		else
			return NOT_EMULATED;
		return done(cpu);
	case XO_MTSPR:
		if (SPR(word) != SPR_DSCR)
			return NOT_EMULATED;
		cpu->dscr = cpu->gpr[RT(word)];
		return done(cpu);
	case XO_MCRXR:
		mcrxr(cpu, word);
		return done(cpu);
	case XO_DCBA: /* a hint */
		return done(cpu);
	}
	return NOT_EMULATED;
}

/*
 * Multiple and string accesses of a little-endian guest, emulate_loadstore(): words in the guest's
 * byte order, also for the string instructions; a last word of fewer bytes holds them at its low
 * end. Register numbers wrap.
 */
static enum emulation move_words(struct task *task, u32 reg, u64 ea, u32 bytes, bool store)
{
	struct cpu *cpu = task->cpu;

	for (u32 i = 0; i < bytes; i += 4, reg = (reg + 1) & 31) {
		u32 n = MIN(bytes - i, 4u), word = store ? (u32)cpu->gpr[reg] : 0;
		int error = store ? copy_to_user(task, ea + i, &word, n)
				  : copy_from_user(task, &word, ea + i, n);

		if (error) {
			task->dar = ea + i;
			return EMULATION_FAULT;
		}
		if (!store)
			cpu->gpr[reg] = word;
	}
	return done(cpu);
}

/* lq and stq: the doubleword at the lower address belongs to the odd register. */
static enum emulation move_quadword(struct task *task, u32 reg, u64 ea, bool store)
{
	struct cpu *cpu = task->cpu;
	u64 pair[2] = {cpu->gpr[reg | 1], cpu->gpr[reg & ~1u]};
	int error = store ? copy_to_user(task, ea, pair, sizeof(pair))
			  : copy_from_user(task, pair, ea, sizeof(pair));

	if (error)
		return EMULATION_FAULT;
	if (!store) {
		cpu->gpr[reg | 1] = pair[0];
		cpu->gpr[reg & ~1u] = pair[1];
	}
	return done(cpu);
}

enum emulation emulate_unaligned(struct task *task)
{
	struct cpu *cpu = task->cpu;
	u64 ea = cpu->exit.address;
	u32 word;

	if (get_user(task, &word, cpu->pc))
		return EMULATION_FAULT;
	switch (word >> 26) {
	case 46: /* lmw */
		return move_words(task, RT(word), ea, 4 * (32 - RT(word)), false);
	case 47: /* stmw */
		return move_words(task, RT(word), ea, 4 * (32 - RT(word)), true);
	case 56: /* lq */
		return move_quadword(task, RT(word), ea, false);
	case 62: /* stq */
		return (word & 3) == 2 ? move_quadword(task, RT(word), ea, true) : NOT_EMULATED;
	case 31:
		break;
	default:
		return NOT_EMULATED;
	}
	switch (XO(word)) {
	case XO_LSWX:
		return move_words(task, RT(word), ea, cpu->string_count, false);
	case XO_LSWI:
		return move_words(task, RT(word), ea, NB(word), false);
	case XO_STSWX:
		return move_words(task, RT(word), ea, cpu->string_count, true);
	case XO_STSWI:
		return move_words(task, RT(word), ea, NB(word), true);
	}
	return NOT_EMULATED; /* larx and stcx. among others: SIGBUS */
}
