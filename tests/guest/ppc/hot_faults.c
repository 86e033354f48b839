/* SPDX-License-Identifier: MIT */
/*
 * Loops with a fault at each load and store in turn, after they have run often enough to be
 * compiled: the handler sees all registers. Prints a number made of what it saw, which must be the
 * same with every engine (tests/guest/engines).
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define BASE   0x30000000ul
#define PAGE   4096ul
#define PAGES  26
#define ROUNDS 400

static uint64_t seen = 0xcbf29ce484222325ul;
static unsigned faults;

static void note(uint64_t x)
{
	seen = (seen ^ x) * 0x100000001b3ul;
}

/* What the loop computes with; the other registers are the compiler's. */
static void on_fault(int signo, siginfo_t *si, void *context)
{
	ucontext_t *uc = context;
	const unsigned long *regs = uc->uc_mcontext.gp_regs;
	const double *fp = (const double *)uc->uc_mcontext.fp_regs;
	uint64_t bits;

	for (int i = 3; i < 22; i++)
		if (i != 13)
			note(regs[i]);
	note(regs[32]); /* NIP */
	note(regs[35]); /* CTR */
	note(regs[37]); /* XER */
	note(regs[38]); /* CR */
	for (int i = 0; i < 4; i++) {
		memcpy(&bits, &fp[i], 8);
		note(bits);
	}
	note((uint64_t)si->si_addr);
	note((uint64_t)si->si_code);
	faults++;
	mprotect((void *)((uint64_t)si->si_addr & -PAGE), PAGE, PROT_READ | PROT_WRITE);
}

/*
 * One access of each kind, each to a page of its own, between arithmetic on many registers. r3 is the
 * first page and moves through it.
 */
static uint64_t loop(uint64_t base, uint64_t n)
{
	register uint64_t r3 __asm__("r3") = base;
	register uint64_t r4 __asm__("r4") = n;

	__asm__ volatile(
		"mtctr %1\n"
		"li 5,1\nli 6,2\nli 7,3\nli 8,4\nli 9,5\nli 10,6\nli 11,7\nli 12,8\n"
		"li 14,9\nli 15,10\nli 16,11\nli 17,12\nli 18,13\nli 19,14\n"
		"fcfid 0,0\nxxlxor 0,0,0\nxxlxor 1,1,1\nxxlxor 2,2,2\nxxlxor 3,3,3\nvxor 2,2,2\nvxor 3,3,3\n"
		"li 21,8192\n"
		"mr 20,%0\n"
		"1:\n"
		"lbz 5,1(20)\n addi 20,20,4096\n add 6,6,5\n"
		"lhz 7,2(20)\n addi 20,20,4096\n addic 8,8,17\n"
		"lha 9,4(20)\n addi 20,20,4096\n adde 8,8,9\n"
		"lwz 10,8(20)\n addi 20,20,4096\n mullw 11,10,6\n"
		"lwa 12,12(20)\n addi 20,20,4096\n subf 14,12,11\n"
		"ld 15,16(20)\n addi 20,20,4096\n rldicl 16,15,7,3\n"
		"ldu 17,4096(20)\n xor 18,17,16\n"
		"lwzux 19,20,21\n or 5,19,18\n"
		"lfd 0,24(20)\n addi 20,20,4096\n fadd 1,1,0\n"
		"lfs 2,32(20)\n addi 20,20,4096\n fmul 3,2,1\n"
		"lxvd2x 34,0,20\n addi 20,20,4096\n vadduwm 3,3,2\n"
		"lwarx 6,0,20\n addi 6,6,3\n stwcx. 6,0,20\n addi 20,20,4096\n"
		"stb 6,1(20)\n addi 20,20,4096\n cmpw 1,6,7\n"
		"sth 7,2(20)\n addi 20,20,4096\n crand 2,4,5\n"
		"stw 8,4(20)\n addi 20,20,4096\n addi 9,9,5\n"
		"std 9,8(20)\n addi 20,20,4096\n addo. 10,10,9\n"
		"stdu 10,4096(20)\n srdi 11,10,3\n"
		"stwux 11,20,21\n rlwinm 12,11,5,3,20\n"
		"stfd 1,24(20)\n addi 20,20,4096\n neg 14,12\n"
		"stfs 3,32(20)\n addi 20,20,4096\n extsw 15,14\n"
		"stxvd2x 35,0,20\n addi 20,20,4096\n cntlzd 16,15\n"
		"stdx 16,0,20\n mr 17,16\n"
		"mr 20,%0\n"
		"bdnz 1b\n"
		"mr %0,10\n"
		: "+r"(r3), "+r"(r4)
		:
		: "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r14", "r15", "r16", "r17", "r18",
		  "r19", "r20", "r21", "ctr", "xer", "cr0", "cr1", "fr0", "fr1", "fr2", "fr3", "v2",
		  "v3", "memory");
	return r3;
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	char *memory = mmap((void *)BASE, PAGES * PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	unsigned protected = 0;

	if (memory != (char *)BASE)
		return 1;
	for (unsigned i = 0; i < PAGES * PAGE; i++)
		memory[i] = (char)(i * 7 + i / PAGE);
	sigaction(SIGSEGV, &action, NULL);
	note(loop(BASE, 100)); /* hot now */
	for (int round = 0; round < ROUNDS; round++) {
		int prot = round / PAGES % 3 ? PROT_NONE : PROT_READ;

		mprotect(memory + (unsigned)round % PAGES * PAGE, PAGE, prot);
		protected++;
		note(loop(BASE, 3));
	}
	printf("%u faults of %u protected pages, %016lx\n", faults, protected, seen);
	return 0;
}
