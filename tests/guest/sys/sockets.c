// SPDX-License-Identifier: MIT
/* Sockets: unix and inet, options with powerpc's own numbers, control messages. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static void options(void)
{
	int fd = (int)MUST(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), value = 1;
	struct timeval time = {1, 500000}, got = {0, 0};
	struct linger linger = {1, 7};
	socklen_t size = sizeof(got);

	CHECK(fcntl(fd, F_GETFD) == FD_CLOEXEC);
	SHOW(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time)));
	SHOW(getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &got, &size));
	printf("receive timeout %ld.%06ld size %u\n", (long)got.tv_sec, (long)got.tv_usec, size);
	got = (struct timeval){9, 9};
	SHOW(getsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &got, &size));
	printf("send timeout %ld.%06ld\n", (long)got.tv_sec, (long)got.tv_usec);
	value = 5;
	SHOW(setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &value, sizeof(value)));
	value = 0;
	size = sizeof(value);
	SHOW(getsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &value, &size));
	printf("low water mark %d\n", value);
	value = 1;
	SHOW(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &value, sizeof(value)));
	SHOW(setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &value, sizeof(value)));
	SHOW(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)));
	SHOW(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &value, sizeof(value)));
	size = sizeof(value);
	SHOW(getsockopt(fd, SOL_SOCKET, SO_TYPE, &value, &size));
	printf("type %d\n", value);
	SHOW(getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &value, &size));
	printf("domain %d\n", value);
	SHOW(getsockopt(fd, SOL_SOCKET, SO_ERROR, &value, &size));
	SHOW(getsockopt(fd, SOL_SOCKET, 9999, &value, &size));
	SHOW(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, (void *)16, 4));
	SHOW(setsockopt(0, SOL_SOCKET, SO_REUSEADDR, &value, 4));
	close(fd);
	SHOW(socket(999, SOCK_STREAM, 0));
}

static void credentials(void)
{
	char control[256], data[8] = "";
	struct iovec iov = {data, sizeof(data)};
	struct msghdr message = {.msg_iov = &iov,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof(control)};
	struct cmsghdr *c;
	struct ucred cred;
	socklen_t size = sizeof(cred);
	int s[2], on = 1, p[2];

	MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	SHOW(getsockopt(s[0], SOL_SOCKET, SO_PEERCRED, &cred, &size));
	CHECK(cred.pid == getpid() && cred.uid == geteuid() && cred.gid == getegid());
	SHOW(setsockopt(s[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)));
	SHOW(send(s[0], "abc", 3, 0));
	SHOW(recvmsg(s[1], &message, 0));
	c = CMSG_FIRSTHDR(&message);
	CHECK(c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS);
	if (c) {
		memcpy(&cred, CMSG_DATA(c), sizeof(cred));
		CHECK(cred.pid == getpid());
	}
	on = 0;
	SHOW(setsockopt(s[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)));
	MUST(pipe(p));
	message.msg_controllen = CMSG_SPACE(sizeof(int));
	c = CMSG_FIRSTHDR(&message);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &p[1], sizeof(int));
	iov.iov_len = 1;
	SHOW(sendmsg(s[0], &message, 0));
	close(p[1]);
	message.msg_controllen = sizeof(control);
	SHOW(recvmsg(s[1], &message, MSG_CMSG_CLOEXEC));
	c = CMSG_FIRSTHDR(&message);
	CHECK(c && c->cmsg_type == SCM_RIGHTS);
	if (c) {
		memcpy(&p[1], CMSG_DATA(c), sizeof(int));
		CHECK(fcntl(p[1], F_GETFD) == FD_CLOEXEC);
		CHECK(write(p[1], "through", 7) == 7);
		CHECK(read(p[0], data, 8) == 7);
		printf("%.7s\n", data);
	}
	SHOW(shutdown(s[0], SHUT_WR));
	SHOW(recv(s[1], data, 1, 0));
	SHOW(send(s[0], data, 1, MSG_NOSIGNAL));
	SHOW(recv(s[0], data, 1, MSG_DONTWAIT));
	SHOW(recv(s[0], (void *)16, 1, MSG_DONTWAIT));
	close(s[0]);
	close(s[1]);
}

static void unix_names(void)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "socket-name"}, got;
	int listener = (int)MUST(socket(AF_UNIX, SOCK_STREAM, 0)), client, peer;
	socklen_t size = sizeof(got);

	client = (int)MUST(socket(AF_UNIX, SOCK_STREAM, 0));
	SHOW(connect(client, (void *)&name, sizeof(name)));
	SHOW(bind(listener, (void *)&name, sizeof(name)));
	SHOW(bind(listener, (void *)&name, sizeof(name)));
	SHOW(connect(client, (void *)&name, sizeof(name)));
	SHOW(listen(listener, 5));
	SHOW(connect(client, (void *)&name, sizeof(name)));
	peer = accept4(listener, (void *)&got, &size, SOCK_NONBLOCK);
	CHECK(peer >= 0);
	printf("client's name has length %u\n", size);
	size = sizeof(got);
	SHOW(getpeername(client, (void *)&got, &size));
	printf("%s family %d\n", got.sun_path, got.sun_family);
	size = sizeof(got);
	SHOW(getsockname(listener, (void *)&got, &size));
	printf("%s\n", got.sun_path);
	SHOW(read(peer, &size, 1));
	close(peer);
	close(client);
	close(listener);
	SHOW(unlink("socket-name"));
	listener = (int)MUST(socket(AF_UNIX, SOCK_DGRAM, 0));
	memset(&name.sun_path, 0, sizeof(name.sun_path));
	snprintf(name.sun_path + 1, 80, "abstract-%d", getpid());
	SHOW(bind(listener, (void *)&name, sizeof(sa_family_t) + 30));
	size = sizeof(got);
	SHOW(getsockname(listener, (void *)&got, &size));
	CHECK(!memcmp(got.sun_path, name.sun_path, 30) && size == 32);
	close(listener);
}

static void inet(void)
{
	struct sockaddr_in name = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_in6 peer_name;
	int listener = (int)MUST(socket(AF_INET, SOCK_STREAM, 0)), client, peer, status;
	socklen_t size = sizeof(name);
	char data[16] = "";
	pid_t pid;

	SHOW(bind(listener, (void *)&name, sizeof(name)));
	SHOW(listen(listener, 1));
	SHOW(getsockname(listener, (void *)&name, &size));
	CHECK(name.sin_port != 0);
	pid = fork();
	if (!pid) {
		client = (int)MUST(socket(AF_INET, SOCK_STREAM, 0));
		MUST(connect(client, (void *)&name, sizeof(name)));
		CHECK(write(client, "request", 7) == 7);
		CHECK(read(client, data, sizeof(data)) == 6);
		exit(strcmp(data, "answer") ? 1 : 42);
	}
	size = 3; /* too small: cut, the true size is told */
	peer = (int)MUST(accept(listener, (void *)&peer_name, &size));
	printf("size %u\n", size);
	size = sizeof(peer_name);
	SHOW(getpeername(peer, (void *)&peer_name, &size));
	printf("size %u family %d\n", size, peer_name.sin6_family);
	SHOW(recv(peer, data, 4, MSG_PEEK));
	SHOW(recv(peer, data, sizeof(data), 0));
	printf("%.7s\n", data);
	SHOW(send(peer, "answer", 6, 0));
	MUST(waitpid(pid, &status, 0));
	printf("client exit %d\n", WEXITSTATUS(status));
	close(peer);
	close(listener);
}

static void datagrams(void)
{
	struct sockaddr_in name = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct mmsghdr messages[3] = {0};
	struct sockaddr_in from;
	struct iovec iov[3];
	char data[3][8] = {"first", "second", "third"};
	struct timespec time = {1, 0};
	socklen_t size = sizeof(name);
	int a = (int)MUST(socket(AF_INET, SOCK_DGRAM, 0)), b;

	b = (int)MUST(socket(AF_INET, SOCK_DGRAM, 0));
	MUST(bind(a, (void *)&name, sizeof(name)));
	MUST(getsockname(a, (void *)&name, &size));
	for (int i = 0; i < 3; i++) {
		iov[i] = (struct iovec){data[i], strlen(data[i])};
		messages[i].msg_hdr = (struct msghdr){.msg_name = &name,
						      .msg_namelen = sizeof(name),
						      .msg_iov = &iov[i],
						      .msg_iovlen = 1};
	}
	SHOW(sendmmsg(b, messages, 3, 0));
	printf("lengths %u %u %u\n", messages[0].msg_len, messages[1].msg_len, messages[2].msg_len);
	for (int i = 0; i < 3; i++) {
		iov[i] = (struct iovec){data[i], sizeof(data[i])};
		memset(data[i], 0, sizeof(data[i]));
		messages[i].msg_hdr.msg_name = &from;
	}
	SHOW(recvmmsg(a, messages, 3, MSG_WAITFORONE, &time));
	printf("%s %s %s\n", data[0], data[1], data[2]);
	printf("lengths %u %u %u\n", messages[0].msg_len, messages[1].msg_len, messages[2].msg_len);
	CHECK(messages[1].msg_hdr.msg_namelen == sizeof(from) && from.sin_family == AF_INET);
	SHOW(recvmmsg(a, messages, 3, MSG_DONTWAIT, NULL));
	SHOW(sendto(b, "long message", 12, 0, (void *)&name, sizeof(name)));
	size = sizeof(from);
	SHOW(recvfrom(a, data[0], 4, MSG_TRUNC, (void *)&from, &size));
	SHOW(sendto(b, "x", 1, 0, (void *)&name, 1));
	close(a);
	close(b);
}

int main(void)
{
	fresh_directory();
	options();
	credentials();
	unix_names();
	inet();
	datagrams();
	return 0;
}
