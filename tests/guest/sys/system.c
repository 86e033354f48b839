// SPDX-License-Identifier: MIT
/* Identity, limits, scheduling, switches of the process, and what the system says of itself. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/fsuid.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "check.h"

static void identity(void)
{
	uid_t r, e, s;
	gid_t list[64];
	int n = getgroups(64, list);

	CHECK(getresuid(&r, &e, &s) == 0 && r == getuid() && e == geteuid());
	CHECK(getresgid(&r, &e, &s) == 0 && r == getgid() && e == getegid());
	CHECK(n >= 0 && getgroups(0, NULL) == n);
	SHOW(getgroups(-1, list));
	SHOW(setuid(getuid()));
	SHOW(setresuid(-1, -1, -1));
	SHOW(setresgid(-1, getegid(), -1));
	SHOW(setreuid(-1, -1));
	CHECK(setfsuid(-1) == (int)geteuid());
	CHECK(getppid() > 0 && getpgid(0) == getpgrp() && getsid(0) >= 0);
	SHOW(syscall(SYS_getresuid, (void *)16, &e, &s));
}

static void limits(void)
{
	struct rlimit limit, again;

	for (int i = 0; i < RLIMIT_NLIMITS; i++)
		CHECK(!getrlimit(i, &limit) && limit.rlim_cur <= limit.rlim_max);
	SHOW(getrlimit(99, &limit));
	MUST(getrlimit(RLIMIT_NOFILE, &limit));
	limit.rlim_cur = 64;
	MUST(setrlimit(RLIMIT_NOFILE, &limit));
	SHOW(dup2(0, 63));
	SHOW(dup2(0, 64));
	SHOW(fcntl(0, F_DUPFD, 64));
	MUST(close(63));
	MUST(getrlimit(RLIMIT_STACK, &limit));
	limit.rlim_cur = 4 << 20;
	MUST(setrlimit(RLIMIT_STACK, &limit));
	MUST(prlimit(0, RLIMIT_STACK, NULL, &again));
	printf("stack %lu\n", (unsigned long)again.rlim_cur);
	limit.rlim_cur = limit.rlim_max = 1ul << 40;
	MUST(setrlimit(RLIMIT_AS, &limit));
	MUST(prlimit(getpid(), RLIMIT_AS, NULL, &again));
	printf("address space %lu\n", (unsigned long)again.rlim_max);
	limit.rlim_cur = 2;
	limit.rlim_max = 1;
	SHOW(setrlimit(RLIMIT_AS, &limit));
	SHOW(setrlimit(RLIMIT_FSIZE, &limit));
	SHOW(setrlimit(RLIMIT_CORE, (void *)16));
}

static void scheduling(void)
{
	struct sched_param param = {99};
	struct timespec t;
	cpu_set_t set;

	CHECK(sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) >= 1);
	CHECK(CPU_COUNT(&set) == get_nprocs());
	SHOW(sched_setaffinity(0, sizeof(set), &set));
	SHOW(sched_getscheduler(0));
	SHOW(sched_getparam(0, &param));
	printf("priority %d\n", param.sched_priority);
	SHOW(sched_get_priority_max(SCHED_FIFO));
	SHOW(sched_get_priority_min(SCHED_FIFO));
	SHOW(sched_yield());
	CHECK(!sched_rr_get_interval(0, &t));
	CHECK(sched_getcpu() >= 0);
	SHOW(getpriority(PRIO_PROCESS, 0));
	SHOW(nice(3));
	SHOW(getpriority(PRIO_PROCESS, 0));
	SHOW(setpriority(PRIO_PROCESS, 0, 5));
	SHOW(getpriority(PRIO_PROCESS, 0));
	SHOW(sched_getscheduler(-1));
}

static void switches(void)
{
	char name[16] = "";
	int value = -1;
	FILE *comm;

	SHOW(prctl(PR_SET_NAME, "a name too long for it"));
	MUST(prctl(PR_GET_NAME, name));
	printf("name \"%s\"\n", name);
	comm = fopen("/proc/self/comm", "r");
	CHECK(comm && fgets(name, sizeof(name), comm));
	printf("comm \"%s\"\n", name);
	SHOW(prctl(PR_GET_DUMPABLE));
	SHOW(prctl(PR_SET_PDEATHSIG, SIGUSR1));
	SHOW(prctl(PR_GET_PDEATHSIG, &value));
	printf("death signal %d\n", value);
	SHOW(prctl(PR_SET_PDEATHSIG, 0));
	SHOW(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	SHOW(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	SHOW(prctl(PR_SET_KEEPCAPS, 1));
	SHOW(prctl(PR_GET_KEEPCAPS));
	SHOW(prctl(PR_SET_CHILD_SUBREAPER, 1));
	SHOW(prctl(PR_GET_CHILD_SUBREAPER, &value));
	printf("subreaper %d\n", value);
	SHOW(prctl(12345678));
	SHOW(prctl(PR_GET_NAME, (void *)16));
	value = personality(0xffffffff);
	CHECK(value != -1);
	SHOW(umask(027));
	SHOW(umask(022));
#ifdef __powerpc64__
	CHECK(!prctl(PR_GET_ENDIAN, &value) && value == PR_ENDIAN_LITTLE);
	CHECK(!prctl(PR_SET_FPEXC, PR_FP_EXC_PRECISE));
	CHECK(!prctl(PR_GET_FPEXC, &value) && value == PR_FP_EXC_PRECISE);
	CHECK(!prctl(PR_SET_FPEXC, PR_FP_EXC_DISABLED));
	CHECK(prctl(PR_SET_FPEXC, 99) == -1 && errno == EINVAL);
#endif
}

static void information(void)
{
	unsigned char random[32] = {0}, zeros[32] = {0};
	struct utsname name;
	struct sysinfo info;
	struct rusage usage;
	struct {
		unsigned int version;
		int pid;
	} header = {0x20080522, 0};
	struct {
		unsigned int effective, permitted, inheritable;
	} data[2];

	MUST(uname(&name));
	printf("%s\n", name.sysname);
#ifdef __powerpc64__
	CHECK(!strcmp(name.machine, "ppc64le") && atoi(name.release) >= 6);
	CHECK(!strncmp((char *)getauxval(AT_PLATFORM), "power", 5));
#else
	CHECK(!strcmp(name.machine, "x86_64"));
#endif
	SHOW(uname((void *)16));
	CHECK(!sysinfo(&info) && info.totalram > 0 && info.mem_unit >= 1 && info.uptime > 0);
	CHECK(!getrusage(RUSAGE_SELF, &usage) && usage.ru_maxrss > 0);
	CHECK(!getrusage(RUSAGE_CHILDREN, &usage));
	SHOW(getrusage(99, &usage));
	SHOW(getrandom(random, sizeof(random), 0));
	CHECK(memcmp(random, zeros, sizeof(random)));
	SHOW(getrandom(random, 8, GRND_NONBLOCK));
	SHOW(getrandom(random, 8, 0x8000));
	SHOW(syscall(SYS_capget, &header, data));
	header.version = 1;
	SHOW(syscall(SYS_capget, &header, NULL));
	printf("version %x\n", header.version);
	CHECK(sysconf(_SC_PAGESIZE) == 4096);
	CHECK(syscall(SYS_membarrier, 0, 0, 0) >= 0);
	SHOW(syscall(SYS_rseq, NULL, 0, 0, 0) == -1);
	SHOW(syscall(5000));
	SHOW(syscall(SYS_sync));
}

int main(void)
{
	fresh_directory();
	identity();
	limits();
	scheduling();
	switches();
	information();
	return 0;
}
