// SPDX-License-Identifier: MIT
/*
 * What tests/cli/tm lets powertm run: transactions that end in a known way.
 */
#include <htmintrin.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINE 128

static struct line {
	long word;
} __attribute__((aligned(LINE))) lines[256], shared, start, done;

static void commit_many(long n)
{
	for (long i = 0; i < n; i++)
		if (__builtin_tbegin(0)) {
			shared.word++;
			__builtin_tend(0);
		}
	printf("%ld\n", shared.word);
}

/* Return: TEXASRU, 0 if it was committed. */
static unsigned long touch_lines(long n)
{
	if (__builtin_tbegin(0)) {
		for (long i = 0; i < n; i++)
			*(volatile long *)&lines[i].word = i;
		__builtin_tend(0);
		return 0;
	}
	return __builtin_get_texasru();
}

static unsigned long call_in_transaction(void)
{
	if (__builtin_tbegin(0)) {
		register long number asm("r0") = 20, result asm("r3");

		asm volatile("sc" : "=r"(result), "+r"(number) : : "cr0", "memory");
		__builtin_tend(0);
		return 0;
	}
	return __builtin_get_texasru();
}

static unsigned long store_while_suspended(void)
{
	if (__builtin_tbegin(0)) {
		shared.word = 1;
		__builtin_tsuspend();
		shared.word = 2;
		__builtin_tresume();
		__builtin_tend(0);
		return 0;
	}
	return __builtin_get_texasru();
}

static void __attribute__((noinline)) winner(void)
{
	/* On a busy host a commit may be given up. */
	while (!__builtin_tbegin(0))
		;
	shared.word = 7;
	__builtin_tend(0);
}

static void *other_thread(void *transactional)
{
	while (!__atomic_load_n(&start.word, __ATOMIC_ACQUIRE))
		;
	if (transactional)
		winner();
	else
		__atomic_store_n(&shared.word, 7, __ATOMIC_RELAXED);
	__atomic_store_n(&done.word, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* Another thread writes what this transaction has read. */
static unsigned long __attribute__((noinline)) loser(void)
{
	if (__builtin_tbegin(0)) {
		(void)*(volatile long *)&shared.word;
		__builtin_tsuspend();
		__atomic_store_n(&start.word, 1, __ATOMIC_RELEASE);
		while (!__atomic_load_n(&done.word, __ATOMIC_ACQUIRE))
			;
		__builtin_tresume();
		__builtin_tend(0);
		return 0;
	}
	return __builtin_get_texasru();
}

/* On a busy host a suspended transaction may lose its CPU, and then fails for that reason. */
static unsigned long conflict(int transactional)
{
	unsigned long texasru;
	pthread_t thread;
	int tries = 0;

	do {
		start.word = done.word = shared.word = 0;
		pthread_create(&thread, NULL, other_thread, transactional ? &shared : NULL);
		texasru = loser();
		pthread_join(thread, NULL);
	} while (texasru >> 24 == 0xde && ++tries < 20);
	return texasru;
}

/* All CR fields are set before; only CR0 may change. r11 and the reservation stay. */
#define TABORT(instruction)                                                                        \
	({                                                                                         \
		unsigned int cr_, done_;                                                           \
		unsigned long r11_;                                                                \
		asm volatile("lis 11,0x1234\n\tmtcr %4\n\tldarx 9,0,%3\n\t" instruction            \
			     "\n\tmfcr %0\n\tstdcx. 9,0,%3\n\tmfcr %1\n\tmr %2,11"                   \
			     : "=&r"(cr_), "=&r"(done_), "=&r"(r11_)                               \
			     : "r"(&shared.word), "r"(0xf8421f37)                                  \
			     : "r9", "r11", "cr0", "cr1", "cr2", "cr3", "cr4", "cr5", "cr6",        \
			       "cr7", "memory");                                                   \
		failures += cr_ != 0x08421f37 || !(done_ & 0x20000000) || r11_ != 0x12340000;       \
	})

static int taborts(void)
{
	int failures = 0;

	TABORT("tabort. 11");
	TABORT("tabortwc. 0,11,11");
	TABORT("tabortwci. 4,11,0");
	TABORT("tabortdc. 31,11,11");
	TABORT("tabortdci. 4,11,0");
	TABORT(".long 0x7c0b071c"); /* bit 31 is ignored */
	printf("%d taborts went wrong\n", failures);
	return failures;
}

/*
 * What glibc 2.21 to 2.28 did before a system call. The word that it asked is another one in the
 * control block of today's, which is not 0.
 */
static long call_like_old_glibc(void)
{
	register long number asm("r0") = 0, result asm("r3");

	asm volatile("lwz 0,-0x7008(13)\n\tcmpwi 0,0\n\tbeq 1f\n\tli 11,0x31\n\ttabort. 11\n\t"
		     ".p2align 4\n1:\tli 0,20\n\tsc"
		     : "=r"(result), "+r"(number)
		     :
		     : "r11", "r9", "r10", "r12", "cr0", "memory");
	return result;
}

/* The same code, but nothing of a system call: an elided lock that is busy, as glibc has it, too. */
static unsigned long abort_like_elision(void)
{
	if (__builtin_tbegin(0)) {
		asm volatile("lwz 0,-0x7008(13)\n\tcmpwi 0,0\n\tbeq 1f\n\tli 11,0x34\n\t"
			     "tabort. 11\n1:\tli 0,20"
			     :
			     :
			     : "r0", "r11", "cr0", "memory");
		__builtin_tend(0);
		return 0;
	}
	return __builtin_get_texasru();
}

static unsigned long run(char **argv)
{
	const char *what = argv[1];
	int status;

	if (!strcmp(what, "commit"))
		return commit_many(atol(argv[2])), 0;
	if (!strcmp(what, "touch"))
		return touch_lines(atol(argv[2]));
	if (!strcmp(what, "call"))
		return call_in_transaction();
	if (!strcmp(what, "self"))
		return store_while_suspended();
	if (!strcmp(what, "conflict"))
		return conflict(0);
	if (!strcmp(what, "tm-conflict"))
		return conflict(1);
	if (!strcmp(what, "taborts"))
		return (unsigned long)taborts();
	if (!strcmp(what, "old-glibc"))
		return call_like_old_glibc() != getpid() || abort_like_elision() >> 24 != 0x34;
	if (!strcmp(what, "hwcap"))
		return printf("%lx\n", getauxval(AT_HWCAP2)), 0;
	if (!strcmp(what, "exec"))
		return (unsigned long)execv(argv[0], (char *[]){argv[0], argv[2], argv[3], NULL});
	if (!strcmp(what, "exec-garbage")) {
		setenv("POWERTM_TM", "garbage", 1);
		return (unsigned long)execv(argv[0], (char *[]){argv[0], "touch", argv[2], NULL});
	}
	if (!strcmp(what, "fork")) {
		for (int i = 0; i < 10; i++)
			touch_lines(1);
		if (!fork())
			exit((int)touch_lines(3));
		wait(&status);
		return touch_lines(3);
	}
	return 1;
}

int main(int argc, char **argv)
{
	unsigned long texasru = run(argv);

	printf("%lx\n", texasru);
	return 0;
}
