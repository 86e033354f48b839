/* SPDX-License-Identifier: MIT */
/*
 * What the kernel half knows of a guest: threads (struct task) and processes.
 *
 * The register file belongs to the virtual CPU (struct cpu). While a task runs, task->cpu is that
 * CPU and holds its registers; struct task holds what the kernel saved: general registers of a
 * task that is switched out, and the registers of each facility whose MSR bit is off. FP, VMX and
 * VSX are managed by Linux's rules (arch/powerpc/kernel/process.c): off at exec, switched on by
 * the first use, given up when another task or a signal handler takes over, and loaded ahead of
 * use while load_fp and load_vec are nonzero.
 *
 * Except where said otherwise, the fields of a task belong to the host thread that drives it.
 */
#ifndef LINUX_TASK_H
#define LINUX_TASK_H

#include <pthread.h>
#include <sys/types.h>

#include "arch/cpu.h"
#include "linux/futex.h"
#include "linux/signal.h"
#include "linux/tm_policy.h"

/* Priority of user programs: INIT_PPR of asm/reg.h. */
#define PPR_DEFAULT (3ull << 50)

struct mm;
struct posix_timer;
struct process;
struct task;
struct user_copy;

/* General registers of a task that has no CPU. */
struct task_regs {
	u64 gpr[32];
	u64 pc, lr, ctr, msr, xer;
	u64 tar, dscr, ppr, amr;
	u32 cr, vrsave;
};

/* Registers of FP, VMX and VSX while the facility is off. */
struct fp_state {
	union vsr vsr[64];
	u64 fpscr;
	u32 vscr;
};

/* Transactional state of a task whose MSR[TM] is off, or that is switched out. */
struct tm_thread_state {
	u64 tfhar, texasr, tfiar;
	u64 ckpt_msr; /* user MSR when FP and VMX were given up in a transaction */
	bool restore; /* FP, VEC, VSX of ckpt_msr are to be on at return to user mode */
	u64 deferred_since; /* CLOCK_MONOTONIC ns: a switch waits for the transaction; 0 = none */
	struct cpu_checkpoint checkpoint;
};

/* What the scheduler knows of a task; under its lock but for hints. sched.h */
enum task_state {
	TASK_NEW,
	TASK_RUNNABLE, /* in the queue */
	TASK_ON_CPU,   /* a worker runs it, or executes a host call for it */
	TASK_ASLEEP,   /* parked */
	TASK_ALONE,    /* a child of vfork: has a host process of its own */
	TASK_DEAD,
};

#define CPU_MASK_WORDS 4 /* 256 virtual CPUs */

struct slots;
struct worker;

struct task_sched {
	enum task_state state;
	struct task *next; /* in the queue */
	struct worker *worker;
	bool woken;			  /* sched_wake() came before it slept */
	bool yielded;			  /* gave up its slice or used it up */
	s64 (*resume)(struct task *task); /* of the system call that parked it; NULL = none */
	u64 deadline;			  /* CLOCK_MONOTONIC ns; 0 = none */
	u32 timer_index;		  /* timers.h */
	u32 last_slot;
	u64 affinity[CPU_MASK_WORDS];
	u32 park_word;		    /* futex word of a task that is alone */
	long slow_call;		    /* host call that slept the last time; 0 = none */
	long host_call;		    /* in progress */
	u64 host_call_start;	    /* CLOCK_MONOTONIC ns, if it gave its slot up at once; else 0 */
	u64 voluntary, involuntary; /* context switches */
	u64 cpu_ns;		    /* used, if that is counted: sched_task_cpu_ns() */
};

/* What a thread has asked for with the sched_*, priority and ioprio calls: sys_sched.c. */
struct task_priority {
	u32 policy; /* with SCHED_RESET_ON_FORK */
	int realtime, nice, io;
};

/* How to go on with a system call that said -ERESTART_RESTARTBLOCK. */
struct restart_block {
	s64 (*function)(struct task *task);
	u64 args[6];
};

struct task {
	struct process *process;
	struct task_sched sched;
	struct task_priority priority; /* under process->task_lock */
	struct futex_waiter futex;
	struct cpu *cpu;   /* NULL while switched out */
	struct task *next; /* in process->tasks */
	int tid;
	char comm[16];
	int comm_fd; /* a file to which a new name is written; 0 = none. proc_task.h */

	/* Saved by the context switch. */
	struct task_regs regs;
	struct fp_state fp;
	u8 load_fp, load_vec;
	u32 load_tm; /* less than tm_policy.load_tm */
	u64 fpexc_mode;		/* MSR_FE0 and MSR_FE1 while FP is on: prctl(PR_SET_FPEXC) */
	bool used_vr, used_vsr; /* ever, since exec */
	struct tm_thread_state tm;

	/* System call in progress, or the interrupt that entered the kernel half. */
	u64 orig_r3;
	s64 result; /* of the system call */
	u32 trap; /* vector: 0xc00 system call, 0x300 data storage, ... */
	u64 dar, dsisr;
	u32 fault_retries; /* faults in a row for which there was no reason to be found */
	struct restart_block restart;
	struct user_copy *user_copies; /* user_buffer.c */

	/*
	 * Nonzero when a system call must not sleep: a signal is waiting. Set by any thread and
	 * by host signal handlers, atomically; host_syscall_interruptible() looks at it.
	 */
	u32 interrupt;

	/* Signals: signal.c. */
	u64 blocked;
	u64 saved_blocked; /* to be restored by signal delivery if restore_blocked */
	bool restore_blocked;
	u64 waits_for; /* by sigtimedwait */
	struct signal_queue pending;
	struct signal_stack altstack;

	/* Thread calls. */
	u64 clear_child_tid;
	u64 robust_list;
	u64 set_child_tid;
	int exit_code;
	bool exited;
	u32 personality;
};

struct tm_event;

/**
 * struct run_observer - somebody who wants to know what a process does
 * @context: for its functions; any of these may be NULL
 * @tm_event: of a transaction or of MSR[TM], as tm_domain_observe() in tm/tm.h tells; the thread is
 *	current
 * @file_mapped: part of a file was mapped: @fd is open, the pages hold the file
 *	from @offset on. Called with mm->lock held: it may read the file, but not map guest memory.
 */
struct run_observer {
	void *context;
	void (*tm_event)(void *context, struct cpu *cpu, const struct tm_event *event);
	void (*file_mapped)(void *context, int fd, u64 start, u64 end, u64 offset);
};

/**
 * struct run_options - what is to be run how: the command line's choices, and those of a program
 * that embeds this
 * @sysroot: -L as given; NULL = none
 * @strace: print system calls
 * @hwcap: AT_HWCAP of the guest
 * @hwcap2: AT_HWCAP2; the bits of transactional memory must be tm_hwcap2(&tm)
 * @platform: AT_PLATFORM
 * @tm: what Linux does about transactional memory; TM_POLICY_DEFAULT
 * @tm_config: what the machine's facility can do; TM_CONFIG_POWER8. TM_FACILITY_NO_SUSPEND goes
 *	with .no_suspend, TM_FACILITY_SYNTHETIC with .synthetic
 * @slots: the machine's virtual CPUs
 * @observer: NULL = none, and then nothing is called, and costs nothing
 *
 * All of it must stay unchanged while the program runs. Programs that the guest executes get it by
 * the words of exec_set_self().
 */
struct run_options {
	const char *sysroot;
	bool strace;
	u64 hwcap, hwcap2;
	const char *platform;
	struct tm_policy tm;
	struct tm_config tm_config;
	struct slots *slots;
	const struct run_observer *observer;
};

struct process {
	struct mm *mm;
	const struct run_options *options;
	struct task *tasks; /* under task_lock */
	u32 n_tasks;
	pthread_mutex_t task_lock;
	pid_t pid;
	char *exe;  /* guest path of the program */
	int exe_fd; /* the program, for /proc/self/exe; -1 if none */
	u64 arg_start, arg_end, env_start, env_end, auxv_start, auxv_end;
	u64 vdso, vdso_data; /* addresses of its code and its data page; 0 = none */
	struct signal_shared signals;
	struct posix_timer *timers; /* under signals.lock; posix_timers.h */
	bool shares_memory; /* child of vfork: until exec or exit the memory is the parent's */
	bool exiting;	    /* exit_group was called */
	int exit_code;
};

/* The task that this host thread drives; NULL outside run.c's loop. */
extern _Thread_local struct task *current;

/*
 * Does nobody else run in the address space of a task? Only the task itself can change that, so it
 * stays true while it executes in the kernel half. (The parent of a vfork child does not.)
 */
static inline bool task_is_alone(const struct task *task)
{
	return __atomic_load_n(&task->process->n_tasks, __ATOMIC_ACQUIRE) == 1 &&
	       !task->process->shares_memory;
}

/*
 * Any task of the process. NULL if there is none with that number. With process->task_lock, or for
 * a hint.
 */
struct task *task_find(struct process *process, int tid);

/* The process that a number of a thread of this one means; other numbers as they are. */
int task_process_number(struct process *process, int number);

/* A new thread of the process, with copies of what the parent has. NULL if memory is short. */
struct task *task_create(struct task *parent);

/*
 * The thread ends: nobody finds it any more. Return: false if it is the last one of the process,
 * and then nothing has happened.
 */
bool task_leave(struct task *task);

/* Take the priorities of the calling host thread; give it the task's nice value. sys_sched.c */
void task_learn_priority(struct task *task);
void task_tell_priority(const struct task *task);

/* Free the memory of a task that has left. By the scheduler. */
void task_free(struct task *task);

/* An empty process with one task that has a CPU and no program yet. NULL if memory is short. */
struct task *process_create(const struct run_options *options, struct slots *slots);

/* The process ends: reports. Once, before it does. */
void process_leave(struct process *process);

/* End the process with an exit status. */
void process_exit(struct process *process, int status) __attribute__((noreturn));

/*
 * Around a fork: all tasks are stopped and no lock of the kernel half is held by another. The child
 * has one task, the caller's, with a number of its own.
 */
void process_before_fork(struct task *task);
void process_after_fork(struct task *task, bool in_child);

/* What a new process, by fork or vfork, is called and has not inherited. */
void process_become_child(struct task *task);

/*
 * Give up FP, VMX and VSX: registers move into task->fp, MSR bits go off (giveup), or stay on
 * (flush). After a flush the values of both places are the same.
 */
void task_giveup_fp(struct task *task);
void task_flush_fp(struct task *task);

/* Facility unavailable interrupt for FP, VEC or VSX: load and switch on. */
void task_enable_facility(struct task *task, enum cpu_facility facility);

/* Load FP and VMX (MSR_FP, MSR_VEC) from task->fp, switch them on, and VSX if both are. */
void task_load_facilities(struct task *task, u64 msr);

/* What a return to user mode does: loads FP and VMX ahead of use. Linux: restore_math(). */
void task_restore_math(struct task *task);

#endif
