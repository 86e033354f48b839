// SPDX-License-Identifier: MIT
/*
 * Synchronous signals: number, si_code, si_addr and the interrupted pc.
 */
#define _GNU_SOURCE
#include "tap.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <ucontext.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile int got_signal, got_code;
static volatile u64 got_address, got_pc, got_trap, got_dar, got_dsisr;

static void handler(int signo, siginfo_t *si, void *context)
{
	ucontext_t *uc = context;

	got_signal = signo;
	got_code = si->si_code;
	got_address = (u64)si->si_addr;
	got_pc = uc->uc_mcontext.gp_regs[32];
	got_trap = uc->uc_mcontext.gp_regs[40];
	got_dar = uc->uc_mcontext.gp_regs[41];
	got_dsisr = uc->uc_mcontext.gp_regs[42];
	siglongjmp(back, 1);
}

static void expect(const char *name, int signo, int code, u64 address)
{
	if (!ok(got_signal == signo && got_code == code && got_address == address, "%s", name))
		printf("#   got signal %d code %d address 0x%llx, expected %d %d 0x%llx\n",
		       got_signal, got_code, (unsigned long long)got_address, signo, code,
		       (unsigned long long)address);
	got_signal = 0;
}

/* Run a piece of code that must fault. */
#define FAULT(name, signo, code, address, statement)                                               \
	do {                                                                                       \
		if (!sigsetjmp(back, 1)) {                                                         \
			statement;                                                                 \
			ok(0, "%s: no signal", name);                                              \
		} else {                                                                           \
			expect(name, signo, code, (u64)(address));                                 \
		}                                                                                  \
	} while (0)

static u64 load(u64 address)
{
	return *(volatile u64 *)address;
}

static void store(u64 address)
{
	*(volatile u64 *)address = 1;
}

static void call(u64 address)
{
	void (*volatile function)(void) = (void (*)(void))address;

	function();
}

/* A word of machine code at the start of an executable page. */
static u64 code_page;

static u64 code(u32 word)
{
	((volatile u32 *)code_page)[0] = word;
	((volatile u32 *)code_page)[1] = 0x4e800020; /* blr */
	__builtin___clear_cache((char *)code_page, (char *)code_page + 8);
	return code_page;
}

static void storage(void)
{
	long page = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, 4 * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[] = "/tmp/faults-XXXXXX";
	int fd = mkstemp(path);
	char *file;

	unlink(path);
	FAULT("load from an unmapped address", SIGSEGV, SEGV_MAPERR, 0x10, load(0x10));
	is(got_trap & ~1ull, 0x300, "it is a data storage interrupt");
	is(got_dar, 0x10, "DAR is the address");
	FAULT("store to an unmapped address", SIGSEGV, SEGV_MAPERR, 0x18, store(0x18));
	is(got_dsisr & 0x02000000, 0x02000000, "DSISR tells a store");
	load((u64)p);
	FAULT("store to a read-only page", SIGSEGV, SEGV_ACCERR, p + 8, store((u64)p + 8));
	is(got_dsisr & 0x0a000000, 0x0a000000, "DSISR tells a protected store");
	mprotect(p + page, page, PROT_NONE);
	FAULT("load from a page without access", SIGSEGV, SEGV_ACCERR, p + page,
	      load((u64)p + page));
	FAULT("load that runs into such a page", SIGSEGV, SEGV_ACCERR, p + page,
	      load((u64)p + page - 4));
	munmap(p + 2 * page, page);
	FAULT("store behind the end of a mapping", SIGSEGV, SEGV_MAPERR, p + 2 * page + 8,
	      store((u64)p + 2 * page + 8));
	FAULT("load from a kernel address", SIGSEGV, SEGV_MAPERR, 0xc000000000000000,
	      load(0xc000000000000000));
	FAULT("load from between user and kernel", SIGSEGV, SEGV_BNDERR, 0x4000000000000000,
	      load(0x4000000000000000));

	if (ftruncate(fd, 100))
		return;
	file = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	FAULT("load behind the end of a file", SIGBUS, BUS_ADRERR, file + page + 16,
	      load((u64)file + page + 16));
	FAULT("store behind the end of a file", SIGBUS, BUS_ADRERR, file + page + 16,
	      store((u64)file + page + 16));
	munmap(file, 2 * page);
	close(fd);
	munmap(p, 4 * page);
}

static void fetch(void)
{
	long page = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	FAULT("jump to zero", SIGSEGV, SEGV_MAPERR, 0, call(0));
	is(got_pc, 0, "pc is the target");
	is(got_trap & ~1ull, 0x400, "it is an instruction storage interrupt");
	FAULT("jump to data", SIGSEGV, SEGV_ACCERR, p, call((u64)p));
	is(got_pc, (u64)p, "pc is the target");
	FAULT("jump to an unmapped page", SIGSEGV, SEGV_MAPERR, 0x12345678, call(0x12345678));
	FAULT("jump outside user space", SIGSEGV, SEGV_BNDERR, 0x4000000000000000,
	      call(0x4000000000000000));
	munmap(p, page);
}

static void alignment(void)
{
	static u64 words[2] __attribute__((aligned(16)));
	u64 odd = (u64)words + 1;

	FAULT("lwarx at an odd address", SIGBUS, BUS_ADRALN, odd, ({
		      u32 value;
		      asm volatile("lwarx %0,0,%1" : "=r"(value) : "r"(odd) : "memory");
	      }));
	is(got_trap & ~1ull, 0x600, "it is an alignment interrupt");
}

static void program(void)
{
	FAULT("word that is no instruction", SIGILL, ILL_ILLOPC, code_page, call(code(0)));
	is(got_pc, code_page, "pc is the instruction");
	/* Without a hypervisor above it the kernel gets an emulation assistance interrupt instead.
	 */
	ok((got_trap & ~1ull) == 0x700 || (got_trap & ~1ull) == 0xe40, "it is a program interrupt");
	FAULT("privileged instruction", SIGILL, ILL_PRVOPC, code_page,
	      call(code(0x7c0000a6))); /* mfmsr 0 */
	FAULT("rfid", SIGILL, ILL_PRVOPC, code_page, call(code(0x4c000024)));
	FAULT("trap", SIGTRAP, TRAP_BRKPT, code_page, call(code(0x7fe00008)));
	is(got_pc, code_page, "pc is the trap");
}

static void emulated(void)
{
	u64 value = 0;
	u64 words[4] = {0x1111111122222222, 0x3333333344444444, 5, 6};

	asm volatile("mfspr %0,287" : "=r"(value)); /* PVR: privileged, but answered */
	is(value >> 16, 0x4d, "mfpvr says POWER8");
	/* lmw 29,0(9), which the assembler refuses */
	asm volatile("mr 8,31\n\tmr 9,%0\n\t.long 0xbba90000\n\tstd 29,0(%1)\n\tstd "
		     "30,8(%1)\n\tstd 31,16(%1)\n\tmr 31,8"
		     :
		     : "b"(words), "b"(words + 1)
		     : "r8", "r9", "r29", "r30", "memory");
	ok(words[1] == 0x22222222 && words[2] == 0x11111111 && words[3] == 0x44444444,
	   "lmw in little-endian mode is done by the kernel");
}

static void floating_point(void)
{
	volatile double zero = 0, one = 1, huge = 1e308, result;

	is(prctl(PR_SET_FPEXC, PR_FP_EXC_PRECISE), 0, "precise floating-point exceptions");
	asm volatile("mtfsb1 27"); /* ZE */
	FAULT("division by zero, enabled", SIGFPE, FPE_FLTDIV, got_pc, result = one / zero);
	asm volatile("mtfsf 255,%0" ::"d"(0.0));
	asm volatile("mtfsb1 25"); /* OE */
	FAULT("overflow, enabled", SIGFPE, FPE_FLTOVF, got_pc, result = huge * huge);
	asm volatile("mtfsf 255,%0" ::"d"(0.0));
	asm volatile("mtfsb1 24"); /* VE */
	FAULT("invalid operation, enabled", SIGFPE, FPE_FLTINV, got_pc, result = zero / zero);
	asm volatile("mtfsf 255,%0" ::"d"(0.0));
	result = one / zero;
	ok(result == __builtin_inf(), "nothing happens when disabled");
}

int main(void)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE};
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (unsigned int i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
	code_page = (u64)mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE | PROT_EXEC,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	storage();
	fetch();
	alignment();
	program();
	emulated();
	floating_point();
	return tap_end();
}
