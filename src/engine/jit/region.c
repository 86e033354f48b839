// SPDX-License-Identifier: MIT
#include "engine/jit/region.h"

#include <string.h>

#include "base/host_access.h"
#include "engine/handlers.h"

/* What may follow an instruction. */
enum flow {
	FLOW_NEXT,     /* the following one */
	FLOW_BRANCH,   /* a direct branch, or the following one */
	FLOW_JUMP,     /* a direct branch, always */
	FLOW_CALL,     /* a direct branch that comes back */
	FLOW_INDIRECT, /* to an address in a register, or the following one */
	FLOW_INDIRECT_CALL,
};

static enum flow flow_of(u32 word, u16 form)
{
	switch (form) {
	case FORM_b:
	case FORM_ba:
		return FLOW_JUMP;
	case FORM_bl:
	case FORM_bla:
	case FORM_bcl:
	case FORM_bcla:
		return FLOW_CALL;
	case FORM_bclr:
	case FORM_bcctr:
	case FORM_bctar:
	case FORM_blr:
	case FORM_bctr:
		return FLOW_INDIRECT;
	case FORM_bclrl:
	case FORM_bcctrl:
	case FORM_bctarl:
	case FORM_bctrl:
		return FLOW_INDIRECT_CALL;
	}
	return handler_is_direct_branch(form) ? FLOW_BRANCH : FLOW_NEXT;
}

/* --- collecting ------------------------------------------------------------------------------- */

struct collector {
	struct region_plan *plan;
	struct code_space *code;
	u64 todo[REGION_MAX_ITEMS];
	u32 n_todo;
};

/* Entered from elsewhere; map holds 1 for what is found, until the items are in order. */
enum { FOUND = 1 };

static bool in_reach(const struct region_plan *plan, u64 pc)
{
	return pc >= plan->base && (pc - plan->base) / 4 < REGION_WORDS;
}

static u16 *place(struct region_plan *plan, u64 pc)
{
	return &plan->map[(pc - plan->base) / 4];
}

/* Read an instruction that may be executed; its op. NULL if it cannot be. */
static struct op *read_word(struct code_space *code, u64 pc, u32 *word)
{
	struct op *op = pc < GUEST_ADDRESS_LIMIT ? code_op_locked(code, pc, CODE_PLAIN) : NULL;

	if (!op || !__atomic_load_n(&op_chunk(op)->may_fetch, __ATOMIC_ACQUIRE) ||
	    !host_load_u32((const void *)(uintptr_t)pc, word))
		return NULL;
	return op;
}

static void add_todo(struct collector *c, u64 pc)
{
	if (in_reach(c->plan, pc) && *place(c->plan, pc) == NO_ITEM &&
	    c->n_todo < ARRAY_SIZE(c->todo))
		c->todo[c->n_todo++] = pc;
}

/* Follow straight-line code from an address. */
static void walk(struct collector *c, u64 pc, u64 head)
{
	struct region_plan *plan = c->plan;

	for (;; pc += 4) {
		struct decoded d;
		struct op *op;
		u64 target;
		u32 word;

		if (plan->n >= REGION_MAX_ITEMS || !in_reach(plan, pc) ||
		    *place(plan, pc) != NO_ITEM)
			return;
		op = read_word(c->code, pc, &word);
		if (!op || (pc != head && jit_owns(op)) || !isa_decode(word, &d))
			return;
		/* What was never executed is not worth it; if it is, it will get hot by itself. */
		if (op->fn == h_decode)
			return;
		*place(plan, pc) = FOUND;
		plan->n++;
		switch (flow_of(word, d.form)) {
		case FLOW_NEXT:
		case FLOW_CALL:
		case FLOW_INDIRECT_CALL:
			break;
		case FLOW_BRANCH:
			if (isa_branch_target(word, pc, &target))
				add_todo(c, target);
			break;
		case FLOW_JUMP:
			if (isa_branch_target(word, pc, &target))
				add_todo(c, target);
			return;
		case FLOW_INDIRECT:
			if (d.form == FORM_blr || d.form == FORM_bctr)
				return;
			break;
		}
	}
}

/* Put what was found in the order of addresses. */
static void order(struct collector *c)
{
	struct region_plan *plan = c->plan;
	u32 n = 0;

	for (u32 i = 0; i < REGION_WORDS; i++) {
		struct region_item *item;

		if (plan->map[i] == NO_ITEM)
			continue;
		item = &plan->items[n];
		*item = (struct region_item){.pc = plan->base + 4ull * i};
		item->op = read_word(c->code, item->pc, &item->word);
		if (!item->op || !isa_decode(item->word, &item->d)) {
			plan->map[i] = NO_ITEM; /* unmapped just now */
			continue;
		}
		plan->map[i] = (u16)n++;
	}
	plan->n = n;
}

/* --- how they hang together ---------------------------------------------------------------------
 */

static void set_entry(struct region_plan *plan, u64 pc)
{
	struct region_item *item = region_item(plan, pc);

	if (item)
		item->entry = item->leader = true;
}

static void set_flow(struct region_plan *plan, struct region_item *item)
{
	enum flow flow = flow_of(item->word, item->d.form);
	struct region_item *to;

	item->falls = flow != FLOW_JUMP && item->d.form != FORM_blr && item->d.form != FORM_bctr;
	if (flow == FLOW_NEXT)
		return;
	if (region_item(plan, item->pc + 4))
		region_item(plan, item->pc + 4)->leader = true;
	if (flow == FLOW_CALL || flow == FLOW_INDIRECT_CALL)
		set_entry(plan, item->pc + 4);
	if (flow == FLOW_INDIRECT || flow == FLOW_INDIRECT_CALL)
		return;
	item->branches = isa_branch_target(item->word, item->pc, &item->target);
	to = region_item(plan, item->target);
	/* A loop can be entered at its head, by an interpreter that is inside. */
	if (to && flow != FLOW_CALL) {
		to->leader = true;
		if (item->target <= item->pc)
			to->entry = true;
	}
	item->safepoint = !to || flow == FLOW_CALL || item->target <= item->pc;
}

static bool fits_s32(s64 x)
{
	return x == (s32)x;
}

static u64 facilities_of(const struct region_item *item)
{
	u32 flags = item->d.insn->flags;

	/* Bit 31 is the high bit of the VSR number. */
	if (flags & INSN_FP_OR_VEC)
		return item->word & 1 ? MSR_VEC : MSR_FP;
	return (flags & INSN_FP ? MSR_FP : 0) | (flags & INSN_VEC ? MSR_VEC : 0) |
	       (flags & INSN_VSX ? MSR_VSX : 0);
}

static void choose_stencils(struct region_plan *plan)
{
	for (u32 i = 0; i < plan->n; i++) {
		struct region_item *item = &plan->items[i];

		item->stencil = stencil_of(item->d.form, fits_s32(item->d.imm));
		if (item->stencil && item->branches && item->stencil->flags & STENCIL_IN_MEMORY)
			item->stencil = NULL;
		if (!item->stencil) {
			/* What follows goes on here. */
			set_entry(plan, item->pc + 4);
			continue;
		}
		plan->facilities |= facilities_of(item);
	}
	for (u32 i = 0; i + 1 < plan->n; i++) {
		struct region_item *item = &plan->items[i], *next = item + 1;
		const struct stencil *pair;

		if (!item->stencil || !next->stencil || next->pc != item->pc + 4 || next->leader ||
		    item->second || !fits_s32(item->d.imm))
			continue;
		pair = stencil_of_pair(item->d.form, next->d.form);
		if (!pair || pair->flags & STENCIL_IN_MEMORY)
			continue;
		item->stencil = pair;
		item->pair = next->second = true;
	}
}

static void count_blocks(struct region_plan *plan)
{
	for (u32 i = 0; i < plan->n;) {
		u32 end = i + 1;

		while (end < plan->n && !plan->items[end].leader &&
		       plan->items[end].pc == plan->items[end - 1].pc + 4 &&
		       plan->items[end - 1].stencil)
			end++;
		for (u32 k = i; k < end; k++) {
			plan->items[k].block_count = end - i;
			plan->items[k].block_index = k - i;
		}
		i = end;
	}
}

/* --- pins ----------------------------------------------------------------------------------------
 */

#define LOOP_WEIGHT 8u
#define MAX_WEIGHT  4096u

/* Loops are what a branch backward encloses. */
static void weigh(struct region_plan *plan)
{
	for (u32 i = 0; i < plan->n; i++)
		plan->items[i].weight = 1;
	for (u32 i = 0; i < plan->n; i++) {
		const struct region_item *item = &plan->items[i];
		struct region_item *to = item->branches ? region_item(plan, item->target) : NULL;

		if (!to || to > item)
			continue;
		for (; to <= item; to++)
			if (to->weight < MAX_WEIGHT)
				to->weight *= LOOP_WEIGHT;
	}
}

/* Each access of a stencil to a register, which could be one to a pin. */
static void count_uses(const struct region_item *item, u64 uses[32])
{
	const struct stencil *s = item->stencil;

	if (!s || s->flags & STENCIL_IN_MEMORY)
		return;
	for (u32 i = 0; i < s->n_marks; i++) {
		const struct stencil_mark *m = &s->marks[i];
		int reg = m->kind == MARK_SLOT ? region_register(region_operand(item, m->operand))
					       : -1;

		if (reg >= 0 && m->flags & SLOT_REPLACE)
			uses[reg] += item->weight;
	}
}

static void find_dirty(struct region_plan *plan, const struct region_item *item)
{
	const struct stencil *s = item->stencil;

	for (u32 i = 0; s && i < s->n_marks; i++) {
		const struct stencil_mark *m = &s->marks[i];
		int reg = m->kind == MARK_SLOT ? region_register(region_operand(item, m->operand))
					       : -1;

		if (reg >= 0 && m->flags & SLOT_WRITE && plan->pin_of[reg] != NOT_PINNED)
			plan->dirty |= (u8)(1u << plan->pin_of[reg]);
	}
}

static void choose_pins(struct region_plan *plan)
{
	u64 uses[32] = {0};

	for (u32 i = 0; i < plan->n; i++)
		if (!plan->items[i].second)
			count_uses(&plan->items[i], uses);
	memset(plan->pin_of, NOT_PINNED, sizeof(plan->pin_of));
	for (u32 pin = 0; pin < PINS; pin++) {
		u32 best = 0;

		for (u32 reg = 1; reg < 32; reg++)
			if (uses[reg] > uses[best])
				best = reg;
		/* Loading and storing it must pay. */
		plan->pinned[pin] = 32;
		if (uses[best] < 3)
			continue;
		plan->pinned[pin] = (u8)best;
		plan->pin_of[best] = (u8)pin;
		uses[best] = 0;
	}
	for (u32 i = 0; i < plan->n; i++)
		if (!plan->items[i].second)
			find_dirty(plan, &plan->items[i]);
}

bool region_plan(struct region_plan *plan, struct code_space *code, struct op *head)
{
	struct collector c = {.plan = plan, .code = code};
	u64 pc = op_pc(head);

	plan->base = pc > REGION_REACH ? pc - REGION_REACH : 0;
	plan->n = 0;
	plan->dirty = 0;
	plan->facilities = 0;
	memset(plan->map, 0xff, sizeof(plan->map));
	add_todo(&c, pc);
	while (c.n_todo)
		walk(&c, c.todo[--c.n_todo], pc);
	order(&c);
	if (!region_item(plan, pc))
		return false;
	set_entry(plan, pc);
	for (u32 i = 0; i < plan->n; i++)
		set_flow(plan, &plan->items[i]);
	choose_stencils(plan);
	count_blocks(plan);
	weigh(plan);
	choose_pins(plan);
	return region_item(plan, pc)->stencil;
}
