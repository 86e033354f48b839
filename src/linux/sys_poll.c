// SPDX-License-Identifier: MIT
/*
 * Waiting for descriptors: poll, select, epoll; and the descriptors that exist to be waited for.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>
#include <time.h>

#include "linux/path.h"
#include "linux/powerpc_abi.h"
#include "linux/syscall_pass.h"

#define SIGSET_SIZE 8

/* A signal mask for the time of a call, given by address and size; 0: keep the mask as it is. */
static int use_mask(struct task *task, u64 address, u64 size)
{
	u64 set;

	if (!address)
		return 0;
	if (size != SIGSET_SIZE)
		return -EINVAL;
	if (get_user(task, &set, address))
		return -EFAULT;
	signal_set_temporary_mask(task, set);
	return 0;
}

/* At the end of such a call. @restart: what an interruption means. */
static s64 drop_mask(struct task *task, u64 address, s64 result, s64 restart)
{
	if (result == -ERESTARTSYS)
		return restart; /* delivery puts the old mask back */
	if (address)
		signal_restore_mask(task);
	return result;
}

static s64 now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static int prepare_pollfds(struct task *task, u64 fds, u64 count)
{
	void *out;

	return user_write_buffer(task, fds, (u32)count * sizeof(struct pollfd), &out);
}

/* poll until a point in time, in ns of the monotonic clock; args: fds, count, deadline. */
static s64 poll_until(struct task *task)
{
	const u64 *args = task->restart.args;
	s64 left = (s64)args[2] - now_ns();
	struct timespec timeout = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
	s64 result = prepare_pollfds(task, args[0], args[1]);

	if (result)
		return result;
	if (left < 0)
		timeout = (struct timespec){0};
	result = task_syscall(task, SYS_ppoll, args[0], args[1], &timeout, NULL, SIGSET_SIZE);
	return result == -ERESTARTSYS ? -ERESTART_RESTARTBLOCK : result;
}

s64 sys_poll(struct task *task, const u64 args[6])
{
	int timeout = (int)args[2];
	s64 result;

	if (timeout > 0) {
		task->restart = (struct restart_block){
			.function = poll_until,
			.args = {args[0], (u32)args[1], (u64)(now_ns() + timeout * 1000000ll)},
		};
		return poll_until(task);
	}
	/* Without end, or without waiting: the call itself can be made again. */
	result = prepare_pollfds(task, args[0], args[1]);
	if (result)
		return result;
	result = task_syscall(task, SYS_poll, args[0], args[1], args[2]);
	return result == -ERESTARTSYS ? -ERESTARTNOHAND : result;
}

s64 sys_ppoll(struct task *task, const u64 args[6])
{
	int error = prepare_pollfds(task, args[0], args[1]);
	void *out;
	s64 result;

	if (!error && args[2])
		error = user_write_buffer(task, args[2], sizeof(struct timespec), &out);
	if (!error)
		error = use_mask(task, args[3], args[4]);
	if (error)
		return error;
	/* The host writes the time that is left to the guest's timeout, as Linux does. */
	result = task_syscall(task, SYS_ppoll, args[0], args[1], args[2], NULL, SIGSET_SIZE);
	return drop_mask(task, args[3], result, -ERESTARTNOHAND);
}

static int prepare_select(struct task *task, const u64 args[6])
{
	u64 count = (u32)args[0], size = (count + 63) / 64 * 8;
	void *out;

	if (count > 1u << 30)
		return -EINVAL;
	for (int i = 1; i <= 4; i++) {
		/* Three sets, then a timeval or timespec, both of 16 bytes. */
		int error = args[i] ? user_write_buffer(task, args[i], i < 4 ? size : 16, &out) : 0;

		if (error)
			return error;
	}
	return 0;
}

s64 sys__newselect(struct task *task, const u64 args[6])
{
	int error = prepare_select(task, args);
	s64 result;

	if (error)
		return error;
	result = task_syscall(task, SYS_select, args[0], args[1], args[2], args[3], args[4]);
	return result == -ERESTARTSYS ? -ERESTARTNOHAND : result;
}

s64 sys_pselect6(struct task *task, const u64 args[6])
{
	struct {
		u64 set, size;
	} mask = {0};
	int error = prepare_select(task, args);
	s64 result;

	if (!error && args[5])
		error = get_user(task, &mask, args[5]);
	if (!error)
		error = use_mask(task, mask.set, mask.size);
	if (error)
		return error;
	result = task_syscall(task, SYS_pselect6, args[0], args[1], args[2], args[3], args[4]);
	return drop_mask(task, mask.set, result, -ERESTARTNOHAND);
}

PASS(epoll_create)
PASS(epoll_create1)

s64 sys_epoll_ctl(struct task *task, const u64 args[6])
{
	struct ppc_epoll_event guest;
	struct epoll_event host = {0};

	if ((int)args[1] != EPOLL_CTL_DEL) {
		if (get_user(task, &guest, args[3]))
			return -EFAULT;
		host.events = guest.events;
		host.data.u64 = guest.data;
	}
	return host_call(SYS_epoll_ctl, args[0], args[1], args[2], &host);
}

/* Most events handed over in one call; to give fewer than asked for is allowed. */
#define EPOLL_BATCH 512

static s64 put_events(struct task *task, u64 address, const struct epoll_event *events, s64 count)
{
	for (s64 i = 0; i < count; i++) {
		struct ppc_epoll_event guest = {
			.events = events[i].events,
			.data = events[i].data.u64,
		};
		u64 place = address + (u64)i * sizeof(guest);

		if (put_user(task, guest, place))
			return -EFAULT;
	}
	return count;
}

/* @number: SYS_epoll_wait with milliseconds or SYS_epoll_pwait2 with a timespec. */
static s64 wait_events(struct task *task, long number, int fd, u64 address, int count, u64 timeout,
		       u64 mask, u64 mask_size)
{
	struct epoll_event events[EPOLL_BATCH];
	s64 result;
	int error;

	if (count <= 0 || (u64)count > INT32_MAX / sizeof(struct ppc_epoll_event))
		return -EINVAL;
	if (!user_range_ok(address, (u64)count * sizeof(struct ppc_epoll_event)))
		return -EFAULT;
	error = use_mask(task, mask, mask_size);
	if (error)
		return error;
	result = task_syscall(task, number, fd, events, MIN(count, EPOLL_BATCH), timeout, NULL,
			      SIGSET_SIZE);
	if (result > 0)
		result = put_events(task, address, events, result);
	return drop_mask(task, mask, result, -EINTR);
}

s64 sys_epoll_wait(struct task *task, const u64 args[6])
{
	return wait_events(task, SYS_epoll_wait, (int)args[0], args[1], (int)args[2], args[3], 0,
			   0);
}

s64 sys_epoll_pwait(struct task *task, const u64 args[6])
{
	return wait_events(task, SYS_epoll_wait, (int)args[0], args[1], (int)args[2], args[3],
			   args[4], args[5]);
}

s64 sys_epoll_pwait2(struct task *task, const u64 args[6])
{
	int error = args[3] ? user_read_in_place(task, args[3], sizeof(struct timespec)) : 0;

	if (error)
		return error;
	return wait_events(task, SYS_epoll_pwait2, (int)args[0], args[1], (int)args[2], args[3],
			   args[4], args[5]);
}

PASS(eventfd)
PASS(eventfd2)
PASS(timerfd_create)
PASS(userfaultfd) /* its ioctls: sys_ioctl.c */
PASS(timerfd_settime, IN(2, sizeof(struct itimerspec)), OUT(3, sizeof(struct itimerspec)))
PASS(timerfd_gettime, OUT(1, sizeof(struct itimerspec)))
PASS(inotify_init)
PASS(inotify_init1)
PASS(inotify_rm_watch)

s64 sys_inotify_add_watch(struct task *task, const u64 args[6])
{
	struct host_path file;
	unsigned int how = args[2] & IN_DONT_FOLLOW ? PATH_NOFOLLOW : 0;
	int error = path_from_user(task, AT_FDCWD, args[1], how, &file);

	return error ? error : host_call(SYS_inotify_add_watch, args[0], file.path, args[2]);
}

/*
 * The guest's mask is that of the host thread, so its blocked signals wait in the host kernel,
 * where the host's signalfd finds them.
 */
PASS(signalfd, IN(1, SIGSET_SIZE))
PASS(signalfd4, IN(1, SIGSET_SIZE))
