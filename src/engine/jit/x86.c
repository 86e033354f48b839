// SPDX-License-Identifier: MIT
#include "engine/jit/x86.h"

static bool is_legacy_prefix(u8 byte)
{
	return byte == 0x66 || byte == 0xf2 || byte == 0xf3 || byte == 0xf0;
}

/* Position of a REX or VEX prefix, or of the opcode. */
static u32 after_prefixes(const u8 *insn)
{
	u32 i = 0;

	while (is_legacy_prefix(insn[i]))
		i++;
	return i;
}

u32 x86_modrm(const u8 *insn)
{
	u32 i = after_prefixes(insn);

	if (insn[i] == 0xc5)
		return i + 3;
	if (insn[i] == 0xc4)
		return i + 4;
	if ((insn[i] & 0xf0) == 0x40)
		i++;
	if (insn[i] != 0x0f)
		return i + 1;
	return insn[i + 1] == 0x38 || insn[i + 1] == 0x3a ? i + 3 : i + 2;
}

u32 x86_replace_by_register(const u8 *insn, u32 length, u32 disp, u32 reg, u8 *out)
{
	u32 prefix = after_prefixes(insn), modrm = disp - 2;

	/* The base %r12 needs a SIB byte behind ModRM, and a prefix that makes %rsp of it. */
	memcpy(out, insn, modrm);
	out[modrm] = (u8)(0xc0 | (insn[modrm] & 0x38) | (reg & 7));
	memcpy(out + modrm + 1, insn + disp + 4, length - disp - 4);
	if (insn[prefix] == 0xc4) /* VEX.B is kept inverted */
		out[prefix + 1] = (u8)((out[prefix + 1] & ~0x20) | (reg < 8 ? 0x20 : 0));
	else
		out[prefix] = (u8)((out[prefix] & ~1) | reg >> 3);
	return length - 5;
}

void x86_nop(struct x86_buffer *b, u32 n)
{
	static const u8 nops[][8] = {
		{0x90},
		{0x66, 0x90},
		{0x0f, 0x1f, 0x00},
		{0x0f, 0x1f, 0x40, 0x00},
		{0x0f, 0x1f, 0x44, 0x00, 0x00},
	};

	while (n) {
		u32 part = MIN(n, (u32)ARRAY_SIZE(nops));

		x86_bytes(b, nops[part - 1], part);
		n -= part;
	}
}
