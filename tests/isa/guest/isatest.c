/* SPDX-License-Identifier: MIT */
/*
 * The guest half of the differential instruction tests.
 *
 * Reads cases from standard input: instruction words, a seed, a number of operand sets. For each
 * set it makes a whole register state and a piece of memory from the seed, runs the words on it,
 * and tells on standard output what came out. The same binary runs under powertm and under the
 * emulator that it is compared with, so all that differs is the emulator.
 *
 * The words of all cases are laid out before the first is run: no emulator has to throw away
 * translated code in between. Only read, write, mmap, exit, and for signals rt_sigaction and
 * sigaltstack are used, and no floating-point or vector instruction outside of enter.S.
 *
 * The formats below are written by tests/isa/difftest/guest.py.
 */
#include "isatest.h"
#include "values.h"

#define MAGIC 0x74736574617369ul /* "isatest" */

struct file_header {
	u64 magic;
	u32 cases;
	u32 flags;
};

#define FILE_SKIP_SIGFPE 1 /* step over instructions that raise SIGFPE */

/* Followed by words (padded to a multiple of 8 bytes), fixups, masks. */
struct case_header {
	u64 seed;
	u32 first_set, sets;
	u32 words;
	u16 fixups, masks;
	u8 flags;
	u8 profile; /* enum profile */
	u8 report;
	u8 enables; /* FPSCR enable bits that may be set */
	u32 reserved;
};

#define CASE_MEMORY   1 /* fill memory and compare it */
#define CASE_HOLDER_B 2

enum report {
	REPORT_DIGEST, /* one number for the case */
	REPORT_SETS,   /* one number for each set */
	REPORT_STATES, /* for each set: all slots and the memory, before and after */
};

/* What has to be done to a random state so that the words make sense. */
struct fixup {
	u8 kind;
	u8 slot, other;
	u8 align; /* log2: bits 0..3 always, bits 4..7 in half of the sets */
	s32 value;
};

enum fixup_kind {
	FIXUP_ADDRESS,	/* slot + value is an address in memory */
	FIXUP_SUM,	/* slot + other is an address in memory */
	FIXUP_MEMORY,	/* slot is the address of byte `value` of memory */
	FIXUP_CODE,	/* slot is the address of word `value`, with 2 random bits if align */
	FIXUP_SMALL,	/* slot modulo 2^other, plus value */
	FIXUP_SET,	/* slot is value */
	FIXUP_RELOCATE, /* word `slot` is a branch to the absolute address of word `value` */
	FIXUP_XER,	/* slot has only bits that exist in the XER */
};

struct mask {
	u64 slot, keep;
};

struct machine {
	u64 in[SLOTS];
	u64 out[SLOTS];
	u64 save[32];
	u64 dump[2];
};

_Static_assert(__builtin_offsetof(struct machine, out) == MACHINE_OUT, "see isatest.h");
_Static_assert(__builtin_offsetof(struct machine, save) == MACHINE_SAVE, "see isatest.h");
_Static_assert(__builtin_offsetof(struct machine, dump) == MACHINE_DUMP, "see isatest.h");

static struct machine machine __attribute__((aligned(4096)));
static struct {
	u8 before[4096];
	u64 window[MEMORY_BYTES / 8];
	u8 after[4096];
} memory __attribute__((aligned(4096)));

/* Addresses below 32 MiB, so that absolute branches reach them. */
#define CODE_BASE  0x1400000ul
#define CODE_SIZE  0xa00000ul
#define INPUT_BASE 0x10000000ul
#define INPUT_SIZE 0x8000000ul

long system_call(long number, long a, long b, long c, long d, long e, long f);
void enter_a(struct machine *m, const void *code);
void enter_b(struct machine *m, const void *code);
void skip_handler(void);
extern const u32 leave_a[], leave_b[];
int isatest_main(void);

#define SYS_EXIT	 1
#define SYS_READ	 3
#define SYS_WRITE	 4
#define SYS_MMAP	 90
#define SYS_RT_SIGACTION 173
#define SYS_SIGALTSTACK	 185
#define SIGFPE		 8

/* The compiler makes calls of these. */
void *memset(void *p, int c, u64 n);
void *memcpy(void *to, const void *from, u64 n);

void *memset(void *p, int c, u64 n)
{
	for (volatile u8 *b = p; n; n--)
		*b++ = (u8)c;
	return p;
}

void *memcpy(void *to, const void *from, u64 n)
{
	volatile u8 *t = to;

	for (const u8 *f = from; n; n--)
		*t++ = *f++;
	return to;
}

static void die(const char *why)
{
	u64 n = 0;

	while (why[n])
		n++;
	system_call(SYS_WRITE, 2, (long)"isatest: ", 9, 0, 0, 0);
	system_call(SYS_WRITE, 2, (long)why, (long)n, 0, 0, 0);
	system_call(SYS_WRITE, 2, (long)"\n", 1, 0, 0, 0);
	system_call(SYS_EXIT, 3, 0, 0, 0, 0, 0);
}

static void map(u64 base, u64 size, long protection)
{
	/* MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED */
	if ((u64)system_call(SYS_MMAP, (long)base, (long)size, protection, 0x32, -1, 0) != base)
		die("cannot map memory");
}

static void write_all(const void *data, u64 bytes)
{
	const u8 *p = data;

	while (bytes) {
		long n = system_call(SYS_WRITE, 1, (long)p, (long)bytes, 0, 0, 0);

		if (n <= 0)
			die("cannot write");
		p += n;
		bytes -= (u64)n;
	}
}

static u64 read_all(u8 *to, u64 limit)
{
	u64 have = 0;

	for (;;) {
		long n = system_call(SYS_READ, 0, (long)(to + have), (long)(limit - have), 0, 0, 0);

		if (n < 0)
			die("cannot read");
		if (n == 0)
			return have;
		have += (u64)n;
		if (have == limit)
			die("input too large");
	}
}

/* A case of the input with its parts found. */
struct test {
	const struct case_header *header;
	const u32 *words;
	const struct fixup *fixups;
	const struct mask *masks;
	const u8 *end;
};

static struct test parse(const u8 *at, const u8 *end)
{
	struct test t = {.header = (const void *)at};

	if ((u64)(end - at) < sizeof(*t.header))
		die("input cut off");
	t.words = (const void *)(t.header + 1);
	t.fixups = (const void *)(t.words + ((t.header->words + 1) & ~1u));
	t.masks = (const void *)(t.fixups + t.header->fixups);
	t.end = (const void *)(t.masks + t.header->masks);
	if (t.end > end)
		die("input cut off");
	return t;
}

static u64 code_words(const struct test *t)
{
	return (PROLOGUE_WORDS + t->header->words + 1 + 3) & ~3ul;
}

static u32 branch(const u32 *from, const u32 *to)
{
	return 0x48000000u | ((u32)((u64)to - (u64)from) & 0x3fffffc);
}

/* Write the words of a case at `code`, with what enters and leaves them. */
static void lay_out(const struct test *t, u32 *code)
{
	u32 holder = t->header->flags & CASE_HOLDER_B ? HOLDER_B : HOLDER_A;
	const u32 *leave = t->header->flags & CASE_HOLDER_B ? leave_b : leave_a;
	u32 *words = code + PROLOGUE_WORDS;

	code[0] = 58u << 26 | 3 << 21 | holder << 16 | (MACHINE_IN + 8 * SLOT_CTR); /* ld r3 */
	code[1] = 0x7c6903a6;							    /* mtctr r3 */
	code[2] = 58u << 26 | 3 << 21 | holder << 16 | (MACHINE_IN + 8 * 3);	    /* ld r3 */
	for (u32 i = 0; i < t->header->words; i++)
		words[i] = t->words[i];
	for (u32 i = 0; i < t->header->fixups; i++) {
		const struct fixup *f = &t->fixups[i];

		if (f->kind == FIXUP_RELOCATE)
			words[f->slot] |= (u32)(u64)(words + f->value) & 0x3fffffc;
	}
	words[t->header->words] = branch(words + t->header->words, leave);
}

static void flush(const u32 *from, const u32 *to)
{
	for (const u8 *p = (const void *)from; p < (const u8 *)to; p += 32)
		__asm__ volatile("dcbst 0,%0" : : "r"(p) : "memory");
	__asm__ volatile("sync" : : : "memory");
	for (const u8 *p = (const void *)from; p < (const u8 *)to; p += 32)
		__asm__ volatile("icbi 0,%0" : : "r"(p) : "memory");
	__asm__ volatile("isync" : : : "memory");
}

/* Bits of the FPSCR that can be set: not the two summaries, VX and FEX. */
#define FPSCR_STICKY   0x9ff80700ul
#define FPSCR_RESULT   0x0007f000ul
#define FPSCR_ROUNDING 0x00000003ul
#define XER_BITS       0xe000007ful

static u64 memory_address(struct random *r, u32 align)
{
	u64 bits = random_next(r);
	u64 address = (u64)memory.window + 128 + (bits & 255);

	address &= -1ul << (align & 15);
	if (bits >> 63)
		address &= -1ul << (align >> 4);
	return address;
}

static void fix(const struct test *t, const u32 *words, struct random *r)
{
	u64 *in = machine.in;

	for (u32 i = 0; i < t->header->fixups; i++) {
		const struct fixup *f = &t->fixups[i];

		switch (f->kind) {
		case FIXUP_ADDRESS:
			in[f->slot] = memory_address(r, f->align) - (u64)(s64)f->value;
			break;
		case FIXUP_SUM:
			if (f->slot == f->other)
				in[f->slot] = memory_address(r, f->align ? f->align : 1) / 2;
			else
				in[f->slot] = memory_address(r, f->align) - in[f->other];
			break;
		case FIXUP_MEMORY:
			in[f->slot] = (u64)memory.window + (u64)(s64)f->value;
			break;
		case FIXUP_CODE:
			in[f->slot] = (u64)(words + f->value);
			if (f->align)
				in[f->slot] |= random_next(r) & 3;
			break;
		case FIXUP_SMALL:
			in[f->slot] = (in[f->slot] & ((1ul << f->other) - 1)) + (u64)(s64)f->value;
			break;
		case FIXUP_SET:
			in[f->slot] = (u64)(s64)f->value;
			break;
		case FIXUP_XER:
			in[f->slot] &= XER_BITS;
			break;
		default:
			break;
		}
	}
}

static u64 random_fpscr(struct random *r, u32 enables)
{
	u64 bits = random_next(r);
	u64 fpscr = bits & (FPSCR_RESULT | FPSCR_ROUNDING | enables);

	/* Sticky bits are mostly clear, or nothing would be seen of their being set. */
	if (bits >> 63)
		fpscr |= random_next(r) & random_next(r) & FPSCR_STICKY;
	if ((bits >> 60 & 7) == 0)
		fpscr |= (bits >> 8) & (7ul << 32);
	/* An exception must not be pending from the start. */
	if (enables)
		fpscr &= ~FPSCR_STICKY;
	return fpscr;
}

static void make_state(const struct test *t, const u32 *words, u32 set)
{
	struct random r = {t->header->seed + set * 0xd1342543de82ef95ul};
	u64 previous[2] = {0, 0};
	u64 bits;

	r.state = random_next(&r);
	for (int i = 0; i < 32; i++)
		previous[0] = machine.in[i] = random_integer(&r, previous[0]);
	for (int i = 0; i < 64; i++) {
		u64 *dw = &machine.in[SLOT_VSR + 2 * i];

		random_vector(&r, t->header->profile, previous, dw);
		previous[0] = dw[0];
		previous[1] = dw[1];
	}
	bits = random_next(&r);
	machine.in[SLOT_CR] = (u32)bits;
	machine.in[SLOT_XER] = (bits >> 32) & XER_BITS;
	machine.in[SLOT_LR] = random_next(&r);
	machine.in[SLOT_CTR] = random_integer(&r, machine.in[0]);
	machine.in[SLOT_TAR] = random_next(&r);
	machine.in[SLOT_FPSCR] = random_fpscr(&r, t->header->enables);
	bits = random_next(&r);
	machine.in[SLOT_VRSAVE] = (u32)bits;
	machine.in[SLOT_VSCR] = (bits >> 32 & 1) | (bits >> 33 & bits >> 34 & 1) << 16;
	if (t->header->flags & CASE_MEMORY)
		for (int i = 0; i < MEMORY_BYTES / 8; i++)
			memory.window[i] = random_next(&r);
	fix(t, words, &r);
}

static u64 mix(u64 hash, u64 value)
{
	hash = (hash ^ value) * 0x9fb21c651e98df25ul;
	return hash ^ hash >> 35;
}

static u64 digest(const struct test *t, u64 hash)
{
	u32 holder = t->header->flags & CASE_HOLDER_B ? HOLDER_B : HOLDER_A;

	for (u32 i = 0; i < t->header->masks; i++)
		machine.out[t->masks[i].slot] &= t->masks[i].keep;
	for (u32 i = 0; i <= SLOT_VSCR; i++)
		if (i != holder)
			hash = mix(hash, machine.out[i]);
	hash = mix(hash, machine.out[SLOT_TAR]);
	for (u32 i = SLOT_VSR; i < SLOTS; i++)
		hash = mix(hash, machine.out[i]);
	if (t->header->flags & CASE_MEMORY)
		for (u32 i = 0; i < MEMORY_BYTES / 8; i++)
			hash = mix(hash, memory.window[i]);
	return hash;
}

static void run_case(u32 number, const struct test *t, const u32 *code)
{
	const struct case_header *h = t->header;
	u64 hash = 0;
	struct {
		u32 number, bytes;
	} head = {number, 8};

	if (h->report == REPORT_SETS)
		head.bytes = h->sets * 8;
	if (h->report == REPORT_STATES)
		head.bytes = h->sets * (2 * SLOTS * 8 + 2 * MEMORY_BYTES);
	if (h->report != REPORT_DIGEST)
		write_all(&head, sizeof(head));
	for (u32 set = h->first_set; set < h->first_set + h->sets; set++) {
		make_state(t, code + PROLOGUE_WORDS, set);
		if (h->report == REPORT_STATES) {
			write_all(machine.in, sizeof(machine.in));
			write_all(memory.window, sizeof(memory.window));
		}
		if (h->flags & CASE_HOLDER_B)
			enter_b(&machine, code);
		else
			enter_a(&machine, code);
		hash = digest(t, h->report == REPORT_SETS ? 0 : hash);
		if (h->report == REPORT_SETS)
			write_all(&hash, 8);
		if (h->report == REPORT_STATES) {
			write_all(machine.out, sizeof(machine.out));
			write_all(memory.window, sizeof(memory.window));
		}
	}
	if (h->report == REPORT_DIGEST) {
		struct {
			u32 number, bytes;
			u64 hash;
		} answer = {number, 8, hash};

		write_all(&answer, sizeof(answer));
	}
}

int isatest_main(void)
{
	const u8 *input = (const void *)INPUT_BASE;
	const struct file_header *file = (const void *)input;
	u32 *code = (void *)CODE_BASE;
	const u8 *at, *end;

	map(INPUT_BASE, INPUT_SIZE, 3);
	map(CODE_BASE, CODE_SIZE, 7);
	end = input + read_all((u8 *)INPUT_BASE, INPUT_SIZE);
	if (end < (const u8 *)(file + 1) || file->magic != MAGIC)
		die("no case file on standard input");
	if (file->flags & FILE_SKIP_SIGFPE) {
		static u8 signal_stack[32768] __attribute__((aligned(16)));
		/* address, flags, size: r1 of a case is no stack pointer */
		u64 stack[3] = {(u64)signal_stack, 0, sizeof(signal_stack)};
		/* handler, flags (SA_SIGINFO | SA_ONSTACK), restorer, mask */
		u64 action[4] = {(u64)skip_handler, 0x08000004, 0, 0};

		system_call(SYS_SIGALTSTACK, (long)stack, 0, 0, 0, 0, 0);
		system_call(SYS_RT_SIGACTION, SIGFPE, (long)action, 0, 8, 0, 0);
	}

	at = (const u8 *)(file + 1);
	for (u32 i = 0; i < file->cases; i++) {
		struct test t = parse(at, end);

		if ((u64)(code + code_words(&t)) > CODE_BASE + CODE_SIZE)
			die("too many words");
		lay_out(&t, code);
		code += code_words(&t);
		at = t.end;
	}
	flush((const void *)CODE_BASE, code);

	at = (const u8 *)(file + 1);
	code = (void *)CODE_BASE;
	for (u32 i = 0; i < file->cases; i++) {
		struct test t = parse(at, end);

		run_case(i, &t, code);
		code += code_words(&t);
		at = t.end;
	}
	return 0;
}
