/* SPDX-License-Identifier: MIT */
/*
 * Runs the guest program of the instruction tests on the machine alone, without the kernel half:
 *
 *	bare [--enable] PROGRAM <CASES
 *
 * The program gets a stack, and read, write, mmap and exit. With --enable, MSR[FE0,FE1] are set:
 * an enabled floating-point exception then interrupts, and the instruction is stepped over, as
 * the program's own signal handler does where there is a kernel.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/extable.h"
#include "engine/engine.h"
#include "isa/insn.h"

#define STACK_BASE 0x30000000ull
#define STACK_SIZE 0x10000ull

#define SYS_PPC_EXIT	     1
#define SYS_PPC_READ	     3
#define SYS_PPC_WRITE	     4
#define SYS_PPC_MMAP	     90
#define SYS_PPC_RT_SIGACTION 173

static struct cpu cpu;

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "bare: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void map(u64 base, u64 size)
{
	void *p = mmap((void *)base, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (p != (void *)base)
		die("cannot map guest memory");
}

/* Copy the loadable segments to where they belong; returns the entry point. */
static u64 load(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	const char *file;
	const Elf64_Ehdr *header;
	const Elf64_Phdr *segment;

	if (fd < 0 || fstat(fd, &st) < 0)
		die(path);
	file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED)
		die(path);
	close(fd);
	header = (const void *)file;
	segment = (const void *)(file + header->e_phoff);
	for (int i = 0; i < header->e_phnum; i++, segment++) {
		u64 base = segment->p_vaddr & ~0xffffull;

		if (segment->p_type != PT_LOAD)
			continue;
		map(base, (segment->p_vaddr + segment->p_memsz - base + 0xffff) & ~0xffffull);
		memcpy((void *)segment->p_vaddr, file + segment->p_offset, segment->p_filesz);
	}
	return header->e_entry;
}

static void on_fault(int signo, siginfo_t *si, void *ucontext)
{
	if (!extable_fixup(si, ucontext)) {
		signal(signo, SIG_DFL);
		raise(signo);
	}
}

static void system_call(void)
{
	u64 *r = cpu.gpr;
	s64 result;

	switch (r[0]) {
	case SYS_PPC_EXIT:
		exit((int)r[3]);
	case SYS_PPC_READ:
		result = read((int)r[3], (void *)r[4], r[5]);
		break;
	case SYS_PPC_WRITE:
		result = write((int)r[3], (const void *)r[4], r[5]);
		break;
	case SYS_PPC_MMAP:
		map(r[3], r[4]);
		result = (s64)r[3];
		break;
	case SYS_PPC_RT_SIGACTION:
		result = 0;
		break;
	default:
		fprintf(stderr, "bare: system call %lu\n", (unsigned long)r[0]);
		exit(1);
	}
	if (result < 0)
		die("system call");
	cpu.cr[3] = 0; /* CR0[SO]: success */
	r[3] = (u64)result;
}

/* End as a program would that is killed by a signal, after one line that says why. */
static _Noreturn void killed(int signo, const char *why)
{
	const char *mnemonic = "?";
	struct decoded d;
	u32 word = 0;

	if (!(cpu.pc & 3) && cpu.pc < GUEST_ADDRESS_LIMIT) {
		word = *(const u32 *)cpu.pc;
		if (isa_decode(word, &d))
			mnemonic = d.insn->mnemonic;
	}
	fprintf(stderr, "%s at %#lx: %08x %s\n", why, (unsigned long)cpu.pc, word, mnemonic);
	signal(signo, SIG_DFL);
	raise(signo);
	abort();
}

static void program_interrupt(void)
{
	switch (cpu.exit.program) {
	case PROGRAM_FP_ENABLED:
		cpu.pc += 4;
		return;
	case PROGRAM_TRAP:
		killed(SIGTRAP, "trap");
	case PROGRAM_UNIMPLEMENTED:
		killed(SIGILL, "unimplemented");
	default:
		killed(SIGILL, "illegal or privileged");
	}
}

static bool fetch(void *context, u64 page)
{
	return page < GUEST_ADDRESS_LIMIT;
}

int main(int argc, char **argv)
{
	static const struct code_source source = {.fetch = fetch};
	struct sigaction sa = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
	bool enable = argc == 3 && !strcmp(argv[1], "--enable");

	if (argc != 2 && !enable) {
		fprintf(stderr, "usage: bare [--enable] PROGRAM\n");
		return 2;
	}
	sigaction(SIGSEGV, &sa, NULL);
	sigaction(SIGBUS, &sa, NULL);
	engine_init();
	cpu_init(&cpu, code_space_create(&source, NULL));
	cpu.msr |= MSR_FP | MSR_VEC | MSR_VSX;
	if (enable)
		cpu.msr |= MSR_FE0 | MSR_FE1;
	cpu.pc = load(argv[argc - 1]);
	map(STACK_BASE, STACK_SIZE);
	cpu.gpr[1] = STACK_BASE + STACK_SIZE - 64;
	cpu.gpr[12] = cpu.pc;

	for (;;) {
		switch (cpu_run(&cpu)) {
		case CPU_EXIT_SYSCALL:
			system_call();
			break;
		case CPU_EXIT_PROGRAM:
			program_interrupt();
			break;
		case CPU_EXIT_FAULT:
			killed(SIGSEGV, "fault");
		case CPU_EXIT_ALIGNMENT:
			killed(SIGBUS, "alignment");
		case CPU_EXIT_FACILITY:
			killed(SIGILL, "facility unavailable");
		default:
			break;
		}
	}
}
