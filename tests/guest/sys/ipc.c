// SPDX-License-Identifier: MIT
/* System V IPC and POSIX message queues. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

union semun {
	int val;
	struct semid_ds *buf;
	unsigned short *array;
};

static void semaphores(void)
{
	struct sembuf up = {0, 2, 0}, down = {0, -1, 0}, try = {1, -1, IPC_NOWAIT};
	unsigned short values[3] = {0, 5, 9};
	struct timespec t = {0, 20000000};
	struct semid_ds status;
	int id = (int)MUST(semget(IPC_PRIVATE, 3, 0600 | IPC_CREAT));
	pid_t pid;

	SHOW(semctl(id, 0, SETALL, (union semun){.array = values}));
	SHOW(semctl(id, 2, GETVAL));
	SHOW(semctl(id, 1, SETVAL, (union semun){.val = 0}));
	MUST(semctl(id, 0, IPC_STAT, (union semun){.buf = &status}));
	printf("semaphores %lu mode %o\n", (unsigned long)status.sem_nsems,
	       status.sem_perm.mode & 0777);
	CHECK(status.sem_perm.uid == geteuid() && status.sem_ctime > 1600000000);
	CHECK(status.sem_otime == 0);
	SHOW(semop(id, &try, 1));
	SHOW(semtimedop(id, &down, 1, &t));
	pid = fork();
	if (!pid) {
		usleep(20000);
		_exit(semop(id, &up, 1) != 0);
	}
	SHOW(semop(id, &down, 1));
	CHECK(waitpid(pid, NULL, 0) == pid);
	SHOW(semctl(id, 0, GETPID) == pid || semctl(id, 0, GETPID) == getpid());
	memset(values, 0, sizeof(values));
	SHOW(semctl(id, 0, GETALL, (union semun){.array = values}));
	printf("%d %d %d\n", values[0], values[1], values[2]);
	status.sem_perm.mode = 0640;
	SHOW(semctl(id, 0, IPC_SET, (union semun){.buf = &status}));
	MUST(semctl(id, 0, IPC_STAT, (union semun){.buf = &status}));
	printf("mode %o\n", status.sem_perm.mode & 0777);
	CHECK(status.sem_otime > 1600000000);
	SHOW(semctl(id, 0, IPC_RMID));
	SHOW(semctl(id, 0, GETVAL));
}

static void messages(void)
{
	struct {
		long type;
		char text[16];
	} m = {3, "three"};
	struct msqid_ds status;
	int id = (int)MUST(msgget(IPC_PRIVATE, 0600 | IPC_CREAT));

	SHOW(msgsnd(id, &m, 6, 0));
	m.type = 5;
	strcpy(m.text, "five");
	SHOW(msgsnd(id, &m, 5, IPC_NOWAIT));
	MUST(msgctl(id, IPC_STAT, &status));
	printf("messages %lu\n", (unsigned long)status.msg_qnum);
	CHECK(status.msg_lspid == getpid() && status.msg_stime > 1600000000);
	SHOW(msgrcv(id, &m, sizeof(m.text), 5, 0));
	printf("%ld %s\n", m.type, m.text);
	SHOW(msgrcv(id, &m, 2, 0, 0));
	SHOW(msgrcv(id, &m, 2, 0, MSG_NOERROR));
	SHOW(msgrcv(id, &m, sizeof(m.text), 0, IPC_NOWAIT));
	SHOW(msgctl(id, IPC_RMID, NULL));
	SHOW(msgsnd(id, &m, 5, 0));
}

static void memory(void)
{
	int id = (int)MUST(shmget(IPC_PRIVATE, 10000, 0600 | IPC_CREAT)), *a, *b;
	struct shmid_ds status;
	void *place;
	pid_t pid;

	a = shmat(id, NULL, 0);
	CHECK(a != (void *)-1);
	b = shmat(id, NULL, SHM_RDONLY);
	CHECK(b != (void *)-1 && b != a);
	*a = 4711;
	printf("seen %d\n", *b);
	MUST(shmctl(id, IPC_STAT, &status));
	printf("size %lu attached %lu mode %o\n", (unsigned long)status.shm_segsz,
	       (unsigned long)status.shm_nattch, status.shm_perm.mode & 0777);
	CHECK(status.shm_cpid == getpid() && status.shm_atime > 1600000000);
	pid = fork();
	if (!pid) {
		*a = 1234;
		_exit(0);
	}
	CHECK(waitpid(pid, NULL, 0) == pid);
	printf("from the child %d\n", *b);
	SHOW(shmdt(b));
	SHOW(shmdt(b));
	place = mmap(NULL, 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	SHOW(shmat(id, place, 0) == (void *)-1);
	CHECK(shmat(id, place, SHM_REMAP) == place);
	printf("at the place %d\n", *(int *)place);
	SHOW(shmdt(place));
	SHOW(shmctl(id, IPC_RMID, NULL));
	printf("still %d\n", *a);
	SHOW(shmdt(a));
	SHOW(shmat(id, NULL, 0) == (void *)-1);
}

static void posix_queues(void)
{
	struct mq_attr attributes = {.mq_maxmsg = 4, .mq_msgsize = 32}, got;
	struct timespec t;
	char name[32], text[32];
	unsigned int priority;
	mqd_t q;

	snprintf(name, sizeof(name), "/guest-%d", getpid());
	q = mq_open(name, O_CREAT | O_RDWR | O_NONBLOCK, 0600, &attributes);
	if (q == (mqd_t)-1 && errno == ENOSYS)
		return;
	CHECK(q != (mqd_t)-1);
	SHOW(mq_send(q, "low", 3, 1));
	SHOW(mq_send(q, "high", 4, 9));
	MUST(mq_getattr(q, &got));
	printf("flags %d max %ld size %ld now %ld\n", got.mq_flags == O_NONBLOCK, got.mq_maxmsg,
	       got.mq_msgsize, got.mq_curmsgs);
	SHOW(mq_receive(q, text, sizeof(text), &priority));
	printf("%.4s %u\n", text, priority);
	SHOW(mq_receive(q, text, 8, &priority));
	SHOW(mq_receive(q, text, sizeof(text), &priority));
	SHOW(mq_receive(q, text, sizeof(text), &priority));
	got.mq_flags = 0;
	MUST(mq_setattr(q, &got, NULL));
	MUST(clock_gettime(CLOCK_REALTIME, &t));
	SHOW(mq_timedreceive(q, text, sizeof(text), &priority, &t));
	SHOW(mq_unlink(name));
	SHOW(mq_unlink(name));
}

int main(void)
{
	fresh_directory();
	semaphores();
	messages();
	memory();
	posix_queues();
	return 0;
}
