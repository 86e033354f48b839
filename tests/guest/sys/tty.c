// SPDX-License-Identifier: MIT
/* A pseudo terminal: the structures and request numbers of powerpc differ from all others. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "check.h"

#define FLAG(field, name)                                                                          \
	if ((t.field & name) == name)                                                              \
	printf(" " #name)

static void show(int fd)
{
	struct termios t;

	memset(&t, 0x55, sizeof(t));
	MUST(tcgetattr(fd, &t));
	printf("in:");
	FLAG(c_iflag, BRKINT);
	FLAG(c_iflag, ICRNL);
	FLAG(c_iflag, INLCR);
	FLAG(c_iflag, IXON);
	FLAG(c_iflag, IXOFF);
	FLAG(c_iflag, IXANY);
	FLAG(c_iflag, IMAXBEL);
	FLAG(c_iflag, IUTF8);
	FLAG(c_iflag, IUCLC);
	printf("\nout:");
	FLAG(c_oflag, OPOST);
	FLAG(c_oflag, ONLCR);
	FLAG(c_oflag, OCRNL);
	FLAG(c_oflag, OLCUC);
	FLAG(c_oflag, TAB3);
	FLAG(c_oflag, VT1);
	FLAG(c_oflag, FF1);
	FLAG(c_oflag, BS1);
	printf("\ncontrol: size %d", (t.c_cflag & CSIZE) == CS8	  ? 8
				     : (t.c_cflag & CSIZE) == CS7 ? 7
				     : (t.c_cflag & CSIZE) == CS6 ? 6
								  : 5);
	FLAG(c_cflag, CSTOPB);
	FLAG(c_cflag, CREAD);
	FLAG(c_cflag, PARENB);
	FLAG(c_cflag, PARODD);
	FLAG(c_cflag, HUPCL);
	FLAG(c_cflag, CLOCAL);
	FLAG(c_cflag, CRTSCTS);
	printf("\nlocal:");
	FLAG(c_lflag, ISIG);
	FLAG(c_lflag, ICANON);
	FLAG(c_lflag, ECHO);
	FLAG(c_lflag, ECHOE);
	FLAG(c_lflag, ECHOK);
	FLAG(c_lflag, ECHONL);
	FLAG(c_lflag, NOFLSH);
	FLAG(c_lflag, TOSTOP);
	FLAG(c_lflag, ECHOCTL);
	FLAG(c_lflag, ECHOPRT);
	FLAG(c_lflag, ECHOKE);
	FLAG(c_lflag, IEXTEN);
	printf("\nchars: intr %d quit %d erase %d kill %d eof %d min %d time %d eol %d start %d "
	       "stop %d susp %d rprnt %d werase %d lnext %d discard %d\n",
	       t.c_cc[VINTR], t.c_cc[VQUIT], t.c_cc[VERASE], t.c_cc[VKILL], t.c_cc[VEOF],
	       t.c_cc[VMIN], t.c_cc[VTIME], t.c_cc[VEOL], t.c_cc[VSTART], t.c_cc[VSTOP],
	       t.c_cc[VSUSP], t.c_cc[VREPRINT], t.c_cc[VWERASE], t.c_cc[VLNEXT], t.c_cc[VDISCARD]);
	printf("speed: 9600 %d 38400 %d 115200 %d 4000000 %d\n", cfgetospeed(&t) == B9600,
	       cfgetospeed(&t) == B38400, cfgetospeed(&t) == B115200, cfgetospeed(&t) == B4000000);
}

static void change(int fd)
{
	struct termios t;

	MUST(tcgetattr(fd, &t));
	t.c_iflag |= IXOFF | IUTF8 | INLCR;
	t.c_oflag |= OCRNL | TAB3;
	t.c_cflag &= ~(tcflag_t)CSIZE;
	t.c_cflag |= CS7 | PARENB | CLOCAL;
	t.c_lflag |= TOSTOP | NOFLSH | ECHONL;
	t.c_lflag &= ~(tcflag_t)ECHOKE;
	t.c_cc[VINTR] = 'I';
	t.c_cc[VMIN] = 7;
	t.c_cc[VTIME] = 3;
	t.c_cc[VLNEXT] = 'L';
	cfsetospeed(&t, B115200);
	cfsetispeed(&t, B115200);
	MUST(tcsetattr(fd, TCSADRAIN, &t));
	show(fd);
	cfmakeraw(&t);
	cfsetospeed(&t, B4000000);
	MUST(tcsetattr(fd, TCSAFLUSH, &t));
	show(fd);
}

static void data(int master, int slave)
{
	struct pollfd p = {.fd = slave, .events = POLLIN};
	char buffer[16];
	int waiting = -1, on = 1;

	CHECK(write(master, "hello", 5) == 5);
	CHECK(poll(&p, 1, 2000) == 1);
	MUST(ioctl(slave, FIONREAD, &waiting));
	printf("waiting %d\n", waiting);
	MUST(tcflush(slave, TCIFLUSH));
	MUST(ioctl(slave, FIONREAD, &waiting));
	printf("after flush %d\n", waiting);
	MUST(ioctl(slave, FIONBIO, &on));
	SHOW(read(slave, buffer, 1));
	MUST(ioctl(slave, TIOCOUTQ, &waiting));
	MUST(ioctl(slave, FIOCLEX));
	CHECK(fcntl(slave, F_GETFD) == FD_CLOEXEC);
	MUST(ioctl(slave, FIONCLEX));
	CHECK(fcntl(slave, F_GETFD) == 0);
	MUST(tcdrain(slave));
	MUST(tcflow(slave, TCOON));
}

int main(void)
{
	struct winsize size = {.ws_row = 33, .ws_col = 101};
	int master, slave, p[2];
	unsigned int number;
	struct termios t;

	fresh_directory();
	master = (int)MUST(posix_openpt(O_RDWR | O_NOCTTY));
	MUST(grantpt(master));
	MUST(unlockpt(master));
	MUST(ioctl(master, TIOCGPTN, &number));
	slave = (int)MUST(open(ptsname(master), O_RDWR | O_NOCTTY));
	printf("terminal %d %d\n", isatty(slave), isatty(master));
	show(slave);
	change(slave);
	MUST(ioctl(slave, TIOCSWINSZ, &size));
	memset(&size, 0, sizeof(size));
	MUST(ioctl(master, TIOCGWINSZ, &size));
	printf("%d rows %d columns\n", size.ws_row, size.ws_col);
	data(master, slave);
	MUST(pipe(p));
	SHOW(isatty(p[0]));
	SHOW(tcgetattr(p[0], &t));
	SHOW(ioctl(p[0], TIOCGWINSZ, &size));
	SHOW(ioctl(slave, TIOCGWINSZ, (void *)16));
	SHOW(ioctl(slave, 0x5499, 0));
	SHOW(tcgetattr(-1, &t));
	SHOW(tcgetpgrp(p[0]));
	if (!fork()) {
		MUST(setsid());
		MUST(ioctl(slave, TIOCSCTTY, 0));
		CHECK(tcgetpgrp(slave) == getpid());
		CHECK(tcgetsid(slave) == getpid());
		CHECK(open("/dev/tty", O_RDWR) >= 0);
		MUST(ioctl(slave, TIOCNOTTY));
		exit(0);
	}
	CHECK(wait(NULL) > 0);
	return 0;
}
