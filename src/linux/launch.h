/* SPDX-License-Identifier: MIT */
/*
 * Starting the first program of a process.
 */
#ifndef LINUX_LAUNCH_H
#define LINUX_LAUNCH_H

#include "linux/program.h"
#include "linux/task.h"

/**
 * linux_init - prepare this host process to run guests
 *
 * Once, early, with one thread: fault handlers, instruction tables.
 */
void linux_init(void);

/**
 * linux_run - load a program and run it
 * @options: must stay
 * @program: from program_find(), of ELF_KIND_GUEST; released when it is loaded
 * @envp: the guest's environment
 *
 * Does not return if the program starts; the process ends as the guest does.
 *
 * Return: negative errno.
 */
int linux_run(const struct run_options *options, struct program *program, char *const envp[]);

#endif
