// SPDX-License-Identifier: MIT
#include "engine/code.h"

#include <stdlib.h>
#include <string.h>

#include "base/counters.h"
#include "base/host_access.h"
#include "engine/engine.h"
#include "engine/handlers.h"
#include "isa/insn.h"

#define BUCKETS 4096
#define PAGE	4096ull

struct code_space {
	const struct code_source *source;
	void *context;
	struct chunk *buckets[BUCKETS];
};

static struct chunk **bucket_of(struct code_space *code, u64 base)
{
	return &code->buckets[(base >> CHUNK_SHIFT) % BUCKETS];
}

struct code_space *code_space_create(const struct code_source *source, void *context)
{
	struct code_space *code = calloc(1, sizeof(*code));

	if (!code)
		return NULL;
	code->source = source;
	code->context = context;
	return code;
}

void code_space_destroy(struct code_space *code)
{
	if (!code)
		return;
	for (size_t i = 0; i < BUCKETS; i++) {
		struct chunk *next;

		for (struct chunk *chunk = code->buckets[i]; chunk; chunk = next) {
			next = chunk->next_in_bucket;
			free(chunk);
		}
	}
	free(code);
}

static void forget_op(struct op *op)
{
	op->fn = h_decode;
	op->form = FORM_invalid;
	op->imm = 0;
}

static struct chunk *new_chunk(u64 base)
{
	struct chunk *chunk = malloc(sizeof(*chunk));

	if (!chunk)
		return NULL;
	chunk->base = base;
	chunk->may_fetch = false;
	for (u16 i = 0; i < CHUNK_WORDS; i++)
		chunk->ops[i] = (struct op){.fn = h_decode, .index = i};
	chunk->ops[CHUNK_WORDS] = (struct op){.fn = h_next_chunk, .index = CHUNK_WORDS};
	return chunk;
}

struct op *code_op(struct code_space *code, u64 pc)
{
	u64 base = ROUND_DOWN(pc, CHUNK_BYTES);
	struct chunk **bucket = bucket_of(code, base);
	struct chunk *chunk;

	for (chunk = *bucket; chunk; chunk = chunk->next_in_bucket)
		if (chunk->base == base)
			break;
	if (!chunk) {
		chunk = new_chunk(base);
		if (!chunk)
			return NULL;
		chunk->next_in_bucket = *bucket;
		*bucket = chunk;
		count(COUNTER_chunks, 1);
	}
	return &chunk->ops[(pc - base) / 4];
}

void code_fill_op(struct op *op, u32 word)
{
	struct decoded d;

	isa_decode(word, &d);
	op->word = word;
	op->form = d.form;
	op->t = d.t;
	op->a = d.a;
	op->b = d.b;
	op->c = d.c;
	/* The handler of a branch keeps its target here once it has been taken. */
	op->imm = handler_is_direct_branch(d.form) ? 0 : d.imm;
	op->fn = handler_of(d.form);
}

bool code_decode(struct cpu *cpu, struct op *op)
{
	struct code_space *code = cpu->code;
	struct chunk *chunk = op_chunk(op);
	u64 pc = op_pc(op);
	u32 word;

	if (!chunk->may_fetch) {
		if (!code->source->fetch(code->context, ROUND_DOWN(pc, PAGE)))
			goto fault;
		chunk->may_fetch = true;
	}
	if (pc >= GUEST_ADDRESS_LIMIT || !host_load_u32((const void *)(uintptr_t)pc, &word))
		goto fault;
	code_fill_op(op, word);
	count(COUNTER_decodes, 1);
	return true;
fault:
	cpu->exit.address = pc;
	cpu->exit.access = ACCESS_FETCH;
	cpu->exit.size = 4;
	return false;
}

static void forget_range(struct chunk *chunk, u64 address, u64 end)
{
	u64 chunk_end = chunk->base + CHUNK_BYTES;

	if (address >= chunk_end || end <= chunk->base)
		return;
	u64 first = address > chunk->base ? (address - chunk->base) / 4 : 0;
	u64 last = end < chunk_end ? (end - chunk->base + 3) / 4 : CHUNK_WORDS;

	/* The op before the range may have been fused with the first one in it. */
	if (first)
		first--;
	for (u64 i = first; i < last; i++)
		if (chunk->ops[i].form != FORM_invalid || chunk->ops[i].fn != h_decode)
			forget_op(&chunk->ops[i]);
	chunk->may_fetch = false;
}

void code_invalidate(struct code_space *code, u64 address, u64 length)
{
	u64 end = address + length < address ? UINT64_MAX : address + length;

	count(COUNTER_invalidations, 1);
	if (length / CHUNK_BYTES > BUCKETS) {
		for (size_t i = 0; i < BUCKETS; i++)
			for (struct chunk *c = code->buckets[i]; c; c = c->next_in_bucket)
				forget_range(c, address, end);
		return;
	}
	for (u64 base = ROUND_DOWN(address, CHUNK_BYTES); base < end; base += CHUNK_BYTES)
		for (struct chunk *c = *bucket_of(code, base); c; c = c->next_in_bucket)
			if (c->base == base)
				forget_range(c, address, end);
}
