// SPDX-License-Identifier: MIT
#include "linux/syscall_pass.h"

int pass_prepare(struct task *task, u64 args[6], const struct pass_buffer *buffers, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct pass_buffer *b = &buffers[i];
		u64 address = args[b->argument];
		u64 length = b->size, count = b->count ? args[b->count - 1] : 1;
		const void *in;
		void *out;
		int error;

		if (!address)
			continue;
		if (__builtin_mul_overflow(length, b->narrow ? (u32)count : count, &length))
			return -EFAULT;
		if (b->write) {
			error = user_write_buffer(task, address, length, &out);
		} else if (b->size) {
			error = user_read_buffer(task, address, length, &in);
			args[b->argument] = (u64)(uintptr_t)in;
		} else {
			error = user_read_string(task, address);
		}
		if (error)
			return error;
	}
	return 0;
}
