// SPDX-License-Identifier: MIT
#include "base/host_copy.h"

#include "base/host_access.h"

#if defined(__x86_64__)

/* A string instruction that faults leaves its registers at the byte that it could not reach. */
size_t host_copy(void *to, const void *from, size_t length)
{
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
