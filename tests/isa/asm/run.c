/* SPDX-License-Identifier: MIT */
/*
 * Runs one test of a file and writes the state after it to standard output: SLOTS registers as in
 * isatest.h, then the memory. The number of the test is read from standard input as text.
 */
#include "isatest.h"

typedef unsigned char u8;
typedef unsigned long u64;

#define MEMORY_BYTES_ASM 1024

static struct {
	u64 in[SLOTS];
	u64 out[SLOTS];
	u64 save[32];
	u64 dump[2];
} machine __attribute__((aligned(4096)));
static u8 memory[MEMORY_BYTES_ASM] __attribute__((aligned(4096)));
static u8 stack[4096] __attribute__((aligned(4096)));

extern void *const __start_tests[], *const __stop_tests[];

long system_call(long number, long a, long b, long c, long d, long e, long f);
void enter_a(void *m, const void *code);
int isatest_main(void);
void skip_handler(void);

int isatest_main(void)
{
	char text[8] = "";
	long n = 0;

	system_call(3, 0, (long)text, sizeof(text) - 1, 0, 0, 0);
	for (const char *p = text; *p >= '0' && *p <= '9'; p++)
		n = 10 * n + *p - '0';
	if (n >= __stop_tests - __start_tests)
		return 3;
	for (int i = 0; i < MEMORY_BYTES_ASM; i++)
		memory[i] = (u8)i;
	machine.in[1] = (u64)(stack + sizeof(stack) - 256);
	machine.in[31] = (u64)memory;
	enter_a(&machine, __start_tests[n]);
	system_call(4, 1, (long)machine.out, sizeof(machine.out), 0, 0, 0);
	system_call(4, 1, (long)memory, sizeof(memory), 0, 0, 0);
	return 0;
}
