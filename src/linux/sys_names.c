// SPDX-License-Identifier: MIT
/*
 * System calls on names in directories: making, linking, renaming, removing, listing; and the
 * working directory.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/private_fd.h"
#include "linux/path.h"
#include "linux/proc_task.h"
#include "linux/syscall_pass.h"

#define NEW_NAME (PATH_CREATE | PATH_NOFOLLOW)

static s64 make(struct task *task, long number, int dirfd, u64 path, u64 mode, u64 device)
{
	struct host_path file;
	int error = path_from_user(task, dirfd, path, NEW_NAME, &file);

	return error ? error : host_call(number, file.dirfd, file.path, mode, device);
}

s64 sys_mkdir(struct task *task, const u64 args[6])
{
	return make(task, SYS_mkdirat, AT_FDCWD, args[0], args[1], 0);
}

s64 sys_mkdirat(struct task *task, const u64 args[6])
{
	return make(task, SYS_mkdirat, (int)args[0], args[1], args[2], 0);
}

s64 sys_mknod(struct task *task, const u64 args[6])
{
	return make(task, SYS_mknodat, AT_FDCWD, args[0], args[1], args[2]);
}

s64 sys_mknodat(struct task *task, const u64 args[6])
{
	return make(task, SYS_mknodat, (int)args[0], args[1], args[2], args[3]);
}

static s64 remove_name(struct task *task, int dirfd, u64 path, u32 flags)
{
	struct host_path file;
	int error = path_from_user(task, dirfd, path, PATH_NOFOLLOW, &file);

	return error ? error : host_call(SYS_unlinkat, file.dirfd, file.path, flags);
}

s64 sys_unlink(struct task *task, const u64 args[6])
{
	return remove_name(task, AT_FDCWD, args[0], 0);
}

s64 sys_rmdir(struct task *task, const u64 args[6])
{
	return remove_name(task, AT_FDCWD, args[0], AT_REMOVEDIR);
}

s64 sys_unlinkat(struct task *task, const u64 args[6])
{
	return remove_name(task, (int)args[0], args[1], (u32)args[2]);
}

static s64 rename_path(struct task *task, int old_dirfd, u64 old, int new_dirfd, u64 new, u32 flags)
{
	struct host_path from, to;
	int error;

	error = path_from_user(task, old_dirfd, old, PATH_NOFOLLOW, &from);
	if (!error)
		error = path_from_user(task, new_dirfd, new, NEW_NAME, &to);
	if (error)
		return error;
	return host_call(SYS_renameat2, from.dirfd, from.path, to.dirfd, to.path, flags);
}

s64 sys_rename(struct task *task, const u64 args[6])
{
	return rename_path(task, AT_FDCWD, args[0], AT_FDCWD, args[1], 0);
}

s64 sys_renameat(struct task *task, const u64 args[6])
{
	return rename_path(task, (int)args[0], args[1], (int)args[2], args[3], 0);
}

s64 sys_renameat2(struct task *task, const u64 args[6])
{
	return rename_path(task, (int)args[0], args[1], (int)args[2], args[3], (u32)args[4]);
}

static s64 link_path(struct task *task, int old_dirfd, u64 old, int new_dirfd, u64 new, u32 flags)
{
	struct host_path from, to;
	int error;

	error = path_from_user(task, old_dirfd, old, flags & AT_SYMLINK_FOLLOW ? 0 : PATH_NOFOLLOW,
			       &from);
	if (!error)
		error = path_from_user(task, new_dirfd, new, NEW_NAME, &to);
	if (error)
		return error;
	return host_call(SYS_linkat, from.dirfd, from.path, to.dirfd, to.path, flags);
}

s64 sys_link(struct task *task, const u64 args[6])
{
	return link_path(task, AT_FDCWD, args[0], AT_FDCWD, args[1], 0);
}

s64 sys_linkat(struct task *task, const u64 args[6])
{
	return link_path(task, (int)args[0], args[1], (int)args[2], args[3], (u32)args[4]);
}

/* The text of a link is the guest's own: it is not resolved now. */
static s64 make_symlink(struct task *task, u64 text, int dirfd, u64 path)
{
	struct host_path file;
	int error;

	error = user_read_string(task, text);
	if (!error)
		error = path_from_user(task, dirfd, path, NEW_NAME, &file);
	if (error)
		return error;
	return host_call(SYS_symlinkat, text, file.dirfd, file.path);
}

s64 sys_symlink(struct task *task, const u64 args[6])
{
	return make_symlink(task, args[0], AT_FDCWD, args[1]);
}

s64 sys_symlinkat(struct task *task, const u64 args[6])
{
	return make_symlink(task, args[0], (int)args[1], args[2]);
}

static s64 read_link(struct task *task, int dirfd, u64 path, u64 buffer, int size)
{
	char target[PATH_MAX + 1];
	struct host_path file;
	const char *self;
	s64 length;
	void *out;
	int error;

	if (size <= 0)
		return -EINVAL;
	error = path_from_user(task, dirfd, path, PATH_NOFOLLOW, &file);
	if (error)
		return error;
	if (strncmp(file.path, "/proc/", 6)) {
		error = user_write_buffer(task, buffer, (u64)size, &out);
		return error ? error : host_call(SYS_readlinkat, file.dirfd, file.path, out, size);
	}
	/* Links of /proc hold host paths. */
	length = host_call(SYS_readlinkat, file.dirfd, file.path, target, PATH_MAX);
	if (length < 0)
		return length;
	target[length] = 0;
	self = path_proc_self(file.path);
	if (self && !strcmp(self, "exe"))
		snprintf(target, sizeof(target), "%s", task->process->exe);
	else if (target[0] == '/')
		path_to_guest(target);
	length = MIN((s64)strlen(target), size);
	return copy_to_user(task, buffer, target, (u64)length) ? -EFAULT : length;
}

s64 sys_readlink(struct task *task, const u64 args[6])
{
	return read_link(task, AT_FDCWD, args[0], args[1], (int)args[2]);
}

s64 sys_readlinkat(struct task *task, const u64 args[6])
{
	return read_link(task, (int)args[0], args[1], args[2], (int)args[3]);
}

s64 sys_chdir(struct task *task, const u64 args[6])
{
	struct host_path directory;
	int error = path_from_user(task, AT_FDCWD, args[0], 0, &directory);

	return error ? error : host_call(SYS_chdir, directory.path);
}

PASS(fchdir)

s64 sys_getcwd(struct task *task, const u64 args[6])
{
	char path[PATH_MAX];
	s64 length = host_call(SYS_getcwd, path, sizeof(path));

	if (length < 0)
		return length;
	path_to_guest(path);
	length = (s64)strlen(path) + 1;
	if ((u64)length > args[1])
		return -ERANGE;
	return copy_to_user(task, args[0], path, (u64)length) ? -EFAULT : length;
}

/*
 * Not possible: powertm itself would lose the files that it needs. Only a change to the root
 * directory that the guest has already is harmless.
 */
s64 sys_chroot(struct task *task, const u64 args[6])
{
	char path[PATH_MAX];
	s64 length = strncpy_from_user(task, path, args[0], sizeof(path));

	if (length < 0)
		return length;
	if (!strcmp(path, "/"))
		return 0;
	log_line(LOG_UNIMPLEMENTED, "chroot(\"%s\") is not implemented", path);
	return -EPERM;
}

PASS(umask)

enum listing { LISTS_FILES, LISTS_DESCRIPTORS, LISTS_THREADS };

/* Is this descriptor a listing of the process' own descriptors, or of its threads? */
static enum listing what_is_listed(int fd)
{
	char link[40], path[PATH_MAX];
	const char *self;
	s64 n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = host_call(SYS_readlink, link, path, sizeof(path) - 1);
	if (n < 6 || memcmp(path, "/proc/", 6))
		return LISTS_FILES;
	path[n] = 0;
	self = path_proc_self(path);
	if (self && (!strcmp(self, "fd") || !strcmp(self, "fdinfo")))
		return LISTS_DESCRIPTORS;
	return self && !strcmp(self, "task") ? LISTS_THREADS : LISTS_FILES;
}

/* Fields that both forms of a directory entry have at the same place. */
struct dirent_head {
	u64 ino;
	s64 off;
	u16 length;
};

static bool is_private(const char *name)
{
	char *end;
	long number = strtol(name, &end, 10);

	return !*end && end != name && private_fd_is((int)number);
}

/* Take powertm's own descriptors out of a listing. Return: length of what remains. */
static s64 hide_private(char *entries, s64 length, size_t name_offset)
{
	s64 from = 0, to = 0;

	while (from < length) {
		struct dirent_head *head = (struct dirent_head *)(entries + from);
		u16 n = head->length;

		if (!is_private(entries + from + name_offset)) {
			memmove(entries + to, entries + from, n);
			to += n;
		}
		from += n;
	}
	return to;
}

/* The listing of a directory whose entries have to be looked at. */
static s64 filtered_getdents(struct task *task, long number, int fd, u64 buffer, u64 size,
			     size_t name_offset)
{
	char entries[4096] ALIGNED(8);
	s64 length;

	do {
		length = host_call(number, fd, entries, MIN(size, sizeof(entries)));
		if (length <= 0)
			return length;
		length = hide_private(entries, length, name_offset);
	} while (!length); /* all hidden: not the end yet */
	return copy_to_user(task, buffer, entries, (u64)length) ? -EFAULT : length;
}

static s64 list_directory(struct task *task, long number, const u64 args[6], size_t name_offset)
{
	u64 size = (u32)args[2];
	void *out;
	int error;

	switch (what_is_listed((int)args[0])) {
	case LISTS_DESCRIPTORS:
		return filtered_getdents(task, number, (int)args[0], args[1], size, name_offset);
	case LISTS_THREADS:
		return proc_task_list(task, (int)args[0], args[1], size, name_offset);
	case LISTS_FILES:
		break;
	}
	error = user_write_buffer(task, args[1], size, &out);
	return error ? error : host_call(number, args[0], out, size);
}

s64 sys_getdents64(struct task *task, const u64 args[6])
{
	return list_directory(task, SYS_getdents64, args, offsetof(struct dirent64, d_name));
}

s64 sys_getdents(struct task *task, const u64 args[6])
{
	return list_directory(task, SYS_getdents, args, sizeof(u64) * 2 + sizeof(u16));
}
