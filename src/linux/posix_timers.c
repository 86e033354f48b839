// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "linux/posix_timers.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "base/log.h"
#include "linux/cpu_clock.h"
#include "linux/syscall_pass.h"

#define NS 1000000000ll

struct posix_timer {
	struct posix_timer *next;
	int id;
	int tid;     /* 0 = a signal for the process */
	int overrun; /* of the signal that the guest took last */
};

/* struct siginfo of a timer: its number and the overruns share the first word. */
static int timer_id(const union guest_siginfo *info)
{
	return (int)info->fields[0];
}

static int overruns(const union guest_siginfo *info)
{
	return (int)(info->fields[0] >> 32);
}

static struct posix_timer *find(struct process *process, int id)
{
	struct posix_timer *timer = process->timers;

	while (timer && timer->id != id)
		timer = timer->next;
	return timer;
}

bool posix_timer_receiver(struct process *process, const union guest_siginfo *info,
			  struct task **task)
{
	struct posix_timer *timer;

	*task = NULL;
	if (info->code != SI_TIMER)
		return true;
	timer = find(process, timer_id(info));
	if (timer && timer->tid)
		*task = task_find(process, timer->tid);
	return timer && (!timer->tid || *task);
}

bool posix_timer_merge(struct signal_queue *queue, const union guest_siginfo *info)
{
	if (info->code != SI_TIMER || !(queue->set & SIGNAL_BIT(info->signo)))
		return false;
	for (struct queued_signal *entry = queue->first; entry; entry = entry->next) {
		union guest_siginfo *waiting = &entry->info;
		s64 sum = (s64)overruns(waiting) + overruns(info) + 1;

		if (waiting->signo != info->signo || waiting->code != SI_TIMER ||
		    timer_id(waiting) != timer_id(info))
			continue;
		waiting->fields[0] = (u32)timer_id(waiting) | (u64)MIN(sum, (s64)INT_MAX) << 32;
		return true;
	}
	return false;
}

void posix_timer_taken(struct process *process, const union guest_siginfo *info)
{
	struct posix_timer *timer = info->code == SI_TIMER ? find(process, timer_id(info)) : NULL;

	if (timer)
		timer->overrun = overruns(info);
}

void posix_timers_forget(struct process *process)
{
	/* In a child of vfork the list is the parent's. */
	while (process->timers && !process->shares_memory) {
		struct posix_timer *timer = process->timers;

		process->timers = timer->next;
		free(timer);
	}
	process->timers = NULL;
}

/* The thread that struct sigevent names, or -EINVAL. The number of a thread is none of the host's.
 */
static int event_thread(struct process *process, struct sigevent *event)
{
	int tid = event->_sigev_un._tid;
	bool found;

	pthread_mutex_lock(&process->task_lock);
	found = task_find(process, tid);
	pthread_mutex_unlock(&process->task_lock);
	event->sigev_notify &= ~SIGEV_THREAD_ID;
	return found ? tid : -EINVAL;
}

s64 sys_timer_create(struct task *task, const u64 args[6])
{
	struct process *process = task->process;
	struct posix_timer *timer;
	clockid_t clock = (clockid_t)args[0];
	struct sigevent event;
	int tid = 0, id;
	s64 result;

	if (args[1] && get_user(task, &event, args[1]))
		return -EFAULT;
	if (args[1] && event.sigev_notify & SIGEV_THREAD_ID)
		tid = event_thread(process, &event);
	if (tid < 0)
		return tid;
	if (!cpu_clock_to_host(task, &clock)) {
		log_line(LOG_UNIMPLEMENTED, "a timer on the CPU clock of one thread of several");
		return -EOPNOTSUPP;
	}
	timer = malloc(sizeof(*timer));
	if (!timer)
		return -EAGAIN;
	/* With the lock: its signal may come before the number is known. */
	pthread_mutex_lock(&process->signals.lock);
	result = host_call(SYS_timer_create, clock, args[1] ? &event : NULL, &id);
	if (!result) {
		*timer = (struct posix_timer){.next = process->timers, .id = id, .tid = tid};
		process->timers = timer;
	}
	pthread_mutex_unlock(&process->signals.lock);
	if (result)
		free(timer);
	else
		result = put_user(task, id, args[2]);
	return result;
}

/* A nonzero time that is too short becomes the shortest one that makes sense. */
static void lengthen(struct timespec *time)
{
	if (time->tv_sec == 0 && time->tv_nsec > 0 && time->tv_nsec < POSIX_TIMER_INTERVAL_MIN_NS)
		time->tv_nsec = POSIX_TIMER_INTERVAL_MIN_NS;
}

s64 sys_timer_settime(struct task *task, const u64 args[6])
{
	struct itimerspec time, old;
	s64 result;

	if (!args[2])
		return -EINVAL;
	if (get_user(task, &time, args[2]))
		return -EFAULT;
	lengthen(&time.it_interval);
	if (!((u32)args[1] & TIMER_ABSTIME))
		lengthen(&time.it_value);
	result = host_call(SYS_timer_settime, (int)args[0], (int)args[1], &time, &old);
	if (!result && args[3])
		result = put_user(task, old, args[3]);
	return result;
}

PASS(timer_gettime, OUT(1, sizeof(struct itimerspec)))

s64 sys_timer_getoverrun(struct task *task, const u64 args[6])
{
	struct process *process = task->process;
	struct posix_timer *timer;
	s64 result;

	pthread_mutex_lock(&process->signals.lock);
	timer = find(process, (int)args[0]);
	result = timer ? timer->overrun : -EINVAL;
	pthread_mutex_unlock(&process->signals.lock);
	return result;
}

s64 sys_timer_delete(struct task *task, const u64 args[6])
{
	struct process *process = task->process;
	struct posix_timer **link = &process->timers, *timer = NULL;
	s64 result;

	pthread_mutex_lock(&process->signals.lock);
	result = host_call(SYS_timer_delete, (int)args[0]);
	while (*link && (*link)->id != (int)args[0])
		link = &(*link)->next;
	if (!result && *link) {
		timer = *link;
		*link = timer->next;
	}
	pthread_mutex_unlock(&process->signals.lock);
	free(timer);
	return result;
}
