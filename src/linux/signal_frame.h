/* SPDX-License-Identifier: MIT */
/*
 * The frame that signal delivery puts on a guest's stack: the kernel's ABI for ppc64.
 *
 * From low to high addresses: a dummy stack frame of 128 bytes for the handler to build on, the
 * struct below, whose last 512 bytes are the red zone of the interrupted function. A kernel with
 * TM keeps room for the second context in every frame. Source: arch/powerpc/kernel/signal_64.c,
 * uapi/asm/sigcontext.h, asm/ucontext.h.
 */
#ifndef LINUX_SIGNAL_FRAME_H
#define LINUX_SIGNAL_FRAME_H

#include "linux/signal.h"

/* Index in gp_regs, uapi/asm/ptrace.h. */
enum {
	PT_NIP = 32,
	PT_MSR,
	PT_ORIG_R3,
	PT_CTR,
	PT_LNK,
	PT_XER,
	PT_CCR,
	PT_SOFTE,
	PT_TRAP,
	PT_DAR,
	PT_DSISR,
	PT_RESULT,
	PT_COUNT = 48,
};

#define VMX_VSCR   32 /* quadword of the vector area */
#define VMX_VRSAVE 33
#define VMX_QUADS  34

struct guest_sigcontext {
	u64 unused[4];
	s32 signal;
	s32 pad;
	u64 handler;
	u64 oldmask;
	u64 regs; /* address of gp_regs */
	u64 gp_regs[PT_COUNT];
	u64 fp_regs[33]; /* the last is the FPSCR */
	u64 v_regs;	 /* address of the vector area */
	u64 vmx_reserve[101];
};

/* struct sigaltstack in memory. */
struct guest_stack_t {
	u64 sp;
	s32 flags;
	s32 pad;
	u64 size;
};

struct guest_ucontext {
	u64 flags;
	u64 link;
	struct guest_stack_t stack;
	u64 sigmask;
	u64 unused[15];
	struct guest_sigcontext mcontext;
};

struct guest_sigframe {
	struct guest_ucontext uc;
	struct guest_ucontext uc_transact;
	u64 unused[2];
	u32 trampoline[7]; /* only if there is no vDSO */
	u32 pad;
	u64 pinfo;
	u64 puc;
	union guest_siginfo info;
	u8 red_zone[512];
};

_Static_assert(sizeof(struct guest_sigcontext) == 1528, "uapi/asm/sigcontext.h");
_Static_assert(sizeof(struct guest_ucontext) == 1696, "asm/ucontext.h");
_Static_assert(offsetof(struct guest_sigframe, pinfo) == 3440, "signal_64.c");
_Static_assert(offsetof(struct guest_sigframe, info) == 3456, "signal_64.c");
_Static_assert(sizeof(struct guest_sigframe) == 4096, "signal_64.c");

#define SIGNAL_DUMMY_FRAME   128
#define SIGNAL_FRAME_MINIMUM (sizeof(struct guest_sigframe) + SIGNAL_DUMMY_FRAME)

#define GUEST_MINSIGSTKSZ  8192u /* uapi/asm/signal.h */
#define SS_AUTODISARM_FLAG (1u << 31)

/* SS_DISABLE, SS_ONSTACK or 0, for a stack pointer. */
int signal_stack_flags(const struct task *task, u64 sp);

/* sigaltstack with a new stack. Return: 0, -EPERM, -EINVAL, -ENOMEM. */
int signal_set_stack(struct task *task, const struct guest_stack_t *stack, u64 sp);

/**
 * signal_frame_push - make the task enter a handler
 * @task: current task
 * @signal: being delivered
 * @action: of the guest
 * @mask: to come back at sigreturn
 *
 * A transaction fails (0xd4), and the handler runs outside it; the frame has a second context with
 * its registers then.
 * Return: 0 or -EFAULT if the frame cannot be written; then nothing else has changed.
 */
int signal_frame_push(struct task *task, const union guest_siginfo *signal,
		      const struct guest_sigaction *action, u64 mask);

/**
 * signal_frame_pop - rt_sigreturn
 * @task: current task; r1 is the dummy frame
 * @mask: receives the signal mask of the frame, unless that cannot be read
 *
 * Return: 0 or -EFAULT for a bad frame; registers may have changed.
 */
int signal_frame_pop(struct task *task, u64 *mask);

/*
 * A context outside a frame, for swapcontext: save the registers there, or load them from there,
 * but for r13. @vsx: it has room for the low halves of the VSRs. Return: 0 or -EFAULT.
 */
int signal_context_save(struct task *task, u64 address, bool vsx);
int signal_context_load(struct task *task, u64 address, u64 *mask);

/* Of a context without that room. */
#define UCONTEXT_SIZE_WITHOUT_VSX (sizeof(struct guest_ucontext) - 32 * sizeof(u64))

#endif
