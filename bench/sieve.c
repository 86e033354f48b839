/* SPDX-License-Identifier: MIT */
/* Sieve of Eratosthenes over bytes: short loops of stores and tests. */
#include <stdio.h>
#include <string.h>

#define LIMIT 4000000

static unsigned char composite[LIMIT + 1];

int main(void)
{
	int primes = 0, last = 0;

	for (int round = 0; round < 12; round++) {
		memset(composite, 0, sizeof(composite));
		primes = 0;
		for (int i = 2; i <= LIMIT; i++) {
			if (composite[i])
				continue;
			primes++;
			last = i;
			for (long j = (long)i * i; j <= LIMIT; j += i)
				composite[j] = 1;
		}
	}
	printf("sieve %d %d\n", primes, last);
}
