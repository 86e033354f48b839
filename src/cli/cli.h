/* SPDX-License-Identifier: MIT */
/*
 * The program `powertm`: its commands. Each gets its own words, argv[0] being its name, and returns
 * the exit status.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "linux/task.h"

/* What powertm itself says when it cannot do what it was asked: as env(1), nohup(1) and others. */
#define EXIT_POWERTM	    125
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND	    127
#define EXIT_CONDITION	    1 /* of stat --fail-if */
#define EXIT_USAGE	    2 /* of the commands that run no program */

int command_run(int argc, char **argv);
int command_stat(int argc, char **argv);
int command_disas(int argc, char **argv);

/* Options of `run` and of the commands that run a program. */
struct run_command {
	struct run_options options;
	const char *set[256];	/* -E */
	const char *unset[256]; /* -U */
	int n_set, n_unset;
	const char *argv0; /* --argv0: what the program is told its name is; NULL: PROGRAM */
	const char *log;   /* --log, to be passed on */
	const char *jit;   /* --jit, to be passed on; NULL: default */
	const char *trace; /* --trace, too */
	u32 smp, slice_ms; /* 0: default */
	u32 slots_fd;	   /* inherited table of virtual CPUs; 0: none */
};

#define RUN_COMMAND_DEFAULT                                                                        \
	((struct run_command){                                                                     \
		.options = {.tm = TM_POLICY_DEFAULT, .tm_config = TM_CONFIG_POWER8}})

/*
 * Defaults, and what the environment says if the words are not those of a guest's execve. Return:
 * false after telling what is wrong there.
 */
bool run_defaults(struct run_command *command, char *const *argv);

/**
 * run_parse - read one option of `run`
 * @command: to be changed
 * @argv: words from the option on
 *
 * Return: number of words used; 0 if argv[0] is no option; -1 after telling what is wrong.
 */
int run_parse(struct run_command *command, char **argv);

/* The virtual CPUs: the parent's, or new ones. NULL after telling why not. */
struct slots *run_open_slots(const struct run_command *command);

/* Run a program. Return: exit status, if it could not be started. */
int run_program(struct run_command *command, char **argv);

/* What `powertm --help` says of the options of `run`. */
extern const char run_help[];

#endif
