/* SPDX-License-Identifier: MIT */
/*
 * The kernel half's main loop: runs a task and answers what its CPU asks for.
 */
#ifndef LINUX_LOOP_H
#define LINUX_LOOP_H

#include "linux/task.h"

/* What made task_run() return. */
enum task_stop {
	TASK_PARKED,  /* it waits; somebody will call sched_wake() */
	TASK_YIELDED, /* it could go on, but it is another one's turn */
	TASK_EXITED,
};

/**
 * task_run - run the guest code of a task until the scheduler has something to decide
 * @task: has a CPU; if it was parked, the system call it is in goes on
 */
enum task_stop task_run(struct task *task);

#endif
