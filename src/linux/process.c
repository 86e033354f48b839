// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/counters.h"
#include "engine/engine.h"
#include "linux/mm.h"
#include "linux/posix_timers.h"
#include "linux/proc_task.h"
#include "linux/sched.h"
#include "linux/signal_host.h"
#include "linux/syscall.h"
#include "linux/tm.h"
#include "tm/tm.h"

struct task *process_create(const struct run_options *options, struct slots *slots)
{
	struct process *process = calloc(1, sizeof(*process));
	struct task *task = calloc(1, sizeof(*task));
	struct cpu *cpu;

	if (!process || !task)
		return NULL;
	process->mm = mm_create(&options->tm_config);
	if (!process->mm)
		return NULL;
	process->mm->observer = options->observer;
	process->mm->patch_taborts = tm_removes_taborts(&options->tm);
	if (options->observer && options->observer->tm_event)
		tm_domain_observe(process->mm->tm, options->observer->tm_event,
				  options->observer->context);
	process->options = options;
	process->pid = getpid();
	process->exe_fd = -1;
	process->tasks = task;
	process->n_tasks = 1;
	pthread_mutex_init(&process->task_lock, NULL);
	task->process = process;
	memset(task->sched.affinity, 0xff, sizeof(task->sched.affinity));
	cpu = sched_init(process, slots);
	cpu->owner = task;
	task->cpu = cpu;
	current = task;
	task->tid = process->pid;
	task_learn_priority(task);
	/* As INIT_THREAD of 64-bit Linux has it: PR_FP_EXC_DISABLED (32-bit Linux starts precise). */
	task->fpexc_mode = 0;
	/* Linux means to set VSCR[NJ], but in little-endian order it writes to another word. */
	task->fp.vscr = 0;
	return task;
}

void process_leave(struct process *process)
{
	sched_leave();
	if (!process->shares_memory)
		sched_count_instructions();
}

void process_exit(struct process *process, int status)
{
	process_leave(process);
	_exit(status);
}

void process_become_child(struct task *task)
{
	struct process *process = task->process;

	process->pid = getpid();
	process->tasks = task;
	process->n_tasks = 1;
	task->next = NULL;
	task->tid = process->pid;
	task->pending = (struct signal_queue){0};
	process->signals.pending = (struct signal_queue){0};
	if (sched_is_threaded())
		task_tell_priority(task);
	posix_timers_forget(process);
}

/* In the order in which these locks nest. */
void process_before_fork(struct task *task)
{
	struct process *process = task->process;

	pthread_mutex_lock(&process->task_lock);
	pthread_mutex_lock(&process->signals.lock);
	futex_before_fork();
	pthread_mutex_lock(&process->mm->lock);
	sched_before_fork(task);
}

void process_after_fork(struct task *task, bool in_child)
{
	struct process *process = task->process;

	if (in_child) {
		process_become_child(task);
		signal_host_after_fork(task->blocked, process->signals.action);
	}
	sched_after_fork(task, in_child);
	pthread_mutex_unlock(&process->mm->lock);
	futex_after_fork(in_child);
	pthread_mutex_unlock(&process->signals.lock);
	pthread_mutex_unlock(&process->task_lock);
}

struct task *task_create(struct task *parent)
{
	struct process *process = parent->process;
	struct task *task = malloc(sizeof(*task));

	if (!task)
		return NULL;
	*task = *parent;
	task->sched = (struct task_sched){.last_slot = parent->sched.last_slot + 1};
	memcpy(task->sched.affinity, parent->sched.affinity, sizeof(task->sched.affinity));
	task->futex = (struct futex_waiter){0};
	task->user_copies = NULL;
	task->cpu = NULL;
	task->tid = sched_new_tid();
	task->pending = (struct signal_queue){0};
	task->altstack = (struct signal_stack){.flags = SS_DISABLE};
	task->restore_blocked = false;
	task->waits_for = 0;
	task->interrupt = 0;
	task->robust_list = 0;
	task->clear_child_tid = 0;
	task->comm_fd = 0;
	task->exited = false;
	pthread_mutex_lock(&process->task_lock);
	pthread_mutex_lock(&process->signals.lock);
	task->next = parent->next;
	parent->next = task;
	__atomic_store_n(&process->n_tasks, process->n_tasks + 1, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&process->signals.lock);
	pthread_mutex_unlock(&process->task_lock);
	return task;
}

bool task_leave(struct task *task)
{
	struct process *process = task->process;
	struct task **link = &process->tasks;
	bool last;

	pthread_mutex_lock(&process->task_lock);
	pthread_mutex_lock(&process->signals.lock);
	last = process->n_tasks == 1;
	if (!last) {
		while (*link != task)
			link = &(*link)->next;
		*link = task->next;
		__atomic_store_n(&process->n_tasks, process->n_tasks - 1, __ATOMIC_RELEASE);
		task->exited = true;
	}
	pthread_mutex_unlock(&process->signals.lock);
	pthread_mutex_unlock(&process->task_lock);
	return !last;
}

void task_free(struct task *task)
{
	signal_flush_task(task);
	proc_task_forget(task);
	free(task);
}
