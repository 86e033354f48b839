// SPDX-License-Identifier: MIT
#include "linux/signal_frame.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "linux/task.h"
#include "linux/uaccess.h"
#include "linux/vdso.h"

/* arch/powerpc/include/asm/ptrace.h: the interrupts handled by the kernel see softe as 1. */
#define SOFTE_ENABLED 1

static u64 vector_area(u64 context)
{
	return ROUND_UP(context + offsetof(struct guest_sigcontext, vmx_reserve), 16);
}

/* --- registers to and from a context --------------------------------------------------------- */

static void store_general(const struct task *task, struct guest_sigcontext *sc)
{
	const struct cpu *cpu = task->cpu;

	memcpy(sc->gp_regs, cpu->gpr, 32 * sizeof(u64));
	sc->gp_regs[PT_NIP] = cpu->pc;
	sc->gp_regs[PT_ORIG_R3] = task->orig_r3;
	sc->gp_regs[PT_CTR] = cpu->ctr;
	sc->gp_regs[PT_LNK] = cpu->lr;
	sc->gp_regs[PT_XER] = cpu_get_xer(cpu);
	sc->gp_regs[PT_CCR] = cpu_get_cr(cpu);
	sc->gp_regs[PT_SOFTE] = SOFTE_ENABLED;
	sc->gp_regs[PT_TRAP] = task->trap;
	sc->gp_regs[PT_DAR] = task->dar;
	sc->gp_regs[PT_DSISR] = task->dsisr;
	/* VEC and VSX tell that the areas hold something; FP registers are always there. */
	sc->gp_regs[PT_MSR] = (cpu->msr & ~MSR_VSX) | (task->used_vr ? MSR_VEC : 0) |
			      (task->used_vsr ? MSR_VSX : 0);
}

/* Where the pieces of FP, VMX and VSX lie in a context; facilities are given up. */
static void store_vectors(const struct task *task, u64 context, struct guest_sigcontext *sc)
{
	const struct fp_state *fp = &task->fp;
	u8 *area = (u8 *)sc + (vector_area(context) - context);
	u32 vrsave = task->cpu->vrsave;

	for (int i = 0; i < 32; i++)
		sc->fp_regs[i] = fp->vsr[i].dw[VSR_DW0];
	sc->fp_regs[32] = fp->fpscr;
	sc->v_regs = vector_area(context);
	if (task->used_vr) {
		memcpy(area, fp->vsr + 32, 32 * sizeof(fp->vsr[0]));
		/* As stvx stores what mfvscr gave: in little-endian order the first word. */
		memcpy(area + 16 * VMX_VSCR, &fp->vscr, sizeof(fp->vscr));
	}
	memcpy(area + 16 * VMX_VRSAVE, &vrsave, sizeof(vrsave));
	if (task->used_vsr)
		for (size_t i = 0; i < 32; i++)
			memcpy(area + 16 * VMX_QUADS + 8 * i, &fp->vsr[i].dw[VSR_DW1], 8);
}

static void load_general(struct task *task, const struct guest_sigcontext *sc)
{
	struct cpu *cpu = task->cpu;

	memcpy(cpu->gpr, sc->gp_regs, 32 * sizeof(u64));
	cpu->pc = sc->gp_regs[PT_NIP] & ~3ull;
	cpu->ctr = sc->gp_regs[PT_CTR];
	cpu->lr = sc->gp_regs[PT_LNK];
	cpu_set_xer(cpu, sc->gp_regs[PT_XER]);
	cpu_set_cr(cpu, (u32)sc->gp_regs[PT_CCR]);
	task->orig_r3 = sc->gp_regs[PT_ORIG_R3];
	task->dar = sc->gp_regs[PT_DAR];
	task->dsisr = sc->gp_regs[PT_DSISR];
}

/* The vector area is where the context says, not necessarily inside it. */
static int load_vectors(struct task *task, const struct guest_sigcontext *sc)
{
	u64 msr = sc->gp_regs[PT_MSR], area = sc->v_regs;
	struct fp_state *fp = &task->fp;
	u64 low[32] = {0};

	task->cpu->vrsave = 0;
	if (area && msr & MSR_VEC) {
		if (copy_from_user(task, fp->vsr + 32, area, 32 * sizeof(fp->vsr[0])) ||
		    get_user(task, &fp->vscr, area + 16 * VMX_VSCR))
			return -EFAULT;
		task->used_vr = true;
	} else if (task->used_vr) {
		memset(fp->vsr + 32, 0, 32 * sizeof(fp->vsr[0]));
		fp->vscr = 0;
	}
	if (area && get_user(task, &task->cpu->vrsave, area + 16 * VMX_VRSAVE))
		return -EFAULT;
	if (msr & MSR_VSX) {
		if (copy_from_user(task, low, area + 16 * VMX_QUADS, sizeof(low)))
			return -EFAULT;
		task->used_vsr = true;
	}
	for (int i = 0; i < 32; i++) {
		fp->vsr[i].dw[VSR_DW0] = sc->fp_regs[i];
		fp->vsr[i].dw[VSR_DW1] = low[i];
	}
	fp->fpscr = sc->fp_regs[32];
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

int signal_frame_push(struct task *task, const union guest_siginfo *signal,
		      const struct guest_sigaction *action, u64 mask)
{
	struct cpu *cpu = task->cpu;
	struct guest_sigframe frame;
	u64 sp = cpu->gpr[1], address, context, pc;

	if (action->flags & SA_ONSTACK && !signal_stack_flags(task, sp))
		sp = task->altstack.sp + task->altstack.size;
	address = ROUND_DOWN(sp - sizeof(frame), 16);
	context = address + offsetof(struct guest_sigframe, uc.mcontext);

	task_giveup_fp(task);
	memset(&frame, 0, offsetof(struct guest_sigframe, uc_transact));
	frame.uc.stack = (struct guest_stack_t){.sp = task->altstack.sp,
						.flags = task->altstack.flags,
						.size = task->altstack.size};
	frame.uc.sigmask = mask;
	frame.uc.mcontext.signal = signal->signo;
	frame.uc.mcontext.handler = action->handler;
	frame.uc.mcontext.regs = context + offsetof(struct guest_sigcontext, gp_regs);
	store_general(task, &frame.uc.mcontext);
	store_vectors(task, context, &frame.uc.mcontext);
	frame.pinfo = address + offsetof(struct guest_sigframe, info);
	frame.puc = address;
	frame.info = *signal;

	/* The second context, the unused words and the red zone keep what is there. */
	if (copy_to_user(task, address, &frame.uc, sizeof(frame.uc)) ||
	    copy_to_user(task, address + offsetof(struct guest_sigframe, pinfo), &frame.pinfo,
			 offsetof(struct guest_sigframe, red_zone) -
				 offsetof(struct guest_sigframe, pinfo)) ||
	    put_user(task, cpu->gpr[1], address - SIGNAL_DUMMY_FRAME) ||
	    trampoline(task, address, &pc))
		return -EFAULT;

	if (task->altstack.flags & (s32)SS_AUTODISARM_FLAG)
		task->altstack = (struct signal_stack){.flags = SS_DISABLE};
	task->fp.fpscr = 0; /* a handler starts without exceptions enabled */
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

	if (copy_from_user(task, &uc, task->cpu->gpr[1], sizeof(uc)))
		return -EFAULT;
	msr = uc.mcontext.gp_regs[PT_MSR];
	/* A CPU without TM: CVE-2019-13648. */
	if (msr & MSR_TS_MASK)
		return -EFAULT;
	if (!(msr & MSR_LE)) {
		log_line(LOG_UNIMPLEMENTED, "a signal handler returns to big-endian mode");
		return -EFAULT;
	}
	if (uc.mcontext.v_regs && !user_range_ok(uc.mcontext.v_regs, 16 * VMX_QUADS + 8 * 32))
		return -EFAULT;
	task_giveup_fp(task);
	load_general(task, &uc.mcontext);
	if (load_vectors(task, &uc.mcontext))
		return -EFAULT;
	*mask = uc.sigmask;
	/* Errors are not told, as in Linux. */
	signal_set_stack(task, &uc.stack, task->cpu->gpr[1]);
	return 0;
}

int signal_context_save(struct task *task, u64 address, bool vsx)
{
	u64 context = address + offsetof(struct guest_ucontext, mcontext);
	struct guest_sigcontext sc = {
		.regs = context + offsetof(struct guest_sigcontext, gp_regs)};
	u64 size = sizeof(sc);

	task_giveup_fp(task);
	store_general(task, &sc);
	store_vectors(task, context, &sc);
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
	u64 r13 = task->cpu->gpr[13];

	/* The vector area is read from where the context says. */
	if (copy_from_user(task, &uc, address, offsetof(struct guest_ucontext, mcontext.vmx_reserve)))
		return -EFAULT;
	if (!(uc.mcontext.gp_regs[PT_MSR] & MSR_LE)) {
		log_line(LOG_UNIMPLEMENTED, "swapcontext to big-endian mode");
		return -EFAULT;
	}
	task_giveup_fp(task);
	load_general(task, &uc.mcontext);
	task->cpu->gpr[13] = r13;
	*mask = uc.sigmask;
	return load_vectors(task, &uc.mcontext);
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
