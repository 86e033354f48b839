/* SPDX-License-Identifier: MIT */
/*
 * Where the system call interface of powerpc64 differs from that of the host.
 *
 * Both are 64-bit little-endian and most numbers and structures are those of asm-generic, so this
 * file is the whole list: open flags, ioctl numbers, termios, socket options, epoll_event, and the
 * semaphore and shared memory status structures. struct stat, statfs, flock, dirent64, rusage,
 * sysinfo, timex, siginfo, msghdr and sockaddr have the same bytes on both sides.
 *
 * Source: the powerpc and x86 parts of Linux' uapi headers (asm/fcntl.h, ioctl.h, ioctls.h,
 * termbits.h, socket.h, sembuf.h, shmbuf.h). All functions are pure; any thread may call them.
 */
#ifndef LINUX_POWERPC_ABI_H
#define LINUX_POWERPC_ABI_H

#include <sys/sem.h>
#include <sys/shm.h>

#include "base/types.h"

/* Open flags that differ; the other O_* are the same. */
#define PPC_O_DIRECTORY 0040000u
#define PPC_O_NOFOLLOW	0100000u
#define PPC_O_LARGEFILE 0200000u
#define PPC_O_DIRECT	0400000u

u32 open_flags_to_host(u32 flags);
u32 open_flags_from_host(u32 flags);

/**
 * ioctl_to_host - request number
 * @request: guest's
 *
 * The direction and size fields of powerpc's encoding have other widths, and most terminal
 * requests have numbers of their own. Requests that carry a struct termios or termio are not for
 * this function (see ioctl_termios()).
 *
 * Return: the host's number, or 0 for a number that means nothing on powerpc but would on the
 * host (then the kernel's answer is ENOTTY).
 */
u32 ioctl_to_host(u32 request);

/* How the argument of a terminal request is to be handled. */
enum termios_kind { TERMIOS_NONE, TERMIOS_GET, TERMIOS_SET, TERMIO_GET, TERMIO_SET };

/**
 * ioctl_termios - is this a request with a terminal description?
 * @request: guest's
 * @host: receives the host's request: TCGETS2, TCSETS2 or their variants. A struct termio is
 *	handled through the same requests.
 */
enum termios_kind ioctl_termios(u32 request, u32 *host);

#define PPC_NCCS 19
#define PPC_NCC	 10

struct ppc_termios {
	u32 c_iflag, c_oflag, c_cflag, c_lflag;
	u8 c_cc[PPC_NCCS];
	u8 c_line;
	u32 c_ispeed, c_ospeed;
};

struct ppc_termio {
	u16 c_iflag, c_oflag, c_cflag, c_lflag;
	u8 c_line;
	u8 c_cc[PPC_NCC];
};

/* The host's struct termios2; libc has no name for it that agrees with <termios.h>. */
struct host_termios2 {
	u32 c_iflag, c_oflag, c_cflag, c_lflag;
	u8 c_line;
	u8 c_cc[19];
	u32 c_ispeed, c_ospeed;
};

void termios_to_host(const struct ppc_termios *guest, struct host_termios2 *host);
void termios_from_host(const struct host_termios2 *host, struct ppc_termios *guest);
/* The fields that a termio lacks keep the value they have in *host. */
void termio_to_host(const struct ppc_termio *guest, struct host_termios2 *host);
void termio_from_host(const struct host_termios2 *host, struct ppc_termio *guest);

/* Options of level SOL_SOCKET. -1: powerpc has no such option. */
int socket_option_to_host(int option);

/* x86-64 packs this structure, powerpc does not. */
struct ppc_epoll_event {
	u32 events;
	u32 pad;
	u64 data;
};

struct ppc_ipc_perm {
	s32 key;
	u32 uid, gid, cuid, cgid, mode, seq, pad;
	u64 unused[2];
};

struct ppc_semid_ds {
	struct ppc_ipc_perm perm;
	s64 otime, ctime;
	u64 nsems;
	u64 unused[2];
};

struct ppc_shmid_ds {
	struct ppc_ipc_perm perm;
	s64 atime, dtime, ctime;
	u64 segsz;
	s32 cpid, lpid;
	u64 nattch;
	u64 unused[2];
};

void semid_ds_from_host(const struct semid_ds *host, struct ppc_semid_ds *guest);
void semid_ds_to_host(const struct ppc_semid_ds *guest, struct semid_ds *host);
void shmid_ds_from_host(const struct shmid_ds *host, struct ppc_shmid_ds *guest);
void shmid_ds_to_host(const struct ppc_shmid_ds *guest, struct shmid_ds *host);

#endif
