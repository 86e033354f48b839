/* SPDX-License-Identifier: MIT */
/*
 * Decoded code of a guest address space: chunks of ops, found by address. Inside the engine only.
 */
#ifndef ENGINE_CODE_H
#define ENGINE_CODE_H

#include "engine/op.h"

/* The op of an address, decoded or not. NULL if memory is short. The caller drives a CPU. */
struct op *code_op(struct code_space *code, u64 pc, enum code_mode mode);
/* The same for those whom code_compile() calls. */
struct op *code_op_locked(struct code_space *code, u64 pc, enum code_mode mode);

/**
 * code_decode - make an op from its instruction word
 * @cpu: who asks
 * @op: not yet decoded
 *
 * Return: true, or false if its address may not be executed: then cpu->exit tells the fault.
 */
bool code_decode(struct cpu *cpu, struct op *op);

/* An icbi: forget the code there, as the code_source wants it done. */
void code_changed(struct code_space *code, u64 address, u64 length);

/* Fill an op from a word, for the interpreter; without fusing it with its neighbours. */
void code_fill_op(struct op *op, u32 word, enum code_mode mode);

/* An op has been branched to so often that compiling it pays. */
void code_compile(struct code_space *code, struct op *head);

#endif
