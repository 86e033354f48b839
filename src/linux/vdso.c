// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "linux/vdso.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "linux/mm.h"
#include "linux/mman.h"
#include "linux/syscall.h"
#include "linux/uaccess.h"

/* The data page, as vdso.S sees it. */
struct vdso_data {
	s64 realtime_offset; /* nanoseconds to add to the monotonic clock */
};

/* Smaller changes come from reading two clocks one after the other. */
#define CLOCK_TOLERANCE 20000 /* ns */

static s64 nanoseconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (s64)now.tv_sec * 1000000000 + now.tv_nsec;
}

void vdso_update_clock(struct process *process)
{
	u64 page = process->vdso_data;
	s64 before = nanoseconds(CLOCK_MONOTONIC);
	s64 real = nanoseconds(CLOCK_REALTIME);
	s64 offset = real - (before + nanoseconds(CLOCK_MONOTONIC)) / 2;
	s64 change, old;
	bool begun;

	if (!page || !mm_is_mapped(process->mm, page, GUEST_PAGE_SIZE))
		return;
	if (get_user(current, &old, page + offsetof(struct vdso_data, realtime_offset)))
		return;
	change = offset - old;
	if (change > -CLOCK_TOLERANCE && change < CLOCK_TOLERANCE)
		return;
	/* The guest sees a page that it can only read. */
	host_call(SYS_mprotect, page, GUEST_PAGE_SIZE, PROT_READ | PROT_WRITE);
	begun = user_access_begin(current);
	(void)host_store_u64((void *)(uintptr_t)(page + offsetof(struct vdso_data, realtime_offset)),
			     (u64)offset);
	user_access_end(current, begun);
	host_call(SYS_mprotect, page, GUEST_PAGE_SIZE, PROT_READ);
}

int vdso_map(struct process *process)
{
	struct mm *mm = process->mm;
	u64 size = ROUND_UP(vdso_image_size, GUEST_PAGE_SIZE);
	s64 data = mm_mmap(mm, 0, GUEST_PAGE_SIZE + size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | GUEST_MAP_ANONYMOUS, -1, 0);
	u64 image = (u64)data + GUEST_PAGE_SIZE;
	s64 error;

	if (data < 0)
		return (int)data;
	memcpy((void *)(uintptr_t)image, vdso_image, vdso_image_size);
	error = mm_mprotect(mm, (u64)data, GUEST_PAGE_SIZE, PROT_READ);
	if (!error)
		error = mm_mprotect(mm, image, size, PROT_READ | PROT_EXEC);
	if (error)
		return (int)error;
	mm_mark(mm, (u64)data, image, RANGE_VVAR);
	mm_mark(mm, image, image + size, RANGE_VDSO);
	process->vdso_data = (u64)data;
	process->vdso = image;
	vdso_update_clock(process);
	return 0;
}

void vdso_moved(struct process *process, u64 from, u64 to, u64 length)
{
	if (process->vdso - from < length)
		process->vdso += to - from;
	if (process->vdso_data - from < length)
		process->vdso_data += to - from;
}

void vdso_unmapped(struct process *process, u64 start, u64 length)
{
	if (process->vdso - start < length)
		process->vdso = 0;
	if (process->vdso_data - start < length)
		process->vdso_data = 0;
}
