// SPDX-License-Identifier: MIT
/*
 * System calls that make, duplicate and close file descriptors.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/openat2.h>

#include "base/private_fd.h"
#include "linux/path.h"
#include "linux/powerpc_abi.h"
#include "linux/proc.h"
#include "linux/sched.h"
#include "linux/syscall_pass.h"

/* Flags that openat2() accepts; it refuses what open() ignores. */
#define OPEN_FLAGS_VALID                                                                           \
	(O_ACCMODE | O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_APPEND | O_NONBLOCK | O_SYNC |      \
	 O_ASYNC | O_DIRECT | 0100000 /* O_LARGEFILE */ | O_DIRECTORY | O_NOFOLLOW | O_NOATIME |   \
	 O_CLOEXEC | O_PATH | O_TMPFILE)
#define OPEN_FLAGS_PATH (O_DIRECTORY | O_NOFOLLOW | O_PATH | O_CLOEXEC)

/* Set once the host kernel turned out to lack openat2(), or a filter to forbid it. */
static bool no_openat2;

/*
 * The common case in one host call: an existing file of the sysroot. Return: descriptor, a real
 * error, or -EAGAIN if the long way must be gone.
 */
static s64 open_quickly(struct task *task, const char *path, u32 flags)
{
	int root = path_quick_root(path);
	struct open_how how = {.flags = flags & OPEN_FLAGS_VALID, .resolve = RESOLVE_IN_ROOT};
	s64 result;

	if (root < 0 || no_openat2 || (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE)
		return -EAGAIN;
	if (flags & O_PATH)
		how.flags &= OPEN_FLAGS_PATH;
	result = task_syscall(task, SYS_openat2, root, path, &how, sizeof(how));
	switch (result) {
	case -ENOSYS:
	case -EPERM:
		no_openat2 = true;
		return -EAGAIN;
	case -ENOENT:
	case -ENOTDIR:
	case -ELOOP:
	case -EXDEV:
	case -EINVAL:
		return -EAGAIN;
	default:
		return result;
	}
}

static s64 open_path(struct task *task, int dirfd, u64 address, u32 guest_flags, u32 mode)
{
	u32 flags = open_flags_to_host(guest_flags);
	unsigned int how = 0;
	struct host_path file;
	char path[PATH_MAX];
	s64 result;

	result = strncpy_from_user(task, path, address, sizeof(path));
	if (result < 0)
		return result;
	result = open_quickly(task, path, flags);
	if (result != -EAGAIN)
		return result;
	if (flags & O_CREAT)
		how |= PATH_CREATE;
	if ((flags & O_NOFOLLOW) || (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
		how |= PATH_NOFOLLOW;
	result = path_resolve(task, dirfd, path, how, &file);
	if (result < 0)
		return result;
	result = proc_open(task, file.path, flags);
	if (result != -ENOENT)
		return result;
	return task_syscall(task, SYS_openat, file.dirfd, file.path, flags, mode);
}

s64 sys_open(struct task *task, const u64 args[6])
{
	return open_path(task, AT_FDCWD, args[0], (u32)args[1], (u32)args[2]);
}

s64 sys_openat(struct task *task, const u64 args[6])
{
	return open_path(task, (int)args[0], args[1], (u32)args[2], (u32)args[3]);
}

s64 sys_creat(struct task *task, const u64 args[6])
{
	return open_path(task, AT_FDCWD, args[0], O_CREAT | O_WRONLY | O_TRUNC, (u32)args[1]);
}

s64 sys_openat2(struct task *task, const u64 args[6])
{
	struct open_how how = {0};
	struct host_path file;
	u64 size = args[3];
	unsigned int flags = 0;
	int error;

	if (size < sizeof(how))
		return -EINVAL;
	if (size > sizeof(how)) /* of a newer kernel; the part we do not know would have to be 0 */
		return -E2BIG;
	error = copy_from_user(task, &how, args[2], sizeof(how));
	if (error)
		return error;
	if (how.flags >> 32)
		return -EINVAL;
	how.flags = open_flags_to_host((u32)how.flags);
	if (how.resolve) {
		/* The caller restricts the lookup itself, so there is no second place to look. */
		error = user_read_string(task, args[1]);
		if (error)
			return error;
		return task_syscall(task, SYS_openat2, (int)args[0], args[1], &how, sizeof(how));
	}
	if (how.flags & O_CREAT)
		flags |= PATH_CREATE;
	if ((how.flags & O_NOFOLLOW) || (how.flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
		flags |= PATH_NOFOLLOW;
	error = path_from_user(task, (int)args[0], args[1], flags, &file);
	if (error)
		return error;
	return task_syscall(task, SYS_openat2, file.dirfd, file.path, &how, sizeof(how));
}

s64 sys_close(struct task *task, const u64 args[6])
{
	if (private_fd_is((int)args[0]))
		return -EBADF;
	return host_call(SYS_close, args[0]);
}

/* Everything between two numbers except what is powertm's own. */
s64 sys_close_range(struct task *task, const u64 args[6])
{
	u32 first = (u32)args[0], last = (u32)args[1];
	int private;
	s64 result;

	if (first > last)
		return -EINVAL;
	for (;;) {
		private = private_fd_next(first);
		if (private < 0 || (u32) private > last)
			return host_call(SYS_close_range, first, last, args[2]);
		if ((u32) private > first) {
			result = host_call(SYS_close_range, first, private - 1, args[2]);
			if (result)
				return result;
		}
		if ((u32) private == last)
			return 0;
		first = (u32) private + 1;
	}
}

s64 sys_dup(struct task *task, const u64 args[6])
{
	if (private_fd_is((int)args[0]))
		return -EBADF;
	return host_call(SYS_dup, args[0]);
}

/* A private descriptor at the number that dup2 wants moves away. */
static bool make_room(struct task *task, int fd)
{
	/* A child of vfork has descriptors of its own, but shares the list of private ones. */
	if (task->process->shares_memory)
		return !private_fd_is(fd);
	return !private_fd_yield(fd);
}

s64 sys_dup2(struct task *task, const u64 args[6])
{
	if (private_fd_is((int)args[0]) || !make_room(task, (int)args[1]))
		return -EBADF;
	return host_call(SYS_dup2, args[0], args[1]);
}

s64 sys_dup3(struct task *task, const u64 args[6])
{
	if ((u32)args[2] & ~(u32)O_CLOEXEC)
		return -EINVAL;
	if (private_fd_is((int)args[0]) || !make_room(task, (int)args[1]))
		return -EBADF;
	return host_call(SYS_dup3, args[0], args[1], args[2]);
}

static s64 make_pipe(struct task *task, u64 address, u32 flags)
{
	void *fds;
	int error = user_write_buffer(task, address, 2 * sizeof(int), &fds);

	return error ? error : host_call(SYS_pipe2, fds, open_flags_to_host(flags));
}

s64 sys_pipe(struct task *task, const u64 args[6])
{
	return make_pipe(task, args[0], 0);
}

s64 sys_pipe2(struct task *task, const u64 args[6])
{
	return make_pipe(task, args[0], (u32)args[1]);
}

static s64 fcntl_buffer(struct task *task, const u64 args[6], bool write, u64 size)
{
	const struct pass_buffer buffer = {.argument = 2, .write = write, .size = (u32)size};
	PASS_ARGUMENTS(a, args);
	int error = pass_prepare(task, a, &buffer, 1);

	return error ? error : task_syscall(task, SYS_fcntl, a[0], a[1], a[2]);
}

/* Who gets SIGIO. No host thread is one of the guest's threads: the process gets it for them. */
static s64 set_owner(struct task *task, const u64 args[6])
{
	struct process *process = task->process;
	struct f_owner_ex owner;

	if (get_user(task, &owner, args[2]))
		return -EFAULT;
	if (owner.type == F_OWNER_TID && sched_is_threaded()) {
		pthread_mutex_lock(&process->task_lock);
		if (task_find(process, owner.pid))
			owner = (struct f_owner_ex){.type = F_OWNER_PID, .pid = process->pid};
		pthread_mutex_unlock(&process->task_lock);
	}
	return host_call(SYS_fcntl, args[0], F_SETOWN_EX, &owner);
}

#define F_GETOWNER_UIDS 17 /* of <asm-generic/fcntl.h> */

s64 sys_fcntl(struct task *task, const u64 args[6])
{
	s64 result;

	if (private_fd_is((int)args[0]))
		return -EBADF;
	switch ((u32)args[1]) {
	case F_GETFL:
		result = host_call(SYS_fcntl, args[0], F_GETFL);
		return result < 0 ? result : open_flags_from_host((u32)result);
	case F_SETFL:
		return host_call(SYS_fcntl, args[0], F_SETFL, open_flags_to_host((u32)args[2]));
	case F_GETLK:
	case F_OFD_GETLK:
		return fcntl_buffer(task, args, true, sizeof(struct flock));
	case F_SETLK:
	case F_SETLKW:
	case F_OFD_SETLK:
	case F_OFD_SETLKW:
		return fcntl_buffer(task, args, false, sizeof(struct flock));
	case F_GETOWN_EX:
	case F_GETOWNER_UIDS:
	case F_GET_RW_HINT:
	case F_GET_FILE_RW_HINT:
		return fcntl_buffer(task, args, true, 8);
	case F_SETOWN_EX:
		return set_owner(task, args);
	case F_SET_RW_HINT:
	case F_SET_FILE_RW_HINT:
		return fcntl_buffer(task, args, false, 8);
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
	case F_GETFD:
	case F_SETFD:
	case F_SETOWN:
	case F_GETOWN:
	case F_SETSIG:
	case F_GETSIG:
	case F_SETLEASE:
	case F_GETLEASE:
	case F_NOTIFY:
	case F_SETPIPE_SZ:
	case F_GETPIPE_SZ:
	case F_ADD_SEALS:
	case F_GET_SEALS:
		return host_call(SYS_fcntl, args[0], args[1], args[2]);
	default:
		return -EINVAL;
	}
}

PASS_SLEEP(flock)
PASS(memfd_create, STRING(0))
