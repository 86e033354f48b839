// SPDX-License-Identifier: MIT
/* Waiting: poll, select, epoll and the descriptors made for it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ll + t.tv_nsec / 1000000;
}

static volatile int caught;

static void handler(int signo)
{
	caught++;
}

static void polling(void)
{
	struct timespec short_time = {0, 30000000}, none = {0, 0};
	struct pollfd p[3];
	long long start;
	int pipefd[2];

	MUST(pipe(pipefd));
	p[0] = (struct pollfd){.fd = pipefd[0], .events = POLLIN};
	p[1] = (struct pollfd){.fd = pipefd[1], .events = POLLOUT};
	p[2] = (struct pollfd){.fd = 999, .events = POLLIN};
	SHOW(poll(p, 3, 0));
	printf("%x %x %x\n", p[0].revents, p[1].revents, p[2].revents);
	SHOW(poll(p, 1, 0));
	start = now_ms();
	SHOW(poll(p, 1, 30));
	CHECK(now_ms() - start >= 29 && now_ms() - start < 1000);
	start = now_ms();
	SHOW(ppoll(p, 1, &short_time, NULL));
	CHECK(now_ms() - start >= 29);
	CHECK(write(pipefd[1], "x", 1) == 1);
	SHOW(poll(p, 1, -1));
	SHOW(ppoll(p, 1, &none, NULL));
	close(pipefd[1]);
	CHECK(read(pipefd[0], &start, 8) == 1);
	SHOW(poll(p, 1, -1));
	printf("%x\n", p[0].revents);
	SHOW(poll((void *)16, 1, 0));
	close(pipefd[0]);
}

static void selecting(void)
{
	struct timeval time = {0, 20000};
	fd_set in, out;
	int pipefd[2];

	MUST(pipe(pipefd));
	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_SET(pipefd[0], &in);
	FD_SET(pipefd[1], &out);
	SHOW(select(pipefd[1] + 1, &in, &out, NULL, NULL));
	printf("%d %d\n", FD_ISSET(pipefd[0], &in), FD_ISSET(pipefd[1], &out));
	FD_ZERO(&in);
	FD_SET(pipefd[0], &in);
	SHOW(select(pipefd[0] + 1, &in, NULL, NULL, &time));
	printf("time left %ld.%06ld\n", (long)time.tv_sec, (long)time.tv_usec);
	SHOW(select(-1, NULL, NULL, NULL, &time));
	FD_SET(40, &in);
	SHOW(select(41, &in, NULL, NULL, &time));
	close(pipefd[0]);
	close(pipefd[1]);
}

/* A signal that is blocked but for the time of the call interrupts it, and is handled. */
static void masks(void)
{
	struct sigaction action = {.sa_handler = handler};
	struct timespec time = {5, 0};
	struct epoll_event event;
	sigset_t block, empty;
	int epoll = (int)MUST(epoll_create1(0));

	sigemptyset(&empty);
	sigemptyset(&block);
	sigaddset(&block, SIGUSR1);
	MUST(sigaction(SIGUSR1, &action, NULL));
	MUST(sigprocmask(SIG_BLOCK, &block, NULL));
	MUST(raise(SIGUSR1));
	printf("caught %d\n", caught);
	SHOW(ppoll(NULL, 0, &time, &empty));
	printf("caught %d\n", caught);
	MUST(raise(SIGUSR1));
	SHOW(pselect(0, NULL, NULL, NULL, &time, &empty));
	printf("caught %d\n", caught);
	MUST(raise(SIGUSR1));
	SHOW(epoll_pwait(epoll, &event, 1, 5000, &empty));
	printf("caught %d\n", caught);
	MUST(raise(SIGUSR1));
	SHOW(sigsuspend(&empty));
	printf("caught %d\n", caught);
	MUST(raise(SIGUSR1));
	time.tv_sec = 0;
	SHOW(ppoll(NULL, 0, &time, NULL));
	printf("caught %d\n", caught);
	MUST(sigprocmask(SIG_UNBLOCK, &block, NULL));
	printf("caught %d\n", caught);
	close(epoll);
}

static void epolling(void)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = 0x123456789abcdef0ull}, got[4];
	int pipefd[2], epoll = (int)MUST(epoll_create1(EPOLL_CLOEXEC));

	MUST(pipe(pipefd));
	SHOW(epoll_ctl(epoll, EPOLL_CTL_ADD, pipefd[0], &event));
	SHOW(epoll_ctl(epoll, EPOLL_CTL_ADD, pipefd[0], &event));
	event.events = EPOLLOUT | EPOLLET;
	event.data.u64 = 0xfedcba9876543210ull;
	SHOW(epoll_ctl(epoll, EPOLL_CTL_ADD, pipefd[1], &event));
	SHOW(epoll_wait(epoll, got, 4, 100));
	printf("%x %llx\n", got[0].events, (unsigned long long)got[0].data.u64);
	SHOW(epoll_wait(epoll, got, 4, 0));
	CHECK(write(pipefd[1], "x", 1) == 1);
	SHOW(epoll_wait(epoll, got, 4, -1));
	printf("%x %llx\n", got[0].events, (unsigned long long)got[0].data.u64);
	SHOW(epoll_ctl(epoll, EPOLL_CTL_DEL, pipefd[1], NULL));
	SHOW(epoll_ctl(epoll, EPOLL_CTL_MOD, pipefd[1], &event));
	SHOW(epoll_wait(epoll, got, 0, 0));
	SHOW(epoll_wait(pipefd[0], got, 1, 0));
	SHOW(epoll_wait(epoll, (void *)16, 4, 0));
	close(epoll);
	close(pipefd[0]);
	close(pipefd[1]);
}

static void counters(void)
{
	struct itimerspec set = {.it_value = {0, 20000000}, .it_interval = {0, 10000000}}, get;
	uint64_t value = 7;
	int fd = (int)MUST(eventfd(5, EFD_NONBLOCK));

	CHECK(write(fd, &value, 8) == 8);
	SHOW(read(fd, &value, 8));
	printf("%llu\n", (unsigned long long)value);
	SHOW(read(fd, &value, 8));
	SHOW(read(fd, &value, 7));
	close(fd);
	fd = (int)MUST(eventfd(2, EFD_SEMAPHORE));
	SHOW(read(fd, &value, 8));
	printf("%llu\n", (unsigned long long)value);
	close(fd);
	fd = (int)MUST(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
	MUST(timerfd_settime(fd, 0, &set, NULL));
	SHOW(read(fd, &value, 8));
	CHECK(value >= 1);
	MUST(timerfd_gettime(fd, &get));
	CHECK(get.it_interval.tv_nsec == 10000000 && get.it_value.tv_nsec > 0);
	close(fd);
}

static void watching(void)
{
	char buffer[512] __attribute__((aligned(8)));
	int fd = (int)MUST(inotify_init1(IN_NONBLOCK)), watch;
	ssize_t n;

	watch = (int)MUST(inotify_add_watch(fd, ".", IN_CREATE | IN_DELETE | IN_MOVED_TO));
	SHOW(read(fd, buffer, sizeof(buffer)));
	close(creat("watched", 0600));
	MUST(rename("watched", "renamed"));
	MUST(unlink("renamed"));
	n = MUST(read(fd, buffer, sizeof(buffer)));
	for (char *p = buffer; p < buffer + n;) {
		struct inotify_event *e = (struct inotify_event *)p;

		CHECK(e->wd == watch);
		printf("event %x %s\n", e->mask, e->name);
		p += sizeof(*e) + e->len;
	}
	SHOW(inotify_rm_watch(fd, watch));
	SHOW(inotify_rm_watch(fd, 77));
	SHOW(inotify_add_watch(fd, "none", IN_CREATE));
	close(fd);
}

static void signals_by_descriptor(void)
{
	struct signalfd_siginfo info;
	union sigval value = {.sival_int = 4711};
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGRTMIN + 3);
	MUST(sigprocmask(SIG_BLOCK, &set, NULL));
	fd = (int)MUST(signalfd(-1, &set, SFD_NONBLOCK));
	SHOW(read(fd, &info, sizeof(info)));
	MUST(kill(getpid(), SIGUSR2));
	MUST(sigqueue(getpid(), SIGRTMIN + 3, value));
	SHOW(read(fd, &info, sizeof(info)));
	printf("signal %d from me %d\n", info.ssi_signo, (int)info.ssi_pid == getpid());
	SHOW(read(fd, &info, sizeof(info)));
	printf("signal %d value %d\n", info.ssi_signo, info.ssi_int);
	SHOW(read(fd, &info, sizeof(info)));
	close(fd);
}

static void alarm_handler(int signo)
{
	caught = 100;
}

static void interrupted(void)
{
	struct sigaction action = {.sa_handler = alarm_handler};
	struct itimerspec set = {.it_value = {0, 30000000}};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
	struct timespec time = {3, 0}, rest = {0, 0};
	int pipefd[2];
	timer_t timer;
	char c;

	MUST(pipe(pipefd));
	MUST(sigaction(SIGALRM, &action, NULL));
	MUST(timer_create(CLOCK_MONOTONIC, &event, &timer));
	MUST(timer_settime(timer, 0, &set, NULL));
	SHOW(read(pipefd[0], &c, 1));
	MUST(timer_settime(timer, 0, &set, NULL));
	SHOW(nanosleep(&time, &rest));
	CHECK(rest.tv_sec == 2);
	MUST(timer_settime(timer, 0, &set, NULL));
	SHOW(poll(NULL, 0, 3000));
	/* Restarted after the handler: only the child ends it. */
	action.sa_flags = SA_RESTART;
	MUST(sigaction(SIGALRM, &action, NULL));
	if (!fork()) {
		usleep(100000);
		c = 'c';
		exit(write(pipefd[1], &c, 1) != 1);
	}
	MUST(timer_settime(timer, 0, &set, NULL));
	SHOW(read(pipefd[0], &c, 1));
	CHECK(wait(NULL) > 0);
	MUST(timer_settime(timer, 0, &set, NULL));
	SHOW(poll(NULL, 0, 60));
	SHOW(timer_getoverrun(timer));
	MUST(timer_delete(timer));
}

int main(void)
{
	fresh_directory();
	polling();
	selecting();
	masks();
	epolling();
	counters();
	watching();
	signals_by_descriptor();
	interrupted();
	return 0;
}
