// SPDX-License-Identifier: MIT
/*
 * Conversions between the system call interfaces of powerpc and the host. The powerpc values are
 * those of its uapi headers, written out.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "linux/powerpc_abi.h"

static void test_open_flags(void **state)
{
	static const struct {
		u32 guest, host;
	} pairs[] = {
		{00, O_RDONLY},
		{01 | 0100 | 01000, O_WRONLY | O_CREAT | O_TRUNC},
		{040000, O_DIRECTORY},
		{0100000, O_NOFOLLOW},
		{0200000, 0100000},
		{0400000, O_DIRECT},
		{02000000 | 040000 | 0100000, O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW},
		{020000000 | 040000 | 2, O_TMPFILE | O_RDWR},
		{04010000 | 02000 | 04000, O_SYNC | O_APPEND | O_NONBLOCK},
	};

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		assert_int_equal(open_flags_to_host(pairs[i].guest), pairs[i].host);
		assert_int_equal(open_flags_from_host(pairs[i].host), pairs[i].guest);
	}
	/* A permutation of bits: nothing is lost either way. */
	for (u32 bit = 1; bit; bit <<= 1)
		assert_int_equal(open_flags_from_host(open_flags_to_host(bit)), bit);
}

static void test_ioctl_numbers(void **state)
{
	static const struct {
		u32 guest;
		unsigned long host;
	} pairs[] = {
		{0x20006601, FIOCLEX},
		{0x20006602, FIONCLEX},
		{0x4004667f, FIONREAD},
		{0x8004667e, FIONBIO},
		{0x8004667d, FIOASYNC},
		{0x40087468, TIOCGWINSZ},
		{0x80087467, TIOCSWINSZ},
		{0x40047477, TIOCGPGRP},
		{0x80047476, TIOCSPGRP},
		{0x40047473, TIOCOUTQ},
		{0x2000741d, TCSBRK},
		{0x2000741f, TCFLSH},
		{0x540e, TIOCSCTTY},
		{0x5422, TIOCNOTTY},
		{0x5429, TIOCGSID},
		{0x40045430, TIOCGPTN},
		{0x80045431, TIOCSPTLCK},
		{0x20005441, TIOCGPTPEER},
		{0x8912, SIOCGIFCONF},
		{0x20001260, BLKGETSIZE},
		{0x40081272, BLKGETSIZE64},
		{0x40086601, FS_IOC_GETFLAGS},
		{0x80086602, FS_IOC_SETFLAGS},
		{0xc020660b, FS_IOC_FIEMAP},
		{0x80049409, FICLONE},
		/* the host's own numbers mean nothing on powerpc */
		{0x5401, 0},
		{0x5413, 0},
		{0x541b, 0},
		{0x5421, 0},
		{0x5451, 0},
		{0x20005401, 0},
		{0x402c542a, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		assert_int_equal(ioctl_to_host(pairs[i].guest), pairs[i].host);
}

static void test_termios_requests(void **state)
{
	u32 host = 0;

	assert_int_equal(ioctl_termios(0x402c7413, &host), TERMIOS_GET);
	assert_int_equal(host, TCGETS2);
	assert_int_equal(ioctl_termios(0x802c7416, &host), TERMIOS_SET);
	assert_int_equal(host, TCSETSF2);
	assert_int_equal(ioctl_termios(0x80147418, &host), TERMIO_SET);
	assert_int_equal(host, TCSETS2);
	assert_int_equal(ioctl_termios(0x5401, &host), TERMIOS_NONE);
}

/* A terminal as it comes up: cooked, echo, 38400 baud, the usual control characters. */
static void test_termios_usual(void **state)
{
	const struct host_termios2 host = {
		.c_iflag = ICRNL | IXON,
		.c_oflag = OPOST | ONLCR,
		.c_cflag = B38400 | CS8 | CREAD | HUPCL,
		.c_lflag = ISIG | ICANON | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE | IEXTEN,
		.c_cc = {[VINTR] = 3,
			 [VQUIT] = 28,
			 [VERASE] = 127,
			 [VKILL] = 21,
			 [VEOF] = 4,
			 [VTIME] = 9,
			 [VMIN] = 1,
			 [VSTART] = 17,
			 [VSTOP] = 19,
			 [VSUSP] = 26,
			 [VREPRINT] = 18,
			 [VDISCARD] = 15,
			 [VWERASE] = 23,
			 [VLNEXT] = 22},
		.c_ispeed = 38400,
		.c_ospeed = 38400,
	};
	struct host_termios2 back;
	struct ppc_termios guest;

	termios_from_host(&host, &guest);
	assert_int_equal(guest.c_iflag, 0x100 | 0x200);
	assert_int_equal(guest.c_oflag, 1 | 2);
	assert_int_equal(guest.c_cflag, 0xf | 0x300 | 0x800 | 0x4000);
	assert_int_equal(guest.c_lflag, 0x80 | 0x100 | 8 | 2 | 4 | 0x40 | 1 | 0x400);
	assert_int_equal(guest.c_cc[0], 3);
	assert_int_equal(guest.c_cc[4], 4);
	assert_int_equal(guest.c_cc[5], 1); /* VMIN */
	assert_int_equal(guest.c_cc[7], 9); /* VTIME */
	assert_int_equal(guest.c_cc[12], 26);
	assert_int_equal(guest.c_cc[13], 17);
	termios_to_host(&guest, &back);
	assert_memory_equal(&back, &host, sizeof(host));
}

static void test_termios_speeds(void **state)
{
	static const struct {
		u32 guest, host;
	} pairs[] = {{0, B0},	      {0xd, B9600},	{0xf, B38400}, {0x10, B57600},
		     {0x11, B115200}, {0x1e, B4000000}, {0x1f, BOTHER}};

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		struct host_termios2 host = {.c_cflag = pairs[i].host};
		struct ppc_termios guest;

		termios_from_host(&host, &guest);
		assert_int_equal(guest.c_cflag, pairs[i].guest);
		termios_to_host(&guest, &host);
		assert_int_equal(host.c_cflag, pairs[i].host);
	}
}

static void test_termio_keeps_the_rest(void **state)
{
	struct host_termios2 host = {
		.c_iflag = ICRNL, .c_lflag = TOSTOP | ECHO, .c_cc = {[VLNEXT] = 22}};
	struct ppc_termio guest;

	termio_from_host(&host, &guest);
	assert_int_equal(guest.c_lflag, 8); /* TOSTOP lies above 16 bits */
	guest.c_lflag = 0;
	termio_to_host(&guest, &host);
	assert_int_equal(host.c_lflag, TOSTOP);
	assert_int_equal(host.c_iflag, ICRNL);
	assert_int_equal(host.c_cc[VLNEXT], 22);
}

static void test_socket_options(void **state)
{
	assert_int_equal(socket_option_to_host(2), SO_REUSEADDR);
	assert_int_equal(socket_option_to_host(16), SO_RCVLOWAT);
	assert_int_equal(socket_option_to_host(17), SO_SNDLOWAT);
	assert_int_equal(socket_option_to_host(18), SO_RCVTIMEO);
	assert_int_equal(socket_option_to_host(19), SO_SNDTIMEO);
	assert_int_equal(socket_option_to_host(20), SO_PASSCRED);
	assert_int_equal(socket_option_to_host(21), SO_PEERCRED);
}

static void test_structure_sizes(void **state)
{
	assert_int_equal(sizeof(struct ppc_termios), 44);
	assert_int_equal(sizeof(struct ppc_termio), 20);
	assert_int_equal(sizeof(struct ppc_epoll_event), 16);
	assert_int_equal(sizeof(struct ppc_semid_ds), 88);
	assert_int_equal(sizeof(struct ppc_shmid_ds), 112);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open_flags),
		cmocka_unit_test(test_ioctl_numbers),
		cmocka_unit_test(test_termios_requests),
		cmocka_unit_test(test_termios_usual),
		cmocka_unit_test(test_termios_speeds),
		cmocka_unit_test(test_termio_keeps_the_rest),
		cmocka_unit_test(test_socket_options),
		cmocka_unit_test(test_structure_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
