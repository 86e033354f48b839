// SPDX-License-Identifier: MIT
#include "linux/signal_frame.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "linux/switch.h"
#include "linux/task.h"
#include "linux/tm.h"
#include "linux/traps.h"
#include "linux/uaccess.h"
#include "linux/vdso.h"

/* arch/powerpc/include/asm/ptrace.h: the interrupts handled by the kernel see softe as 1. */
#define SOFTE_ENABLED 1

/* What lies in front of the vector area. */
#define CONTEXT_HEAD offsetof(struct guest_sigcontext, vmx_reserve)

static u64 vector_area(u64 context)
{
	return ROUND_UP(context + CONTEXT_HEAD, 16);
}

/*
 * The registers that a context has room for. In a transaction there are two sets: those that it
 * works with, and those to which it rolls back.
 */
struct register_set {
	struct task_regs general;
	union vsr *vsr;
	u64 *fpscr;
	u32 *vscr;
};

/* FP and VMX have been given up. */
static struct register_set live_registers(struct task *task)
{
	struct register_set set = {
		.vsr = task->fp.vsr, .fpscr = &task->fp.fpscr, .vscr = &task->fp.vscr};

	switch_save_regs(task->cpu, &set.general);
	return set;
}

static struct register_set checkpointed_registers(struct task *task)
{
	struct cpu_checkpoint *c = &task->tm.checkpoint;

	return (struct register_set){.general = tm_checkpointed_regs(task),
				     .vsr = c->vsr,
				     .fpscr = &c->fpscr,
				     .vscr = &c->vscr};
}

/* --- registers to and from a context --------------------------------------------------------- */

static void store_general(const struct task_regs *regs, u64 msr, struct guest_sigcontext *sc)
{
	memcpy(sc->gp_regs, regs->gpr, 32 * sizeof(u64));
	sc->gp_regs[PT_NIP] = regs->pc;
	sc->gp_regs[PT_MSR] = msr;
	sc->gp_regs[PT_CTR] = regs->ctr;
	sc->gp_regs[PT_LNK] = regs->lr;
	sc->gp_regs[PT_XER] = regs->xer;
	sc->gp_regs[PT_CCR] = regs->cr;
}

/* What is known of the interrupt. */
static void store_interrupt(const struct task *task, struct guest_sigcontext *sc)
{
	sc->gp_regs[PT_ORIG_R3] = task->orig_r3;
	sc->gp_regs[PT_TRAP] = task->trap;
	sc->gp_regs[PT_DAR] = task->dar;
	sc->gp_regs[PT_DSISR] = task->dsisr;
	if ((task->trap & ~INT_NO_RESTART) == INT_SYSCALL)
		sc->gp_regs[PT_RESULT] = (u64)task->result;
}

/* VEC and VSX tell that the areas hold something; FP registers are always there. */
static u64 msr_of_areas(const struct task *task)
{
	return (task->used_vr ? MSR_VEC : 0) | (task->used_vsr ? MSR_VSX : 0);
}

/* Where the pieces of FP, VMX and VSX lie in a context. */
static void store_vectors(const struct task *task, const struct register_set *set, u64 context,
			  struct guest_sigcontext *sc)
{
	u8 *area = (u8 *)sc + (vector_area(context) - context);
	u32 vrsave = set->general.vrsave;

	for (int i = 0; i < 32; i++)
		sc->fp_regs[i] = set->vsr[i].dw[VSR_DW0];
	sc->fp_regs[32] = *set->fpscr;
	sc->v_regs = vector_area(context);
	if (task->used_vr) {
		memcpy(area, set->vsr + 32, 32 * sizeof(set->vsr[0]));
		/* As stvx stores what mfvscr gave: in little-endian order the first word. */
		memcpy(area + 16 * VMX_VSCR, set->vscr, sizeof(*set->vscr));
	}
	memcpy(area + 16 * VMX_VRSAVE, &vrsave, sizeof(vrsave));
	if (task->used_vsr)
		for (size_t i = 0; i < 32; i++)
			memcpy(area + 16 * VMX_QUADS + 8 * i, &set->vsr[i].dw[VSR_DW1], 8);
}

static void load_general(struct task_regs *regs, const struct guest_sigcontext *sc)
{
	memcpy(regs->gpr, sc->gp_regs, 32 * sizeof(u64));
	regs->pc = sc->gp_regs[PT_NIP] & ~3ull;
	regs->ctr = sc->gp_regs[PT_CTR];
	regs->lr = sc->gp_regs[PT_LNK];
	regs->xer = sc->gp_regs[PT_XER];
	regs->cr = (u32)sc->gp_regs[PT_CCR];
}

static bool vector_area_ok(const struct guest_sigcontext *sc)
{
	return !sc->v_regs || user_range_ok(sc->v_regs, 16 * VMX_QUADS + 8 * 32);
}

/*
 * The vector area is where the context says, not necessarily inside it.
 * @msr: of the context, or of the first one
 * @valid: there are vector areas
 */
static int load_vectors(struct task *task, struct register_set *set,
			const struct guest_sigcontext *sc, u64 msr, bool valid)
{
	u64 area = sc->v_regs;
	u64 low[32] = {0};

	set->general.vrsave = 0;
	if (valid && msr & MSR_VEC) {
		if (copy_from_user(task, set->vsr + 32, area, 32 * sizeof(set->vsr[0])) ||
		    get_user(task, set->vscr, area + 16 * VMX_VSCR))
			return -EFAULT;
		task->used_vr = true;
	} else if (task->used_vr) {
		memset(set->vsr + 32, 0, 32 * sizeof(set->vsr[0]));
		*set->vscr = 0;
	}
	if (valid && get_user(task, &set->general.vrsave, area + 16 * VMX_VRSAVE))
		return -EFAULT;
	if (msr & MSR_VSX) {
		if (copy_from_user(task, low, area + 16 * VMX_QUADS, sizeof(low)))
			return -EFAULT;
		task->used_vsr = true;
	}
	for (int i = 0; i < 32; i++) {
		set->vsr[i].dw[VSR_DW0] = sc->fp_regs[i];
		set->vsr[i].dw[VSR_DW1] = low[i];
	}
	*set->fpscr = sc->fp_regs[32];
	return 0;
}

/* A context without transaction: FP and VMX have been given up. */
static int load_context(struct task *task, const struct guest_sigcontext *sc, bool keep_r13)
{
	struct register_set live = live_registers(task);
	u64 r13 = live.general.gpr[13];
	int error;

	load_general(&live.general, sc);
	if (keep_r13)
		live.general.gpr[13] = r13;
	task->orig_r3 = sc->gp_regs[PT_ORIG_R3];
	task->dar = sc->gp_regs[PT_DAR];
	task->dsisr = sc->gp_regs[PT_DSISR];
	task->result = (s64)sc->gp_regs[PT_RESULT];
	task->trap |= INT_NO_RESTART;
	error = vector_area_ok(sc)
			? load_vectors(task, &live, sc, sc->gp_regs[PT_MSR], sc->v_regs)
			: -EFAULT;
	switch_load_regs(task->cpu, &live.general);
	return error;
}

/*
 * A frame of a transaction, restore_tm_sigcontexts(). @sc is what it rolls back to; the context
 * that @uc links to is where it was. Where that cannot be read Linux goes on with zeros for all but
 * the GPRs, and has put them into the registers before it complains.
 */
static int load_transaction(struct task *task, const struct guest_ucontext *uc)
{
	const struct guest_sigcontext *sc = &uc->mcontext;
	struct register_set live = live_registers(task);
	struct register_set checkpointed = checkpointed_registers(task);
	u64 msr = sc->gp_regs[PT_MSR], state = msr & MSR_TS_MASK;
	u64 address = uc->link + offsetof(struct guest_ucontext, mcontext);
	struct guest_sigcontext tm_sc;
	bool readable, valid;

	if (!tm_may_suspend(task))
		return -EFAULT;
	readable = !copy_from_user(task, &tm_sc, address, CONTEXT_HEAD);
	if (!readable) {
		memset(&tm_sc, 0, sizeof(tm_sc));
		memcpy(tm_sc.gp_regs, live.general.gpr, sizeof(live.general.gpr));
	}
	/* A state that does not exist: CVE-2015-8844. */
	if (state == MSR_TS_MASK) {
		memcpy(task->cpu->gpr, tm_sc.gp_regs, 32 * sizeof(u64));
		task->cpu->pc = tm_sc.gp_regs[PT_NIP] & ~3ull;
		return -EFAULT;
	}
	load_general(&live.general, &tm_sc);
	load_general(&checkpointed.general, sc);
	task->dar = sc->gp_regs[PT_DAR];
	task->dsisr = sc->gp_regs[PT_DSISR];
	task->result = (s64)sc->gp_regs[PT_RESULT];
	task->trap |= INT_NO_RESTART;
	switch_load_regs(task->cpu, &live.general);
	if (!readable || !vector_area_ok(sc) || !vector_area_ok(&tm_sc))
		return -EFAULT;

	/* What the areas hold is told by the first MSR, for both. */
	valid = sc->v_regs && tm_sc.v_regs;
	if (!sc->v_regs)
		msr &= ~MSR_VSX;
	if (load_vectors(task, &live, &tm_sc, msr, valid) ||
	    load_vectors(task, &checkpointed, sc, msr, valid))
		return -EFAULT;
	task->cpu->vrsave = live.general.vrsave;
	tm_set_checkpointed_regs(task, &checkpointed.general);
	/* From here on nothing may touch the program's memory. */
	tm_resume_from_signal(task, state, checkpointed.general.pc);
	task_load_facilities(task, msr & (MSR_FP | MSR_VEC));
	return 0;
}

/* --- frames ---------------------------------------------------------------------------------- */

static bool on_alternate_stack(const struct task *task, u64 sp)
{
	const struct signal_stack *alt = &task->altstack;

	return !(alt->flags & SS_AUTODISARM_FLAG) && sp > alt->sp && sp - alt->sp <= alt->size;
}

int signal_stack_flags(const struct task *task, u64 sp)
{
	if (!task->altstack.size)
		return SS_DISABLE;
	return on_alternate_stack(task, sp) ? SS_ONSTACK : 0;
}

/*
 * Where the handler is called from. A program that has unmapped the vDSO gets the code in its
 * frame, and needs an executable stack: setup_trampoline().
 */
static int trampoline(struct task *task, u64 frame, u64 *address)
{
	static const u32 code[7] = {
		0x4e800421,			 /* bctrl */
		0x38210000 | SIGNAL_DUMMY_FRAME, /* addi r1,r1,128 */
		0x380000ac,			 /* li r0,172: rt_sigreturn */
		0x44000002,			 /* sc */
	};

	if (task->process->vdso) {
		*address = task->process->vdso + VDSO_SIGNAL_TRAMPOLINE;
		return 0;
	}
	*address = frame + offsetof(struct guest_sigframe, trampoline);
	return copy_to_user(task, *address, code, sizeof(code));
}

/* Both contexts of a transaction that was reclaimed. @msr: before that. */
static void store_transaction(struct task *task, u64 address, u64 msr, struct guest_sigframe *frame)
{
	const struct register_set live = live_registers(task);
	const struct register_set checkpointed = checkpointed_registers(task);
	u64 uc = address + offsetof(struct guest_sigframe, uc.mcontext);
	u64 uc_transact = address + offsetof(struct guest_sigframe, uc_transact.mcontext);

	memset(&frame->uc_transact, 0, sizeof(frame->uc_transact));
	/* What is missing in it was given up before. */
	msr |= task->tm.ckpt_msr & (MSR_FP | MSR_VEC | MSR_VSX);
	msr |= msr_of_areas(task);
	frame->uc.link = address + offsetof(struct guest_sigframe, uc_transact);
	store_general(&checkpointed.general, msr, &frame->uc.mcontext);
	store_vectors(task, &checkpointed, uc, &frame->uc.mcontext);
	store_general(&live.general, msr, &frame->uc_transact.mcontext);
	store_interrupt(task, &frame->uc_transact.mcontext);
	store_vectors(task, &live, uc_transact, &frame->uc_transact.mcontext);
	frame->uc_transact.mcontext.regs = uc_transact + offsetof(struct guest_sigcontext, gp_regs);
}

static void store_context(struct task *task, u64 context, struct guest_sigcontext *sc)
{
	const struct register_set live = live_registers(task);

	store_general(&live.general, (live.general.msr & ~MSR_VSX) | msr_of_areas(task), sc);
	store_interrupt(task, sc);
	sc->gp_regs[PT_SOFTE] = SOFTE_ENABLED;
	store_vectors(task, &live, context, sc);
}

#define REGS_OFFSET offsetof(struct guest_sigcontext, regs)

/* Of the second context only what belongs to registers is written. */
static int copy_second_context(struct task *task, u64 address, const struct guest_sigframe *frame)
{
	const struct guest_sigcontext *sc = &frame->uc_transact.mcontext;
	u64 context = address + offsetof(struct guest_sigframe, uc_transact.mcontext);

	return copy_to_user(task, context + REGS_OFFSET, (const u8 *)sc + REGS_OFFSET,
			    sizeof(*sc) - REGS_OFFSET);
}

int signal_frame_push(struct task *task, const union guest_siginfo *signal,
		      const struct guest_sigaction *action, u64 mask)
{
	struct cpu *cpu = task->cpu;
	struct guest_sigframe frame;
	u64 msr = cpu->msr, address, context, pc, sp, state;

	/*
	 * In T the frame lies below where the stack was when the transaction began: what is above
	 * will be needed again. get_tm_stackpointer()
	 */
	state = tm_reclaim_for_signal(task);
	sp = state == MSR_TS_T ? task->tm.checkpoint.gpr[1] : cpu->gpr[1];
	if (action->flags & SA_ONSTACK && !signal_stack_flags(task, sp))
		sp = task->altstack.sp + task->altstack.size;
	address = ROUND_DOWN(sp - sizeof(frame), 16);
	context = address + offsetof(struct guest_sigframe, uc.mcontext);

	task_giveup_fp(task);
	memset(&frame, 0, sizeof(frame.uc));
	frame.uc.stack = (struct guest_stack_t){.sp = task->altstack.sp,
						.flags = task->altstack.flags,
						.size = task->altstack.size};
	frame.uc.sigmask = mask;
	frame.uc.mcontext.signal = signal->signo;
	frame.uc.mcontext.handler = action->handler;
	frame.uc.mcontext.regs = context + offsetof(struct guest_sigcontext, gp_regs);
	if (unlikely(state))
		store_transaction(task, address, msr, &frame);
	else
		store_context(task, context, &frame.uc.mcontext);
	frame.pinfo = address + offsetof(struct guest_sigframe, info);
	frame.puc = address;
	frame.info = *signal;

	/*
	 * What is not written keeps what is there. If the frame cannot be written the transaction
	 * is lost all the same, and is not reclaimed again: CVE-2015-8845.
	 */
	if (copy_to_user(task, address, &frame.uc, sizeof(frame.uc)) ||
	    (state && copy_second_context(task, address, &frame)) ||
	    copy_to_user(task, address + offsetof(struct guest_sigframe, pinfo), &frame.pinfo,
			 offsetof(struct guest_sigframe, red_zone) -
				 offsetof(struct guest_sigframe, pinfo)) ||
	    put_user(task, cpu->gpr[1], address - SIGNAL_DUMMY_FRAME) ||
	    trampoline(task, address, &pc))
		return -EFAULT;

	if (task->altstack.flags & (s32)SS_AUTODISARM_FLAG)
		task->altstack = (struct signal_stack){.flags = SS_DISABLE};
	task->fp.fpscr = 0; /* a handler starts without exceptions enabled */
	task->result = 0;
	cpu->gpr[1] = address - SIGNAL_DUMMY_FRAME;
	cpu->gpr[3] = (u64)signal->signo;
	if (action->flags & SA_SIGINFO) {
		cpu->gpr[4] = frame.pinfo;
		cpu->gpr[5] = frame.puc;
		cpu->gpr[6] = address;
	} else {
		cpu->gpr[4] = context;
	}
	cpu->ctr = cpu->gpr[12] = action->handler;
	cpu->pc = pc;
	return 0;
}

int signal_frame_pop(struct task *task, u64 *mask)
{
	struct guest_ucontext uc;
	u64 msr;
	int error;

	if (copy_from_user(task, &uc, task->cpu->gpr[1], sizeof(uc)))
		return -EFAULT;
	*mask = uc.sigmask;
	/* Nothing remains of the handler: not a transaction that it has suspended, either. */
	tm_discard(task);
	task_giveup_fp(task);
	msr = uc.mcontext.gp_regs[PT_MSR];
	if (!(msr & MSR_LE)) {
		log_line(LOG_UNIMPLEMENTED, "a signal handler returns to big-endian mode");
		return -EFAULT;
	}
	if (likely(!(msr & MSR_TS_MASK)))
		error = load_context(task, &uc.mcontext, false);
	else
		error = tm_is_available(task) ? load_transaction(task, &uc) : -EFAULT;
	/* Errors are not told, as in Linux. */
	if (!error)
		signal_set_stack(task, &uc.stack, task->cpu->gpr[1]);
	return error;
}

int signal_context_save(struct task *task, u64 address, bool vsx)
{
	u64 context = address + offsetof(struct guest_ucontext, mcontext);
	struct guest_sigcontext sc = {
		.regs = context + offsetof(struct guest_sigcontext, gp_regs)};
	u64 size = sizeof(sc);

	task_giveup_fp(task);
	store_context(task, context, &sc);
	if (!vsx) {
		sc.gp_regs[PT_MSR] &= ~MSR_VSX;
		size -= 32 * sizeof(u64);
	}
	if (copy_to_user(task, context, &sc, size) ||
	    put_user(task, task->blocked, address + offsetof(struct guest_ucontext, sigmask)))
		return -EFAULT;
	return 0;
}

int signal_context_load(struct task *task, u64 address, u64 *mask)
{
	struct guest_ucontext uc;

	/* The vector area is read from where the context says. */
	if (copy_from_user(task, &uc, address, offsetof(struct guest_ucontext, mcontext.vmx_reserve)))
		return -EFAULT;
	if (!(uc.mcontext.gp_regs[PT_MSR] & MSR_LE)) {
		log_line(LOG_UNIMPLEMENTED, "swapcontext to big-endian mode");
		return -EFAULT;
	}
	task_giveup_fp(task);
	*mask = uc.sigmask;
	return load_context(task, &uc.mcontext, true);
}

int signal_set_stack(struct task *task, const struct guest_stack_t *stack, u64 sp)
{
	s32 mode = stack->flags & ~(s32)SS_AUTODISARM_FLAG;

	if (on_alternate_stack(task, sp))
		return -EPERM;
	if (mode != 0 && mode != SS_ONSTACK && mode != SS_DISABLE)
		return -EINVAL;
	if (mode == SS_DISABLE) {
		task->altstack = (struct signal_stack){.flags = stack->flags};
		return 0;
	}
	if (stack->size < GUEST_MINSIGSTKSZ)
		return -ENOMEM;
	task->altstack =
		(struct signal_stack){.sp = stack->sp, .flags = stack->flags, .size = stack->size};
	return 0;
}
