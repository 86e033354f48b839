// SPDX-License-Identifier: MIT
/*
 * ioctl: numbers and terminal structures of powerpc.
 */
#define _GNU_SOURCE
#include <asm/ioctls.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <linux/userfaultfd.h>
#include <net/if.h>
#include <sys/ioctl.h>

#include "base/log.h"
#include "base/private_fd.h"
#include "linux/mm.h"
#include "linux/powerpc_abi.h"
#include "linux/syscall_pass.h"

/* TCGETS2, whose macro needs a structure that <termios.h> forbids to include. */
#define HOST_TCGETS2 _IOR('T', 0x2A, struct host_termios2)

static s64 get_terminal(struct task *task, int fd, u64 address, enum termios_kind kind)
{
	struct host_termios2 host;
	struct ppc_termios termios;
	struct ppc_termio termio;
	s64 result = host_call(SYS_ioctl, fd, HOST_TCGETS2, &host);

	if (result < 0)
		return result;
	if (kind == TERMIO_GET) {
		termio_from_host(&host, &termio);
		return put_user(task, termio, address);
	}
	termios_from_host(&host, &termios);
	return put_user(task, termios, address);
}

static s64 set_terminal(struct task *task, int fd, u32 request, u64 address, enum termios_kind kind)
{
	struct host_termios2 host = {0};
	struct ppc_termios termios;
	struct ppc_termio termio;
	s64 result;

	if (kind == TERMIO_SET) {
		result = host_call(SYS_ioctl, fd, HOST_TCGETS2, &host);
		if (result < 0)
			return result;
		if (get_user(task, &termio, address))
			return -EFAULT;
		termio_to_host(&termio, &host);
	} else {
		if (get_user(task, &termios, address))
			return -EFAULT;
		termios_to_host(&termios, &host);
	}
	/* Can sleep: output is drained first, or a background process stopped. */
	return task_syscall(task, SYS_ioctl, fd, request, &host);
}

/* Room that requests without a size in their number may fill. */
#define UNKNOWN_SIZE 256

static int prepare_argument(struct task *task, u32 request, u64 argument)
{
	u64 size = _IOC_SIZE(request);
	void *out;

	if (_IOC_DIR(request) == _IOC_NONE) {
		/* An address or a number. Small ones are no address; no other may be powertm's. */
		if (argument < MM_MIN_ADDRESS)
			return 0;
		return user_write_buffer(task, argument, UNKNOWN_SIZE, &out);
	}
	if (_IOC_DIR(request) & _IOC_READ)
		return user_write_buffer(task, argument, size, &out);
	return user_read_in_place(task, argument, size);
}

/* The list of interfaces: the structure holds a pointer. */
static int prepare_ifconf(struct task *task, u64 address)
{
	struct ifconf conf;
	void *out;

	if (get_user(task, &conf, address))
		return -EFAULT;
	if (!conf.ifc_buf)
		return 0;
	return user_write_buffer(task, (u64)(uintptr_t)conf.ifc_buf, (u32)conf.ifc_len, &out);
}

/* Events for which somebody would wait who has stopped the one that is to read them. */
#define UFFD_EVENTS                                                                                \
	(UFFD_FEATURE_EVENT_FORK | UFFD_FEATURE_EVENT_REMAP | UFFD_FEATURE_EVENT_REMOVE |          \
	 UFFD_FEATURE_EVENT_UNMAP)

/*
 * Requests of userfaultfd hold addresses, which must be the guest's. Its pages are the host's: a
 * fault is reported, and served, for 4 KiB, but a program that serves 64 KiB at a time does no
 * harm.
 */
static int prepare_userfault(struct task *task, u32 request, u64 address)
{
	struct uffdio_api api;
	struct uffdio_copy copy;
	struct uffdio_range range;

	switch (request) {
	case UFFDIO_API:
		if (get_user(task, &api, address))
			return -EFAULT;
		return api.features & UFFD_EVENTS ? -EINVAL : 0;
	case UFFDIO_COPY:
		if (get_user(task, &copy, address))
			return -EFAULT;
		return user_range_ok(copy.dst, copy.len) && user_range_ok(copy.src, copy.len)
			       ? 0
			       : -EINVAL;
	case UFFDIO_REGISTER:
	case UFFDIO_UNREGISTER:
	case UFFDIO_WAKE:
	case UFFDIO_ZEROPAGE:
		if (get_user(task, &range, address))
			return -EFAULT;
		return user_range_ok(range.start, range.len) ? 0 : -EINVAL;
	default:
		return -ENOTTY;
	}
}

struct write_protection {
	int fd;
	struct uffdio_writeprotect argument;
};

static s64 change_write_protection(void *context)
{
	struct write_protection *w = context;

	return host_call(SYS_ioctl, w->fd, UFFDIO_WRITEPROTECT, &w->argument);
}

/*
 * The only request of userfaultfd that takes something away: a commit must not be the one that waits
 * for the handler. The others give, and must wait for nobody (R4 in docs/tm.md).
 */
static s64 userfault_protect(struct task *task, int fd, u64 address)
{
	struct write_protection w = {.fd = fd};

	if (get_user(task, &w.argument, address))
		return -EFAULT;
	if (!user_range_ok(w.argument.range.start, w.argument.range.len))
		return -EINVAL;
	return mm_change(task->process->mm, w.argument.range.start, w.argument.range.len,
			 change_write_protection, &w);
}

s64 sys_ioctl(struct task *task, const u64 args[6])
{
	int fd = (int)args[0];
	u32 guest = (u32)args[1], request;
	enum termios_kind kind = ioctl_termios(guest, &request);
	int error;

	if (private_fd_is(fd))
		return -EBADF;
	switch (kind) {
	case TERMIOS_GET:
	case TERMIO_GET:
		return get_terminal(task, fd, args[2], kind);
	case TERMIOS_SET:
	case TERMIO_SET:
		return set_terminal(task, fd, request, args[2], kind);
	case TERMIOS_NONE:
		break;
	}
	request = ioctl_to_host(guest);
	if (!request) {
		log_line(LOG_UNIMPLEMENTED, "ioctl 0x%x is not known", guest);
		return host_call(SYS_fcntl, fd, F_GETFD) < 0 ? -EBADF : -ENOTTY;
	}
	if (request == UFFDIO_WRITEPROTECT)
		return userfault_protect(task, fd, args[2]);
	error = prepare_argument(task, request, args[2]);
	if (!error && request == SIOCGIFCONF)
		error = prepare_ifconf(task, args[2]);
	if (!error && _IOC_TYPE(request) == UFFDIO)
		error = prepare_userfault(task, request, args[2]);
	if (error)
		return error;
	return task_syscall(task, SYS_ioctl, fd, request, args[2]);
}
