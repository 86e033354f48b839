// SPDX-License-Identifier: MIT
/* The instruction table and the decoder. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "arch/cpu.h"
#include "isa/insn.h"

static struct decoded decode(u32 word)
{
	struct decoded d;

	assert_true(isa_decode(word, &d));
	return d;
}

#define assert_form(word, name) assert_string_equal(isa_form_name(decode(word).form), name)

static void test_rows_are_well_formed(void **state)
{
	for (u32 form = FORM_invalid + 1; form < FORM_ROWS_END; form++) {
		const struct insn *insn = isa_form_insn(form);

		assert_int_equal(insn->value & ~insn->mask, 0);
		assert_int_equal(insn->mask & 0xfc000000, 0xfc000000);
		assert_int_equal(insn->reserved & insn->mask, 0);
		assert_int_equal(isa_insn_form(insn), form);
		assert_true(strlen(insn->mnemonic) > 0 && strlen(insn->mnemonic) < 16);
		if (insn->flags & INSN_UPDATE)
			assert_int_not_equal(insn->flags & (INSN_LOAD | INSN_STORE), 0);
	}
}

static void test_no_word_has_two_rows(void **state)
{
	for (u32 i = FORM_invalid + 1; i < FORM_ROWS_END; i++) {
		const struct insn *a = isa_form_insn(i);

		for (u32 j = FORM_invalid + 1; j < i; j++) {
			const struct insn *b = isa_form_insn(j);

			if (!((a->value ^ b->value) & a->mask & b->mask))
				fail_msg("%s and %s match the same words", a->name, b->name);
		}
	}
}

/* Operands do not overlap each other or the opcode. */
static void test_operands_do_not_overlap(void **state)
{
	static const u8 width[OPERAND_COUNT][4] = {
#define OPERAND(name, class, shift, width, high_shift, high_width)                                 \
	[OPERAND_##name] = {shift, width, high_shift, high_width},
#include "isa/operands.def"
#undef OPERAND
	};

	for (u32 form = FORM_invalid + 1; form < FORM_ROWS_END; form++) {
		const struct insn *insn = isa_form_insn(form);
		u32 used = insn->mask;

		for (u32 i = 0; i < INSN_MAX_OPERANDS && insn->operands[i]; i++) {
			const u8 *f = width[insn->operands[i]];
			u32 bits = ((1u << f[1]) - 1) << f[0] | ((1u << f[3]) - 1) << f[2];

			if (used & bits)
				fail_msg("%s: operand %u overlaps", insn->name, i);
			used |= bits;
		}
		assert_int_equal(used | insn->reserved, 0xffffffff);
		assert_int_equal(used & insn->reserved, 0);
	}
}

/* Each row is found by its own words, whatever the operands and reserved bits. */
static void test_every_row_is_found(void **state)
{
	u64 random = 207;

	for (u32 form = FORM_invalid + 1; form < FORM_ROWS_END; form++) {
		const struct insn *insn = isa_form_insn(form);

		for (u32 i = 0; i < 100; i++) {
			random = random * 6364136223846793005 + 1442695040888963407;
			assert_ptr_equal(
				decode(insn->value | ((u32)(random >> 32) & ~insn->mask)).insn,
				insn);
		}
	}
}

static void test_registers(void **state)
{
	struct decoded d = decode(0x7c642a14); /* add r3,r4,r5 */

	assert_int_equal(d.form, FORM_add);
	assert_int_equal(d.t, GPR_OFFSET(3));
	assert_int_equal(d.a, GPR_OFFSET(4));
	assert_int_equal(d.b, GPR_OFFSET(5));
	d = decode(0x7c64002e); /* lwzx r3,r4,r0: RB = 0 is register 0 */
	assert_int_equal(d.b, GPR_OFFSET(0));
	d = decode(0x7c00282e); /* lwzx r0,0,r5 */
	assert_int_equal(d.t, GPR_OFFSET(0));
	assert_int_equal(d.a, GPR_ZERO);
	d = decode(0xfc2220fa); /* fmadd f1,f2,f3,f4 */
	assert_int_equal(d.form, FORM_fmadd);
	assert_int_equal(d.t, FPR_OFFSET(1));
	assert_int_equal(d.a, FPR_OFFSET(2));
	assert_int_equal(d.b, FPR_OFFSET(3));
	assert_int_equal(d.c, FPR_OFFSET(4));
	d = decode(0xf3def807); /* xsaddsp vs62,vs62,vs63 */
	assert_int_equal(d.form, FORM_xsaddsp);
	assert_int_equal(d.t, VSR_OFFSET(62));
	assert_int_equal(d.a, VSR_OFFSET(62));
	assert_int_equal(d.b, VSR_OFFSET(63));
	d = decode(0x10432080); /* vadduwm v2,v3,v4 */
	assert_int_equal(d.t, VR_OFFSET(2));
	d = decode(0x7c642f9e); /* isel r3,r4,r5,4*cr7+eq */
	assert_int_equal(d.form, FORM_isel);
	assert_int_equal(d.c, CRB_OFFSET(30));
	d = decode(0x4d840000); /* mcrf cr3,cr1 */
	assert_int_equal(d.t, CRF_OFFSET(3));
	assert_int_equal(d.a, CRF_OFFSET(1));
}

static void test_immediates(void **state)
{
	assert_int_equal(decode(0x3860ffff).imm, -1);		 /* li r3,-1 */
	assert_int_equal(decode(0x3c608000).imm, -0x80000000ll); /* lis r3,-32768 */
	assert_int_equal(decode(0x6463ffff).imm, 0xffff0000ll);	 /* oris r3,r3,65535 */
	assert_int_equal(decode(0x6063ffff).imm, 65535);	 /* ori r3,r3,65535 */
	assert_int_equal(decode(0xe861fff8).imm, -8);		 /* ld r3,-8(r1) */
	assert_int_equal(decode(0xe081fff0).imm, -16);		 /* lq r4,-16(r1) */
	assert_int_equal(decode(0x7c6004aa).imm, 32);		 /* lswi r3,0,32 */
	assert_int_equal(decode(0x7c64fe76).imm, 63);		 /* sradi r4,r3,63 */
	assert_int_equal(decode(0x7d80e2a6).imm, 896);		 /* mfppr r12 */
	assert_int_equal(decode(0x7c6ff120).imm, 255);		 /* mtcrf 255,r3 */
	assert_int_equal(decode(0x109f038c).imm, -1);		 /* vspltisw v4,-1 */
}

static void test_rotates(void **state)
{
	struct decoded d = decode(0x5464103a); /* slwi r4,r3,2 */

	assert_int_equal(d.form, FORM_rlwinm_low);
	assert_int_equal(d.t, GPR_OFFSET(4));
	assert_int_equal(d.a, GPR_OFFSET(3));
	assert_int_equal(d.b, 2);
	assert_int_equal((u64)d.imm, 0xfffffffc);
	d = decode(0x54640f86); /* rlwinm r4,r3,1,30,3: wraps into the high word */
	assert_int_equal((u64)d.imm, 0xfffffffff0000003);
	d = decode(0x78640020); /* clrldi r4,r3,32 */
	assert_int_equal(d.form, FORM_rldicl);
	assert_int_equal(d.b, 0);
	assert_int_equal((u64)d.imm, 0xffffffff);
	d = decode(0x78640f64); /* rldicr r4,r3,1,61 */
	assert_int_equal(d.form, FORM_rldicr);
	assert_int_equal(d.b, 1);
	assert_int_equal((u64)d.imm, 0xfffffffffffffffc);
	d = decode(0x7864458c); /* rldimi r4,r3,8,22: SH6 = 8, MB = 22 */
	assert_int_equal(d.form, FORM_rldimi);
	assert_int_equal(d.b, 8);
	assert_int_equal((u64)d.imm, 0x000003ffffffff00);
	d = decode(0x7864f82e); /* rldimi r4,r3,63,32: wraps */
	assert_int_equal(d.b, 63);
	assert_int_equal((u64)d.imm, 0x80000000ffffffff);
	d = decode(0x5c64283e); /* rotlw r4,r3,r5 */
	assert_int_equal(d.form, FORM_rlwnm);
	assert_int_equal(d.b, GPR_OFFSET(5));
	assert_int_equal((u64)d.imm, 0xffffffff);
}

static void test_branches(void **state)
{
	u64 target;
	struct decoded d = decode(0x4182fff8); /* beq .-8 */

	assert_int_equal(d.form, FORM_bt);
	assert_int_equal(d.t, CRB_OFFSET(2));
	assert_int_equal(d.imm, -8);
	assert_form(0x409e0008, "bf"); /* bne cr7 */
	assert_form(0x40de0008, "bf"); /* bne- cr7 */
	assert_form(0x4200fff8, "bdnz");
	assert_form(0x4240fff8, "bdz");
	assert_form(0x4102fff8, "bc"); /* bdnzt eq */
	assert_form(0x41820009, "bcl");
	assert_form(0x4e800020, "blr");
	assert_form(0x4e800021, "bclrl");
	assert_form(0x4d820020, "bclr"); /* beqlr */
	assert_form(0x4e800420, "bctr");
	assert_form(0x4e800421, "bctrl");
	assert_form(0x4e800460, "bctar");
	assert_form(0x48000001, "bl");
	assert_true(isa_branch_target(0x4bfffffc, 0x1000, &target));
	assert_int_equal(target, 0xffc);
	assert_true(isa_branch_target(0x4bfffffe, 0x1000, &target)); /* ba */
	assert_int_equal(target, (u64)-4);
	assert_false(isa_branch_target(0x4e800020, 0x1000, &target));
	d = decode(0x4102fff8);
	assert_int_equal(d.t, CRB_OFFSET(2));
	assert_int_equal(d.a, 8); /* BO */
}

static void test_special_forms(void **state)
{
	assert_form(0x7c832378, "mr");
	assert_form(0x7c842378, "or_hint");
	assert_form(0x7c832379, "or_rc");
	assert_form(0x7c832b78, "or");
	assert_form(0x7c0802a6, "mflr");
	assert_form(0x7c0903a6, "mtctr");
	assert_form(0x7c0102a6, "mfspr");
	assert_ptr_equal(isa_form_insn(FORM_mr), isa_form_insn(FORM_or));
	assert_ptr_equal(isa_form_insn(FORM_bdz), isa_form_insn(FORM_bc));
	assert_null(isa_form_insn(FORM_invalid));
	assert_null(isa_form_insn(FORM_COUNT));
}

static void test_traps_and_numbers_beside_immediates(void **state)
{
	struct decoded d = decode(0x0c83fff0); /* tweqi r3,-16 */

	assert_int_equal(d.form, FORM_twi);
	assert_int_equal(d.t, GPR_OFFSET(3));
	assert_int_equal(d.a, 4);
	assert_int_equal(d.imm, -16);
	d = decode(0x7c85361d); /* tabortwc. 4,r5,r6 */
	assert_int_equal(d.form, FORM_tabortwc_rc);
	assert_int_equal(d.imm, 4);
	assert_int_equal(d.t, GPR_OFFSET(5));
	assert_int_equal(d.a, GPR_OFFSET(6));
	d = decode(0x7c85fe9d); /* tabortwci. 4,r5,-1 */
	assert_int_equal(d.imm, -1);
	assert_int_equal(d.a, 4);
	d = decode(0xfe03058e); /* mtfsf 1,f0,1,1 */
	assert_int_equal(d.form, FORM_mtfsf);
	assert_int_equal(d.imm, 1);
	assert_int_equal(d.t, FPR_OFFSET(0));
	assert_int_equal(d.a, 1);
	assert_int_equal(d.b, 1);
}

static void test_what_is_no_instruction(void **state)
{
	static const u32 words[] = {
		0x00000000, 0x04000000, /* prefixed, ISA 3.1 */
		0x44000001,		/* scv, 3.0 */
		0x7c000400,		/* mcrxr: gone before POWER8 */
		0x7c00003c,		/* wait */
	};
	struct decoded d;

	for (u32 i = 0; i < ARRAY_SIZE(words); i++) {
		assert_false(isa_decode(words[i], &d));
		assert_int_equal(d.form, FORM_invalid);
		assert_null(d.insn);
	}
	/* stwcx. without its dot, and POWER9's modsw, maddld and lxv. */
	assert_false(isa_decode(0x7c00012c, &d));
	assert_false(isa_decode(0x7c632616, &d));
	assert_false(isa_decode(0x10632133, &d));
	assert_false(isa_decode(0xf4000001, &d));
}

static void test_text_is_cut_off_at_the_buffer(void **state)
{
	char buffer[96];

	for (size_t size = 0; size < 24; size++) {
		memset(buffer, '#', sizeof(buffer));
		isa_disassemble(0x7c642a14, 0, buffer, size);
		for (size_t i = size; i < sizeof(buffer); i++)
			assert_int_equal(buffer[i], '#');
		if (size) {
			char expected[] = "add     r3,r4,r5";

			expected[MIN(size - 1, strlen(expected))] = 0;
			assert_string_equal(buffer, expected);
		}
	}
}

static int set_up(void **state)
{
	isa_init();
	isa_init();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_well_formed),
		cmocka_unit_test(test_no_word_has_two_rows),
		cmocka_unit_test(test_operands_do_not_overlap),
		cmocka_unit_test(test_every_row_is_found),
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_immediates),
		cmocka_unit_test(test_rotates),
		cmocka_unit_test(test_branches),
		cmocka_unit_test(test_special_forms),
		cmocka_unit_test(test_traps_and_numbers_beside_immediates),
		cmocka_unit_test(test_what_is_no_instruction),
		cmocka_unit_test(test_text_is_cut_off_at_the_buffer),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
