// SPDX-License-Identifier: MIT
/*
 * Copying stencils.
 *
 *	entries		facilities checked, pins loaded, on to the instruction
 *	hot parts	in the order of guest addresses
 *	cold parts	what the stencils do rarely
 *	ways out	leave: the interpreter does this instruction; edge: on to another op
 */
#include "engine/jit/emit.h"

#include <stdlib.h>

#include "engine/handlers.h"
#include "engine/interp.h"
#include "engine/jit/jit.h"
#include "engine/jit/x86.h"

/* The registers of PRESERVE_NONE that stencils hand on; not those that they compute with. */
static const u8 pin_register[PINS] = {R13, R14, R15, RDI, RSI, R8, R9, R11};

#define CPU_OFFSET(field) ((u32)offsetof(struct cpu, field))

/* A distance that is filled in when everything has its place. */
enum aim {
	AIM_ITEM,      /* the hot part of an item */
	AIM_AFTER,     /* what follows an item's hot part */
	AIM_COLD,      /* an offset in an item's cold part */
	AIM_HOT,       /* an offset in an item's hot part */
	AIM_LEAVE,     /* the way out to the interpreter, for an item */
	AIM_EDGE,      /* the way out to an address */
	AIM_LEAVE_ALL, /* the shared end of the ways out */
	AIM_JUMP,      /* the way out to cpu->pc */
};

struct patch {
	u32 place;
	enum aim aim;
	u32 item, offset;
	u64 target;
};

struct emitter {
	struct x86_buffer b;
	const struct jit_common *common;
	struct region_plan *plan;
	bool failed;
	u32 n_patches, n_faults, n_entries;
	struct patch patches[8 * REGION_MAX_ITEMS];
	struct {
		u32 place; /* of the instruction that faults */
		enum aim aim;
		u32 item, offset;
	} faults[4 * REGION_MAX_ITEMS];
	struct jit_entry entries[REGION_MAX_ITEMS];
	u32 start[REGION_MAX_ITEMS], hot[REGION_MAX_ITEMS], after[REGION_MAX_ITEMS],
		cold[REGION_MAX_ITEMS];
	u32 leave[REGION_MAX_ITEMS]; /* 0: not there yet */
	u32 leave_all, jump;
	u8 in_memory; /* pins that the stencil being copied wants in memory */
};

static void patch_later(struct emitter *e, u32 place, enum aim aim, u32 item, u32 offset,
			u64 target)
{
	if (e->n_patches == ARRAY_SIZE(e->patches)) {
		e->failed = true;
		return;
	}
	e->patches[e->n_patches++] = (struct patch){place, aim, item, offset, target};
}

static u32 index_of(const struct emitter *e, const struct region_item *item)
{
	return (u32)(item - e->plan->items);
}

/* --- pins ----------------------------------------------------------------------------------------
 */

static void load_pin(struct emitter *e, u32 pin)
{
	x86_load(&e->b, pin_register[pin], (u32)GPR_OFFSET(e->plan->pinned[pin]));
}

static void store_pin(struct emitter *e, u32 pin)
{
	x86_store(&e->b, pin_register[pin], (u32)GPR_OFFSET(e->plan->pinned[pin]));
}

static void store_pins(struct emitter *e)
{
	for (u32 pin = 0; pin < PINS; pin++)
		if (e->plan->dirty >> pin & 1)
			store_pin(e, pin);
}

/* Pins of the operands of an item, a bit each. */
static u8 operand_pins(const struct emitter *e, const struct region_item *item)
{
	u8 pins = 0;

	for (u32 i = 0; i < (item->pair ? 8u : 4u); i++) {
		/* Some instructions use two registers in a row. */
		for (u32 next = 0; next < 2; next++) {
			int reg = region_register(region_operand(item, i) + 8ull * next);

			if (reg >= 0 && e->plan->pin_of[reg] != NOT_PINNED)
				pins |= (u8)(1u << e->plan->pin_of[reg]);
		}
	}
	return pins;
}

/* Pins that a stencil wants in memory, because one of its accesses cannot be one to a host
 * register. */
static u8 pins_in_memory(const struct emitter *e, const struct region_item *item)
{
	const struct stencil *s = item->stencil;
	u8 pins = 0;

	if (s->flags & STENCIL_IN_MEMORY)
		return operand_pins(e, item);
	for (u32 i = 0; i < s->n_marks; i++) {
		const struct stencil_mark *m = &s->marks[i];
		int reg = m->kind == MARK_SLOT ? region_register(region_operand(item, m->operand))
					       : -1;

		if (reg >= 0 && !(m->flags & SLOT_REPLACE) && e->plan->pin_of[reg] != NOT_PINNED)
			pins |= (u8)(1u << e->plan->pin_of[reg]);
	}
	return pins;
}

/* --- holes
 * ---------------------------------------------------------------------------------------- */

static u64 hole_value(const struct region_item *item, u32 hole)
{
	switch (hole & HOLE_MASK) {
	case HOLE_IMMEDIATE:
		return (u64)item->d.imm;
	case HOLE_IMMEDIATE2:
		return (u64)item[1].d.imm;
	case HOLE_ADDRESS:
		return item->pc;
	case HOLE_ADDRESS2:
		return item->pc + 4;
	}
	return region_operand(item, (hole - HOLE_OPERAND(0)) >> 20);
}

static bool is_hole(u32 x)
{
	x &= HOLE_MASK;
	return x >= HOLE_OPERAND(0) && x <= HOLE_ADDRESS2;
}

/* Addends are small, of either sign. */
#define HOLE_SLACK 0x800u

static bool find_hole(u32 x, u32 *hole, s32 *addend)
{
	u32 base = (x + HOLE_SLACK) & HOLE_MASK;

	if (!is_hole(base) || x + HOLE_SLACK - base >= 2 * HOLE_SLACK)
		return false;
	*hole = base;
	*addend = (s32)(x - base);
	return true;
}

/* Fill every hole of an instruction. *slot: where the one of an access to a register stands. */
static bool fill_holes(const struct region_item *item, u8 *insn, u32 length, u32 *slot)
{
	*slot = 0;
	/* Behind the opcode. */
	for (u32 i = 2; i + 4 <= length; i++) {
		u32 x, again = 0, hole;
		s32 addend;
		u64 value;

		memcpy(&x, insn + i, 4);
		if (!find_hole(x, &hole, &addend))
			continue;
		value = hole_value(item, hole) + (u64)(s64)addend;
		if (i + 8 <= length)
			memcpy(&again, insn + i + 4, 4);
		if (again == x) {
			memcpy(insn + i, &value, 8);
			i += 7;
			continue;
		}
		if ((s64)value != (s32)value)
			return false;
		x = (u32)value;
		memcpy(insn + i, &x, 4);
		if (i >= 2 && insn[i - 1] == 0x24 && (insn[i - 2] & 0xc7) == 0x84)
			*slot = i;
		i += 3;
	}
	return true;
}

/* --- copying
 * --------------------------------------------------------------------------------------- */

struct copy {
	struct emitter *e;
	struct region_item *item;
	const u8 *from; /* of the part */
	bool keep_length;
};

static void copy_jump(struct copy *c, const struct stencil_mark *m, u32 place)
{
	struct emitter *e = c->e;
	u32 item = index_of(e, c->item);

	switch (m->kind) {
	case MARK_NEXT:
		patch_later(e, place, AIM_AFTER, item, 0, 0);
		break;
	case MARK_TAKEN: {
		const struct region_item *branch = c->item + c->item->pair;
		struct region_item *to = region_item(e->plan, branch->target);

		if (to && !to->second)
			patch_later(e, place, AIM_ITEM, index_of(e, to), 0, 0);
		else
			patch_later(e, place, AIM_EDGE, 0, 0, branch->target);
		break;
	}
	case MARK_JUMP:
		patch_later(e, place, AIM_JUMP, 0, 0, 0);
		break;
	case MARK_LEAVE:
		patch_later(e, place, AIM_LEAVE, item, 0, 0);
		break;
	case MARK_LEAVE2:
		patch_later(e, place, AIM_LEAVE, item + 1, 0, 0);
		break;
	case MARK_LOCAL:
		patch_later(e, place, m->target & STENCIL_COLD ? AIM_COLD : AIM_HOT, item,
			    m->target & ~STENCIL_COLD, 0);
		break;
	}
}

static void note_fault(struct copy *c, const struct stencil_mark *m, u32 place)
{
	struct emitter *e = c->e;
	u32 item = index_of(e, c->item), n = e->n_faults;

	if (n == ARRAY_SIZE(e->faults)) {
		e->failed = true;
		return;
	}
	e->n_faults++;
	e->faults[n].place = place;
	e->faults[n].item = item + (m->target == STENCIL_TO_LEAVE2);
	e->faults[n].aim = m->target == STENCIL_TO_LEAVE || m->target == STENCIL_TO_LEAVE2
				   ? AIM_LEAVE
			   : m->target & STENCIL_COLD ? AIM_COLD
						      : AIM_HOT;
	e->faults[n].offset = m->target & ~STENCIL_COLD;
}

/* One instruction with its marks [first, last]. */
static void copy_instruction(struct copy *c, const struct stencil_mark *first,
			     const struct stencil_mark *last)
{
	struct emitter *e = c->e;
	struct x86_buffer *b = &e->b;
	u32 at = first->at & ~STENCIL_COLD, length = first->length, slot, n = length;
	u8 insn[32], replaced[32];
	const u8 *out = insn;
	u32 place = b->used;

	memcpy(insn, c->from + at, length);
	slot = 0;
	for (const struct stencil_mark *m = first; m <= last; m++)
		if (m->kind == MARK_SLOT || m->kind == MARK_NUMBER) {
			e->failed |= !fill_holes(c->item, insn, length, &slot);
			break;
		}
	for (const struct stencil_mark *m = first; m <= last; m++) {
		int reg = -1;

		switch (m->kind) {
		case MARK_SLOT:
			if (m->flags & SLOT_REPLACE && slot) {
				u32 offset;

				memcpy(&offset, insn + slot, 4);
				reg = region_register(offset);
			}
			if (reg >= 0 && e->plan->pin_of[reg] != NOT_PINNED &&
			    !(e->in_memory >> e->plan->pin_of[reg] & 1)) {
				n = x86_replace_by_register(insn, length, slot,
							    pin_register[e->plan->pin_of[reg]],
							    replaced);
				out = replaced;
			}
			break;
		case MARK_REL: {
			u32 disp = insn[0] == 0xe8 ? 1 : x86_modrm(insn) + 1;
			s32 distance;

			memcpy(&distance, insn + disp, 4);
			distance += (s32)((c->from + at) - (b->execute + place));
			memcpy(insn + disp, &distance, 4);
			break;
		}
		case MARK_NUMBER:
			break;
		case MARK_BYTE:
			insn[length - 1] = (u8)(region_operand(c->item, m->operand) & 63);
			break;
		case MARK_FAULT:
			note_fault(c, m, place);
			break;
		default:
			copy_jump(c, m, place + length - 4);
			break;
		}
	}
	x86_bytes(b, out, n);
	if (c->keep_length)
		x86_nop(b, length - n);
}

static void copy_part(struct emitter *e, struct region_item *item, bool cold)
{
	const struct stencil *s = item->stencil;
	struct copy c = {
		.e = e,
		.item = item,
		.from = cold ? (const u8 *)&s->cold + s->cold : (const u8 *)&s->hot + s->hot,
		.keep_length = cold || s->flags & STENCIL_FIXED,
	};
	u32 size = cold ? s->cold_size : s->hot_size, done = 0;
	const struct stencil_mark *m = s->marks, *end = m + s->n_marks;

	if (!cold && s->flags & STENCIL_FALLS)
		size -= 5;
	while (m < end) {
		const struct stencil_mark *last = m;
		u32 at = m->at & ~STENCIL_COLD;

		while (last + 1 < end && last[1].at == m->at)
			last++;
		if (!!(m->at & STENCIL_COLD) == cold && at < size) {
			x86_bytes(&e->b, c.from + done, at - done);
			copy_instruction(&c, m, last);
			done = at + m->length;
		}
		m = last + 1;
	}
	x86_bytes(&e->b, c.from + done, size - done);
}

/* --- a region
 * -------------------------------------------------------------------------------------- */

static void go_on_at(struct emitter *e, u64 pc)
{
	struct region_item *to = region_item(e->plan, pc);
	u32 place = x86_jmp(&e->b);

	if (to && !to->second)
		patch_later(e, place, AIM_ITEM, index_of(e, to), 0, 0);
	else
		patch_later(e, place, AIM_EDGE, 0, 0, pc);
}

static void emit_item(struct emitter *e, struct region_item *item)
{
	u32 i = index_of(e, item), n = 1 + item->pair;
	struct region_item *next = i + n < e->plan->n ? item + n : NULL;
	const struct region_item *last = item + item->pair;
	u8 in_memory;

	e->start[i] = e->b.used;
	if (jit_options.count && !item->block_index)
		x86_add_at_cpu(&e->b, (s32)item->block_count, CPU_OFFSET(icount));
	if (!item->stencil) {
		patch_later(e, x86_jmp(&e->b), AIM_LEAVE, i, 0, 0);
		return;
	}
	if (last->safepoint) {
		x86_test_at_cpu(&e->b, CPU_OFFSET(poll));
		patch_later(e, x86_jcc(&e->b, X86_NE), AIM_LEAVE, i, 0, 0);
	}
	e->in_memory = in_memory = pins_in_memory(e, item);
	for (u32 pin = 0; pin < PINS; pin++)
		if (in_memory & e->plan->dirty & 1u << pin)
			store_pin(e, pin);
	e->hot[i] = e->b.used;
	copy_part(e, item, false);
	e->after[i] = e->b.used;
	for (u32 pin = 0; pin < PINS; pin++)
		if (in_memory & 1u << pin)
			load_pin(e, pin);
	if (last->falls && (!next || next->pc != last->pc + 4))
		go_on_at(e, last->pc + 4);
}

/* MSR must have these on, and floating-point exceptions must not interrupt. */
static void emit_entry(struct emitter *e, struct region_item *item)
{
	u64 mask = e->plan->facilities ? e->plan->facilities | MSR_FE0 | MSR_FE1 : 0;
	u32 at = e->b.used;

	if (jit_options.count) {
		/* icount = (op + acc) / sizeof(op) */
		x86_registers(&e->b, 0x01, R13, R14);
		x86_shift(&e->b, R14, 5, 5);
		x86_store(&e->b, R14, CPU_OFFSET(icount));
	}
	if (mask) {
		x86_load(&e->b, RAX, CPU_OFFSET(msr));
		x86_u8(&e->b, 0x25); /* and $mask, %eax */
		x86_u32(&e->b, (u32)mask);
		x86_u8(&e->b, 0x3d); /* cmp $facilities, %eax */
		x86_u32(&e->b, (u32)e->plan->facilities);
		patch_later(e, x86_jcc(&e->b, X86_NE), AIM_LEAVE, index_of(e, item), 1, 0);
	}
	for (u32 pin = 0; pin < PINS; pin++)
		if (e->plan->pinned[pin] < 32)
			load_pin(e, pin);
	patch_later(e, x86_jmp(&e->b), AIM_ITEM, index_of(e, item), 0, 0);
	e->entries[e->n_entries++] = (struct jit_entry){item->op, at};
}

/*
 * The interpreter executes an item. @entering: the pins were not loaded.
 * %rax holds the op, %rcx its handler until the pins are stored.
 */
static u32 emit_leave(struct emitter *e, u32 i, bool entering)
{
	const struct region_item *item = &e->plan->items[i];
	const void *handler = (const void *)(uintptr_t)handler_of(item->d.form, CODE_PLAIN);
	u32 at = e->b.used;

	/* What was counted for the whole block, and has not been done; an entry has not counted
	 * yet. */
	if (jit_options.count && !entering)
		x86_add_at_cpu(&e->b, -(s32)(item->block_count - item->block_index),
			       CPU_OFFSET(icount));
	x86_mov_constant(&e->b, RAX, (u64)(uintptr_t)item->op);
	x86_mov_constant(&e->b, RCX, (u64)(uintptr_t)handler);
	if (entering) {
		x86_mov(&e->b, R13, RAX);
		x86_jmp_to(&e->b, e->common->leave);
	} else {
		patch_later(e, x86_jmp(&e->b), AIM_LEAVE_ALL, 0, 0, 0);
	}
	return at;
}

static u32 emit_edge(struct emitter *e, struct code_space *code, u64 target)
{
	struct op *op =
		target < GUEST_ADDRESS_LIMIT ? code_op_locked(code, target, CODE_PLAIN) : NULL;
	u32 at = e->b.used;

	store_pins(e);
	if (op) {
		x86_mov_constant(&e->b, R13, (u64)(uintptr_t)op);
		x86_jmp_to(&e->b, e->common->enter);
	} else {
		x86_mov_constant(&e->b, RAX, target);
		x86_store(&e->b, RAX, CPU_OFFSET(pc));
		x86_jmp_to(&e->b, e->common->dispatch);
	}
	return at;
}

/* Ways out that are needed, then all distances. */
static void resolve(struct emitter *e, struct code_space *code)
{
	u32 entering[REGION_MAX_ITEMS] = {0};

	for (u32 i = 0; i < e->n_faults; i++)
		if (e->faults[i].aim == AIM_LEAVE && !e->leave[e->faults[i].item])
			e->leave[e->faults[i].item] = emit_leave(e, e->faults[i].item, false);
	/* Edges and exits add patches of their own: to the shared end. */
	for (u32 i = 0; i < e->n_patches; i++) {
		struct patch *p = &e->patches[i];

		if (p->aim == AIM_LEAVE && !p->offset && !e->leave[p->item])
			e->leave[p->item] = emit_leave(e, p->item, false);
		if (p->aim == AIM_LEAVE && p->offset && !entering[p->item])
			entering[p->item] = emit_leave(e, p->item, true);
		if (p->aim == AIM_EDGE)
			p->offset = emit_edge(e, code, p->target);
	}
	e->leave_all = e->b.used;
	store_pins(e);
	x86_mov(&e->b, R13, RAX);
	x86_jmp_to(&e->b, e->common->leave);
	e->jump = e->b.used;
	store_pins(e);
	x86_jmp_to(&e->b, e->common->dispatch);

	for (u32 i = 0; i < e->n_patches; i++) {
		const struct patch *p = &e->patches[i];
		u32 to = 0;

		switch (p->aim) {
		case AIM_ITEM:
			to = e->start[p->item];
			break;
		case AIM_AFTER:
			to = e->after[p->item];
			break;
		case AIM_COLD:
			to = e->cold[p->item] + p->offset;
			break;
		case AIM_HOT:
			to = e->hot[p->item] + p->offset;
			break;
		case AIM_LEAVE:
			to = p->offset ? entering[p->item] : e->leave[p->item];
			break;
		case AIM_EDGE:
			to = p->offset;
			break;
		case AIM_LEAVE_ALL:
			to = e->leave_all;
			break;
		case AIM_JUMP:
			to = e->jump;
			break;
		}
		x86_aim(&e->b, p->place, e->b.execute + to);
	}
}

static struct region *keep(struct emitter *e, u32 code)
{
	struct region *region = calloc(1, sizeof(*region));
	struct region_plan *plan = e->plan;

	if (!region)
		return NULL;
	region->faults = calloc(e->n_faults + 1, sizeof(*region->faults));
	region->entries = calloc(e->n_entries, sizeof(*region->entries));
	if (!region->faults || !region->entries) {
		region_free(region);
		return NULL;
	}
	region->start = plan->items[0].pc;
	region->end = plan->items[plan->n - 1].pc + 4;
	region->code = code;
	region->code_size = e->b.used;
	for (u32 i = 0; i < e->n_faults; i++) {
		u32 item = e->faults[i].item, offset = e->faults[i].offset;

		region->faults[i].from = code + e->faults[i].place;
		region->faults[i].to =
			code + (e->faults[i].aim == AIM_LEAVE  ? e->leave[item]
				: e->faults[i].aim == AIM_COLD ? e->cold[item] + offset
							       : e->hot[item] + offset);
	}
	region->n_faults = e->n_faults;
	for (u32 i = 0; i < e->n_entries; i++)
		region->entries[i] = (struct jit_entry){e->entries[i].op, code + e->entries[i].at};
	region->n_entries = e->n_entries;
	return region;
}

void region_free(struct region *region)
{
	free(region->faults);
	free(region->entries);
	free(region);
}

struct region *emit_region(struct code_cache *cache, const struct jit_common *common,
			   struct region_plan *plan)
{
	static _Thread_local struct emitter e;
	u32 code = (u32)ROUND_UP(cache->used, 16);
	struct code_space *space = common->space;
	struct region *region;

	e.b = (struct x86_buffer){.write = cache->write + code,
				  .execute = cache->execute + code,
				  .size = (u32)(cache->size - code)};
	e.common = common;
	e.plan = plan;
	e.failed = false;
	e.n_patches = e.n_faults = e.n_entries = 0;
	memset(e.leave, 0, sizeof(e.leave[0]) * plan->n);
	for (u32 i = 0; i < plan->n; i++)
		if (plan->items[i].entry && plan->items[i].stencil && !plan->items[i].second)
			emit_entry(&e, &plan->items[i]);
	for (u32 i = 0; i < plan->n; i++)
		if (!plan->items[i].second)
			emit_item(&e, &plan->items[i]);
	for (u32 i = 0; i < plan->n; i++) {
		e.cold[i] = e.b.used;
		if (plan->items[i].stencil && !plan->items[i].second) {
			e.in_memory = pins_in_memory(&e, &plan->items[i]);
			copy_part(&e, &plan->items[i], true);
		}
	}
	resolve(&e, space);
	if (e.failed || e.b.used > e.b.size)
		return NULL;
	region = keep(&e, code);
	if (region)
		cache->used = code + e.b.used;
	return region;
}

/* --- shared
 * ----------------------------------------------------------------------------------------- */

/* acc such that the interpreter counts on from cpu->icount: icount * sizeof(op) - op. */
static void emit_acc(struct x86_buffer *b)
{
	if (!jit_options.count)
		return;
	x86_load(b, R14, CPU_OFFSET(icount));
	x86_shift(b, R14, 4, 5);
	x86_registers(b, 0x29, R13, R14);
}

void emit_common(struct code_cache *cache, struct jit_common *common)
{
	static const struct op after_jump[2] = {{.index = 0}, {.index = 1}};
	struct x86_buffer b = {
		.write = cache->write, .execute = cache->execute, .size = (u32)cache->size};
	u32 poll, miss;

	/* leave: jmp *%rcx */
	common->leave = b.execute + b.used;
	emit_acc(&b);
	x86_u8(&b, 0xff);
	x86_u8(&b, 0xe1);

	/* enter: compiled code at once, all else through a function that counts. */
	common->enter = b.execute + b.used;
	emit_acc(&b);
	x86_u8(&b, 0x49); /* mov 0(%r13), %rax */
	x86_u8(&b, 0x8b);
	x86_u8(&b, 0x45);
	x86_u8(&b, 0x00);
	x86_mov(&b, RCX, RAX);
	x86_mov_constant(&b, RDX, (u64)(uintptr_t)cache->execute);
	x86_registers(&b, 0x29, RDX, RCX); /* sub %rdx, %rcx */
	x86_u8(&b, 0x48);		   /* cmp $size, %rcx */
	x86_u8(&b, 0x81);
	x86_u8(&b, 0xf9);
	x86_u32(&b, (u32)cache->size);
	x86_aim(&b, x86_jcc(&b, X86_AE), (const void *)(uintptr_t)jit_edge);
	x86_u8(&b, 0xff); /* jmp *%rax */
	x86_u8(&b, 0xe0);

	/* dispatch: the jump cache, as INTERP_JUMP has it */
	common->dispatch = b.execute + b.used;
	x86_load(&b, RAX, CPU_OFFSET(pc));
	x86_mov(&b, RCX, RAX);
	x86_shift(&b, RCX, 5, 2);
	x86_u8(&b, 0x81); /* and $.., %ecx */
	x86_u8(&b, 0xe1);
	x86_u32(&b, JUMP_CACHE_SIZE - 1);
	x86_shift(&b, RCX, 4, 4);
	x86_registers(&b, 0x01, R12, RCX); /* add %r12, %rcx */
	x86_u8(&b, 0x48);		   /* cmp jump_cache(%rcx), %rax */
	x86_u8(&b, 0x3b);
	x86_u8(&b, 0x81);
	x86_u32(&b, CPU_OFFSET(jump_cache));
	miss = x86_jcc(&b, X86_NE);
	x86_test_at_cpu(&b, CPU_OFFSET(poll));
	poll = x86_jcc(&b, X86_NE);
	x86_u8(&b, 0x4c); /* mov jump_cache + 8(%rcx), %r13 */
	x86_u8(&b, 0x8b);
	x86_u8(&b, 0xa9);
	x86_u32(&b, CPU_OFFSET(jump_cache) + 8);
	x86_jmp_to(&b, common->enter);
	x86_aim(&b, miss, b.execute + b.used);
	x86_aim(&b, poll, b.execute + b.used);
	x86_mov_constant(&b, R13, (u64)(uintptr_t)(after_jump + 1));
	emit_acc(&b);
	x86_mov_constant(&b, R13, (u64)(uintptr_t)after_jump);
	x86_jmp_to(&b, (const void *)(uintptr_t)interp_jump);
	cache->used = b.used;
}
