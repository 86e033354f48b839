/* SPDX-License-Identifier: MIT */
/*
 * The transactional memory facility: Power ISA 2.07B Book II 5 and Book III-S 3.2.2.
 *
 * A transaction is a private cache of 128-byte lines, its *footprint*. For each line it holds what
 * memory contained when the line was first touched (the snapshot), the private data, and which
 * bytes of it were written. Loads and stores of a running transaction see only the footprint;
 * whenever a line is added, all lines held are compared with memory, and a difference is a
 * conflict. Commit stops all other CPUs at safepoints (tm/gate.h), compares once more, and writes
 * the written bytes. docs/tm.md tells the whole protocol and why it is right; names like C5 and
 * R1 in comments are its counterexamples and rules.
 *
 * The transaction state is MSR[TS] of the CPU: N (none), T (transactional) or S (suspended). Below,
 * "in T" and "in S" mean that.
 *
 * All functions are for the host thread that drives the CPU, in RUN (tm/gate.h) unless they say
 * otherwise. Nothing here knows of an operating system: what it must tell is in struct tm_domain.
 */
#ifndef TM_TM_H
#define TM_TM_H

#include "arch/cpu.h"

#define TM_LINE 128ull /* bytes: the conflict granule of POWER8 */

/* What the facility of a machine can do; options of powertm. */
struct tm_config {
	u32 lines;	 /* capacity of a footprint; 0 = unlimited */
	u32 nesting;	 /* highest TEXASR[TL] */
	bool synthetic;	 /* every tbegin. fails at once, as POWER10 has it in compatibility modes */
	bool no_suspend; /* POWER9 DD2.1: suspending, also by an interrupt, fails the transaction */
	u64 inject_cause; /* TEXASR bits of failures to be made up, with their privilege */
	u32 inject_every; /* one transaction in this many fails so; 0 = none */
	u32 inject_counter; /* enum counter: what counts those of the operating system */
};

#define TM_CONFIG_POWER8 ((struct tm_config){.lines = 64, .nesting = 62})

/* How an access, or an instruction of the facility, ended. */
enum tm_outcome {
	TM_OK,
	TM_FAULT,     /* storage cannot be accessed so: a host fault, see base/host_access.h */
	TM_FAILED,    /* in T, the transaction has failed: leave for tm_handle_failure() */
	TM_BAD_THING, /* TM Bad Thing program interrupt; nothing has changed */
};

enum tm_event_kind {
	TM_EVENT_BEGIN,
	TM_EVENT_COMMIT,
	TM_EVENT_FAIL, /* recorded, in T or S */
	TM_EVENT_SUSPEND,
	TM_EVENT_RESUME,
	TM_EVENT_RECLAIM,
	TM_EVENT_RECHECKPOINT,
	TM_EVENT_ENABLE, /* MSR[TM] goes on or off: told by the operating system, tm_tell() */
	TM_EVENT_DISABLE,
};

/**
 * struct tm_event - something that happened to a transaction
 * @pc: of the instruction; 0 if unknown
 * @tbegin: address of the outermost tbegin. (TFHAR - 4 unless the program moved that)
 * @line: for conflicts, the address of the line; 0 = none
 * @line_pc: of the instruction of the transaction that touched that line first; 0 = unknown
 * @other: for transactional conflicts, the number of the CPU that committed; -1 = unknown
 * @other_tbegin: then also the address of its tbegin.
 * @lines: of the footprint
 */
struct tm_event {
	enum tm_event_kind kind;
	u64 pc, tbegin, texasr, line;
	s32 other;
	u32 lines;
	u64 other_tbegin, line_pc;
};

struct gate;
struct tm_domain;

/* --- domain: one for each guest address space (domain.c) ------------------------------------- */

/* NULL if memory is short. The gate stays the caller's. */
struct tm_domain *tm_domain_create(struct gate *gate, const struct tm_config *config);
void tm_domain_destroy(struct tm_domain *domain);

/*
 * Have a function called for each event, on the thread that drives the CPU, in RUN: it must be
 * quick and may not block. NULL: none.
 */
void tm_domain_observe(struct tm_domain *domain,
		       void (*observe)(void *context, struct cpu *cpu,
				       const struct tm_event *event),
		       void *context);

/* Tell the observer of something that the operating system does. As the observer is called. */
void tm_tell(struct cpu *cpu, enum tm_event_kind kind);

/**
 * tm_domain_ask_aliases - say that memory may be mapped twice
 * @aliased: whether the page of an address has a second mapping in this address space, so that one
 *	byte has two addresses. Called OUT, may take locks. NULL: there is no such memory.
 *
 * The lines of a footprint are found by address, so a transaction that touches such a page fails as
 * implementation specific. May be changed while transactions run: OUT, with the gate locked.
 */
void tm_domain_ask_aliases(struct tm_domain *domain, bool (*aliased)(void *context, u64 address),
			   void *context);

/**
 * struct tm_memory - what the owner of an address space does for transactions
 * @first_transaction: the first transaction is about to begin: tm_domain_in_use() is true from now
 *	on
 * @may_write: the page of an address cannot be stored to at the moment; would make_writable() help?
 * @make_writable: make it so, and forget what depended on its bytes (decoded code). Return: false
 *	if nothing was changed
 *
 * All are called by the thread that drives the CPU, OUT, and may take locks. All may be NULL.
 */
struct tm_memory {
	void *context;
	void (*first_transaction)(void *context);
	bool (*may_write)(void *context, u64 address);
	bool (*make_writable)(void *context, u64 address);
};

/* Before CPUs run. */
void tm_domain_set_memory(struct tm_domain *domain, const struct tm_memory *memory);

/* Has any transaction ever begun, or is about to? Any thread. */
bool tm_domain_in_use(const struct tm_domain *domain);

/**
 * tm_domain_mapping_changed - pages go away, or change what may be done with them
 *
 * Transactions with a line in the range will fail (translation invalidation) before they commit.
 * Call with the gate locked (gate_lock) or all CPUs stopped, before releasing it. R4.
 */
void tm_domain_mapping_changed(struct tm_domain *domain, u64 address, u64 length);

/**
 * tm_io_begin - somebody outside is about to read or write guest memory for this CPU
 *
 * In RUN, so that a commit is either over, or sees it. Until tm_io_end() a commit of another CPU
 * that would change a byte there fails as a non-transactional conflict: what is read would be a
 * state between two, and what is written could be lost. (Lines that are only read need no care: if
 * the comparison at commit still finds the old bytes, the transaction came first.)
 */
void tm_io_begin(struct cpu *cpu, u64 start, u64 length);
/* All of that is over. Any state. */
static inline void tm_io_end(struct cpu *cpu)
{
	__atomic_store_n(&cpu->io.count, 0, __ATOMIC_RELEASE);
}

/* --- CPUs ------------------------------------------------------------------------------------ */

/* Attach a CPU to the domain of its address space. OUT. */
void tm_cpu_init(struct cpu *cpu, struct tm_domain *domain);
/* Free what it has. OUT, in N. */
void tm_cpu_destroy(struct cpu *cpu);

static inline bool tm_in_transaction(const struct cpu *cpu)
{
	return cpu->msr & MSR_TS_MASK;
}

static inline bool tm_is_transactional(const struct cpu *cpu)
{
	return (cpu->msr & MSR_TS_MASK) == MSR_TS_T;
}

static inline bool tm_is_suspended(const struct cpu *cpu)
{
	return (cpu->msr & MSR_TS_MASK) == MSR_TS_S;
}

/* Add what a CPU has counted to the counters (base/counters.def). Any state. */
void tm_count(struct cpu *cpu);

/* --- instructions (facility.c) ---------------------------------------------------------------- */

/*
 * Each sets CR0 and MSR[TS] as the instruction does. cia is its address; cpu->fpscr must hold the
 * whole FPSCR (fpscr_read()) for tm_begin() in N. TM_FAILED: the state is unchanged but for the
 * record in TEXASR and TFIAR; the caller leaves to tm_handle_failure().
 *
 * tm_begin() in N may fail at once: then it has done all that failure handling does, but for the
 * jump, which goes to cia + 4 in any case.
 */
enum tm_outcome tm_begin(struct cpu *cpu, u64 cia, bool rollback_only);
enum tm_outcome tm_end(struct cpu *cpu, u64 cia, bool all);
enum tm_outcome tm_abort(struct cpu *cpu, u64 cia, u64 code);
enum tm_outcome tm_suspend(struct cpu *cpu, u64 cia);
enum tm_outcome tm_resume(struct cpu *cpu, u64 cia);
/* The condition of a conditional abort was not met: sets CR0. */
void tm_no_abort(struct cpu *cpu);
/* tcheck: TDOOMED, T, S, 0 of the CR field as bits 3 to 0. In T it may fail instead. */
enum tm_outcome tm_check(struct cpu *cpu, u64 cia, u8 *field);

/* Bit 8 of TEXASR, for instructions that are not permitted in T. */
enum tm_outcome tm_disallowed(struct cpu *cpu, u64 cia);

/* Is it permitted to write a TM SPR (by number, isa/spr.h) now? TM_OK or TM_BAD_THING. */
enum tm_outcome tm_spr_writable(const struct cpu *cpu, bool is_tfhar);

/* --- accesses in T and S (access.c) ----------------------------------------------------------- */

/**
 * tm_load - load as an instruction in T or S
 * @cia: address of the instruction
 * @ea: guest address, below GUEST_ADDRESS_LIMIT
 * @to: receives @size bytes
 * @size: 1, 2, 4, 8 or 16
 */
enum tm_outcome tm_load(struct cpu *cpu, u64 cia, u64 ea, void *to, u32 size);
enum tm_outcome tm_store(struct cpu *cpu, u64 cia, u64 ea, const void *from, u32 size);
/* Compare and swap, of a stcx.: *done tells whether the store happened. Naturally aligned. */
enum tm_outcome tm_cmpxchg(struct cpu *cpu, u64 cia, u64 ea, const void *old, const void *value,
			   u32 size, bool *done);
/* A cache instruction on a block in S: @modify if it conflicts with lines only read, too. */
void tm_touch_block(struct cpu *cpu, u64 cia, u64 ea, bool modify);
/* An instruction is fetched from there: TM_FAILED if the transaction wrote the block. */
enum tm_outcome tm_fetch(struct cpu *cpu, u64 cia);

/*
 * Somebody works for the program while its transaction is suspended, by an interrupt or by itself
 * (a system call, a signal frame): T and S are alike for these.
 *
 * tm_overlay() copies the bytes of [address, address + length) that the transaction has written
 * over those of @buffer, which were read from memory. tm_overlaps_written() tells whether there are
 * any. tm_conflict_by_store() is called before storing to the range: a store into the footprint
 * fails the transaction (self-induced conflict), and the store is done.
 */
void tm_overlay(struct cpu *cpu, u64 address, void *buffer, u64 length);
bool tm_overlaps_written(struct cpu *cpu, u64 address, u64 length);
void tm_conflict_by_store(struct cpu *cpu, u64 cia, u64 address, u64 length);

/* --- failure (failure.c) ---------------------------------------------------------------------- */

/**
 * tm_fail - record a failure, if it is the first one
 * @cause: TEXASR_* bits: failure code, cause, TEXASR_EXACT
 * @address: for TFIAR
 * @privilege: TEXASR_PR if the cause is the program's doing; 0 for the operating system
 *
 * The footprint is dropped and the transaction doomed. In T or S.
 * Return: true if it was the first failure, and is what TEXASR tells.
 */
bool tm_fail(struct cpu *cpu, u64 cause, u64 address, u64 privilege);

/*
 * Failure handling, in T: registers of the checkpoint, CR0 = 0b1010, state N, cpu->pc = TFHAR.
 * Not while the host FPU is the guest's (fp_enter()).
 */
void tm_handle_failure(struct cpu *cpu);

/**
 * tm_validate - make sure that what leaves a running transaction is consistent
 * @cia: for the record
 *
 * Compares the footprint with memory while all other CPUs are stopped: afterwards all lines equal
 * memory at one instant (amendment 6: C5, C6). Must be called before anything but a commit leaves
 * T. Return: TM_OK, or TM_FAILED: then the transaction has failed and the event must not happen.
 */
enum tm_outcome tm_validate(struct cpu *cpu, u64 cia);

/**
 * tm_interrupt - an interrupt is about to be taken in T
 * @asynchronous: not caused by an instruction
 *
 * Return: TM_OK; TM_FAILED on a CPU that cannot suspend: its transaction has failed, and the
 * interrupt does not happen.
 */
enum tm_outcome tm_interrupt(struct cpu *cpu, bool asynchronous);

/* Compare without stopping anybody, from time to time; T or S. TM_FAILED only in T. */
enum tm_outcome tm_poll(struct cpu *cpu, u64 cia);

/* --- for the operating system ------------------------------------------------------------------
 */

/**
 * tm_reclaim - treclaim., as the operating system uses it
 * @code: failure code, with its persistent bit; recorded if no failure was recorded before
 *
 * In T or S; afterwards N. Unlike the instruction it leaves the live registers in the CPU, and the
 * checkpointed ones in cpu->checkpoint, from where the caller takes both.
 * Return: true if the code was recorded.
 */
bool tm_reclaim(struct cpu *cpu, u8 code);

/**
 * tm_recheckpoint - trechkpt. followed by a return to the state of a saved MSR
 * @state: MSR_TS_T or MSR_TS_S
 *
 * In N; cpu->checkpoint and the TM SPRs have been filled, TEXASR[FS] is 1. The transaction is
 * doomed: in T its failure handling comes before the first instruction.
 */
void tm_recheckpoint(struct cpu *cpu, u64 state);

#endif
