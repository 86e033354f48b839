// SPDX-License-Identifier: MIT
/*
 * The decoder: from an instruction word to its row of insn.def, its form and its operands.
 *
 * Look-up: each primary opcode has a table that is indexed by those of the low 11 bits of the word
 * that any of its rows looks at. An entry is the first row that these bits allow; rows that
 * differ only in other bits (cmpw and cmpd) are chained.
 */
#include <string.h>

#include "arch/cpu.h"
#include "isa/insn.h"
#include "isa/operand.h"

const struct operand_field operand_fields[OPERAND_COUNT] = {
#define OPERAND(name, class, ...) [OPERAND_##name] = {CLASS_##class, __VA_ARGS__},
#include "isa/operands.def"
#undef OPERAND
};

#define OPCODE_VALUE(v, m) (v)
#define OPCODE_MASK(v, m)  (m)

static const struct insn rows[] = {
	[FORM_invalid] = {.name = "invalid"},
#define I(mnemonic, name, opcode, operands, level, flags)                                          \
	[FORM_##name] = {mnemonic,                                                                 \
			 #name,                                                                    \
			 OPCODE_VALUE opcode,                                                      \
			 OPCODE_MASK opcode,                                                       \
			 ~(OPCODE_MASK opcode | (u32)OPERAND_BITS operands),                       \
			 flags,                                                                    \
			 level,                                                                    \
			 {OPERAND_LIST operands}},
#include "isa/insn.def"
#undef I
};

/* Special forms: their names and the forms of the rows they are made from. */
static const struct {
	const char *name;
	u16 row;
} special_forms[] = {
#define F(name, row) {#name, FORM_##row},
#include "isa/forms.def"
#undef F
};

#define KEY_BITS 11
#define KEY_SIZE (1u << KEY_BITS)

/* The tables of all primary opcodes one behind the other; most have a single entry. */
#define TABLE_ENTRIES (24 * KEY_SIZE)
static u16 table[TABLE_ENTRIES];
static struct {
	u32 key_mask;
	u32 start; /* index into table */
} opcodes[64];
static u16 next_row[FORM_ROWS_END];
static bool ready;

/* Add a row at the end of the chain of one table entry. */
static void insert(u16 *entry, u16 row)
{
	u16 *link = entry;

	while (*link) {
		if (*link == row)
			return;
		link = &next_row[*link];
	}
	*link = row;
}

void isa_init(void)
{
	u32 end = 0;

	if (ready)
		return;
	for (u32 row = 1; row < FORM_ROWS_END; row++)
		opcodes[rows[row].value >> 26].key_mask |= rows[row].mask & (KEY_SIZE - 1);
	for (u32 op = 0; op < 64; op++) {
		opcodes[op].start = end;
		end += opcodes[op].key_mask ? KEY_SIZE : 1;
	}
	if (end > TABLE_ENTRIES)
		__builtin_trap(); /* a row too many: a fault of insn.def, found by any test */
	/*
	 * In the order of rows, so that chains run from lower to higher rows and may share their
	 * ends: a row in a chain that does not match is passed over.
	 */
	for (u32 row = 1; row < FORM_ROWS_END; row++) {
		u16 *entries = &table[opcodes[rows[row].value >> 26].start];
		u32 fixed = rows[row].mask & (KEY_SIZE - 1);
		u32 free = opcodes[rows[row].value >> 26].key_mask & ~fixed;
		u32 bits = 0;

		/* All values of the free bits, by counting through the gaps between them. */
		do {
			insert(&entries[(rows[row].value & fixed) | bits], (u16)row);
			bits = (bits - free) & free;
		} while (bits);
	}
	ready = true;
}

/* Ones from bit begin to bit end, bit 0 the most significant; wraps around if begin > end. */
static u64 mask(u32 begin, u32 end)
{
	u64 from = ~0ull >> begin;
	u64 to = ~0ull << (63 - end);

	return begin <= end ? from & to : from | to;
}

/* Where operands are put while an instruction is taken apart. */
struct operand_places {
	u16 slots[INSN_MAX_OPERANDS];
	u32 registers;
	u16 numbers[INSN_MAX_OPERANDS];
	u32 number_count;
	s64 imm;
	bool has_imm;
};

static void put_register(struct operand_places *p, size_t offset)
{
	p->slots[p->registers++] = (u16)offset;
}

static void put_immediate(struct operand_places *p, s64 value)
{
	if (p->has_imm) {
		p->numbers[p->number_count++] = (u16)value;
		return;
	}
	p->imm = value;
	p->has_imm = true;
}

static void put_operand(struct operand_places *p, u32 word, const struct operand_field *f)
{
	u32 value = operand_value(word, f);

	switch ((enum operand_class)f->class) {
	case CLASS_gpr:
		put_register(p, GPR_OFFSET(value));
		break;
	case CLASS_gpr0:
		put_register(p, value ? GPR_OFFSET(value) : GPR_ZERO);
		break;
	case CLASS_fpr:
		put_register(p, FPR_OFFSET(value));
		break;
	case CLASS_vr:
		put_register(p, VR_OFFSET(value));
		break;
	case CLASS_vsr:
		put_register(p, VSR_OFFSET(value));
		break;
	case CLASS_crf:
		put_register(p, CRF_OFFSET(value));
		break;
	case CLASS_crb:
		put_register(p, CRB_OFFSET(value));
		break;
	case CLASS_simm:
		put_immediate(p, sign_extend(value, f->width));
		break;
	case CLASS_uimm:
		put_immediate(p, value);
		break;
	case CLASS_count:
		put_immediate(p, value ? value : 32);
		break;
	case CLASS_shifted:
		put_immediate(p, sign_extend(value, f->width) * 65536);
		break;
	case CLASS_ushifted:
		put_immediate(p, (s64)value << 16);
		break;
	case CLASS_disp:
	case CLASS_rel:
	case CLASS_abs:
		put_immediate(p, sign_extend(value, f->width) * (1 << f->shift));
		break;
	case CLASS_slot:
		p->numbers[p->number_count++] = (u16)value;
		break;
	case CLASS_mask_left:
		p->imm = (s64)mask(value, 63);
		break;
	case CLASS_mask_right:
		p->imm = (s64)mask(0, value);
		break;
	case CLASS_mask_shift: /* SH comes before it in the assembler's order */
		p->imm = (s64)mask(value, 63 - p->numbers[0]);
		break;
	case CLASS_mask_begin: /* ME follows and makes the mask */
		p->imm = value;
		break;
	case CLASS_mask_end:
		p->imm = (s64)mask((u32)p->imm + 32, value + 32);
		break;
	case CLASS_none:
	case CLASS_hint:
	case CLASS_cleared:
		break;
	}
}

/* The special form of a bc, or FORM_bc. BO as in Book I figure 40; hint bits do not matter. */
static u16 bc_form(u32 bo)
{
	if ((bo & 0x1c) == 0x0c)
		return FORM_bt;
	if ((bo & 0x1c) == 0x04)
		return FORM_bf;
	if ((bo & 0x16) == 0x10)
		return FORM_bdnz;
	if ((bo & 0x16) == 0x12)
		return FORM_bdz;
	return FORM_bc;
}

static u16 or_form(u32 word, struct decoded *d)
{
	if (d->a != d->b)
		return FORM_or;
	if (d->t != d->a)
		return FORM_mr;
	d->imm = word >> 11 & 31;
	return FORM_or_hint;
}

static u16 spr_form(const struct decoded *d, u16 lr_form, u16 ctr_form)
{
	return d->imm == 8 ? lr_form : d->imm == 9 ? ctr_form : d->form;
}

static u16 special_form(u32 word, struct decoded *d)
{
	u32 bo = word >> 21 & 31;
	bool always = (bo & 0x14) == 0x14;

	switch (d->form) {
	case FORM_or:
		return or_form(word, d);
	case FORM_bc:
		return bc_form(bo);
	case FORM_bclr:
		return always ? FORM_blr : FORM_bclr;
	case FORM_bcctr:
		return always ? FORM_bctr : FORM_bcctr;
	case FORM_bcctrl:
		return always ? FORM_bctrl : FORM_bcctrl;
	case FORM_rlwinm:
		return (u64)d->imm >> 32 ? FORM_rlwinm : FORM_rlwinm_low;
	case FORM_rlwinm_rc:
		return (u64)d->imm >> 32 ? FORM_rlwinm_rc : FORM_rlwinm_low_rc;
	case FORM_mfspr:
		return spr_form(d, FORM_mflr, FORM_mfctr);
	case FORM_mtspr:
		return spr_form(d, FORM_mtlr, FORM_mtctr);
	default:
		return d->form;
	}
}

static u16 find_row(u32 word)
{
	u32 op = word >> 26;
	u16 row = table[opcodes[op].start + (word & opcodes[op].key_mask)];

	while (row && (word & rows[row].mask) != rows[row].value)
		row = next_row[row];
	return row;
}

/*
 * The CPU does not look at bit 31 of the instructions for transactions (POWER9 User's Manual: invalid
 * forms), so the other value means the same. In a row it is part of the opcode, for the assembler's
 * and the disassembler's sake.
 */
static u32 with_record_bit(u32 word)
{
	if (word >> 26 != 31)
		return word;
	switch (word >> 1 & 0x3ff) {
	case 654: /* tbegin. */
	case 686: /* tend. */
	case 750: /* tsr. */
	case 782: /* tabortwc. */
	case 814: /* tabortdc. */
	case 846: /* tabortwci. */
	case 878: /* tabortdci. */
	case 910: /* tabort. */
	case 942: /* treclaim. */
	case 1006: /* trechkpt. */
		return word | 1;
	}
	return word;
}

bool isa_decode(u32 word, struct decoded *d)
{
	struct operand_places places = {0};
	const struct insn *insn;
	u16 *slots = places.slots;

	memset(d, 0, sizeof(*d));
	word = with_record_bit(word);
	d->form = find_row(word);
	if (d->form == FORM_invalid)
		return false;
	insn = &rows[d->form];
	d->insn = insn;
	for (u32 i = 0; i < INSN_MAX_OPERANDS && insn->operands[i]; i++)
		put_operand(&places, word, &operand_fields[insn->operands[i]]);
	for (u32 i = 0; i < places.number_count; i++)
		slots[places.registers + i] = places.numbers[i];
	d->t = slots[0];
	d->a = slots[1];
	d->b = slots[2];
	d->c = slots[3];
	d->imm = places.imm;
	d->form = special_form(word, d);
	return true;
}

const struct insn *isa_form_insn(enum form form)
{
	if (form <= FORM_invalid || form >= FORM_COUNT)
		return NULL;
	if (form < FORM_ROWS_END)
		return &rows[form];
	return &rows[special_forms[form - FORM_ROWS_END].row];
}

enum form isa_insn_form(const struct insn *insn)
{
	return (enum form)(insn - rows);
}

const char *isa_form_name(enum form form)
{
	if (form < FORM_invalid || form >= FORM_COUNT)
		return "invalid";
	if (form < FORM_ROWS_END)
		return rows[form].name;
	return special_forms[form - FORM_ROWS_END].name;
}
