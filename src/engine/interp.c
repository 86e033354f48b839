// SPDX-License-Identifier: MIT
/*
 * The interpreter's entry, its ways out, and the ops that are not instructions.
 */
#include "engine/interp.h"

#include <pthread.h>
#include <string.h>

#include "base/extable.h"
#include "engine/code.h"
#include "engine/engine.h"
#include "engine/handlers.h"
#include "engine/jit/emit.h"
#include "engine/jit/jit.h"
#include "isa/fp.h"
#include "isa/insn.h"

PRESERVE_NONE enum cpu_exit interp_leave(struct cpu *cpu, const struct op *op, s64 acc, u32 exit)
{
	cpu->pc = op_pc(op);
	cpu->icount = ((u64)(uintptr_t)op + (u64)acc) / sizeof(struct op);
	cpu->exit.insn = op->word;
	return (enum cpu_exit)exit;
}

PRESERVE_NONE enum cpu_exit interp_leave_after(struct cpu *cpu, const struct op *op, s64 acc,
					       u32 exit)
{
	u32 word = op->word;

	op++;
	cpu->pc = op_pc(op);
	cpu->icount = ((u64)(uintptr_t)op + (u64)acc) / sizeof(struct op);
	cpu->exit.insn = word;
	return (enum cpu_exit)exit;
}

/* Leave in front of cpu->pc, after the branch `op`. */
static PRESERVE_NONE enum cpu_exit leave_at(struct cpu *cpu, const struct op *op, s64 acc,
					    enum cpu_exit exit)
{
	cpu->icount = ((u64)(uintptr_t)(op + 1) + (u64)acc) / sizeof(struct op);
	cpu->exit.insn = 0;
	return exit;
}

static struct jump_cache_entry *jump_cache_entry(struct cpu *cpu, u64 target)
{
	return cpu_code_mode(cpu) == CODE_PLAIN
		       ? &cpu->jump_cache[target / 4 % JUMP_CACHE_SIZE]
		       : &cpu->tm_jump_cache[target / 4 % TM_JUMP_CACHE_SIZE];
}

PRESERVE_NONE enum cpu_exit interp_jump(struct cpu *cpu, const struct op *op, s64 acc)
{
	u64 target = cpu->pc;
	struct op *next;

	if (unlikely(cpu->poll))
		return leave_at(cpu, op, acc, CPU_EXIT_INTERRUPT);
	next = target < GUEST_ADDRESS_LIMIT ? code_op(cpu->code, target, cpu_code_mode(cpu)) : NULL;
	if (unlikely(!next)) {
		cpu->exit.address = target;
		cpu->exit.access = ACCESS_FETCH;
		cpu->exit.size = 4;
		return leave_at(cpu, op, acc, CPU_EXIT_FAULT);
	}
	*jump_cache_entry(cpu, target) = (struct jump_cache_entry){.pc = target, .op = next};
	acc += (const char *)(op + 1) - (const char *)next;
	op = next;
	MUSTTAIL return op->fn(cpu, op, acc);
}

PRESERVE_NONE enum cpu_exit interp_change_mode(struct cpu *cpu, const struct op *op, s64 acc)
{
	const struct jump_cache_entry *e = jump_cache_entry(cpu, cpu->pc);

	if (unlikely(e->pc != cpu->pc || cpu->poll))
		MUSTTAIL return interp_jump(cpu, op, acc);
	acc += (const char *)(op + 1) - (const char *)e->op;
	op = e->op;
	MUSTTAIL return op->fn(cpu, op, acc);
}

COLD NOINLINE void interp_hot(struct cpu *cpu, struct op *op)
{
	if (!jit_options.off && op_chunk(op)->mode == CODE_PLAIN)
		code_compile(cpu->code, op);
	/* Once more after as many. */
	*op_heat(op) = (u8)-jit_options.threshold;
}

/* From compiled code: it is hot already. */
PRESERVE_NONE enum cpu_exit jit_edge(struct cpu *cpu, const struct op *op, s64 acc)
{
	if (unlikely(op->index < CHUNK_WORDS && heat_up(op_heat(op))))
		interp_hot(cpu, (struct op *)op);
	MUSTTAIL return op->fn(cpu, op, acc);
}

/* Target of the direct branch at an address. */
static u64 branch_target(u32 word, u64 pc)
{
	struct decoded d;

	isa_decode(word, &d);
	return word & 2 ? (u64)d.imm : pc + (u64)d.imm;
}

/* A taken direct branch without a known target, or with somebody waiting at the safepoint. */
PRESERVE_NONE enum cpu_exit interp_resolve(struct cpu *cpu, const struct op *op, s64 acc)
{
	u64 target = branch_target(op->word, op_pc(op));

	if (likely(!cpu->poll) && target < GUEST_ADDRESS_LIMIT) {
		const struct op *next = code_op(cpu->code, target, cpu_code_mode(cpu));

		((struct op *)op)->imm = (s64)(uintptr_t)next;
	}
	cpu->pc = target;
	MUSTTAIL return interp_jump(cpu, op, acc);
}

HANDLER(decode)
{
	if (op_chunk(op)->mode == CODE_TRANSACTIONAL && tm_fetch(cpu, op_pc(op)) != TM_OK)
		return interp_leave(cpu, op, acc, CPU_EXIT_TM_FAILURE);
	if (!code_decode(cpu, (struct op *)op))
		return interp_leave(cpu, op, acc, CPU_EXIT_FAULT);
	MUSTTAIL return op->fn(cpu, op, acc);
}

HANDLER(next_chunk)
{
	const struct op *next = (const struct op *)(uintptr_t)op->imm;

	if (unlikely(!next)) {
		u64 pc = op_pc(op);

		next = pc < GUEST_ADDRESS_LIMIT ? code_op(cpu->code, pc, op_chunk(op)->mode) : NULL;
		if (!next) {
			cpu->exit.address = pc;
			cpu->exit.access = ACCESS_FETCH;
			cpu->exit.size = 4;
			return interp_leave(cpu, op, acc, CPU_EXIT_FAULT);
		}
		((struct op *)op)->imm = (s64)(uintptr_t)next;
	}
	acc += (const char *)op - (const char *)next;
	op = next;
	MUSTTAIL return op->fn(cpu, op, acc);
}

HANDLER(step_done)
{
	return interp_leave(cpu, op, acc, CPU_EXIT_STEP);
}

/* Run from an op until something happens. */
static enum cpu_exit run_from(struct cpu *cpu, const struct op *op)
{
	s64 acc = (s64)(cpu->icount * sizeof(struct op)) - (s64)(uintptr_t)op;
	enum cpu_exit exit;

	fp_enter(cpu);
	exit = op->fn(cpu, op, acc);
	fp_leave(cpu);
	return exit;
}

static struct op *current_op(struct cpu *cpu)
{
	struct op *op = cpu->pc < GUEST_ADDRESS_LIMIT
				? code_op(cpu->code, cpu->pc & ~3ull, cpu_code_mode(cpu))
				: NULL;

	if (!op) {
		cpu->exit.address = cpu->pc;
		cpu->exit.access = ACCESS_FETCH;
		cpu->exit.size = 4;
		cpu->exit.insn = 0;
	}
	return op;
}

/* Does the exit show what the transaction has computed to somebody outside? */
static bool shows_state(enum cpu_exit exit)
{
	switch (exit) {
	case CPU_EXIT_FAULT:
	case CPU_EXIT_ALIGNMENT:
	case CPU_EXIT_PROGRAM:
	case CPU_EXIT_FACILITY:
		return true;
	default: /* a system call: the operating system's policy decides first */
		return false;
	}
}

/*
 * What an exit in T becomes: the failure of the transaction, or itself. Return: true if the CPU can
 * go on, in N.
 */
static bool settle_transaction(struct cpu *cpu, enum cpu_exit exit)
{
	if (exit == CPU_EXIT_TM_FAILURE || (tm_is_transactional(cpu) && cpu->tm_doomed) ||
	    (tm_is_transactional(cpu) && tm_interrupt(cpu, exit == CPU_EXIT_INTERRUPT) != TM_OK) ||
	    (shows_state(exit) && tm_validate(cpu, cpu->pc) != TM_OK)) {
		tm_handle_failure(cpu);
		return true;
	}
	return false;
}

enum cpu_exit cpu_run(struct cpu *cpu)
{
	enum cpu_exit exit;

	if (unlikely(tm_is_transactional(cpu) && cpu->tm_doomed))
		tm_handle_failure(cpu);
	do {
		const struct op *op = current_op(cpu);

		if (unlikely(!op))
			return CPU_EXIT_FAULT;
		if (unlikely(cpu->poll))
			return CPU_EXIT_INTERRUPT;
		exit = run_from(cpu, op);
		if (exit == CPU_EXIT_CODE_CHANGE)
			code_changed(cpu->code, cpu->exit.address, 128);
	} while (exit == CPU_EXIT_CODE_CHANGE || settle_transaction(cpu, exit));
	return exit;
}

enum cpu_exit cpu_step(struct cpu *cpu)
{
	/* A chunk with the one instruction and a stop behind it; a branch stops at its safepoint.
	 */
	static _Thread_local struct chunk chunk;
	struct op *op = current_op(cpu), *copy;
	enum cpu_exit exit;
	u32 word;

	if (!op)
		return CPU_EXIT_FAULT;
	/* The fetch permission and the word, as the interpreter would get them. */
	if (op->fn == h_decode && !code_decode(cpu, op)) {
		cpu->exit.insn = 0;
		return CPU_EXIT_FAULT;
	}
	word = op->word;
	chunk.base = op_chunk(op)->base;
	chunk.mode = op_chunk(op)->mode;
	copy = &chunk.ops[op->index];
	copy->index = op->index;
	code_fill_op(copy, word, chunk.mode);
	copy[1] = (struct op){.fn = h_step_done, .index = (u16)(op->index + 1)};

	cpu_kick(cpu, POLL_STEP);
	exit = run_from(cpu, copy);
	__atomic_fetch_and(&cpu->poll, ~POLL_STEP, __ATOMIC_SEQ_CST);
	if (exit == CPU_EXIT_CODE_CHANGE) {
		code_changed(cpu->code, cpu->exit.address, 128);
		return CPU_EXIT_STEP;
	}
	if (settle_transaction(cpu, exit))
		return CPU_EXIT_STEP;
	return exit == CPU_EXIT_INTERRUPT ? CPU_EXIT_STEP : exit;
}

void cpu_init(struct cpu *cpu, struct code_space *code)
{
	memset(cpu, 0, sizeof(*cpu));
	cpu->code = code;
	cpu->msr = MSR_SF | MSR_EE | MSR_PR | MSR_ME | MSR_IR | MSR_DR | MSR_RI | MSR_LE;
	cpu->ppr = 4ull << 50; /* normal priority */
	cpu->vscr_nj = 1;
	cpu->reserve_address = ~0ull;
	for (size_t i = 0; i < JUMP_CACHE_SIZE; i++)
		cpu->jump_cache[i].pc = ~0ull;
	for (size_t i = 0; i < TM_JUMP_CACHE_SIZE; i++)
		cpu->tm_jump_cache[i].pc = ~0ull;
}

void engine_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, isa_init);
	extable_init();
	fused_init();
}
