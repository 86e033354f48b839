// SPDX-License-Identifier: MIT
/*
 * Processes with many threads: how they end, are stopped, fork and execute; mutexes whose owner
 * ends.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

extern char **environ;

static pid_t tid(void)
{
	return (pid_t)syscall(SYS_gettid);
}

static void wait_for(volatile int *word, int value)
{
	for (int i = 0; i < 5000 && *word < value; i++)
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

/* --- processes from threads ------------------------------------------------------------------ */

static void *spawner(void *arg)
{
	for (int i = 0; i < 10; i++) {
		char *missing[] = {"/nonexistent", NULL};
		int status = 0;
		pid_t pid;

		CHECK(posix_spawn(&pid, "/bin/nonexistent", NULL, NULL, missing, environ) ==
		      ENOENT);
		pid = i % 2 ? fork() : vfork();
		if (!pid)
			_exit(i);
		CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == i);
	}
	return arg;
}

static void spawning(void)
{
	pthread_t threads[4];
	struct thread busy;

	start(&busy, 1);
	for (int i = 0; i < 4; i++)
		CHECK(!pthread_create(&threads[i], NULL, spawner, NULL));
	for (int i = 0; i < 4; i++)
		CHECK(!pthread_join(threads[i], NULL));
	finish(&busy);
}

static void *executor(void *arg)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", getpid());
	execl("/proc/self/exe", "ends", "executed", number, (char *)NULL);
	printf("FAIL exec\n");
	return arg;
}

/* exec from a thread that is not the first: the process keeps its number, the others go. */
static void exec_from_thread(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		pthread_t thread;
		struct thread busy, idle;

		start(&busy, 1);
		start(&idle, 0);
		pthread_create(&thread, NULL, executor, NULL);
		pause();
		_exit(9);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	SHOW(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
}

static void *exit_all(void *arg)
{
	usleep(5000);
	_exit((int)(long)arg);
}

static void *leave(void *arg)
{
	usleep(20000);
	exit(6);
}

static void ends(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGKILL, SIGSEGV, SIGABRT};
	int status;
	pid_t pid;

	/* exit_group by any thread. */
	pid = fork();
	if (!pid) {
		struct thread t[16];
		pthread_t thread;

		for (int i = 0; i < 16; i++)
			start(&t[i], i % 2);
		pthread_create(&thread, NULL, exit_all, (void *)5l);
		pause();
		_exit(9);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	SHOW(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
	/* The first thread ends before the others. */
	pid = fork();
	if (!pid) {
		pthread_t thread;

		pthread_create(&thread, NULL, leave, NULL);
		pthread_exit(NULL);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	SHOW(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
	/* Killed from outside, with a stop in between. */
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		int ready[2];
		char c;

		CHECK(!pipe(ready));
		pid = fork();
		if (!pid) {
			struct thread t[8];

			for (int k = 0; k < 8; k++)
				start(&t[k], k % 2);
			write(ready[1], "r", 1);
			for (;;)
				pause();
		}
		CHECK(read(ready[0], &c, 1) == 1);
		CHECK(!kill(pid, SIGSTOP));
		CHECK(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
		CHECK(!kill(pid, SIGCONT));
		CHECK(waitpid(pid, &status, WCONTINUED) == pid && WIFCONTINUED(status));
		CHECK(!kill(pid, signals[i]));
		CHECK(waitpid(pid, &status, 0) == pid);
		SHOW(WIFSIGNALED(status) ? WTERMSIG(status) : -1);
		close(ready[0]);
		close(ready[1]);
	}
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	CHECK(!sched_setaffinity(0, sizeof(set), &set));
}

static pid_t start_hog(int cpu, int stop_yourself)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	pin(cpu);
	if (stop_yourself)
		raise(SIGSTOP);
	for (;;)
		;
}

/* A stopped process does not keep its CPU, whether another one has stopped it or it has itself. */
static void stopped(void)
{
	cpu_set_t all;
	int status;

	CHECK(!sched_getaffinity(0, sizeof(all), &all));
	for (int i = 0; i < 4; i++) {
		int first = 0, last = CPU_SETSIZE - 1, stop_yourself = i & 1;
		pid_t hog, other;

		while (!CPU_ISSET(first, &all))
			first++;
		while (!CPU_ISSET(last, &all))
			last--;
		pin(first);
		hog = start_hog(last, stop_yourself);
		usleep(10000);
		if (!stop_yourself)
			CHECK(!kill(hog, SIGSTOP));
		CHECK(waitpid(hog, &status, WUNTRACED) == hog && WIFSTOPPED(status));
		other = fork();
		if (!other) {
			pin(last);
			_exit(3);
		}
		CHECK(waitpid(other, &status, 0) == other && WEXITSTATUS(status) == 3);
		CHECK(!kill(hog, SIGCONT));
		CHECK(!kill(hog, SIGKILL));
		CHECK(waitpid(hog, &status, 0) == hog && WIFSIGNALED(status));
	}
	CHECK(!sched_setaffinity(0, sizeof(all), &all));
}

/* --- robust and PI mutexes ------------------------------------------------------------------- */

static pthread_mutex_t mutex;

static void *hold(void *arg)
{
	CHECK(!pthread_mutex_lock(&mutex));
	return arg;
}

static int counter;

static void *contend(void *arg)
{
	for (int i = 0; i < 500; i++) {
		CHECK(!pthread_mutex_lock(&mutex));
		counter++;
		pthread_mutex_unlock(&mutex);
	}
	return arg;
}

static void mutexes(void)
{
	static const int protocols[] = {PTHREAD_PRIO_NONE, PTHREAD_PRIO_INHERIT};

	for (int i = 0; i < 4; i++) {
		int shared = i & 1 ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE;
		pthread_mutexattr_t attributes;
		pthread_t threads[4];
		struct timespec limit;

		pthread_mutexattr_init(&attributes);
		pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
		pthread_mutexattr_setpshared(&attributes, shared);
		SHOW(pthread_mutexattr_setprotocol(&attributes, protocols[i / 2]));
		SHOW(pthread_mutex_init(&mutex, &attributes));
		pthread_create(&threads[0], NULL, hold, NULL);
		pthread_join(threads[0], NULL);
		SHOW(pthread_mutex_lock(&mutex));
		SHOW(pthread_mutex_consistent(&mutex));
		pthread_create(&threads[0], NULL, contend, NULL);
		clock_gettime(CLOCK_REALTIME, &limit);
		usleep(2000);
		SHOW(pthread_mutex_unlock(&mutex));
		pthread_join(threads[0], NULL);
		counter = 0;
		for (int k = 0; k < 4; k++)
			pthread_create(&threads[k], NULL, contend, NULL);
		for (int k = 0; k < 4; k++)
			pthread_join(threads[k], NULL);
		SHOW(counter);
		pthread_mutex_lock(&mutex);
		SHOW(pthread_mutex_unlock(&mutex));
		SHOW(pthread_mutex_destroy(&mutex));
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} parts[] = {
	{"spawning", spawning}, {"exec", exec_from_thread}, {"ends", ends},
	{"stopped", stopped},	{"mutexes", mutexes},
};

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "executed")) {
		CHECK(getpid() == atoi(argv[2]) && tid() == getpid() && count_tasks() == 1);
		return 4;
	}
	alarm(100);
	fresh_directory();
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (argc > 1 && strcmp(argv[1], parts[i].name))
			continue;
		printf("-- %s\n", parts[i].name);
		parts[i].run();
	}
	return 0;
}
