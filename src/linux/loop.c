// SPDX-License-Identifier: MIT
#include "linux/loop.h"

#include "base/counters.h"
#include "base/log.h"
#include "engine/engine.h"
#include "tm/gate.h"
#include "linux/sched.h"
#include "linux/mm.h"
#include "linux/syscall.h"
#include "linux/tm.h"
#include "linux/traps.h"
#include "linux/vdso.h"

/* System calls between two looks at the host's clocks. */
#define CLOCK_CHECK 256

/* Performs one exit. Return: result of a system call that may be to be restarted, else 0. */
static s64 handle_exit(struct task *task, enum cpu_exit exit)
{
	switch (exit) {
	case CPU_EXIT_SYSCALL:
		if (unlikely(tm_is_transactional(task->cpu)) && tm_refuse_syscall(task))
			return 0;
		count(COUNTER_system_calls, 1);
		return syscall_dispatch(task);
	case CPU_EXIT_FAULT:
		trap_fault(task);
		return 0;
	case CPU_EXIT_ALIGNMENT:
		trap_alignment(task);
		return 0;
	case CPU_EXIT_PROGRAM:
		trap_program(task);
		return 0;
	case CPU_EXIT_FACILITY:
		trap_facility(task);
		return 0;
	case CPU_EXIT_INTERRUPT:
		task->trap = INT_DECREMENTER;
		/* Having left the gate was all that a stopper wanted. */
		__atomic_fetch_and(&task->cpu->poll, ~POLL_STOP, __ATOMIC_SEQ_CST);
		return 0;
	default:
		log_fatal(125, "the CPU left with %d at 0x%llx, which nobody asked for", exit,
			  (unsigned long long)task->cpu->pc);
	}
}

/* Go on with the system call in which the task was parked. */
static s64 resume_syscall(struct task *task)
{
	s64 (*resume)(struct task *) = task->sched.resume;

	task->sched.resume = NULL;
	return syscall_finish(task, resume(task));
}

enum task_stop task_run(struct task *task)
{
	u32 calls = 0;
	s64 result = task->sched.resume ? resume_syscall(task) : 0;

	for (;;) {
		struct cpu *cpu = task->cpu;
		enum cpu_exit exit;

		if (unlikely(result == SYSCALL_PARKED))
			return TASK_PARKED;
		if (unlikely(result == SYSCALL_EXITED))
			return TASK_EXITED;
		/* What a return to user mode does: signals first, then registers. */
		if (unlikely(result < 0 || task_interrupted(task)))
			signal_deliver(task, result);
		if (unlikely(__atomic_load_n(&cpu->poll, __ATOMIC_RELAXED) & POLL_INTERRUPT)) {
			__atomic_fetch_and(&cpu->poll, ~POLL_INTERRUPT, __ATOMIC_SEQ_CST);
			if (task_interrupted(task)) {
				result = 0;
				continue;
			}
			if (!sched_should_yield(task))
				task->tm.deferred_since = 0;
			else if (!tm_defer_switch(task))
				return TASK_YIELDED;
		}
		task_restore_math(task);
		gate_enter(task->process->mm->gate, cpu);
		exit = cpu_run(cpu);
		gate_leave(task->process->mm->gate, cpu);
		result = handle_exit(task, exit);
		if (exit == CPU_EXIT_SYSCALL) {
			if (unlikely(++calls % CLOCK_CHECK == 0))
				vdso_update_clock(task->process);
			if (unlikely(task->sched.yielded) && sched_yield_makes_sense(task))
				return TASK_YIELDED;
		}
	}
}
