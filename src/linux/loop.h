/* SPDX-License-Identifier: MIT */
/*
 * The kernel half's main loop: runs a task and answers what its CPU asks for.
 */
#ifndef LINUX_LOOP_H
#define LINUX_LOOP_H

#include "linux/task.h"

/* Run a task on its CPU until its process ends. Does not return. */
void task_loop(struct task *task) __attribute__((noreturn));

#endif
