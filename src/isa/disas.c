// SPDX-License-Identifier: MIT
/*
 * The disassembler. The text of a word is made, in this order, by
 *  - a family whose mnemonics are put together from fields: conditional branches, traps, moves
 *    to and from system registers;
 *  - an extended mnemonic of alias.def;
 *  - the row itself.
 * It is meant to be equal to what GNU objdump -M power8 prints (tests/isa/disas), also in
 * refusing words that are invalid forms or have a reserved bit set, although CPUs execute most
 * of those.
 */
#include <stdarg.h>
#include <stdio.h>

#include "isa/insn.h"
#include "isa/operand.h"

/* Text being written; what does not fit is cut off. */
struct text {
	char *next;
	size_t left;
};

static PRINTF(2, 3) void put(struct text *text, const char *format, ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(text->next, text->left, format, arguments);
	va_end(arguments);
	if (length < 0 || text->left == 0)
		return;
	if ((size_t)length >= text->left)
		length = (int)text->left - 1;
	text->next += length;
	text->left -= (size_t)length;
}

static u32 bits(u32 word, enum operand operand)
{
	return operand_value(word, &operand_fields[operand]);
}

/* Optional operands with the value that they have when left out. */
static bool is_left_out(u32 word, enum operand operand)
{
	switch (operand) {
	case OPERAND_OBF:
	case OPERAND_BIF:
	case OPERAND_LEV:
	case OPERAND_L10:
	case OPERAND_L15:
	case OPERAND_L2:
	case OPERAND_L6:
	case OPERAND_W:
	case OPERAND_EH:
	case OPERAND_IH:
	case OPERAND_TH:
	case OPERAND_CT:
	case OPERAND_BH:
		return bits(word, operand) == 0;
	case OPERAND_THS:
		return bits(word, operand) == 8;
	case OPERAND_S20:
		return bits(word, operand) == 1;
	default:
		return false;
	}
}

static bool is_optional(enum operand operand)
{
	return is_left_out(0, operand) || operand == OPERAND_THS || operand == OPERAND_S20;
}

bool isa_branch_target(u32 word, u64 pc, u64 *target)
{
	struct decoded d;

	if (!isa_decode(word, &d))
		return false;
	for (u32 i = 0; i < INSN_MAX_OPERANDS; i++) {
		switch (operand_fields[d.insn->operands[i]].class) {
		case CLASS_rel:
			*target = pc + (u64)d.imm;
			return true;
		case CLASS_abs:
			*target = (u64)d.imm;
			return true;
		}
	}
	return false;
}

static void put_target(struct text *text, u32 word, u64 pc, bool is_absolute)
{
	u64 target = 0;

	isa_branch_target(word, pc, &target);
	if (is_absolute)
		target &= 0xffffffff; /* as objdump has it; the CPU extends the sign */
	put(text, "0x%llx", (unsigned long long)target);
}

/* A CR bit: "lt" or "4*cr7+lt". */
static void put_cr_bit(struct text *text, u32 bit)
{
	static const char names[4][3] = {"lt", "gt", "eq", "so"};

	if (bit >= 4)
		put(text, "4*cr%u+", bit / 4);
	put(text, "%s", names[bit % 4]);
}

static void put_operand(struct text *text, u32 word, u64 pc, enum operand operand)
{
	const struct operand_field *f = &operand_fields[operand];
	u32 value = operand_value(word, f);

	switch ((enum operand_class)f->class) {
	case CLASS_gpr0:
		if (value == 0 && operand != OPERAND_RAZ) {
			put(text, "0");
			break;
		}
		[[fallthrough]];
	case CLASS_gpr:
		put(text, "r%u", value);
		break;
	case CLASS_fpr:
		if (operand == OPERAND_FRAp || operand == OPERAND_FRBp)
			value &= ~1u;
		put(text, "f%u", value);
		break;
	case CLASS_vr:
		put(text, "v%u", value);
		break;
	case CLASS_vsr:
		put(text, "vs%u", value);
		break;
	case CLASS_crf:
		put(text, "cr%u", value);
		break;
	case CLASS_crb:
		put_cr_bit(text, value);
		break;
	case CLASS_simm:
	case CLASS_shifted:
		put(text, "%lld", (long long)sign_extend(value, f->width));
		break;
	case CLASS_disp:
		put(text, "%lld", (long long)sign_extend(value, f->width) * (1 << f->shift));
		break;
	case CLASS_count:
		put(text, "%u", value ? value : 32);
		break;
	case CLASS_rel:
	case CLASS_abs:
		put_target(text, word, pc, f->class == CLASS_abs);
		break;
	case CLASS_cleared:
		put(text, "%u", (1u << (f->width + f->high_width)) - 1 - value);
		break;
	case CLASS_uimm:
		put(text, operand == OPERAND_FPSCR_BFA ? "cr%u" : "%u", value);
		break;
	case CLASS_ushifted:
	case CLASS_slot:
	case CLASS_mask_left:
	case CLASS_mask_right:
	case CLASS_mask_shift:
	case CLASS_mask_begin:
	case CLASS_mask_end:
	case CLASS_hint:
		put(text, "%u", value);
		break;
	case CLASS_none:
		break;
	}
}

static void put_mnemonic(struct text *text, const char *mnemonic, bool more)
{
	put(text, more ? "%-7s " : "%s", mnemonic);
}

/* Whether a list has an optional operand that must be printed, and with it all before it. */
static bool any_to_print(u32 word, const u8 *operands, u32 count)
{
	for (u32 i = 0; i < count; i++)
		if (is_optional(operands[i]) && !is_left_out(word, operands[i]))
			return true;
	return false;
}

static void put_instruction(struct text *text, const char *mnemonic, const u8 *operands, u32 word,
			    u64 pc)
{
	bool in_parentheses = false;
	const char *separator = NULL;

	for (u32 i = 0; i < INSN_MAX_OPERANDS && operands[i]; i++) {
		if (is_optional(operands[i]) &&
		    !any_to_print(word, operands + i, INSN_MAX_OPERANDS - i))
			continue;
		if (!separator)
			put_mnemonic(text, mnemonic, true);
		else
			put(text, "%s", separator);
		put_operand(text, word, pc, operands[i]);
		if (in_parentheses)
			put(text, ")");
		in_parentheses = operand_fields[operands[i]].class == CLASS_disp;
		separator = in_parentheses ? "(" : ",";
	}
	if (!separator)
		put_mnemonic(text, mnemonic, false);
}

/* --- aliases --------------------------------------------------------------------------------- */

enum condition {
	ANY,
	T_A_B_SAME, /* the three register fields of an X-form */
	A_B_SAME,
	T_B_SAME,
	XA_XB_SAME,
	SH_FROM_MB,  /* SH = 32 - MB */
	SH_FROM_ME,  /* SH = 31 - ME */
	SH_FROM_MBL, /* SH = 64 - MB */
	SH_FROM_MER, /* SH = 63 - ME */
};

struct alias {
	const char *mnemonic;
	u32 mask, value;
	u16 row; /* enum form */
	u8 condition;
	u8 operands[INSN_MAX_OPERANDS];
};

static const struct alias aliases[] = {
#define ALIAS(mnemonic, row, mask, value, operands, condition)                                     \
	{mnemonic, (u32)(mask), value, FORM_##row, condition, {OPERAND_LIST operands}},
#include "isa/alias.def"
#undef ALIAS
};

static bool condition_holds(u32 word, enum condition condition)
{
	switch (condition) {
	case ANY:
		return true;
	case T_A_B_SAME:
		return bits(word, OPERAND_RT) == bits(word, OPERAND_RA) &&
		       bits(word, OPERAND_RA) == bits(word, OPERAND_RB);
	case A_B_SAME:
		return bits(word, OPERAND_RA) == bits(word, OPERAND_RB);
	case T_B_SAME:
		return bits(word, OPERAND_RT) == bits(word, OPERAND_RB);
	case XA_XB_SAME:
		return bits(word, OPERAND_XA) == bits(word, OPERAND_XB);
	case SH_FROM_MB:
		return bits(word, OPERAND_SH) + bits(word, OPERAND_MB) == 32;
	case SH_FROM_ME:
		return bits(word, OPERAND_SH) + bits(word, OPERAND_ME) == 31;
	case SH_FROM_MBL:
		return bits(word, OPERAND_SH6) + bits(word, OPERAND_MBL) == 64;
	case SH_FROM_MER:
		return bits(word, OPERAND_SH6) + bits(word, OPERAND_MER) == 63;
	}
	return false;
}

static const struct alias *find_alias(u32 word, const struct insn *insn)
{
	for (size_t i = 0; i < ARRAY_SIZE(aliases); i++) {
		const struct alias *alias = &aliases[i];

		if (isa_form_insn(alias->row) == insn && (word & alias->mask) == alias->value &&
		    condition_holds(word, alias->condition))
			return alias;
	}
	return NULL;
}

/* --- conditional branches -------------------------------------------------------------------- */

/*
 * BO is one of 0zst. (CTR and CR bit), 001at / 011at (CR bit clear / set), 1a00t / 1a01t (CTR not
 * zero / zero), 1z1zz (always), where at predicts: 10 not taken, 11 taken. Book I 2.4.
 */
#define BO_NO_CTR 0x04
#define BO_NO_CR  0x10
#define BO_TRUE	  0x08
#define BO_ZERO	  0x02

static const char *const hint_suffixes[4] = {"", "", "-", "+"};

/* A branch under its own name: the condition spelled as numbers. */
static void put_general_branch(struct text *text, const struct insn *insn, u32 word, u64 pc,
			       u32 hint)
{
	char mnemonic[12];

	snprintf(mnemonic, sizeof(mnemonic), "%s%s", insn->mnemonic, hint_suffixes[hint]);
	put_instruction(text, mnemonic, insn->operands, word, pc);
}

/*
 * An extended mnemonic. The operands are a list of what precedes the target or the BH field: a CR
 * bit, a CR field that is left out if it is 0 and nothing follows, or nothing.
 */
static void put_named_branch(struct text *text, const struct insn *insn, u32 word, u64 pc,
			     const char *name, u32 hint, enum operand condition)
{
	u8 operands[INSN_MAX_OPERANDS] = {0};
	u32 count = 0;
	char mnemonic[16];

	/* "bc", "bcl", "bclr", "bctar" and so on without their "bc". */
	snprintf(mnemonic, sizeof(mnemonic), "b%s%s%s", name, insn->mnemonic + 2,
		 hint_suffixes[hint]);
	if (condition)
		operands[count++] = condition;
	operands[count] = insn->operands[2];
	put_instruction(text, mnemonic, operands, word, pc);
}

static bool is_conditional_branch(const struct insn *insn)
{
	return insn->operands[0] == OPERAND_BO;
}

/* False for a BO that objdump refuses. */
static bool put_conditional_branch(struct text *text, const struct insn *insn, u32 word, u64 pc)
{
	static const char *const true_names[4] = {"lt", "gt", "eq", "so"};
	static const char *const false_names[4] = {"ge", "le", "ne", "ns"};
	static const char *const ctr_cr_names[2][2] = {{"dnzf", "dzf"}, {"dnzt", "dzt"}};
	u32 bo = bits(word, OPERAND_BO);
	u32 bi = bits(word, OPERAND_BI);
	bool to_register = insn->value >> 26 == 19;
	bool to_ctr = insn == isa_form_insn(FORM_bcctr) || insn == isa_form_insn(FORM_bcctrl);
	bool if_true = bo & BO_TRUE, if_zero = bo & BO_ZERO;
	u32 hint;

	switch (bo & (BO_NO_CTR | BO_NO_CR)) {
	case 0:
		if (to_register && (bo & 1))
			return false;
		if (to_ctr)
			put_general_branch(text, insn, word, pc, 0);
		else
			put_named_branch(text, insn, word, pc, ctr_cr_names[if_true][if_zero], 0,
					 OPERAND_BI);
		return true;
	case BO_NO_CTR:
		hint = bo & 3;
		if (to_register && hint == 1)
			return false;
		put_named_branch(text, insn, word, pc, (if_true ? true_names : false_names)[bi % 4],
				 hint, OPERAND_BIF);
		return true;
	case BO_NO_CR:
		hint = (bo >> 2 & 2) | (bo & 1);
		if (hint == 1 && (to_register || bi))
			return false;
		if (bi || to_ctr)
			put_general_branch(text, insn, word, pc, hint);
		else
			put_named_branch(text, insn, word, pc, if_zero ? "dz" : "dnz", hint, 0);
		return true;
	default:
		if (bo != (BO_NO_CTR | BO_NO_CR))
			return false;
		if (bi || !to_register)
			put_general_branch(text, insn, word, pc, 0);
		else
			put_named_branch(text, insn, word, pc, "", 0, 0);
		return true;
	}
}

/* --- traps and system registers -------------------------------------------------------------- */

/* The condition of a trap as the extended mnemonics spell it; NULL for the others. */
static const char *trap_condition(u32 to)
{
	static const char *const names[32] = {
		[1] = "lgt", [2] = "llt", [4] = "eq",  [5] = "lge", [6] = "lle", [8] = "gt",
		[12] = "ge", [16] = "lt", [20] = "le", [24] = "ne", [31] = "u",
	};

	return names[to];
}

/* False for the conditions that have no name. */
static bool put_trap(struct text *text, const struct insn *insn, u32 word, u64 pc)
{
	const char *condition = trap_condition(bits(word, OPERAND_TO));
	char mnemonic[12];

	if (!condition)
		return false;
	/* "tw", "td", "twi" or "tdi" */
	snprintf(mnemonic, sizeof(mnemonic), "%.2s%s%s", insn->mnemonic, condition,
		 insn->mnemonic + 2);
	put_instruction(text, mnemonic, insn->operands + 1, word, pc);
	return true;
}

#define MF 1 /* mfspr has a mnemonic */
#define MT 2 /* mtspr has one */

/* System registers with a mnemonic. If it is followed by an index: how many, and how far apart. */
static const struct spr_name {
	const char *name;
	u16 number;
	u8 direction, count, step;
} spr_names[] = {
	{"xer", 1, MF | MT},
	{"rtcu", 4, MF},
	{"rtcl", 5, MF},
	{"lr", 8, MF | MT},
	{"ctr", 9, MF | MT},
	{"dscr", 17, MF | MT},
	{"dsisr", 18, MF | MT},
	{"dar", 19, MF | MT},
	{"rtcu", 20, MT},
	{"rtcl", 21, MT},
	{"dec", 22, MF | MT},
	{"sdr1", 25, MF | MT},
	{"srr0", 26, MF | MT},
	{"srr1", 27, MF | MT},
	{"cfar", 28, MF | MT},
	{"amr", 29, MF | MT},
	{"ctrl", 136, MF},
	{"ctrl", 152, MT},
	{"uamor", 157, MF | MT},
	{"vrsave", 256, MF | MT},
	{"tb", 268, MF},
	{"tbu", 269, MF},
	{"sprg", 272, MF | MT, 4, 1},
	{"asr", 280, MF | MT},
	{"ear", 282, MF | MT},
	{"tbl", 284, MT},
	{"tbu", 285, MT},
	{"pvr", 287, MF},
	{"hmer", 336, MF | MT},
	{"hmeer", 337, MF | MT},
	{"amor", 349, MF | MT},
	{"ibatu", 528, MF | MT, 4, 2},
	{"ibatl", 529, MF | MT, 4, 2},
	{"dbatu", 536, MF | MT, 4, 2},
	{"dbatl", 537, MF | MT, 4, 2},
	{"mmcra", 770, MF},
	{"pmc1", 771, MF},
	{"pmc2", 772, MF},
	{"pmc3", 773, MF},
	{"pmc4", 774, MF},
	{"pmc5", 775, MF},
	{"pmc6", 776, MF},
	{"mmcr0", 779, MF},
	{"mmcr1", 782, MF},
	{"mmcra", 786, MT},
	{"pmc1", 787, MT},
	{"pmc2", 788, MT},
	{"pmc3", 789, MT},
	{"pmc4", 790, MT},
	{"pmc5", 791, MT},
	{"pmc6", 792, MT},
	{"mmcr0", 795, MT},
	{"mmcr1", 798, MT},
	{"ic", 848, MF | MT},
	{"vtb", 849, MF | MT},
	{"ppr", 896, MF | MT},
	{"ppr32", 898, MF | MT},
};

/* False for the registers that have no mnemonic. */
static bool put_spr_move(struct text *text, u32 word, u8 direction)
{
	u32 number = bits(word, OPERAND_SPR), gpr = bits(word, OPERAND_RT);
	char mnemonic[12];

	for (size_t i = 0; i < ARRAY_SIZE(spr_names); i++) {
		const struct spr_name *spr = &spr_names[i];
		u32 step = spr->step ? spr->step : 1, last = spr->count ? spr->count - 1 : 0;
		u32 index = (number - spr->number) / step;

		if (!(spr->direction & direction) || number < spr->number || index > last ||
		    (number - spr->number) % step)
			continue;
		snprintf(mnemonic, sizeof(mnemonic), "m%c%s", direction == MF ? 'f' : 't',
			 spr->name);
		put_mnemonic(text, mnemonic, true);
		if (!spr->count)
			put(text, "r%u", gpr);
		else if (direction == MF)
			put(text, "r%u,%u", gpr, index);
		else
			put(text, "%u,r%u", index, gpr);
		return true;
	}
	return false;
}

/* --- invalid forms --------------------------------------------------------------------------- */

/* Load of general registers that would overwrite its own address. */
static bool is_invalid_load(const struct insn *insn, enum form form, u32 word)
{
	u32 rt = bits(word, OPERAND_RT), ra = bits(word, OPERAND_RA), rb = bits(word, OPERAND_RB);

	switch (form) {
	case FORM_lmw:
		return ra >= rt;
	case FORM_lswi: /* more are invalid, but not to objdump */
	case FORM_lq:
		return ra == rt;
	case FORM_lswx:
	case FORM_lqarx:
		return ra == rt || rb == rt;
	default:
		return (insn->flags & INSN_LOAD) && (insn->flags & INSN_UPDATE) &&
		       insn->operands[0] == OPERAND_RT && ra == rt;
	}
}

static bool is_odd_pair(const struct insn *insn, u32 word)
{
	for (u32 i = 0; i < INSN_MAX_OPERANDS; i++) {
		switch (insn->operands[i]) {
		case OPERAND_RTp:
		case OPERAND_RSp:
		case OPERAND_FRTp:
		case OPERAND_FRSp:
			return bits(word, insn->operands[i]) & 1;
		}
	}
	return false;
}

/* Fields whose values the ISA forbids or reserves. */
static bool is_invalid_form(const struct insn *insn, enum form form, u32 word)
{
	u32 fxm = bits(word, OPERAND_FXM);

	if ((word & insn->mask) != insn->value || (word & insn->reserved) ||
	    is_odd_pair(insn, word))
		return true;
	if ((insn->flags & INSN_UPDATE) && bits(word, OPERAND_RA) == 0)
		return true;
	switch (form) {
	case FORM_mtocrf:
	case FORM_mfocrf:
		return fxm == 0 || (fxm & (fxm - 1));
	case FORM_sync:
		return bits(word, OPERAND_L2) == 3;
	case FORM_dcbf:
		return bits(word, OPERAND_L2) == 2;
	case FORM_rnop:
		return true; /* it has no mnemonic */
	default:
		return is_invalid_load(insn, form, word);
	}
}

/* --------------------------------------------------------------------------------------------- */

static bool disassemble(struct text *text, u32 word, u64 pc)
{
	const struct alias *alias;
	struct decoded d;

	if (!isa_decode(word, &d) || is_invalid_form(d.insn, isa_insn_form(d.insn), word))
		return false;
	if (is_conditional_branch(d.insn))
		return put_conditional_branch(text, d.insn, word, pc);
	alias = find_alias(word, d.insn);
	if (alias) {
		put_instruction(text, alias->mnemonic, alias->operands, word, pc);
		return true;
	}
	if (d.insn->operands[0] == OPERAND_TO || d.insn->operands[0] == OPERAND_TO_SI) {
		if (!(d.insn->flags & INSN_TM) && put_trap(text, d.insn, word, pc))
			return true;
	}
	if (d.insn == isa_form_insn(FORM_mfspr) && put_spr_move(text, word, MF))
		return true;
	if (d.insn == isa_form_insn(FORM_mtspr) && put_spr_move(text, word, MT))
		return true;
	put_instruction(text, d.insn->mnemonic, d.insn->operands, word, pc);
	return true;
}

void isa_disassemble(u32 word, u64 pc, char *buffer, size_t size)
{
	struct text text = {buffer, size};

	if (size)
		*buffer = 0;
	if (!disassemble(&text, word, pc))
		put(&text, ".long 0x%x", word);
}
