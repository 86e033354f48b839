// SPDX-License-Identifier: MIT
/*
 * powertm stat: run a program, then print what was counted.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/counters.h"
#include "base/log.h"
#include "cli/cli.h"

static const char *json_file;
static struct timespec started;
static pid_t measured; /* a forked child reports nothing */

static double seconds_since(const struct timespec *start, clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

static void print_table(double elapsed, double cpu)
{
	FILE *out = fdopen(dup(log_fd()), "w");
	double mips = cpu > 0 ? (double)counters[COUNTER_instructions] / cpu / 1e6 : 0;

	if (!out)
		return;
	fprintf(out, "\n");
	counters_print_table(out);
	fprintf(out, "\n%22.6f s    elapsed\n%22.6f s    processor time of the host\n", elapsed, cpu);
	fprintf(out, "%22.1f      million guest instructions a second\n", mips);
	fclose(out);
}

static void print_json(double elapsed, double cpu)
{
	FILE *out = fopen(json_file, "we");

	if (!out) {
		log_error("%s: %s", json_file, strerror(errno));
		return;
	}
	fprintf(out, "{\n  \"elapsed_seconds\": %.6f,\n  \"cpu_seconds\": %.6f,\n  \"counters\": {\n",
		elapsed, cpu);
	counters_print_json(out, "    ");
	fprintf(out, "  }\n}\n");
	fclose(out);
}

static void report(struct process *process)
{
	static const struct timespec zero;
	double elapsed = seconds_since(&started, CLOCK_MONOTONIC);
	double cpu = seconds_since(&zero, CLOCK_PROCESS_CPUTIME_ID);

	if (process->pid != measured)
		return;
	if (json_file)
		print_json(elapsed, cpu);
	else
		print_table(elapsed, cpu);
}

int command_stat(int argc, char **argv)
{
	struct run_command command = {.options.at_exit = report};
	int n = 1, used = 1;

	while (used > 0) {
		if (argv[n] && !strcmp(argv[n], "--json") && argv[n + 1]) {
			json_file = argv[n + 1];
			used = 2;
		} else {
			used = run_parse(&command, argv + n);
		}
		n += used > 0 ? used : 0;
	}
	if (used < 0)
		return EXIT_POWERTM;
	if (n >= argc) {
		log_error("which program? See powertm --help");
		return EXIT_POWERTM;
	}
	clock_gettime(CLOCK_MONOTONIC, &started);
	measured = getpid();
	return run_program(&command, argv + n);
}
