// SPDX-License-Identifier: MIT
#include "engine/handlers.h"

#include "engine/interp.h"
#include "isa/insn.h"

/* A form whose semantics nobody wrote leaves its symbol undefined, and its entry 0. */
#define I(mnemonic, name, ...) __attribute__((weak)) op_fn h_##name, tm_h_##name;
#include "isa/insn.def"
#undef I
#define F(name, row) __attribute__((weak)) op_fn h_##name, tm_h_##name;
#include "isa/forms.def"
#undef F

static op_fn *const handlers[FORM_COUNT] = {
#define I(mnemonic, name, ...) [FORM_##name] = h_##name,
#include "isa/insn.def"
#undef I
#define F(name, row) [FORM_##name] = h_##name,
#include "isa/forms.def"
#undef F
};

/* What is different in a transaction; 0 = nothing. */
static op_fn *const transactional_handlers[FORM_COUNT] = {
#define I(mnemonic, name, ...) [FORM_##name] = tm_h_##name,
#include "isa/insn.def"
#undef I
#define F(name, row) [FORM_##name] = tm_h_##name,
#include "isa/forms.def"
#undef F
};

static HANDLER(illegal)
{
	cpu->exit.program = PROGRAM_ILLEGAL;
	return interp_leave(cpu, op, acc, CPU_EXIT_PROGRAM);
}

static HANDLER(privileged)
{
	cpu->exit.program = PROGRAM_PRIVILEGED;
	return interp_leave(cpu, op, acc, CPU_EXIT_PROGRAM);
}

static HANDLER(unimplemented)
{
	cpu->exit.program = PROGRAM_UNIMPLEMENTED;
	return interp_leave(cpu, op, acc, CPU_EXIT_PROGRAM);
}

/* treclaim. and trechkpt.: a missing facility comes before the privilege, isa/insn.h INSN_TM. */
static HANDLER(transactional)
{
	if (!(cpu->msr & MSR_TM)) {
		cpu->exit.facility = FACILITY_TM;
		return interp_leave(cpu, op, acc, CPU_EXIT_FACILITY);
	}
	cpu->exit.program = PROGRAM_PRIVILEGED;
	return interp_leave(cpu, op, acc, CPU_EXIT_PROGRAM);
}

static op_fn *transactional_handler(unsigned form)
{
	return transactional_handlers[form] ? transactional_handlers[form] : handlers[form];
}

/* Not permitted in T; in S as ever. */
static HANDLER(disallowed)
{
	if (tm_is_transactional(cpu)) {
		(void)tm_disallowed(cpu, op_pc(op));
		return interp_leave(cpu, op, acc, CPU_EXIT_TM_FAILURE);
	}
	MUSTTAIL return transactional_handler(op->form)(cpu, op, acc);
}

bool handler_exists(unsigned form)
{
	return form < FORM_COUNT && handlers[form];
}

op_fn *handler_of(unsigned form, enum code_mode mode)
{
	const struct insn *insn = form == FORM_invalid ? NULL : isa_form_insn(form);

	if (handler_exists(form) && mode == CODE_PLAIN)
		return handlers[form];
	if (handler_exists(form))
		return insn->flags & INSN_NOT_IN_TM ? h_disallowed : transactional_handler(form);
	if (!insn)
		return h_illegal;
	if (insn->flags & INSN_TM)
		return h_transactional;
	if (insn->flags & INSN_PRIVILEGED)
		return h_privileged;
	return h_unimplemented;
}

bool handler_is_direct_branch(unsigned form)
{
	switch (form) {
	case FORM_b:
	case FORM_ba:
	case FORM_bl:
	case FORM_bla:
	case FORM_bc:
	case FORM_bca:
	case FORM_bcl:
	case FORM_bcla:
	case FORM_bt:
	case FORM_bf:
	case FORM_bdnz:
	case FORM_bdz:
		return true;
	}
	return false;
}
