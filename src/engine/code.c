// SPDX-License-Identifier: MIT
#include "engine/code.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/counters.h"
#include "base/host_access.h"
#include "engine/engine.h"
#include "engine/handlers.h"
#include "engine/jit/jit.h"
#include "isa/insn.h"

#define BUCKETS 4096
#define PAGE	4096ull

/*
 * CPUs look chunks up and execute ops without a lock. Chunks are only ever added; an op is filled
 * under the lock and becomes executable with the store to its fn, which comes last. Turning ops
 * back (code_invalidate) needs all CPUs stopped.
 */
struct code_space {
	const struct code_source *source;
	void *context;
	pthread_mutex_t lock; /* adding chunks, filling ops */
	u32 generation;	      /* of invalidations: fetch() may let one pass */
	struct jit *jit; /* NULL until something is compiled */
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
	pthread_mutex_init(&code->lock, NULL);
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
	jit_destroy(code->jit);
	free(code);
}

static void forget_op(struct op *op)
{
	op->fn = h_decode;
	op->form = FORM_invalid;
	op->imm = 0;
}

static struct chunk *new_chunk(u64 base, enum code_mode mode)
{
	struct chunk *chunk = malloc(sizeof(*chunk));

	if (!chunk)
		return NULL;
	chunk->base = base;
	chunk->mode = mode;
	chunk->may_fetch = false;
	memset(chunk->heat, (u8)-jit_options.threshold, sizeof(chunk->heat));
	for (u16 i = 0; i < CHUNK_WORDS; i++)
		chunk->ops[i] = (struct op){.fn = h_decode, .index = i};
	chunk->ops[CHUNK_WORDS] = (struct op){.fn = h_next_chunk, .index = CHUNK_WORDS};
	return chunk;
}

static struct chunk *find_chunk(struct chunk *const *bucket, u64 base, enum code_mode mode)
{
	struct chunk *chunk = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);

	while (chunk && (chunk->base != base || chunk->mode != mode))
		chunk = chunk->next_in_bucket;
	return chunk;
}

static struct chunk *add_chunk(struct chunk **bucket, u64 base, enum code_mode mode)
{
	struct chunk *chunk = find_chunk(bucket, base, mode);

	if (chunk)
		return chunk;
	chunk = new_chunk(base, mode);
	if (chunk) {
		chunk->next_in_bucket = *bucket;
		__atomic_store_n(bucket, chunk, __ATOMIC_RELEASE);
		count(COUNTER_chunks, 1);
	}
	return chunk;
}

struct op *code_op_locked(struct code_space *code, u64 pc, enum code_mode mode)
{
	u64 base = ROUND_DOWN(pc, CHUNK_BYTES);
	struct chunk *chunk = add_chunk(bucket_of(code, base), base, mode);

	return chunk ? &chunk->ops[(pc - base) / 4] : NULL;
}

struct op *code_op(struct code_space *code, u64 pc, enum code_mode mode)
{
	u64 base = ROUND_DOWN(pc, CHUNK_BYTES);
	struct chunk *chunk = find_chunk(bucket_of(code, base), base, mode);
	struct op *op;

	if (likely(chunk))
		return &chunk->ops[(pc - base) / 4];
	pthread_mutex_lock(&code->lock);
	op = code_op_locked(code, pc, mode);
	pthread_mutex_unlock(&code->lock);
	return op;
}

void code_fill_op(struct op *op, u32 word, enum code_mode mode)
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
	__atomic_store_n(&op->fn, handler_of(d.form, mode), __ATOMIC_RELEASE);
}

/* Let one handler run an op and the next one, where both are decoded and there is such a handler.
 */
static void fuse(struct op *first)
{
	op_fn *pair = handler_of_pair(first[0].form, first[1].form);

	/* Compiled code may be there already. */
	if (pair && first->fn == handler_of(first->form, CODE_PLAIN))
		__atomic_store_n(&first->fn, pair, __ATOMIC_RELEASE);
}

bool code_decode(struct cpu *cpu, struct op *op)
{
	struct code_space *code = cpu->code;
	struct chunk *chunk = op_chunk(op);
	u64 pc = op_pc(op);
	bool done = true;
	u32 word;

	while (!__atomic_load_n(&chunk->may_fetch, __ATOMIC_ACQUIRE)) {
		u32 generation = code->generation;

		if (!code->source->fetch(code->context, ROUND_DOWN(pc, PAGE)))
			goto fault;
		if (generation == code->generation)
			__atomic_store_n(&chunk->may_fetch, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_lock(&code->lock);
	if (op->fn == h_decode) { /* else another CPU came first */
		done = host_load_u32((const void *)(uintptr_t)pc, &word);
		if (done) {
			code_fill_op(op, word, chunk->mode);
			if (chunk->mode == CODE_PLAIN) {
				fuse(op);
				if (op->index)
					fuse(op - 1);
			}
			count(COUNTER_decodes, 1);
		}
	}
	pthread_mutex_unlock(&code->lock);
	if (done)
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
	code->generation++;
	jit_invalidate(code->jit, address, end);
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

void code_changed(struct code_space *code, u64 address, u64 length)
{
	if (code->source->changed)
		code->source->changed(code->context, address, length);
	else
		code_invalidate(code, address, length);
}

void code_compile(struct code_space *code, struct op *head)
{
	pthread_mutex_lock(&code->lock);
	jit_compile(&code->jit, code, head);
	pthread_mutex_unlock(&code->lock);
}

void code_after_fork(struct code_space *code)
{
	jit_after_fork(code->jit);
}
