// SPDX-License-Identifier: MIT
/*
 * powertm run: run a program as a POWER8 with Linux would.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/counters.h"
#include "base/log.h"
#include "cli/cli.h"
#include "linux/auxv.h"
#include "linux/exec.h"
#include "linux/launch.h"
#include "linux/path.h"
#include "linux/slots.h"
#include "linux/tm.h"

const char run_help[] =
	"  -L DIR          root folder of a ppc64le system: paths are looked up there first\n"
	"                  (default: environment variable POWERTM_SYSROOT)\n"
	"  -E NAME=VALUE   set a variable for the program alone\n"
	"  -U NAME         remove a variable for the program alone\n"
	"  --argv0 NAME    what the program is told its name is (default: PROGRAM)\n"
	"  --cpu power8    the processor to be\n"
	"  --smp N         number of virtual CPUs, shared by all processes that the program "
	"starts\n"
	"                  (default: those of this machine)\n"
	"  --slice MS      time slice of a thread when others wait, in milliseconds (default: 5)\n"
	"  --strace        print each system call\n"
	"  --log WHAT,...  tell about: unimp, syscall, signal, mm, exec, sched, tm, all\n";

static int add(const char **list, int *n, size_t size, const char *value)
{
	if ((size_t)*n == size) {
		log_error("too many -E or -U");
		return -1;
	}
	list[(*n)++] = value;
	return 2;
}

static int set_cpu(const char *name)
{
	if (!strcmp(name, "power8"))
		return 2;
	log_error("unknown processor %s; known: power8", name);
	return -1;
}

static int set_log(const char *topics)
{
	if (log_enable(topics))
		return 2;
	log_error("unknown topic in --log %s; known: %s,all", topics, log_topic_names());
	return -1;
}

static int set_number(const char *option, const char *value, u32 limit, u32 *number)
{
	char *end;
	unsigned long n = strtoul(value, &end, 10);

	if (!*value || *end || !n || n > limit) {
		log_error("%s needs a number from 1 to %u, not %s", option, limit, value);
		return -1;
	}
	*number = (u32)n;
	return 2;
}

int run_parse(struct run_command *command, char **argv)
{
	const char *option = argv[0], *value = argv[1];

	if (!option || option[0] != '-')
		return 0;
	if (!strcmp(option, "--"))
		return 1;
	if (!strcmp(option, "--strace")) {
		command->options.strace = true;
		return 1;
	}
	if (strcmp(option, "-L") && strcmp(option, "-E") && strcmp(option, "-U") &&
	    strcmp(option, "--cpu") && strcmp(option, "--log") && strcmp(option, "--argv0") &&
	    strcmp(option, "--smp") && strcmp(option, "--slice") &&
	    strcmp(option, EXEC_SLOTS_OPTION)) {
		log_error("unknown option %s; see powertm --help", option);
		return -1;
	}
	if (!value) {
		log_error("%s needs a value; see powertm --help", option);
		return -1;
	}
	switch (option[1]) {
	case 'L':
		command->options.sysroot = value;
		return 2;
	case 'E':
		if (value[0] == '=' || !strchr(value, '=')) {
			log_error("-E needs NAME=VALUE, not %s", value);
			return -1;
		}
		return add(command->set, &command->n_set, ARRAY_SIZE(command->set), value);
	case 'U':
		return add(command->unset, &command->n_unset, ARRAY_SIZE(command->unset), value);
	}
	if (!strcmp(option, "--argv0")) {
		command->argv0 = value;
		return 2;
	}
	if (!strcmp(option, "--cpu"))
		return set_cpu(value);
	if (!strcmp(option, "--smp"))
		return set_number(option, value, SLOTS_MAX, &command->smp);
	if (!strcmp(option, "--slice"))
		return set_number(option, value, 10000, &command->slice_ms);
	if (!strcmp(option, EXEC_SLOTS_OPTION))
		return set_number(option, value, INT32_MAX, &command->slots_fd);
	command->log = value;
	return set_log(value);
}

static bool same_name(const char *a, const char *b)
{
	size_t n = strcspn(a, "=");

	return n == strcspn(b, "=") && !memcmp(a, b, n);
}

static void remove_variable(const char **envp, const char *name)
{
	const char **to = envp;

	for (; *envp; envp++)
		if (!same_name(*envp, name))
			*to++ = *envp;
	*to = NULL;
}

/* The guest's environment: ours, changed by -U and then -E. */
static const char **make_environment(const struct run_command *command)
{
	const char **envp;
	size_t n = 0;

	while (environ[n])
		n++;
	envp = calloc(n + (size_t)command->n_set + 1, sizeof(*envp));
	if (!envp)
		return NULL;
	memcpy(envp, environ, n * sizeof(*envp));
	for (int i = 0; i < command->n_unset; i++)
		remove_variable(envp, command->unset[i]);
	for (int i = 0; i < command->n_set; i++) {
		remove_variable(envp, command->set[i]);
		for (n = 0; envp[n]; n++)
			;
		envp[n] = command->set[i];
	}
	return envp;
}

static bool exists(const char *path)
{
	struct host_path host;

	return !path_resolve(NULL, AT_FDCWD, path, 0, &host) &&
	       !faccessat(host.dirfd, host.path, F_OK, 0);
}

static bool is_program(const char *path, bool in_sysroot)
{
	struct host_path host;
	struct stat st;

	return !path_resolve(NULL, AT_FDCWD, path, 0, &host) &&
	       (!in_sysroot || path_in_sysroot(host.path)) &&
	       !fstatat(host.dirfd, host.path, &st, 0) && S_ISREG(st.st_mode) &&
	       !faccessat(host.dirfd, host.path, X_OK, AT_EACCESS);
}

/* The program of this name in the directories of a search path; NULL if there is none. */
static const char *search(const char *path, const char *name, bool in_sysroot, char *buffer)
{
	while (*path) {
		size_t n = strcspn(path, ":");

		if (n && n + strlen(name) + 2 <= PATH_MAX) {
			memcpy(buffer, path, n);
			buffer[n] = '/';
			strcpy(buffer + n + 1, name);
			if (is_program(buffer, in_sysroot))
				return buffer;
		}
		path += n + (path[n] == ':');
	}
	return NULL;
}

/*
 * A name that is no file here is looked for as a shell would. PATH is the host's, and may lead to
 * programs of the host before those of the sysroot, so the usual directories there come first.
 */
static const char *find_in_path(const char *name, char *buffer)
{
	static const char usual[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
	const char *found = NULL;

	if (strchr(name, '/') || exists(name))
		return name;
	if (path_sysroot())
		found = search(usual, name, true, buffer);
	if (!found)
		found = search(getenv("PATH") ?: usual, name, false, buffer);
	return found ?: name;
}

static int fail(const char *name, int error, const char *reason)
{
	if (reason)
		log_error("%s: %s", name, reason);
	else
		log_error("%s: %s", name, strerror(error));
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

/* The virtual CPUs: inherited from the parent, or new ones. */
struct slots *run_open_slots(const struct run_command *command)
{
	struct slots *slots = NULL;
	u32 n = command->smp;

	if (command->slots_fd)
		slots = slots_attach((int)command->slots_fd);
	if (!slots) {
		if (!n)
			n = (u32)MIN(sysconf(_SC_NPROCESSORS_ONLN), SLOTS_MAX);
		slots = slots_create(n, (command->slice_ms ? command->slice_ms : 5) * 1000000ull);
	}
	if (!slots)
		log_error("cannot make the table of virtual CPUs: %s", strerror(errno));
	else if (slots_counters(slots))
		counters_move(slots_counters(slots));
	return slots;
}

/* How a guest's execve is to call powertm: options that are not for the first program alone. */
static void set_self(const struct run_command *command)
{
	static char *words[16];
	int n = 0;

	words[n++] = "powertm";
	words[n++] = "run";
	if (path_sysroot()) {
		words[n++] = "-L";
		words[n++] = (char *)(uintptr_t)path_sysroot();
	}
	if (command->options.strace)
		words[n++] = "--strace";
	if (command->log) {
		words[n++] = "--log";
		words[n++] = (char *)(uintptr_t)command->log;
	}
	exec_set_self(words, n);
}

int run_program(struct run_command *command, char **argv)
{
	struct run_options *options = &command->options;
	static struct program program;
	static char buffer[PATH_MAX];
	const char **envp = make_environment(command);
	const char *reason, *path, *name;
	int error;

	if (!options->sysroot)
		options->sysroot = getenv("POWERTM_SYSROOT");
	if (options->sysroot && *options->sysroot) {
		error = path_set_sysroot(options->sysroot);
		if (error) {
			log_error("-L %s: %s", options->sysroot, strerror(-error));
			return EXIT_POWERTM;
		}
	}
	options->hwcap = POWER8_HWCAP;
	options->hwcap2 = POWER8_HWCAP2 | tm_hwcap2(&options->tm);
	options->platform = "power8";
	if (!options->slots)
		options->slots = run_open_slots(command);
	if (!options->slots)
		return EXIT_POWERTM;
	set_self(command);
	name = argv[0];
	path = find_in_path(name, buffer);
	if (command->argv0)
		argv[0] = (char *)(uintptr_t)command->argv0;
	reason = NULL;
	error = *path ? program_find(NULL, AT_FDCWD, path, argv, &program, &reason) : -ENOENT;
	if (error)
		return fail(name, -error, reason);
	if (program.kind != ELF_KIND_GUEST)
		return fail(name, ENOEXEC, "a program of this machine, not of ppc64le");
	error = linux_run(options, &program, (char *const *)envp);
	return fail(name, -error, NULL);
}

int command_run(int argc, char **argv)
{
	struct run_command command = RUN_COMMAND_DEFAULT;
	int n = 1, used;

	while ((used = run_parse(&command, argv + n)) > 0)
		n += used;
	if (used < 0)
		return EXIT_POWERTM;
	if (n >= argc) {
		log_error("which program? See powertm --help");
		return EXIT_POWERTM;
	}
	return run_program(&command, argv + n);
}
