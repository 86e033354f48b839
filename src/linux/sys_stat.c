// SPDX-License-Identifier: MIT
/*
 * System calls that ask about files and change their attributes.
 *
 * struct stat, statx and statfs have the same bytes on powerpc64 and x86-64.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "linux/path.h"
#include "linux/syscall_pass.h"

static unsigned int follow_unless(bool nofollow)
{
	return nofollow ? PATH_NOFOLLOW : 0;
}

static s64 stat_path(struct task *task, int dirfd, u64 path, u64 buffer, u32 flags)
{
	struct host_path file;
	void *out;
	int error;

	error = path_from_user(task, dirfd, path, follow_unless(flags & AT_SYMLINK_NOFOLLOW),
			       &file);
	if (!error)
		error = user_write_buffer(task, buffer, sizeof(struct stat), &out);
	if (error)
		return error;
	return host_call(SYS_newfstatat, file.dirfd, file.path, out, flags);
}

s64 sys_stat(struct task *task, const u64 args[6])
{
	return stat_path(task, AT_FDCWD, args[0], args[1], 0);
}

s64 sys_lstat(struct task *task, const u64 args[6])
{
	return stat_path(task, AT_FDCWD, args[0], args[1], AT_SYMLINK_NOFOLLOW);
}

s64 sys_newfstatat(struct task *task, const u64 args[6])
{
	return stat_path(task, (int)args[0], args[1], args[2], (u32)args[3]);
}

PASS(fstat, OUT(1, sizeof(struct stat)))

s64 sys_statx(struct task *task, const u64 args[6])
{
	struct host_path file;
	void *out;
	int error;

	error = path_from_user(task, (int)args[0], args[1],
			       follow_unless(args[2] & AT_SYMLINK_NOFOLLOW), &file);
	if (!error)
		error = user_write_buffer(task, args[4], sizeof(struct statx), &out);
	if (error)
		return error;
	return host_call(SYS_statx, file.dirfd, file.path, args[2], args[3], out);
}

static s64 statfs_path(struct task *task, u64 path, u64 buffer)
{
	struct host_path file;
	void *out;
	int error;

	error = path_from_user(task, AT_FDCWD, path, 0, &file);
	if (!error)
		error = user_write_buffer(task, buffer, sizeof(struct statfs), &out);
	if (error)
		return error;
	return host_call(SYS_statfs, file.path, out);
}

s64 sys_statfs(struct task *task, const u64 args[6])
{
	return statfs_path(task, args[0], args[1]);
}

PASS(fstatfs, OUT(1, sizeof(struct statfs)))

/* The forms with a size: struct statfs64 is struct statfs on a 64-bit machine. */
s64 sys_statfs64(struct task *task, const u64 args[6])
{
	if (args[1] != sizeof(struct statfs))
		return -EINVAL;
	return statfs_path(task, args[0], args[2]);
}

s64 sys_fstatfs64(struct task *task, const u64 args[6])
{
	void *out;
	int error;

	if (args[1] != sizeof(struct statfs))
		return -EINVAL;
	error = user_write_buffer(task, args[2], sizeof(struct statfs), &out);
	return error ? error : host_call(SYS_fstatfs, args[0], out);
}

/* host call (path, a, b, c) for a path of the working directory */
static s64 with_path(struct task *task, long number, u64 path, unsigned int how, u64 a, u64 b,
		     u64 c)
{
	struct host_path file;
	int error = path_from_user(task, AT_FDCWD, path, how, &file);

	return error ? error : host_call(number, file.path, a, b, c);
}

/* host call (dirfd, path, a, b, c) */
static s64 with_path_at(struct task *task, long number, int dirfd, u64 path, unsigned int how,
			u64 a, u64 b, u64 c)
{
	struct host_path file;
	int error = path_from_user(task, dirfd, path, how, &file);

	return error ? error : host_call(number, file.dirfd, file.path, a, b, c);
}

s64 sys_access(struct task *task, const u64 args[6])
{
	return with_path(task, SYS_access, args[0], 0, args[1], 0, 0);
}

s64 sys_faccessat(struct task *task, const u64 args[6])
{
	return with_path_at(task, SYS_faccessat, (int)args[0], args[1], 0, args[2], 0, 0);
}

s64 sys_faccessat2(struct task *task, const u64 args[6])
{
	return with_path_at(task, SYS_faccessat2, (int)args[0], args[1],
			    follow_unless(args[3] & AT_SYMLINK_NOFOLLOW), args[2], args[3], 0);
}

s64 sys_chmod(struct task *task, const u64 args[6])
{
	return with_path(task, SYS_chmod, args[0], 0, args[1], 0, 0);
}

s64 sys_fchmodat(struct task *task, const u64 args[6])
{
	return with_path_at(task, SYS_fchmodat, (int)args[0], args[1], 0, args[2], 0, 0);
}

s64 sys_chown(struct task *task, const u64 args[6])
{
	return with_path(task, SYS_chown, args[0], 0, args[1], args[2], 0);
}

s64 sys_lchown(struct task *task, const u64 args[6])
{
	return with_path(task, SYS_lchown, args[0], PATH_NOFOLLOW, args[1], args[2], 0);
}

s64 sys_fchownat(struct task *task, const u64 args[6])
{
	return with_path_at(task, SYS_fchownat, (int)args[0], args[1],
			    follow_unless(args[4] & AT_SYMLINK_NOFOLLOW), args[2], args[3],
			    args[4]);
}

PASS(fchmod)
PASS(fchown)

s64 sys_truncate(struct task *task, const u64 args[6])
{
	return with_path(task, SYS_truncate, args[0], 0, args[1], 0, 0);
}

/* Times: struct utimbuf, two timeval or two timespec; 0 is allowed for "now". */
static s64 set_times(struct task *task, long number, int dirfd, u64 path, u64 times, u64 size,
		     u32 flags)
{
	const void *in = NULL;
	int error = times ? user_read_buffer(task, times, size, &in) : 0;

	if (error)
		return error;
	/* utimensat() and futimesat() with no path act on the descriptor. */
	if (!path && number != SYS_utime && number != SYS_utimes)
		return host_call(number, dirfd, NULL, in, flags);
	if (number == SYS_utime || number == SYS_utimes)
		return with_path(task, number, path, 0, (u64)(uintptr_t)in, 0, 0);
	return with_path_at(task, number, dirfd, path, follow_unless(flags & AT_SYMLINK_NOFOLLOW),
			    (u64)(uintptr_t)in, flags, 0);
}

s64 sys_utime(struct task *task, const u64 args[6])
{
	return set_times(task, SYS_utime, AT_FDCWD, args[0], args[1], 16, 0);
}

s64 sys_utimes(struct task *task, const u64 args[6])
{
	return set_times(task, SYS_utimes, AT_FDCWD, args[0], args[1], 32, 0);
}

s64 sys_futimesat(struct task *task, const u64 args[6])
{
	return set_times(task, SYS_futimesat, (int)args[0], args[1], args[2], 32, 0);
}

s64 sys_utimensat(struct task *task, const u64 args[6])
{
	return set_times(task, SYS_utimensat, (int)args[0], args[1], args[2], 32, (u32)args[3]);
}

/* Extended attributes: (path, name, value, size, flags), value in or out. */
static s64 xattr(struct task *task, long number, unsigned int how, const u64 args[6],
		 const struct pass_buffer *buffers, size_t n)
{
	struct host_path file;
	PASS_ARGUMENTS(a, args);
	int error = pass_prepare(task, a, buffers, n);

	if (!error)
		error = path_from_user(task, AT_FDCWD, a[0], how, &file);
	if (error)
		return error;
	return host_call(number, file.path, a[1], a[2], a[3], a[4]);
}

static const struct pass_buffer set_buffers[] = {STRING(1), IN_N(2, 3, 1)};
static const struct pass_buffer get_buffers[] = {STRING(1), OUT_N(2, 3, 1)};
static const struct pass_buffer list_buffers[] = {OUT_N(1, 2, 1)};
static const struct pass_buffer remove_buffers[] = {STRING(1)};

s64 sys_setxattr(struct task *task, const u64 args[6])
{
	return xattr(task, SYS_setxattr, 0, args, set_buffers, ARRAY_SIZE(set_buffers));
}

s64 sys_lsetxattr(struct task *task, const u64 args[6])
{
	return xattr(task, SYS_lsetxattr, PATH_NOFOLLOW, args, set_buffers,
		     ARRAY_SIZE(set_buffers));
}

s64 sys_getxattr(struct task *task, const u64 args[6])
{
	return xattr(task, SYS_getxattr, 0, args, get_buffers, ARRAY_SIZE(get_buffers));
}

s64 sys_lgetxattr(struct task *task, const u64 args[6])
{
	return xattr(task, SYS_lgetxattr, PATH_NOFOLLOW, args, get_buffers,
		     ARRAY_SIZE(get_buffers));
}

s64 sys_listxattr(struct task *task, const u64 args[6])
{
	return xattr(task, SYS_listxattr, 0, args, list_buffers, ARRAY_SIZE(list_buffers));
}

s64 sys_llistxattr(struct task *task, const u64 args[6])
{
	return xattr(task, SYS_llistxattr, PATH_NOFOLLOW, args, list_buffers,
		     ARRAY_SIZE(list_buffers));
}

s64 sys_removexattr(struct task *task, const u64 args[6])
{
	return xattr(task, SYS_removexattr, 0, args, remove_buffers, ARRAY_SIZE(remove_buffers));
}

s64 sys_lremovexattr(struct task *task, const u64 args[6])
{
	return xattr(task, SYS_lremovexattr, PATH_NOFOLLOW, args, remove_buffers,
		     ARRAY_SIZE(remove_buffers));
}

PASS(fsetxattr, STRING(1), IN_N(2, 3, 1))
PASS(fgetxattr, STRING(1), OUT_N(2, 3, 1))
PASS(flistxattr, OUT_N(1, 2, 1))
PASS(fremovexattr, STRING(1))
