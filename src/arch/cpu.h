/* SPDX-License-Identifier: MIT */
/*
 * struct cpu: one POWER8 hardware thread, as data.
 *
 * The register file belongs to the (virtual) CPU, not to a guest thread: whoever switches guest
 * threads saves and restores it by the rules of the operating system (docs/architecture.md).
 * A struct cpu is used by one host thread at a time; only `poll` may be written by others.
 *
 * Layout rules that the instruction semantics rest on (src/isa/sem.h):
 *  - an instruction operand is the byte offset of its register in this struct, so the struct is
 *    smaller than 64 KiB and all architected registers are plain fields;
 *  - gpr[32] is always 0: it stands for "RA = 0" in addressing;
 *  - CR bits are bytes that hold 0 or 1, cr[0] is the most significant bit of CR0;
 *    the same holds for XER's SO, OV and CA;
 *  - a vector-scalar register is held as one 128-bit number, so on a little-endian host the
 *    doubleword 0 of the ISA (which is also the FPR) is dw[1]: use VSR_DW0 and VSR_DW1.
 */
#ifndef ARCH_CPU_H
#define ARCH_CPU_H

#include "base/types.h"
#include "base/host_access.h"
#include "arch/msr.h"

union vsr {
	u128 u;
	v2u64 v;
	u64 dw[2];
	u32 w[4];
	u16 h[8];
	u8 b[16];
	s64 sdw[2];
	s32 sw[4];
	s16 sh[8];
	s8 sb[16];
	double d[2];
	float f[4];
};

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define VSR_INDEX(i, n) ((n) - 1 - (i)) /* host index of ISA element i of n */
#else
#define VSR_INDEX(i, n) (i)
#endif
#define VSR_DW0 VSR_INDEX(0, 2)
#define VSR_DW1 VSR_INDEX(1, 2)

/* Why cpu_run() returned. */
enum cpu_exit {
	CPU_EXIT_NONE,	      /* not an exit: keep running */
	CPU_EXIT_SYSCALL,     /* sc; pc is the instruction after it; exit.level is its LEV field */
	CPU_EXIT_FAULT,	      /* storage access; exit.address, exit.access */
	CPU_EXIT_ALIGNMENT,   /* exit.address, exit.access */
	CPU_EXIT_PROGRAM,     /* exit.program */
	CPU_EXIT_FACILITY,    /* exit.facility */
	CPU_EXIT_INTERRUPT,   /* the poll word was set */
	CPU_EXIT_STEP,	      /* one instruction done, as asked for */
	CPU_EXIT_BREAKPOINT,  /* pc is at a breakpoint; the instruction was not executed */
	CPU_EXIT_CODE_CHANGE, /* icbi; handled inside the engine, never seen by its user */
	CPU_EXIT_TM_FAILURE,  /* a transaction has failed; the same */
	CPU_EXIT_MAX,
};

/* ACCESS_*: kind of a storage access. */
enum cpu_access { ACCESS_READ, ACCESS_WRITE, ACCESS_FETCH };

/* PROGRAM_*: reasons of a program interrupt, ISA Book III-S 6.5.9. */
enum cpu_program {
	PROGRAM_ILLEGAL,       /* not an instruction of this CPU */
	PROGRAM_PRIVILEGED,    /* privileged instruction or SPR in problem state */
	PROGRAM_TRAP,	       /* tw, td and their immediate forms */
	PROGRAM_FP_ENABLED,    /* FPSCR[FEX] with MSR[FE0,FE1] other than 00 */
	PROGRAM_TM_BAD_THING,  /* illegal transaction state change */
	PROGRAM_UNIMPLEMENTED, /* an instruction of this CPU that powertm lacks: to be named aloud */
};

/* FACILITY_*: values above 0x10 are own interrupts, the others the FSCR[IC] codes. */
enum cpu_facility {
	FACILITY_DSCR = 2,
	FACILITY_PMU = 3,
	FACILITY_BHRB = 4,
	FACILITY_TM = 5,
	FACILITY_EBB = 7,
	FACILITY_TAR = 8,
	FACILITY_FP = 0x10,
	FACILITY_VEC = 0x11,
	FACILITY_VSX = 0x12,
};

/* Details of the last exit; which fields are valid depends on its kind. */
struct cpu_exit_info {
	u64 address;
	u8 access;   /* enum cpu_access */
	u8 program;  /* enum cpu_program */
	u8 facility; /* enum cpu_facility */
	u8 level;
	u8 size;     /* of the access, bytes; 0 if not known */
	u32 insn;    /* instruction word at pc, where it was fetched */
};

/*
 * What a transaction rolls back, ISA Book II 5.2: the registers that tbegin. copies and that
 * failure handling brings back.
 */
struct cpu_checkpoint {
	u64 gpr[32];
	u64 lr, ctr, tar, dscr, ppr, amr;
	u64 fpscr;
	u32 vrsave;
	u32 vscr;
	u8 cr[32];
	u8 so, ov, ca;
	u8 string_count;
	union vsr vsr[64];
};

/*
 * The floating-point operation whose result class (FPRF, FR, FI) the FPSCR does not hold yet.
 * See src/isa/fp.h.
 */
struct cpu_fp_pending {
	u64 operation; /* enum fp_operation with FP_KEEP_*; kind 0 = nothing pending */
	u64 a, b, c;   /* operands as double-precision bits */
};

/* Bits of the poll word: why a CPU is asked to come to a safepoint. */
#define POLL_INTERRUPT 0x00000001u /* its owner wants it back */
#define POLL_STOP      0x00000002u /* somebody stops all CPUs: tm/gate.h */
#define POLL_STEP      0x80000000u /* cpu_step(), for its own use */

#define JUMP_CACHE_SIZE	   1024 /* entries; a power of two */
#define TM_JUMP_CACHE_SIZE 256

struct op;
struct code_space;
struct tm_domain;
struct tm_footprint;

/*
 * Guest memory that somebody outside (the host's kernel) reads or writes for this CPU meanwhile, as
 * a DMA engine does: tm_io_begin() in tm/tm.h.
 */
#define CPU_IO_MAX 8
struct cpu_io {
	u32 count; /* 0: none */
	struct {
		u64 start, end;
	} ranges[CPU_IO_MAX];
};

struct jump_cache_entry {
	u64 pc; /* ~0 = empty */
	const struct op *op;
};

struct cpu {
	/* Architected state, problem-state view. */
	u64 gpr[33];
	u64 pc; /* valid at exits; the engines keep their own while running */
	u64 lr, ctr, tar;
	u64 msr;
	u64 dscr, ppr, amr;
	u64 fpscr; /* without what is pending in the host FPU and in `fp` */
	u32 vrsave;
	u8 vscr_nj, vscr_sat;
	u8 string_count; /* XER bits 57:63 */
	u8 so, ov, ca;
	u8 cr[32];
	ALIGNED(16) union vsr vsr[64];

	/* Reservation of larx: an address and the value that was loaded. */
	u64 reserve_address; /* ~0 = none */
	u8 reserve_size;
	u64 reserve_value[2]; /* [1] only for 16 bytes, the doubleword at the higher address */

	/* Transactional memory: src/tm/. */
	u64 tfhar, tfiar, texasr;
	u8 tm_doomed; /* TDOOMED; only in T and S */
	u32 tm_kick; /* bits for the poll word as soon as T is left */
	u32 tm_countdown; /* taken branches until the footprint is compared again */
	struct tm_domain *tm_domain;
	struct tm_footprint *tm_footprint; /* NULL until the first transaction */
	struct cpu_checkpoint checkpoint;

	/* Floating-point bookkeeping, src/isa/fp.h. */
	struct cpu_fp_pending fp;
	u8 fp_live; /* between fp_enter() and fp_leave(): the host FPU holds sticky bits */

	/* Engine. */
	u32 poll; /* nonzero: leave at the next safepoint; written by other threads, atomically */
	u32 id;	  /* number of this virtual CPU */
	u32 gate_place; /* tm/gate.h */
	struct cpu_io io;
	u64 icount; /* instructions completed, valid at exits */
	u64 timebase_offset; /* ticks of 512 MHz to add to the host's monotonic clock */
	struct cpu_exit_info exit;
	struct code_space *code;
	void *owner; /* of whoever drives this CPU; the engines do not look at it */
	struct jump_cache_entry jump_cache[JUMP_CACHE_SIZE];
	struct jump_cache_entry tm_jump_cache[TM_JUMP_CACHE_SIZE]; /* in T and S */
};

_Static_assert(sizeof(struct cpu) < 65536, "operands are 16-bit offsets into struct cpu");

/* Operand offsets. */
#define GPR_OFFSET(n) (offsetof(struct cpu, gpr) + 8 * (size_t)(n))
#define GPR_ZERO      GPR_OFFSET(32)
#define FPR_OFFSET(n) (offsetof(struct cpu, vsr) + 16 * (size_t)(n) + 8 * VSR_DW0)
#define VSR_OFFSET(n) (offsetof(struct cpu, vsr) + 16 * (size_t)(n))
#define VR_OFFSET(n)  VSR_OFFSET(32 + (n))
#define CRF_OFFSET(n) (offsetof(struct cpu, cr) + 4 * (size_t)(n))
#define CRB_OFFSET(n) (offsetof(struct cpu, cr) + (size_t)(n))

/* Guest addresses are host addresses; they end here. powertm itself lives above. */
#define GUEST_ADDRESS_LIMIT (1ull << 46)

#define TIMEBASE_HZ 512000000ull

/* Assemble and take apart the registers that are kept in pieces. */
u32 cr_pack(const u8 bits[32]);
void cr_unpack(u8 bits[32], u32 cr);
u32 cpu_get_cr(const struct cpu *cpu);
void cpu_set_cr(struct cpu *cpu, u32 cr);
u64 cpu_get_xer(const struct cpu *cpu);
void cpu_set_xer(struct cpu *cpu, u64 xer);
u32 cpu_get_vscr(const struct cpu *cpu);
void cpu_set_vscr(struct cpu *cpu, u32 vscr);
/* Timebase of this CPU now, in ticks of TIMEBASE_HZ. */
u64 cpu_timebase(const struct cpu *cpu);

#endif
