// SPDX-License-Identifier: MIT
#include "base/host_copy.h"

#include "base/host_access.h"

#if defined(__x86_64__)

/* One word as one access, as get_user() has it. False: it was none, or it faulted. */
static bool copy_word(void *to, const void *from, size_t length)
{
	u32 word;
	u64 doubleword;

	if (length == sizeof(word))
		return host_load_u32(from, &word) && host_store_u32(to, word);
	return length == sizeof(doubleword) && host_load_u64(from, &doubleword) &&
	       host_store_u64(to, doubleword);
}

/* A string instruction that faults leaves its registers at the byte that it could not reach. */
size_t host_copy(void *to, const void *from, size_t length)
{
	if (copy_word(to, from, length))
		return 0;
	asm volatile("1: rep movsb\n2:" EX_TABLE("1b", "2b")
		     : "+D"(to), "+S"(from), "+c"(length)
		     :
		     : "memory");
	return length;
}

size_t host_clear(void *to, size_t length)
{
	asm volatile("1: rep stosb\n2:" EX_TABLE("1b", "2b")
		     : "+D"(to), "+c"(length)
		     : "a"(0)
		     : "memory");
	return length;
}

#endif
