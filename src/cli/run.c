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
#include "engine/jit/jit.h"
#include "cli/cli.h"
#include "cli/option.h"
#include "cli/tm_options.h"
#include "cli/watch.h"
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
	"  --jit=on|off[,threshold=N]\n"
	"                  compile code that was branched to N times (default: on, 60); also\n"
	"                  the environment variable POWERTM_JIT\n"
	"  --perf-map      tell perf(1) where compiled code is: /tmp/perf-PID.map\n"
	"  --strace        print each system call\n"
	"  --log WHAT,...  tell about: unimp, syscall, signal, mm, exec, sched, tm, all\n"
	"  --trace tm      print a line for each thing that happens to a transaction\n"
	"  --tm POLICY     what Linux does about transactional memory: lazy (default), eager, "
	"off,\n"
	"                  lazy+skip-tabort, lazy+patch-libc; nosuspend (POWER9 DD2.1), synthetic\n"
	"                  (POWER10)\n"
	"  --tm-syscall W  a system call in a transaction: abort (default), or suspend (Linux 3.9 "
	"to "
	"4.1)\n"
	"  --load-tm N     switches until a thread that does not use TM loses it (default: 256)\n"
	"  --tm-lines N    lines of 128 bytes that a transaction can hold (default: 64), or "
	"unlimited\n"
	"  --inject cause=NAME,every=N\n"
	"                  make every Nth transaction fail, as if for this cause: conflict,\n"
	"                  tm-conflict, footprint, syscall, ..., or with a failure code, as 0xd9\n"
	"\n"
	"The value of an option with two dashes may also follow an equals sign. POWERTM_TM in the\n"
	"environment has what --tm and the options behind it say: POWERTM_TM=\"eager "
	"tm-lines=32\".\n";

static bool add(const char **list, int *n, size_t size, const char *value)
{
	if ((size_t)*n == size) {
		log_error("too many -E or -U");
		return false;
	}
	list[(*n)++] = value;
	return true;
}

static bool set_variable(struct run_command *command, const char *value)
{
	if (value[0] == '=' || !strchr(value, '=')) {
		log_error("-E needs NAME=VALUE, not %s", value);
		return false;
	}
	return add(command->set, &command->n_set, ARRAY_SIZE(command->set), value);
}

static bool set_cpu(const char *name)
{
	if (!strcmp(name, "power8"))
		return true;
	log_error("unknown processor %s; known: power8", name);
	return false;
}

static bool set_log(struct run_command *command, const char *topics)
{
	command->log = topics;
	if (log_enable(topics))
		return true;
	log_error("unknown topic in --log %s; known: %s,all", topics, log_topic_names());
	return false;
}

static bool set_trace(struct run_command *command, const char *topic)
{
	command->trace = topic;
	if (!strcmp(topic, "tm"))
		return true;
	log_error("unknown topic in --trace %s; known: tm", topic);
	return false;
}

/* on or off, and how often a branch must be taken before its target is compiled. */
static bool set_jit(struct run_command *command, const char *value)
{
	size_t n = strcspn(value, ",");
	bool on = n == 2 && !memcmp(value, "on", n), off = n == 3 && !memcmp(value, "off", n);
	u32 threshold = jit_options.threshold;

	if (value[n] && strncmp(value + n, ",threshold=", 11)) {
		on = off = false;
	} else if (value[n] &&
		   !option_number("--jit=on,threshold", value + n + 11, 1, 255, &threshold)) {
		return false;
	}
	if (!on && !off) {
		log_error("--jit needs on or off, perhaps with ,threshold=N, not %s", value);
		return false;
	}
	command->jit = value;
	jit_options.off = off;
	jit_options.threshold = threshold;
	return true;
}

static bool set_value(struct run_command *command, const char *name, const char *value)
{
	if (!strcmp(name, "-L"))
		command->options.sysroot = value;
	else if (!strcmp(name, "-E"))
		return set_variable(command, value);
	else if (!strcmp(name, "-U"))
		return add(command->unset, &command->n_unset, ARRAY_SIZE(command->unset), value);
	else if (!strcmp(name, "--argv0"))
		command->argv0 = value;
	else if (!strcmp(name, "--cpu"))
		return set_cpu(value);
	else if (!strcmp(name, "--smp"))
		return option_number(name, value, 1, SLOTS_MAX, &command->smp);
	else if (!strcmp(name, "--slice"))
		return option_number(name, value, 1, 10000, &command->slice_ms);
	else if (!strcmp(name, EXEC_SLOTS_OPTION))
		return option_number(name, value, 1, INT32_MAX, &command->slots_fd);
	else if (!strcmp(name, "--log"))
		return set_log(command, value);
	else if (!strcmp(name, "--trace"))
		return set_trace(command, value);
	else if (!strcmp(name, "--jit"))
		return set_jit(command, value);
	else
		return tm_option_set(&command->options, name, value);
	return true;
}

/* An option of the list, with its value. As run_parse(). */
static int parse_value(struct run_command *command, char **argv, const char *const *names)
{
	const char *value;

	for (; *names; names++) {
		int used = option_value(argv, *names, &value);

		if (used)
			return used < 0 || !set_value(command, *names, value) ? -1 : used;
	}
	return 0;
}

int run_parse(struct run_command *command, char **argv)
{
	static const char *const names[] = {"-L",    "-E",	"-U",	   "--argv0",
					    "--cpu", "--smp",	"--slice", EXEC_SLOTS_OPTION,
					    "--log", "--trace", "--jit",   NULL};
	int used;

	if (!argv[0] || argv[0][0] != '-')
		return 0;
	if (!strcmp(argv[0], "--"))
		return 1;
	if (!strcmp(argv[0], "--strace")) {
		command->options.strace = true;
		return 1;
	}
	if (!strcmp(argv[0], "--perf-map")) {
		jit_options.perf_map = true;
		return 1;
	}
	used = parse_value(command, argv, names);
	if (!used)
		used = parse_value(command, argv, tm_option_names);
	if (!used)
		log_error("unknown option %s; see powertm --help", argv[0]);
	return used ? used : -1;
}

/* A guest's execve says all that there is to say; the environment is the guest's (exec.h). */
static bool called_by_exec(char *const *argv)
{
	for (; *argv && strcmp(*argv, "--"); argv++)
		if (!strcmp(*argv, EXEC_SLOTS_OPTION))
			return true;
	return false;
}

bool run_defaults(struct run_command *command, char *const *argv)
{
	const char *jit = getenv("POWERTM_JIT");

	*command = RUN_COMMAND_DEFAULT;
	jit_options.off = false;
	if (jit && *jit && !set_jit(command, jit))
		return false;
	if (called_by_exec(argv))
		return true;
	return tm_options_from_variable(&command->options, getenv(TM_OPTIONS_VARIABLE));
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
	else if (slots_counters(slots)) {
		counters_move(slots_counters(slots));
		jit_options.count = true;
	}
	return slots;
}

/* How a guest's execve is to call powertm: options that are not for the first program alone. */
static void set_self(const struct run_command *command)
{
	static char *words[19 + TM_OPTION_WORDS];
	int n = 0;

	words[n++] = "powertm";
	words[n++] = "run";
	if (path_sysroot()) {
		words[n++] = "-L";
		words[n++] = (char *)(uintptr_t)path_sysroot();
	}
	if (command->options.strace)
		words[n++] = "--strace";
	if (command->jit) {
		words[n++] = "--jit";
		words[n++] = (char *)(uintptr_t)command->jit;
	}
	if (jit_options.perf_map)
		words[n++] = "--perf-map";
	if (command->log) {
		words[n++] = "--log";
		words[n++] = (char *)(uintptr_t)command->log;
	}
	if (command->trace) {
		words[n++] = "--trace";
		words[n++] = (char *)(uintptr_t)command->trace;
	}
	n += tm_options_words(&command->options, words + n);
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
	options->observer = watch_start(options->slots, command->trace != NULL);
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
	struct run_command command;
	int n = 1, used;

	if (!run_defaults(&command, argv))
		return EXIT_POWERTM;
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
