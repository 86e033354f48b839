// SPDX-License-Identifier: MIT
/*
 * The kernel between transactions: what it reads from the program's memory and writes to it for a
 * system call is atomic against commits, as far as plain accesses are.
 */
#include "check.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#define LINES 48

static struct line {
	_Alignas(LINE) volatile uint64_t word;
	uint64_t rest[LINE / 8 - 1];
} lines[LINES];

static volatile bool finished;

/* Adds to each line in one transaction, from the lowest to the highest. */
static bool add_to_all(uint64_t n)
{
	for (unsigned attempt = 0; attempt < 100000; attempt++) {
		if (TRY()) {
			for (int i = 0; i < LINES; i++)
				lines[i].word += n;
			COMMIT();
			return true;
		}
		if (finished)
			return false;
		failed_attempt(attempt);
	}
	return false;
}

static uint64_t added; /* by the thread below */

static void *adder(void *step)
{
	while (!finished)
		added += add_to_all((uint64_t)step);
	return NULL;
}

static pthread_t start(void *(*body)(void *), void *arg)
{
	pthread_t thread;

	finished = false;
	CHECK(!pthread_create(&thread, NULL, body, arg));
	return thread;
}

static void stop(pthread_t thread)
{
	finished = true;
	CHECK(!pthread_join(thread, NULL));
}

/*
 * A write reads from low to high addresses, so it may see a commit that comes later in the higher
 * lines only. T{Wx1;Wy1} || write(fd, {y,x}): y=1, x=0 is forbidden.
 */
static void written_data_shows_no_half_commit(void)
{
	static struct line copy[LINES];
	struct iovec halves[2] = {{lines, sizeof(lines) / 2},
				  {(char *)lines + sizeof(lines) / 2, sizeof(lines) / 2}};
	int fds[2];
	pthread_t thread;

	CHECK(!pipe(fds));
	memset(lines, 0, sizeof(lines));
	thread = start(adder, (void *)1);
	for (int n = 0; n < 20000; n++) {
		ssize_t size = n % 2 ? write(fds[1], lines, sizeof(lines))
				     : writev(fds[1], halves, 2);

		CHECK(size == (ssize_t)sizeof(lines));
		CHECK(read(fds[0], copy, sizeof(copy)) == (ssize_t)sizeof(copy));
		for (int i = 1; i < LINES; i++)
			CHECK(copy[i].word >= copy[i - 1].word);
	}
	stop(thread);
	close(fds[0]);
	close(fds[1]);
}

/* The transactions change the upper half of each word; read() writes the lower half as well. */
static void data_that_was_read_is_not_overwritten(void)
{
	static struct line pattern[LINES];
	int fds[2];
	pthread_t thread;

	CHECK(!pipe(fds));
	memset(lines, 0, sizeof(lines));
	thread = start(adder, (void *)(1ul << 32));
	for (uint32_t n = 1; n < 20000; n++) {
		for (int i = 0; i < LINES; i++)
			pattern[i].word = n;
		CHECK(write(fds[1], pattern, sizeof(pattern)) == (ssize_t)sizeof(pattern));
		CHECK(read(fds[0], lines, sizeof(lines)) == (ssize_t)sizeof(lines));
		for (int i = 0; i < LINES; i++)
			CHECK((uint32_t)lines[i].word == n);
	}
	stop(thread);
	close(fds[0]);
	close(fds[1]);
}

/* The kernel's atomic addition in FUTEX_WAKE_OP and those of transactions: none is lost. */
static void wake_op_and_transactions_both_count(void)
{
	uint32_t *word = (uint32_t *)&lines[LINES - 1].word;
	const unsigned n = 500000;
	uint32_t other = 0;
	pthread_t thread;

	memset(lines, 0, sizeof(lines));
	added = 0;
	thread = start(adder, (void *)(1ul << 32));
	for (unsigned i = 0; i < n; i++)
		CHECK(syscall(SYS_futex, &other, FUTEX_WAKE_OP_PRIVATE, 0, 0, word,
			      FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_EQ, -1)) == 0);
	stop(thread);
	CHECK(*word == n);
	for (int i = 0; i < LINES; i++)
		CHECK(lines[i].word >> 32 == added);
}

/* --- waiting for a word that a transaction stores ---------------------------------------------- */

static volatile uint32_t turn;
static volatile uint64_t payload;

static void *taker(void *arg)
{
	for (uint32_t next = 1; next <= (uintptr_t)arg; next++) {
		while (turn < next)
			syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, next - 1, NULL, NULL, 0);
		CHECK(payload == turn * 3ull);
		turn = turn | 1u << 31;
		syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
		while (turn >> 31)
			syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, next | 1u << 31, NULL, NULL,
				0);
	}
	return NULL;
}

static void store_in_transaction(uint32_t word, uint64_t value)
{
	for (unsigned attempt = 0;; attempt++) {
		if (TRY()) {
			payload = value;
			turn = word;
			COMMIT();
			return;
		}
		failed_attempt(attempt);
	}
}

static void futex_wait_sees_transactional_stores(void)
{
	const uint32_t n = 2000;
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, taker, (void *)(uintptr_t)n));
	for (uint32_t next = 1; next <= n; next++) {
		store_in_transaction(next, next * 3ull);
		syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
		while (!(turn >> 31))
			syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, next, NULL, NULL, 0);
		store_in_transaction(next, next * 3ull);
		syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	}
	CHECK(!pthread_join(thread, NULL));
}

/* --- threads and processes that end beside committers ------------------------------------------- */

static void *ends_at_once(void *arg)
{
	return arg;
}

static void threads_end_beside_commits(void)
{
	pthread_t thread = start(adder, (void *)1);

	for (int n = 0; n < 300; n++) {
		pthread_t other;

		CHECK(!pthread_create(&other, NULL, ends_at_once, NULL));
		CHECK(!pthread_join(other, NULL));
	}
	stop(thread);
}

static pthread_mutex_t robust;

static void *dies_with_lock(void *arg)
{
	pthread_mutex_lock(&robust);
	return arg;
}

static void robust_mutexes_are_passed_on_beside_commits(void)
{
	pthread_mutexattr_t attributes;
	pthread_t thread;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &attributes);
	thread = start(adder, (void *)1);
	for (int n = 0; n < 200; n++) {
		pthread_t other;

		CHECK(!pthread_create(&other, NULL, dies_with_lock, NULL));
		CHECK(!pthread_join(other, NULL));
		CHECK(pthread_mutex_lock(&robust) == EOWNERDEAD);
		CHECK(!pthread_mutex_consistent(&robust));
		CHECK(!pthread_mutex_unlock(&robust));
	}
	stop(thread);
}

/* A copy of the memory is made between two commits, and the child can commit as well. */
static void a_forked_child_has_no_half_commit(void)
{
	pthread_t thread;

	memset(lines, 0, sizeof(lines));
	thread = start(adder, (void *)1);
	for (int n = 0; n < 200; n++) {
		int status;
		pid_t child = fork();

		CHECK(child >= 0);
		if (!child) {
			for (int i = 1; i < LINES; i++)
				if (lines[i].word != lines[0].word)
					_exit(1);
			for (unsigned attempt = 0; attempt < 1000; attempt++)
				if (TRY()) {
					lines[0].word++;
					COMMIT();
					_exit(0);
				}
			_exit(2);
		}
		CHECK(waitpid(child, &status, 0) == child);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	stop(thread);
}

/* vfork shares the memory with the parent, whose other threads go on. */
static void a_vfork_child_is_one_of_us(void)
{
	pthread_t thread;

	memset(lines, 0, sizeof(lines));
	added = 0;
	thread = start(adder, (void *)(1ul << 32));
	for (int n = 0; n < 50; n++) {
		uint64_t old;
		int status;
		pid_t child = vfork();

		CHECK(child >= 0);
		if (!child) {
			/* Both by the kernel, in memory that they change. */
			syscall(SYS_futex, &old, FUTEX_WAKE_OP_PRIVATE, 0, 0, &lines[1].word,
				FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_EQ, -1));
			for (unsigned attempt = 0; attempt < 100000; attempt++)
				if (TRY()) {
					lines[2].word++;
					COMMIT();
					_exit(0);
				}
			_exit(2);
		}
		CHECK(waitpid(child, &status, 0) == child);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	stop(thread);
	CHECK((uint32_t)lines[1].word == 50 && (uint32_t)lines[2].word == 50);
	for (int i = 0; i < LINES; i++)
		CHECK(lines[i].word >> 32 == added);
}

/* --- the thread's own speculative bytes ---------------------------------------------------------- */

/* Suspended, the kernel reads what the transaction has written; the commit still works. */
static void a_suspended_write_shows_own_stores(void)
{
	uint64_t seen[2];
	bool committed = false;
	int fds[2];

	CHECK(!pipe(fds));
	memset(lines, 0, sizeof(lines));
	for (unsigned attempt = 0; attempt < 1000 && !committed; attempt++) {
		const struct iovec iov = {(void *)&lines[1].word, 8};

		if (TRY()) {
			lines[0].word = 17;
			lines[1].word = 18;
			__builtin_tsuspend();
			(void)!write(fds[1], (void *)&lines[0].word, 8);
			(void)!writev(fds[1], &iov, 1);
			__builtin_tresume();
			COMMIT();
			committed = true;
		}
		CHECK(read(fds[0], seen, sizeof(seen)) == sizeof(seen));
		CHECK(seen[0] == 17 && seen[1] == 18);
	}
	CHECK(committed && lines[0].word == 17);
	close(fds[0]);
	close(fds[1]);
}

/* A store of the kernel into the footprint is one of the thread itself: bit 11, persistent. */
static void a_suspended_read_into_the_footprint_fails_it(void)
{
	bool seen = false;
	int fds[2];

	CHECK(!pipe(fds));
	memset(lines, 0, sizeof(lines));
	for (unsigned attempt = 0; attempt < 1000 && !seen; attempt++) {
		CHECK(write(fds[1], "12345678", 8) == 8);
		if (TRY()) {
			lines[0].rest[0] = 1;
			__builtin_tsuspend();
			(void)!read(fds[0], (void *)&lines[0].word, 8);
			__builtin_tresume();
			COMMIT();
			CHECK(!"a commit after that");
		}
		CHECK(!memcmp((void *)&lines[0].word, "12345678", 8));
		CHECK(lines[0].rest[0] == 0);
		seen = why() & TEXASR_BIT(11);
	}
	CHECK(seen);
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	a_suspended_write_shows_own_stores();
	a_suspended_read_into_the_footprint_fails_it();
	written_data_shows_no_half_commit();
	data_that_was_read_is_not_overwritten();
	wake_op_and_transactions_both_count();
	futex_wait_sees_transactional_stores();
	threads_end_beside_commits();
	robust_mutexes_are_passed_on_beside_commits();
	a_forked_child_has_no_half_commit();
	a_vfork_child_is_one_of_us();
	puts("ok");
	return 0;
}
