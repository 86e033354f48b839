// SPDX-License-Identifier: MIT
/*
 * Scheduling parameters, priorities and CPUs.
 *
 * Linux has these by thread. While a guest process has one thread, its host process gets what the
 * guest asks for, and passes it on to its children. Threads of a process with several are not host
 * threads: what is asked for one of them is kept in its struct task, with Linux's checks, and has
 * no effect on who runs. Other processes are the host's affair.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "linux/mman.h"
#include "linux/range.h"
#include "linux/sched.h"
#include "linux/syscall_pass.h"

#define IOPRIO_WHO_PROCESS 1
#define RT_PRIORITY_MAX	   99
#define NICE_MIN	   (-20)
#define NICE_MAX	   19

PASS(sched_get_priority_max)
PASS(sched_get_priority_min)

/* Is the host's one thread the guest's one thread? */
static bool host_keeps(const struct task *task)
{
	return !sched_is_threaded() || task->sched.state == TASK_ALONE;
}

/*
 * The thread that a number means, with task_lock held; NULL and task_lock free: none of this
 * process.
 */
static struct task *lock_thread(struct task *task, int tid)
{
	struct process *process = task->process;
	struct task *target;

	pthread_mutex_lock(&process->task_lock);
	target = tid ? task_find(process, tid) : task;
	if (!target)
		pthread_mutex_unlock(&process->task_lock);
	return target;
}

static void unlock_threads(struct task *task)
{
	pthread_mutex_unlock(&task->process->task_lock);
}

void task_learn_priority(struct task *task)
{
	struct task_priority *p = &task->priority;
	struct sched_param param = {0};
	s64 policy = host_call(SYS_sched_getscheduler, 0);
	s64 nice = host_call(SYS_getpriority, PRIO_PROCESS, 0);
	s64 io = host_call(SYS_ioprio_get, IOPRIO_WHO_PROCESS, 0);

	host_call(SYS_sched_getparam, 0, &param);
	p->policy = policy < 0 ? SCHED_OTHER : (u32)policy;
	p->realtime = param.sched_priority;
	p->nice = nice < 0 ? 0 : 20 - (int)nice;
	p->io = io < 0 ? 0 : (int)io;
}

void task_tell_priority(const struct task *task)
{
	host_call(SYS_setpriority, PRIO_PROCESS, 0, task->priority.nice);
}

static bool may_raise(int resource, int wanted)
{
	struct rlimit limit;

	return !geteuid() || (!getrlimit(resource, &limit) && limit.rlim_cur >= (rlim_t)wanted);
}

/* Give a thread of several a policy; __sched_setscheduler() of Linux. */
static s64 set_policy(struct task *target, int policy, int priority)
{
	int bare = policy & ~SCHED_RESET_ON_FORK;
	bool realtime = bare == SCHED_FIFO || bare == SCHED_RR;

	if (!realtime && bare != SCHED_OTHER && bare != SCHED_BATCH && bare != SCHED_IDLE)
		return -EINVAL;
	if (realtime ? priority < 1 || priority > RT_PRIORITY_MAX : priority != 0)
		return -EINVAL;
	if (realtime && !may_raise(RLIMIT_RTPRIO, priority))
		return -EPERM;
	target->priority.policy = (u32)policy;
	target->priority.realtime = priority;
	return 0;
}

s64 sys_sched_setscheduler(struct task *task, const u64 args[6])
{
	int tid = (int)args[0], policy = (int)args[1];
	struct sched_param param;
	struct task *target;
	s64 result;

	if (tid < 0 || policy < 0 || !args[2])
		return -EINVAL;
	if (get_user(task, &param, args[2]))
		return -EFAULT;
	target = lock_thread(task, tid);
	if (!target)
		return host_call(SYS_sched_setscheduler, tid, policy, &param);
	if (host_keeps(task)) {
		result = host_call(SYS_sched_setscheduler, 0, policy, &param);
		task_learn_priority(target);
	} else {
		result = set_policy(target, policy, param.sched_priority);
	}
	unlock_threads(task);
	return result;
}

s64 sys_sched_setparam(struct task *task, const u64 args[6])
{
	int tid = (int)args[0];
	struct sched_param param;
	struct task *target;
	s64 result;

	if (tid < 0 || !args[1])
		return -EINVAL;
	if (get_user(task, &param, args[1]))
		return -EFAULT;
	target = lock_thread(task, tid);
	if (!target)
		return host_call(SYS_sched_setparam, tid, &param);
	if (host_keeps(task)) {
		result = host_call(SYS_sched_setparam, 0, &param);
		task_learn_priority(target);
	} else {
		result = set_policy(target, (int)target->priority.policy, param.sched_priority);
	}
	unlock_threads(task);
	return result;
}

s64 sys_sched_getscheduler(struct task *task, const u64 args[6])
{
	int tid = (int)args[0];
	struct task *target;
	s64 result;

	if (tid < 0)
		return -EINVAL;
	target = lock_thread(task, tid);
	if (!target)
		return host_call(SYS_sched_getscheduler, tid);
	result = target->priority.policy;
	unlock_threads(task);
	return result;
}

s64 sys_sched_getparam(struct task *task, const u64 args[6])
{
	int tid = (int)args[0];
	struct sched_param param;
	struct task *target;
	s64 result = 0;

	if (tid < 0 || !args[1])
		return -EINVAL;
	target = lock_thread(task, tid);
	if (target) {
		param.sched_priority = target->priority.realtime;
		unlock_threads(task);
	} else {
		result = host_call(SYS_sched_getparam, tid, &param);
	}
	return result ? result : put_user(task, param, args[1]);
}

s64 sys_sched_rr_get_interval(struct task *task, const u64 args[6])
{
	int tid = (int)args[0];
	struct task *target = tid >= 0 ? lock_thread(task, tid) : NULL;
	struct timespec interval;
	s64 result;

	if (target)
		unlock_threads(task);
	result = host_call(SYS_sched_rr_get_interval, target ? 0 : tid, &interval);
	return result ? result : put_user(task, interval, args[1]);
}

/* struct sched_attr of <linux/sched/types.h>. */
struct guest_sched_attr {
	u32 size, policy;
	u64 flags;
	s32 nice;
	u32 priority;
	u64 runtime, deadline, period;
	u32 util_min, util_max;
};

#define SCHED_ATTR_SIZE_MIN 48

s64 sys_sched_getattr(struct task *task, const u64 args[6])
{
	u32 size = MIN((u32)args[2], (u32)sizeof(struct guest_sched_attr));
	struct guest_sched_attr attr = {.size = size};
	int tid = (int)args[0];
	struct task *target;
	s64 result = 0;

	if (!args[1] || tid < 0 || (u32)args[2] > GUEST_PAGE_SIZE || size < SCHED_ATTR_SIZE_MIN ||
	    (u32)args[3])
		return -EINVAL;
	target = lock_thread(task, tid);
	if (!target || host_keeps(task)) {
		result = host_call(SYS_sched_getattr, target ? 0 : tid, &attr, size, 0);
	} else {
		attr.policy = target->priority.policy & ~(u32)SCHED_RESET_ON_FORK;
		attr.flags = target->priority.policy & SCHED_RESET_ON_FORK ? 1 : 0;
		attr.nice = target->priority.nice;
		attr.priority = (u32)target->priority.realtime;
	}
	if (target)
		unlock_threads(task);
	return result ? result : copy_to_user(task, args[1], &attr, size) ? -EFAULT : 0;
}

s64 sys_sched_setattr(struct task *task, const u64 args[6])
{
	struct guest_sched_attr attr = {0};
	int tid = (int)args[0];
	struct task *target;
	s64 result;
	u32 size;

	if (!args[1] || tid < 0 || (u32)args[2])
		return -EINVAL;
	if (get_user(task, &size, args[1]))
		return -EFAULT;
	size = size ? size : SCHED_ATTR_SIZE_MIN;
	if (size < SCHED_ATTR_SIZE_MIN || size > sizeof(attr))
		return -E2BIG;
	if (copy_from_user(task, &attr, args[1], size))
		return -EFAULT;
	attr.size = size;
	target = lock_thread(task, tid);
	if (!target)
		return host_call(SYS_sched_setattr, tid, &attr, 0);
	if (host_keeps(task)) {
		result = host_call(SYS_sched_setattr, 0, &attr, 0);
		task_learn_priority(target);
	} else {
		result = set_policy(target, (int)attr.policy, (int)attr.priority);
		if (!result)
			target->priority.nice = MIN(MAX(attr.nice, NICE_MIN), NICE_MAX);
	}
	unlock_threads(task);
	return result;
}

/* --- nice ------------------------------------------------------------------------------------ */

s64 sys_getpriority(struct task *task, const u64 args[6])
{
	struct task *target = NULL;
	s64 result;

	if ((int)args[0] == PRIO_PROCESS)
		target = lock_thread(task, (int)args[1]);
	if (!target)
		return host_call(SYS_getpriority, (int)args[0], (int)args[1]);
	result = 20 - target->priority.nice;
	unlock_threads(task);
	return result;
}

/* With task_lock held. */
static s64 set_nice(struct task *task, struct task *target, int nice)
{
	s64 result;

	nice = MIN(MAX(nice, NICE_MIN), NICE_MAX);
	if (host_keeps(task)) {
		result = host_call(SYS_setpriority, PRIO_PROCESS, 0, nice);
		task_learn_priority(target);
		return result;
	}
	if (nice < target->priority.nice && !may_raise(RLIMIT_NICE, 20 - nice))
		return -EACCES;
	target->priority.nice = nice;
	return 0;
}

s64 sys_setpriority(struct task *task, const u64 args[6])
{
	struct task *target = NULL;
	s64 result;

	if ((int)args[0] == PRIO_PROCESS)
		target = lock_thread(task, (int)args[1]);
	if (!target)
		return host_call(SYS_setpriority, (int)args[0], (int)args[1], (int)args[2]);
	result = set_nice(task, target, (int)args[2]);
	unlock_threads(task);
	return result;
}

/* x86-64 has no such call. */
s64 sys_nice(struct task *task, const u64 args[6])
{
	struct task *self = lock_thread(task, 0);
	int change = MIN(MAX((int)args[0], 2 * NICE_MIN), 2 * NICE_MAX);
	s64 result = set_nice(task, self, self->priority.nice + change);

	unlock_threads(task);
	return result == -EACCES ? -EPERM : result;
}

s64 sys_ioprio_get(struct task *task, const u64 args[6])
{
	struct task *target = NULL;
	s64 result;

	if ((int)args[0] == IOPRIO_WHO_PROCESS)
		target = lock_thread(task, (int)args[1]);
	if (!target)
		return host_call(SYS_ioprio_get, (int)args[0], (int)args[1]);
	result = target->priority.io;
	unlock_threads(task);
	return result;
}

/* ioprio_check_cap() of Linux. */
static s64 check_ioprio(int value)
{
	int class = value >> 13, level = value & 0x1fff;

	if (class < 0 || class > 3 || (class == 0 ? level != 0 : level > 7))
		return -EINVAL;
	return class == 1 && geteuid() ? -EPERM : 0;
}

s64 sys_ioprio_set(struct task *task, const u64 args[6])
{
	struct task *target = NULL;
	s64 result;

	if ((int)args[0] == IOPRIO_WHO_PROCESS)
		target = lock_thread(task, (int)args[1]);
	if (!target)
		return host_call(SYS_ioprio_set, (int)args[0], (int)args[1], (int)args[2]);
	if (host_keeps(task))
		result = host_call(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, (int)args[2]);
	else
		result = check_ioprio((int)args[2]);
	if (!result)
		target->priority.io = (int)args[2];
	unlock_threads(task);
	return result;
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
 * Affinity is among virtual CPUs. A thread of another process is not known here: for it, all of
 * them are reported, and a change is refused.
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
