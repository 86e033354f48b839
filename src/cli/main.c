// SPDX-License-Identifier: MIT
/*
 * powertm: finds the command and calls it.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/cli.h"
#include "linux/exec.h"
#include "linux/launch.h"
#include "version.h"

static const struct command {
	const char *name;
	int (*function)(int argc, char **argv);
	const char *arguments;
	const char *meaning;
} commands[] = {
	{"run", command_run, "[OPTION...] PROGRAM [ARGUMENT...]", "run a ppc64le program"},
	{"stat", command_stat, "[--json FILE] [--fail-if CONDITION] [OPTION...] PROGRAM [ARGUMENT...]",
	 "run it, then print what was counted"},
	{"disas", command_disas, "[--section NAME] [--start-address A] [--stop-address A] FILE...",
	 "print the instructions of ELF files, as objdump -d does"},
};

static void help(void)
{
	printf("powertm " POWERTM_VERSION ": a POWER8 for Linux programs\n\n"
	       "usage: powertm [OPTION...] PROGRAM [ARGUMENT...]\n");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		printf("       powertm %s %s\n           %s\n", commands[i].name,
		       commands[i].arguments, commands[i].meaning);
	printf("       powertm --help | --version\n\noptions:\n%s", run_help);
}

static bool asks_for_help(const char *word)
{
	return !strcmp(word, "--help") || !strcmp(word, "-h");
}

int main(int argc, char **argv)
{
	exec_restore_environment(environ);
	log_init();
	if (argc > 1 && asks_for_help(argv[1])) {
		help();
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "--version")) {
		printf("powertm " POWERTM_VERSION "\n");
		return 0;
	}
	linux_init();
	for (size_t i = 0; argc > 1 && i < ARRAY_SIZE(commands); i++) {
		if (strcmp(argv[1], commands[i].name))
			continue;
		if (argc > 2 && asks_for_help(argv[2])) {
			help();
			return 0;
		}
		return commands[i].function(argc - 1, argv + 1);
	}
	return command_run(argc, argv);
}
