/* SPDX-License-Identifier: MIT */
/*
 * Random signal frames, wild jumps and ruined stacks, as the kernel's sigfuz does for transactions.
 * Whatever a child makes of its context, it must end by exit or by a signal that Linux would give,
 * and soon; the emulator must neither crash nor hang.
 *
 * A child may run into any code that is linked here with any values in its registers. So there is
 * none that could harm others: nothing calls kill(), children are ended by their limit of CPU time
 * and by alarm(), whose signal no frame can block, and they are process groups of their own.
 *
 * Arguments: seed (1), children (200), seconds at most (0: no limit), the first child (0).
 */
#define _GNU_SOURCE
#include "tap.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define PATIENCE 30 /* seconds a child may take on a busy machine */

static u64 state;
static pid_t original; /* of the parent of all */

static u64 draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Addresses and numbers at which something may happen. */
static u64 interesting(const ucontext_t *uc)
{
	static char buffer[64];

	switch (draw() % 16) {
	case 0:
		return 0;
	case 1:
		return draw();
	case 2:
		return (u64)buffer + draw() % 128;
	case 3:
		return (u64)uc + draw() % 4096;
	case 4:
		return 1ull << draw() % 64;
	case 5:
		return -(1ull << draw() % 64);
	case 6:
		return (1ull << 46) - draw() % 8192;
	case 7:
		return (1ull << 46) + draw() % 8192;
	case 8:
		return (u64)interesting + draw() % 4096;
	case 9:
		return uc->uc_mcontext.gp_regs[32] + 4 * (draw() % 16);
	case 10:
		return uc->uc_mcontext.gp_regs[1] + draw() % 256;
	case 11:
		return 0xc000000000000000 | draw() >> 16;
	case 12:
		return draw() & 0x3fffffffffff;
	case 13:
		return (u64)uc->uc_mcontext.regs;
	case 14:
		return draw() % 65536;
	default:
		return ~0ull;
	}
}

/* MSR of a frame: any bit, but big-endian mode not too often. */
static u64 some_msr(u64 msr)
{
	msr ^= 1ull << draw() % 64;
	return draw() % 8 ? msr | 1 : msr;
}

static void ruin(ucontext_t *uc)
{
	const u64 mask = offsetof(ucontext_t, uc_sigmask) / 8;
	u64 *words = (u64 *)uc, word;

	for (u64 n = draw() % 6; n; n--)
		switch (draw() % 9) {
		case 0: /* general registers, NIP, MSR, CTR, LR, XER, CR, ... */
			uc->uc_mcontext.gp_regs[draw() % 48] = interesting(uc);
			break;
		case 1:
			uc->uc_mcontext.gp_regs[33] = some_msr(uc->uc_mcontext.gp_regs[33]);
			break;
		case 2:
			uc->uc_mcontext.gp_regs[32] = interesting(uc);
			break;
		case 3:
			uc->uc_mcontext.v_regs = (void *)interesting(uc);
			break;
		case 4:
			uc->uc_mcontext.regs = (void *)interesting(uc);
			break;
		case 5:
			uc->uc_link = (void *)interesting(uc);
			break;
		case 6:
			uc->uc_stack.ss_sp = (void *)interesting(uc);
			uc->uc_stack.ss_size = interesting(uc);
			uc->uc_stack.ss_flags = (int)draw();
			break;
		case 7: /* not the mask: SIGALRM must find its way */
			word = draw() % (sizeof(*uc) / 8);
			if (word < mask || word >= mask + sizeof(uc->uc_sigmask) / 8)
				words[word] = draw();
			break;
		default:
			uc->uc_mcontext.fp_regs[draw() % 33] = (double)draw();
			break;
		}
}

static void handler(int signo, siginfo_t *info, void *context)
{
	u64 where = draw();

	alarm(2); /* loops end, unless the mask is full */
	if (where % 32 == 0)
		asm volatile("mr 1,%0\n\tli 0,172\n\tsc" ::"r"(interesting(context)));
	ruin(context);
}

/* The C library's functions may find their frames ruined; an abort of the emulator kills. */
static void aborted(int signo)
{
	_exit(0);
}

static void handle_everything(void)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	static const int caught[] = {SIGUSR1, SIGUSR2, SIGSEGV, SIGILL, SIGBUS, SIGTRAP, SIGFPE};

	for (u64 i = 0; i < sizeof(caught) / sizeof(*caught); i++) {
		action.sa_flags = SA_SIGINFO;
		if (draw() % 4 == 0)
			action.sa_flags |= SA_NODEFER;
		if (draw() % 4 == 0)
			action.sa_flags |= SA_ONSTACK;
		if (draw() % 8 == 0)
			action.sa_flags |= (int)SA_RESETHAND;
		sigaction(caught[i], &action, NULL);
	}
	signal(SIGABRT, aborted);
}

static void bad_stack(void)
{
	stack_t stack = {.ss_sp = (void *)(draw() & 0x3ffffffff000),
			 .ss_size = draw() % 65536 + 8192};
	static char some[65536];

	if (draw() % 2)
		stack.ss_sp = some, stack.ss_size = sizeof(some);
	sigaltstack(&stack, NULL);
}

static void *raise_more(void *arg)
{
	for (int i = 0; i < 20; i++)
		syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR1 + 2 * (i & 1));
	return NULL;
}

static volatile int depth;

static int endless(int n)
{
	volatile char room[1000];

	room[n % 1000] = (char)n;
	depth = n;
	return endless(n + 1) + room[0];
}

/* One child's life. */
static void live(void)
{
	volatile u64 *p = (u64 *)raise_more;
	ucontext_t here;
	pthread_t id;

	alarm(3);
	getcontext(&here);
	bad_stack();
	handle_everything();
	switch (draw() % 10) {
	case 0: /* a wild jump */
		((void (*)(void))interesting(&here))();
		break;
	case 1: /* sigreturn out of the blue */
		asm volatile("mr 1,%0\n\tli 0,172\n\tsc" ::"r"(interesting(&here)));
		break;
	case 2: /* no stack */
		asm volatile("mr 1,%0\n\tstd 1,-64(1)\n\tld 3,0(1)" ::"r"(interesting(&here)));
		break;
	case 3:
		endless((int)(draw() & 255));
		break;
	case 4: /* wild accesses, misaligned ones among them */
		for (int i = 0; i < 8; i++)
			p = (u64 *)*(volatile u64 *)interesting(&here);
		break;
	case 5:
		for (int i = 0; i < 4; i++)
			if (pthread_create(&id, NULL, raise_more, NULL))
				_exit(3);
		pthread_join(id, NULL);
		break;
	case 6: { /* random code */
		u32 *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		/* Not sc: what it asks for would be random, too. */
		for (int i = 0; i < 1024; i++)
			do
				code[i] = (u32)draw();
			while (code[i] >> 26 == 17);
		__builtin___clear_cache((char *)code, (char *)code + 4096);
		((void (*)(void))(code + draw() % 1024))();
		break;
	}
	default:
		raise_more(NULL);
		break;
	}
	_exit(0);
}

static int expected(int status)
{
	if (WIFEXITED(status))
		return 1;
	switch (WTERMSIG(status)) {
	case SIGALRM:
	case SIGXCPU:
	case SIGSEGV:
	case SIGBUS:
	case SIGILL:
	case SIGTRAP:
	case SIGFPE:
	case SIGUSR1:
	case SIGUSR2:
	case SIGQUIT: /* tgkill with a number that was changed */
	case SIGKILL: /* the hard limit of CPU time: signals blocked, or the limit changed */
		return 1;
	}
	return 0;
}

/* Wait, but not for ever. Returns 0 for a child that does not end. */
static int reap(pid_t child, int *status)
{
	struct timespec tick = {0, 2000000};

	for (int i = 0; i < PATIENCE * 500; i++) {
		if (waitpid(child, status, WNOHANG) == child)
			return 1;
		nanosleep(&tick, NULL);
	}
	return 0;
}

int main(int argc, char **argv)
{
	u64 seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	u64 n = argc > 2 ? strtoull(argv[2], NULL, 0) : 200;
	time_t limit = argc > 3 ? atol(argv[3]) : 0, begun = time(NULL);
	u64 first = argc > 4 ? strtoull(argv[4], NULL, 0) : 0;
	u64 children = 0, strange = 0, stuck = 0;

	if (!original)
		original = getpid();
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (u64 i = first; i < first + n && (!limit || time(NULL) - begun < limit); i++) {
		u64 mine = seed * 0x9e3779b97f4a7c15 + i * 0xbf58476d1ce4e5b9 + 1;
		pid_t child;
		int status;

		fflush(stdout);
		if (getpid() != original)
			_exit(0); /* a child that has found its way here must not breed */
		child = fork();
		if (!child) {
			const struct rlimit cpu = {4, 5};

			/* What a child says in its confusion goes nowhere. */
			close(0);
			close(1);
			close(2);
			if (setpgid(0, 0) || setrlimit(RLIMIT_CPU, &cpu))
				_exit(4);
			state = mine | 1;
			for (int j = 0; j < 8; j++)
				draw();
			live();
		}
		if (child < 0)
			break;
		children++;
		if (!reap(child, &status)) {
			printf("# seed %llu child %llu was stuck\n", (unsigned long long)seed,
			       (unsigned long long)i);
			stuck++;
		} else if (!expected(status)) {
			printf("# seed %llu child %llu ended with 0x%x\n", (unsigned long long)seed,
			       (unsigned long long)i, status);
			strange++;
		}
	}
	ok(children == n || limit, "%llu children lived", (unsigned long long)children);
	is(strange, 0, "they ended as Linux ends such programs");
	is(stuck, 0, "and soon");
	return tap_end();
}
