/* SPDX-License-Identifier: MIT */
/*
 * Memory mapping flags of powerpc (uapi/asm/mman.h) where they differ from the generic ones, and
 * their conversion to the host's.
 */
#ifndef LINUX_MMAN_H
#define LINUX_MMAN_H

#include <sys/mman.h>

#include "base/types.h"

#define GUEST_PROT_SEM	0x8u
#define GUEST_PROT_SAO	0x10u /* strong access ordering: what an x86 host does anyway */
#define GUEST_PROT_RWX	(PROT_READ | PROT_WRITE | PROT_EXEC)

#define GUEST_MAP_TYPE		  0x0fu
#define GUEST_MAP_FIXED		  0x10u
#define GUEST_MAP_ANONYMOUS	  0x20u
#define GUEST_MAP_NORESERVE	  0x40u
#define GUEST_MAP_LOCKED	  0x80u
#define GUEST_MAP_GROWSDOWN	  0x100u
#define GUEST_MAP_DENYWRITE	  0x800u
#define GUEST_MAP_EXECUTABLE	  0x1000u
#define GUEST_MAP_POPULATE	  0x8000u
#define GUEST_MAP_NONBLOCK	  0x10000u
#define GUEST_MAP_STACK		  0x20000u
#define GUEST_MAP_HUGETLB	  0x40000u
#define GUEST_MAP_SYNC		  0x80000u
#define GUEST_MAP_FIXED_NOREPLACE 0x100000u
#define GUEST_MAP_HUGE_BITS	  0xfc000000u

/* Without the bits that say where: mm.c always gives the host a fixed place. */
static inline int host_map_flags(u64 flags)
{
	int host = (int)(flags & (GUEST_MAP_TYPE | GUEST_MAP_ANONYMOUS));

	if (flags & GUEST_MAP_NORESERVE)
		host |= MAP_NORESERVE;
	if (flags & GUEST_MAP_LOCKED)
		host |= MAP_LOCKED;
	if (flags & GUEST_MAP_POPULATE)
		host |= MAP_POPULATE;
	if (flags & GUEST_MAP_NONBLOCK)
		host |= MAP_NONBLOCK;
	if (flags & GUEST_MAP_HUGETLB)
		host |= MAP_HUGETLB | (int)(flags & GUEST_MAP_HUGE_BITS);
	if (flags & GUEST_MAP_SYNC)
		host |= MAP_SYNC;
	return host;
}

/*
 * The host only ever reads guest code. On powerpc any access right implies that of reading
 * (arch/powerpc/mm/fault.c, access_error()).
 */
static inline int host_prot(u32 prot)
{
	return prot & GUEST_PROT_RWX ? PROT_READ | (int)(prot & PROT_WRITE) : PROT_NONE;
}

#endif
