// SPDX-License-Identifier: MIT
/*
 * Random system calls with random arguments. Whatever they say, the process must live on and the
 * emulator with it: a call with a bad address is an error, never a fault.
 *
 * syscall_fuzz [SEED [ROUNDS]]: each round is a child that makes 200 calls; the seed of a round
 * that went wrong is printed. Calls that would disturb the machine are left out.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS	 200
#define FIRST_FD 10
#define FDS	 8

static uint64_t state;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Not called: they end or stop the process, make others, or change the machine. */
static const int left_out[] = {
	SYS_exit,
	SYS_exit_group,
	SYS_fork,
	SYS_vfork,
	SYS_clone,
	SYS_clone3,
	SYS_kill,
	SYS_tkill,
	SYS_tgkill,
	SYS_rt_sigqueueinfo,
	SYS_rt_tgsigqueueinfo,
	SYS_pidfd_send_signal,
	SYS_rt_sigreturn,
	SYS_pause,
	SYS_rt_sigsuspend,
	SYS_sethostname,
	SYS_setdomainname,
	SYS_settimeofday,
	SYS_clock_settime,
	SYS_adjtimex,
	SYS_clock_adjtime,
	SYS_syslog,
	SYS_vhangup,
	SYS_sync,
	SYS_syncfs,
	SYS_setpgid,
	SYS_setsid,
	SYS_setrlimit,
	SYS_prlimit64,
	SYS_setpriority,
	SYS_nice,
	SYS_sched_setscheduler,
	SYS_sched_setparam,
	SYS_sched_setattr,
	SYS_sched_setaffinity,
	SYS_munmap,
	SYS_mremap,
	SYS_mprotect,
	SYS_mmap,
	SYS_brk,
	SYS_shmat,
	SYS_shmdt,
	SYS_shmget,
	SYS_semget,
	SYS_msgget,
	SYS_mq_open,
	SYS_rt_sigaction,
	SYS_rt_sigprocmask,
	SYS_alarm,
	SYS_setitimer,
	SYS_timer_create,
	SYS_sigaltstack,
	SYS_set_robust_list,
	SYS_set_tid_address,
	SYS_madvise,
	SYS_mlockall,
	SYS_ioprio_set,
	SYS_unshare,
	SYS_setns,
	SYS_fchmod,
	SYS_fchown,
	SYS_process_vm_writev,
	SYS_prctl,
	SYS_swapcontext,
	SYS_epoll_pwait,
	SYS_ppoll,
	SYS_pselect6,
	SYS_fallocate,
	SYS_ftruncate,
	SYS_truncate,
	SYS_signalfd,
	SYS_signalfd4,
	SYS_ptrace,
	SYS_reboot,
	SYS_userfaultfd,
	SYS_io_uring_setup,
	SYS_perf_event_open,
	SYS_personality,
	SYS_ipc,
	SYS_remap_file_pages,
	SYS_mincore,
	SYS_setuid,
	SYS_setgid,
	SYS_setreuid,
	SYS_setregid,
	SYS_setresuid,
	SYS_setresgid,
	SYS_setgroups,
	SYS_capset,
	SYS_umask,
	SYS_chroot,
	SYS_semctl,
	SYS_shmctl,
	SYS_msgctl,
	SYS_socketcall,
	SYS_waitid,
	SYS_wait4,
	SYS_execveat,
	SYS_signal,
};

static int is_left_out(int number)
{
	for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++)
		if (left_out[i] == number)
			return 1;
	return 0;
}

/* Numbers that powerpc64 has no call for. */
static int is_unused(int number)
{
	return (number >= 366 && number <= 377) || (number >= 403 && number <= 423);
}

static char *page; /* followed by one that cannot be accessed */

static const char *const names[] = {"a",
				    "b",
				    "dir",
				    "dir/c",
				    "link",
				    "none/x",
				    "",
				    ".",
				    "/proc/self/maps",
				    "/proc/self/fd",
				    "/proc/cpuinfo"};

static uint64_t argument(void)
{
	switch (next() % 16) {
	case 0:
		return 0;
	case 1:
		return next() % 64;
	case 2:
		return FIRST_FD + next() % FDS;
	case 3:
		return (uint64_t)-1 - next() % 4;
	case 4:
		return 1ull << next() % 64;
	case 5:
		return (uint64_t)(uintptr_t)page + next() % 4096;
	case 6:
		return (uint64_t)(uintptr_t)page + 4096 - next() % 64;
	case 7:
		return (uint64_t)(uintptr_t)page + 4096;
	case 8: /* where the emulator lives */
		return 0x7f0000000000ull + (next() & 0xffffffffff);
	case 9:
		return (uint64_t)-100; /* AT_FDCWD */
	case 10:
	case 11:
		return (uint64_t)(uintptr_t)strcpy(page + next() % 16 * 64, names[next() % 11]);
	case 12:
		return next();
	case 13:
		return next() & 0xffffffff;
	case 14:
		return 0x400000000000ull - next() % 64; /* end of guest space */
	default:
		return next() % 4096;
	}
}

static void make_descriptors(void)
{
	int fd[FDS], pair[2];

	fd[0] = open("a", O_CREAT | O_RDWR, 0600);
	fd[1] = open(".", O_RDONLY | O_DIRECTORY);
	if (pipe2(pair, O_NONBLOCK))
		exit(1);
	fd[2] = pair[0];
	fd[3] = pair[1];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair))
		exit(1);
	fd[4] = pair[0];
	fd[5] = eventfd(1, EFD_NONBLOCK);
	fd[6] = epoll_create1(0);
	fd[7] = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	for (int i = 0; i < FDS; i++)
		dup2(fd[i], FIRST_FD + i);
}

static void nothing(int signo)
{
}

static void child(uint64_t seed)
{
	struct sigaction action = {.sa_handler = nothing};
	struct rlimit size = {1 << 20, 1 << 20};
	struct itimerval timer = {{0, 20000}, {0, 20000}};
	int number;

	state = seed * 0x9e3779b97f4a7c15ull + 1;
	page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED || mprotect(page + 4096, 4096, PROT_NONE))
		exit(1);
	setrlimit(RLIMIT_FSIZE, &size);
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGIO, SIG_IGN);
	make_descriptors();
	/* What sleeps is woken; calls that would sleep again and again end with the round. */
	sigaction(SIGALRM, &action, NULL);
	syscall(SYS_setitimer, 0, &timer, NULL);
	for (int i = 0; i < CALLS; i++) {
		do
			number = (int)(next() % 451);
		while (is_left_out(number) || is_unused(number));
		for (int j = 0; j < 256; j++)
			page[next() % 4096] = (char)next();
		syscall(number, argument(), argument(), argument(), argument(), argument(),
			argument());
	}
	_exit(42);
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	int rounds = argc > 2 ? atoi(argv[2]) : 200, bad = 0, status;
	char path[512];

	snprintf(path, sizeof(path), "%s/fuzz-XXXXXX",
		 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	if (!mkdtemp(path) || chdir(path) || mkdir("dir", 0700) || symlink("a", "link"))
		return 1;
	/* As root some calls would do what they say. */
	if (!geteuid() &&
	    (chmod(path, 0777) || setgroups(0, NULL) || setgid(65534) || setuid(65534)))
		return 1;
	for (int i = 0; i < rounds; i++, seed++) {
		pid_t pid = fork();

		if (!pid)
			child(seed);
		if (waitpid(pid, &status, 0) != pid)
			return 1;
		if (!WIFEXITED(status) || WEXITSTATUS(status) != 42) {
			printf("seed %llu: status 0x%x\n", (unsigned long long)seed, status);
			bad++;
		}
	}
	printf("%d rounds, %d bad\n", rounds, bad);
	return bad != 0;
}
