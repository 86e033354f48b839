/* SPDX-License-Identifier: MIT */
/*
 * Options about transactional memory, and the variable POWERTM_TM with the same words.
 */
#ifndef CLI_TM_OPTIONS_H
#define CLI_TM_OPTIONS_H

#include "linux/task.h"

#define TM_OPTIONS_VARIABLE "POWERTM_TM"

/* Their names, NULL-terminated: --tm, --tm-syscall, ... */
extern const char *const tm_option_names[];

/**
 * tm_option_set - take a value
 * @name: of tm_option_names
 *
 * Return: false after telling what is wrong.
 */
bool tm_option_set(struct run_options *options, const char *name, const char *value);

/**
 * tm_options_from_variable - take what the environment says
 * @text: words with blanks between: "lazy load-tm=10 inject=cause=conflict,every=100". A word
 *	without a name is the value of --tm; --name=value is understood, too. NULL: nothing
 */
bool tm_options_from_variable(struct run_options *options, const char *text);

/*
 * Options and values that say the same, for a process that is to run with them. @words has room
 * for TM_OPTION_WORDS. Return: how many. They stay until the next call.
 */
#define TM_OPTION_WORDS 10
int tm_options_words(const struct run_options *options, char **words);

#endif
