// SPDX-License-Identifier: MIT
#include "cli/option.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

int option_value(char *const *argv, const char *name, const char **value)
{
	size_t length = strlen(name);

	if (!argv[0] || strncmp(argv[0], name, length))
		return 0;
	if (argv[0][length] == '=' && name[1] == '-') {
		*value = argv[0] + length + 1;
		return 1;
	}
	if (argv[0][length] && name[1] != '-') {
		*value = argv[0] + length;
		return 1;
	}
	if (argv[0][length])
		return 0;
	*value = argv[1];
	if (argv[1])
		return 2;
	log_error("%s needs a value; see powertm --help", name);
	return -1;
}

bool option_number(const char *name, const char *value, u32 least, u32 limit, u32 *number)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(value, &end, 10);
	if (*value < '0' || *value > '9' || *end || errno || n < least || n > limit) {
		log_error("%s needs a number from %u to %u, not %s", name, least, limit, value);
		return false;
	}
	*number = (u32)n;
	return true;
}
