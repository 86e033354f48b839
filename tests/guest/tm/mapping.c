// SPDX-License-Identifier: MIT
/*
 * Transactions and the memory map. What changes under a transaction fails it: TEXASR bit 14,
 * translation invalidation. D5, and rule R4 of the commit protocol.
 */
#include "check.h"

#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>

#define PAGE 4096ul
#define RW   (PROT_READ | PROT_WRITE)

static char *map(size_t size, int flags, int fd)
{
	char *p = mmap(NULL, size, RW, flags, fd, 0);

	CHECK(p != MAP_FAILED);
	return p;
}

static char *map_pages(int n)
{
	char *p = map((size_t)n * PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	memset(p, 1, (size_t)n * PAGE);
	return p;
}

/* --- what changes a mapping --------------------------------------------------------------------- */

static char *brk_page(void)
{
	char *p = sbrk(0);

	p += -(uintptr_t)p % PAGE;
	CHECK(!brk(p + PAGE));
	*p = 1;
	return p;
}

static void do_grow(char *p)
{
	(void)!mremap(p, PAGE, 2 * PAGE, 0);
}

static void do_munmap(char *p)
{
	munmap(p, PAGE);
}

static void do_protect(char *p)
{
	mprotect(p, PAGE, PROT_READ);
}

static void do_unprotect_again(char *p)
{
	mprotect(p, PAGE, PROT_NONE);
	mprotect(p, PAGE, RW);
}

static void do_move(char *p)
{
	(void)!mremap(p, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, p + PAGE);
}

static void do_map_over(char *p)
{
	(void)!mmap(p, PAGE, RW, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static void do_shrink_heap(char *p)
{
	(void)!brk(p);
}

static void do_dontneed(char *p)
{
	madvise(p, PAGE, MADV_DONTNEED);
}

static void do_free(char *p)
{
	madvise(p, PAGE, MADV_FREE);
}

static void do_shmdt(char *p)
{
	shmdt(p);
}

static char *shm_page(void)
{
	int id = shmget(IPC_PRIVATE, PAGE, 0600 | IPC_CREAT);
	char *p = shmat(id, NULL, 0);

	CHECK(id >= 0 && p != (char *)-1);
	shmctl(id, IPC_RMID, NULL);
	*p = 1;
	return p;
}

static char *two_pages(void)
{
	return map_pages(2);
}

/* The thread itself changes the mapping while its transaction is suspended. */
static void fails_a_transaction(const char *name, char *(*prepare)(void), void (*change)(char *p),
				bool stored)
{
	static volatile long other;
	bool seen = false;

	for (unsigned attempt = 0; attempt < 1000 && !seen; attempt++) {
		char *p = prepare();

		if (TRY()) {
			other++;
			if (stored)
				*p = 2;
			else
				(void)*(volatile char *)p;
			__builtin_tsuspend();
			change(p);
			__builtin_tresume();
			COMMIT();
			printf("committed after %s\n", name);
			CHECK(false);
		}
		seen = why() & TEXASR_TRANSLATION_;
		munmap(p, 2 * PAGE);
	}
	if (!seen)
		printf("no translation invalidation after %s\n", name);
	CHECK(seen && !other);
}

static void changes_of_a_mapping_fail_transactions(void)
{
	static const struct {
		const char *name;
		char *(*prepare)(void);
		void (*change)(char *);
	} changes[] = {
		{"munmap", two_pages, do_munmap},
		{"mprotect", two_pages, do_protect},
		{"mprotect there and back", two_pages, do_unprotect_again},
		{"mremap", two_pages, do_move},
		{"MAP_FIXED", two_pages, do_map_over},
		{"brk", brk_page, do_shrink_heap},
		{"MADV_DONTNEED", two_pages, do_dontneed},
		{"MADV_FREE", two_pages, do_free},
		{"shmdt", shm_page, do_shmdt},
	};

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		for (int stored = 0; stored < 2; stored++)
			fails_a_transaction(changes[i].name, changes[i].prepare, changes[i].change,
					    stored);
}

static void other_mappings_do_not_matter(void)
{
	char *p = map_pages(2);
	bool done = false;

	munmap(p + PAGE, PAGE);
	for (unsigned attempt = 0; attempt < 1000 && !done; attempt++) {
		char *q = map_pages(2);

		if (TRY()) {
			*p = 5;
			__builtin_tsuspend();
			munmap(q, PAGE);
			do_grow(p);
			__builtin_tresume();
			COMMIT();
			done = true;
		}
		munmap(q, 2 * PAGE);
	}
	CHECK(done && *p == 5);
	munmap(p, 2 * PAGE);
}

/* --- beside other threads ------------------------------------------------------------------------ */

static volatile long *cells; /* on pages of their own */
static volatile bool finished;
static volatile long committed;

#define CELLS	   4
#define CELL(page) cells[(page)*PAGE / sizeof(long)]

static void *commits(void *arg)
{
	(void)arg;
	for (unsigned attempt = 0; !finished; attempt++) {
		if (TRY()) {
			for (int i = 0; i < CELLS; i++)
				CELL(i)++;
			COMMIT();
			committed++;
		} else {
			failed_attempt(attempt);
		}
	}
	return NULL;
}

/* Mapping changes of the pages themselves (they stay writable) and of others: sums stay exact. */
static void commits_beside_changes_are_whole(void)
{
	pthread_t thread;

	cells = (volatile long *)map_pages(CELLS);
	memset((void *)cells, 0, CELLS * PAGE);
	CHECK(!pthread_create(&thread, NULL, commits, NULL));
	for (int n = 0; n < 5000; n++) {
		char *p = map_pages(1);

		CHECK(!mprotect((char *)cells + n % CELLS * PAGE, PAGE, RW | (n & 8 ? PROT_EXEC : 0)));
		CHECK(!munmap(p, PAGE));
		if (n % 64 == 0)
			usleep(100); /* they have to commit as well */
	}
	finished = true;
	CHECK(!pthread_join(thread, NULL));
	for (int i = 0; i < CELLS; i++)
		CHECK(CELL(i) == committed);
	CHECK(committed > 0);
	munmap((void *)cells, CELLS * PAGE);
}

/* --- memory with two addresses ------------------------------------------------------------------- */

/*
 * A transaction that uses both addresses of one word must not commit what contradicts itself; that
 * it fails is a limit of powertm (docs/limits.md), on POWER8 it commits.
 */
static void is_never_inconsistent(volatile long *a, volatile long *b)
{
	for (int attempt = 0; attempt < 20; attempt++) {
		long seen = 0;

		*a = 0;
		if (TRY()) {
			*a = 1;
			seen = *b;
			COMMIT();
			CHECK(seen == 1);
		} else {
			CHECK(*b == 0 && *a == 0);
		}
	}
}

static void aliases_are_seen(void)
{
	int fd = memfd_create("alias", 0);
	int id = shmget(IPC_PRIVATE, PAGE, 0600 | IPC_CREAT);
	char *a, *b;
	volatile long *own = (volatile long *)map_pages(1);
	bool done = false;

	CHECK(fd >= 0 && !ftruncate(fd, 2 * PAGE));
	a = map(2 * PAGE, MAP_SHARED, fd);
	b = mmap(NULL, PAGE, RW, MAP_SHARED, fd, PAGE);
	CHECK(b != MAP_FAILED);
	is_never_inconsistent((volatile long *)(a + PAGE), (volatile long *)b);

	a = shmat(id, NULL, 0);
	b = shmat(id, NULL, 0);
	CHECK(a != (char *)-1 && b != (char *)-1);
	is_never_inconsistent((volatile long *)a, (volatile long *)b);
	shmctl(id, IPC_RMID, NULL);

	a = map(PAGE, MAP_SHARED | MAP_ANONYMOUS, -1);
	b = mremap(a, 0, PAGE, MREMAP_MAYMOVE);
	CHECK(b != MAP_FAILED);
	is_never_inconsistent((volatile long *)a, (volatile long *)b);

	/* Memory with one address is as good as before. */
	for (int attempt = 0; attempt < 1000 && !done; attempt++)
		if (TRY()) {
			*own = 7;
			COMMIT();
			done = true;
		}
	CHECK(done && *own == 7);
}

/* --- pages with code and data -------------------------------------------------------------------- */

/* A function behind its own counter; the page is written by transactions and executed. */
static void a_page_with_code_and_data_commits(void)
{
	static const uint32_t code[] = {
		0x7c6903a6, /* mtctr r3 */
		0x38600001, /* li r3,1 */
		0x42000000, /* bdnz . */
		0x4e800020, /* blr */
	};
	uint32_t *page = mmap(NULL, PAGE, RW | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile long *counter = (volatile long *)(page + 512);
	long (*function)(long) = (long (*)(long))page;
	uintptr_t descriptor = (uintptr_t)page;
	long done = 0;

	(void)descriptor;
	CHECK(page != MAP_FAILED);
	memcpy(page, code, sizeof(code));
	__builtin___clear_cache((char *)page, (char *)(page + 4));
	for (unsigned attempt = 0; attempt < 10000 && done < 500; attempt++) {
		CHECK(function(3) == 1);
		if (TRY()) {
			*counter += function(2);
			COMMIT();
			done++;
		}
		CHECK(*counter == done);
	}
	CHECK(done == 500);

	/* And a transaction may write code: what is executed next is the new one. */
	done = 0;
	for (unsigned attempt = 0; attempt < 10000 && done < 100; attempt++) {
		if (TRY()) {
			page[1] = 0x38600000 | (uint32_t)(done + 1); /* li r3,... */
			COMMIT();
			done++;
		} else {
			continue;
		}
		__builtin___clear_cache((char *)page, (char *)(page + 4));
		CHECK(function(1) == done);
	}
	CHECK(done == 100);
	munmap(page, PAGE);
}

int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	changes_of_a_mapping_fail_transactions();
	other_mappings_do_not_matter();
	commits_beside_changes_are_whole();
	a_page_with_code_and_data_commits();
	aliases_are_seen();
	puts("ok");
	return 0;
}
