/* SPDX-License-Identifier: MIT */
/*
 * Resource limits that powertm keeps for the guest.
 *
 * RLIMIT_AS, RLIMIT_DATA and RLIMIT_STACK would hit powertm itself, which needs more than the
 * guest: the guest's values are told, and inherited by fork and exec, but the host never hears of
 * them. The soft limit of the stack decides how large the stack of a program is. All other limits
 * are the host's.
 */
#ifndef LINUX_LIMITS_H
#define LINUX_LIMITS_H

#include <sys/resource.h>

#include "base/types.h"

/* The guest's value of a limit. Return: 0 or a negative errno. */
int limits_get(u32 resource, struct rlimit *limit);

/**
 * limits_print - the limits that were set, as text for the next program
 * @text: receives "RESOURCE:SOFT:HARD ..."; empty if none was
 */
void limits_print(char *text, size_t size);

/* Take over what limits_print() has written. Anything else is ignored. */
void limits_parse(const char *text);

#endif
