// SPDX-License-Identifier: MIT
#include "engine/jit/stencil.h"

#include "isa/insn.h"

/* A form without a stencil leaves its symbol undefined, and its entry 0. */
#define WEAK(name)                                                                                 \
	extern const struct stencil stencil_##name __attribute__((weak, visibility("hidden")));

#define I(mnemonic, name, ...) WEAK(name) WEAK(name##__wide)
#include "isa/insn.def"
#undef I
#define F(name, row) WEAK(name) WEAK(name##__wide)
#include "isa/forms.def"
#undef F

static const struct stencil *const stencils[FORM_COUNT] = {
#define I(mnemonic, name, ...) [FORM_##name] = &stencil_##name,
#include "isa/insn.def"
#undef I
#define F(name, row) [FORM_##name] = &stencil_##name,
#include "isa/forms.def"
#undef F
};

static const struct stencil *const wide_stencils[FORM_COUNT] = {
#define I(mnemonic, name, ...) [FORM_##name] = &stencil_##name##__wide,
#include "isa/insn.def"
#undef I
#define F(name, row) [FORM_##name] = &stencil_##name##__wide,
#include "isa/forms.def"
#undef F
};

const struct stencil *stencil_of(unsigned form, bool narrow)
{
	if (form >= FORM_COUNT)
		return NULL;
	/* A stencil without a wide twin does not look at its immediate, or cannot have such a one.
	 */
	return narrow || (stencils[form] && !wide_stencils[form]) ? stencils[form]
								  : wide_stencils[form];
}

#define PAIR(first, second) WEAK(first##__##second)
#include "engine/jit/pairs.def"
#undef PAIR

static const struct {
	u16 first, second;
	const struct stencil *stencil;
} pairs[] = {
#define PAIR(first, second) {FORM_##first, FORM_##second, &stencil_##first##__##second},
#include "engine/jit/pairs.def"
#undef PAIR
};

const struct stencil *stencil_of_pair(unsigned first, unsigned second)
{
	if (second != FORM_bt && second != FORM_bf)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		if (pairs[i].first == first && pairs[i].second == second)
			return pairs[i].stencil;
	return NULL;
}
