// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "linux/signal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/counters.h"
#include "base/log.h"
#include "engine/engine.h"
#include "linux/posix_timers.h"
#include "linux/signal_frame.h"
#include "linux/signal_host.h"
#include "linux/slots.h"
#include "linux/sched.h"
#include "linux/syscall.h"

#define GUEST_SIG_DFL 0ull
#define GUEST_SIG_IGN 1ull

#define SET_UNBLOCKABLE (SIGNAL_BIT(SIGKILL) | SIGNAL_BIT(SIGSTOP))
#define SET_SYNCHRONOUS                                                                            \
	(SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS) | SIGNAL_BIT(SIGILL) | SIGNAL_BIT(SIGTRAP) |     \
	 SIGNAL_BIT(SIGFPE) | SIGNAL_BIT(SIGSYS))
#define SET_IGNORED_BY_DEFAULT                                                                     \
	(SIGNAL_BIT(SIGCHLD) | SIGNAL_BIT(SIGCONT) | SIGNAL_BIT(SIGURG) | SIGNAL_BIT(SIGWINCH))
#define SET_STOP                                                                                   \
	(SIGNAL_BIT(SIGSTOP) | SIGNAL_BIT(SIGTSTP) | SIGNAL_BIT(SIGTTIN) | SIGNAL_BIT(SIGTTOU))

#define FIRST_REALTIME 32

/* --- queues ---------------------------------------------------------------------------------- */

static bool queue_has(const struct signal_queue *queue, int signo)
{
	return queue->set & SIGNAL_BIT(signo);
}

/* With the lock held. */
static int enqueue(struct signal_queue *queue, const union guest_siginfo *info)
{
	struct queued_signal *entry;

	/* Of the old signals one at most is pending. */
	if (info->signo < FIRST_REALTIME && queue_has(queue, info->signo))
		return 0;
	if (posix_timer_merge(queue, info))
		return 0;
	entry = malloc(sizeof(*entry));
	if (!entry)
		return -EAGAIN;
	entry->info = *info;
	entry->next = NULL;
	if (!queue->last)
		queue->last = &queue->first;
	*queue->last = entry;
	queue->last = &entry->next;
	__atomic_store_n(&queue->set, queue->set | SIGNAL_BIT(info->signo), __ATOMIC_RELAXED);
	return 0;
}

/* Take the first of a number; keep the bit if there is another one. */
static bool take(struct signal_queue *queue, int signo, union guest_siginfo *info)
{
	struct queued_signal **p = &queue->first, *entry = NULL;
	bool more = false;

	while (*p) {
		struct queued_signal *next = *p;

		if (next->info.signo != signo) {
			p = &next->next;
		} else if (!entry) {
			entry = next;
			*p = next->next;
		} else {
			more = true;
			p = &next->next;
		}
	}
	queue->last = p;
	if (!more)
		__atomic_store_n(&queue->set, queue->set & ~SIGNAL_BIT(signo), __ATOMIC_RELAXED);
	if (!entry)
		return false;
	*info = entry->info;
	free(entry);
	return true;
}

/* Synchronous ones first, then by number; next_signal() of Linux. */
static int first_signal(u64 set)
{
	u64 urgent = set & SET_SYNCHRONOUS;

	return set ? __builtin_ctzll(urgent ? urgent : set) + 1 : 0;
}

static void lock(struct process *process)
{
	pthread_mutex_lock(&process->signals.lock);
}

static void unlock(struct process *process)
{
	pthread_mutex_unlock(&process->signals.lock);
}

/* Other threads look at the mask of a task; only the task itself changes it. */
static u64 blocked_of(const struct task *task)
{
	return __atomic_load_n(&task->blocked, __ATOMIC_RELAXED);
}

/* Would the signal do nothing? Then it is not even queued; but a blocked one may be waited for. */
static bool is_ignored(const struct task *task, int signo)
{
	u64 handler = task->process->signals.action[signo].handler;

	if (blocked_of(task) & SIGNAL_BIT(signo))
		return false;
	return handler == GUEST_SIG_IGN ||
	       (handler == GUEST_SIG_DFL && SIGNAL_BIT(signo) & SET_IGNORED_BY_DEFAULT);
}

/* The same for a signal that any thread may take. */
static bool is_ignored_by_all(const struct process *process, int signo)
{
	for (const struct task *task = process->tasks; task; task = task->next)
		if (!is_ignored(task, signo))
			return false;
	return true;
}

/* Bring what host handlers have noted into the queue of the process. */
static void collect(struct process *process)
{
	union guest_siginfo info;

	while (signal_host_take(&info)) {
		struct task *task;

		if (!posix_timer_receiver(process, &info, &task))
			continue;
		if (task ? is_ignored(task, info.signo) : is_ignored_by_all(process, info.signo))
			continue;
		if (enqueue(task ? &task->pending : &process->signals.pending, &info))
			log_error("signal %d is lost: no memory", info.signo);
		if (task)
			sched_interrupt(task);
	}
}

u64 signal_pending_set(struct task *task)
{
	struct process *process = task->process;
	u64 set;

	lock(process);
	collect(process);
	set = task->pending.set | process->signals.pending.set;
	unlock(process);
	return set;
}

bool signal_pending(struct task *task)
{
	return signal_pending_set(task) & ~task->blocked;
}

bool signal_dequeue(struct task *task, u64 set, union guest_siginfo *info)
{
	struct process *process = task->process;
	bool found = false;
	int signo;

	lock(process);
	collect(process);
	signo = first_signal(task->pending.set & set);
	if (signo) {
		found = take(&task->pending, signo, info);
	} else {
		signo = first_signal(process->signals.pending.set & set);
		if (signo)
			found = take(&process->signals.pending, signo, info);
	}
	if (found)
		posix_timer_taken(process, info);
	unlock(process);
	return found;
}

/* Make a task look at its signals. */
static void wake(struct task *task)
{
	sched_interrupt(task);
}

/* Whom a signal for the process concerns: the first task that would take it. With the lock. */
static struct task *taker(struct process *process, int signo)
{
	u64 bit = SIGNAL_BIT(signo);

	for (struct task *task = process->tasks; task; task = task->next)
		if (!task->exited && (!(blocked_of(task) & bit) ||
				      __atomic_load_n(&task->waits_for, __ATOMIC_SEQ_CST) & bit))
			return task;
	return NULL;
}

void signal_distribute(struct process *process)
{
	lock(process);
	collect(process);
	for (u64 set = process->signals.pending.set; set; set &= set - 1) {
		struct task *task = taker(process, __builtin_ctzll(set) + 1);

		if (task)
			wake(task);
	}
	unlock(process);
}

int signal_send_task(struct task *task, const union guest_siginfo *info)
{
	int error = 0;

	lock(task->process);
	if (!is_ignored(task, info->signo)) {
		error = enqueue(&task->pending, info);
		wake(task);
	}
	unlock(task->process);
	return error;
}

void signal_of_failed_call(struct task *task)
{
	union guest_siginfo info;

	if (signal_host_take_own(SIGNAL_BIT(SIGPIPE) | SIGNAL_BIT(SIGXFSZ), &info))
		signal_send_task(task, &info);
}

int signal_send_thread(struct process *process, int tid, const union guest_siginfo *info)
{
	struct task *task;
	int error = -ESRCH;

	pthread_mutex_lock(&process->task_lock);
	task = task_find(process, tid);
	if (task)
		error = info->signo ? signal_send_task(task, info) : 0;
	pthread_mutex_unlock(&process->task_lock);
	return error;
}

int signal_send_process(struct process *process, const union guest_siginfo *info)
{
	struct task *task;
	int error;

	lock(process);
	error = enqueue(&process->signals.pending, info);
	task = taker(process, info->signo);
	if (task)
		wake(task);
	unlock(process);
	return error;
}

/* Registers, four a line, for --log signal. */
static void log_registers(const struct cpu *cpu)
{
	for (int i = 0; i < 32; i += 4)
		log_line(LOG_SIGNAL, "r%-2d %016llx %016llx %016llx %016llx", i,
			 (unsigned long long)cpu->gpr[i], (unsigned long long)cpu->gpr[i + 1],
			 (unsigned long long)cpu->gpr[i + 2], (unsigned long long)cpu->gpr[i + 3]);
	log_line(LOG_SIGNAL, "pc %016llx lr %016llx ctr %016llx cr %08x",
		 (unsigned long long)cpu->pc, (unsigned long long)cpu->lr,
		 (unsigned long long)cpu->ctr, cpu_get_cr(cpu));
}

void signal_force_fault(struct task *task, int signo, int code, u64 address)
{
	struct process *process = task->process;
	struct guest_sigaction *action = &process->signals.action[signo];
	union guest_siginfo info = {.signo = signo, .code = code};

	info.fields[0] = address;
	lock(process);
	if (action->handler == GUEST_SIG_IGN || task->blocked & SIGNAL_BIT(signo)) {
		action->handler = GUEST_SIG_DFL;
		__atomic_store_n(&task->blocked, task->blocked & ~SIGNAL_BIT(signo),
				 __ATOMIC_RELAXED);
	}
	if (enqueue(&task->pending, &info))
		log_fatal(125, "no memory for a signal");
	wake(task);
	unlock(process);
	if (log_enabled(LOG_SIGNAL)) {
		log_line(LOG_SIGNAL, "fault: signal %d code %d address 0x%llx pc 0x%llx", signo,
			 code, (unsigned long long)address, (unsigned long long)task->cpu->pc);
		log_registers(task->cpu);
	}
}

/* --- masks and actions ----------------------------------------------------------------------- */

void signal_set_mask(struct task *task, u64 set)
{
	set &= ~SET_UNBLOCKABLE;
	if (set == task->blocked)
		return;
	__atomic_store_n(&task->blocked, set, __ATOMIC_RELAXED);
	signal_host_set_mask(set);
	if (signal_pending(task))
		wake(task);
}

void signal_set_temporary_mask(struct task *task, u64 set)
{
	task->saved_blocked = task->blocked;
	task->restore_blocked = true;
	signal_set_mask(task, set);
}

void signal_restore_mask(struct task *task)
{
	if (!task->restore_blocked)
		return;
	task->restore_blocked = false;
	signal_set_mask(task, task->saved_blocked);
}

/* Drop what is pending of a signal: it has just become ignored. */
static void flush(struct signal_queue *queue, int signo)
{
	union guest_siginfo info;

	while (queue_has(queue, signo))
		take(queue, signo, &info);
}

void signal_set_action(struct process *process, int signo, const struct guest_sigaction *action)
{
	lock(process);
	process->signals.action[signo] = *action;
	process->signals.action[signo].mask &= ~SET_UNBLOCKABLE;
	signal_host_set_action(signo, action);
	if (action->handler == GUEST_SIG_IGN ||
	    (action->handler == GUEST_SIG_DFL && SIGNAL_BIT(signo) & SET_IGNORED_BY_DEFAULT)) {
		collect(process);
		flush(&process->signals.pending, signo);
		for (struct task *task = process->tasks; task; task = task->next)
			flush(&task->pending, signo);
	}
	unlock(process);
}

void signal_flush_task(struct task *task)
{
	while (task->pending.set)
		flush(&task->pending, __builtin_ctzll(task->pending.set) + 1);
}

void signal_init(struct task *task)
{
	struct process *process = task->process;

	pthread_mutex_init(&process->signals.lock, NULL);
	for (int signo = 1; signo <= GUEST_NSIG; signo++)
		process->signals.action[signo].handler = signal_host_inherited(signo);
	task->blocked = signal_host_mask();
	task->altstack.flags = 0;
	if (slots_counters(process->options->slots))
		signal_host_note_deaths();
}

/* --- delivery -------------------------------------------------------------------------------- */

void signal_die(struct task *task, int signo)
{
	log_line(LOG_SIGNAL, "the guest dies by signal %d, pc 0x%llx", signo,
		 (unsigned long long)task->cpu->pc);
	process_leave(task->process);
	signal_host_die(signo);
}

static void default_action(struct task *task, int signo)
{
	u64 bit = SIGNAL_BIT(signo);

	if (bit & SET_IGNORED_BY_DEFAULT)
		return;
	if (bit & SET_STOP) {
		/* The host's action is the default one too. It returns after SIGCONT. */
		sched_enter_host(task, SYS_tgkill);
		host_call(SYS_tgkill, getpid(), gettid(), signo);
		sched_exit_host(task);
		return;
	}
	signal_die(task, signo);
}

/* What becomes of a system call that was interrupted: arch/powerpc/kernel/signal.c. */
static void finish_syscall(struct task *task, s64 result, const struct guest_sigaction *action)
{
	struct cpu *cpu = task->cpu;
	bool restart;

	switch (result) {
	case -ERESTARTSYS:
		restart = !action || action->flags & SA_RESTART;
		break;
	case -ERESTARTNOINTR:
		restart = true;
		break;
	case -ERESTARTNOHAND:
	case -ERESTART_RESTARTBLOCK:
		restart = !action;
		break;
	default:
		return;
	}
	/* It has failed with one of these, which the frame of a handler shows. */
	cpu->cr[3] = 1;
	if (!restart) {
		task->result = -EINTR;
		cpu->gpr[3] = EINTR;
		return;
	}
	task->result = 0;
	if (result == -ERESTART_RESTARTBLOCK)
		cpu->gpr[0] = 0; /* restart_syscall */
	else
		cpu->gpr[3] = task->orig_r3;
	cpu->pc -= 4;
}

/* Enter a handler. */
static void handle(struct task *task, const union guest_siginfo *info,
		   const struct guest_sigaction *action)
{
	u64 old = task->restore_blocked ? task->saved_blocked : task->blocked;
	u64 blocked = task->blocked | action->mask;

	count(COUNTER_signals, 1);
	log_line(LOG_SIGNAL, "signal %d enters its handler 0x%llx from pc 0x%llx", info->signo,
		 (unsigned long long)action->handler, (unsigned long long)task->cpu->pc);
	task->restore_blocked = false;
	if (signal_frame_push(task, info, action, old)) {
		/* No room for the frame; fatal if it was for SIGSEGV itself. */
		if (info->signo == SIGSEGV)
			task->process->signals.action[SIGSEGV].handler = GUEST_SIG_DFL;
		signal_set_mask(task, old);
		signal_force_fault(task, SIGSEGV, SI_KERNEL, 0);
		return;
	}
	if (!(action->flags & SA_NODEFER))
		blocked |= SIGNAL_BIT(info->signo);
	signal_set_mask(task, blocked);
}

void signal_deliver(struct task *task, s64 result)
{
	struct process *process = task->process;
	union guest_siginfo info;

	__atomic_store_n(&task->interrupt, 0, __ATOMIC_SEQ_CST);
	__atomic_fetch_and(&task->cpu->poll, ~POLL_INTERRUPT, __ATOMIC_SEQ_CST);
	while (signal_dequeue(task, ~task->blocked, &info)) {
		struct guest_sigaction action = process->signals.action[info.signo];

		if (unlikely(process->options->strace))
			strace_signal(task, &info);
		if (action.handler == GUEST_SIG_IGN)
			continue;
		if (action.handler == GUEST_SIG_DFL) {
			default_action(task, info.signo);
			continue;
		}
		if (action.flags & SA_RESETHAND) {
			static const struct guest_sigaction reset;

			signal_set_action(process, info.signo, &reset);
		}
		finish_syscall(task, result, &action);
		result = 0;
		handle(task, &info, &action);
	}
	finish_syscall(task, result, NULL);
	signal_restore_mask(task);
	/*
	 * A signal for the process may have been left to this task, which has blocked it since:
	 * another one must know. Linux: retarget_shared_pending() in kernel/signal.c.
	 */
	if (__atomic_load_n(&process->signals.pending.set, __ATOMIC_RELAXED) &&
	    !task_is_alone(task))
		signal_distribute(process);
}
