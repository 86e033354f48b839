// SPDX-License-Identifier: MIT
/*
 * System calls on the address space.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/syscall.h>

#include "linux/mm.h"
#include "linux/mman.h"
#include "linux/syscall.h"
#include "linux/uaccess.h"
#include "linux/vdso.h"

#define PAGE_MASK (GUEST_PAGE_SIZE - 1)

static struct mm *mm_of(struct task *task)
{
	return task->process->mm;
}

s64 sys_mmap(struct task *task, const u64 args[6])
{
	return mm_mmap(mm_of(task), args[0], args[1], args[2], args[3], (int)args[4], args[5]);
}

s64 sys_munmap(struct task *task, const u64 args[6])
{
	s64 result = mm_munmap(mm_of(task), args[0], args[1]);

	if (!result)
		vdso_unmapped(task->process, args[0], args[1]);
	return result;
}

s64 sys_mprotect(struct task *task, const u64 args[6])
{
	return mm_mprotect(mm_of(task), args[0], args[1], args[2]);
}

s64 sys_mremap(struct task *task, const u64 args[6])
{
	s64 result = mm_mremap(mm_of(task), args[0], args[1], args[2], args[3], args[4]);

	if (result > 0)
		vdso_moved(task->process, args[0], (u64)result, args[1]);
	return result;
}

s64 sys_brk(struct task *task, const u64 args[6])
{
	return (s64)mm_brk(mm_of(task), args[0]);
}

s64 sys_madvise(struct task *task, const u64 args[6])
{
	return mm_madvise(mm_of(task), args[0], args[1], (int)args[2]);
}

/* Without protection keys, as on POWER8: pkey -1 is plain mprotect. */
s64 sys_pkey_mprotect(struct task *task, const u64 args[6])
{
	if ((int)args[3] != -1)
		return -EINVAL;
	return mm_mprotect(mm_of(task), args[0], args[1], args[2]);
}

s64 sys_pkey_alloc(struct task *task, const u64 args[6])
{
	return -ENOSPC;
}

s64 sys_pkey_free(struct task *task, const u64 args[6])
{
	return -EINVAL;
}

/* Calls that the host answers once the range is known to be the guest's. */
static s64 on_range(struct task *task, long number, u64 address, u64 length, u64 argument)
{
	u64 start = ROUND_DOWN(address, GUEST_PAGE_SIZE);

	if (!length)
		return 0;
	if (!user_range_ok(address, length))
		return -ENOMEM;
	length += address - start;
	if (!mm_is_mapped(mm_of(task), start, length))
		return -ENOMEM;
	return task_syscall(task, number, start, length, argument);
}

s64 sys_msync(struct task *task, const u64 args[6])
{
	if (args[0] & PAGE_MASK)
		return -EINVAL;
	return on_range(task, SYS_msync, args[0], args[1], args[2]);
}

s64 sys_mlock(struct task *task, const u64 args[6])
{
	return on_range(task, SYS_mlock, args[0], args[1], 0);
}

s64 sys_mlock2(struct task *task, const u64 args[6])
{
	return on_range(task, SYS_mlock2, args[0], args[1], args[2]);
}

s64 sys_munlock(struct task *task, const u64 args[6])
{
	return on_range(task, SYS_munlock, args[0], args[1], 0);
}

/* powerpc's MCL_* bits are higher than the generic 1, 2 and 4 (uapi/asm/mman.h). */
#define GUEST_MCL_SHIFT 13

s64 sys_mlockall(struct task *task, const u64 args[6])
{
	u64 flags = args[0] >> GUEST_MCL_SHIFT;

	if (args[0] & ((1u << GUEST_MCL_SHIFT) - 1) || flags & ~7ull)
		return -EINVAL;
	/* That would lock powertm's own memory too, so what is mapped now is all that can be. */
	return host_call(SYS_mlockall, flags);
}

s64 sys_munlockall(struct task *task, const u64 args[6])
{
	return host_call(SYS_munlockall);
}

s64 sys_mincore(struct task *task, const u64 args[6])
{
	u64 pages = ROUND_UP(args[1], GUEST_PAGE_SIZE) / GUEST_PAGE_SIZE;
	void *vector;

	if (args[0] & PAGE_MASK)
		return -EINVAL;
	if (!user_range_ok(args[0], args[1]))
		return -ENOMEM;
	if (user_write_buffer(task, args[2], pages, &vector))
		return -EFAULT;
	if (args[1] && !mm_is_mapped(mm_of(task), args[0], args[1]))
		return -ENOMEM;
	return host_call(SYS_mincore, args[0], args[1], vector);
}
