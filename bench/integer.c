/* SPDX-License-Identifier: MIT */
/*
 * Integer mix: what ordinary C compiles to when it computes. Shifts and rotates, multiplication,
 * division, bit counting, a table-driven checksum, carries.
 */
#include <stdint.h>
#include <stdio.h>

static uint32_t table[256];

static void make_table(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int bit = 0; bit < 8; bit++)
			c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
		table[i] = c;
	}
}

static uint64_t random_number(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state * 0x2545f4914f6cdd1dull;
}

int main(void)
{
	uint64_t state = 88172645463325252ull, bits = 0, quotients = 0, high = 0;
	uint32_t crc = ~0u;

	make_table();
	for (int i = 0; i < 12000000; i++) {
		uint64_t r = random_number(&state);

		for (int byte = 0; byte < 4; byte++)
			crc = table[(crc ^ r >> 8 * byte) & 0xff] ^ crc >> 8;
		bits += (uint64_t)__builtin_popcountll(r) + (uint64_t)__builtin_clzll(r | 1);
		quotients += (r >> 32) / ((uint32_t)r >> 20 | 1);
		high += (uint64_t)((unsigned __int128)r * state >> 64);
		state += (r << 23 | r >> 41) & 0xff;
	}
	printf("integer %08x %llu %llu %llx\n", ~crc, (unsigned long long)bits,
	       (unsigned long long)quotients, (unsigned long long)high);
}
