/* SPDX-License-Identifier: MIT */
/*
 * Which machine is this? Asks the kernel (auxiliary vector) and the CPU itself, and computes a
 * little with each of its register files. Runs on a POWER8 and under powertm:
 *
 *	powerpc64le-linux-gnu-gcc -O2 -mcpu=power8 -static -o machine examples/machine.c -lm
 *	powertm machine
 */
#include <altivec.h>
#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/utsname.h>

/* Bits of AT_HWCAP and AT_HWCAP2, as programs see them (powerpc's asm/cputable.h). */
static const struct {
	unsigned long type, bit;
	const char *name;
} features[] = {
	{AT_HWCAP, 0x40000000, "64-bit"},	 {AT_HWCAP, 0x08000000, "FPU"},
	{AT_HWCAP, 0x10000000, "AltiVec"},	 {AT_HWCAP, 0x00000080, "VSX"},
	{AT_HWCAP, 0x00000400, "decimal FP"},	 {AT_HWCAP2, 0x80000000, "ISA 2.07"},
	{AT_HWCAP2, 0x40000000, "transactions"}, {AT_HWCAP2, 0x02000000, "vector crypto"},
	{AT_HWCAP2, 0x00800000, "ISA 3.0"},
};

static void print_kernel_view(void)
{
	const char *platform = (const char *)getauxval(AT_PLATFORM);
	const char *separator = "   ";
	struct utsname name;

	uname(&name);
	printf("kernel      %s on %s, page size %lu\n", name.sysname, name.machine,
	       getauxval(AT_PAGESZ));
	printf("platform    %s\n", platform ? platform : "not told");
	printf("features ");
	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++) {
		if (getauxval(features[i].type) & features[i].bit) {
			printf("%s%s", separator, features[i].name);
			separator = ", ";
		}
	}
	printf("\n");
}

static void print_byte_order(void)
{
	uint32_t word = 0x01020304;
	unsigned char first;

	memcpy(&first, &word, 1);
	printf("byte order  %s-endian\n", first == 4 ? "little" : "big");
}

/* The timebase runs at 512 MHz, whatever the clock of the core. */
static void print_timebase(void)
{
	uint64_t start = __builtin_ppc_get_timebase(), ticks;

	do
		ticks = __builtin_ppc_get_timebase() - start;
	while (!ticks);
	printf("timebase    advances by itself\n");
}

static void compute_integer(void)
{
	uint64_t factorial = 1;
	unsigned __int128 square;

	for (unsigned int i = 2; i <= 20; i++)
		factorial *= i;
	square = (unsigned __int128)factorial * factorial;
	printf("fixed point 20! = %llu, its square has %d significant bits\n",
	       (unsigned long long)factorial,
	       128 - __builtin_clzll((unsigned long long)(square >> 64)));
}

static void compute_float(void)
{
	volatile double third = 1.0 / 3, three = 3;
	double error;

	feclearexcept(FE_ALL_EXCEPT);
	error = fma(third, three, -1);
	printf("floating    fma(1/3, 3, -1) = %a, inexact flag %s", error,
	       fetestexcept(FE_INEXACT) ? "set" : "clear");
	fesetround(FE_UPWARD);
	third = 1 / three;
	fesetround(FE_TONEAREST);
	printf("; 1/3 rounded up = %.17g\n", third);
}

static void compute_vector(void)
{
	vector float x = {1, 2, 3, 4}, y = {0.5f, 0.25f, 0.125f, 0.0625f};
	vector float product = vec_madd(x, y, vec_splats(1.0f));
	vector unsigned char text = {'P', 'O', 'W', 'E', 'R', '8', ' ', 'r',
				     'e', 'v', 'e', 'r', 's', 'e', 'd', '.'};
	vector unsigned char order = {15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
	char reversed[17] = "";

	vec_xst(vec_perm(text, text, order), 0, (unsigned char *)reversed);
	printf("vector      x * y + 1 = %g %g %g %g; vperm: \"%s\"\n", (double)product[0],
	       (double)product[1], (double)product[2], (double)product[3], reversed);
}

/* One round of AES by vcipher on zeros is the S-box of 0 in every byte, mixed with itself. */
static void compute_crypto(void)
{
	vector unsigned long long zero = {0, 0};
	vector unsigned long long round = __builtin_crypto_vcipher(zero, zero);

	printf("crypto      an AES round of zeros = %016llx%016llx\n", round[1], round[0]);
}

int main(void)
{
	print_kernel_view();
	print_byte_order();
	print_timebase();
	compute_integer();
	compute_float();
	compute_vector();
	compute_crypto();
	return 42;
}
