// SPDX-License-Identifier: MIT
/*
 * System V semaphores, message queues and shared memory; POSIX message queues.
 */
#define _GNU_SOURCE
#include <mqueue.h>
#include <signal.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <time.h>

#include "linux/mm.h"
#include "linux/mman.h"
#include "linux/powerpc_abi.h"
#include "linux/syscall_pass.h"

#define IPC_64 0x0100 /* the form of the structures: the only one on powerpc64 */

PASS(semget)
PASS(msgget)
PASS(shmget)

s64 sys_semtimedop(struct task *task, const u64 args[6])
{
	static const struct pass_buffer buffers[] = {IN_INT(1, 2, sizeof(struct sembuf)),
						     IN(3, sizeof(struct timespec))};
	PASS_ARGUMENTS(a, args);
	int error = pass_prepare(task, a, buffers, ARRAY_SIZE(buffers));
	s64 result;

	if (error)
		return error;
	result = task_syscall(task, SYS_semtimedop, a[0], a[1], a[2], a[3]);
	return result == -ERESTARTSYS ? -EINTR : result;
}

static s64 semctl_status(struct task *task, int id, int number, int command, u64 address)
{
	struct ppc_semid_ds guest;
	struct semid_ds host;
	s64 result;

	if (command == IPC_SET) {
		if (get_user(task, &guest, address))
			return -EFAULT;
		semid_ds_to_host(&guest, &host);
	}
	result = host_call(SYS_semctl, id, number, command, &host);
	if (result < 0 || command == IPC_SET)
		return result;
	semid_ds_from_host(&host, &guest);
	return put_user(task, guest, address) ? -EFAULT : result;
}

/* The array of GETALL and SETALL has as many entries as the set has semaphores. */
static s64 semctl_array(struct task *task, int id, int command, u64 address)
{
	struct semid_ds status;
	s64 result = host_call(SYS_semctl, id, 0, IPC_STAT, &status);
	void *array;

	if (result < 0)
		return result;
	result = user_write_buffer(task, address, status.sem_nsems * sizeof(u16), &array);
	return result ? result : host_call(SYS_semctl, id, 0, command, array);
}

s64 sys_semctl(struct task *task, const u64 args[6])
{
	int command = (int)args[2] & ~IPC_64;
	void *out;
	s64 error;

	switch (command) {
	case IPC_STAT:
	case IPC_SET:
	case SEM_STAT:
	case SEM_STAT_ANY:
		return semctl_status(task, (int)args[0], (int)args[1], command, args[3]);
	case GETALL:
	case SETALL:
		return semctl_array(task, (int)args[0], command, args[3]);
	case IPC_INFO:
	case SEM_INFO:
		error = user_write_buffer(task, args[3], sizeof(struct seminfo), &out);
		return error ? error : host_call(SYS_semctl, args[0], args[1], command, out);
	case SETVAL:
	case GETVAL:
	case GETPID:
	case GETNCNT:
	case GETZCNT:
	case IPC_RMID:
		return host_call(SYS_semctl, args[0], args[1], command, args[3]);
	default:
		return -EINVAL;
	}
}

s64 sys_msgsnd(struct task *task, const u64 args[6])
{
	const void *in;
	s64 result;

	if ((s64)args[2] < 0)
		return -EINVAL;
	result = user_read_buffer(task, args[1], args[2] + sizeof(long), &in);
	if (!result)
		result = task_syscall(task, SYS_msgsnd, args[0], in, args[2], args[3]);
	return result == -ERESTARTSYS ? -ERESTARTNOHAND : result;
}

s64 sys_msgrcv(struct task *task, const u64 args[6])
{
	void *out;
	s64 result;

	if ((s64)args[2] < 0)
		return -EINVAL;
	result = user_write_buffer(task, args[1], args[2] + sizeof(long), &out);
	if (!result)
		result = task_syscall(task, SYS_msgrcv, args[0], out, args[2], args[3], args[4]);
	return result == -ERESTARTSYS ? -ERESTARTNOHAND : result;
}

/* struct msqid_ds is that of asm-generic on both sides. */
s64 sys_msgctl(struct task *task, const u64 args[6])
{
	void *out = NULL;
	int error = args[2] ? user_write_buffer(task, args[2], sizeof(struct msqid_ds), &out) : 0;

	return error ? error : host_call(SYS_msgctl, args[0], (int)args[1] & ~IPC_64, out);
}

s64 sys_shmctl(struct task *task, const u64 args[6])
{
	int command = (int)args[1] & ~IPC_64;
	struct ppc_shmid_ds guest;
	struct shmid_ds host;
	void *out;
	s64 result;

	switch (command) {
	case IPC_SET:
		if (get_user(task, &guest, args[2]))
			return -EFAULT;
		shmid_ds_to_host(&guest, &host);
		return host_call(SYS_shmctl, args[0], IPC_SET, &host);
	case IPC_STAT:
	case SHM_STAT:
	case SHM_STAT_ANY:
		result = host_call(SYS_shmctl, args[0], command, &host);
		if (result < 0)
			return result;
		shmid_ds_from_host(&host, &guest);
		return put_user(task, guest, args[2]) ? -EFAULT : result;
	case IPC_INFO:
	case SHM_INFO:
		result = user_write_buffer(task, args[2], sizeof(struct shminfo), &out);
		return result ? result : host_call(SYS_shmctl, args[0], command, out);
	case IPC_RMID:
	case SHM_LOCK:
	case SHM_UNLOCK:
		return host_call(SYS_shmctl, args[0], command, 0);
	default:
		return -EINVAL;
	}
}

struct attach {
	int id;
	int flags;
};

static s64 map_segment(u64 address, void *context)
{
	const struct attach *attach = context;
	/* SHM_REMAP: the memory map has reserved the place, which may hold what is replaced. */
	int flags = (attach->flags & ~SHM_RND) | SHM_REMAP;
	s64 result = host_call(SYS_shmat, attach->id, address, flags);

	return result < 0 && result >= -4095 ? result : 0;
}

s64 sys_shmat(struct task *task, const u64 args[6])
{
	struct attach attach = {.id = (int)args[0], .flags = (int)args[2]};
	u64 address = args[1];
	struct shmid_ds status;
	u32 prot;
	s64 result = host_call(SYS_shmctl, attach.id, IPC_STAT, &status);

	if (result < 0)
		return result;
	if (address % GUEST_PAGE_SIZE) { /* SHMLBA of powerpc is the page */
		if (!(attach.flags & SHM_RND))
			return -EINVAL;
		address = ROUND_DOWN(address, GUEST_PAGE_SIZE);
	}
	prot = attach.flags & SHM_RDONLY ? PROT_READ : PROT_READ | PROT_WRITE;
	if (attach.flags & SHM_EXEC)
		prot |= PROT_EXEC;
	attach.flags &= ~SHM_EXEC; /* guest code is read, not executed by the host */
	return mm_attach(task->process->mm, address, ROUND_UP(status.shm_segsz, GUEST_PAGE_SIZE),
			 prot, RANGE_SHARED | RANGE_SHM, 0x73686d00000000ull | (u32)attach.id,
			 attach.flags & SHM_REMAP, map_segment, &attach);
}

s64 sys_shmdt(struct task *task, const u64 args[6])
{
	struct mm_range range;

	if (!mm_lookup(task->process->mm, args[0], &range) || !(range.flags & RANGE_SHM) ||
	    range.start != args[0])
		return -EINVAL;
	return mm_munmap(task->process->mm, range.start, range.end - range.start);
}

PASS(mq_unlink, STRING(0))
PASS(mq_notify, IN(1, sizeof(struct sigevent)))
PASS(mq_getsetattr, IN(1, sizeof(struct mq_attr)), OUT(2, sizeof(struct mq_attr)))
PASS_SLEEP(mq_timedsend, IN_N(1, 2, 1), IN(4, sizeof(struct timespec)))
PASS_SLEEP(mq_timedreceive, OUT_N(1, 2, 1), OUT(3, 4), IN(4, sizeof(struct timespec)))

s64 sys_mq_open(struct task *task, const u64 args[6])
{
	static const struct pass_buffer buffers[] = {STRING(0), IN(3, sizeof(struct mq_attr))};
	PASS_ARGUMENTS(a, args);
	int error = pass_prepare(task, a, buffers, ARRAY_SIZE(buffers));

	if (error)
		return error;
	return host_call(SYS_mq_open, a[0], open_flags_to_host((u32)a[1]), a[2], a[3]);
}

/* The old way to all of System V IPC, which the C library of powerpc still goes: <linux/ipc.h>. */
enum ipc_call {
	IPC_SEMOP = 1,
	IPC_SEMGET,
	IPC_SEMCTL,
	IPC_SEMTIMEDOP,
	IPC_MSGSND = 11,
	IPC_MSGRCV,
	IPC_MSGGET,
	IPC_MSGCTL,
	IPC_SHMAT = 21,
	IPC_SHMDT,
	IPC_SHMGET,
	IPC_SHMCTL,
};

static s64 ipc_semctl(struct task *task, u64 first, u64 second, u64 third, u64 pointer)
{
	u64 argument;

	if (!pointer)
		return -EINVAL;
	if (get_user(task, &argument, pointer))
		return -EFAULT;
	return sys_semctl(task, (const u64[6]){first, second, third, argument});
}

/* In version 0 pointer and type come in a structure. */
static s64 ipc_msgrcv(struct task *task, u64 version, const u64 args[6])
{
	u64 pair[2];

	if (version)
		return sys_msgrcv(task,
				  (const u64[6]){args[1], args[4], args[2], args[5], args[3]});
	if (!args[4])
		return -EINVAL;
	if (get_user(task, &pair, args[4]))
		return -EFAULT;
	return sys_msgrcv(task, (const u64[6]){args[1], pair[0], args[2], pair[1], args[3]});
}

static s64 ipc_shmat(struct task *task, u64 first, u64 second, u64 third, u64 pointer)
{
	s64 address = sys_shmat(task, (const u64[6]){first, pointer, second});

	if (address < 0 && address >= -4095)
		return address;
	return put_user(task, address, third);
}

s64 sys_ipc(struct task *task, const u64 args[6])
{
	u64 version = (u32)args[0] >> 16;
	u64 first = args[1], second = args[2], third = args[3], pointer = args[4];

	switch (args[0] & 0xffff) {
	case IPC_SEMOP:
		return sys_semtimedop(task, (const u64[6]){first, pointer, second, 0});
	case IPC_SEMTIMEDOP:
		return sys_semtimedop(task, (const u64[6]){first, pointer, second, args[5]});
	case IPC_SEMGET:
		return sys_semget(task, (const u64[6]){first, second, third});
	case IPC_SEMCTL:
		return ipc_semctl(task, first, second, third, pointer);
	case IPC_MSGSND:
		return sys_msgsnd(task,
				  (const u64[6]){first, pointer, (u64)(s64)(int)second, third});
	case IPC_MSGRCV:
		return ipc_msgrcv(task, version, args);
	case IPC_MSGGET:
		return sys_msgget(task, (const u64[6]){first, second});
	case IPC_MSGCTL:
		return sys_msgctl(task, (const u64[6]){first, second, pointer});
	case IPC_SHMAT:
		return ipc_shmat(task, first, second, third, pointer);
	case IPC_SHMDT:
		return sys_shmdt(task, (const u64[6]){pointer});
	case IPC_SHMGET:
		return sys_shmget(task, (const u64[6]){first, second, third});
	case IPC_SHMCTL:
		return sys_shmctl(task, (const u64[6]){first, second, pointer});
	default:
		return -ENOSYS;
	}
}
