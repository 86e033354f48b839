// SPDX-License-Identifier: MIT
/*
 * Resources: limits and what was used.
 */
#define _GNU_SOURCE
#include "linux/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <unistd.h>

#include "linux/syscall_pass.h"

static struct rlimit kept[RLIMIT_NLIMITS];
static bool is_kept[RLIMIT_NLIMITS];

static bool own_address_space(u32 resource)
{
	return resource == RLIMIT_AS || resource == RLIMIT_DATA || resource == RLIMIT_STACK;
}

int limits_get(u32 resource, struct rlimit *limit)
{
	if (resource < RLIMIT_NLIMITS && is_kept[resource]) {
		*limit = kept[resource];
		return 0;
	}
	return getrlimit((int)resource, limit) ? -errno : 0;
}

void limits_print(char *text, size_t size)
{
	size_t n = 0;

	*text = 0;
	for (u32 i = 0; i < RLIMIT_NLIMITS && n < size; i++)
		if (is_kept[i])
			n += (size_t)snprintf(text + n, size - n, "%u:%" PRIu64 ":%" PRIu64 " ", i,
					      (u64)kept[i].rlim_cur, (u64)kept[i].rlim_max);
}

void limits_parse(const char *text)
{
	u64 soft, hard;
	u32 resource;
	int n;

	while (sscanf(text, "%u:%" SCNu64 ":%" SCNu64 " %n", &resource, &soft, &hard, &n) == 3) {
		if (own_address_space(resource)) {
			kept[resource] = (struct rlimit){soft, hard};
			is_kept[resource] = true;
		}
		text += n;
	}
}

static s64 set_kept(u32 resource, const struct rlimit *limit)
{
	struct rlimit now;

	if (limit->rlim_cur > limit->rlim_max)
		return -EINVAL;
	if (limits_get(resource, &now))
		return -EINVAL;
	if (limit->rlim_max > now.rlim_max && geteuid())
		return -EPERM;
	kept[resource] = *limit;
	is_kept[resource] = true;
	return 0;
}

static s64 prlimit_self(struct task *task, u32 resource, u64 new_limit, u64 old_limit)
{
	struct rlimit limit, old;
	s64 result;

	if (new_limit && get_user(task, &limit, new_limit))
		return -EFAULT;
	if (own_address_space(resource) && (new_limit || is_kept[resource])) {
		result = limits_get(resource, &old);
		if (!result && new_limit)
			result = set_kept(resource, &limit);
	} else {
		result = host_call(SYS_prlimit64, 0, resource, new_limit ? &limit : NULL, &old);
	}
	if (!result && old_limit && put_user(task, old, old_limit))
		return -EFAULT;
	return result;
}

s64 sys_getrlimit(struct task *task, const u64 args[6])
{
	return prlimit_self(task, (u32)args[0], 0, args[1]);
}

s64 sys_ugetrlimit(struct task *task, const u64 args[6])
{
	return prlimit_self(task, (u32)args[0], 0, args[1]);
}

s64 sys_setrlimit(struct task *task, const u64 args[6])
{
	return args[1] ? prlimit_self(task, (u32)args[0], args[1], 0) : -EFAULT;
}

s64 sys_prlimit64(struct task *task, const u64 args[6])
{
	static const struct pass_buffer buffers[] = {IN(2, sizeof(struct rlimit)),
						     OUT(3, sizeof(struct rlimit))};
	PASS_ARGUMENTS(a, args);
	int pid = task_process_number(task->process, (int)args[0]), error;

	if (!pid || pid == task->process->pid)
		return prlimit_self(task, (u32)args[1], args[2], args[3]);
	error = pass_prepare(task, a, buffers, ARRAY_SIZE(buffers));
	return error ? error : host_call(SYS_prlimit64, pid, a[1], a[2], a[3]);
}

PASS(sysinfo, OUT(0, sizeof(struct sysinfo)))
