/* SPDX-License-Identifier: MIT */
/*
 * Finding the program that a path names: scripts, ELF files, their interpreters.
 */
#ifndef LINUX_PROGRAM_H
#define LINUX_PROGRAM_H

#include "linux/elf.h"

struct task;

/**
 * struct program - what to execute
 * @kind: ELF_KIND_GUEST or ELF_KIND_HOST
 * @fd: the ELF file, open for reading, close-on-exec
 * @name: guest path as given: AT_EXECFN
 * @file: absolute guest path of the ELF file: /proc/self/exe
 * @argv: arguments, with those of scripts in front; NULL-terminated
 * @elf: of @fd
 * @interpreter_fd: the ELF interpreter, -1 if none is needed
 * @interpreter: of @interpreter_fd
 */
struct program {
	enum elf_kind kind;
	int fd;
	char name[PATH_MAX];
	char file[PATH_MAX];
	char **argv;
	struct elf_file elf;
	int interpreter_fd;
	struct elf_file interpreter;
};

/**
 * program_find - open what execve() would execute
 * @task: caller; may be NULL before there is one
 * @dirfd: for relative paths
 * @path: guest's; empty: @dirfd itself is the program
 * @argv: NULL-terminated; copied
 * @program: filled; to be released with program_release()
 * @reason: set if there is more to say than the error: "a big-endian program"; static storage
 *
 * Return: 0, or the negative errno that execve() fails with.
 */
int program_find(struct task *task, int dirfd, const char *path, char *const argv[],
		 struct program *program, const char **reason);

void program_release(struct program *program);

#endif
