/* SPDX-License-Identifier: MIT */
/*
 * Paths of the guest, with a sysroot (-L) laid over the host's file system.
 *
 * Without a sysroot a guest's path is the host's path. With one:
 *
 *  1. An absolute path is looked up in the sysroot first. Symbolic links met there are followed
 *     inside it, absolute ones and ".." too, as if it were the root directory.
 *  2. What does not exist there is looked up on the host under the same name.
 *  3. But /usr, /lib*, /bin and /sbin, if the sysroot has them, are its own: what is missing there
 *     is missing. Else a compiler of the guest would find headers of the host, and a Python would
 *     put its cache among the host's. /usr/local and /usr/src follow rule 2.
 *  4. What exists in neither and is to be made is made in the sysroot if its directory exists
 *     there, else on the host. So it appears where the guest sees that directory's other files.
 *  5. /proc, /sys and /dev are always the host's. In /tmp, /var/tmp, /run, /home and /root the
 *     order is turned round: the host is asked first, and new files are made there. A build in
 *     the home directory, a temporary file and a sysroot that itself lies below /home work.
 *  6. A relative path starts at its directory, wherever that is: in the sysroot rules 1 to 5 hold
 *     for the whole path, on the host the path is the host's.
 *  7. A path that names something inside the sysroot as the host does, with the sysroot's own name
 *     in front, means the same as without it: `powertm -L root root/usr/bin/awk` follows the
 *     absolute link that awk is.
 *
 * /proc/self/exe (also by number, and thread-self) is the guest's program. The other special files
 * in /proc are served at open, see proc.h.
 *
 * This is a view, not a jail: a guest may name any host file. The lookup is made of readlink calls
 * and needs no descriptor, so a guest thread never sees a stray one.
 */
#ifndef LINUX_PATH_H
#define LINUX_PATH_H

#include <limits.h>

#include "base/types.h"

struct task;

#define PATH_NOFOLLOW 1u /* the last component is not followed if it is a link */
#define PATH_CREATE   2u /* the last component may be new */

/* A path for the *at calls of the host. */
struct host_path {
	int dirfd;
	char path[PATH_MAX];
};

/**
 * path_set_sysroot - lay a directory over the host's file system
 * @directory: host path
 *
 * Once, before the first guest instruction.
 *
 * Return: 0 or a negative errno if it is no directory.
 */
int path_set_sysroot(const char *directory);

/* Absolute host path of the sysroot without links and trailing slash; NULL if there is none. */
const char *path_sysroot(void);

/**
 * path_resolve - find the host's file for a path of the guest
 * @task: whose /proc/self is meant; may be NULL before there is one
 * @dirfd: guest's, AT_FDCWD too
 * @path: empty gives an empty path
 * @flags: PATH_*
 * @out: filled
 *
 * Return: 0, -ENAMETOOLONG or -ELOOP. A file that does not exist is no error here.
 */
int path_resolve(struct task *task, int dirfd, const char *path, unsigned int flags,
		 struct host_path *out);

/* The same with a path in guest memory. Return: also -EFAULT; -ENAMETOOLONG from 4096 bytes on. */
int path_from_user(struct task *task, int dirfd, u64 address, unsigned int flags,
		   struct host_path *out);

/**
 * path_to_guest - how the guest names a host path
 * @path: absolute host path; changed in place: the sysroot's prefix is removed
 */
void path_to_guest(char *path);

/**
 * path_in_sysroot - does a host path lie in the sysroot?
 * @path: absolute, without links
 */
bool path_in_sysroot(const char *path);

/* Does an open file lie in the sysroot? */
bool path_descriptor_in_sysroot(int fd);

/**
 * path_quick_root - can openat2() look this path up by itself?
 * @path: guest's
 *
 * Return: the descriptor of the sysroot, for RESOLVE_IN_ROOT; what is found that way is what
 * path_resolve() finds. -1 if only path_resolve() can tell.
 */
int path_quick_root(const char *path);

/**
 * path_proc_self - name of a file in the caller's own directory of /proc
 * @path: absolute host path
 *
 * Return: the part after /proc/self/, /proc/thread-self/, /proc/PID/ or /proc/PID/task/PID/ where
 * that is the caller; NULL if the path is of another kind.
 */
const char *path_proc_self(const char *path);

#endif
