/* SPDX-License-Identifier: MIT */
/*
 * Options with values: "--name value", "--name=value", "-n value".
 */
#ifndef CLI_OPTION_H
#define CLI_OPTION_H

#include "base/types.h"

/**
 * option_value - does a word name this option, and what is its value?
 * @argv: the word and those behind it, NULL-terminated
 * @name: with its dashes
 * @value: receives it; NULL if there is none
 *
 * Return: number of words that option and value take; 0 if it is another option; -1 after telling
 * that the value is missing.
 */
int option_value(char *const *argv, const char *name, const char **value);

/* A number from @least to @limit. Return: false after telling what is wrong. */
bool option_number(const char *name, const char *value, u32 least, u32 limit, u32 *number);

#endif
