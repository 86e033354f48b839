// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "linux/sched.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/counters.h"
#include "base/log.h"
#include "engine/engine.h"
#include "tm/gate.h"
#include "linux/loop.h"
#include "linux/mm.h"
#include "linux/signal_host.h"
#include "linux/slots.h"
#include "linux/switch.h"
#include "linux/syscall.h"
#include "linux/timers.h"
#include "tm/tm.h"

/* A host thread that runs tasks. */
struct worker {
	struct worker *next;	  /* in workers; workers are never freed */
	struct worker *next_idle; /* in idle_workers */
	struct cpu *cpu;
	struct task *task; /* that it runs, or whose host call it executes */
	struct slot_claim claim;
	pid_t host_tid;
	bool in_host; /* in a host call; read without lock */
	bool stuck;   /* does not come to the scheduler: waits for a page */
	u64 cpu_start; /* CPU time of this thread when it began to run the task */
	long sleeps;   /* of this thread before a host call for a task in a transaction */
	u32 wake;     /* futex word: nonzero = do not sleep */
	bool idle;
};

/* Everything here is protected by the lock, but for hints. */
static struct {
	pthread_mutex_t lock;
	struct process *process;
	struct slots *slots;
	struct task *first, *last; /* runnable, in turn */
	u32 n_runnable;		   /* hint outside the lock */
	struct worker *workers, *idle_workers;
	u32 n_workers;
	struct timer_heap timers;
	bool threaded; /* the process has had a second task */
	bool accounting; /* CPU time of tasks is counted */
	/* The ticker: expires timers and ends slices while all workers are busy. */
	bool ticker_running, ticker_asleep;
	u64 ticker_until; /* when it wakes by itself; 0 = never */
	u32 ticker_wake;  /* futex word */
	u64 switches, switches_seen;
} sched = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local struct worker *this_worker;

u64 sched_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000ull + (u64)t.tv_nsec;
}

/* CPU time of a host thread of this process. */
static u64 host_thread_cpu_ns(pid_t tid)
{
	struct timespec t = {0};

	/* The number of its clock: CPUCLOCK_PERTHREAD_MASK and CPUCLOCK_SCHED of Linux. */
	clock_gettime((clockid_t)(~(u32)tid << 3 | 4 | 2), &t);
	return (u64)t.tv_sec * 1000000000ull + (u64)t.tv_nsec;
}

/* Sleep until a word is nonzero, a time, or a signal; then clear the word. */
static void sleep_on(u32 *word, u64 deadline)
{
	struct timespec until = {.tv_sec = (time_t)(deadline / 1000000000),
				 .tv_nsec = (long)(deadline % 1000000000)};

	syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, 0, deadline ? &until : NULL, NULL,
		FUTEX_BITSET_MATCH_ANY);
	__atomic_store_n(word, 0, __ATOMIC_SEQ_CST);
}

static void wake_up(u32 *word)
{
	__atomic_store_n(word, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* --- the queue of runnable tasks ------------------------------------------------------------- */

static void enqueue(struct task *task)
{
	task->sched.state = TASK_RUNNABLE;
	task->sched.next = NULL;
	if (sched.last)
		sched.last->sched.next = task;
	else
		sched.first = task;
	sched.last = task;
	__atomic_store_n(&sched.n_runnable, sched.n_runnable + 1, __ATOMIC_RELAXED);
}

static bool may_run_on(const struct task *task, s32 slot)
{
	return slot < 0 || (task->sched.affinity[slot / 64] >> slot % 64 & 1);
}

/* The next task: the first that may run on the slot the worker holds, else the first of all. */
static struct task *dequeue(s32 slot)
{
	struct task *task = sched.first, *previous = NULL, *before = NULL;

	for (struct task *t = sched.first; t; before = t, t = t->sched.next)
		if (may_run_on(t, slot)) {
			task = t;
			previous = before;
			break;
		}
	if (!task)
		return NULL;
	if (previous)
		previous->sched.next = task->sched.next;
	else
		sched.first = task->sched.next;
	if (sched.last == task)
		sched.last = previous;
	__atomic_store_n(&sched.n_runnable, sched.n_runnable - 1, __ATOMIC_RELAXED);
	return task;
}

/* --- waking ---------------------------------------------------------------------------------- */

static void *worker_thread(void *arg);
static void *ticker_thread(void *arg);

/* A host thread on which no signal of the guest arrives. */
static int start_host_thread(void *(*body)(void *), void *arg)
{
	pthread_attr_t attributes;
	pthread_t thread;
	u64 old;
	int error;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, 256 * 1024);
	old = signal_host_block();
	error = pthread_create(&thread, &attributes, body, arg);
	signal_host_unblock(old);
	pthread_attr_destroy(&attributes);
	return error;
}

static struct worker *new_worker(void)
{
	struct worker *worker = calloc(1, sizeof(*worker));
	struct cpu *cpu = aligned_alloc(128, ROUND_UP(sizeof(*cpu), 128));

	if (!worker || !cpu)
		log_fatal(126, "out of memory for a virtual CPU");
	cpu_init(cpu, sched.process->mm->code_space);
	tm_cpu_init(cpu, sched.process->mm->tm);
	worker->cpu = cpu;
	worker->claim.slot = -1;
	if (gate_attach(sched.process->mm->gate, cpu))
		log_fatal(126, "too many host threads");
	worker->next = sched.workers;
	sched.workers = worker;
	sched.n_workers++;
	return worker;
}

/*
 * There is a task that nobody runs: get a worker for it. With the lock held. Workers in host
 * calls do not count, so a blocked process always has somebody who waits for the slots.
 */
static void get_worker(void)
{
	struct worker *worker = sched.idle_workers;
	u32 busy = 0;

	if (worker) {
		sched.idle_workers = worker->next_idle;
		worker->idle = false;
		wake_up(&worker->wake);
		return;
	}
	for (worker = sched.workers; worker; worker = worker->next)
		busy += !worker->stuck && !__atomic_load_n(&worker->in_host, __ATOMIC_RELAXED);
	if (busy < slots_count(sched.slots)) {
		worker = new_worker();
		if (start_host_thread(worker_thread, worker))
			log_fatal(126, "cannot start a host thread for a virtual CPU");
	}
	if (!sched.ticker_running) {
		sched.ticker_running = true;
		if (start_host_thread(ticker_thread, NULL))
			log_fatal(126, "cannot start the scheduler's host thread");
	} else if (sched.ticker_asleep) {
		sched.ticker_asleep = false;
		wake_up(&sched.ticker_wake);
	}
}

static void wake_locked(struct task *task)
{
	if (task->sched.state == TASK_ALONE) {
		wake_up(&task->sched.park_word);
		return;
	}
	if (task->sched.state != TASK_ASLEEP) {
		task->sched.woken = true;
		return;
	}
	timer_remove(&sched.timers, task);
	enqueue(task);
	get_worker();
}

void sched_wake(struct task *task)
{
	pthread_mutex_lock(&sched.lock);
	wake_locked(task);
	pthread_mutex_unlock(&sched.lock);
}

void sched_start(struct task *task)
{
	if (!sched.threaded) {
		sched.threaded = true;
		current->sched.cpu_ns = host_thread_cpu_ns(this_worker->host_tid);
		signal_host_share();
	}
	pthread_mutex_lock(&sched.lock);
	enqueue(task);
	get_worker();
	pthread_mutex_unlock(&sched.lock);
}

void sched_interrupt(struct task *task)
{
	__atomic_store_n(&task->interrupt, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_lock(&sched.lock);
	if (task->sched.state == TASK_ASLEEP || task->sched.state == TASK_ALONE)
		wake_locked(task);
	else if (task->sched.state == TASK_ON_CPU && task->sched.worker) {
		struct worker *worker = task->sched.worker;

		cpu_kick(worker->cpu, POLL_INTERRUPT);
		if (worker != this_worker && __atomic_load_n(&worker->in_host, __ATOMIC_SEQ_CST))
			syscall(SYS_tkill, worker->host_tid, HOST_SIGNAL_KICK);
	}
	pthread_mutex_unlock(&sched.lock);
}

s64 sched_park(struct task *task, s64 (*resume)(struct task *task), u64 deadline)
{
	task->sched.resume = resume;
	task->sched.deadline = deadline;
	return SYSCALL_PARKED;
}

/* --- time ------------------------------------------------------------------------------------ */

/* Wake whose time has come. Return: the next deadline, 0 if there is none. */
static u64 expire_timers(u64 now)
{
	struct task *task;

	while ((task = timer_first(&sched.timers)) && task->sched.deadline <= now)
		wake_locked(task);
	return task ? task->sched.deadline : 0;
}

/*
 * Ask workers whose slice is over to come to the scheduler, if anybody waits for them. For one that
 * does not somebody else takes over: it may be the one who waits that brings the page.
 */
static void end_slices(void)
{
	bool stuck = false;

	for (struct worker *w = sched.workers; w; w = w->next) {
		if (!w->task || __atomic_load_n(&w->in_host, __ATOMIC_RELAXED) ||
		    !slot_slice_over(sched.slots, &w->claim))
			continue;
		cpu_kick(w->cpu, POLL_INTERRUPT);
		if (unlikely(!w->stuck && slot_is_stuck(sched.slots, &w->claim)))
			w->stuck = stuck = true;
	}
	if (unlikely(stuck))
		get_worker();
}

static void *ticker_thread(void *arg)
{
	(void)arg;
	signal_host_set_idle_word(&sched.ticker_wake);
	signal_host_receive();
	pthread_mutex_lock(&sched.lock);
	for (;;) {
		u64 now = sched_now(), until = expire_timers(now);
		u64 tick = now + slots_slice(sched.slots);
		bool active = sched.n_runnable || sched.switches != sched.switches_seen;

		sched.switches_seen = sched.switches;
		if (sched.n_runnable)
			end_slices();
		if (active && (!until || tick < until))
			until = tick;
		sched.ticker_asleep = !active;
		sched.ticker_until = until;
		pthread_mutex_unlock(&sched.lock);
		sleep_on(&sched.ticker_wake, until);
		signal_distribute(sched.process);
		pthread_mutex_lock(&sched.lock);
	}
	return NULL;
}

void sched_look_for_signals(void)
{
	wake_up(&sched.ticker_wake);
}

/* A task goes to sleep; the ticker must know if it is the first to be woken. */
static void add_timer(struct task *task)
{
	if (!task->sched.deadline)
		return;
	timer_add(&sched.timers, task);
	if (sched.ticker_running &&
	    (!sched.ticker_until || task->sched.deadline < sched.ticker_until)) {
		sched.ticker_until = task->sched.deadline;
		wake_up(&sched.ticker_wake);
	}
}

/* --- workers --------------------------------------------------------------------------------- */

/*
 * The only worker of a process with one task sleeps. A host signal handler sets worker->wake, so
 * that a signal between the look at the word and the sleep is not lost: FUTEX_WAIT looks again.
 */
static void idle_alone(struct worker *worker, u64 deadline)
{
	signal_host_set_idle_word(&worker->wake);
	signal_distribute(sched.process);
	sleep_on(&worker->wake, deadline);
	signal_host_set_idle_word(NULL);
}

/* Wait until there is something to do. Called and returns with the lock held. */
static void be_idle(struct worker *worker)
{
	u64 deadline = expire_timers(sched_now());

	if (sched.first)
		return;
	worker->idle = true;
	worker->next_idle = sched.idle_workers;
	sched.idle_workers = worker;
	pthread_mutex_unlock(&sched.lock);
	slot_release(sched.slots, &worker->claim);
	if (sched.threaded) {
		sleep_on(&worker->wake, deadline);
	} else {
		/* Signals come to this thread; one may have come before it sleeps. */
		idle_alone(worker, deadline);
		signal_distribute(sched.process);
	}
	pthread_mutex_lock(&sched.lock);
	if (worker->idle) { /* nobody took it off the list: a time-out or a signal */
		struct worker **link = &sched.idle_workers;

		while (*link != worker)
			link = &(*link)->next_idle;
		*link = worker->next_idle;
		worker->idle = false;
	}
}

/* Hold a slot on which the task may run. Without the lock. */
static void get_slot(struct worker *worker, const struct task *task, bool behind_others)
{
	struct slot_claim *claim = &worker->claim;

	if (slot_held(sched.slots, claim) && (behind_others || !may_run_on(task, claim->slot)))
		slot_release(sched.slots, claim);
	if (claim->slot < 0)
		slot_acquire(sched.slots, claim, task->sched.affinity, task->sched.last_slot,
			     behind_others);
	else
		slot_new_slice(sched.slots, claim);
}

static void run_one(struct worker *worker, struct task *task, bool behind_others)
{
	get_slot(worker, task, behind_others);
	worker->cpu->id = (u32)worker->claim.slot;
	task->sched.last_slot = (u32)worker->claim.slot;
	current = task;
	switch_in(task, worker->cpu);
	/* A signal that came to this thread while it had no task has told nobody. */
	if (unlikely(signal_host_waiting()))
		__atomic_store_n(&task->interrupt, 1, __ATOMIC_SEQ_CST);
	log_line(LOG_SCHED, "cpu %d: task %d in", worker->claim.slot, task->tid);
}

/*
 * Pick tasks and run them, one after the other. A worker that is not needed sleeps; it is never
 * ended.
 */
static _Noreturn void work(struct worker *worker)
{
	pthread_mutex_lock(&sched.lock);
	for (;;) {
		struct task *task = dequeue(worker->claim.slot);
		enum task_stop stop;
		bool behind;

		if (!task) {
			be_idle(worker);
			continue;
		}
		task->sched.state = TASK_ON_CPU;
		task->sched.worker = worker;
		worker->task = task;
		behind = task->sched.yielded && worker->claim.slot >= 0 &&
			 slot_wanted(sched.slots, &worker->claim);
		task->sched.yielded = false;
		sched.switches++;
		if (unlikely(sched.accounting))
			worker->cpu_start = host_thread_cpu_ns(worker->host_tid);
		pthread_mutex_unlock(&sched.lock);

		run_one(worker, task, behind);
		stop = task_run(task);
		log_line(LOG_SCHED, "cpu %d: task %d %s", worker->claim.slot, task->tid,
			 stop == TASK_PARKED	? "sleeps"
			 : stop == TASK_YIELDED ? "yields"
						: "ends");
		switch_out(task);
		current = NULL;

		pthread_mutex_lock(&sched.lock);
		if (unlikely(sched.accounting))
			task->sched.cpu_ns +=
				host_thread_cpu_ns(worker->host_tid) - worker->cpu_start;
		worker->task = NULL;
		worker->stuck = false;
		task->sched.worker = NULL;
		switch (stop) {
		case TASK_PARKED:
			if (task->sched.woken || task_interrupted(task)) {
				enqueue(task);
			} else {
				task->sched.state = TASK_ASLEEP;
				add_timer(task);
			}
			task->sched.woken = false;
			task->sched.voluntary++;
			count(COUNTER_voluntary_switches, 1);
			break;
		case TASK_YIELDED:
			task->sched.yielded = true;
			enqueue(task);
			task->sched.involuntary++;
			count(COUNTER_involuntary_switches, 1);
			break;
		case TASK_EXITED:
			task->sched.state = TASK_DEAD;
			task_free(task);
			break;
		}
	}
}

static void adopt_host_thread(struct worker *worker)
{
	this_worker = worker;
	worker->host_tid = (pid_t)syscall(SYS_gettid);
	worker->claim.tid = (u32)worker->host_tid;
}

static void *worker_thread(void *arg)
{
	struct worker *worker = arg;

	adopt_host_thread(worker);
	work(worker);
	return NULL;
}

/* --- the current task ------------------------------------------------------------------------ */

static bool others_wait(void)
{
	return __atomic_load_n(&sched.n_runnable, __ATOMIC_RELAXED) ||
	       slot_wanted(sched.slots, &this_worker->claim);
}

bool sched_yield_makes_sense(struct task *task)
{
	if (others_wait() || !may_run_on(task, this_worker->claim.slot))
		return true;
	task->sched.yielded = false;
	return false;
}

bool sched_should_yield(struct task *task)
{
	struct worker *worker = this_worker;

	if (!slot_held(sched.slots, &worker->claim) || !may_run_on(task, worker->claim.slot))
		return true;
	return others_wait() && slot_slice_over(sched.slots, &worker->claim);
}

/* How often this host thread has slept. Half a microsecond. */
static long host_sleeps(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

void sched_enter_host(struct task *task, long number)
{
	struct worker *worker = this_worker;

	if (unlikely(tm_in_transaction(task->cpu)))
		worker->sleeps = host_sleeps();
	task->sched.host_call = number;
	task->sched.host_call_start = 0;
	if (number == task->sched.slow_call) {
		task->sched.host_call_start = sched_now();
		slot_release(sched.slots, &worker->claim);
	} else {
		slot_enter_syscall(sched.slots, &worker->claim);
	}
	__atomic_store_n(&worker->in_host, true, __ATOMIC_SEQ_CST);
	/* Those who wait for this CPU need somebody who takes it, should the call last. */
	if (unlikely(__atomic_load_n(&sched.n_runnable, __ATOMIC_RELAXED))) {
		pthread_mutex_lock(&sched.lock);
		if (sched.first)
			get_worker();
		pthread_mutex_unlock(&sched.lock);
	}
}

void sched_exit_host(struct task *task)
{
	struct worker *worker = this_worker;

	__atomic_store_n(&worker->in_host, false, __ATOMIC_SEQ_CST);
	if (unlikely(task->sched.host_call_start)) {
		if (sched_now() - task->sched.host_call_start < SLOT_SYSCALL_GRACE_NS / 10)
			task->sched.slow_call = 0;
	} else if (likely(slot_exit_syscall(sched.slots, &worker->claim))) {
		/* One that sleeps leaves its CPU, even if nobody else wants it. */
		if (unlikely(tm_in_transaction(task->cpu)) && host_sleeps() != worker->sleeps) {
			switch_out(task);
			switch_in(task, worker->cpu);
		}
		return;
	} else {
		task->sched.slow_call = task->sched.host_call;
	}
	/* The slot was given up: that is a context switch, there and back. */
	switch_out(task);
	count(COUNTER_voluntary_switches, 1);
	slot_acquire(sched.slots, &worker->claim, task->sched.affinity, task->sched.last_slot,
		     false);
	worker->cpu->id = (u32)worker->claim.slot;
	task->sched.last_slot = (u32)worker->claim.slot;
	switch_in(task, worker->cpu);
}

static void start_accounting(void)
{
	sched.accounting = true;
	for (struct worker *w = sched.workers; w; w = w->next)
		if (w->task)
			w->cpu_start = host_thread_cpu_ns(w->host_tid);
}

u64 sched_task_cpu_ns(struct task *task)
{
	struct worker *worker;
	u64 ns;

	pthread_mutex_lock(&sched.lock);
	if (!sched.accounting)
		start_accounting();
	ns = task->sched.cpu_ns;
	worker = task->sched.worker;
	if (worker)
		ns += host_thread_cpu_ns(worker->host_tid) - worker->cpu_start;
	pthread_mutex_unlock(&sched.lock);
	return ns;
}

/* --- beginning and fork ---------------------------------------------------------------------- */

struct cpu *sched_init(struct process *process, struct slots *slots)
{
	struct worker *worker;

	sched.process = process;
	sched.slots = slots;
	worker = new_worker();
	adopt_host_thread(worker);
	return worker->cpu;
}

void sched_main(struct task *first)
{
	switch_out(first);
	pthread_mutex_lock(&sched.lock);
	enqueue(first);
	pthread_mutex_unlock(&sched.lock);
	work(this_worker);
}

/* It parks by sleeping in the host, and shares nothing with the scheduler but its slot. */
void sched_run_alone(struct task *task)
{
	current = task;
	task->sched.state = TASK_ALONE;
	for (;;) {
		switch (task_run(task)) {
		case TASK_PARKED:
			signal_host_set_idle_word(&task->sched.park_word);
			if (!task_interrupted(task))
				sleep_on(&task->sched.park_word, task->sched.deadline);
			signal_host_set_idle_word(NULL);
			break;
		case TASK_YIELDED:
			task->sched.yielded = false;
			break;
		case TASK_EXITED:
			process_exit(task->process, task->exit_code);
		}
	}
}

void sched_count_instructions(void)
{
	for (struct worker *w = sched.workers; w; w = w->next) {
		count(COUNTER_instructions, w->cpu->icount);
		tm_count(w->cpu);
		w->cpu->icount = 0;
	}
}

void sched_leave(void)
{
	if (this_worker)
		slot_release(sched.slots, &this_worker->claim);
}

void sched_come_back(struct task *task)
{
	if (this_worker->claim.slot >= 0)
		return;
	slot_acquire(sched.slots, &this_worker->claim, task->sched.affinity, task->sched.last_slot,
		     false);
	task->sched.last_slot = (u32)this_worker->claim.slot;
}

u32 sched_n_cpus(void)
{
	return slots_count(sched.slots);
}

struct slots *sched_slots(void)
{
	return sched.slots;
}

int sched_new_tid(void)
{
	return slots_new_tid(sched.slots);
}

bool sched_is_threaded(void)
{
	return sched.threaded;
}

/*
 * All locks of the scheduler are held over the fork, so the child finds its data whole. Other
 * tasks do not exist there.
 */
static enum gate_hold fork_hold; /* between the two calls */

void sched_before_fork(struct task *task)
{
	pthread_mutex_lock(&sched.lock);
	fork_hold = gate_freeze(sched.process->mm->gate, task->cpu);
	tm_count(task->cpu); /* or the child would count them once more */
}

void sched_after_fork(struct task *task, bool in_child)
{
	struct worker *worker = this_worker;

	if (!in_child) {
		gate_thaw(sched.process->mm->gate, task->cpu, fork_hold);
		pthread_mutex_unlock(&sched.lock);
		return;
	}
	pthread_mutex_unlock(&sched.lock);
	sched.threaded = false;
	sched.accounting = false;
	gate_after_fork(sched.process->mm->gate, worker->cpu);
	code_after_fork(sched.process->mm->code_space);
	sched.first = sched.last = NULL;
	sched.n_runnable = 0;
	sched.workers = worker;
	worker->next = NULL;
	worker->cpu->icount = 0; /* those were the parent's */
	sched.idle_workers = NULL;
	sched.n_workers = 1;
	sched.timers.n = 0;
	sched.ticker_running = sched.ticker_asleep = false;
	/* The parent holds the slot; the child has none yet and competes for one. */
	worker->claim.slot = -1;
	worker->host_tid = (pid_t)syscall(SYS_gettid);
	worker->claim.tid = (u32)worker->host_tid;
	slot_acquire(sched.slots, &worker->claim, task->sched.affinity, task->sched.last_slot + 1,
		     false);
	task->sched.last_slot = worker->cpu->id = (u32)worker->claim.slot;
}
