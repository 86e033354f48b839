/* SPDX-License-Identifier: MIT */
/*
 * Files of /proc and /sys whose content is not the host's but the guest's.
 *
 * They are made when they are opened: the guest gets a memory file with the text as of that moment.
 *
 *	/proc/self/maps, smaps	mappings of the guest only
 *	/proc/self/auxv, cmdline, environ, stat
 *	/proc/cpuinfo		POWER8, one entry for each virtual CPU, with timebase and clock
 *	/proc/version, /proc/sys/kernel/osrelease, .../arch
 *	/sys/devices/system/cpu/online, possible, present
 *
 * /proc/self/exe is dealt with in path.h, links in /proc in readlink.
 */
#ifndef LINUX_PROC_H
#define LINUX_PROC_H

#include "base/types.h"

struct process;
struct task;

/* Release and version strings of the kernel that the guest sees; for uname too. */
#define GUEST_RELEASE "6.1.0-powertm"
#define GUEST_VERSION "#1 SMP powertm"

/**
 * proc_open - open one of the special files
 * @path: absolute host path
 * @flags: host's open flags
 *
 * Return: a descriptor; -ENOENT if the path is not one of them; -EACCES if it is to be written.
 */
s64 proc_open(struct task *task, const char *path, u32 flags);

/**
 * proc_publish - show the guest's command line and environment to other processes
 *
 * So that ps and /proc/PID/cmdline name the guest's program. Needs a host kernel with
 * CONFIG_CHECKPOINT_RESTORE or the right to do it; else nothing happens.
 */
void proc_publish(const struct process *process);

#endif
