// SPDX-License-Identifier: MIT
/* Processes: fork, vfork, spawn, exec, wait, pipes between them. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

extern char **environ;

static char self[512];

static void show_status(const char *what, int status)
{
	if (WIFEXITED(status))
		printf("%s: exit %d\n", what, WEXITSTATUS(status));
	else if (WIFSIGNALED(status))
		printf("%s: signal %d\n", what, WTERMSIG(status));
	else if (WIFSTOPPED(status))
		printf("%s: stopped by %d\n", what, WSTOPSIG(status));
	else if (WIFCONTINUED(status))
		printf("%s: continued\n", what);
	fflush(stdout);
}

static void wait_for(const char *what, pid_t pid)
{
	int status = 0;

	CHECK(waitpid(pid, &status, 0) == pid);
	show_status(what, status);
}

static void forking(void)
{
	static int value = 1;
	int p[2];
	char c = 0;
	pid_t pid, parent = getpid();

	MUST(pipe(p));
	pid = fork();
	if (!pid) {
		CHECK(getppid() == parent && getpid() != parent);
		CHECK(syscall(SYS_gettid) == getpid());
		value = 2;
		_exit(write(p[1], "x", 1) == 1 ? 17 : 1);
	}
	CHECK(read(p[0], &c, 1) == 1 && c == 'x');
	wait_for("fork", pid);
	CHECK(value == 1);
	pid = fork();
	if (!pid)
		raise(SIGTERM);
	wait_for("killed", pid);
	pid = fork();
	if (!pid)
		abort();
	wait_for("aborted", pid);
	pid = fork();
	if (!pid)
		*(volatile int *)16 = 1;
	wait_for("crashed", pid);
	SHOW(waitpid(-1, NULL, 0));
	SHOW(waitpid(pid, NULL, 0));
	close(p[0]);
	close(p[1]);
}

static void waiting(void)
{
	struct rusage usage;
	siginfo_t info;
	pid_t pid = fork();
	int status;

	if (!pid) {
		raise(SIGSTOP);
		_exit(3);
	}
	MUST(waitpid(pid, &status, WUNTRACED));
	show_status("child", status);
	SHOW(waitpid(pid, &status, WNOHANG));
	MUST(kill(pid, SIGCONT));
	MUST(waitpid(pid, &status, WCONTINUED));
	show_status("child", status);
	memset(&info, 0, sizeof(info));
	SHOW(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT));
	printf("waitid: code %d status %d signal %d\n", info.si_code, info.si_status,
	       info.si_signo);
	CHECK(info.si_pid == pid);
	CHECK(wait4(pid, &status, 0, &usage) == pid);
	show_status("child", status);
	SHOW(waitid(P_PID, (id_t)pid, &info, WEXITED));
	SHOW(waitid(99, 0, &info, WEXITED));
}

static void vforking(void)
{
	static volatile int shared;
	char *const none[] = {"none", NULL};
	volatile int error = 0;
	pid_t pid;

	pid = vfork();
	if (!pid) {
		shared = 5;
		execv("/no/such/file", none);
		error = errno;
		_exit(9);
	}
	wait_for("vfork", pid);
	printf("shared %d error %s\n", shared, strerrorname_np(error));
}

static void spawning(void)
{
	char *arguments[] = {"argv zero", "echo", "one", "", "three words here", NULL};
	char *environment[] = {"A=1",	 "LD_PRELOAD=", "LD_LIBRARY_PATH=/x", "MALLOC_ARENA_MAX=1",
			       "EMPTY=", NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	char text[256];
	sigset_t set;
	int p[2];
	ssize_t n;
	pid_t pid;

	errno = posix_spawn(&pid, "/no/such/file", NULL, NULL, arguments, environ);
	printf("missing: %s\n", strerrorname_np(errno));
	errno = posix_spawn(&pid, "/", NULL, NULL, arguments, environ);
	printf("directory: %s\n", strerrorname_np(errno));
	MUST(pipe2(p, O_CLOEXEC));
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, p[1], 1);
	posix_spawnattr_init(&attributes);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	posix_spawnattr_setsigmask(&attributes, &set);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	errno = posix_spawn(&pid, self, &actions, &attributes, arguments, environment);
	printf("self: %s\n", errno ? strerrorname_np(errno) : "spawned");
	close(p[1]);
	while ((n = read(p[0], text, sizeof(text))) > 0) {
		fwrite(text, 1, (size_t)n, stdout);
		fflush(stdout);
	}
	wait_for("spawned", pid);
	close(p[0]);
}

static void make_file(const char *name, const char *content, int mode)
{
	int fd = (int)MUST(open(name, O_CREAT | O_WRONLY | O_TRUNC, mode));

	CHECK(write(fd, content, strlen(content)) == (ssize_t)strlen(content));
	close(fd);
}

static void run(const char *what, const char *file, char *const arguments[])
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		execv(file, arguments);
		printf("%s: %s\n", what, strerrorname_np(errno));
		fflush(stdout);
		_exit(126);
	}
	wait_for(what, pid);
}

static void scripts(void)
{
	char *arguments[] = {"script-zero", "a", "b", NULL};
	char line[600];

	snprintf(line, sizeof(line), "#! %s echo \nrest\n", self);
	make_file("script", line, 0755);
	run("script", "./script", arguments);
	make_file("nested", "#!./script two words\n", 0755);
	run("nested", "./nested", arguments);
	make_file("bad-interpreter", "#!/no/such/interpreter\n", 0755);
	run("bad interpreter", "./bad-interpreter", arguments);
	make_file("no-program", "just text\n", 0755);
	run("no program", "./no-program", arguments);
	make_file("empty", "", 0755);
	run("empty", "./empty", arguments);
	make_file("not-executable", line, 0644);
	run("not executable", "./not-executable", arguments);
	make_file("loop", "#!./loop\n", 0755);
	run("loop", "./loop", arguments);
	run("directory", ".", arguments);
	make_file("foreign", "\177ELF\1\1\1", 0755);
	run("foreign", "./foreign", arguments);
	run("no file", "./none", arguments);
	run("below a file", "./script/x", arguments);
}

static void descriptors_across_exec(void)
{
	char *arguments[] = {"x", "descriptors", NULL};
	char *by_fd[] = {"by-fd", "echo", "fexecve", NULL};
	char *empty_environment[] = {NULL};
	int kept = (int)MUST(open("script", O_RDONLY)), fd, status;
	int closed = (int)MUST(open("script", O_RDONLY | O_CLOEXEC));
	pid_t pid;

	(void)closed;
	MUST(dup2(kept, 50));
	run("descriptors", self, arguments);
	close(50);
	fd = (int)MUST(open(self, O_RDONLY | O_CLOEXEC));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		fexecve(fd, by_fd, empty_environment);
		_exit(1);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	show_status("fexecve", status);
	close(fd);
	close(kept);
}

static void run_descriptor(const char *what, int fd)
{
	char *arguments[] = {"by-fd", "echo", "execveat", NULL};
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		execveat(fd, "", arguments, environ, AT_EMPTY_PATH);
		printf("%s: %s\n", what, strerrorname_np(errno));
		fflush(stdout);
		_exit(126);
	}
	wait_for(what, pid);
}

static void exec_of_descriptors(void)
{
	int path_only = (int)MUST(open(self, O_PATH)), here = (int)MUST(open(".", O_RDONLY));
	int text = (int)MUST(open("not-executable", O_RDONLY));
	int null = (int)MUST(open("/dev/null", O_RDONLY));

	run_descriptor("O_PATH", path_only);
	run_descriptor("directory", here);
	run_descriptor("current directory", AT_FDCWD);
	run_descriptor("not executable", text);
	run_descriptor("device", null);
	run_descriptor("no descriptor", 999);
	close(path_only);
	close(here);
	close(text);
	close(null);
}

static void signals_across_exec(void)
{
	char *arguments[] = {"x", "signals", NULL};
	sigset_t set;

	signal(SIGUSR2, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	MUST(sigprocmask(SIG_BLOCK, &set, NULL));
	run("signals", self, arguments);
	MUST(sigprocmask(SIG_UNBLOCK, &set, NULL));
	signal(SIGUSR2, SIG_DFL);
}

static void limits_across_exec(void)
{
	struct rlimit limit = {5 << 20, 6 << 20};
	char *arguments[] = {"x", "limits", NULL};

	MUST(setrlimit(RLIMIT_STACK, &limit));
	limit.rlim_cur = 100;
	limit.rlim_max = 200;
	MUST(setrlimit(RLIMIT_NOFILE, &limit));
	run("limits", self, arguments);
}

static int clone_child(void *argument)
{
	*(int *)argument = 77;
	_exit(23);
}

static void cloning(void)
{
	static char stack[65536] __attribute__((aligned(16)));
	int value = 1, tid = 0;
	pid_t pid;

	pid = clone(clone_child, stack + sizeof(stack), SIGCHLD, &value);
	wait_for("clone", pid);
	printf("value %d\n", value);
	pid = clone(clone_child, stack + sizeof(stack),
		    SIGCHLD | CLONE_VM | CLONE_VFORK | CLONE_PARENT_SETTID, &value, &tid);
	wait_for("clone with vm", pid);
	printf("value %d tid %d\n", value, tid == pid);
}

static void groups(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		CHECK(setsid() == getpid());
		CHECK(getpgrp() == getpid() && getsid(0) == getpid());
		SHOW(setpgid(0, 0));
		fflush(stdout);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	show_status("session", status);
	SHOW(getpgid(999999));
	SHOW(kill(999999, 0));
}

/* What this program does when it is executed by itself. */
static int child(int argc, char **argv)
{
	if (!strcmp(argv[1], "descriptors")) {
		for (int fd = 3; fd < 1024; fd++)
			if (fcntl(fd, F_GETFD) != -1)
				printf("open: %d\n", fd == 50 ? 50 : 0);
		return 0;
	}
	if (!strcmp(argv[1], "signals")) {
		struct sigaction action;
		sigset_t set;

		MUST(sigaction(SIGUSR2, NULL, &action));
		printf("SIGUSR2 ignored %d\n", action.sa_handler == SIG_IGN);
		MUST(sigaction(SIGUSR1, NULL, &action));
		printf("SIGUSR1 default %d\n", action.sa_handler == SIG_DFL);
		MUST(sigprocmask(SIG_BLOCK, NULL, &set));
		printf("blocked: SIGINT %d SIGUSR1 %d\n", sigismember(&set, SIGINT),
		       sigismember(&set, SIGUSR1));
		return 0;
	}
	if (!strcmp(argv[1], "limits")) {
		struct rlimit limit;

		MUST(getrlimit(RLIMIT_STACK, &limit));
		printf("stack %lu of %lu\n", (long)limit.rlim_cur, (long)limit.rlim_max);
		MUST(getrlimit(RLIMIT_NOFILE, &limit));
		printf("files %lu of %lu\n", (long)limit.rlim_cur, (long)limit.rlim_max);
		SHOW(dup2(0, 100));
		SHOW(dup2(0, 99));
		return 0;
	}
	for (int i = 0; i < argc; i++)
		printf("argv[%d] = %s\n", i, argv[i][0] == '/' ? "/..." : argv[i]);
	for (char **e = environ; *e; e++)
		if (strchr("AELM", **e) && argc > 3 && !strcmp(argv[2], "one"))
			printf("env %s\n", *e);
	return 0;
}

int main(int argc, char **argv)
{
	ssize_t n;

	if (argc > 1)
		return child(argc, argv);
	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	CHECK(n > 0);
	fresh_directory();
	close_range(3, ~0u, 0);
	forking();
	waiting();
	vforking();
	spawning();
	scripts();
	descriptors_across_exec();
	exec_of_descriptors();
	signals_across_exec();
	cloning();
	groups();
	limits_across_exec();
	return 0;
}
