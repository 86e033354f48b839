// SPDX-License-Identifier: MIT
/*
 * Making processes and waiting for them.
 *
 * A guest process is a host process, so fork is a fork of the host. vfork, and clone with CLONE_VM
 * and CLONE_VFORK (posix_spawn), share memory with the parent until the child executes a program
 * or ends, as programs rely on: the child is a host process made with the same flags, in which the
 * parent's host thread goes on, on a stack of its own, with a copy of the parent's registers. The
 * parent's thread sleeps in the host's clone meanwhile.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "engine/engine.h"
#include "tm/gate.h"
#include "linux/exec.h"
#include "linux/mm.h"
#include "linux/sched.h"
#include "linux/signal_host.h"
#include "linux/switch.h"
#include "linux/syscall_pass.h"
#include "linux/tm.h"

#define EXIT_SIGNAL 0xffull /* CSIGNAL of Linux */

/* What clone and clone3 are asked for, in one form. */
struct clone_request {
	u64 flags; /* without the signal */
	int exit_signal;
	u64 stack; /* stack pointer of the child; 0: the parent's */
	u64 parent_tid, child_tid, pidfd, tls;
};

/* Flags that the host process is made with; what the others ask for is done here. */
#define HOST_CLONE_FLAGS                                                                           \
	(CLONE_FS | CLONE_FILES | CLONE_IO | CLONE_SYSVSEM | CLONE_PARENT | CLONE_NEWNS |          \
	 CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET |               \
	 CLONE_NEWCGROUP)
#define OWN_CLONE_FLAGS                                                                            \
	(CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID |          \
	 CLONE_PIDFD | CLONE_VFORK | CLONE_DETACHED | CLONE_UNTRACED)

/* In the child: the registers and fields that differ from the parent's. */
static void set_up_child(struct task *task, const struct clone_request *request)
{
	task->robust_list = 0;
	task->clear_child_tid = request->flags & CLONE_CHILD_CLEARTID ? request->child_tid : 0;
	if (request->stack)
		task->cpu->gpr[1] = request->stack;
	if (request->flags & CLONE_SETTLS)
		task->cpu->gpr[13] = request->tls;
	if (request->flags & CLONE_CHILD_SETTID)
		put_user(task, (s32)task->tid, request->child_tid);
}

/* In the parent. Linux, too, does not care whether these addresses are good. */
static s64 child_made(struct task *task, const struct clone_request *request, s64 pid)
{
	if (pid < 0)
		return pid;
	if (request->flags & CLONE_PARENT_SETTID)
		put_user(task, (s32)pid, request->parent_tid);
	if (request->flags & CLONE_PIDFD)
		put_user(task, (s32)host_call(SYS_pidfd_open, pid, 0), request->pidfd);
	return pid;
}

/* A child with a copy of the memory. */
static s64 fork_process(struct task *task, const struct clone_request *request)
{
	u64 host_flags = request->flags & HOST_CLONE_FLAGS;
	s64 pid;

	process_before_fork(task);
	if (!host_flags && request->exit_signal == SIGCHLD) {
		pid = fork();
		if (pid < 0)
			pid = -errno;
	} else {
		pid = host_call(SYS_clone, host_flags | (u64)request->exit_signal);
	}
	process_after_fork(task, pid == 0);
	if (pid)
		return child_made(task, request, pid);
	set_up_child(task, request);
	return 0;
}

#define CHILD_STACK_SIZE (1u << 20)

/* What a child that shares its parent's memory has for itself. */
struct vfork {
	const struct clone_request *request;
	struct process process;
	struct task task;
	struct cpu *cpu;
	bool attached; /* to the gate */
	u8 *stack;
};

static int vfork_child(void *argument)
{
	struct vfork *v = argument;

	process_become_child(&v->task);
	set_up_child(&v->task, v->request);
	signal_host_set_mask(v->task.blocked);
	v->cpu->gpr[3] = 0;
	v->cpu->cr[3] = 0;
	sched_run_alone(&v->task);
}

static void free_vfork(struct vfork *v)
{
	if (v->stack)
		munmap(v->stack, CHILD_STACK_SIZE);
	if (v->attached) {
		gate_detach(v->process.mm->gate, v->cpu);
		tm_cpu_destroy(v->cpu);
	}
	free(v->cpu);
	free(v);
}

/* The child's state: copies, except for the address space. NULL if memory is short. */
static struct vfork *copy_task(struct task *task, const struct clone_request *request)
{
	struct vfork *v = calloc(1, sizeof(*v));
	void *stack;

	if (!v)
		return NULL;
	v->request = request;
	v->cpu = aligned_alloc(64, ROUND_UP(sizeof(*v->cpu), 64));
	stack = mmap(NULL, CHILD_STACK_SIZE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (stack != MAP_FAILED)
		v->stack = stack;
	if (!v->cpu || !v->stack) {
		free_vfork(v);
		return NULL;
	}
	v->process = *task->process;
	v->process.shares_memory = true;
	pthread_mutex_init(&v->process.signals.lock, NULL);
	pthread_mutex_init(&v->process.task_lock, NULL);
	v->task = *task;
	v->task.process = &v->process;
	v->task.next = NULL;
	v->task.cpu = v->cpu;
	/* Registers, but not what the engine knows of code: that is the CPU's own. */
	cpu_init(v->cpu, task->process->mm->code_space);
	memcpy(v->cpu, task->cpu, offsetof(struct cpu, poll));
	v->cpu->tm_footprint = NULL;
	v->cpu->timebase_offset = task->cpu->timebase_offset;
	v->cpu->owner = &v->task;
	v->attached = !gate_attach(v->process.mm->gate, v->cpu);
	if (!v->attached) {
		free_vfork(v);
		return NULL;
	}
	return v;
}

static s64 vfork_process(struct task *task, const struct clone_request *request)
{
	int flags = (int)(request->flags & HOST_CLONE_FLAGS) | CLONE_VM | CLONE_VFORK;
	struct vfork *v = copy_task(task, request);
	s64 pid;

	if (!v)
		return -ENOMEM;
	pid = clone(vfork_child, v->stack + CHILD_STACK_SIZE, flags | request->exit_signal, v);
	if (pid < 0)
		pid = -errno;
	current = task;
	sched_come_back(task);
	exec_release();
	free_vfork(v);
	return child_made(task, request, pid);
}

/*
 * Both processes would see a signal that powertm has noted and the guest not handled. So it comes
 * first, and those of the host wait until both can tell their own.
 */
static s64 with_signals_held(struct task *task, const struct clone_request *request)
{
	s64 result = -ERESTARTNOINTR;

	signal_host_set_mask(~0ull);
	if (!__atomic_load_n(&task->interrupt, __ATOMIC_SEQ_CST)) {
		tm_flush(task);
		result = request->flags & CLONE_VM ? vfork_process(task, request)
						   : fork_process(task, request);
	}
	signal_host_set_mask(task->blocked);
	return result;
}

/* What all threads of a process share here, and so must ask for. */
#define THREAD_FLAGS (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND)
#define THREAD_MAY                                                                                 \
	(CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_SETTID |  \
	 CLONE_CHILD_CLEARTID | CLONE_DETACHED | CLONE_IO | CLONE_PTRACE | CLONE_UNTRACED)

/* A thread: a task of the same process, with a copy of the registers. */
static s64 clone_thread(struct task *task, const struct clone_request *request)
{
	u64 flags = request->flags;
	struct task *child;
	s32 tid;

	if ((flags & (CLONE_VM | CLONE_SIGHAND)) != (CLONE_VM | CLONE_SIGHAND))
		return -EINVAL;
	if ((flags & THREAD_FLAGS) != THREAD_FLAGS || flags & ~(u64)(THREAD_FLAGS | THREAD_MAY) ||
	    task->sched.state == TASK_ALONE) {
		log_line(LOG_UNIMPLEMENTED, "a thread by clone with flags 0x%llx is not implemented",
			 (unsigned long long)flags);
		return -ENOSYS;
	}
	/* A transaction is doomed, and the child has a copy of it: 621b5060e823. */
	tm_flush(task);
	task_flush_fp(task);
	child = task_create(task);
	if (!child)
		return -EAGAIN;
	child->tm.deferred_since = 0;
	switch_save_regs(task->cpu, &child->regs);
	child->regs.msr &= ~(MSR_FP | MSR_FE0 | MSR_FE1 | MSR_VEC | MSR_VSX);
	child->regs.gpr[3] = 0;
	child->regs.cr &= ~0x10000000u; /* CR0[SO]: success */
	if (request->stack)
		child->regs.gpr[1] = request->stack;
	if (flags & CLONE_SETTLS)
		child->regs.gpr[13] = request->tls;
	if (flags & CLONE_CHILD_CLEARTID)
		child->clear_child_tid = request->child_tid;
	tid = child->tid;
	if (flags & CLONE_PARENT_SETTID)
		put_user(task, tid, request->parent_tid);
	if (flags & CLONE_CHILD_SETTID)
		put_user(task, tid, request->child_tid);
	sched_start(child);
	return tid;
}

static s64 clone_process(struct task *task, const struct clone_request *request)
{
	u64 flags = request->flags;
	u64 unknown;

	if (flags & CLONE_THREAD)
		return clone_thread(task, request);
	unknown = flags & ~(u64)(HOST_CLONE_FLAGS | OWN_CLONE_FLAGS | CLONE_VM);

	if (unknown || (flags & (CLONE_VM | CLONE_VFORK)) == CLONE_VM) {
		log_line(LOG_UNIMPLEMENTED, "clone with flags 0x%llx is not implemented",
			 (unsigned long long)flags);
		return -ENOSYS;
	}
	return with_signals_held(task, request);
}

s64 sys_fork(struct task *task, const u64 args[6])
{
	const struct clone_request request = {.exit_signal = SIGCHLD};

	return clone_process(task, &request);
}

s64 sys_vfork(struct task *task, const u64 args[6])
{
	const struct clone_request request = {.flags = CLONE_VM | CLONE_VFORK,
					      .exit_signal = SIGCHLD};

	return clone_process(task, &request);
}

/* Argument order of powerpc: CLONE_BACKWARDS of Linux. */
s64 sys_clone(struct task *task, const u64 args[6])
{
	const struct clone_request request = {
		.flags = (u32)args[0] & ~EXIT_SIGNAL,
		.exit_signal = (int)(args[0] & EXIT_SIGNAL),
		.stack = args[1],
		.parent_tid = args[2],
		.pidfd = args[2],
		.tls = args[3],
		.child_tid = args[4],
	};

	if ((request.flags & CLONE_PIDFD) && (request.flags & CLONE_PARENT_SETTID))
		return -EINVAL;
	return clone_process(task, &request);
}

/* struct clone_args of <linux/sched.h>, all that is known of it today. */
struct guest_clone_args {
	u64 flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
	u64 set_tid, set_tid_size, cgroup;
};

#define CLONE_ARGS_SIZE_MIN 64

s64 sys_clone3(struct task *task, const u64 args[6])
{
	struct guest_clone_args guest = {0};
	struct clone_request request;
	u64 size = args[1];

	if (size > GUEST_PAGE_SIZE)
		return -E2BIG;
	if (size < CLONE_ARGS_SIZE_MIN)
		return -EINVAL;
	if (size > sizeof(guest))
		return -E2BIG;
	if (copy_from_user(task, &guest, args[0], size))
		return -EFAULT;
	if (guest.set_tid || guest.cgroup || (guest.flags & EXIT_SIGNAL) ||
	    guest.exit_signal > GUEST_NSIG || !guest.stack != !guest.stack_size)
		return -EINVAL;
	request = (struct clone_request){
		.flags = guest.flags,
		.exit_signal = (int)guest.exit_signal,
		.stack = guest.stack + guest.stack_size,
		.parent_tid = guest.parent_tid,
		.child_tid = guest.child_tid,
		.pidfd = guest.pidfd,
		.tls = guest.tls,
	};
	return clone_process(task, &request);
}

PASS_SLEEP(wait4, OUT(1, 4), OUT(3, sizeof(struct rusage)))
PASS_SLEEP(waitid, OUT(2, sizeof(siginfo_t)), OUT(4, sizeof(struct rusage)))
PASS(pidfd_open)
PASS(pidfd_getfd)
PASS(pidfd_send_signal, IN(2, sizeof(siginfo_t)))
PASS(unshare)
PASS(setns)
