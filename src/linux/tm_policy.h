/* SPDX-License-Identifier: MIT */
/*
 * The choices that Linux has made about transactional memory, at one time or another, as data.
 */
#ifndef LINUX_TM_POLICY_H
#define LINUX_TM_POLICY_H

#include "base/types.h"
#include "tm/tm.h"

/* Who may use the facility, and when. */
enum tm_facility {
	TM_FACILITY_LAZY,	 /* 4.9 and later: 5d176f751ee3 */
	TM_FACILITY_OFF,	 /* ppc_tm=off: no TM in the hardware capabilities, SIGILL */
	TM_FACILITY_EAGER,	 /* before 4.9: MSR[TM] is always on */
	TM_FACILITY_SKIP_TABORT, /* lazy, and a tabort. that traps is skipped: the RFC of June 2016
				  */
	TM_FACILITY_PATCH_LIBC,	 /* lazy, and the tabort. before each sc of glibc 2.21 to 2.28 is
				    removed */
	TM_FACILITY_NO_SUSPEND,	 /* POWER9 DD2.1 */
	TM_FACILITY_SYNTHETIC,	 /* POWER10 in a compatibility mode: every tbegin. fails */
};

/* A system call in T. */
enum tm_syscall {
	TM_SYSCALL_ABORT,   /* 4.2 and later: b4b56f9ecab4 */
	TM_SYSCALL_SUSPEND, /* 3.9 to 4.1: performed as if the program had suspended the transaction
			     */
};

/* Number of switches after which a thread that does not use TM loses it: an u8 that wraps. */
#define TM_LOAD_LIMIT_DEFAULT 256

struct tm_policy {
	enum tm_facility facility;
	enum tm_syscall syscall;
	u32 load_tm; /* limit of the counter of switches, TM_LOAD_LIMIT_DEFAULT */
};

/* Linux 6.1 on POWER8. */
#define TM_POLICY_DEFAULT ((struct tm_policy){.load_tm = TM_LOAD_LIMIT_DEFAULT})

#endif
