// SPDX-License-Identifier: MIT
/*
 * System calls that move data through file descriptors, and those on open files.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "linux/syscall_pass.h"

PASS_SLEEP(read, OUT_N(1, 2, 1))
PASS_SLEEP(write, IN_N(1, 2, 1))
PASS_SLEEP(pread64, OUT_N(1, 2, 1))
PASS_SLEEP(pwrite64, IN_N(1, 2, 1))
PASS(lseek)
PASS_SLEEP(ftruncate)
PASS_SLEEP(fallocate)
PASS_SLEEP(fsync)
PASS_SLEEP(fdatasync)
PASS_SLEEP(sync)
PASS_SLEEP(syncfs)
PASS_SLEEP(readahead)
PASS(fadvise64)
PASS_SLEEP(sendfile, OUT(2, 8))
PASS_SLEEP(copy_file_range, OUT(1, 8), OUT(3, 8))
PASS_SLEEP(splice, OUT(1, 8), OUT(3, 8))
PASS_SLEEP(tee)

/* powerpc has the flags second, so that the 64-bit arguments pair up in 32-bit programs. */
s64 sys_sync_file_range2(struct task *task, const u64 args[6])
{
	return task_syscall(task, SYS_sync_file_range, args[0], args[2], args[3], args[1]);
}

s64 sys__llseek(struct task *task, const u64 args[6])
{
	s64 offset = (s64)(args[1] << 32 | (u32)args[2]);
	s64 result = host_call(SYS_lseek, args[0], offset, args[4]);

	return result < 0 ? result : put_user(task, result, args[3]);
}

/*
 * A call with a vector of buffers: descriptor, vector, count, and up to three more. @write: the
 * host writes to memory.
 */
static s64 vector_call(struct task *task, long number, bool write, const u64 args[6])
{
	struct iovec iov[USER_IOV_MAX];
	int error;

	if (args[2] > USER_IOV_MAX)
		return -EINVAL;
	error = user_iovec(task, args[1], args[2], write, iov);
	if (error)
		return error;
	return task_syscall(task, number, args[0], iov, args[2], args[3], args[4], args[5]);
}

s64 sys_readv(struct task *task, const u64 args[6])
{
	return vector_call(task, SYS_readv, true, args);
}

s64 sys_writev(struct task *task, const u64 args[6])
{
	return vector_call(task, SYS_writev, false, args);
}

s64 sys_preadv(struct task *task, const u64 args[6])
{
	return vector_call(task, SYS_preadv, true, args);
}

s64 sys_pwritev(struct task *task, const u64 args[6])
{
	return vector_call(task, SYS_pwritev, false, args);
}

s64 sys_preadv2(struct task *task, const u64 args[6])
{
	return vector_call(task, SYS_preadv2, true, args);
}

s64 sys_pwritev2(struct task *task, const u64 args[6])
{
	return vector_call(task, SYS_pwritev2, false, args);
}

s64 sys_vmsplice(struct task *task, const u64 args[6])
{
	/* Which way the data goes depends on the pipe's end; be ready for both. */
	return vector_call(task, SYS_vmsplice, true, args);
}

/* (pid, local vector, count, remote vector, count, flags): @write to memory of the caller */
static s64 process_vm(struct task *task, long number, bool write, const u64 args[6])
{
	struct iovec local[USER_IOV_MAX], remote[USER_IOV_MAX];
	int error;

	if (args[2] > USER_IOV_MAX || args[4] > USER_IOV_MAX)
		return -EINVAL;
	error = user_iovec(task, args[1], args[2], write, local);
	/*
	 * The other process may be this one, so its addresses are those of a guest, too. They must
	 * stay as they are: as if written to.
	 */
	if (!error)
		error = user_iovec(task, args[3], args[4], true, remote);
	if (error)
		return error;
	return host_call(number, args[0], local, args[2], remote, args[4], args[5]);
}

s64 sys_process_vm_readv(struct task *task, const u64 args[6])
{
	return process_vm(task, SYS_process_vm_readv, true, args);
}

s64 sys_process_vm_writev(struct task *task, const u64 args[6])
{
	return process_vm(task, SYS_process_vm_writev, false, args);
}
