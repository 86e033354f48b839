// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "base/private_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#define PRIVATE_FD_MAX 16
/*
 * The kernel's descriptor table has a pointer for each number up to the highest one in use, and
 * fork copies it: a huge soft limit must not make it huge.
 */
#define PRIVATE_FD_CEILING 4096

static int *registered[PRIVATE_FD_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Duplicate to a high number that is not @avoid. Return: the number or -EMFILE. */
static int duplicate_high(int fd, int avoid)
{
	struct rlimit limit, raised;
	int base, result = -1;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return -EMFILE;
	base = (int)MIN(limit.rlim_cur, PRIVATE_FD_CEILING);
	raised = limit;
	if ((rlim_t)base + 4 * PRIVATE_FD_MAX <= limit.rlim_max) {
		raised.rlim_cur = MAX(limit.rlim_cur, (rlim_t)base + 4 * PRIVATE_FD_MAX);
		setrlimit(RLIMIT_NOFILE, &raised);
	} else {
		base = MAX(base - PRIVATE_FD_MAX, 3);
	}
	if (avoid >= base)
		result = fcntl(fd, F_DUPFD_CLOEXEC, avoid + 1);
	if (result < 0)
		result = fcntl(fd, F_DUPFD_CLOEXEC, base);
	if (result == avoid && result >= 0) {
		/* Only a descriptor freed in between can bring this about. */
		close(result);
		result = -1;
	}
	if (raised.rlim_cur != limit.rlim_cur)
		setrlimit(RLIMIT_NOFILE, &limit);
	return result < 0 ? -EMFILE : result;
}

int private_fd_adopt(int *fd)
{
	int high, result = -EMFILE;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < PRIVATE_FD_MAX; i++) {
		if (registered[i])
			continue;
		high = duplicate_high(*fd, -1);
		if (high >= 0) {
			close(*fd);
			*fd = high;
		} else {
			fcntl(*fd, F_SETFD, FD_CLOEXEC);
		}
		registered[i] = fd;
		result = 0;
		break;
	}
	pthread_mutex_unlock(&lock);
	return result;
}

void private_fd_close(int *fd)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; i < PRIVATE_FD_MAX; i++)
		if (registered[i] == fd)
			registered[i] = NULL;
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	pthread_mutex_unlock(&lock);
}

bool private_fd_is(int fd)
{
	/* No lock: an entry changes only while the number is claimed by private_fd_yield(). */
	for (int i = 0; i < PRIVATE_FD_MAX; i++) {
		const int *entry = __atomic_load_n(&registered[i], __ATOMIC_RELAXED);

		if (entry && __atomic_load_n(entry, __ATOMIC_RELAXED) == fd)
			return true;
	}
	return false;
}

int private_fd_yield(int fd)
{
	int moved, result = 0;

	if (!private_fd_is(fd))
		return 0;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < PRIVATE_FD_MAX; i++) {
		if (!registered[i] || *registered[i] != fd)
			continue;
		moved = duplicate_high(fd, fd);
		if (moved < 0) {
			result = moved;
			break;
		}
		__atomic_store_n(registered[i], moved, __ATOMIC_RELAXED);
		close(fd);
		break;
	}
	pthread_mutex_unlock(&lock);
	return result;
}

int private_fd_next(unsigned int from)
{
	int next = -1;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < PRIVATE_FD_MAX; i++) {
		if (!registered[i] || *registered[i] < 0 || (unsigned int)*registered[i] < from)
			continue;
		if (next < 0 || *registered[i] < next)
			next = *registered[i];
	}
	pthread_mutex_unlock(&lock);
	return next;
}
