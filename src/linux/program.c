// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "linux/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "linux/path.h"

#define SCRIPT_LINE_MAX 256 /* BINPRM_BUF_SIZE of Linux */
#define SCRIPT_DEPTH	5   /* interpreters of interpreters */

static void free_strings(char **strings)
{
	for (char **s = strings; s && *s; s++)
		free(*s);
	free(strings);
}

static char **copy_strings(char *const *strings)
{
	size_t n = 0;
	char **copy;

	while (strings[n])
		n++;
	copy = calloc(n + 1, sizeof(*copy));
	for (size_t i = 0; copy && i < n; i++) {
		copy[i] = strdup(strings[i]);
		if (!copy[i]) {
			free_strings(copy);
			return NULL;
		}
	}
	return copy;
}

/* Replace argv[0] by up to three strings, the third of which may be NULL. */
static int replace_first(char ***argv, const char *first, const char *second, const char *third)
{
	const char *front[3] = {first, second ? second : third, second ? third : NULL};
	size_t n_front = 1 + (front[1] != NULL) + (front[2] != NULL);
	size_t n = 0, rest;
	char **longer;

	while ((*argv)[n])
		n++;
	rest = n ? n - 1 : 0;
	longer = calloc(n_front + rest + 1, sizeof(*longer));
	if (!longer)
		return -ENOMEM;
	for (size_t i = 0; i < n_front; i++) {
		longer[i] = strdup(front[i]);
		if (!longer[i]) {
			free_strings(longer);
			return -ENOMEM;
		}
	}
	if (n) {
		free((*argv)[0]);
		memcpy(longer + n_front, *argv + 1, rest * sizeof(*longer));
	}
	free(*argv);
	*argv = longer;
	return 0;
}

/*
 * The line of a script: "#! interpreter argument". Everything behind the interpreter is one
 * argument, fs/binfmt_script.c. Return: 0 or -ENOEXEC.
 */
static int parse_script(int fd, char *line, char **interpreter, char **argument)
{
	ssize_t n = pread(fd, line, SCRIPT_LINE_MAX - 1, 0);
	char *end, *p;

	if (n < 2)
		return -ENOEXEC;
	line[n] = '\0';
	end = strchr(line, '\n');
	if (end)
		*end = '\0';
	for (end = line + strlen(line); end > line + 2 && (end[-1] == ' ' || end[-1] == '\t');
	     end--)
		end[-1] = '\0';
	p = line + 2 + strspn(line + 2, " \t");
	if (!*p)
		return -ENOEXEC;
	*interpreter = p;
	*argument = NULL;
	p += strcspn(p, " \t");
	if (*p) {
		*p++ = '\0';
		p += strspn(p, " \t");
		*argument = p;
	} else if (n == SCRIPT_LINE_MAX - 1 && !memchr(line, 0, (size_t)n)) {
		return -ENOEXEC; /* the name does not end within the line */
	}
	return 0;
}

/*
 * Open the file behind a descriptor again: it must be executable, and the descriptor need not be
 * one that can be read (O_PATH).
 */
static int reopen_executable(int dirfd)
{
	char link[64];
	struct stat st;
	int fd;

	if (dirfd == AT_FDCWD)
		return -EACCES;
	if (fstat(dirfd, &st))
		return -errno;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", dirfd);
	if (!S_ISREG(st.st_mode) || faccessat(AT_FDCWD, link, X_OK, AT_EACCESS))
		return -EACCES;
	fd = open(link, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

/* Open a file that is to be executed. Descriptor or negative errno. */
static int open_executable(struct task *task, int dirfd, const char *path, char *file)
{
	struct host_path host;
	struct stat st;
	int error, fd;

	if (!*path) {
		fd = reopen_executable(dirfd);
		if (fd < 0)
			return fd;
	} else {
		error = path_resolve(task, dirfd, path, 0, &host);
		if (error)
			return error;
		if (faccessat(host.dirfd, host.path, X_OK, AT_EACCESS))
			return -errno;
		fd = openat(host.dirfd, host.path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	}
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return -EACCES;
	}
	if (file) {
		char link[64];
		ssize_t n;

		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		n = readlink(link, file, PATH_MAX - 1);
		if (n < 0)
			n = snprintf(file, PATH_MAX, "%s", path);
		file[MIN((size_t)n, (size_t)PATH_MAX - 1)] = '\0';
		path_to_guest(file);
	}
	return fd;
}

/* The interpreter of an ELF file must be there and be runnable as well. */
static int find_interpreter(struct task *task, struct program *program, const char **reason)
{
	const char *name = program->elf.interpreter;
	int fd;

	if (!*name)
		return 0;
	fd = open_executable(task, AT_FDCWD, name, NULL);
	if (fd < 0) {
		static char text[PATH_MAX + 64];

		snprintf(text, sizeof(text), "its interpreter %s is not there%s", name,
			 path_sysroot() ? "" : " (is -L SYSROOT missing?)");
		*reason = text;
		return fd;
	}
	program->interpreter_fd = fd;
	if (elf_read(fd, &program->interpreter, reason) != ELF_KIND_GUEST) {
		*reason = "its interpreter is no ppc64le program";
		return -ELIBBAD;
	}
	return 0;
}

static int find(struct task *task, int dirfd, const char *path, struct program *program,
		const char **reason)
{
	char line[SCRIPT_LINE_MAX], name[SCRIPT_LINE_MAX];

	for (int depth = 0; depth <= SCRIPT_DEPTH; depth++) {
		char *interpreter, *argument;
		int error;

		program->fd = open_executable(task, dirfd, path, program->file);
		if (program->fd < 0)
			return program->fd;
		program->kind = elf_read(program->fd, &program->elf, reason);
		switch (program->kind) {
		case ELF_KIND_GUEST:
			return find_interpreter(task, program, reason);
		case ELF_KIND_HOST:
			return 0;
		case ELF_KIND_OTHER:
			return -ENOEXEC;
		case ELF_KIND_SCRIPT:
			break;
		}
		error = parse_script(program->fd, line, &interpreter, &argument);
		close(program->fd);
		program->fd = -1;
		if (!error)
			error = replace_first(&program->argv, interpreter, argument,
					      depth ? path : program->name);
		if (error)
			return error;
		path = strcpy(name, interpreter);
		dirfd = AT_FDCWD;
	}
	return -ELOOP;
}

int program_find(struct task *task, int dirfd, const char *path, char *const argv[],
		 struct program *program, const char **reason)
{
	int error = -ENOMEM, n;

	memset(program, 0, sizeof(*program));
	program->fd = program->interpreter_fd = -1;
	*reason = NULL;
	/* Relative to a descriptor: the name by which a script can open itself. */
	if (dirfd == AT_FDCWD || *path == '/')
		n = snprintf(program->name, sizeof(program->name), "%s", path);
	else
		n = snprintf(program->name, sizeof(program->name), "/dev/fd/%d%s%s", dirfd,
			     *path ? "/" : "", path);
	if (n >= (int)sizeof(program->name))
		return -ENAMETOOLONG;
	program->argv = copy_strings(argv);
	if (program->argv)
		error = find(task, dirfd, path, program, reason);
	if (error)
		program_release(program);
	return error;
}

void program_release(struct program *program)
{
	if (program->fd >= 0)
		close(program->fd);
	if (program->interpreter_fd >= 0)
		close(program->interpreter_fd);
	program->fd = program->interpreter_fd = -1;
	elf_release(&program->elf);
	elf_release(&program->interpreter);
	free_strings(program->argv);
	program->argv = NULL;
}
