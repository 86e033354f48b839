// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "linux/proc_task.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/log.h"
#include "base/private_fd.h"
#include "linux/path.h"
#include "linux/syscall.h"
#include "linux/uaccess.h"

#define NAME_SIZE 16

/* Does the path begin with this component? What follows it, without slashes, or NULL. */
static const char *skip(const char *path, const char *name)
{
	size_t n = strlen(name);

	if (strncmp(path, name, n) || (path[n] && path[n] != '/'))
		return NULL;
	return path + n + strspn(path + n, "/");
}

/* The thread in whose directory a path lies, and the rest of the path. NULL: in none. */
static const char *thread_path(struct task *task, const char *path, int *tid)
{
	const char *rest = skip(path, "/proc/thread-self");
	char *end;

	if (rest && *rest) {
		*tid = task->tid;
		return rest;
	}
	rest = path_proc_self(path);
	rest = rest ? skip(rest, "task") : NULL;
	if (!rest || *rest < '1' || *rest > '9')
		return NULL;
	*tid = (int)strtol(rest, &end, 10);
	return *end && *end != '/' ? NULL : end + strspn(end, "/");
}

static bool exists(struct process *process, int tid)
{
	bool found;

	pthread_mutex_lock(&process->task_lock);
	found = task_find(process, tid);
	pthread_mutex_unlock(&process->task_lock);
	return found;
}

void proc_task_path(struct task *task, char *path)
{
	int pid = task->process->pid, tid;
	const char *rest = thread_path(task, path, &tid);
	char whole[PATH_MAX];
	bool own_file;

	if (!rest || (tid != pid && !exists(task->process, tid)))
		return;
	own_file = tid != pid && !strcmp(rest, "comm");
	if (snprintf(whole, sizeof(whole), "/proc/%d/task/%d%s%s", pid, own_file ? tid : pid,
		     *rest ? "/" : "", rest) < (int)sizeof(whole))
		strcpy(path, whole);
}

/* --- names ----------------------------------------------------------------------------------- */

/* Is it the thread whose name the host keeps, as that of the process? */
static bool is_first(const struct task *task)
{
	return task->tid == task->process->pid;
}

/* Somebody may have written a new name to the file that stands for comm. */
static void learn_name(struct task *task)
{
	char name[NAME_SIZE] = "";
	ssize_t n = task->comm_fd ? pread(task->comm_fd, name, sizeof(name) - 1, 0) : 0;

	if (n <= 0)
		return;
	name[strcspn(name, "\n")] = 0;
	memcpy(task->comm, name, sizeof(task->comm));
	proc_task_forget(task);
}

void proc_task_forget(struct task *task)
{
	if (task->comm_fd)
		private_fd_close(&task->comm_fd);
	task->comm_fd = 0;
}

void proc_task_get_name(struct task *task, char name[16])
{
	learn_name(task);
	memcpy(name, task->comm, sizeof(task->comm));
}

void proc_task_set_name(struct task *task, const char name[16])
{
	int fd;

	proc_task_forget(task);
	memcpy(task->comm, name, sizeof(task->comm));
	if (!is_first(task))
		return;
	/* This host thread need not be the one the process is named after. */
	if (gettid() == getpid()) {
		prctl(PR_SET_NAME, name);
		return;
	}
	fd = open("/proc/self/comm", O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, name, strlen(name)) < 0)
		log_line(LOG_UNIMPLEMENTED, "the host's name of the process stays as it is");
	if (fd >= 0)
		close(fd);
}

/*
 * To be read: a file with the name. To be written: an empty file, which is looked at when somebody
 * asks for the name.
 */
static s64 open_comm(struct task *target, u32 flags)
{
	bool writes = (flags & O_ACCMODE) != O_RDONLY;
	char name[NAME_SIZE];
	int fd, copy;

	proc_task_get_name(target, name);
	fd = memfd_create("comm", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
	if (fd < 0)
		return -errno;
	if (!writes) {
		dprintf(fd, "%s\n", name);
		lseek(fd, 0, SEEK_SET);
		return fd;
	}
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (copy >= 0 && !private_fd_adopt(&copy)) {
		proc_task_forget(target);
		target->comm_fd = copy;
	}
	return fd;
}

s64 proc_task_open(struct task *task, const char *path, u32 flags)
{
	struct process *process = task->process;
	struct task *target;
	s64 result = -ENOENT;
	const char *rest;
	int tid;

	rest = thread_path(task, path, &tid);
	if (!rest || strcmp(rest, "comm") || tid == process->pid || (flags & O_PATH))
		return -ENOENT;
	pthread_mutex_lock(&process->task_lock);
	target = task_find(process, tid);
	if (target)
		result = open_comm(target, flags);
	pthread_mutex_unlock(&process->task_lock);
	return result;
}

/* --- the list -------------------------------------------------------------------------------- */

/* Number of the thread at a place in the list; 0 = behind its end. */
static int thread_at(struct process *process, s64 place)
{
	struct task *t;
	int tid;

	pthread_mutex_lock(&process->task_lock);
	for (t = process->tasks; t && place > 0; place--)
		t = t->next;
	tid = t ? t->tid : 0;
	pthread_mutex_unlock(&process->task_lock);
	return tid;
}

static s64 put_entry(struct task *task, u64 to, u64 room, u64 ino, s64 next, const char *name,
		     size_t name_offset)
{
	u16 length = (u16)ROUND_UP(name_offset + strlen(name) + 2, 8);
	struct {
		u64 ino;
		s64 off;
		u16 length;
		char rest[46];
	} entry = {.ino = ino, .off = next, .length = length};

	if (length > room)
		return -EINVAL;
	strcpy((char *)&entry + name_offset, name);
	/* The type is before the name in the new form, and last of all in the old one. */
	if (name_offset == offsetof(struct dirent64, d_name))
		((char *)&entry)[name_offset - 1] = DT_DIR;
	else
		((char *)&entry)[length - 1] = DT_DIR;
	return copy_to_user(task, to, &entry, length) ? -EFAULT : length;
}

s64 proc_task_list(struct task *task, int fd, u64 buffer, u64 size, size_t name_offset)
{
	s64 place = lseek(fd, 0, SEEK_CUR), n = 0;
	u64 done = 0;

	for (; place >= 0; place++) {
		int tid = place < 2 ? 1 : thread_at(task->process, place - 2);
		char name[16];

		if (!tid)
			break;
		if (place < 2)
			strcpy(name, place ? ".." : ".");
		else
			snprintf(name, sizeof(name), "%d", tid);
		n = put_entry(task, buffer + done, size - done, (u64)tid, place + 1, name,
			      name_offset);
		if (n < 0)
			break;
		done += (u64)n;
	}
	lseek(fd, place, SEEK_SET);
	return done ? (s64)done : MIN(n, 0);
}
