// SPDX-License-Identifier: MIT
/*
 * Scheduling parameters, priorities and CPUs.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <string.h>

#include "linux/sched.h"
#include "linux/syscall_pass.h"

PASS(sched_get_priority_max)
PASS(sched_get_priority_min)
PASS(sched_getscheduler)
PASS(sched_setscheduler, IN(2, sizeof(struct sched_param)))
PASS(sched_getparam, OUT(1, sizeof(struct sched_param)))
PASS(sched_setparam, IN(1, sizeof(struct sched_param)))
PASS(sched_rr_get_interval, OUT(1, sizeof(struct timespec)))
PASS(sched_getattr, OUT_INT(1, 2, 1))
/* The structure says its own size; 56 bytes is the newest known. */
PASS(sched_setattr, IN(1, 56))
PASS(getpriority)
PASS(setpriority)
PASS(ioprio_get)
PASS(ioprio_set)

/* x86-64 has no such call. */
s64 sys_nice(struct task *task, const u64 args[6])
{
	s64 priority = host_call(SYS_getpriority, 0, 0);
	int nice;

	if (priority < 0)
		return priority;
	nice = 20 - (int)priority + (int)args[0];
	return host_call(SYS_setpriority, 0, 0, nice < -20 ? -20 : nice > 19 ? 19 : nice);
}

/* Barriers among the threads of the process, which are host threads while they run. */
PASS_SLEEP(membarrier)

s64 sys_sched_yield(struct task *task, const u64 args[6])
{
	task->sched.yielded = true;
	return 0;
}

s64 sys_getcpu(struct task *task, const u64 args[6])
{
	const u32 cpu = task->cpu->id, node = 0;

	if ((args[0] && put_user(task, cpu, args[0])) || (args[1] && put_user(task, node, args[1])))
		return -EFAULT;
	return 0;
}

/*
 * Affinity is among virtual CPUs. A thread of another process is not known here: for it, all of them
 * are reported, and a change is refused.
 */
static void all_cpus(u64 mask[CPU_MASK_WORDS])
{
	memset(mask, 0, CPU_MASK_WORDS * sizeof(*mask));
	for (u32 i = 0; i < sched_n_cpus(); i++)
		mask[i / 64] |= 1ull << i % 64;
}

s64 sys_sched_getaffinity(struct task *task, const u64 args[6])
{
	struct process *process = task->process;
	int tid = (int)args[0] ? (int)args[0] : task->tid;
	u32 length = (u32)args[1];
	u64 mask[CPU_MASK_WORDS];
	struct task *target;

	if ((u64)length * 8 < sched_n_cpus() || length % sizeof(u64))
		return -EINVAL;
	all_cpus(mask);
	pthread_mutex_lock(&process->task_lock);
	target = task_find(process, tid);
	for (u32 i = 0; target && i < CPU_MASK_WORDS; i++)
		mask[i] &= target->sched.affinity[i];
	pthread_mutex_unlock(&process->task_lock);
	if (!target && host_call(SYS_sched_getaffinity, tid, 0, 0) == -ESRCH)
		return -ESRCH;
	length = MIN(length, (u32)sizeof(mask));
	return copy_to_user(task, args[2], mask, length) ? -EFAULT : (s64)length;
}

s64 sys_sched_setaffinity(struct task *task, const u64 args[6])
{
	struct process *process = task->process;
	int tid = (int)args[0] ? (int)args[0] : task->tid;
	u64 mask[CPU_MASK_WORDS] = {0}, all[CPU_MASK_WORDS], any = 0;
	struct task *target;

	if (copy_from_user(task, mask, args[2], MIN((u32)args[1], (u32)sizeof(mask))))
		return -EFAULT;
	all_cpus(all);
	for (u32 i = 0; i < CPU_MASK_WORDS; i++)
		any |= mask[i] &= all[i];
	if (!any)
		return -EINVAL;
	pthread_mutex_lock(&process->task_lock);
	target = task_find(process, tid);
	if (target)
		memcpy(target->sched.affinity, mask, sizeof(mask));
	pthread_mutex_unlock(&process->task_lock);
	if (!target)
		return -ESRCH;
	/* It moves at its next safepoint. */
	if (target == task)
		task->sched.yielded = true;
	else
		sched_interrupt(target);
	return 0;
}
