// SPDX-License-Identifier: MIT
/*
 * Runs a fuzzing target without libFuzzer:
 *
 *	fuzz_NAME COUNT [SEED]		on COUNT random inputs
 *	fuzz_NAME FILE...		on files, such as those that libFuzzer left
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#define INPUT_SIZE 4096 /* bytes, at most */

static u64 state;

/* splitmix64 */
static u64 next_random(void)
{
	u64 z = state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static void run_random(u64 count)
{
	static u64 input[INPUT_SIZE / 8];

	for (u64 i = 0; i < count; i++) {
		size_t size = next_random() % (INPUT_SIZE + 1);
		u8 *exact = malloc(size ? size : 1); /* so that a sanitizer sees its end */

		if (!exact)
			abort();
		for (size_t j = 0; j < ARRAY_SIZE(input); j++)
			input[j] = next_random();
		memcpy(exact, input, size);
		LLVMFuzzerTestOneInput(exact, size);
		free(exact);
	}
}

static int run_file(const char *name)
{
	FILE *file = fopen(name, "rb");
	u8 *data = NULL;
	size_t size = 0, got;

	if (!file) {
		perror(name);
		return 1;
	}
	do {
		u8 *larger = realloc(data, size + INPUT_SIZE);

		if (!larger)
			abort();
		data = larger;
		got = fread(data + size, 1, INPUT_SIZE, file);
		size += got;
	} while (got == INPUT_SIZE);
	fclose(file);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	int status = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: %s COUNT [SEED] | FILE...\n", argv[0]);
		return 2;
	}
	if (!isdigit((unsigned char)argv[1][0])) {
		for (int i = 1; i < argc; i++)
			status |= run_file(argv[i]);
		return status;
	}
	state = argc > 2 ? strtoull(argv[2], NULL, 0) : 207;
	printf("# seed %" PRIu64 ", %s inputs\n", state, argv[1]);
	fflush(stdout);
	run_random(strtoull(argv[1], NULL, 0));
	return 0;
}
