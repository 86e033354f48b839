/* SPDX-License-Identifier: MIT */
/* Memory: a linked list in random order, copying, a hash table of bytes. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define NODES 50000

struct node {
	struct node *next;
	uint64_t value, pad[2];
};

static struct node nodes[NODES];
static unsigned char from[1 << 20], to[1 << 20];
static uint32_t buckets[1 << 14];

int main(void)
{
	uint64_t sum = 0;
	uint32_t position = 0, hash = 0;

	/* A step that has no common factor with NODES visits each node once. */
	for (int i = 0; i < NODES; i++) {
		uint32_t following = (position + 30011) % NODES;

		nodes[position].next = &nodes[following];
		nodes[position].value = position;
		position = following;
	}
	for (struct node *n = nodes; position < 400 * (uint32_t)NODES; position++, n = n->next)
		sum += n->value ^ position;

	for (int i = 0; i < (int)sizeof(from); i++)
		from[i] = (unsigned char)(i * 167 >> 3);
	for (int round = 0; round < 200; round++)
		memcpy(to + round % 64, from + round % 61, sizeof(to) - 64);

	for (int round = 0; round < 8; round++)
		for (int i = 0; i + 4 < (int)sizeof(to); i += 4) {
			uint32_t word;

			memcpy(&word, to + i, 4);
			hash = (hash ^ word) * 16777619u;
			buckets[hash >> 18] += word & 0xff;
		}
	for (int i = 0; i < 1 << 14; i++)
		sum = sum * 31 + buckets[i];
	printf("memory %llu\n", (unsigned long long)sum);
}
