/* SPDX-License-Identifier: MIT */
/*
 * /proc/self/task: the guest's threads, which are not the host's.
 *
 * The directory lists them. Each has its name in comm; all else that lies in the directory of a
 * thread is that of the process.
 */
#ifndef LINUX_PROC_TASK_H
#define LINUX_PROC_TASK_H

#include "base/types.h"

struct task;

/**
 * proc_task_path - let a path lead to the directory of a thread
 * @task: current task
 * @path: absolute host path of PATH_MAX bytes; changed in place
 */
void proc_task_path(struct task *task, char *path);

/* Open a thread's comm. -ENOENT if the path is something else. */
s64 proc_task_open(struct task *task, const char *path, u32 flags);

/* Entries of the directory for getdents (name_offset tells which form), from the file's offset on.
 */
s64 proc_task_list(struct task *task, int fd, u64 buffer, u64 size, size_t name_offset);

/* The name of a thread, as 16 bytes. */
void proc_task_get_name(struct task *task, char name[16]);
void proc_task_set_name(struct task *task, const char name[16]);

/* The thread ends. */
void proc_task_forget(struct task *task);

#endif
