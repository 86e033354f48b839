// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>

#include "base/counters.h"
#include "engine/engine.h"
#include "linux/mm.h"
#include "linux/syscall.h"

struct task *process_create(const struct run_options *options)
{
	struct process *process = calloc(1, sizeof(*process));
	struct task *task = calloc(1, sizeof(*task));
	struct cpu *cpu = aligned_alloc(64, ROUND_UP(sizeof(*cpu), 64));

	if (!process || !task || !cpu)
		return NULL;
	process->mm = mm_create();
	if (!process->mm)
		return NULL;
	process->options = options;
	process->pid = getpid();
	process->exe_fd = -1;
	process->tasks = task;
	cpu_init(cpu, process->mm->code_space);
	cpu->owner = task;
	task->process = process;
	task->cpu = cpu;
	task->tid = process->pid;
	/* As INIT_THREAD of 64-bit Linux has it: PR_FP_EXC_DISABLED (32-bit Linux starts precise). */
	task->fpexc_mode = 0;
	task->fp.vscr = cpu_get_vscr(cpu);
	return task;
}

void process_leave(struct process *process)
{
	for (struct task *task = process->tasks; task; task = task->next)
		if (task->cpu)
			count(COUNTER_instructions, task->cpu->icount);
	if (process->options->at_exit)
		process->options->at_exit(process);
}

void process_exit(struct process *process, int status)
{
	process_leave(process);
	_exit(status);
}

void process_after_fork(struct task *task)
{
	struct process *process = task->process;

	process->pid = getpid();
	process->tasks = task;
	task->next = NULL;
	task->tid = process->pid;
	task->pending = (struct signal_queue){0};
	process->signals.pending = (struct signal_queue){0};
}
