// SPDX-License-Identifier: MIT
/*
 * Resources: limits and what was used.
 *
 * Limits on the address space would hit powertm itself, which needs more of it than the guest. The
 * guest's values are kept and told, and passed on by fork, but not enforced.
 */
#define _GNU_SOURCE
#include <sys/resource.h>
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

static s64 set_kept(u32 resource, const struct rlimit *limit)
{
	struct rlimit now;

	if (limit->rlim_cur > limit->rlim_max)
		return -EINVAL;
	if (is_kept[resource])
		now = kept[resource];
	else if (getrlimit((int)resource, &now))
		return -errno;
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
		result = is_kept[resource] ? 0 : host_call(SYS_getrlimit, resource, &old);
		if (is_kept[resource])
			old = kept[resource];
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
	int pid = (int)args[0], error;

	if (!pid || pid == task->process->pid)
		return prlimit_self(task, (u32)args[1], args[2], args[3]);
	error = pass_prepare(task, args, buffers, ARRAY_SIZE(buffers));
	return error ? error : host_call(SYS_prlimit64, pid, args[1], args[2], args[3]);
}

PASS(getrusage, OUT(1, sizeof(struct rusage)))
PASS(sysinfo, OUT(0, sizeof(struct sysinfo)))
