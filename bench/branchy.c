/* SPDX-License-Identifier: MIT */
/*
 * Branches: a bytecode machine with a jump table, recursion, comparisons that are hard to guess.
 */
#include <stdint.h>
#include <stdio.h>

enum { PUSH, ADD, MUL, SUB, HALVE, ODD, LOAD, STORE, JUMP_IF, JUMP, HALT };
enum { N, X, STEPS, VARIABLES };

/* Steps that the numbers from 30000 down to 2 take to reach 1 by Collatz's rule, added up. */
/* clang-format off */
static const int32_t program[] = {
	/*  0 */ LOAD, X, PUSH, 1, SUB, JUMP_IF, 9, JUMP, 40,
	/*  9 */ LOAD, STEPS, PUSH, 1, ADD, STORE, STEPS,
	/* 16 */ LOAD, X, ODD, JUMP_IF, 28,
	/* 21 */ LOAD, X, HALVE, STORE, X, JUMP, 0,
	/* 28 */ LOAD, X, PUSH, 3, MUL, PUSH, 1, ADD, STORE, X, JUMP, 0,
	/* 40 */ LOAD, N, PUSH, 1, SUB, STORE, N, LOAD, N, STORE, X,
	/* 51 */ LOAD, N, JUMP_IF, 0, HALT,
};
/* clang-format on */

static int64_t run(int64_t n)
{
	int64_t stack[8], variables[VARIABLES] = {[N] = n, [X] = n}, *top = stack;
	const int32_t *pc = program;

	for (;;) {
		switch (*pc++) {
		case PUSH:
			*top++ = *pc++;
			break;
		case ADD:
			top--;
			top[-1] += top[0];
			break;
		case SUB:
			top--;
			top[-1] -= top[0];
			break;
		case MUL:
			top--;
			top[-1] *= top[0];
			break;
		case HALVE:
			top[-1] /= 2;
			break;
		case ODD:
			top[-1] &= 1;
			break;
		case LOAD:
			*top++ = variables[*pc++];
			break;
		case STORE:
			variables[*pc++] = *--top;
			break;
		case JUMP_IF:
			pc = *--top ? program + *pc : pc + 1;
			break;
		case JUMP:
			pc = program + *pc;
			break;
		case HALT:
			return variables[STEPS];
		}
	}
}

static int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

/* Kept from the optimizer, which would unroll the recursion away. */
static int (*volatile call_fibonacci)(int) = fibonacci;

static int partition_sort(int *a, int n)
{
	int swaps = 0;

	while (n > 1) {
		int pivot = a[(n - 1) / 2], i = -1, j = n;

		for (;;) {
			while (a[++i] < pivot)
				;
			while (a[--j] > pivot)
				;
			if (i >= j)
				break;

			int t = a[i];

			a[i] = a[j];
			a[j] = t;
			swaps++;
		}
		swaps += partition_sort(a, j + 1);
		a += j + 1;
		n -= j + 1;
	}
	return swaps;
}

int main(void)
{
	static int numbers[400000];
	uint32_t seed = 1;

	for (int i = 0; i < 400000; i++)
		numbers[i] = (int)((seed = seed * 1664525 + 1013904223) >> 8);
	printf("branchy %lld", (long long)run(30000));
	printf(" %d", call_fibonacci(32));
	printf(" %d", partition_sort(numbers, 400000));
	printf(" %d\n", numbers[1000]);
}
