// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "linux/powerpc_abi.h"

#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/* The host's O_LARGEFILE as its kernel knows it: libc defines it as 0 on 64-bit hosts. */
#define HOST_O_LARGEFILE 0100000u

struct bit_pair {
	u32 guest;
	u32 host;
};

/* Bits outside the table are the same on both sides, unless they mean something else on one. */
static u32 common_bits(const struct bit_pair *pairs, size_t n, u32 value)
{
	for (size_t i = 0; i < n; i++)
		value &= ~(pairs[i].guest | pairs[i].host);
	return value;
}

static u32 bits_to_host(const struct bit_pair *pairs, size_t n, u32 guest)
{
	u32 host = common_bits(pairs, n, guest);

	for (size_t i = 0; i < n; i++)
		if (guest & pairs[i].guest)
			host |= pairs[i].host;
	return host;
}

static u32 bits_from_host(const struct bit_pair *pairs, size_t n, u32 host)
{
	u32 guest = common_bits(pairs, n, host);

	for (size_t i = 0; i < n; i++)
		if (host & pairs[i].host)
			guest |= pairs[i].guest;
	return guest;
}

static const struct bit_pair open_bits[] = {
	{PPC_O_DIRECTORY, O_DIRECTORY},
	{PPC_O_NOFOLLOW, O_NOFOLLOW},
	{PPC_O_LARGEFILE, HOST_O_LARGEFILE},
	{PPC_O_DIRECT, O_DIRECT},
};

u32 open_flags_to_host(u32 flags)
{
	return bits_to_host(open_bits, ARRAY_SIZE(open_bits), flags);
}

u32 open_flags_from_host(u32 flags)
{
	return bits_from_host(open_bits, ARRAY_SIZE(open_bits), flags);
}

/*
 * ioctl numbers. An encoded number on powerpc:
 *
 *	31  29 28        16 15    8 7     0
 *	| dir |    size    | type  |  nr   |	dir: none 1, read 2, write 4
 *
 * and in asm-generic, so on x86-64:
 *
 *	31 30 29         16 15    8 7     0
 *	|dir |    size     | type  |  nr   |	dir: none 0, write 1, read 2
 *
 * Old numbers such as 0x5412 or 0x8913 have no direction at all and are the same on both.
 */
#define PPC_IO(type, nr)	(0x20000000u | (u32)(type) << 8 | (nr))
#define PPC_IOR(type, nr, size) (0x40000000u | (u32)(size) << 16 | (u32)(type) << 8 | (nr))
#define PPC_IOW(type, nr, size) (0x80000000u | (u32)(size) << 16 | (u32)(type) << 8 | (nr))

#define PPC_TCGETS  PPC_IOR('t', 19, sizeof(struct ppc_termios))
#define PPC_TCSETS  PPC_IOW('t', 20, sizeof(struct ppc_termios))
#define PPC_TCSETSW PPC_IOW('t', 21, sizeof(struct ppc_termios))
#define PPC_TCSETSF PPC_IOW('t', 22, sizeof(struct ppc_termios))
#define PPC_TCGETA  PPC_IOR('t', 23, sizeof(struct ppc_termio))
#define PPC_TCSETA  PPC_IOW('t', 24, sizeof(struct ppc_termio))
#define PPC_TCSETAW PPC_IOW('t', 25, sizeof(struct ppc_termio))
#define PPC_TCSETAF PPC_IOW('t', 28, sizeof(struct ppc_termio))

_Static_assert(PPC_TCGETS == 0x402c7413, "struct termios of powerpc has 44 bytes");
_Static_assert(PPC_TCGETA == 0x40147417, "struct termio of powerpc has 20 bytes");

static const struct {
	u32 guest;
	u32 host;
} ioctl_numbers[] = {
	{PPC_IO('f', 1), FIOCLEX},
	{PPC_IO('f', 2), FIONCLEX},
	{PPC_IOW('f', 125, 4), FIOASYNC},
	{PPC_IOW('f', 126, 4), FIONBIO},
	{PPC_IOR('f', 127, 4), FIONREAD},
	{PPC_IOR('f', 128, 8), FIOQSIZE},
	{PPC_IO('t', 29), TCSBRK},
	{PPC_IO('t', 30), TCXONC},
	{PPC_IO('t', 31), TCFLSH},
	{PPC_IOW('t', 103, 8), TIOCSWINSZ},
	{PPC_IOR('t', 104, 8), TIOCGWINSZ},
	{PPC_IOR('t', 115, 4), TIOCOUTQ},
	{PPC_IOW('t', 118, 4), TIOCSPGRP},
	{PPC_IOR('t', 119, 4), TIOCGPGRP},
	/* BSD terminal requests that no program of this century makes. */
	{PPC_IOR('t', 8, 6), 0},
	{PPC_IOW('t', 9, 6), 0},
	{PPC_IOW('t', 10, 6), 0},
	{PPC_IOW('t', 17, 6), 0},
	{PPC_IOR('t', 18, 6), 0},
	{PPC_IO('t', 110), 0},
	{PPC_IO('t', 111), 0},
	{PPC_IOR('t', 116, 6), 0},
	{PPC_IOW('t', 117, 6), 0},
};

/* Old-style numbers that are terminal or file requests on the host but not on powerpc. */
static bool host_only_ioctl(u32 number)
{
	switch (number) {
	case TCGETS ... TCFLSH:
	case TIOCGPGRP:
	case TIOCSPGRP:
	case TIOCOUTQ:
	case TIOCGWINSZ:
	case TIOCSWINSZ:
	case FIONREAD:
	case FIONBIO:
	case TCGETX ... TCSETXW:
	case FIONCLEX:
	case FIOCLEX:
	case FIOASYNC:
	case FIOQSIZE:
		return true;
	default:
		return false;
	}
}

static u32 reencode_ioctl(u32 request)
{
	u32 host = request & 0x1fffffff; /* size, type and number */

	if (request & 0x40000000)
		host |= _IOC_READ << _IOC_DIRSHIFT;
	if (request & 0x80000000)
		host |= (u32)_IOC_WRITE << _IOC_DIRSHIFT;
	return host;
}

u32 ioctl_to_host(u32 request)
{
	u32 host;

	for (size_t i = 0; i < ARRAY_SIZE(ioctl_numbers); i++)
		if (ioctl_numbers[i].guest == request)
			return ioctl_numbers[i].host;
	if (!(request & 0xe0000000))
		return host_only_ioctl(request) ? 0 : request;
	host = reencode_ioctl(request);
	/* _IO('T', n) would meet the host's old numbers; only one such request exists. */
	if (!(request & 0xc0000000) && (host >> 8) == 'T' && host != TIOCGPTPEER)
		return 0;
	/* TCGETS2 and so on. */
	if ((host >> 8 & 0xff) == 'T' && (host & 0xff) >= 0x2a && (host & 0xff) <= 0x2d)
		return 0;
	return host;
}

enum termios_kind ioctl_termios(u32 request, u32 *host)
{
	switch (request) {
	case PPC_TCGETS:
		*host = (u32)TCGETS2;
		return TERMIOS_GET;
	case PPC_TCSETS:
		*host = (u32)TCSETS2;
		return TERMIOS_SET;
	case PPC_TCSETSW:
		*host = (u32)TCSETSW2;
		return TERMIOS_SET;
	case PPC_TCSETSF:
		*host = (u32)TCSETSF2;
		return TERMIOS_SET;
	case PPC_TCGETA:
		*host = (u32)TCGETS2;
		return TERMIO_GET;
	case PPC_TCSETA:
		*host = (u32)TCSETS2;
		return TERMIO_SET;
	case PPC_TCSETAW:
		*host = (u32)TCSETSW2;
		return TERMIO_SET;
	case PPC_TCSETAF:
		*host = (u32)TCSETSF2;
		return TERMIO_SET;
	default:
		return TERMIOS_NONE;
	}
}

/*
 * Terminal flags. Fields of several bits (delays, character size, speeds) are spread into single
 * bits where their values correspond bit by bit; the speeds do not and are converted apart.
 */
static const struct bit_pair input_bits[] = {
	{0x0200, IXON}, {0x0400, IXOFF}, {0x1000, IUCLC}, {0x2000, IMAXBEL}, {0x4000, IUTF8}};

static const struct bit_pair output_bits[] = {
	{0x00002, ONLCR}, {0x00004, OLCUC}, {0x00100, NL1}, {0x00400, TAB1}, {0x00800, TAB2},
	{0x01000, CR1},	  {0x02000, CR2},   {0x04000, FF1}, {0x08000, BS1},  {0x10000, VT1}};
#define PPC_NL2 0x00200u /* second bit of a delay that x86 knows one of */

static const struct bit_pair local_bits[] = {
	{0x00000080, ISIG},   {0x00000100, ICANON},  {0x00004000, XCASE},   {0x00000008, ECHO},
	{0x00000002, ECHOE},  {0x00000004, ECHOK},   {0x00000010, ECHONL},  {0x80000000, NOFLSH},
	{0x00400000, TOSTOP}, {0x00000040, ECHOCTL}, {0x00000020, ECHOPRT}, {0x00000001, ECHOKE},
	{0x00800000, FLUSHO}, {0x20000000, PENDIN},  {0x00000400, IEXTEN},  {0x10000000, EXTPROC}};

static const struct bit_pair control_bits[] = {
	{0x00000100, CS6},    {0x00000200, CS7},    {0x00000400, CSTOPB}, {0x00000800, CREAD},
	{0x00001000, PARENB}, {0x00002000, PARODD}, {0x00004000, HUPCL},  {0x00008000, CLOCAL}};

#define PPC_CBAUD	0xffu
#define PPC_BOTHER	0x1fu
#define PPC_IBSHIFT	16
#define HOST_SPEED_BITS (CBAUD | CIBAUD)

/* B0..B38400 are 0..15 on both; above, powerpc counts on where x86 begins at 0x1001. */
static u32 speed_to_host(u32 code)
{
	if (code == PPC_BOTHER)
		return BOTHER;
	return code < 16 ? code : CBAUDEX | (code - 15);
}

static u32 speed_from_host(u32 code)
{
	if (code == BOTHER)
		return PPC_BOTHER;
	return code < 16 ? code : (code & 0xf) + 15;
}

static u32 control_to_host(u32 guest)
{
	u32 speeds = guest & (PPC_CBAUD | PPC_CBAUD << PPC_IBSHIFT);
	u32 host = bits_to_host(control_bits, ARRAY_SIZE(control_bits), guest & ~speeds);

	return host | speed_to_host(guest & PPC_CBAUD) |
	       speed_to_host(guest >> PPC_IBSHIFT & PPC_CBAUD) << IBSHIFT;
}

static u32 control_from_host(u32 host)
{
	u32 guest = bits_from_host(control_bits, ARRAY_SIZE(control_bits), host & ~HOST_SPEED_BITS);

	return guest | speed_from_host(host & CBAUD) |
	       speed_from_host(host >> IBSHIFT & CBAUD) << PPC_IBSHIFT;
}

/* Place of each control character of powerpc in the host's c_cc. */
static const u8 cc_index[PPC_NCCS] = {VINTR, VQUIT,  VERASE,   VKILL,	VEOF,	  VMIN,	 VEOL,
				      VTIME, VEOL2,  VSWTC,    VWERASE, VREPRINT, VSUSP, VSTART,
				      VSTOP, VLNEXT, VDISCARD, 17,	18};

void termios_to_host(const struct ppc_termios *guest, struct host_termios2 *host)
{
	host->c_iflag = bits_to_host(input_bits, ARRAY_SIZE(input_bits), guest->c_iflag);
	host->c_oflag =
		bits_to_host(output_bits, ARRAY_SIZE(output_bits), guest->c_oflag & ~PPC_NL2);
	host->c_cflag = control_to_host(guest->c_cflag);
	host->c_lflag = bits_to_host(local_bits, ARRAY_SIZE(local_bits), guest->c_lflag);
	host->c_line = guest->c_line;
	for (int i = 0; i < PPC_NCCS; i++)
		host->c_cc[cc_index[i]] = guest->c_cc[i];
	host->c_ispeed = guest->c_ispeed;
	host->c_ospeed = guest->c_ospeed;
}

void termios_from_host(const struct host_termios2 *host, struct ppc_termios *guest)
{
	guest->c_iflag = bits_from_host(input_bits, ARRAY_SIZE(input_bits), host->c_iflag);
	guest->c_oflag = bits_from_host(output_bits, ARRAY_SIZE(output_bits), host->c_oflag);
	guest->c_cflag = control_from_host(host->c_cflag);
	guest->c_lflag = bits_from_host(local_bits, ARRAY_SIZE(local_bits), host->c_lflag);
	guest->c_line = host->c_line;
	for (int i = 0; i < PPC_NCCS; i++)
		guest->c_cc[i] = host->c_cc[cc_index[i]];
	guest->c_ispeed = host->c_ispeed;
	guest->c_ospeed = host->c_ospeed;
}

void termio_to_host(const struct ppc_termio *guest, struct host_termios2 *host)
{
	struct ppc_termios full;

	termios_from_host(host, &full);
	full.c_iflag = (full.c_iflag & 0xffff0000) | guest->c_iflag;
	full.c_oflag = (full.c_oflag & 0xffff0000) | guest->c_oflag;
	full.c_cflag = (full.c_cflag & 0xffff0000) | guest->c_cflag;
	full.c_lflag = (full.c_lflag & 0xffff0000) | guest->c_lflag;
	full.c_line = guest->c_line;
	memcpy(full.c_cc, guest->c_cc, sizeof(guest->c_cc));
	termios_to_host(&full, host);
}

void termio_from_host(const struct host_termios2 *host, struct ppc_termio *guest)
{
	struct ppc_termios full;

	termios_from_host(host, &full);
	memset(guest, 0, sizeof(*guest));
	guest->c_iflag = (u16)full.c_iflag;
	guest->c_oflag = (u16)full.c_oflag;
	guest->c_cflag = (u16)full.c_cflag;
	guest->c_lflag = (u16)full.c_lflag;
	guest->c_line = full.c_line;
	memcpy(guest->c_cc, full.c_cc, sizeof(guest->c_cc));
}

int socket_option_to_host(int option)
{
	/* Only these six, and they are a permutation of 16..21. */
	switch (option) {
	case 16:
		return SO_RCVLOWAT;
	case 17:
		return SO_SNDLOWAT;
	case 18:
		return SO_RCVTIMEO;
	case 19:
		return SO_SNDTIMEO;
	case 20:
		return SO_PASSCRED;
	case 21:
		return SO_PEERCRED;
	default:
		return option;
	}
}

static void perm_from_host(const struct ipc_perm *host, struct ppc_ipc_perm *guest)
{
	_Static_assert(sizeof(*host) == sizeof(*guest), "struct ipc_perm is that of asm-generic");
	memcpy(guest, host, sizeof(*guest));
}

void semid_ds_from_host(const struct semid_ds *host, struct ppc_semid_ds *guest)
{
	memset(guest, 0, sizeof(*guest));
	perm_from_host(&host->sem_perm, &guest->perm);
	guest->otime = host->sem_otime;
	guest->ctime = host->sem_ctime;
	guest->nsems = host->sem_nsems;
}

void semid_ds_to_host(const struct ppc_semid_ds *guest, struct semid_ds *host)
{
	memset(host, 0, sizeof(*host));
	memcpy(&host->sem_perm, &guest->perm, sizeof(guest->perm));
	host->sem_otime = guest->otime;
	host->sem_ctime = guest->ctime;
	host->sem_nsems = guest->nsems;
}

void shmid_ds_from_host(const struct shmid_ds *host, struct ppc_shmid_ds *guest)
{
	memset(guest, 0, sizeof(*guest));
	perm_from_host(&host->shm_perm, &guest->perm);
	guest->atime = host->shm_atime;
	guest->dtime = host->shm_dtime;
	guest->ctime = host->shm_ctime;
	guest->segsz = host->shm_segsz;
	guest->cpid = host->shm_cpid;
	guest->lpid = host->shm_lpid;
	guest->nattch = host->shm_nattch;
}

void shmid_ds_to_host(const struct ppc_shmid_ds *guest, struct shmid_ds *host)
{
	memset(host, 0, sizeof(*host));
	memcpy(&host->shm_perm, &guest->perm, sizeof(guest->perm));
	host->shm_atime = guest->atime;
	host->shm_dtime = guest->dtime;
	host->shm_ctime = guest->ctime;
	host->shm_segsz = guest->segsz;
	host->shm_cpid = guest->cpid;
	host->shm_lpid = guest->lpid;
	host->shm_nattch = guest->nattch;
}
