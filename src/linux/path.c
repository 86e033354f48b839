// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "linux/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/private_fd.h"
#include "linux/proc_task.h"
#include "linux/syscall.h"
#include "linux/uaccess.h"

#define LINKS_MAX 40 /* MAXSYMLINKS of Linux */

static char sysroot[PATH_MAX];
static size_t sysroot_length; /* 0: no sysroot */
static int sysroot_fd = -1;

/* Directories that are the host's, rule 5 of path.h. */
enum ownership { OVERLAY, HOST_FIRST, HOST_ONLY };

static const struct {
	const char *name;
	enum ownership ownership;
} host_directories[] = {
	{"proc", HOST_ONLY}, {"sys", HOST_ONLY},   {"dev", HOST_ONLY},	 {"tmp", HOST_FIRST},
	{"run", HOST_FIRST}, {"home", HOST_FIRST}, {"root", HOST_FIRST}, {"var/tmp", HOST_FIRST},
};

int path_set_sysroot(const char *directory)
{
	int fd;

	if (!realpath(directory, sysroot))
		return -errno;
	fd = open(sysroot, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	sysroot_length = strlen(sysroot);
	if (sysroot_length == 1) { /* the root directory itself: nothing to lay over */
		sysroot_length = 0;
		close(fd);
		return 0;
	}
	sysroot_fd = fd;
	return private_fd_adopt(&sysroot_fd);
}

const char *path_sysroot(void)
{
	return sysroot_length ? sysroot : NULL;
}

bool path_in_sysroot(const char *path)
{
	return sysroot_length && !strncmp(path, sysroot, sysroot_length) &&
	       (path[sysroot_length] == '/' || !path[sysroot_length]);
}

void path_to_guest(char *path)
{
	if (!path_in_sysroot(path))
		return;
	if (path[sysroot_length])
		memmove(path, path + sysroot_length, strlen(path + sysroot_length) + 1);
	else
		strcpy(path, "/");
}

/*
 * A walk through the sysroot. `done` is the part that is resolved, relative to the sysroot, without
 * links, "." and "..", and without slash at either end. `rest` is still to be walked.
 */
struct walk {
	char done[PATH_MAX];
	char rest[PATH_MAX];
	size_t done_length;
	int links;
	unsigned int flags;
};

enum walk_result {
	WALK_FOUND,
	WALK_NEW,     /* only the last component is missing */
	WALK_MISSING, /* so is its directory */
	WALK_HOST,    /* done/rest is the host's */
};

static enum ownership ownership_of(const char *done)
{
	for (size_t i = 0; i < ARRAY_SIZE(host_directories); i++)
		if (!strcmp(host_directories[i].name, done))
			return host_directories[i].ownership;
	return OVERLAY;
}

/* Does the host have something of this name, be it a link to nowhere? */
static bool exists_on_host(const char *path)
{
	char first;
	s64 result = host_call(SYS_readlink, path, &first, 1); /* EINVAL: no link, but there */

	return result != -ENOENT && result != -ENOTDIR;
}

static bool walk_exists_on_host(const struct walk *walk)
{
	char name[PATH_MAX];
	int n = snprintf(name, sizeof(name), "/%s%s%s", walk->done, *walk->rest ? "/" : "",
			 walk->rest);

	return n < PATH_MAX && exists_on_host(name);
}

/* Does a relative path lead above its directory, read as text? */
static bool climbs_out(const char *path)
{
	int depth = 0;

	while (*(path += strspn(path, "/"))) {
		size_t length = strcspn(path, "/");

		if (length == 2 && !memcmp(path, "..", 2)) {
			if (--depth < 0)
				return true;
		} else if (length != 1 || *path != '.') {
			depth++;
		}
		path += length;
	}
	return false;
}

/* Take the next component off `rest` into `name`. Return: its length, 0 at the end. */
static size_t next_component(struct walk *walk, char *name)
{
	const char *start = walk->rest + strspn(walk->rest, "/");
	size_t length = strcspn(start, "/");

	memcpy(name, start, length);
	name[length] = 0;
	start += length;
	start += strspn(start, "/");
	memmove(walk->rest, start, strlen(start) + 1);
	return length;
}

static void drop_last(struct walk *walk)
{
	char *slash = memrchr(walk->done, '/', walk->done_length);

	walk->done_length = slash ? (size_t)(slash - walk->done) : 0;
	walk->done[walk->done_length] = 0;
}

static int append(struct walk *walk, const char *name, size_t length)
{
	if (walk->done_length + length + 2 > PATH_MAX)
		return -ENAMETOOLONG;
	if (walk->done_length)
		walk->done[walk->done_length++] = '/';
	memcpy(walk->done + walk->done_length, name, length + 1);
	walk->done_length += length;
	return 0;
}

/* `done` ends in a link with this target: put the target before `rest`. */
static int follow(struct walk *walk, const char *target, size_t length)
{
	size_t rest = strlen(walk->rest);

	if (++walk->links > LINKS_MAX)
		return -ELOOP;
	if (length + rest + 2 > PATH_MAX)
		return -ENAMETOOLONG;
	memmove(walk->rest + length + 1, walk->rest, rest + 1);
	memcpy(walk->rest, target, length);
	walk->rest[length] = rest ? '/' : 0;
	if (target[0] == '/')
		walk->done_length = 0;
	else
		drop_last(walk);
	walk->done[walk->done_length] = 0;
	return 0;
}

static bool belongs_to_host(const struct walk *walk)
{
	switch (ownership_of(walk->done)) {
	case HOST_ONLY:
		return !climbs_out(walk->rest);
	case HOST_FIRST:
		return !climbs_out(walk->rest) &&
		       ((walk->flags & PATH_CREATE) || walk_exists_on_host(walk));
	case OVERLAY:
		break;
	}
	return false;
}

/* Return: enum walk_result or a negative errno. */
static int walk_sysroot(struct walk *walk, bool slash_at_end)
{
	char name[PATH_MAX], target[PATH_MAX];
	bool last, keep;
	size_t length;
	int error;
	s64 n;

	while ((length = next_component(walk, name))) {
		if (!strcmp(name, "."))
			continue;
		if (!strcmp(name, "..")) {
			drop_last(walk);
			continue;
		}
		error = append(walk, name, length);
		if (error)
			return error;
		if (belongs_to_host(walk))
			return WALK_HOST;
		last = !*walk->rest;
		keep = last && (walk->flags & PATH_NOFOLLOW) && !slash_at_end;
		n = host_call(SYS_readlinkat, sysroot_fd, walk->done, target, sizeof(target) - 1);
		if (n == -ENOENT)
			return last ? WALK_NEW : WALK_MISSING;
		if (n == -ENOTDIR)
			return WALK_MISSING;
		if (n < 0 || keep) /* -EINVAL: not a link; others: for the real call to report */
			continue;
		target[n] = 0;
		error = follow(walk, target, (size_t)n);
		if (error)
			return error;
	}
	return WALK_FOUND;
}

/* What a path ends with that decides how its last component is taken: "", "/" or "/.". */
static const char *path_tail(const char *path)
{
	size_t n = strlen(path);

	if (n >= 2 && path[n - 1] == '.' && path[n - 2] == '/')
		return "/.";
	return n && path[n - 1] == '/' ? "/" : "";
}

/*
 * Is this name, relative to the sysroot, in a directory that belongs to the sysroot alone? Then
 * what is missing there is missing (rule 3 of path.h).
 */
static bool sysroot_only(const char *done)
{
	static const char *const system[] = {"usr/", "lib/", "lib64/", "lib32/", "bin/", "sbin/"};
	static const char *const local[] = {"usr/local", "usr/src"};

	for (size_t i = 0; i < ARRAY_SIZE(local); i++)
		if (!strncmp(done, local[i], strlen(local[i])) &&
		    (done[strlen(local[i])] == '/' || !done[strlen(local[i])]))
			return false;
	for (size_t i = 0; i < ARRAY_SIZE(system); i++)
		if (!strncmp(done, system[i], strlen(system[i])))
			return true;
	return false;
}

/* An absolute guest path, with a sysroot. */
static int resolve_overlay(const char *path, unsigned int flags, char *out)
{
	const char *tail = path_tail(path), *root = sysroot;
	struct walk walk = {.flags = flags};
	int result, n;

	if (strlen(path) >= sizeof(walk.rest))
		return -ENAMETOOLONG;
	strcpy(walk.rest, path);
	result = walk_sysroot(&walk, *tail);
	if (result < 0)
		return result;
	switch ((enum walk_result)result) {
	case WALK_HOST:
		root = "";
		if (*walk.rest || *tail != '/')
			tail = "";
		break;
	case WALK_FOUND:
		if (!*walk.done)
			tail = "";
		break;
	case WALK_NEW:
	case WALK_MISSING:
		if (sysroot_only(walk.done))
			break;
		if (result == WALK_NEW && (flags & PATH_CREATE) && !exists_on_host(path))
			break;
		/* Under its own name: links that were followed are the sysroot's. */
		strcpy(out, path);
		return 0;
	}
	/* What was not walked keeps its own end. */
	n = snprintf(out, PATH_MAX, "%s/%s%s%s%s", root, walk.done, *walk.rest ? "/" : "",
		     walk.rest, *walk.rest ? "" : tail);
	return n < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* Host path of an open file, or of the working directory. Return: false if there is none. */
static bool base_directory(int dirfd, char *out)
{
	char link[40];
	s64 n;

	if (dirfd == AT_FDCWD)
		return host_call(SYS_getcwd, out, PATH_MAX) > 0 && out[0] == '/';
	snprintf(link, sizeof(link), "/proc/self/fd/%d", dirfd);
	n = host_call(SYS_readlink, link, out, PATH_MAX - 1);
	if (n <= 0 || out[0] != '/')
		return false;
	out[n] = 0;
	return true;
}

bool path_descriptor_in_sysroot(int fd)
{
	char path[PATH_MAX];

	return base_directory(fd, path) && path_in_sysroot(path);
}

static bool all_digits(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] < '0' || s[i] > '9')
			return false;
	return n;
}

/* If `path` begins with the component `name`, or with the caller's number: what follows it. */
static const char *skip_self(const char *path, const char *name, bool number)
{
	size_t n = strcspn(path, "/");

	if (!(strlen(name) == n && !memcmp(path, name, n)) &&
	    !(number && all_digits(path, n) && strtol(path, NULL, 10) == getpid()))
		return NULL;
	return path + n + strspn(path + n, "/");
}

const char *path_proc_self(const char *path)
{
	const char *rest, *task;

	if (strncmp(path, "/proc/", 6))
		return NULL;
	path += 6 + strspn(path + 6, "/");
	rest = skip_self(path, "thread-self", false);
	if (rest)
		return rest;
	rest = skip_self(path, "self", true);
	if (!rest)
		return NULL;
	task = skip_self(rest, "task", false);
	if (task && *task)
		task = skip_self(task, "", true);
	return task && *task ? task : rest;
}

/* Names that mean something else for the guest when they are found in /proc. */
static bool maybe_proc_name(const char *path)
{
	static const char *const names[] = {"exe",     "maps",	  "smaps",     "auxv",
					    "cmdline", "environ", "stat",      "status",
					    "cpuinfo", "version", "osrelease", "root",
					    "comm"};
	const char *last = strrchr(path, '/');

	last = last ? last + 1 : path;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(last, names[i]))
			return true;
	return all_digits(last, strlen(last)); /* perhaps a thread */
}

/* Links of /proc/self that lead elsewhere for the guest. Changes `out` where they do. */
static int resolve_proc_links(struct task *task, unsigned int flags, struct host_path *out)
{
	char rest[PATH_MAX];
	const char *self;

	if (task)
		proc_task_path(task, out->path);
	self = path_proc_self(out->path);
	if (!self)
		return 0;
	if (!strcmp(self, "exe") && !(flags & PATH_NOFOLLOW)) {
		if (task && task->process->exe_fd >= 0)
			snprintf(out->path, sizeof(out->path), "/proc/self/fd/%d",
				 task->process->exe_fd);
		return 0;
	}
	if (sysroot_length && !strncmp(self, "root", 4) &&
	    (self[4] == '/' || (!self[4] && !(flags & PATH_NOFOLLOW)))) {
		strcpy(rest, self[4] ? self + 4 : "/");
		return resolve_overlay(rest, flags, out->path);
	}
	return 0;
}

/*
 * If an absolute path names something inside the sysroot by the host's name for it, read as text:
 * what follows the sysroot's name. Else NULL.
 */
static const char *inside_sysroot(const char *path)
{
	const char *root = sysroot;

	if (!sysroot_length)
		return NULL;
	while (*root) {
		size_t length = strcspn(++root, "/");

		path += strspn(path, "/");
		while (path[0] == '.' && path[1] == '/')
			path += 1 + strspn(path + 1, "/");
		if (strncmp(path, root, length) || (path[length] && path[length] != '/'))
			return NULL;
		path += length;
		root += length;
	}
	if (climbs_out(path))
		return NULL;
	return *path ? path : "/";
}

int path_resolve(struct task *task, int dirfd, const char *path, unsigned int flags,
		 struct host_path *out)
{
	char whole[PATH_MAX];
	size_t length = strlen(path), base;
	const char *inside;
	bool on_host;
	int error;

	if (length >= PATH_MAX)
		return -ENAMETOOLONG;
	out->dirfd = dirfd;
	memcpy(out->path, path, length + 1);
	if (!length)
		return 0;
	if (path[0] != '/') {
		if (!sysroot_length && !maybe_proc_name(path))
			return 0;
		if (!base_directory(dirfd, whole))
			return 0;
		on_host = !path_in_sysroot(whole);
		path_to_guest(whole);
		base = strlen(whole);
		if (base + 1 + length >= PATH_MAX)
			return on_host ? 0 : -ENAMETOOLONG;
		whole[base] = '/';
		memcpy(whole + base + 1, path, length + 1);
		if (on_host && strncmp(whole, "/proc", 5) && !inside_sysroot(whole))
			return 0;
		path = whole;
	}
	out->dirfd = AT_FDCWD;
	if (sysroot_length) {
		inside = inside_sysroot(path);
		error = resolve_overlay(inside ?: path, flags, out->path);
		if (error)
			return error;
	} else if (path == whole) {
		strcpy(out->path, whole);
	}
	return resolve_proc_links(task, flags, out);
}

int path_from_user(struct task *task, int dirfd, u64 address, unsigned int flags,
		   struct host_path *out)
{
	char path[PATH_MAX];
	s64 length = strncpy_from_user(task, path, address, sizeof(path));

	if (length < 0)
		return (int)length;
	return path_resolve(task, dirfd, path, flags, out);
}

int path_quick_root(const char *path)
{
	const char *name = path + strspn(path, "/");

	if (!sysroot_length || path[0] != '/')
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(host_directories); i++) {
		size_t n = strlen(host_directories[i].name);

		if (!strncmp(name, host_directories[i].name, n) && (!name[n] || name[n] == '/'))
			return -1;
	}
	return sysroot_fd;
}
