// SPDX-License-Identifier: MIT
#include "linux/syscall.h"

#include "base/log.h"
#include "linux/traps.h"
#include "linux/uaccess.h"

const struct syscall syscall_table[SYSCALL_MAX] = {
#define SYSCALL(number, name, arguments) [number] = {#name, sys_##name, arguments},
#define NOSYS(number, name, arguments)	 [number] = {#name, NULL, arguments},
#include "linux/syscalls.def"
#undef SYSCALL
#undef NOSYS
};

#define MAX_ERRNO 4095

/* Missing calls that were named already. */
static u64 reported[SYSCALL_MAX / 64];

static s64 not_implemented(u64 number)
{
	u64 bit;

	if (number >= SYSCALL_MAX) {
		log_line(LOG_UNIMPLEMENTED, "no system call has the number %llu",
			 (unsigned long long)number);
		return -ENOSYS;
	}
	bit = 1ull << number % 64;
	if (!(__atomic_fetch_or(&reported[number / 64], bit, __ATOMIC_RELAXED) & bit))
		log_line(LOG_UNIMPLEMENTED, "system call %llu (%s) is not implemented",
			 (unsigned long long)number,
			 syscall_table[number].name ? syscall_table[number].name : "unused number");
	return -ENOSYS;
}

static bool is_restart(s64 result)
{
	return result == -ERESTARTSYS || result == -ERESTARTNOINTR || result == -ERESTARTNOHAND ||
	       result == -ERESTART_RESTARTBLOCK;
}

/*
 * interrupt_64.S of Linux 6.1: the kernel does not keep CTR, XER and r9 to r12 of a caller, and
 * leaves zeros in these and in r0 and r4 to r8, unless all registers are restored because a signal
 * is pending. The reservation is lost, and the priority is the default one.
 */
static void clear_on_entry(struct cpu *cpu)
{
	cpu->gpr[9] = cpu->gpr[10] = cpu->gpr[11] = cpu->gpr[12] = 0;
	cpu->ctr = 0;
	cpu->so = cpu->ov = cpu->ca = cpu->string_count = 0;
	cpu->reserve_address = ~0ull;
	cpu->ppr = PPR_DEFAULT;
}

static void clear_on_exit(struct cpu *cpu)
{
	cpu->gpr[0] = 0;
	for (int i = 4; i <= 8; i++)
		cpu->gpr[i] = 0;
}

/* What syscall_dispatch() returns. */
static s64 set_result(struct task *task, s64 result)
{
	struct cpu *cpu = task->cpu;

	if (unlikely(user_buffers_in_use(task)))
		user_buffers_free(task);
	if (unlikely(result == SYSCALL_PARKED || result == SYSCALL_EXITED))
		return result;
	if (unlikely(result == SYSCALL_REGS_SET))
		return 0;
	task->result = result;
	/* Power ISA calling convention of Linux: CR0[SO] tells a positive errno from a value. */
	if (unlikely(result < 0 && result >= -MAX_ERRNO)) {
		if (is_restart(result))
			return result;
		if (unlikely(result == -EPIPE || result == -EFBIG))
			signal_of_failed_call(task);
		cpu->gpr[3] = (u64)-result;
		cpu->cr[3] = 1;
	} else {
		cpu->gpr[3] = (u64)result;
		cpu->cr[3] = 0;
	}
	if (likely(!task_interrupted(task)))
		clear_on_exit(cpu);
	return 0;
}

/* For --strace: the end of a call that had been parked; its arguments are still there. */
static void trace_result(struct task *task, s64 result)
{
	u64 number = task->cpu->gpr[0];
	const u64 args[6] = {task->orig_r3,	task->cpu->gpr[4], task->cpu->gpr[5],
			     task->cpu->gpr[6], task->cpu->gpr[7], task->cpu->gpr[8]};

	strace_exit(task, number < SYSCALL_MAX ? &syscall_table[number] : NULL, args, result);
}

s64 syscall_dispatch(struct task *task)
{
	const struct cpu *cpu = task->cpu;
	u64 number = cpu->gpr[0];
	const u64 args[6] = {cpu->gpr[3], cpu->gpr[4], cpu->gpr[5],
			     cpu->gpr[6], cpu->gpr[7], cpu->gpr[8]};
	const struct syscall *call = number < SYSCALL_MAX ? &syscall_table[number] : NULL;
	bool trace = unlikely(task->process->options->strace);
	s64 result;

	task->orig_r3 = args[0];
	task->trap = INT_SYSCALL;
	clear_on_entry(task->cpu);
	if (trace)
		strace_enter(task, call, number, args);
	if (likely(call && call->handler))
		result = call->handler(task, args);
	else
		result = not_implemented(number);
	if (trace && result != SYSCALL_PARKED)
		strace_exit(task, call, args, result);
	return set_result(task, result);
}

s64 syscall_finish(struct task *task, s64 result)
{
	if (unlikely(task->process->options->strace) && result != SYSCALL_PARKED)
		trace_result(task, result);
	return set_result(task, result);
}
