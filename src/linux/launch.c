// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "linux/launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>

#include "base/extable.h"
#include "base/log.h"
#include "base/private_fd.h"
#include "engine/engine.h"
#include "linux/mm.h"
#include "linux/proc.h"
#include "linux/sched.h"
#include "linux/signal_host.h"
#include "linux/stack.h"
#include "linux/tm.h"
#include "linux/vdso.h"

void linux_init(void)
{
	extable_init();
	signal_host_init();
	engine_init();
}

/* The guest's name, for ps and for the guest itself. */
static void set_name(struct task *task, const char *path)
{
	const char *slash = strrchr(path, '/');

	snprintf(task->comm, sizeof(task->comm), "%s", slash ? slash + 1 : path);
	prctl(PR_SET_NAME, task->comm);
}

/* Map program, interpreter and vDSO. *entry is where to start. */
static int load(struct process *process, const struct program *program, struct elf_image *image,
		struct elf_image *interpreter, u64 *entry)
{
	struct mm *mm = process->mm;
	bool dynamic = program->interpreter_fd >= 0;
	int error = elf_map(mm, program->fd, &program->elf,
			    dynamic ? ELF_PLACE_PROGRAM : ELF_PLACE_ANYWHERE, image);

	if (error)
		return error;
	*entry = image->entry;
	/* A static position-independent program has no room for a heap behind it. */
	mm->brk_start = ROUND_UP(image->end, GUEST_PAGE_SIZE);
	if (!dynamic && program->elf.header.e_type == ET_DYN)
		mm->brk_start = ELF_PROGRAM_BASE;
	mm->brk = mm->brk_start;
	if (dynamic) {
		error = elf_map(mm, program->interpreter_fd, &program->interpreter,
				ELF_PLACE_ANYWHERE, interpreter);
		if (error)
			return error;
		*entry = interpreter->entry;
	}
	return vdso_map(process);
}

/* Registers at the first instruction: start_thread() and the ELFv2 ABI. */
static void set_registers(struct task *task, u64 entry, u64 sp, u64 interpreter_bias)
{
	struct cpu *cpu = task->cpu;

	cpu->pc = entry & ~3ull;
	cpu->ppr = PPR_DEFAULT;
	cpu->gpr[0] = 11; /* left over from execve */
	cpu->gpr[1] = sp;
	cpu->gpr[2] = interpreter_bias;
	cpu->gpr[12] = entry;
	tm_start_thread(task);
}

int linux_run(const struct run_options *options, struct program *program, char *const envp[])
{
	struct task *task = process_create(options, options->slots);
	struct elf_image image, interpreter = {0};
	struct stack_contents contents = {
		.name = program->name,
		.argv = program->argv,
		.envp = envp,
		.elf = &program->elf,
		.image = &image,
	};
	u64 entry, sp;
	int error;

	if (!task)
		return -ENOMEM;
	signal_init(task);
	set_name(task, program->name);
	/* The stack comes first: it decides where mappings go. */
	error = stack_map(task->process, program->elf.executable_stack);
	if (!error)
		error = load(task->process, program, &image, &interpreter, &entry);
	if (error)
		return error;
	contents.interpreter_base = interpreter.bias;
	if (getrandom(contents.random, sizeof(contents.random), 0) < 0)
		return -errno;
	error = stack_fill(task->process, &contents, &sp);
	if (error)
		return error;
	proc_publish(task->process);
	set_registers(task, entry, sp, interpreter.bias);
	task->process->exe = strdup(program->file);
	task->process->exe_fd = program->fd;
	private_fd_adopt(&task->process->exe_fd);
	program->fd = -1;
	log_line(LOG_EXEC, "%s: entry 0x%llx, heap 0x%llx, stack 0x%llx", program->file,
		 (unsigned long long)entry, (unsigned long long)task->process->mm->brk_start,
		 (unsigned long long)sp);
	program_release(program);
	sched_main(task);
}
