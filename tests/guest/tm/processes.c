// SPDX-License-Identifier: MIT
/*
 * Transactions and what makes, ends and switches threads and processes:
 * arch/powerpc/kernel/process.c
 */
#define _GNU_SOURCE
#include "transaction.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static char *own_file;

/* What several processes see. */
static struct shared {
	volatile long result, parent;
	volatile u64 state[2], doomed[2], code[2], ran[2];
} *shared;

static u64 stack_pointer(void)
{
	u64 r1;

	asm volatile("mr %0,1" : "=r"(r1));
	return r1;
}

static int status_of(pid_t child)
{
	int status = -1;

	waitpid(child, &status, 0);
	return status;
}

/* --- fork ------------------------------------------------------------------------------------ */

/* fork in S: both go on in S, and both fail. The child ends here. */
static void test_fork(void)
{
	volatile long pid = -1;

	memset(shared, 0, sizeof(*shared));
	if (tbegin()) {
		long result;
		int me;

		tsuspend();
		result = call(SYS_clone, SIGCHLD, 0, 0, 0);
		me = result == 0;
		if (result)
			pid = result;
		shared->ran[me]++;
		shared->state[me] = state();
		shared->doomed[me] = (u64)doomed();
		tresume();
		shared->result = 1; /* never */
		tend();
	} else {
		int me = pid <= 0;

		shared->code[me] = code();
		if (me)
			_exit(getpid() == shared->parent);
	}
	is(status_of((pid_t)pid), 0, "fork in S: the child ended, as another process");
	is(shared->ran[0], 1, "the parent went on once");
	is(shared->ran[1], 1, "the child went on once");
	is(shared->state[0], MSR_TS_S, "the parent in S");
	is(shared->state[1], MSR_TS_S, "the child in S (621b5060e823)");
	is(shared->doomed[0], 1, "the parent's transaction is doomed");
	is(shared->doomed[1], 1, "the child's too");
	is(shared->code[0], CODE_RESCHEDULE, "the parent failed as after a switch");
	is(shared->code[1], CODE_RESCHEDULE, "the child too");
	is(shared->result, 0, "nobody committed");
}

static void test_vfork(void)
{
	volatile long pid = -1;

	memset(shared, 0, sizeof(*shared));
	if (tbegin()) {
		long result;

		tsuspend();
		result = call(SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0);
		if (result == 0) {
			shared->state[1] = state();
			call(SYS_exit_group, 3, 0, 0, 0);
		}
		pid = result;
		shared->state[0] = state();
		tresume();
		tend();
	} else {
		shared->code[0] = code();
	}
	is(status_of((pid_t)pid), 3 << 8, "vfork in S: the child ends from S");
	is(shared->state[1], MSR_TS_S, "it was in S");
	is(shared->state[0], MSR_TS_S, "the parent still is");
	is(shared->code[0], CODE_RESCHEDULE, "and fails");
}

/* --- threads --------------------------------------------------------------------------------- */

#define THREAD_FLAGS                                                                               \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |        \
	 CLONE_CHILD_CLEARTID)

static char thread_stack[65536] __attribute__((aligned(16)));
static volatile u32 thread_lives;

/*
 * A thread made in S by the bare system call, so it has the parent's TLS: no C but what needs none.
 * It starts in S, with a stack of its own, and rolls back to where the parent began, on the
 * parent's stack: there it must end at once, while the parent waits in S.
 */
static void test_thread(void)
{
	static volatile long made, child_code, child_state, child_r1, inside, child_ended;
	u64 r1 = stack_pointer();

	made = child_code = child_state = child_r1 = inside = child_ended = 0;
	thread_lives = 1;
	asm volatile("	tbegin.\n"
		     "	beq 2f\n"
		     "	tsuspend.\n"
		     "	li 0,120\n"
		     "	mr 3,%[flags]\n"
		     "	mr 4,%[stack]\n"
		     "	li 5,0\n"
		     "	li 6,0\n"
		     "	mr 7,%[lives]\n"
		     "	sc\n"
		     "	cmpdi 3,0\n"
		     "	bne 1f\n"
		     /* the thread */
		     "	tcheck 7\n"
		     "	mfcr 5\n"
		     "	std 5,0(%[state])\n"
		     "	tresume.\n"
		     "	trap\n"
		     /* the parent: wait for the thread's end */
		     "1:	std 3,0(%[made])\n"
		     "3:	lwz 5,0(%[lives])\n"
		     "	cmpwi 5,0\n"
		     "	bne 3b\n"
		     "	tresume.\n"
		     "	trap\n"
		     /* both */
		     "2:	ld 5,0(%[inside])\n"
		     "	addi 6,5,1\n"
		     "	std 6,0(%[inside])\n"
		     "	cmpdi 5,0\n"
		     "	bne 4f\n"
		     "	mfspr 5,130\n"
		     "	srdi 5,5,56\n"
		     "	std 5,0(%[code])\n"
		     "	std 1,0(%[r1])\n"
		     "	li 0,1\n"
		     "	li 3,0\n"
		     "	sc\n"
		     "4:\n"
		     :
		     : [flags] "r"((u64)THREAD_FLAGS),
		       [stack] "r"(thread_stack + sizeof(thread_stack) - 512),
		       [lives] "b"(&thread_lives), [state] "b"(&child_state), [made] "b"(&made),
		       [inside] "b"(&inside), [code] "b"(&child_code), [r1] "b"(&child_r1)
		     : "cr0", "cr7", "ctr", "xer", "r0", "r3", "r4", "r5", "r6", "r7", "r8", "r9",
		       "r10", "r11", "r12", "memory");
	ok(made > 0, "clone in S makes a thread");
	is(child_state >> 1 & 7, 5, "which starts in S, doomed");
	is((u64)child_code, CODE_RESCHEDULE, "and fails as after a switch");
	is((u64)child_r1, r1, "with the stack pointer of the parent's tbegin.");
	is((u64)inside, 2, "and the parent fails, too");
}

static void *end_suspended(void *how)
{
	if (tbegin()) {
		if (how)
			tsuspend();
		if (how)
			call(SYS_exit, 0, 0, 0, 0);
		tend();
	}
	return NULL;
}

static void test_thread_ends(void)
{
	pthread_t thread;
	int error = 0;

	for (int i = 0; i < 20 && !error; i++) {
		error |= pthread_create(&thread, NULL, end_suspended, &error);
		error |= pthread_join(thread, NULL);
	}
	is((u64)error, 0, "threads end in S");
}

/* --- exec ------------------------------------------------------------------------------------ */

/* In the program that was executed. */
static int starts_clean(void)
{
	if (state() || __builtin_get_texasr() || __builtin_get_tfhar() || __builtin_get_tfiar())
		return 1;
	if (tbegin()) {
		tend();
		return 0;
	}
	return 2;
}

static void test_exec(void)
{
	char *const arguments[] = {own_file, (char *)"exec", NULL};
	char *const environment[] = {NULL};
	static volatile long result = 1, then;
	pid_t child = fork();

	if (!child) {
		if (tbegin()) {
			tsuspend();
			call(SYS_execve, (long)own_file, (long)arguments, (long)environment, 0);
		}
		_exit(99);
	}
	is(status_of(child), 0,
	   "exec in S: the program starts outside, and with TM unused "
	   "(CVE-2016-5828)");
	if (tbegin()) {
		tsuspend();
		result = call(SYS_execve, (long)"", (long)arguments, (long)environment, 0);
		then = (long)state();
		tresume();
		tend();
	}
	is((u64)result, (u64)-ENOENT, "exec that fails in S");
	is((u64)then, MSR_TS_S, "stays in S");
}

static void exit_in(int suspended)
{
	pid_t child = fork();

	if (!child) {
		if (tbegin()) {
			if (suspended)
				tsuspend();
			call(SYS_exit_group, 5, 0, 0, 0);
			tend();
		}
		_exit(6);
	}
	is(status_of(child), (suspended ? 5 : 6) << 8,
	   suspended ? "exit_group in S" : "exit_group in T is refused");
}

/* --- sleeping -------------------------------------------------------------------------------- */

static u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

/* h_cede_tm of kvm-unit-tests, for a system call. */
static void test_sleep(void)
{
	static struct timespec wanted = {0, 20000000};
	static volatile long result = -1;
	static volatile u64 then;
	u64 start = now_ns();
	volatile int failed = 0;

	if (tbegin()) {
		tsuspend();
		result = call(SYS_nanosleep, (long)&wanted, 0, 0, 0);
		then = state();
		tresume();
		tend();
	} else {
		failed = 1;
	}
	is((u64)result, 0, "a thread sleeps in S");
	ok(now_ns() - start >= 20000000, "as long as it asked for");
	is(then, MSR_TS_S, "wakes in S");
	is((u64)failed, 1, "and fails");
	is(code(), CODE_RESCHEDULE, "because it was switched");
}

static volatile int caught;
static volatile u64 linked_state;

static void on_signal(int signo, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;

	caught++;
	shared->result = 1;
	linked_state = uc->uc_link ? ((u64 *)uc->uc_link->uc_mcontext.gp_regs)[MSR] & MSR_TS : 0;
}

static pid_t send_soon(int signo, int times)
{
	pid_t parent = getpid(), child = fork();

	if (!child) {
		for (int i = 0; i < times; i++) {
			usleep(20000);
			kill(parent, signo);
		}
		_exit(0);
	}
	return child;
}

static volatile long read_result, read_state, read_failed;

/*
 * Reads in S from a pipe into which a child writes after it has sent a signal and that was handled.
 * The signal may come before the call on a busy machine, so there are several attempts.
 */
static void read_interrupted(void)
{
	static char byte;
	static int fds[2];
	pid_t child;

	if (pipe(fds))
		_exit(1);
	shared->result = caught = 0;
	linked_state = 0;
	child = fork();
	if (!child) {
		usleep(20000);
		kill(getppid(), SIGUSR1);
		while (!shared->result)
			usleep(1000);
		usleep(20000);
		_exit(write(fds[1], "x", 1) != 1);
	}
	read_result = read_state = -1;
	read_failed = 0;
	if (tbegin()) {
		tsuspend();
		read_result = call(SYS_read, fds[0], (long)&byte, 1, 0);
		read_state = (long)state();
		tresume();
		tend();
	} else {
		read_failed = 1;
	}
	status_of(child);
	close(fds[0]);
	close(fds[1]);
}

/* EINTR in the live registers, or done once more after the handler, as outside. */
static void test_interrupted(int flags)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | flags};
	long expected = flags & SA_RESTART ? 1 : -EINTR;

	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 10; i++) {
		read_interrupted();
		if (linked_state == MSR_TS_S && read_result == expected)
			break;
	}
	is((u64)caught, 1, "a signal comes to a thread that waits in S");
	is(linked_state, MSR_TS_S, "its frame is one of a transaction");
	is((u64)read_result, (u64)expected,
	   flags & SA_RESTART ? "the call is done again" : "the call was interrupted");
	is((u64)read_state, MSR_TS_S, "in S");
	is((u64)read_failed, 1, "the transaction fails");
}

static void test_sigsuspend(void)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
	static volatile long result = -1, then;
	static sigset_t none, set;
	sigset_t now;
	pid_t child;

	sigaction(SIGUSR2, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	child = send_soon(SIGUSR2, 1);
	caught = 0;
	if (tbegin()) {
		tsuspend();
		result = call(SYS_rt_sigsuspend, (long)&none, 8, 0, 0);
		then = (long)state();
		tresume();
		tend();
	}
	status_of(child);
	sigprocmask(SIG_BLOCK, NULL, &now);
	is((u64)result, (u64)-EINTR, "sigsuspend in S");
	is((u64)then, MSR_TS_S, "comes back in S");
	is((u64)caught, 1, "after the signal");
	is((u64)sigismember(&now, SIGUSR2), 1, "the mask is the old one");
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* --- the counter of switches ----------------------------------------------------------------- */

static volatile u64 msr_seen;

static void look(int signo, siginfo_t *info, void *context)
{
	msr_seen = ((u64 *)((ucontext_t *)context)->uc_mcontext.gp_regs)[MSR];
}

static int tm_is_on(void)
{
	call(SYS_kill, getpid(), SIGUSR1, 0, 0);
	return (msr_seen & MSR_TM) != 0;
}

/* Forks by a thread with TM on count like switches: the 255th behind the fault turns it off. */
static void test_forks_count(void)
{
	struct sigaction action = {.sa_sigaction = look, .sa_flags = SA_SIGINFO};
	pid_t child = fork();
	int on = 1;
	int n = 0;

	if (!child) {
		sigaction(SIGUSR1, &action, NULL);
		if (tm_is_on())
			_exit(1);
		__builtin_set_tfhar(0x1234560);
		if (!tm_is_on())
			_exit(2);
		for (; n < 300 && on; n++) {
			pid_t grandchild = fork();

			if (!grandchild)
				_exit(0);
			status_of(grandchild);
			on = tm_is_on();
		}
		/* Waiting may or may not be a switch. */
		if (n < 100 || n > 255)
			_exit(3);
		_exit(__builtin_get_tfhar() == 0x1234560 ? 0 : 4);
	}
	is((u64)status_of(child), 0, "forks count as switches, and the 255th turns TM off");
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "exec"))
		return starts_clean();
	own_file = (char *)"/proc/self/exe";
	setvbuf(stdout, NULL, _IOLBF, 0);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	shared->parent = getpid();
	test_forks_count();
	test_fork();
	test_vfork();
	test_thread();
	test_thread_ends();
	test_exec();
	exit_in(0);
	exit_in(1);
	test_sleep();
	test_interrupted(0);
	test_interrupted(SA_RESTART);
	test_sigsuspend();
	return tap_end();
}
