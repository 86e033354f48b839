/* SPDX-License-Identifier: MIT */
/*
 * Watching the transactions of a process, for --trace tm and for stat.
 */
#ifndef CLI_WATCH_H
#define CLI_WATCH_H

#include "linux/task.h"

/**
 * watch_start - an observer for what was asked for
 * @slots: counts failures by place if somebody has made a profile there (watch_make_profile())
 * @trace: print a line for each event
 *
 * Return: NULL if nothing was.
 */
const struct run_observer *watch_start(struct slots *slots, bool trace);

/* Room for a profile of all processes that share these slots. NULL with errno set. */
struct profile *watch_make_profile(struct slots *slots);

#endif
