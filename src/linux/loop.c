// SPDX-License-Identifier: MIT
#include "linux/loop.h"

#include "base/counters.h"
#include "base/log.h"
#include "engine/engine.h"
#include "linux/syscall.h"
#include "linux/traps.h"
#include "linux/vdso.h"

/* System calls between two looks at the host's clocks. */
#define CLOCK_CHECK 256

/* Performs one exit. Return: result of a system call that may be to be restarted, else 0. */
static s64 handle_exit(struct task *task, enum cpu_exit exit)
{
	switch (exit) {
	case CPU_EXIT_SYSCALL:
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
		return 0;
	default:
		log_fatal(125, "the CPU left with %d at 0x%llx, which nobody asked for", exit,
			  (unsigned long long)task->cpu->pc);
	}
}

void task_loop(struct task *task)
{
	u32 calls = 0;
	s64 result = 0;

	current = task;
	for (;;) {
		enum cpu_exit exit;

		/* What a return to user mode does: signals first, then registers. */
		if (unlikely(result < 0 || __atomic_load_n(&task->interrupt, __ATOMIC_SEQ_CST)))
			signal_deliver(task, result);
		task_restore_math(task);
		exit = cpu_run(task->cpu);
		result = handle_exit(task, exit);
		if (exit == CPU_EXIT_SYSCALL && unlikely(++calls % CLOCK_CHECK == 0))
			vdso_update_clock(task->process);
	}
}
