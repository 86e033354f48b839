// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "linux/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>

#include "base/host_access.h"
#include "base/log.h"
#include "linux/mm.h"
#include "linux/sched.h"
#include "linux/syscall.h"
#include "linux/uaccess.h"

#define BUCKETS 256

/*
 * One lock for all queues: it is held for some tens of nanoseconds. Inside it the scheduler's lock
 * may be taken, not the other way round; process->task_lock may be held around it.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct futex_waiter *queues[BUCKETS]; /* rings: queue points to the first */
static u32 n_pi_waiters;			 /* in all of them */

/*
 * Linux never lets a wait with FUTEX_PRIVATE_FLAG meet a wake without: the lowest bit of the key
 * tells them apart (the word is aligned).
 */
#define KEY_PRIVATE 1ull

static struct futex_waiter **queue_of(u64 key)
{
	return &queues[(key >> 2 ^ key >> 12) % BUCKETS];
}

static void enqueue(struct futex_waiter *w, u64 key)
{
	struct futex_waiter **queue = queue_of(key);

	w->key = key;
	n_pi_waiters += w->pi;
	if (!*queue) {
		w->next = w->previous = w;
		*queue = w;
		return;
	}
	w->next = *queue;
	w->previous = (*queue)->previous;
	w->previous->next = w;
	w->next->previous = w;
}

static void dequeue(struct futex_waiter *w)
{
	struct futex_waiter **queue = queue_of(w->key);

	if (w->next == w) {
		*queue = NULL;
	} else {
		w->next->previous = w->previous;
		w->previous->next = w->next;
		if (*queue == w)
			*queue = w->next;
	}
	n_pi_waiters -= w->pi;
	w->key = 0;
}

/* The first waiter of a key that fits; NULL if there is none. */
static struct futex_waiter *find(u64 key, u32 bitset, bool pi)
{
	struct futex_waiter *first = *queue_of(key), *w = first;

	if (!w)
		return NULL;
	do {
		if (w->key == key && w->bitset & bitset && w->pi == pi)
			return w;
		w = w->next;
	} while (w != first);
	return NULL;
}

/* --- words in guest memory; for the current task ------------------------------------------------ */

static int read_word(u64 address, u32 *value)
{
	return address & 3 ? -EINVAL : get_user(current, value, address);
}

/*
 * Before the lock is taken: a page that comes late (userfaultfd) must not make everybody wait, among
 * them the one who brings it.
 */
static int bring_in(u64 address)
{
	u32 value;

	return read_word(address, &value);
}

static bool try_swap(u64 address, u32 old, u32 new_value, bool *ok)
{
	bool begun = user_access_begin(current);
	bool done = host_cmpxchg_u32((void *)(uintptr_t)address, old, new_value, ok);

	user_access_end(current, begun);
	return done;
}

/* Compare and swap; -EAGAIN if the word was another. */
static int swap_word(u64 address, u32 old, u32 new_value)
{
	bool ok;

	if (!user_range_ok(address, 4))
		return -EFAULT;
	if (unlikely(tm_in_transaction(current->cpu)))
		tm_conflict_by_store(current->cpu, current->cpu->pc, address, 4);
	if (!try_swap(address, old, new_value, &ok) &&
	    (!mm_write_prepare(current->process->mm, address, 4) ||
	     !try_swap(address, old, new_value, &ok)))
		return -EFAULT;
	return ok ? 0 : -EAGAIN;
}

/*
 * Where a futex is kept. Return: 0 with *key set; 1 if it is the host's; -EINVAL, -EFAULT.
 */
static int locate(struct task *task, u64 address, bool private_flag, u64 *key)
{
	struct mm_range range;

	if (address & 3)
		return -EINVAL;
	if (!user_range_ok(address, 4))
		return -EFAULT;
	*key = address | KEY_PRIVATE;
	if (private_flag)
		return 0;
	*key = address;
	if (!mm_lookup(task->process->mm, address, &range))
		return -EFAULT;
	return range.flags & RANGE_SHARED ? 1 : 0;
}

/* --- wait and wake ------------------------------------------------------------------------------ */

static u32 wake_queue(u64 key, u32 n, u32 bitset)
{
	u32 woken = 0;

	for (struct futex_waiter *w; woken < n && (w = find(key, bitset, false)); woken++) {
		dequeue(w);
		sched_wake(w->task);
	}
	return woken;
}

static s64 wait_restart(struct task *task);

static s64 wait_resume(struct task *task)
{
	struct futex_waiter *w = &task->futex;
	s64 result = 0;

	pthread_mutex_lock(&lock);
	if (w->key) {
		if (task->sched.deadline && sched_now() >= task->sched.deadline)
			result = -ETIMEDOUT;
		else if (task_interrupted(task))
			result = task->sched.deadline ? -ERESTART_RESTARTBLOCK : -ERESTARTSYS;
		else
			result = SYSCALL_PARKED;
		if (result != SYSCALL_PARKED)
			dequeue(w);
	}
	pthread_mutex_unlock(&lock);
	if (result == SYSCALL_PARKED)
		return sched_park(task, wait_resume, task->sched.deadline);
	return result;
}

static s64 wait_on(struct task *task, u64 address, u64 key, u32 value, u32 bitset, u64 deadline)
{
	u32 now;
	int error;

	if (!bitset)
		return -EINVAL;
	task->restart.function = wait_restart;
	task->restart.args[0] = address;
	task->restart.args[1] = key;
	task->restart.args[2] = value;
	task->restart.args[3] = bitset;
	task->restart.args[4] = deadline;
	error = bring_in(address);
	if (error)
		return error;
	pthread_mutex_lock(&lock);
	error = read_word(address, &now);
	if (!error && now != value)
		error = -EAGAIN;
	if (!error) {
		task->futex.task = task;
		task->futex.bitset = bitset;
		task->futex.pi = false;
		enqueue(&task->futex, key);
	}
	pthread_mutex_unlock(&lock);
	return error ? error : sched_park(task, wait_resume, deadline);
}

static s64 wait_restart(struct task *task)
{
	const u64 *a = task->restart.args;

	return wait_on(task, a[0], a[1], (u32)a[2], (u32)a[3], a[4]);
}

/* Move waiters from one word to another, after waking some. */
static s64 requeue(struct task *task, u64 from, u64 to, u32 n_wake, u32 n_move, const u32 *expected,
		   u64 address)
{
	s64 result = 0;
	u32 now, moved = 0;

	(void)task;
	if ((s32)n_wake < 0 || (s32)n_move < 0)
		return -EINVAL;
	if (expected)
		result = bring_in(address);
	if (result)
		return result;
	pthread_mutex_lock(&lock);
	if (expected) {
		result = read_word(address, &now);
		if (!result && now != *expected)
			result = -EAGAIN;
	}
	if (!result) {
		result = wake_queue(from, n_wake, ~0u);
		for (struct futex_waiter *w;
		     from != to && moved < n_move && (w = find(from, ~0u, false)); moved++) {
			dequeue(w);
			enqueue(w, to);
		}
		result += moved;
	}
	pthread_mutex_unlock(&lock);
	return result;
}

/* FUTEX_WAKE_OP: what to do with the second word, and how to compare what it was. */
static int wake_op(u32 code, u64 address, bool *compared)
{
	u32 operation = code >> 28 & 7, comparison = code >> 24 & 15, old, new_value;
	s32 operand = (s32)(code << 8) >> 20, limit = (s32)(code << 20) >> 20;
	int error;

	if (code >> 31)
		operand = (s32)(1u << (operand & 31));
	do {
		error = read_word(address, &old);
		if (error)
			return error;
		switch (operation) {
		case FUTEX_OP_SET:
			new_value = (u32)operand;
			break;
		case FUTEX_OP_ADD:
			new_value = old + (u32)operand;
			break;
		case FUTEX_OP_OR:
			new_value = old | (u32)operand;
			break;
		case FUTEX_OP_ANDN:
			new_value = old & ~(u32)operand;
			break;
		case FUTEX_OP_XOR:
			new_value = old ^ (u32)operand;
			break;
		default:
			return -ENOSYS;
		}
		error = swap_word(address, old, new_value);
	} while (error == -EAGAIN);
	if (error)
		return error;
	switch (comparison) {
	case FUTEX_OP_CMP_EQ:
		*compared = (s32)old == limit;
		return 0;
	case FUTEX_OP_CMP_NE:
		*compared = (s32)old != limit;
		return 0;
	case FUTEX_OP_CMP_LT:
		*compared = (s32)old < limit;
		return 0;
	case FUTEX_OP_CMP_LE:
		*compared = (s32)old <= limit;
		return 0;
	case FUTEX_OP_CMP_GT:
		*compared = (s32)old > limit;
		return 0;
	case FUTEX_OP_CMP_GE:
		*compared = (s32)old >= limit;
		return 0;
	}
	return -ENOSYS;
}

static s64 wake_two(u64 key, u64 key2, u64 address2, u32 n, u32 n2, u32 code)
{
	bool also = false;
	s64 result = bring_in(address2);

	if (result)
		return result;
	pthread_mutex_lock(&lock);
	result = wake_op(code, address2, &also);
	if (!result) {
		result = wake_queue(key, n, ~0u);
		if (also)
			result += wake_queue(key2, n2, ~0u);
	}
	pthread_mutex_unlock(&lock);
	return result;
}

/* --- ownership: the PI operations --------------------------------------------------------------- */

static s64 lock_pi_resume(struct task *task)
{
	struct futex_waiter *w = &task->futex;
	s64 result = 0; /* the one who unlocked made us the owner */

	pthread_mutex_lock(&lock);
	if (w->key) {
		if (task->sched.deadline && sched_now() >= task->sched.deadline)
			result = -ETIMEDOUT;
		else if (task_interrupted(task))
			result = -ERESTARTNOINTR;
		else
			result = SYSCALL_PARKED;
		if (result != SYSCALL_PARKED)
			dequeue(w);
	}
	pthread_mutex_unlock(&lock);
	if (result == SYSCALL_PARKED)
		return sched_park(task, lock_pi_resume, task->sched.deadline);
	return result;
}

/* With task_lock: can the owner still pass it on? */
static bool owner_lives(struct task *task, u32 tid)
{
	struct task *owner = task_find(task->process, (int)tid);

	return owner && !owner->futex.passed_on;
}

static s64 lock_pi(struct task *task, u64 address, u64 key, bool try, u64 deadline)
{
	u32 value, owner, tid = (u32)task->tid;
	s64 result = bring_in(address);

	if (result)
		return result;
	pthread_mutex_lock(&task->process->task_lock);
	pthread_mutex_lock(&lock);
	do {
		result = read_word(address, &value);
		if (result)
			break;
		owner = value & FUTEX_TID_MASK;
		if (owner == tid) {
			result = -EDEADLK;
			break;
		}
		if (!owner) {
			u32 waiters = find(key, ~0u, true) ? FUTEX_WAITERS : 0;

			result = swap_word(address, value, (value & FUTEX_OWNER_DIED) | waiters | tid);
			continue;
		}
		if (try) {
			result = -EAGAIN;
			break;
		}
		if (!owner_lives(task, owner)) {
			result = -ESRCH;
			break;
		}
		result = swap_word(address, value, value | FUTEX_WAITERS);
		if (!result) {
			task->futex.task = task;
			task->futex.bitset = ~0u;
			task->futex.pi = true;
			enqueue(&task->futex, key);
			result = SYSCALL_PARKED;
		}
	} while (result == -EAGAIN);
	pthread_mutex_unlock(&lock);
	pthread_mutex_unlock(&task->process->task_lock);
	if (result == SYSCALL_PARKED)
		return sched_park(task, lock_pi_resume, deadline);
	return result;
}

/* Hand a PI futex to its first waiter, or free it. With the lock. */
static s64 pass_on(u64 address, u64 key, u32 old, u32 died)
{
	struct futex_waiter *w = find(key, ~0u, true);
	u32 next = died;
	s64 result;

	if (w) {
		dequeue(w);
		next |= (u32)w->task->tid | (find(key, ~0u, true) ? FUTEX_WAITERS : 0);
	}
	result = swap_word(address, old, next);
	if (w && result)
		enqueue(w, key); /* nothing has happened */
	else if (w)
		sched_wake(w->task);
	return result;
}

static s64 unlock_pi(struct task *task, u64 address, u64 key)
{
	u32 value;
	s64 result = bring_in(address);

	if (result)
		return result;
	pthread_mutex_lock(&lock);
	result = read_word(address, &value);
	if (!result)
		result = (value & FUTEX_TID_MASK) == (u32)task->tid ? pass_on(address, key, value, 0)
								    : -EPERM;
	pthread_mutex_unlock(&lock);
	return result;
}

/* --- the system call ---------------------------------------------------------------------------- */

/* The time-out of an operation as a CLOCK_MONOTONIC deadline; 0 = none. */
static int deadline_of(struct task *task, u64 address, bool relative, bool realtime, u64 *deadline)
{
	struct {
		s64 sec, nsec;
	} t;
	u64 ns;

	*deadline = 0;
	if (!address)
		return 0;
	if (get_user(task, &t, address))
		return -EFAULT;
	if (t.sec < 0 || t.nsec < 0 || t.nsec >= 1000000000)
		return -EINVAL;
	ns = t.sec > 9000000000ll ? INT64_MAX : (u64)t.sec * 1000000000ull + (u64)t.nsec;
	if (relative) {
		ns += sched_now();
	} else if (realtime) {
		struct timespec wall;

		clock_gettime(CLOCK_REALTIME, &wall);
		s64 offset = (s64)sched_now() - (wall.tv_sec * 1000000000ll + wall.tv_nsec);
		ns = (s64)ns + offset > 0 ? ns + (u64)offset : 1;
	}
	*deadline = ns ? ns : 1;
	return 0;
}

/* The host's own futex, for memory that other processes may share. */
static s64 host_futex(struct task *task, const u64 args[6], u32 command)
{
	switch (command) {
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
	case FUTEX_TRYLOCK_PI:
	case FUTEX_UNLOCK_PI:
		/* The host would take thread ids for its own. */
		log_line(LOG_UNIMPLEMENTED, "futex: PI futexes in shared memory are not implemented");
		return -ENOSYS;
	case FUTEX_WAKE_OP: {
		void *word;

		if (user_write_buffer(task, args[4], 4, &word))
			return -EFAULT;
		break;
	}
	}
	return task_syscall(task, SYS_futex, args[0], args[1], args[2], args[3], args[4], args[5]);
}

s64 sys_futex(struct task *task, const u64 args[6])
{
	u32 op = (u32)args[1], command = op & FUTEX_CMD_MASK, value = (u32)args[2];
	bool private_flag = op & FUTEX_PRIVATE_FLAG, realtime = op & FUTEX_CLOCK_REALTIME;
	u64 key, key2 = 0, deadline = 0;
	int where = locate(task, args[0], private_flag, &key), error;

	if (where < 0)
		return where;
	switch (command) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		/* FUTEX_LOCK_PI always meant the real-time clock */
		error = deadline_of(task, args[3], command == FUTEX_WAIT,
				    realtime || command == FUTEX_LOCK_PI, &deadline);
		if (error)
			return error;
		break;
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
	case FUTEX_WAKE_OP:
		if (!where) {
			where = locate(task, args[4], private_flag, &key2);
			if (where < 0)
				return where;
		}
		break;
	}
	if (where)
		return host_futex(task, args, command);

	switch (command) {
	case FUTEX_WAIT:
		return wait_on(task, args[0], key, value, FUTEX_BITSET_MATCH_ANY, deadline);
	case FUTEX_WAIT_BITSET:
		return wait_on(task, args[0], key, value, (u32)args[5], deadline);
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET: {
		u32 bitset = command == FUTEX_WAKE ? FUTEX_BITSET_MATCH_ANY : (u32)args[5];
		u32 woken;

		if (!bitset)
			return -EINVAL;
		pthread_mutex_lock(&lock);
		woken = wake_queue(key, value ? value : 1, bitset);
		pthread_mutex_unlock(&lock);
		return woken;
	}
	case FUTEX_REQUEUE:
		return requeue(task, key, key2, value, (u32)args[3], NULL, args[0]);
	case FUTEX_CMP_REQUEUE: {
		u32 expected = (u32)args[5];

		return requeue(task, key, key2, value, (u32)args[3], &expected, args[0]);
	}
	case FUTEX_WAKE_OP:
		return wake_two(key, key2, args[4], value, (u32)args[3], (u32)args[5]);
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return lock_pi(task, args[0], key, false, deadline);
	case FUTEX_TRYLOCK_PI:
		return lock_pi(task, args[0], key, true, 0);
	case FUTEX_UNLOCK_PI:
		return unlock_pi(task, args[0], key);
	}
	log_line(LOG_UNIMPLEMENTED, "futex operation %u is not implemented", command);
	return -ENOSYS;
}

/* --- the end of a task -------------------------------------------------------------------------- */

void futex_wake_shared(struct task *task, u64 address, u32 n)
{
	u64 key;
	int where = locate(task, address, false, &key);

	if (where == 1) {
		host_call(SYS_futex, address, FUTEX_WAKE, n);
	} else if (where == 0) {
		pthread_mutex_lock(&lock);
		wake_queue(key, n, FUTEX_BITSET_MATCH_ANY);
		pthread_mutex_unlock(&lock);
	}
}

/* The task holds a robust futex and dies: tell the next owner. */
static void owner_died(struct task *task, u64 address, bool pi)
{
	u64 key;
	u32 value;

	pthread_mutex_lock(&lock);
	while (!read_word(address, &value) && (value & FUTEX_TID_MASK) == (u32)task->tid) {
		s64 result;

		/* The C library locks robust mutexes without FUTEX_PRIVATE_FLAG. */
		if (pi && locate(task, address, false, &key) == 0)
			result = pass_on(address,
					 find(key, ~0u, true) ? key : address | KEY_PRIVATE, value,
					 FUTEX_OWNER_DIED);
		else
			result = swap_word(address, value,
					   (value & FUTEX_WAITERS) | FUTEX_OWNER_DIED);
		if (result == -EAGAIN)
			continue;
		break;
	}
	pthread_mutex_unlock(&lock);
	if (!pi && value & FUTEX_WAITERS) {
		if (locate(task, address, true, &key) == 0) {
			pthread_mutex_lock(&lock);
			wake_queue(key, 1, FUTEX_BITSET_MATCH_ANY);
			pthread_mutex_unlock(&lock);
		}
		futex_wake_shared(task, address, 1);
	}
}

#define ROBUST_LIMIT 2048 /* entries of a list that may be a ring */

static void walk_robust_list(struct task *task)
{
	struct {
		u64 next;
		s64 offset;
		u64 pending;
	} head;
	u64 entry, next;

	if (!task->robust_list || get_user(task, &head, task->robust_list))
		return;
	entry = head.next;
	for (int i = 0; i < ROBUST_LIMIT && (entry & ~1ull) != task->robust_list; i++) {
		bool last = get_user(task, &next, entry & ~1ull) != 0;

		if ((entry & ~1ull) != (head.pending & ~1ull))
			owner_died(task, (entry & ~1ull) + (u64)head.offset, entry & 1);
		if (last)
			break;
		entry = next;
	}
	if (head.pending & ~1ull)
		owner_died(task, (head.pending & ~1ull) + (u64)head.offset, head.pending & 1);
}

/* Those who wait for PI futexes of the task inherit them, robust or not: exit_pi_state_list(). */
static void pass_on_all(struct task *task)
{
	struct futex_waiter *w;
	u32 value;

	pthread_mutex_lock(&lock);
	task->futex.passed_on = true;
	for (u32 i = 0; n_pi_waiters && i < BUCKETS; i++) {
again:
		w = queues[i];
		while (w) {
			u64 address = w->key & ~KEY_PRIVATE;

			if (w->pi && !read_word(address, &value) &&
			    (value & FUTEX_TID_MASK) == (u32)task->tid &&
			    pass_on(address, w->key, value, FUTEX_OWNER_DIED) != -EFAULT)
				goto again;
			w = w->next == queues[i] ? NULL : w->next;
		}
	}
	pthread_mutex_unlock(&lock);
}

void futex_exit_task(struct task *task)
{
	walk_robust_list(task);
	pass_on_all(task);
	if (task->clear_child_tid) {
		const u32 zero = 0;

		if (!copy_to_user(task, task->clear_child_tid, &zero, sizeof(zero)))
			futex_wake_shared(task, task->clear_child_tid, 1);
		task->clear_child_tid = 0;
	}
}

void futex_before_fork(void)
{
	pthread_mutex_lock(&lock);
}

void futex_after_fork(bool in_child)
{
	for (u32 i = 0; in_child && i < BUCKETS; i++)
		queues[i] = NULL;
	if (in_child)
		n_pi_waiters = 0;
	pthread_mutex_unlock(&lock);
}
