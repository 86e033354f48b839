// SPDX-License-Identifier: MIT
/*
 * powertm stat: run a program, then print what it and the programs that it ran have done.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/counters.h"
#include "base/log.h"
#include "cli/cli.h"
#include "engine/jit/jit.h"
#include "cli/condition.h"
#include "cli/option.h"
#include "cli/tm_report.h"
#include "cli/watch.h"
#include "linux/signal_host.h"
#include "linux/slots.h"

static const char *json_file;
static const char *condition; /* --fail-if */
static struct profile *profile;

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
	for (int i = 0; i < COUNTER_COUNT; i++)
		if (!tm_report_has((enum counter)i))
			counters_print_row(out, (enum counter)i);
	tm_report_print(out, profile);
	fprintf(out, "\n%22.6f s    elapsed\n%22.6f s    processor time of the host\n", elapsed,
		cpu);
	fprintf(out, "%22.1f      million guest instructions a second\n", mips);
	fclose(out);
}

static void print_json(double elapsed, double cpu)
{
	FILE *out = strcmp(json_file, "-") ? fopen(json_file, "we") : fdopen(dup(1), "w");
	bool failed;

	if (!out) {
		log_error("%s: %s", json_file, strerror(errno));
		return;
	}
	fprintf(out,
		"{\n  \"elapsed_seconds\": %.6f,\n  \"cpu_seconds\": %.6f,\n  \"counters\": {\n",
		elapsed, cpu);
	counters_print_json(out, "    ");
	fprintf(out, "  },\n");
	tm_report_json(out, profile);
	fprintf(out, "}\n");
	failed = ferror(out);
	if (fclose(out) || failed)
		log_error("%s: %s", json_file, strerror(errno));
}

/* --- the condition --- */

/* Numbers that are no counters. */
static struct {
	double exit, signal, elapsed, cpu;
} result;

static bool lookup(const char *name, size_t length, double *value)
{
	static const struct {
		const char *name;
		const double *value;
	} names[] = {{"exit", &result.exit},
		     {"signal", &result.signal},
		     {"elapsed", &result.elapsed},
		     {"cpu", &result.cpu}};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i].name) == length && !memcmp(name, names[i].name, length)) {
			*value = *names[i].value;
			return true;
		}
	return tm_report_lookup(name, length, value);
}

static bool set_condition(const char *text)
{
	char error[CONDITION_ERROR_MAX];
	double value;

	condition = text;
	if (condition_evaluate(text, lookup, &value, error))
		return true;
	log_error("--fail-if %s: %s", text, error);
	return false;
}

static void add_value(const char *name, size_t length, void *context)
{
	char *list = context;
	size_t used = strlen(list);
	double value = 0;

	lookup(name, length, &value);
	snprintf(list + used, 512 - used, "%s%.*s = %.16g", used ? ", " : "", (int)length, name,
		 value);
}

/* Tells so if the condition holds. */
static bool has_failed(int status, double elapsed, double cpu)
{
	char error[CONDITION_ERROR_MAX], values[512] = "";
	double value = 0;

	if (!condition)
		return false;
	result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	result.exit = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	result.elapsed = elapsed;
	result.cpu = cpu;
	condition_evaluate(condition, lookup, &value, error);
	if (value == 0)
		return false;
	condition_names(condition, add_value, values);
	log_error("--fail-if %s: so it is (%s)", condition, values);
	return true;
}

static pid_t child;

/* What was sent to us was meant for the program. From the terminal it gets them itself. */
static void forward(int signo, siginfo_t *si, void *context)
{
	if (si->si_code <= 0)
		kill(child, signo);
}

/*
 * Stop with the program, and go on with it. From the terminal it gets SIGTSTP itself. The default
 * action, which does nothing where nobody could make us go on.
 */
static void stop(int signo, siginfo_t *si, void *context)
{
	struct sigaction action;
	sigset_t set;

	if (si->si_code <= 0)
		kill(child, signo);
	sigaction(signo, &(struct sigaction){.sa_handler = SIG_DFL}, &action);
	sigemptyset(&set);
	sigaddset(&set, signo);
	raise(signo);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	sigaction(signo, &action, NULL);
	kill(child, SIGCONT);
}

static void wait_quietly(int *status, const sigset_t *mask)
{
	static const int signals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
	struct sigaction action = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART};
	struct sigaction old;

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &action, NULL);
	sigaction(SIGTSTP, NULL, &old);
	action.sa_sigaction = stop;
	if (old.sa_handler != SIG_IGN)
		sigaction(SIGTSTP, &action, NULL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	while (waitpid(child, status, 0) < 0 && errno == EINTR)
		;
}

static double processor_time(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/*
 * The program runs in a child: so what all its processes did is counted, and reported even if it
 * is killed or becomes another program.
 */
static int measure(struct run_command *command, char **argv)
{
	struct timespec started;
	double elapsed, cpu;
	sigset_t all, mask;
	const pid_t self = getpid();
	int status = 0;

	command->options.slots = run_open_slots(command);
	if (!command->options.slots)
		return EXIT_POWERTM;
	profile = watch_make_profile(command->options.slots);
	if (!profile)
		log_error("no room to count where transactions fail: %s", strerror(errno));
	counters_move(slots_start_counting(command->options.slots));
	jit_options.count = true;
	clock_gettime(CLOCK_MONOTONIC, &started);
	/* A signal that comes before it can be forwarded waits. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &mask);
	child = fork();
	if (!child) {
		/* Nobody could report on it any more, or stop it. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != self)
			_exit(EXIT_POWERTM);
		sigprocmask(SIG_SETMASK, &mask, NULL);
		_exit(run_program(command, argv));
	}
	if (child < 0) {
		log_error("cannot make a process: %s", strerror(errno));
		return EXIT_POWERTM;
	}
	wait_quietly(&status, &mask);
	elapsed = seconds_since(&started, CLOCK_MONOTONIC);
	cpu = processor_time();
	if (json_file)
		print_json(elapsed, cpu);
	else
		print_table(elapsed, cpu);
	if (has_failed(status, elapsed, cpu))
		return EXIT_CONDITION;
	if (WIFSIGNALED(status))
		signal_host_die(WTERMSIG(status));
	return WEXITSTATUS(status);
}

/* As run_parse(). */
static int stat_parse(char **argv)
{
	const char *text;
	int used = option_value(argv, "--json", &json_file);

	if (!used) {
		used = option_value(argv, "--fail-if", &text);
		if (used > 0 && !set_condition(text))
			return -1;
	}
	return used;
}

int command_stat(int argc, char **argv)
{
	struct run_command command;
	int n = 1, used = 1;

	if (!run_defaults(&command, argv))
		return EXIT_POWERTM;
	while (used > 0) {
		used = stat_parse(argv + n);
		if (!used)
			used = run_parse(&command, argv + n);
		n += used > 0 ? used : 0;
	}
	if (used < 0)
		return EXIT_POWERTM;
	if (n >= argc) {
		log_error("which program? See powertm --help");
		return EXIT_POWERTM;
	}
	return measure(&command, argv + n);
}
