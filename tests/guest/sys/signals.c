// SPDX-License-Identifier: MIT
/*
 * Signals: actions, masks, stacks, queues, interrupted calls, what the parent sees.
 */
#define _GNU_SOURCE
#include "check.h"

#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int calls, last_signal, last_code, last_value, order[64], n_order;
static volatile pid_t last_pid;
static volatile int on_stack;

static void note(int signo, siginfo_t *si, void *context)
{
	stack_t now;

	calls++;
	last_signal = signo;
	last_code = si->si_code;
	last_pid = si->si_pid;
	last_value = si->si_value.sival_int;
	if (n_order < 64)
		order[n_order++] = signo;
	sigaltstack(NULL, &now);
	on_stack = now.ss_flags & SS_ONSTACK;
}

static void act(int signo, int flags)
{
	struct sigaction action = {.sa_sigaction = note, .sa_flags = flags | SA_SIGINFO};

	CHECK(!sigaction(signo, &action, NULL));
}

static void block(int how, int signo)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signo);
	CHECK(!sigprocmask(how, &set, NULL));
}

static void actions(void)
{
	struct sigaction old;

	printf("--- actions\n");
	act(SIGUSR1, SA_RESTART | SA_ONSTACK);
	CHECK(!sigaction(SIGUSR1, NULL, &old));
	printf("flags: %#x handler %d\n", old.sa_flags & ~0x04000000, old.sa_sigaction == note);
	SHOW(sigaction(SIGKILL, &old, NULL));
	SHOW(sigaction(65, NULL, &old));
	SHOW(syscall(SYS_rt_sigaction, SIGUSR1, NULL, NULL, 4));
	calls = 0;
	raise(SIGUSR1);
	printf("raise: calls %d signal %d code %d mine %d\n", calls, last_signal, last_code,
	       last_pid == getpid());
	kill(getpid(), SIGUSR1);
	printf("kill: calls %d code %d mine %d\n", calls, last_code, last_pid == getpid());
	act(SIGUSR1, SA_RESETHAND);
	raise(SIGUSR1);
	CHECK(!sigaction(SIGUSR1, NULL, &old));
	printf("one shot: %d\n", old.sa_handler == SIG_DFL);
	signal(SIGUSR1, SIG_IGN);
	calls = 0;
	raise(SIGUSR1);
	printf("ignored: calls %d\n", calls);
	SHOW(kill(getpid(), 0));
	SHOW(kill(getpid(), 65));
	SHOW(syscall(SYS_tgkill, getpid(), getpid(), 0));
	SHOW(syscall(SYS_tgkill, 0, getpid(), SIGUSR1));
	SHOW(syscall(SYS_tkill, -1, SIGUSR1));
}

static void masks(void)
{
	sigset_t set, old;

	printf("--- masks\n");
	act(SIGUSR1, 0);
	act(SIGUSR2, 0);
	calls = 0;
	block(SIG_BLOCK, SIGUSR1);
	raise(SIGUSR1);
	raise(SIGUSR1);
	sigpending(&set);
	printf("blocked: calls %d pending %d %d\n", calls, sigismember(&set, SIGUSR1),
	       sigismember(&set, SIGUSR2));
	block(SIG_UNBLOCK, SIGUSR1);
	printf("unblocked: calls %d\n", calls);
	sigpending(&set);
	printf("pending %d\n", sigismember(&set, SIGUSR1));

	sigfillset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
	sigprocmask(SIG_SETMASK, NULL, &old);
	printf("SIGKILL blocked: %d, SIGSTOP: %d, SIGSEGV: %d\n", sigismember(&old, SIGKILL),
	       sigismember(&old, SIGSTOP), sigismember(&old, SIGSEGV));
	kill(getpid(), SIGUSR2);
	kill(getpid(), SIGUSR1);
	n_order = 0;
	sigemptyset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
	printf("order after unblocking: %d %d\n", order[0], order[1]);
	SHOW(sigprocmask(77, &set, NULL));
}

static void during(int signo, siginfo_t *si, void *context)
{
	sigset_t now;

	sigprocmask(SIG_SETMASK, NULL, &now);
	printf("in the handler: itself %d, mask %d, others %d\n", sigismember(&now, signo),
	       sigismember(&now, SIGUSR2), sigismember(&now, SIGHUP));
}

static void handler_masks(void)
{
	struct sigaction action = {.sa_sigaction = during, .sa_flags = SA_SIGINFO};
	sigset_t now;

	printf("--- masks of handlers\n");
	sigaddset(&action.sa_mask, SIGUSR2);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	action.sa_flags |= SA_NODEFER;
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	sigprocmask(SIG_SETMASK, NULL, &now);
	printf("afterwards: %d %d\n", sigismember(&now, SIGUSR1), sigismember(&now, SIGUSR2));
}

static void realtime(void)
{
	union sigval value;

	printf("--- queued signals\n");
	act(SIGRTMIN + 1, 0);
	act(SIGRTMIN, 0);
	block(SIG_BLOCK, SIGRTMIN);
	block(SIG_BLOCK, SIGRTMIN + 1);
	n_order = calls = 0;
	for (int i = 0; i < 5; i++) {
		value.sival_int = 100 + i;
		CHECK(!sigqueue(getpid(), SIGRTMIN + 1, value));
		CHECK(!sigqueue(getpid(), SIGRTMIN, value));
	}
	block(SIG_UNBLOCK, SIGRTMIN + 1);
	printf("calls %d last value %d code %d\n", calls, last_value, last_code);
	block(SIG_UNBLOCK, SIGRTMIN);
	printf("calls %d last value %d\n", calls, last_value);
	calls = 0;
	block(SIG_BLOCK, SIGRTMIN);
	for (int i = 0; i < 200; i++) {
		value.sival_int = i;
		CHECK(!sigqueue(getpid(), SIGRTMIN, value));
	}
	block(SIG_UNBLOCK, SIGRTMIN);
	printf("many: calls %d last value %d\n", calls, last_value);
}

/* The last signal, with which an emulator may be tempted to do something of its own. */
static void last(void)
{
	union sigval value;
	siginfo_t info;
	sigset_t set;

	printf("--- SIGRTMAX\n");
	act(SIGRTMAX, 0);
	calls = 0;
	CHECK(!kill(getpid(), SIGRTMAX));
	printf("calls %d code %d\n", calls, last_code);
	block(SIG_BLOCK, SIGRTMAX);
	for (int i = 0; i < 3; i++) {
		value.sival_int = i;
		CHECK(!sigqueue(getpid(), SIGRTMAX, value));
	}
	CHECK(!sigpending(&set));
	printf("calls %d pending %d\n", calls, sigismember(&set, SIGRTMAX));
	sigemptyset(&set);
	sigaddset(&set, SIGRTMAX);
	CHECK(sigwaitinfo(&set, &info) == SIGRTMAX);
	printf("code %d value %d\n", info.si_code, info.si_value.sival_int);
	block(SIG_UNBLOCK, SIGRTMAX);
	printf("calls %d last value %d\n", calls, last_value);
	signal(SIGRTMAX, SIG_IGN);
	CHECK(!kill(getpid(), SIGRTMAX));
	signal(SIGRTMAX, SIG_DFL);
}

static void waiting(void)
{
	struct timespec zero = {0}, some = {.tv_nsec = 20000000};
	siginfo_t info;
	union sigval value = {.sival_int = 42};
	sigset_t set;

	printf("--- waiting for signals\n");
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	SHOW(sigtimedwait(&set, &info, &zero));
	SHOW(sigtimedwait(&set, &info, &some));
	raise(SIGUSR1);
	sigqueue(getpid(), SIGRTMIN, value);
	printf("got %d", sigwaitinfo(&set, &info));
	printf(" code %d\n", info.si_code);
	printf("got rt %d", sigwaitinfo(&set, &info) == SIGRTMIN);
	printf(" code %d value %d\n", info.si_code, info.si_value.sival_int);
	SHOW(sigtimedwait(&set, &info, &zero));
	if (!fork()) {
		usleep(20000);
		kill(getppid(), SIGUSR1);
		_exit(0);
	}
	printf("from a child: %d\n", sigtimedwait(&set, &info, NULL));
	wait(NULL);
	act(SIGUSR2, 0);
	if (!fork()) {
		usleep(20000);
		kill(getppid(), SIGUSR2);
		_exit(0);
	}
	SHOW(sigtimedwait(&set, &info, NULL)); /* another signal: EINTR */
	wait(NULL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void stacks(void)
{
	static char memory[65536];
	stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)}, old;

	printf("--- alternate stacks\n");
	SHOW(sigaltstack(NULL, &old));
	printf("flags %d\n", old.ss_flags);
	SHOW(sigaltstack(&stack, NULL));
	act(SIGUSR1, SA_ONSTACK);
	raise(SIGUSR1);
	printf("on the stack: %d\n", on_stack);
	act(SIGUSR1, 0);
	raise(SIGUSR1);
	printf("not on the stack: %d\n", on_stack);
	stack.ss_size = 100;
	SHOW(sigaltstack(&stack, NULL));
	stack.ss_flags = 77;
	SHOW(sigaltstack(&stack, NULL));
	stack.ss_flags = SS_DISABLE;
	SHOW(sigaltstack(&stack, &old));
	printf("old size %zu flags %d\n", old.ss_size, old.ss_flags);
	SHOW(sigaltstack(NULL, &old));
	printf("flags %d\n", old.ss_flags);
}

static void alarm_in(long ms)
{
	struct itimerval timer = {.it_value = {.tv_usec = ms * 1000}};

	setitimer(ITIMER_REAL, &timer, NULL);
}

static int pipe_fd[2];

static void *writer(void)
{
	if (!fork()) {
		usleep(60000);
		if (write(pipe_fd[1], "x", 1) != 1)
			_exit(1);
		_exit(0);
	}
	return NULL;
}

static void interrupted(void)
{
	struct pollfd p;
	struct timespec time = {.tv_nsec = 50000000}, long_time = {.tv_sec = 2}, rest;
	char c = 0;
	sigset_t set;

	printf("--- interrupted calls\n");
	CHECK(!pipe(pipe_fd));
	p = (struct pollfd){.fd = pipe_fd[0], .events = POLLIN};
	act(SIGALRM, 0);
	alarm_in(20);
	SHOW(read(pipe_fd[0], &c, 1));
	act(SIGALRM, SA_RESTART);
	writer();
	calls = 0;
	alarm_in(20);
	SHOW(read(pipe_fd[0], &c, 1));
	printf("calls %d c %c\n", calls, c);
	wait(NULL);
	alarm_in(20);
	SHOW(poll(&p, 1, 1000)); /* never restarted */
	alarm_in(20);
	SHOW(nanosleep(&long_time, &rest));
	printf("rest: %d\n", rest.tv_sec == 1 && rest.tv_nsec < 990000000);
	alarm_in(20);
	SHOW(pause());
	alarm_in(20);
	sigemptyset(&set);
	SHOW(sigsuspend(&set));
	alarm_in(20);
	SHOW(select(0, NULL, NULL, NULL, &(struct timeval){.tv_sec = 1}));
	/* A signal that is ignored ends nothing. */
	signal(SIGALRM, SIG_IGN);
	alarm_in(10);
	SHOW(nanosleep(&time, NULL));
	alarm_in(10);
	SHOW(poll(&p, 1, 30));
	/* Neither does one that stops and continues, but for those that cannot be restarted. */
	if (!fork()) {
		usleep(10000);
		kill(getppid(), SIGCONT);
		_exit(0);
	}
	SHOW(nanosleep(&time, NULL));
	wait(NULL);
	close(pipe_fd[0]);
	close(pipe_fd[1]);
}

/* A blocked signal that is let through by the mask of the call alone. */
static void atomic_masks(void)
{
	struct timespec second = {.tv_sec = 1};
	sigset_t empty, now;

	printf("--- masks of calls\n");
	act(SIGUSR1, 0);
	block(SIG_BLOCK, SIGUSR1);
	sigemptyset(&empty);
	calls = 0;
	raise(SIGUSR1);
	SHOW(ppoll(NULL, 0, &second, &empty));
	sigprocmask(SIG_SETMASK, NULL, &now);
	printf("calls %d still blocked %d\n", calls, sigismember(&now, SIGUSR1));
	raise(SIGUSR1);
	SHOW(pselect(0, NULL, NULL, NULL, &second, &empty));
	raise(SIGUSR1);
	SHOW(sigsuspend(&empty));
	sigprocmask(SIG_SETMASK, NULL, &now);
	printf("calls %d still blocked %d\n", calls, sigismember(&now, SIGUSR1));
	block(SIG_UNBLOCK, SIGUSR1);
}

static sigjmp_buf jump;

static void leave(int signo)
{
	siglongjmp(jump, signo);
}

static void jumping(void)
{
	volatile int n = 0;

	printf("--- leaving handlers by siglongjmp\n");
	signal(SIGUSR1, leave);
	while (n < 1000) {
		if (!sigsetjmp(jump, 1))
			raise(SIGUSR1);
		n++;
	}
	printf("%d\n", n);
}

/* Status as the parent sees it. */
static void status_of(const char *name, void (*function)(void))
{
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		const struct rlimit none = {0};

		setrlimit(RLIMIT_CORE, &none);
		function();
		_exit(9);
	}
	CHECK(waitpid(child, &status, 0) == child);
	printf("%s: exited %d status %d signalled %d signal %d\n", name, WIFEXITED(status),
	       WIFEXITED(status) ? WEXITSTATUS(status) : -1, WIFSIGNALED(status),
	       WIFSIGNALED(status) ? WTERMSIG(status) : -1);
}

static void by_kill(void)
{
	kill(getpid(), SIGKILL);
}

static void by_term(void)
{
	raise(SIGTERM);
}

static void by_abort(void)
{
	abort();
}

static void by_segv(void)
{
	*(volatile int *)8 = 1;
}

static void by_sent_segv(void)
{
	kill(getpid(), SIGSEGV);
}

static void by_realtime(void)
{
	raise(SIGRTMIN + 3);
}

static void by_last(void)
{
	kill(getpid(), SIGRTMAX);
}

static void by_pipe(void)
{
	CHECK(!pipe(pipe_fd));
	close(pipe_fd[0]);
	CHECK(write(pipe_fd[1], "x", 1) == 1);
}

static void by_alarm(void)
{
	alarm_in(10);
	for (;;)
		;
}

/* SIGSEGV blocked: a fault kills all the same. */
static void by_blocked(void)
{
	act(SIGSEGV, 0);
	block(SIG_BLOCK, SIGSEGV);
	*(volatile int *)8 = 1;
}

static void by_ignored(void)
{
	signal(SIGSEGV, SIG_IGN);
	kill(getpid(), SIGSEGV);
	*(volatile int *)8 = 1;
}

static void by_stack(void)
{
	act(SIGSEGV, 0);
	raise(SIGSEGV);
	/* No stack for the handler. */
#if defined(__powerpc64__)
	asm volatile("li 1,64\n\tld 3,0(1)");
#else
	asm volatile("mov $64,%rsp\n\tpush %rax");
#endif
}

static void deaths(void)
{
	printf("--- deaths\n");
	signal(SIGALRM, SIG_DFL);
	signal(SIGUSR1, SIG_DFL);
	status_of("SIGKILL", by_kill);
	status_of("SIGTERM", by_term);
	status_of("abort", by_abort);
	status_of("SIGSEGV", by_segv);
	status_of("SIGSEGV by kill", by_sent_segv);
	status_of("SIGRTMIN+3", by_realtime);
	status_of("SIGRTMAX", by_last);
	status_of("SIGPIPE", by_pipe);
	status_of("SIGALRM in a loop", by_alarm);
	status_of("fault with SIGSEGV blocked", by_blocked);
	status_of("fault with SIGSEGV ignored", by_ignored);
	status_of("fault without a stack", by_stack);
}

static void stopping(void)
{
	int status;
	pid_t child;

	printf("--- stop and continue\n");
	child = fork();
	if (!child) {
		setpgid(0, 0); /* an orphaned group would not be stopped by SIGTSTP */
		raise(SIGSTOP);
		raise(SIGTSTP);
		_exit(5);
	}
	CHECK(waitpid(child, &status, WUNTRACED) == child);
	printf("stopped %d by %d\n", WIFSTOPPED(status), WSTOPSIG(status) == SIGSTOP);
	kill(child, SIGCONT);
	CHECK(waitpid(child, &status, WCONTINUED) == child);
	printf("continued %d\n", WIFCONTINUED(status));
	CHECK(waitpid(child, &status, WUNTRACED) == child);
	printf("stopped %d by %d\n", WIFSTOPPED(status), WSTOPSIG(status) == SIGTSTP);
	kill(child, SIGCONT);
	CHECK(waitpid(child, &status, 0) == child);
	printf("exit %d\n", WEXITSTATUS(status));

	act(SIGCHLD, SA_RESTART);
	calls = 0;
	child = fork();
	if (!child)
		_exit(6);
	CHECK(waitpid(child, &status, 0) == child);
	printf("SIGCHLD: calls %d code %d pid %d status %d\n", calls, last_code, last_pid == child,
	       WEXITSTATUS(status));
	act(SIGCHLD, SA_RESTART | SA_NOCLDWAIT);
	child = fork();
	if (!child)
		_exit(6);
	SHOW(waitpid(child, &status, 0));
	signal(SIGCHLD, SIG_DFL);
}

/* A storm: none may be lost, none may break a computation. */
static volatile long ticks;

static void tick(int signo)
{
	volatile double d = 1.5;

	ticks++;
	d = d * ticks;
}

static void storm(void)
{
	struct itimerval timer = {.it_value = {.tv_usec = 500}, .it_interval = {.tv_usec = 500}};
	double sum = 0;
	long n = 0;

	printf("--- storm\n");
	signal(SIGALRM, tick);
	setitimer(ITIMER_REAL, &timer, NULL);
	while (ticks < 200) {
		sum = 0;
		for (int i = 1; i <= 1000; i++)
			sum += 1.0 / i;
		n += sum > 7.48547 && sum < 7.48548;
		n -= 1;
	}
	timer = (struct itimerval){0};
	setitimer(ITIMER_REAL, &timer, NULL);
	printf("wrong sums: %ld\n", -n);
}

/*
 * Ping-pong with a child by signals alone: one that arrives just before the call that waits for it
 * must end that call.
 */
static void nothing(int signo)
{
}

static void ping_pong(void)
{
	enum { ROUNDS = 3000 };
	sigset_t usr1, open;
	pid_t parent = getpid(), child;

	printf("--- ping-pong\n");
	signal(SIGUSR1, nothing);
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, &open);
	sigdelset(&open, SIGUSR1);
	alarm(30); /* if one is lost */
	signal(SIGALRM, SIG_DFL);
	child = fork();
	for (int i = 0; i < ROUNDS; i++) {
		if (!child) {
			sigsuspend(&open);
			kill(parent, SIGUSR1);
		} else {
			kill(child, SIGUSR1);
			if (i & 1)
				sigsuspend(&open);
			else
				ppoll(NULL, 0, NULL, &open);
		}
	}
	if (!child)
		_exit(0);
	alarm(0);
	wait(NULL);
	sigprocmask(SIG_UNBLOCK, &usr1, NULL);
	printf("%d rounds\n", ROUNDS);
}

int main(void)
{
	fresh_directory();
	actions();
	masks();
	handler_masks();
	realtime();
	last();
	waiting();
	stacks();
	interrupted();
	atomic_masks();
	jumping();
	deaths();
	stopping();
	storm();
	ping_pong();
	return 0;
}
