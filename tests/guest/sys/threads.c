// SPDX-License-Identifier: MIT
/*
 * Calls that name a thread by its number, and what belongs to one thread of several. Numbers of
 * threads are powertm's own, so none of these may reach the host as it is.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static volatile int caught, caught_by, stop;

static pid_t tid(void)
{
	return (pid_t)syscall(SYS_gettid);
}

static void on_signal(int signo, siginfo_t *info, void *context)
{
	(void)signo;
	(void)info;
	(void)context;
	caught_by = tid();
	__atomic_fetch_add(&caught, 1, __ATOMIC_SEQ_CST);
}

static void wait_for(volatile int *word, int value)
{
	for (int i = 0; i < 60000 && *word < value; i++)
		usleep(1000);
	CHECK(*word >= value);
}

/* A thread that waits, or burns CPU time, until told to end. */
struct thread {
	pthread_t thread;
	volatile int tid;
	volatile int end;
	int burns;
};

static void *body(void *arg)
{
	struct thread *t = arg;

	t->tid = tid();
	while (!t->end)
		if (!t->burns)
			usleep(2000);
	return NULL;
}

static void start(struct thread *t, int burns)
{
	*t = (struct thread){.burns = burns};
	CHECK(!pthread_create(&t->thread, NULL, body, t));
	wait_for(&t->tid, 1);
}

static void finish(struct thread *t)
{
	t->end = 1;
	CHECK(!pthread_join(t->thread, NULL));
}

/* --- numbers --------------------------------------------------------------------------------- */

static void identity(void)
{
	struct thread t;

	CHECK(tid() == getpid());
	start(&t, 0);
	CHECK(t.tid > 0 && t.tid != getpid());
	SHOW(syscall(SYS_tgkill, getpid(), t.tid, 0));
	SHOW(syscall(SYS_tkill, t.tid, 0));
	SHOW(syscall(SYS_tgkill, getpid() + 1, t.tid, 0));
	SHOW(syscall(SYS_tgkill, getpid(), 0x3fffffff, 0));
	SHOW(getpgid(t.tid) == getpgrp());
	SHOW(getsid(t.tid) == getsid(0));
	finish(&t);
	for (int i = 0; i < 1000 && !syscall(SYS_tgkill, getpid(), t.tid, 0); i++)
		usleep(1000);
	SHOW(syscall(SYS_tgkill, getpid(), t.tid, 0));
	SHOW(sched_getscheduler(t.tid));
	SHOW(getpriority(PRIO_PROCESS, (id_t)t.tid));
}

/* --- priorities ------------------------------------------------------------------------------ */

static void priorities(void)
{
	struct sched_param param = {0};
	struct timespec interval;
	struct thread t;
	int policy;

	start(&t, 0);
	SHOW(sched_getscheduler(t.tid));
	SHOW(sched_getparam(t.tid, &param));
	SHOW(param.sched_priority);
	SHOW(pthread_getschedparam(t.thread, &policy, &param));
	SHOW(policy);
	SHOW(sched_rr_get_interval(t.tid, &interval));
	SHOW(sched_setscheduler(t.tid, SCHED_BATCH, &param));
	SHOW(sched_getscheduler(t.tid));
	SHOW(sched_getscheduler(0));
	SHOW(sched_setscheduler(t.tid, SCHED_IDLE, &param));
	SHOW(sched_getscheduler(t.tid));
	SHOW(sched_setscheduler(t.tid, SCHED_OTHER, &param));
	param.sched_priority = 3;
	SHOW(sched_setscheduler(t.tid, SCHED_OTHER, &param));
	SHOW(sched_setparam(t.tid, &param));
	param.sched_priority = 0;
	SHOW(sched_setparam(t.tid, &param));
	SHOW(sched_setscheduler(t.tid, SCHED_RR, &param));
	SHOW(sched_setscheduler(t.tid, 77, &param));
	SHOW(sched_setscheduler(-1, SCHED_OTHER, &param));
	SHOW(sched_getscheduler(-1));
	SHOW(setpriority(PRIO_PROCESS, (id_t)t.tid, 5));
	SHOW(getpriority(PRIO_PROCESS, (id_t)t.tid));
	SHOW(getpriority(PRIO_PROCESS, 0));
	SHOW(getpriority(PRIO_PROCESS, (id_t)getpid()));
	SHOW(setpriority(PRIO_PROCESS, (id_t)t.tid, 100));
	SHOW(getpriority(PRIO_PROCESS, (id_t)t.tid));
	finish(&t);
	SHOW(setpriority(PRIO_PROCESS, 0, 3));
	start(&t, 0);
	SHOW(getpriority(PRIO_PROCESS, (id_t)t.tid)); /* inherited */
	finish(&t);
	SHOW(nice(1));
}

static void affinity(void)
{
	cpu_set_t set, old;
	struct thread t;

	start(&t, 0);
	CHECK(!pthread_getaffinity_np(t.thread, sizeof(old), &old));
	CHECK(CPU_COUNT(&old) >= 1);
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	SHOW(pthread_setaffinity_np(t.thread, sizeof(set), &set));
	CHECK(!pthread_getaffinity_np(t.thread, sizeof(set), &set));
	CHECK(CPU_COUNT(&set) == 1 && CPU_ISSET(0, &set));
	CHECK(!sched_getaffinity(0, sizeof(set), &set) && CPU_EQUAL(&set, &old));
	finish(&t);
}

/* --- signals and timers ---------------------------------------------------------------------- */

static void timers(void)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 3};
	struct itimerspec soon = {.it_value.tv_nsec = 5000000, .it_interval.tv_nsec = 5000000};
	struct thread a, b;
	timer_t timer;

	sigaction(SIGRTMIN + 3, &action, NULL);
	sigaction(SIGUSR1, &action, NULL);
	start(&a, 0);
	start(&b, 1);
	for (int i = 0; i < 2; i++) {
		struct thread *t = i ? &b : &a;

		caught = caught_by = 0;
		event._sigev_un._tid = t->tid;
		SHOW(timer_create(CLOCK_MONOTONIC, &event, &timer));
		SHOW(timer_settime(timer, 0, &soon, NULL));
		wait_for(&caught, 3);
		CHECK(caught_by == t->tid);
		SHOW(timer_delete(timer));
		caught = caught_by = 0;
		SHOW(syscall(SYS_tgkill, getpid(), t->tid, SIGUSR1));
		wait_for(&caught, 1);
		CHECK(caught_by == t->tid);
	}
	event._sigev_un._tid = 0x3ffffff0;
	SHOW(timer_create(CLOCK_MONOTONIC, &event, &timer));
	event._sigev_un._tid = getppid();
	SHOW(timer_create(CLOCK_MONOTONIC, &event, &timer));
	event = (struct sigevent){.sigev_notify = SIGEV_NONE};
	SHOW(timer_create(CLOCK_MONOTONIC, &event, &timer));
	SHOW(timer_delete(timer));
	finish(&a);
	finish(&b);
}

/* Waiting for signals: those of this thread, those of the process, and none. */
static volatile int received;

static void *waiter(void *arg)
{
	struct timespec little = {.tv_nsec = 3000000};
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGRTMIN + 5);
	SHOW(sigtimedwait(&set, &info, &little));
	*(volatile int *)arg = tid();
	for (int i = 0; i < 20; i++) {
		int signo = sigwaitinfo(&set, &info);

		CHECK(signo == (i % 2 ? SIGUSR2 : SIGRTMIN + 5));
		CHECK(info.si_code == (i % 4 ? SI_USER : SI_QUEUE));
		CHECK(signo == SIGUSR2 || i % 4 || info.si_value.sival_int == i);
		received = i + 1;
	}
	return NULL;
}

static void waiting(void)
{
	volatile int waiter_tid = 0;
	struct thread busy;
	pthread_t thread;
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGRTMIN + 5);
	CHECK(!pthread_sigmask(SIG_BLOCK, &set, &old));
	start(&busy, 1);
	CHECK(!pthread_create(&thread, NULL, waiter, (void *)&waiter_tid));
	wait_for(&waiter_tid, 1);
	for (int i = 0; i < 20; i++) {
		if (i % 2)
			CHECK(!kill(getpid(), SIGUSR2));
		else if (i % 4)
			CHECK(!syscall(SYS_tgkill, getpid(), waiter_tid, SIGRTMIN + 5));
		else
			CHECK(!sigqueue(getpid(), SIGRTMIN + 5, (union sigval){.sival_int = i}));
		wait_for(&received, i + 1);
	}
	CHECK(!pthread_join(thread, NULL));
	finish(&busy);
	CHECK(!pthread_sigmask(SIG_SETMASK, &old, NULL));
}

/*
 * An ignored signal that is blocked is kept: sig_ignored() in kernel/signal.c. Signals 32 and 33
 * are ignored from the start below a parent that uses posix_spawn() of glibc, as make does.
 */
static void ignored(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL};
	struct itimerspec soon = {.it_value.tv_nsec = 2000000};
	struct sigaction action;
	struct thread busy;
	timer_t timer;
	sigset_t set, old;
	int status;
	pid_t child;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGRTMIN + 6);
	signal(SIGUSR2, SIG_IGN);
	signal(SIGRTMIN + 6, SIG_IGN);
	SHOW(kill(getpid(), SIGUSR2));
	CHECK(!pthread_sigmask(SIG_BLOCK, &set, &old));
	start(&busy, 1); /* it blocks them, too */
	SHOW(sigtimedwait(&set, NULL, &(struct timespec){.tv_nsec = 1000000}));
	event.sigev_signo = SIGRTMIN + 6;
	SHOW(timer_create(CLOCK_MONOTONIC, &event, &timer));
	SHOW(timer_settime(timer, 0, &soon, NULL));
	SHOW(sigtimedwait(&set, NULL, &(struct timespec){.tv_sec = 60}) == SIGRTMIN + 6);
	SHOW(timer_delete(timer));
	child = fork();
	if (!child)
		_exit(kill(getppid(), SIGUSR2));
	SHOW(sigtimedwait(&set, NULL, &(struct timespec){.tv_sec = 60}) == SIGUSR2);
	CHECK(waitpid(child, &status, 0) == child && !status);
	SHOW(kill(getpid(), SIGUSR2));
	finish(&busy);
	CHECK(!pthread_sigmask(SIG_SETMASK, &old, NULL)); /* does nothing now */
	start(&busy, 1);
	fflush(stdout);
	child = fork();
	if (!child) {
		execl("/bin/grep", "grep", "^SigIgn", "/proc/self/status", NULL);
		_exit(1);
	}
	CHECK(waitpid(child, &status, 0) == child && !status);
	sigaction(SIGUSR2, NULL, &action);
	SHOW(action.sa_handler == SIG_IGN);
	signal(SIGUSR2, SIG_DFL);
	signal(SIGRTMIN + 6, SIG_DFL);
	finish(&busy);
}

/* SIGRTMAX from outside and by a timer, to a process whose threads work and sleep. */
static void last_signal(void)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMAX};
	struct itimerspec soon = {.it_value.tv_nsec = 2000000};
	struct thread busy, idle;
	timer_t timer;
	pid_t child;
	int status;

	sigaction(SIGRTMAX, &action, NULL);
	caught = 0;
	start(&idle, 0);
	for (int i = 1; i <= 10; i++) {
		if (i == 6)
			start(&busy, 1);
		child = fork();
		if (!child)
			_exit(kill(getppid(), SIGRTMAX));
		wait_for(&caught, i);
		CHECK(waitpid(child, &status, 0) == child && !status);
	}
	SHOW(timer_create(CLOCK_MONOTONIC, &event, &timer));
	SHOW(timer_settime(timer, 0, &soon, NULL));
	wait_for(&caught, 11);
	SHOW(timer_delete(timer));
	SHOW(kill(getpid(), SIGRTMAX));
	wait_for(&caught, 12);
	SHOW(caught);
	finish(&idle);
	finish(&busy);
	signal(SIGRTMAX, SIG_DFL);
}

/* A thread as the owner of a pipe. Its signal may be another thread's under powertm. */
static void owners(void)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
	struct thread t;
	int fd[2];

	sigaction(SIGRTMIN + 7, &action, NULL);
	start(&t, 0);
	CHECK(!pipe(fd));
	SHOW(fcntl(fd[0], F_SETSIG, SIGRTMIN + 7));
	SHOW(fcntl(fd[0], F_SETFL, O_ASYNC | O_NONBLOCK));
	for (int i = 0; i < 2; i++) {
		struct f_owner_ex owner = {F_OWNER_TID, i ? tid() : t.tid};

		caught = 0;
		SHOW(fcntl(fd[0], F_SETOWN_EX, &owner));
		CHECK(write(fd[1], "x", 1) == 1);
		wait_for(&caught, 1);
	}
	SHOW(fcntl(fd[0], F_SETOWN_EX, &(struct f_owner_ex){F_OWNER_TID, 0x3ffffff0}));
	close(fd[0]);
	close(fd[1]);
	finish(&t);
}

/* Signals that come with the error of a call are for the thread that made it. */
static void *write_to_nobody(void *arg)
{
	int *fd = arg;

	SHOW(write(fd[1], "x", 1));
	CHECK(!caught || caught_by == tid());
	return NULL;
}

static void in_a_thread(void *(*body)(void *), void *arg)
{
	pthread_t thread;

	caught = caught_by = 0;
	CHECK(!pthread_create(&thread, NULL, body, arg));
	CHECK(!pthread_join(thread, NULL));
	SHOW(caught);
}

static void *write_too_much(void *arg)
{
	(void)arg;
	SHOW(pwrite(300, "x", 1, 100000));
	CHECK(!caught || caught_by == tid());
	return NULL;
}

static void broken_pipes(void)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
	struct rlimit limit, old;
	struct thread busy;
	int fd[2], status;
	sigset_t set;
	pid_t child;

	start(&busy, 1);
	CHECK(!pipe(fd));
	close(fd[0]);
	sigaction(SIGPIPE, &action, NULL);
	sigaction(SIGXFSZ, &action, NULL);
	in_a_thread(write_to_nobody, fd);
	signal(SIGPIPE, SIG_IGN);
	in_a_thread(write_to_nobody, fd);
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	CHECK(!pthread_sigmask(SIG_BLOCK, &set, NULL));
	write_to_nobody(fd);
	SHOW(sigtimedwait(&set, NULL, &(struct timespec){0}));
	SHOW(sigtimedwait(&set, NULL, &(struct timespec){0}));
	CHECK(!pthread_sigmask(SIG_UNBLOCK, &set, NULL));
	fflush(stdout);
	child = fork();
	if (!child) {
		start(&busy, 1);
		write(fd[1], "x", 1);
		_exit(1);
	}
	CHECK(waitpid(child, &status, 0) == child);
	SHOW(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
	CHECK(!getrlimit(RLIMIT_FSIZE, &old));
	limit = old;
	limit.rlim_cur = 5000;
	CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
	CHECK(dup2(open("too-big", O_CREAT | O_WRONLY, 0600), 300) == 300);
	in_a_thread(write_too_much, NULL);
	CHECK(!setrlimit(RLIMIT_FSIZE, &old));
	signal(SIGXFSZ, SIG_DFL);
	close(300);
	close(fd[1]);
	finish(&busy);
}

static void on_thread_event(union sigval value)
{
	CHECK(value.sival_int == 9);
	stop = 1;
}

static void thread_event(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_value.sival_int = 9};
	struct itimerspec soon = {.it_value.tv_nsec = 3000000};
	timer_t timer;

	event._sigev_un._sigev_thread._function = on_thread_event;
	stop = 0;
	SHOW(timer_create(CLOCK_REALTIME, &event, &timer));
	SHOW(timer_settime(timer, 0, &soon, NULL));
	wait_for(&stop, 1);
	SHOW(timer_delete(timer));
}

/* --- clocks ---------------------------------------------------------------------------------- */

static long long cpu_ns(clockid_t clock)
{
	struct timespec t = {0};

	CHECK(!clock_gettime(clock, &t));
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void burn(long long ns)
{
	long long end = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

static void cpu_clocks(void)
{
	struct thread idle, busy;
	clockid_t idle_clock, busy_clock;
	long long mine, idle_ns, busy_ns, process;
	struct rusage usage;

	start(&idle, 0);
	start(&busy, 1);
	CHECK(!pthread_getcpuclockid(idle.thread, &idle_clock));
	CHECK(!pthread_getcpuclockid(busy.thread, &busy_clock));
	mine = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
	idle_ns = cpu_ns(idle_clock);
	busy_ns = cpu_ns(busy_clock);
	process = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
	for (int i = 0; i < 200 && cpu_ns(busy_clock) < busy_ns + 100000000; i++)
		usleep(10000);
	busy_ns = cpu_ns(busy_clock) - busy_ns;
	mine = cpu_ns(CLOCK_THREAD_CPUTIME_ID) - mine;
	idle_ns = cpu_ns(idle_clock) - idle_ns;
	process = cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - process;
	CHECK(busy_ns >= 100000000);
	CHECK(mine < busy_ns / 2);
	CHECK(idle_ns < busy_ns / 2);
	CHECK(process >= busy_ns / 2);
	finish(&busy);
	burn(20000000);
	CHECK(!getrusage(RUSAGE_THREAD, &usage));
	SHOW(clock_gettime((clockid_t)(~0x3ffffffu << 3 | 6), &(struct timespec){0}));
	finish(&idle);
}

/* --- /proc ----------------------------------------------------------------------------------- */

static int count_tasks(void)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	int n = 0;

	while (dir && (entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return dir ? n : -1;
}

static void show_comm(const char *path)
{
	char text[32] = "";
	int fd = open(path, O_RDONLY);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		printf("FAIL %s\n", strerrorname_np(errno));
	close(fd);
	printf("%s", text);
}

static void proc(void)
{
	struct thread a, b;
	char path[64], name[16];

	SHOW(count_tasks());
	start(&a, 0);
	start(&b, 0);
	SHOW(count_tasks());
	SHOW(pthread_setname_np(a.thread, "thread-a"));
	SHOW(pthread_getname_np(a.thread, name, sizeof(name)));
	puts(name);
	snprintf(path, sizeof(path), "/proc/self/task/%d/comm", a.tid);
	show_comm(path);
	snprintf(path, sizeof(path), "/proc/self/task/%d/comm", 0x3fffff0);
	SHOW(open(path, O_RDONLY));
	finish(&a);
	finish(&b);
}

/* --- credentials ----------------------------------------------------------------------------- */

static void *report_umask(void *arg)
{
	umask(022);
	return (void *)(long)umask(027);
}

static void credentials(void)
{
	pthread_t thread;
	void *result;

	umask(077);
	pthread_create(&thread, NULL, report_umask, NULL);
	pthread_join(thread, &result);
	SHOW((long)result);
	SHOW(umask(022));
	SHOW(setresuid(-1, -1, -1));
	SHOW(setresgid(-1, getegid(), -1));
}

static const struct {
	const char *name;
	void (*run)(void);
} parts[] = {
	{"identity", identity},	      {"priorities", priorities}, {"affinity", affinity},
	{"timers", timers},	      {"waiting", waiting},	  {"ignored", ignored},
	{"last", last_signal},	      {"owners", owners},	  {"pipes", broken_pipes},
	{"event", thread_event},      {"clocks", cpu_clocks},	  {"proc", proc},
	{"credentials", credentials},
};

int main(int argc, char **argv)
{
	alarm(110);
	fresh_directory();
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (argc > 1 && strcmp(argv[1], parts[i].name))
			continue;
		printf("-- %s\n", parts[i].name);
		parts[i].run();
	}
	return 0;
}
