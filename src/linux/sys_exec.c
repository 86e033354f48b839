// SPDX-License-Identifier: MIT
/*
 * execve and execveat. See exec.h.
 */
#define _GNU_SOURCE
#include "linux/exec.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "linux/limits.h"
#include "linux/path.h"
#include "linux/sched.h"
#include "linux/signal_host.h"
#include "linux/slots.h"
#include "linux/program.h"
#include "linux/syscall_pass.h"

#define DISGUISE	"POWERTM_GUEST_"
#define INHERITANCE	"POWERTM_INHERITANCE="
#define STRINGS_MAX	0x7fffffffu
#define STRING_SIZE_MAX (1u << 17) /* MAX_ARG_STRLEN of Linux */

static char *const *self_arguments;
static int n_self;

void exec_set_self(char *const *arguments, int count)
{
	self_arguments = arguments;
	n_self = count;
}

/* Variables that the host's dynamic linker and C library act upon before main(). */
static bool steers_libc(const char *string)
{
	static const char *const beginnings[] = {"LD_", "GLIBC_TUNABLES=", "MALLOC_", DISGUISE};

	for (size_t i = 0; i < ARRAY_SIZE(beginnings); i++)
		if (!strncmp(string, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

static void restore_inheritance(const char *text)
{
	int trace = 0, n = 0;

	if (sscanf(text, "%d %n", &trace, &n) == 1) {
		strace_set_first(trace);
		limits_parse(text + n);
	}
}

void exec_restore_environment(char **environment)
{
	char **to = environment;

	for (; *environment; environment++) {
		if (!strncmp(*environment, INHERITANCE, strlen(INHERITANCE))) {
			restore_inheritance(*environment + strlen(INHERITANCE));
			continue;
		}
		*to++ = *environment;
		if (!strncmp(*environment, DISGUISE, strlen(DISGUISE)))
			to[-1] += strlen(DISGUISE);
	}
	*to = NULL;
}

/* A list of strings for the host's execve; they may lie in guest memory. */
struct strings {
	const char **list;
	size_t count, room;
};

static int add(struct strings *strings, const char *string)
{
	if (strings->count + 1 >= strings->room) {
		size_t room = strings->room ? 2 * strings->room : 64;
		const char **list = realloc(strings->list, room * sizeof(*list));

		if (!list)
			return -ENOMEM;
		strings->list = list;
		strings->room = room;
	}
	strings->list[strings->count++] = string;
	strings->list[strings->count] = NULL;
	return 0;
}

/*
 * Append the guest's vector, skipping its first entries. The strings stay where they are: that
 * they lie in guest space is checked, that they are mapped the host kernel finds out.
 */
static int add_vector(struct task *task, struct strings *strings, u64 vector, size_t skip)
{
	u64 string;
	int error;

	if (!vector) /* Linux takes it for an empty one */
		return 0;
	for (size_t i = 0; i < STRINGS_MAX; i++) {
		if (get_user(task, &string, vector + 8 * i))
			return -EFAULT;
		if (!string)
			return 0;
		if (!user_range_ok(string, 1))
			return -EFAULT;
		if (i < skip)
			continue;
		error = add(strings, (const char *)(uintptr_t)string);
		if (error)
			return error;
	}
	return -E2BIG;
}

/*
 * An execve in progress. A child of vfork that succeeds leaves this behind in the memory that it
 * shares with its parent, together with the thread's own variables, so the parent finds it here.
 */
struct execution {
	struct program program;
	char path[PATH_MAX]; /* how the new process is to find it */
	char *script;	     /* host name of a script, for a host interpreter */
	char inheritance[256];
	struct strings arguments, environment, copies;
	char slots_fd[12];
};

static _Thread_local struct execution *in_progress;

void exec_release(void)
{
	struct execution *e = in_progress;

	if (!e)
		return;
	in_progress = NULL;
	program_release(&e->program);
	for (size_t i = 0; i < e->copies.count; i++)
		free((char *)(uintptr_t)e->copies.list[i]);
	free(e->script);
	free(e->arguments.list);
	free(e->environment.list);
	free(e->copies.list);
	free(e);
}

static bool same_file(int fd, const char *path)
{
	struct stat a, b;

	return !fstat(fd, &a) && !stat(path, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/*
 * Under which name will the new powertm open the same file? One that was deleted, or that is hidden
 * by a file of the sysroot, only through a descriptor, which then stays open.
 */
static int name_program(struct task *task, struct execution *e)
{
	struct host_path host;
	int fd;

	if (!path_resolve(task, AT_FDCWD, e->program.file, 0, &host) &&
	    same_file(e->program.fd, host.path)) {
		strcpy(e->path, e->program.file);
		return 0;
	}
	fd = fcntl(e->program.fd, F_DUPFD, 3); /* without close-on-exec */
	if (fd < 0)
		return -errno;
	snprintf(e->path, sizeof(e->path), "/proc/self/fd/%d", fd);
	return 0;
}

/* Words that a script's line put in front: all of program.argv, whose own first is a stand-in. */
static bool is_script(const struct program *program)
{
	return *program->argv[0];
}

/* The new process is powertm again. */
static int guest_arguments(struct task *task, struct execution *e, u64 vector)
{
	char *const *words = e->program.argv;
	struct strings *out = &e->arguments;
	u64 first = 0;
	int error;

	if (vector && get_user(task, &first, vector))
		return -EFAULT;
	if (first && !user_range_ok(first, 1))
		return -EFAULT;
	error = name_program(task, e);
	for (int i = 0; !error && i < n_self; i++)
		error = add(out, self_arguments[i]);
	snprintf(e->slots_fd, sizeof(e->slots_fd), "%d", slots_fd(sched_slots()));
	if (!error)
		error = add(out, EXEC_SLOTS_OPTION);
	if (!error)
		error = add(out, e->slots_fd);
	if (!error)
		error = add(out, "--argv0");
	if (!error && is_script(&e->program))
		error = add(out, words[0]);
	else if (!error)
		error = add(out, first ? (const char *)(uintptr_t)first : "");
	if (!error)
		error = add(out, "--");
	if (!error)
		error = add(out, e->path);
	for (words++; !error && *words; words++)
		error = add(out, *words);
	return error ? error : add_vector(task, out, vector, 1);
}

/* The new process runs on the host itself, so a script must have its host name. */
static int host_arguments(struct task *task, struct execution *e, u64 vector)
{
	char *const *words = e->program.argv;
	struct host_path host;
	int error = 0;

	strcpy(e->path, e->program.file);
	if (!is_script(&e->program))
		return add_vector(task, &e->arguments, vector, 0);
	for (; !error && words[1]; words++)
		error = add(&e->arguments, words[0]);
	if (!error)
		error = path_resolve(task, AT_FDCWD, words[0], 0, &host);
	if (error)
		return error;
	e->script = strdup(host.path);
	if (!e->script)
		return -ENOMEM;
	error = add(&e->arguments, e->script);
	return error ? error : add_vector(task, &e->arguments, vector, 1);
}

/* Give a variable its other name. */
static int disguise(struct task *task, struct execution *e, size_t i)
{
	const char *string = e->environment.list[i];
	char *copy = malloc(strlen(DISGUISE) + STRING_SIZE_MAX);
	s64 length = copy ? strncpy_from_user(task, copy + strlen(DISGUISE), (u64)(uintptr_t)string,
					      STRING_SIZE_MAX)
			  : -ENOMEM;
	int error = length == -ENAMETOOLONG ? -E2BIG : (int)MIN(length, 0);

	if (!error)
		error = add(&e->copies, copy);
	if (error) {
		free(copy);
		return error;
	}
	memcpy(copy, DISGUISE, strlen(DISGUISE));
	e->environment.list[i] = copy;
	return 0;
}

static int build_environment(struct task *task, struct execution *e, u64 vector)
{
	struct strings *out = &e->environment;
	char start[32];
	int error = add_vector(task, out, vector, 0), n;

	if (!error && !out->count) { /* an empty list, not none */
		error = add(out, NULL);
		out->count = 0;
	}
	if (e->program.kind != ELF_KIND_GUEST || error)
		return error;
	n = snprintf(e->inheritance, sizeof(e->inheritance), INHERITANCE "%d ", strace_first());
	limits_print(e->inheritance + n, sizeof(e->inheritance) - (size_t)n);
	for (size_t i = 0; !error && i < out->count; i++) {
		if (strncpy_from_user(task, start, (u64)(uintptr_t)out->list[i],
				      sizeof(start) - 1) == -EFAULT)
			return -EFAULT;
		start[sizeof(start) - 1] = 0;
		if (steers_libc(start))
			error = disguise(task, e, i);
	}
	return error ? error : add(out, e->inheritance);
}

/*
 * Signals need no care: the actions and the mask of the host process are those of the guest. But
 * one that powertm's handler has noted and the guest not seen would be lost, so it comes first.
 */
static s64 host_execve(struct task *task, struct execution *e)
{
	struct program *program = &e->program;
	const char *path = program->kind == ELF_KIND_GUEST ? "/proc/self/exe" : e->path;
	s64 result;

	log_line(LOG_EXEC, "execve %s by %s", e->path,
		 program->kind == ELF_KIND_GUEST ? "powertm" : "the host");
	/* These numbers are not the parent's, who may be the one to release the rest. */
	close(program->fd);
	if (program->interpreter_fd >= 0)
		close(program->interpreter_fd);
	program->fd = program->interpreter_fd = -1;
	if (task->process->options->strace)
		strace_exit(task, &syscall_table[task->cpu->gpr[0]], &task->cpu->gpr[3], 0);
	/* The new program has a slot of its own to get, and the mask of this thread. */
	fcntl(slots_fd(sched_slots()), F_SETFD, 0);
	sched_leave();
	if (!task->process->shares_memory)
		sched_count_instructions();
	signal_host_before_exec(task->blocked, task->process->signals.action);
	result = host_syscall_interruptible(&task->interrupt, SYS_execve, (u64)(uintptr_t)path,
					    (u64)(uintptr_t)e->arguments.list,
					    (u64)(uintptr_t)e->environment.list, 0, 0, 0);
	signal_host_after_exec(task->process->signals.action);
	sched_come_back(task);
	fcntl(slots_fd(sched_slots()), F_SETFD, FD_CLOEXEC);
	if (result == -EINTR)
		result = -ERESTARTSYS;
	return result == -ERESTARTSYS ? -ERESTARTNOINTR : result;
}

static s64 execute(struct task *task, int dirfd, const char *path, u64 argv, u64 envp)
{
	char *const stand_in[] = {(char[]){""}, NULL};
	struct execution *e;
	const char *reason;
	s64 error;

	exec_release();
	e = in_progress = calloc(1, sizeof(*e));
	if (!e)
		return -ENOMEM;
	error = program_find(task, dirfd, path, stand_in, &e->program, &reason);
	if (error) {
		if (reason)
			log_line(LOG_EXEC, "execve %s: %s", path, reason);
		free(e); /* program_find() has released what it had */
		in_progress = NULL;
		return error;
	}
	if (e->program.kind == ELF_KIND_GUEST) {
		error = guest_arguments(task, e, argv);
	} else {
		/* In a sysroot it is a stray: no machine of the guest's kind could run it. */
		error = path_descriptor_in_sysroot(e->program.fd) ? -ENOEXEC
								  : host_arguments(task, e, argv);
	}
	if (!error)
		error = build_environment(task, e, envp);
	if (!error)
		error = host_execve(task, e);
	exec_release();
	return error;
}

s64 sys_execve(struct task *task, const u64 args[6])
{
	char path[PATH_MAX];
	s64 length = strncpy_from_user(task, path, args[0], sizeof(path));

	if (length < 0)
		return length;
	return length ? execute(task, AT_FDCWD, path, args[1], args[2]) : -ENOENT;
}

s64 sys_execveat(struct task *task, const u64 args[6])
{
	char path[PATH_MAX];
	struct host_path file;
	struct stat status;
	s64 length;

	if ((u32)args[4] & ~(u32)(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	length = strncpy_from_user(task, path, args[1], sizeof(path));
	if (length < 0)
		return length;
	if (!length && !(args[4] & AT_EMPTY_PATH))
		return -ENOENT;
	if (length && (args[4] & AT_SYMLINK_NOFOLLOW) &&
	    !path_resolve(task, (int)args[0], path, PATH_NOFOLLOW, &file) &&
	    !fstatat(file.dirfd, file.path, &status, AT_SYMLINK_NOFOLLOW) &&
	    S_ISLNK(status.st_mode))
		return -ELOOP;
	return execute(task, (int)args[0], path, args[2], args[3]);
}
