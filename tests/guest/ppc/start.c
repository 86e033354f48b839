// SPDX-License-Identifier: MIT
/*
 * What a program finds when it starts: stack, auxiliary vector, registers, vDSO.
 * Run it as: start one two, with TEST=value in the environment.
 */
#define _GNU_SOURCE
#include "tap.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static u64 auxiliary(u64 type, int *found)
{
	char **p = environ;

	while (*p)
		p++;
	*found = 0;
	for (Elf64_auxv_t *a = (Elf64_auxv_t *)(p + 1); a->a_type != AT_NULL; a++)
		if (a->a_type == type) {
			*found = 1;
			return a->a_un.a_val;
		}
	return 0;
}

static void aux_is(u64 type, u64 expected, const char *name)
{
	int found;

	is(auxiliary(type, &found), expected, name);
}

static void auxv(const char *name)
{
	int found;
	u64 random;

	ok((auxiliary(AT_HWCAP, &found) & ~0x400ull) == 0xdc0061c2, "AT_HWCAP: a POWER8");
	ok((auxiliary(AT_HWCAP2, &found) & ~0x51000000ull) == 0xae000000, "AT_HWCAP2: a POWER8");
	aux_is(AT_CLKTCK, 100, "AT_CLKTCK");
	aux_is(AT_DCACHEBSIZE, 128, "AT_DCACHEBSIZE");
	aux_is(AT_ICACHEBSIZE, 128, "AT_ICACHEBSIZE");
	aux_is(51, 4224, "AT_MINSIGSTKSZ");
	aux_is(AT_SECURE, 0, "AT_SECURE");
	aux_is(AT_UID, getuid(), "AT_UID");
	aux_is(AT_EGID, getegid(), "AT_EGID");
	ok(!strcmp((char *)auxiliary(AT_PLATFORM, &found), "power8"), "AT_PLATFORM");
	ok(strstr((char *)auxiliary(AT_EXECFN, &found), name) != NULL, "AT_EXECFN");
	random = auxiliary(AT_RANDOM, &found);
	ok(random && (((u64 *)random)[0] || ((u64 *)random)[1]), "AT_RANDOM");
	is(auxiliary(AT_PHENT, &found), sizeof(Elf64_Phdr), "AT_PHENT");
	ok(auxiliary(AT_ENTRY, &found) != 0, "AT_ENTRY");
}

/* A function of the vDSO by name, from its dynamic section. */
static void *vdso_symbol(const char *wanted)
{
	Elf64_Ehdr *e = (Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);
	Elf64_Phdr *ph = (Elf64_Phdr *)((char *)e + e->e_phoff);
	Elf64_Sym *symbols = NULL;
	const char *strings = NULL;
	u32 *hash = NULL;

	for (int i = 0; i < e->e_phnum; i++) {
		if (ph[i].p_type != PT_DYNAMIC)
			continue;
		for (Elf64_Dyn *d = (Elf64_Dyn *)((char *)e + ph[i].p_offset); d->d_tag; d++) {
			char *p = (char *)e + d->d_un.d_ptr;

			if (d->d_tag == DT_SYMTAB)
				symbols = (Elf64_Sym *)p;
			if (d->d_tag == DT_STRTAB)
				strings = p;
			if (d->d_tag == DT_HASH)
				hash = (u32 *)p;
		}
	}
	for (u32 i = 0; hash && i < hash[1]; i++)
		if (!strcmp(strings + symbols[i].st_name, wanted))
			return (char *)e + symbols[i].st_value;
	return NULL;
}

/* The vDSO's convention: CR0[SO] tells an error. */
static long vdso_call(void *function, long a, long b, int *error)
{
	register long r3 asm("r3") = a;
	register long r4 asm("r4") = b;
	register void *r12 asm("r12") = function;
	u32 cr;

	asm volatile("mtctr %3\n\tbctrl\n\tmfcr %0"
		     : "=&r"(cr), "+r"(r3), "+r"(r4), "+r"(r12)
		     :
		     : "memory", "ctr", "lr", "cr0", "cr1", "r0", "r5", "r6", "r7", "r8", "r9",
		       "r10", "r11");
	*error = !!(cr & 0x10000000);
	return r3;
}

static long long ns(const struct timespec *t)
{
	return t->tv_sec * 1000000000ll + t->tv_nsec;
}

static void clock_agrees(void *function, clockid_t clock, const char *name)
{
	struct timespec before, there, after;
	int error, bad = 0;

	for (int i = 0; i < 1000; i++) {
		clock_gettime(clock, &before);
		bad += vdso_call(function, clock, (long)&there, &error) != 0 || error;
		clock_gettime(clock, &after);
		bad += there.tv_nsec < 0 || there.tv_nsec > 999999999;
		/* The offset between the clocks is known to some microseconds. */
		bad += ns(&there) < ns(&before) - 50000 || ns(&there) > ns(&after) + 50000;
	}
	ok(!bad, "%s agrees with the system call", name);
}

static void vdso(void)
{
	struct timespec t = {0};
	struct timeval tv = {0};
	void *function;
	int error;

	if (!ok(getauxval(AT_SYSINFO_EHDR) != 0, "there is a vDSO"))
		return;
	function = vdso_symbol("__kernel_clock_gettime");
	if (ok(function != NULL, "__kernel_clock_gettime")) {
		clock_agrees(function, CLOCK_MONOTONIC, "CLOCK_MONOTONIC");
		clock_agrees(function, CLOCK_REALTIME, "CLOCK_REALTIME");
		clock_agrees(function, CLOCK_BOOTTIME, "CLOCK_BOOTTIME");
		is(vdso_call(function, 77, (long)&t, &error), EINVAL, "unknown clock");
		is(error, 1, "is an error");
	}
	function = vdso_symbol("__kernel_gettimeofday");
	if (ok(function != NULL, "__kernel_gettimeofday")) {
		is(vdso_call(function, (long)&tv, 0, &error), 0, "it works");
		ok(labs(tv.tv_sec - time(NULL)) < 2, "and tells the time");
	}
	function = vdso_symbol("__kernel_time");
	if (ok(function != NULL, "__kernel_time"))
		ok(labs(vdso_call(function, 0, 0, &error) - time(NULL)) < 2, "tells the time");
	function = vdso_symbol("__kernel_get_tbfreq");
	if (ok(function != NULL, "__kernel_get_tbfreq"))
		is(vdso_call(function, 0, 0, &error), 512000000, "512 MHz");
	ok(vdso_symbol("__kernel_sigtramp_rt64") != NULL, "__kernel_sigtramp_rt64");
}

/* Nanoseconds by the clock for some ticks of the timebase, as a ratio that should be 1. */
static double timebase_ratio(void)
{
	struct timespec start, end, pause = {.tv_nsec = 20000000};
	u64 t0, t1;

	clock_gettime(CLOCK_MONOTONIC, &start);
	asm volatile("mfspr %0,268" : "=r"(t0));
	nanosleep(&pause, NULL);
	clock_gettime(CLOCK_MONOTONIC, &end);
	asm volatile("mfspr %0,268" : "=r"(t1));
	return (double)(t1 - t0) / ((double)(ns(&end) - ns(&start)) * 0.512);
}

static void timebase(void)
{
	double ratio = 0;

	/* Whoever takes the processor away between the two readings disturbs one try. */
	for (int i = 0; i < 10 && !(ratio > 0.98 && ratio < 1.02); i++)
		ratio = timebase_ratio();
	ok(ratio > 0.98 && ratio < 1.02, "the timebase runs at 512 MHz");
}

static void registers(void)
{
	u64 area[2] __attribute__((aligned(16))), value;
	double d;

	asm volatile("mfvscr 0\n\tstvx 0,0,%0" ::"r"(area) : "v0", "memory");
	is(area[0] & 0x10000, 0, "VSCR[NJ] is 0");
	asm volatile("mfspr %0,256" : "=r"(value));
	is(value, 0xffffffff, "VRSAVE, once vectors were used");
	asm volatile("mffs %0" : "=d"(d));
	memcpy(&value, &d, 8);
	is(value & 0xff, 0, "FPSCR: round to nearest, no exceptions");
	asm volatile("mfspr %0,896" : "=r"(value));
	is(value, 3ull << 50, "PPR");
}

int main(int argc, char **argv)
{
	u64 sp = (u64)__builtin_frame_address(0);

	is(argc, 3, "argc");
	ok(!strcmp(argv[1], "one") && !strcmp(argv[2], "two") && !argv[3], "argv");
	ok(getenv("TEST") && !strcmp(getenv("TEST"), "value"), "environment");
	ok((u64)argv > sp && (u64)environ == (u64)(argv + argc + 1), "they lie on the stack");
	is((u64)(argv - 1) & 15, 0, "the stack was aligned to 16");
	auxv(argv[0]);
	registers();
	vdso();
	timebase();
	return tap_end();
}
