// SPDX-License-Identifier: MIT
/*
 * Sockets. Addresses, message headers and control messages have the same bytes on both sides; some
 * options have other numbers.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

#include "linux/path.h"
#include "linux/powerpc_abi.h"
#include "linux/syscall_pass.h"

/*
 * A call on a socket with a timeout (SO_RCVTIMEO, SO_SNDTIMEO) is not restarted after a signal:
 * sock_intr_errno() of Linux.
 */
static s64 socket_result(int fd, int timeout_option, s64 result)
{
	struct timeval timeout = {0};
	socklen_t size = sizeof(timeout);

	if (result != -ERESTARTSYS)
		return result;
	if (host_call(SYS_getsockopt, fd, SOL_SOCKET, timeout_option, &timeout, &size))
		return result;
	return timeout.tv_sec || timeout.tv_usec ? -EINTR : result;
}

PASS(socket)
PASS(socketpair, OUT(3, 8))
PASS(listen)
PASS(shutdown)

/* A name in the file system, as the host must hear it; others are copied. */
static int address_from_user(struct task *task, u64 address, u64 length, unsigned int how,
			     struct sockaddr_storage *out, socklen_t *out_length)
{
	struct sockaddr_un *un = (struct sockaddr_un *)out;
	const size_t offset = offsetof(struct sockaddr_un, sun_path);
	struct host_path file;
	char path[sizeof(un->sun_path) + 1];
	size_t n;
	int error;

	if ((int)length < 0 || length > sizeof(*out))
		return -EINVAL;
	memset(out, 0, sizeof(*out));
	if (copy_from_user(task, out, address, length))
		return -EFAULT;
	*out_length = (socklen_t)length;
	if (length <= offset || length > sizeof(*un) || out->ss_family != AF_UNIX ||
	    !un->sun_path[0])
		return 0;
	n = strnlen(un->sun_path, length - offset);
	memcpy(path, un->sun_path, n);
	path[n] = 0;
	error = path_resolve(task, AT_FDCWD, path, how, &file);
	if (error)
		return error;
	n = strlen(file.path);
	if (n >= sizeof(un->sun_path))
		return -ENAMETOOLONG;
	memcpy(un->sun_path, file.path, n + 1);
	*out_length = (socklen_t)(offset + n + 1);
	return 0;
}

s64 sys_bind(struct task *task, const u64 args[6])
{
	struct sockaddr_storage address;
	socklen_t length;
	int error = address_from_user(task, args[1], (u32)args[2], PATH_CREATE | PATH_NOFOLLOW,
				      &address, &length);

	return error ? error : host_call(SYS_bind, args[0], &address, length);
}

s64 sys_connect(struct task *task, const u64 args[6])
{
	struct sockaddr_storage address;
	socklen_t length;
	int error = address_from_user(task, args[1], (u32)args[2], 0, &address, &length);

	if (error)
		return error;
	return socket_result((int)args[0], SO_SNDTIMEO,
			     task_syscall(task, SYS_connect, args[0], &address, length));
}

/* Give an address to the guest; the length it has room for is at @length_address. */
static int address_to_user(struct task *task, const struct sockaddr_storage *from, socklen_t length,
			   u64 address, u64 length_address)
{
	struct sockaddr_storage guest = *from;
	struct sockaddr_un *un = (struct sockaddr_un *)&guest;
	const size_t offset = offsetof(struct sockaddr_un, sun_path);
	s32 room;

	if (get_user(task, &room, length_address))
		return -EFAULT;
	if (room < 0)
		return -EINVAL;
	if (guest.ss_family == AF_UNIX && length > offset && un->sun_path[0] == '/' &&
	    length <= sizeof(*un)) {
		char path[sizeof(un->sun_path) + 1];
		size_t n = strnlen(un->sun_path, length - offset);

		memcpy(path, un->sun_path, n);
		path[n] = 0;
		if (path_in_sysroot(path)) {
			path_to_guest(path);
			strcpy(un->sun_path, path);
			length = (socklen_t)(offset + strlen(path) + 1);
		}
	}
	if (copy_to_user(task, address, &guest, MIN((u64)room, length)))
		return -EFAULT;
	return put_user(task, (s32)length, length_address);
}

static s64 get_name(struct task *task, long number, const u64 args[6])
{
	struct sockaddr_storage address = {0};
	socklen_t length = sizeof(address);
	s64 result = host_call(number, args[0], &address, &length);

	return result < 0 ? result : address_to_user(task, &address, length, args[1], args[2]);
}

s64 sys_getsockname(struct task *task, const u64 args[6])
{
	return get_name(task, SYS_getsockname, args);
}

s64 sys_getpeername(struct task *task, const u64 args[6])
{
	return get_name(task, SYS_getpeername, args);
}

static s64 accept_socket(struct task *task, int fd, u64 address, u64 length_address, u32 flags)
{
	struct sockaddr_storage peer = {0};
	socklen_t length = sizeof(peer);
	s64 result;
	int error;

	result = task_syscall(task, SYS_accept4, fd, address ? &peer : NULL,
			      address ? &length : NULL, flags);
	result = socket_result(fd, SO_RCVTIMEO, result);
	if (result < 0 || !address)
		return result;
	error = address_to_user(task, &peer, length, address, length_address);
	if (error) {
		host_call(SYS_close, result);
		return error;
	}
	return result;
}

s64 sys_accept(struct task *task, const u64 args[6])
{
	return accept_socket(task, (int)args[0], args[1], args[2], 0);
}

s64 sys_accept4(struct task *task, const u64 args[6])
{
	return accept_socket(task, (int)args[0], args[1], args[2], (u32)args[3]);
}

s64 sys_sendto(struct task *task, const u64 args[6])
{
	struct sockaddr_storage address;
	socklen_t length = 0;
	const void *data;
	int error = user_read_buffer(task, args[1], args[2], &data);
	s64 result;

	if (!error && args[4])
		error = address_from_user(task, args[4], (u32)args[5], 0, &address, &length);
	if (error)
		return error;
	result = task_syscall(task, SYS_sendto, args[0], data, args[2], args[3],
			      args[4] ? &address : NULL, length);
	return socket_result((int)args[0], SO_SNDTIMEO, result);
}

s64 sys_send(struct task *task, const u64 args[6])
{
	const u64 full[6] = {args[0], args[1], args[2], args[3], 0, 0};

	return sys_sendto(task, full);
}

s64 sys_recvfrom(struct task *task, const u64 args[6])
{
	struct sockaddr_storage address = {0};
	socklen_t length = sizeof(address);
	void *data;
	int error = user_write_buffer(task, args[1], args[2], &data);
	s64 result;

	if (error)
		return error;
	result = task_syscall(task, SYS_recvfrom, args[0], data, args[2], args[3],
			      args[4] ? &address : NULL, args[4] ? &length : NULL);
	result = socket_result((int)args[0], SO_RCVTIMEO, result);
	if (result >= 0 && args[4])
		error = address_to_user(task, &address, length, args[4], args[5]);
	return error ? error : result;
}

s64 sys_recv(struct task *task, const u64 args[6])
{
	const u64 full[6] = {args[0], args[1], args[2], args[3], 0, 0};

	return sys_recvfrom(task, full);
}

/* A message header in the host's terms, and what it points to. */
struct message {
	struct msghdr guest; /* as read; same bytes on both sides */
	struct msghdr host;
	struct sockaddr_storage name;
	struct iovec iov[USER_IOV_MAX];
};

static int message_from_user(struct task *task, u64 address, bool receive, struct message *m)
{
	struct msghdr *guest = &m->guest;
	void *out;
	int error;

	if (get_user(task, guest, address))
		return -EFAULT;
	if (guest->msg_iovlen > USER_IOV_MAX)
		return -EMSGSIZE;
	error = user_iovec(task, (u64)(uintptr_t)guest->msg_iov, guest->msg_iovlen, receive,
			   m->iov);
	if (error)
		return error;
	m->host = *guest;
	m->host.msg_iov = m->iov;
	if (guest->msg_control && guest->msg_controllen) {
		u64 control = (u64)(uintptr_t)guest->msg_control;

		error = receive ? user_write_buffer(task, control, guest->msg_controllen, &out)
				: user_read_in_place(task, control, guest->msg_controllen);
		if (error)
			return error;
	}
	if (!guest->msg_name)
		return 0;
	m->host.msg_name = &m->name;
	if (receive) {
		m->host.msg_namelen = sizeof(m->name);
		return 0;
	}
	return address_from_user(task, (u64)(uintptr_t)guest->msg_name, guest->msg_namelen, 0,
				 &m->name, &m->host.msg_namelen);
}

/* After a message was received: the fields of the header that change. */
static int message_to_user(struct task *task, u64 address, struct message *m)
{
	u64 name = (u64)(uintptr_t)m->guest.msg_name;
	int error = 0;

	/* address_to_user() takes the room from the header and puts the length there. */
	if (name)
		error = address_to_user(task, &m->name, m->host.msg_namelen, name,
					address + offsetof(struct msghdr, msg_namelen));
	if (!error)
		error = put_user(task, m->host.msg_controllen,
				 address + offsetof(struct msghdr, msg_controllen));
	if (!error)
		error = put_user(task, m->host.msg_flags,
				 address + offsetof(struct msghdr, msg_flags));
	return error;
}

static s64 send_message(struct task *task, int fd, u64 address, u32 flags)
{
	struct message m;
	int error = message_from_user(task, address, false, &m);

	if (error)
		return error;
	return socket_result(fd, SO_SNDTIMEO, task_syscall(task, SYS_sendmsg, fd, &m.host, flags));
}

static s64 receive_message(struct task *task, int fd, u64 address, u32 flags)
{
	struct message m;
	int error = message_from_user(task, address, true, &m);
	s64 result;

	if (error)
		return error;
	result =
		socket_result(fd, SO_RCVTIMEO, task_syscall(task, SYS_recvmsg, fd, &m.host, flags));
	if (result < 0)
		return result;
	error = message_to_user(task, address, &m);
	return error ? error : result;
}

s64 sys_sendmsg(struct task *task, const u64 args[6])
{
	return send_message(task, (int)args[0], args[1], (u32)args[2]);
}

s64 sys_recvmsg(struct task *task, const u64 args[6])
{
	return receive_message(task, (int)args[0], args[1], (u32)args[2]);
}

/* struct mmsghdr: a header and a length, 64 bytes on both sides. */
static u64 message_place(u64 vector, u64 i)
{
	return vector + i * sizeof(struct mmsghdr);
}

static int put_message_length(struct task *task, u64 vector, u64 i, s64 length)
{
	u64 place = message_place(vector, i) + offsetof(struct mmsghdr, msg_len);

	return put_user(task, (u32)length, place);
}

s64 sys_sendmmsg(struct task *task, const u64 args[6])
{
	u64 count = MIN((u32)args[2], USER_IOV_MAX), done = 0;
	s64 result = 0;

	for (; done < count; done++) {
		result = send_message(task, (int)args[0], message_place(args[1], done),
				      (u32)args[3]);
		if (result >= 0)
			result = put_message_length(task, args[1], done, result) ?: result;
		if (result < 0)
			break;
	}
	return done ? (s64)done : result;
}

s64 sys_recvmmsg(struct task *task, const u64 args[6])
{
	u64 count = MIN((u32)args[2], USER_IOV_MAX), done = 0;
	u32 flags = (u32)args[3];
	struct timespec timeout, start, now;
	s64 result = 0;

	if (args[4] && get_user(task, &timeout, args[4]))
		return -EFAULT;
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (; done < count; done++) {
		result = receive_message(task, (int)args[0], message_place(args[1], done),
					 flags & ~(u32)MSG_WAITFORONE);
		if (result >= 0)
			result = put_message_length(task, args[1], done, result) ?: result;
		if (result < 0)
			break;
		if (flags & MSG_WAITFORONE)
			flags |= MSG_DONTWAIT;
		/* As in Linux the timeout is looked at after each message only. */
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (args[4] &&
		    (now.tv_sec - start.tv_sec) * 1000000000ll + now.tv_nsec - start.tv_nsec >=
			    timeout.tv_sec * 1000000000ll + timeout.tv_nsec) {
			done++;
			break;
		}
	}
	return done ? (s64)done : result;
}

static int option_number(int level, int option)
{
	return level == SOL_SOCKET ? socket_option_to_host(option) : option;
}

s64 sys_setsockopt(struct task *task, const u64 args[6])
{
	const void *value = NULL;
	int error = args[3] ? user_read_buffer(task, args[3], (u32)args[4], &value) : 0;

	if (error)
		return error;
	return host_call(SYS_setsockopt, args[0], args[1],
			 option_number((int)args[1], (int)args[2]), value, args[4]);
}

s64 sys_getsockopt(struct task *task, const u64 args[6])
{
	void *value = NULL, *length;
	s32 size;
	int error;

	if (get_user(task, &size, args[4]))
		return -EFAULT;
	if (size < 0)
		return -EINVAL;
	error = user_write_buffer(task, args[4], sizeof(size), &length);
	if (!error && args[3])
		error = user_write_buffer(task, args[3], (u32)size, &value);
	if (error)
		return error;
	return host_call(SYS_getsockopt, args[0], args[1],
			 option_number((int)args[1], (int)args[2]), value, length);
}

/* The old way to all of the above, by number: <linux/net.h>. */
s64 sys_socketcall(struct task *task, const u64 args[6])
{
	static const struct {
		syscall_fn *handler;
		u8 n;
	} calls[] = {
		{NULL, 0},	     {sys_socket, 3},	{sys_bind, 3},	      {sys_connect, 3},
		{sys_listen, 2},     {sys_accept, 3},	{sys_getsockname, 3}, {sys_getpeername, 3},
		{sys_socketpair, 4}, {sys_send, 4},	{sys_recv, 4},	      {sys_sendto, 6},
		{sys_recvfrom, 6},   {sys_shutdown, 2}, {sys_setsockopt, 5},  {sys_getsockopt, 5},
		{sys_sendmsg, 3},    {sys_recvmsg, 3},	{sys_accept4, 4},     {sys_recvmmsg, 5},
		{sys_sendmmsg, 4},
	};
	u32 call = (u32)args[0];
	u64 inner[6] = {0};

	if (!call || call >= ARRAY_SIZE(calls))
		return -EINVAL;
	if (copy_from_user(task, inner, args[1], calls[call].n * sizeof(inner[0])))
		return -EFAULT;
	return calls[call].handler(task, inner);
}
