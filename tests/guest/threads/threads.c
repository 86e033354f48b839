/* SPDX-License-Identifier: MIT */
/*
 * What threads do to each other besides locking: creation and end, robust and priority-inheriting
 * mutexes, cancellation, signals, fork and exec, requeueing, waits with a time limit.
 *
 * Arguments: how often each (1); "nofork": without fork and exec.
 */
#define _GNU_SOURCE
#include "../ppc/tap.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int repeat = 1;

static u64 now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000 + (u64)t.tv_nsec / 1000000;
}

static void sleep_ms(unsigned ms)
{
	usleep(ms * 1000);
}

static pthread_t start(void *(*body)(void *), void *arg)
{
	pthread_t id;
	int error = pthread_create(&id, NULL, body, arg);

	if (error) {
		printf("Bail out! pthread_create: %s\n", strerror(error));
		exit(1);
	}
	return id;
}

static void *join(pthread_t id)
{
	void *result = NULL;

	pthread_join(id, &result);
	return result;
}

/* --- creation and end ------------------------------------------------------------------------- */

static u64 ran;

static void *count_one(void *arg)
{
	__atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
	return arg;
}

static void *spawn_more(void *arg)
{
	u64 depth = (u64)(uintptr_t)arg;

	count_one(NULL);
	if (depth) {
		pthread_t a = start(spawn_more, (void *)(uintptr_t)(depth - 1));
		pthread_t b = start(spawn_more, (void *)(uintptr_t)(depth - 1));

		join(a);
		join(b);
	}
	return NULL;
}

static void storms(void)
{
	pthread_attr_t detached;
	pthread_t id[32];
	u64 wrong = 0, until;

	ran = 0;
	for (int i = 0; i < 300 * repeat; i++)
		wrong += join(start(count_one, (void *)(uintptr_t)i)) != (void *)(uintptr_t)i;
	is(ran, 300u * (unsigned)repeat, "threads created and joined one by one");
	is(wrong, 0, "and their results arrive");
	ran = 0;
	for (int i = 0; i < 10 * repeat; i++) {
		for (int j = 0; j < 32; j++)
			id[j] = start(count_one, NULL);
		for (int j = 31; j >= 0; j--)
			join(id[j]);
	}
	is(ran, 320u * (unsigned)repeat, "32 at a time, joined backwards");
	ran = 0;
	spawn_more((void *)6);
	is(ran, 127, "threads that create threads");
	ran = 0;
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < 200; i++)
		while (pthread_create(&id[0], &detached, count_one, NULL))
			sched_yield();
	for (until = now_ms() + 20000; __atomic_load_n(&ran, __ATOMIC_RELAXED) < 200;)
		if (now_ms() > until)
			break;
	is(ran, 200, "detached threads");
}

/* --- mutexes whose owner dies, and PI ----------------------------------------------------------
 */

static pthread_mutex_t shared_mutex;

static void *lock_and_die(void *arg)
{
	pthread_mutex_lock(&shared_mutex);
	return NULL;
}

static void *lock_late(void *arg)
{
	return (void *)(uintptr_t)pthread_mutex_lock(&shared_mutex);
}

static void *hold_then_die(void *arg)
{
	pthread_mutex_lock(&shared_mutex);
	__atomic_store_n((int *)arg, 1, __ATOMIC_SEQ_CST);
	sleep_ms(30);
	return NULL;
}

static void robust(int protocol, const char *name)
{
	pthread_mutexattr_t attr;
	pthread_t waiter, owner;
	int holds = 0;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutexattr_setprotocol(&attr, protocol);
	pthread_mutex_init(&shared_mutex, &attr);
	join(start(lock_and_die, NULL));
	is((u64)pthread_mutex_lock(&shared_mutex), EOWNERDEAD, name);
	is((u64)pthread_mutex_consistent(&shared_mutex), 0, "made consistent");
	is((u64)pthread_mutex_unlock(&shared_mutex), 0, "unlocked");
	/* Now with somebody who waits when the owner dies. */
	owner = start(hold_then_die, &holds);
	while (!__atomic_load_n(&holds, __ATOMIC_SEQ_CST))
		sched_yield();
	waiter = start(lock_late, NULL);
	join(owner);
	is((u64)(uintptr_t)join(waiter), EOWNERDEAD, "a waiter learns that the owner died");
	/* The waiter died with it, too, without making it consistent. */
	is((u64)pthread_mutex_lock(&shared_mutex), EOWNERDEAD, "and so does the next");
	pthread_mutex_unlock(&shared_mutex);
	is((u64)pthread_mutex_lock(&shared_mutex), ENOTRECOVERABLE, "given up for good");
}

static u64 pi_counter;

static void *use_pi(void *arg)
{
	for (int i = 0; i < 300; i++) {
		pthread_mutex_lock(&shared_mutex);
		pi_counter++;
		if (i % 32 == 0)
			sched_yield();
		pthread_mutex_unlock(&shared_mutex);
	}
	return NULL;
}

static void priority_inheritance(void)
{
	struct timespec soon;
	pthread_mutexattr_t attr;
	pthread_t id[16];
	int holds = 0;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&shared_mutex, &attr);
	pi_counter = 0;
	for (int i = 0; i < 16; i++)
		id[i] = start(use_pi, NULL);
	for (int i = 0; i < 16; i++)
		join(id[i]);
	is(pi_counter, 4800, "counted under a PI mutex");
	id[0] = start(hold_then_die, &holds); /* never unlocks */
	while (!__atomic_load_n(&holds, __ATOMIC_SEQ_CST))
		sched_yield();
	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_nsec += 10000000;
	if (soon.tv_nsec >= 1000000000) {
		soon.tv_nsec -= 1000000000;
		soon.tv_sec++;
	}
	is((u64)pthread_mutex_timedlock(&shared_mutex, &soon), ETIMEDOUT,
	   "a PI mutex that is held: time-out");
	is((u64)pthread_mutex_trylock(&shared_mutex), EBUSY, "and busy");
	join(id[0]);
}

/* --- cancellation ------------------------------------------------------------------------------
 */

static pthread_mutex_t cleanup_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int cleanups;
static int stuck_pipe[2];

static void cleanup(void *arg)
{
	__atomic_fetch_add(&cleanups, 1, __ATOMIC_SEQ_CST);
	if (arg)
		pthread_mutex_unlock(arg);
}

static void *wait_in_read(void *arg)
{
	char c;

	pthread_cleanup_push(cleanup, NULL);
	while (read(stuck_pipe[0], &c, 1))
		;
	pthread_cleanup_pop(0);
	return NULL;
}

static void *wait_for_condition(void *arg)
{
	pthread_mutex_lock(&cleanup_lock);
	pthread_cleanup_push(cleanup, &cleanup_lock);
	for (;;)
		pthread_cond_wait(&never, &cleanup_lock);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *sleep_long(void *arg)
{
	pthread_cleanup_push(cleanup, NULL);
	sleep(1000);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *compute(void *arg)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	pthread_cleanup_push(cleanup, NULL);
	for (;;)
		asm volatile("" ::: "memory");
	pthread_cleanup_pop(0);
	return NULL;
}

static void *test_points(void *arg)
{
	pthread_cleanup_push(cleanup, NULL);
	for (;;)
		pthread_testcancel();
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancellation(void)
{
	static void *(*const kinds[])(void *) = {wait_in_read, wait_for_condition, sleep_long,
						 compute, test_points};
	enum { KINDS = 5, EACH = 4 };
	pthread_t id[KINDS * EACH];
	int cancelled = 0;

	cleanups = 0;
	if (pipe(stuck_pipe))
		return;
	for (int i = 0; i < KINDS * EACH; i++)
		id[i] = start(kinds[i % KINDS], NULL);
	sleep_ms(20);
	for (int i = 0; i < KINDS * EACH; i++)
		pthread_cancel(id[i]);
	for (int i = 0; i < KINDS * EACH; i++)
		cancelled += join(id[i]) == PTHREAD_CANCELED;
	is((u64)cancelled, KINDS * EACH,
	   "threads cancelled in calls, in waits and while computing");
	/* One that was cancelled before it installed its handler has none to run. */
	ok(cleanups <= KINDS * EACH && cleanups >= KINDS, "their cleanup handlers ran");
	is((u64)pthread_mutex_trylock(&cleanup_lock), 0, "and released the mutex");
	pthread_mutex_unlock(&cleanup_lock);
	close(stuck_pipe[0]);
	close(stuck_pipe[1]);
}

/* --- signals ------------------------------------------------------------------------------------
 */

static __thread int taken_here;
static volatile int done;
static u64 taken, elsewhere;

static void on_signal(int signo)
{
	taken_here++;
	__atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED);
}

static void *spin_until_done(void *arg)
{
	while (!done)
		asm volatile("" ::: "memory");
	return (void *)(uintptr_t)taken_here;
}

static void *sleep_until_done(void *arg)
{
	while (!done)
		usleep(3000);
	return (void *)(uintptr_t)taken_here;
}

static void *take_with_sigwait(void *arg)
{
	sigset_t set;
	int signo, got = 0;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGTERM);
	while (!sigwait(&set, &signo) && signo == SIGUSR2) {
		got++;
		__atomic_fetch_add(&taken, 1, __ATOMIC_SEQ_CST);
	}
	return (void *)(uintptr_t)got;
}

static void wait_for_taken(u64 n)
{
	u64 until = now_ms() + 20000;

	while (__atomic_load_n(&taken, __ATOMIC_SEQ_CST) < n && now_ms() < until)
		sched_yield();
}

static void directed(void *(*body)(void *), const char *name)
{
	pthread_t id[8];
	int wrong = 0;

	taken = done = 0;
	for (int i = 0; i < 8; i++)
		id[i] = start(body, NULL);
	for (int round = 1; round <= 5; round++) {
		for (int i = 0; i < 8; i++)
			pthread_kill(id[i], SIGUSR1);
		wait_for_taken((u64)round * 8);
	}
	done = 1;
	for (int i = 0; i < 8; i++)
		wrong += join(id[i]) != (void *)5;
	is((u64)wrong, 0, name);
}

/* Lets SIGUSR1 in for moments each round, at about the time when it is sent. */
static u64 wanted;

static void *lets_it_in_at_times(void *arg)
{
	sigset_t set;

	(void)arg;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	for (u64 seen = 0; !done;) {
		while (!done && __atomic_load_n(&wanted, __ATOMIC_SEQ_CST) == seen)
			;
		seen = __atomic_load_n(&wanted, __ATOMIC_SEQ_CST);
		for (int i = 0; i < 10; i++) {
			pthread_sigmask(SIG_UNBLOCK, &set, NULL);
			pthread_sigmask(SIG_BLOCK, &set, NULL);
		}
	}
	return NULL;
}

/*
 * Who was to take a signal of the process may block it first: then another thread gets it. Linux:
 * retarget_shared_pending() in kernel/signal.c.
 */
static void retargeted(void)
{
	sigset_t set, old;
	pthread_t sleeper, fickle;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	taken = done = 0;
	wanted = 0;
	sleeper = start(sleep_until_done, NULL);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	fickle = start(lets_it_in_at_times, NULL);
	for (u64 i = 1; i <= 300; i++) {
		__atomic_store_n(&wanted, i, __ATOMIC_SEQ_CST);
		kill(getpid(), SIGUSR1);
		wait_for_taken(i);
	}
	done = 1;
	join(sleeper);
	join(fickle);
	is(taken, 300, "a signal that its taker blocks finds another one");
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	sigset_t set, old, pending;
	pthread_t id[8], waiter;
	u64 in_threads = 0;

	sigaction(SIGUSR1, &action, NULL);
	directed(spin_until_done, "pthread_kill finds threads that compute");
	directed(sleep_until_done, "and threads that sleep");

	/* To the process: somebody who does not block it takes it, and nobody twice. */
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	taken = done = 0;
	for (int i = 0; i < 4; i++)
		id[i] = start(spin_until_done, NULL); /* inherit the mask */
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	for (int i = 4; i < 8; i++)
		id[i] = start(spin_until_done, NULL);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	for (u64 i = 1; i <= 20; i++) {
		kill(getpid(), SIGUSR1);
		wait_for_taken(i);
	}
	done = 1;
	for (int i = 0; i < 8; i++) {
		u64 n = (u64)(uintptr_t)join(id[i]);

		if (i < 4)
			elsewhere += n;
		in_threads += n;
	}
	is(taken, 20, "signals to the process are all taken");
	is(in_threads, 20, "by threads that let them in");
	is(elsewhere, 0, "and not by those that block them");
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	retargeted();

	/* A signal that everybody blocks stays pending; then sigwait takes it. */
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	kill(getpid(), SIGUSR2);
	sigpending(&pending);
	ok(sigismember(&pending, SIGUSR2), "a blocked signal is pending");
	taken = 0;
	waiter = start(take_with_sigwait, NULL);
	wait_for_taken(1);
	for (u64 i = 2; i <= 20; i++) {
		if (i % 2)
			kill(getpid(), SIGUSR2);
		else
			pthread_kill(waiter, SIGUSR2);
		wait_for_taken(i);
	}
	pthread_kill(waiter, SIGTERM);
	is((u64)(uintptr_t)join(waiter), 20, "sigwait takes signals to thread and process");
	sigaction(SIGUSR2, &ignore, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* --- fork and exec ------------------------------------------------------------------------------
 */

static volatile int stop_working;

static void *work(void *arg)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	while (!stop_working) {
		pthread_mutex_lock(&lock);
		free(malloc(100));
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void *fork_many(void *arg)
{
	int wrong = 0;

	for (int i = 0; i < 8; i++) {
		pid_t child = fork();
		int status;

		if (!child) {
			/* One thread is left, and malloc works. */
			void *p = malloc(1000);

			_exit(p && join(start(count_one, p)) == p ? 40 + i : 1);
		}
		if (waitpid(child, &status, 0) != child || status != (40 + i) << 8)
			wrong++;
	}
	return (void *)(uintptr_t)wrong;
}

static void *exec_self(void *arg)
{
	char *args[] = {arg, (char *)"executed", NULL};

	execv("/proc/self/exe", args);
	_exit(99);
}

static void fork_and_exec(char *program)
{
	pthread_t worker[4], forker[4];
	int wrong = 0, status = 0;
	pid_t child;

	stop_working = 0;
	for (int i = 0; i < 4; i++)
		worker[i] = start(work, NULL);
	for (int i = 0; i < 4; i++)
		forker[i] = start(fork_many, NULL);
	for (int i = 0; i < 4; i++)
		wrong += (int)(uintptr_t)join(forker[i]);
	is((u64)wrong, 0, "threads that fork while others work");
	fflush(stdout);
	child = fork();
	if (!child) {
		for (int i = 0; i < 4; i++)
			start(work, NULL);
		join(start(exec_self, program));
		_exit(98);
	}
	waitpid(child, &status, 0);
	is((u64)status, 7 << 8, "a thread that is not the first becomes another program");
	child = fork();
	if (!child) {
		for (int i = 0; i < 4; i++)
			start(work, NULL);
		sleep_ms(5);
		exit(21);
	}
	waitpid(child, &status, 0);
	is((u64)status, 21 << 8, "exit ends a process whose threads work");
	child = fork();
	if (!child) {
		for (int i = 0; i < 4; i++)
			start(work, NULL);
		sleep_ms(5);
		abort();
	}
	waitpid(child, &status, 0);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "and so does a signal");
	child = fork();
	if (!child) {
		alarm(20);
		start(count_one, NULL);
		pthread_exit(NULL);
	}
	waitpid(child, &status, 0);
	is((u64)status, 0, "the first thread may leave: the last one ends the process");
	stop_working = 1;
	for (int i = 0; i < 4; i++)
		join(worker[i]);
}

/* --- futexes and time ---------------------------------------------------------------------------
 */

static u32 word_a, word_b;
static u64 woken;

static long futex(u32 *word, int op, u32 value, const void *limit, u32 *word2, u32 value3)
{
	return syscall(SYS_futex, word, op, value, limit, word2, value3);
}

static void *wait_on_a(void *arg)
{
	if (!futex(&word_a, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0))
		__atomic_fetch_add(&woken, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static void requeueing(void)
{
	pthread_t id[16];
	u64 moved = 0, until = now_ms() + 20000;
	long n;

	woken = 0;
	word_a = word_b = 0;
	for (int i = 0; i < 16; i++)
		id[i] = start(wait_on_a, NULL);
	is((u64)futex(&word_a, FUTEX_CMP_REQUEUE_PRIVATE, 1, (void *)1, &word_b, 5), (u64)-1,
	   "requeue compares");
	is((u64)errno, EAGAIN, "and says EAGAIN");
	/* They come one after the other; in the end all sleep on b, but for those woken. */
	while (moved < 16 && now_ms() < until) {
		n = futex(&word_a, FUTEX_CMP_REQUEUE_PRIVATE, 0, (void *)100, &word_b, 0);
		moved += n > 0 ? (u64)n : 0;
		sched_yield();
	}
	is(moved, 16, "all waiters were moved");
	is((u64)futex(&word_a, FUTEX_WAKE_PRIVATE, 100, NULL, NULL, 0), 0, "none is left behind");
	is((u64)futex(&word_b, FUTEX_WAKE_PRIVATE, 6, NULL, NULL, 0), 6, "six are woken");
	is((u64)futex(&word_b, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0), 10, "then the others");
	for (int i = 0; i < 16; i++)
		join(id[i]);
	is(woken, 16, "every one by a wake-up");
}

static void *timed(void *arg)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t condition;
	pthread_condattr_t attr;
	u64 ms = 20 + 10 * (u64)(uintptr_t)arg, before = now_ms(), took;
	struct timespec until;
	int error;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&condition, &attr);
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)ms * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&lock);
	do
		error = pthread_cond_timedwait(&condition, &lock, &until);
	while (!error);
	took = now_ms() - before;
	return (void *)(uintptr_t)(error != ETIMEDOUT || took + 1 < ms || took > ms + 15000);
}

static u32 pi_word;

static void *own_pi_word(void *arg)
{
	u64 until = now_ms() + 20000;

	futex(&pi_word, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0);
	while (!(__atomic_load_n(&pi_word, __ATOMIC_SEQ_CST) & FUTEX_WAITERS) && now_ms() < until)
		sched_yield();
	return NULL;
}

/* No C library and no robust list: the kernel alone knows who waits. */
static void inheritance(void)
{
	pthread_t owner;

	pi_word = 0;
	owner = start(own_pi_word, NULL);
	while (!__atomic_load_n(&pi_word, __ATOMIC_SEQ_CST))
		sched_yield();
	is((u64)futex(&pi_word, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0), 0,
	   "a PI futex whose owner ends goes to who waits for it");
	join(owner);
	is(pi_word & FUTEX_TID_MASK, (u64)syscall(SYS_gettid), "who owns it now");
	is(pi_word & FUTEX_OWNER_DIED, FUTEX_OWNER_DIED, "and sees why");
	is((u64)futex(&pi_word, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0), 0, "and unlocks it");
	is(pi_word & FUTEX_TID_MASK, 0, "it is free");
}

static void times(void)
{
	struct timespec t = {0, 30000000};
	pthread_t id[16];
	u64 before = now_ms(), took, wrong = 0;

	for (int i = 0; i < 16; i++)
		id[i] = start(timed, (void *)(uintptr_t)(i % 8));
	for (int i = 0; i < 16; i++)
		wrong += (u64)(uintptr_t)join(id[i]);
	is(wrong, 0, "sixteen waits with time limits");
	before = now_ms();
	is((u64)futex(&word_a, FUTEX_WAIT_PRIVATE, word_a, &t, NULL, 0), (u64)-1, "futex wait");
	is((u64)errno, ETIMEDOUT, "times out");
	took = now_ms() - before;
	ok(took >= 29, "not before its time (%llu ms)", (unsigned long long)took);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1 && !strcmp(argv[1], "executed"))
		return getpid() == syscall(SYS_gettid) ? 7 : 8;
	if (argc > 1)
		repeat = atoi(argv[1]);
	for (int i = 0; i < repeat; i++) {
		storms();
		robust(PTHREAD_PRIO_NONE, "the owner of a robust mutex died");
		robust(PTHREAD_PRIO_INHERIT, "the owner of a robust PI mutex died");
		priority_inheritance();
		cancellation();
		signals();
		if (argc < 3 || strcmp(argv[2], "nofork"))
			fork_and_exec(argv[0]);
		requeueing();
		inheritance();
		times();
	}
	return tap_end();
}
