/* SPDX-License-Identifier: MIT */
/*
 * Loads and stores on host memory that may fault, told as a return value.
 *
 * Each access is one host instruction with an entry in the section `ex_table` (as in the Linux
 * kernel): {address of the access, address of the landing code}. The SIGSEGV/SIGBUS handler of
 * extable.c looks the faulting address up there and continues at the landing, where the function
 * returns false. An access that does not fault pays nothing.
 *
 * Any thread may call these. The accesses are single-copy atomic where the host's are (x86-64:
 * naturally aligned up to 8 bytes, 16 bytes with AVX).
 */
#ifndef BASE_HOST_ACCESS_H
#define BASE_HOST_ACCESS_H

#include "base/types.h"

typedef u64 v2u64 __attribute__((vector_size(16)));
typedef u64 v2u64_unaligned __attribute__((vector_size(16), aligned(1)));

#if defined(__x86_64__)

#ifndef EX_TABLE
#define EX_TABLE(from, to)                                                                         \
	"\n.pushsection ex_table,\"a\"\n.balign 4\n.long " from " - .\n.long " to " - .\n.popsection\n"
#endif

#define DEFINE_HOST_LOAD(name, type, insn, constraint, reg)                                        \
	static ALWAYS_INLINE bool host_load_##name(const void *p, type *out)                       \
	{                                                                                          \
		reg value;                                                                         \
		asm goto("1: " insn " %1, %0" EX_TABLE("1b", "%l2")                                \
			 : "=" constraint(value)                                                   \
			 : "m"(*(const struct { type v; } PACKED *)p)                              \
			 :                                                                         \
			 : fault);                                                                 \
		*out = (type)value;                                                                \
		return true;                                                                       \
	fault:                                                                                     \
		return false;                                                                      \
	}

#define DEFINE_HOST_STORE(name, type, insn, constraint, modifier)                                  \
	static ALWAYS_INLINE bool host_store_##name(void *p, type value)                           \
	{                                                                                          \
		asm goto("1: " insn " %" modifier "1, %0" EX_TABLE("1b", "%l2")                    \
			 :                                                                         \
			 : "m"(*(struct { type v; } PACKED *)p), constraint(value)                 \
			 : "memory"                                                                \
			 : fault);                                                                 \
		return true;                                                                       \
	fault:                                                                                     \
		return false;                                                                      \
	}

DEFINE_HOST_LOAD(u8, u8, "movzbl", "r", u32)
DEFINE_HOST_LOAD(u16, u16, "movzwl", "r", u32)
DEFINE_HOST_LOAD(u32, u32, "movl", "r", u32)
DEFINE_HOST_LOAD(u64, u64, "movq", "r", u64)
DEFINE_HOST_LOAD(v128, v2u64, "movdqu", "x", v2u64)
DEFINE_HOST_STORE(u8, u8, "movb", "q", "b")
DEFINE_HOST_STORE(u16, u16, "movw", "r", "w")
DEFINE_HOST_STORE(u32, u32, "movl", "r", "k")
DEFINE_HOST_STORE(u64, u64, "movq", "r", "q")
DEFINE_HOST_STORE(v128, v2u64, "movdqu", "x", "")

/*
 * Compare and swap, sequentially consistent. Returns false if the access faulted; else *ok tells
 * whether the exchange happened. The address is naturally aligned.
 */
#define DEFINE_HOST_CMPXCHG(name, type, insn, constraint, modifier)                                \
	static ALWAYS_INLINE bool host_cmpxchg_##name(void *p, type old, type new_value, bool *ok) \
	{                                                                                          \
		bool done;                                                                         \
		asm goto("1: lock " insn " %" modifier "[new], %1" EX_TABLE("1b", "%l[fault]")     \
			 : "=@ccz"(done), "+m"(*(type *)p)                                         \
			 : [new] constraint(new_value), "a"(old)                                   \
			 : "memory"                                                                \
			 : fault);                                                                 \
		*ok = done;                                                                        \
		return true;                                                                       \
	fault:                                                                                     \
		return false;                                                                      \
	}

DEFINE_HOST_CMPXCHG(u8, u8, "cmpxchgb", "q", "b")
DEFINE_HOST_CMPXCHG(u16, u16, "cmpxchgw", "r", "w")
DEFINE_HOST_CMPXCHG(u32, u32, "cmpxchgl", "r", "k")
DEFINE_HOST_CMPXCHG(u64, u64, "cmpxchgq", "r", "q")

static ALWAYS_INLINE bool host_cmpxchg_u128(void *p, u128 old, u128 new_value, bool *ok)
{
	bool done;
	u64 lo = (u64)old, hi = (u64)(old >> 64);

	asm goto("1: lock cmpxchg16b %1" EX_TABLE("1b", "%l[fault]")
		 : "=@ccz"(done), "+m"(*(u128 *)p), "+a"(lo), "+d"(hi)
		 : "b"((u64)new_value), "c"((u64)(new_value >> 64))
		 : "memory"
		 : fault);
	*ok = done;
	return true;
fault:
	return false;
}

/* A store that changes nothing, atomically: can the byte be written? False if not. */
static ALWAYS_INLINE bool host_touch(void *p)
{
	asm goto("1: lock orb $0, %0" EX_TABLE("1b", "%l[fault]") : : "m"(*(u8 *)p) : "memory", "cc" : fault);
	return true;
fault:
	return false;
}

static ALWAYS_INLINE void host_pause(void)
{
	__builtin_ia32_pause();
}

#else
#error "powertm: no host access functions for this host yet (src/base/host_access.h)"
#endif

#endif
