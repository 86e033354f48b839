/* SPDX-License-Identifier: MIT */
/* The executable that tests/fuzz/executables damages: no library, two system calls. */
static const char text[] = "hello\n";
char padding[5000] = "data"; /* so that there is a data segment with pages of its own */

static long system_call(long number, long a, const void *b, long c)
{
	register long r0 __asm__("r0") = number;
	register long r3 __asm__("r3") = a;
	register const void *r4 __asm__("r4") = b;
	register long r5 __asm__("r5") = c;

	__asm__ volatile("sc" : "+r"(r0), "+r"(r3), "+r"(r4), "+r"(r5) : : "memory", "cr0");
	return r3;
}

void _start(void)
{
	padding[4096]++;
	system_call(4, 1, text, sizeof(text) - 1);
	system_call(234, 0, 0, 0);
}
