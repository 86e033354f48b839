/* SPDX-License-Identifier: MIT */
/*
 * Paths of the guest, with a sysroot (-L) laid over the host's file system.
 *
 * With a sysroot every path that a guest names is looked up there first, and symbolic links met
 * there are followed inside it, absolute ones and ".." too. What is not found there is the host's.
 * A new file is made inside the sysroot if its directory exists there. /proc, /sys, /dev, /tmp,
 * /var/tmp, /run, /home and /root are always the host's. Without a sysroot nothing is changed.
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
 * path_resolve - find the host's file for a path of the guest
 * @dirfd: guest's, AT_FDCWD too
 * @path: not empty
 * @flags: PATH_*
 * @out: filled
 *
 * Return: 0, -ENAMETOOLONG or -ELOOP. A file that does not exist is no error here.
 */
int path_resolve(struct task *task, int dirfd, const char *path, unsigned int flags,
		 struct host_path *out);

/* The same with a path in guest memory. An empty one gives an empty path. */
int path_from_user(struct task *task, int dirfd, u64 address, unsigned int flags,
		   struct host_path *out);

/**
 * path_to_guest - how the guest names a host path
 * @path: absolute host path; changed in place: a sysroot prefix is removed
 */
void path_to_guest(struct task *task, char *path);

#endif
