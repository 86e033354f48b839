/* SPDX-License-Identifier: MIT */
/*
 * How a guest starts another program.
 *
 * A host process cannot become another guest program by itself: execve of a ppc64le program
 * executes powertm again (/proc/self/exe) with the same options, in the same process:
 *
 *	powertm [options as before] --argv0 NAME -- PROGRAM ARGS...
 *
 * Scripts are taken apart before, since their interpreter may lie in the sysroot (program.h). A
 * program for the host's own processor that was found on the host, not in the sysroot, is left to
 * the host kernel. Anything else is no program: ENOEXEC.
 *
 * Environment: the guest's strings become those of the new process. Variables that would steer the
 * C library of powertm itself (LD_PRELOAD and its like) travel under another name, and what else
 * powertm must remember (limits that it keeps, the first process of a trace) in one of its own.
 */
#ifndef LINUX_EXEC_H
#define LINUX_EXEC_H

#include "base/types.h"

/* Option by which a child finds the table of virtual CPUs: a descriptor number follows. */
#define EXEC_SLOTS_OPTION "--slots-fd"

/**
 * exec_set_self - remember how powertm was called
 * @arguments: argv[0] and the options, without the program of the guest and what follows it
 * @count: their number
 *
 * The strings are not copied. Once, before the first guest instruction.
 */
void exec_set_self(char *const *arguments, int count);

/**
 * exec_restore_environment - undo what exec did to the environment
 * @environment: as the process got it, NULL-terminated; changed in place
 *
 * Call it early: nothing may have looked a variable up yet.
 */
void exec_restore_environment(char **environment);

/* Free what a child of vfork left behind when its execve succeeded; in the parent's thread. */
void exec_release(void);

#endif
