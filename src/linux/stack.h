/* SPDX-License-Identifier: MIT */
/*
 * The stack of a new program: arguments, environment, auxiliary vector.
 */
#ifndef LINUX_STACK_H
#define LINUX_STACK_H

#include "linux/elf.h"

struct process;

struct stack_contents {
	const char *name; /* AT_EXECFN */
	char *const *argv, *const *envp;
	const struct elf_file *elf;
	const struct elf_image *image;
	u64 interpreter_base; /* AT_BASE; 0 if none */
	u64 random[2];	      /* AT_RANDOM */
};

/**
 * stack_map - map the stack, with a guard below
 * @executable: as the program asks
 *
 * It has the size of the soft limit from the start: it does not grow. To be called before anything
 * else is mapped, since mappings are placed below it.
 *
 * Return: 0 or a negative errno.
 */
int stack_map(struct process *process, bool executable);

/**
 * stack_fill - put arguments and so on there
 * @process: arg_start and the like are set
 * @contents: what to put there
 * @sp: receives the initial stack pointer
 *
 * Return: 0 or -E2BIG.
 */
int stack_fill(struct process *process, const struct stack_contents *contents, u64 *sp);

#endif
