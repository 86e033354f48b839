// SPDX-License-Identifier: MIT
/*
 * --strace: one line for each system call, as strace(1) prints it.
 *
 * What a call is given is formatted before it is made, what it fills in afterwards, and the line
 * goes out in one write at the end, so lines of several tasks and processes do not mix. The third
 * column of syscalls.def says how an argument looks; this file knows no call by name but those
 * that do not come back.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <netinet/in.h>
#include <arpa/inet.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "linux/mman.h"
#include "linux/powerpc_abi.h"
#include "linux/syscall.h"
#include "linux/uaccess.h"

#define STRING_MAX    32 /* bytes of a string shown, as strace -s */
#define VECTOR_MAX    32 /* strings of a vector shown */
#define RESULT_COLUMN 40

/* A text that grows until its room is used up; what comes after is lost. */
struct text {
	char s[1024];
	size_t n;
};

static PRINTF(2, 3) void put(struct text *text, const char *format, ...)
{
	va_list list;
	int n;

	va_start(list, format);
	n = vsnprintf(text->s + text->n, sizeof(text->s) - text->n, format, list);
	va_end(list);
	if (n > 0)
		text->n = MIN(text->n + (size_t)n, sizeof(text->s) - 1);
}

/* The call in progress of this thread: its arguments as text. */
static _Thread_local struct text arguments[6];

struct flag_name {
	u64 value;
	const char *name;
};

/* Names of bits joined by '|', what is left in hexadecimal. @zero: name of no bit at all. */
static void put_flags(struct text *text, u64 value, const struct flag_name *names, size_t n,
		      const char *zero)
{
	const char *separator = "";

	for (size_t i = 0; i < n; i++) {
		if ((value & names[i].value) != names[i].value)
			continue;
		put(text, "%s%s", separator, names[i].name);
		separator = "|";
		value &= ~names[i].value;
	}
	if (value)
		put(text, "%s0x%" PRIx64, separator, value);
	else if (!*separator)
		put(text, "%s", zero);
}

/* One of a list of values. */
static void put_name(struct text *text, s64 value, const struct flag_name *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if ((s64)names[i].value == value) {
			put(text, "%s", names[i].name);
			return;
		}
	}
	put(text, "%" PRId64, value);
}

#define FLAG(name)                                                                                 \
	{                                                                                          \
		name, #name                                                                        \
	}
#define PPC_FLAG(name)                                                                             \
	{                                                                                          \
		PPC_##name, #name                                                                  \
	}
#define GUEST_FLAG(name)                                                                           \
	{                                                                                          \
		GUEST_##name, #name                                                                \
	}

static void put_open_flags(struct text *text, u32 flags)
{
	static const struct flag_name names[] = {
		FLAG(O_CREAT),	       FLAG(O_EXCL),
		FLAG(O_NOCTTY),	       FLAG(O_TRUNC),
		FLAG(O_APPEND),	       FLAG(O_NONBLOCK),
		FLAG(O_SYNC),	       FLAG(O_DSYNC),
		FLAG(O_ASYNC),	       PPC_FLAG(O_DIRECT),
		PPC_FLAG(O_LARGEFILE), {PPC_O_DIRECTORY | (O_TMPFILE & ~O_DIRECTORY), "O_TMPFILE"},
		PPC_FLAG(O_DIRECTORY), PPC_FLAG(O_NOFOLLOW),
		FLAG(O_NOATIME),       FLAG(O_CLOEXEC),
		FLAG(O_PATH),
	};
	static const char *const access_names[] = {"O_RDONLY", "O_WRONLY", "O_RDWR", "O_ACCMODE"};

	put(text, "%s", access_names[flags & O_ACCMODE]);
	flags &= ~(u32)O_ACCMODE;
	if (flags) {
		put(text, "|");
		put_flags(text, flags, names, ARRAY_SIZE(names), "");
	}
}

static const struct flag_name prot_names[] = {FLAG(PROT_READ), FLAG(PROT_WRITE), FLAG(PROT_EXEC),
					      GUEST_FLAG(PROT_SAO), FLAG(PROT_GROWSDOWN)};

static void put_map_flags(struct text *text, u64 flags)
{
	static const struct flag_name names[] = {
		{MAP_SHARED_VALIDATE, "MAP_SHARED_VALIDATE"},
		FLAG(MAP_SHARED),
		FLAG(MAP_PRIVATE),
		GUEST_FLAG(MAP_FIXED),
		GUEST_FLAG(MAP_ANONYMOUS),
		GUEST_FLAG(MAP_NORESERVE),
		GUEST_FLAG(MAP_LOCKED),
		GUEST_FLAG(MAP_GROWSDOWN),
		GUEST_FLAG(MAP_DENYWRITE),
		GUEST_FLAG(MAP_EXECUTABLE),
		GUEST_FLAG(MAP_POPULATE),
		GUEST_FLAG(MAP_NONBLOCK),
		GUEST_FLAG(MAP_STACK),
		GUEST_FLAG(MAP_HUGETLB),
		GUEST_FLAG(MAP_SYNC),
		GUEST_FLAG(MAP_FIXED_NOREPLACE),
	};

	put_flags(text, flags, names, ARRAY_SIZE(names), "0");
}

static const struct flag_name at_names[] = {FLAG(AT_SYMLINK_NOFOLLOW), FLAG(AT_REMOVEDIR),
					    FLAG(AT_SYMLINK_FOLLOW), FLAG(AT_NO_AUTOMOUNT),
					    FLAG(AT_EMPTY_PATH)};

static const struct flag_name clone_names[] = {FLAG(CLONE_VM),
					       FLAG(CLONE_FS),
					       FLAG(CLONE_FILES),
					       FLAG(CLONE_SIGHAND),
					       FLAG(CLONE_PIDFD),
					       FLAG(CLONE_PTRACE),
					       FLAG(CLONE_VFORK),
					       FLAG(CLONE_PARENT),
					       FLAG(CLONE_THREAD),
					       FLAG(CLONE_NEWNS),
					       FLAG(CLONE_SYSVSEM),
					       FLAG(CLONE_SETTLS),
					       FLAG(CLONE_PARENT_SETTID),
					       FLAG(CLONE_CHILD_CLEARTID),
					       FLAG(CLONE_CHILD_SETTID)};

static const struct flag_name clock_names[] = {
	FLAG(CLOCK_REALTIME),	       FLAG(CLOCK_MONOTONIC),	  FLAG(CLOCK_PROCESS_CPUTIME_ID),
	FLAG(CLOCK_THREAD_CPUTIME_ID), FLAG(CLOCK_MONOTONIC_RAW), FLAG(CLOCK_REALTIME_COARSE),
	FLAG(CLOCK_MONOTONIC_COARSE),  FLAG(CLOCK_BOOTTIME)};

static const struct flag_name fcntl_names[] = {
	FLAG(F_DUPFD),	    FLAG(F_GETFD),	FLAG(F_SETFD),	   FLAG(F_GETFL),
	FLAG(F_SETFL),	    FLAG(F_GETLK),	FLAG(F_SETLK),	   FLAG(F_SETLKW),
	FLAG(F_SETOWN),	    FLAG(F_GETOWN),	FLAG(F_SETSIG),	   FLAG(F_GETSIG),
	FLAG(F_SETOWN_EX),  FLAG(F_GETOWN_EX),	FLAG(F_OFD_GETLK), FLAG(F_OFD_SETLK),
	FLAG(F_OFD_SETLKW), FLAG(F_SETLEASE),	FLAG(F_GETLEASE),  FLAG(F_DUPFD_CLOEXEC),
	FLAG(F_SETPIPE_SZ), FLAG(F_GETPIPE_SZ), FLAG(F_ADD_SEALS), FLAG(F_GET_SEALS)};

static const struct flag_name family_names[] = {FLAG(AF_UNIX), FLAG(AF_INET), FLAG(AF_INET6),
						FLAG(AF_NETLINK), FLAG(AF_PACKET)};

static const struct flag_name whence_names[] = {FLAG(SEEK_SET), FLAG(SEEK_CUR), FLAG(SEEK_END),
						FLAG(SEEK_DATA), FLAG(SEEK_HOLE)};

static const struct flag_name mask_names[] = {FLAG(SIG_BLOCK), FLAG(SIG_UNBLOCK),
					      FLAG(SIG_SETMASK)};

static const struct flag_name limit_names[] = {
	{RLIMIT_CPU, "RLIMIT_CPU"},	    {RLIMIT_FSIZE, "RLIMIT_FSIZE"},
	{RLIMIT_DATA, "RLIMIT_DATA"},	    {RLIMIT_STACK, "RLIMIT_STACK"},
	{RLIMIT_CORE, "RLIMIT_CORE"},	    {RLIMIT_RSS, "RLIMIT_RSS"},
	{RLIMIT_NPROC, "RLIMIT_NPROC"},	    {RLIMIT_NOFILE, "RLIMIT_NOFILE"},
	{RLIMIT_MEMLOCK, "RLIMIT_MEMLOCK"}, {RLIMIT_AS, "RLIMIT_AS"}};

/* Numbers of powerpc. */
static const struct flag_name ioctl_names[] = {
	{0x402c7413, "TCGETS"},	    {0x802c7414, "TCSETS"},	{0x802c7415, "TCSETSW"},
	{0x802c7416, "TCSETSF"},    {0x2000741d, "TCSBRK"},	{0x2000741f, "TCFLSH"},
	{0x40087468, "TIOCGWINSZ"}, {0x80087467, "TIOCSWINSZ"}, {0x40047477, "TIOCGPGRP"},
	{0x80047476, "TIOCSPGRP"},  {0x540e, "TIOCSCTTY"},	{0x5422, "TIOCNOTTY"},
	{0x4004667f, "FIONREAD"},   {0x8004667e, "FIONBIO"},	{0x20006601, "FIOCLEX"},
	{0x20006602, "FIONCLEX"}};

static const struct flag_name futex_names[] = {FLAG(FUTEX_WAIT),
					       FLAG(FUTEX_WAKE),
					       FLAG(FUTEX_REQUEUE),
					       FLAG(FUTEX_CMP_REQUEUE),
					       FLAG(FUTEX_WAKE_OP),
					       FLAG(FUTEX_LOCK_PI),
					       FLAG(FUTEX_UNLOCK_PI),
					       FLAG(FUTEX_TRYLOCK_PI),
					       FLAG(FUTEX_WAIT_BITSET),
					       FLAG(FUTEX_WAKE_BITSET),
					       FLAG(FUTEX_WAIT_REQUEUE_PI),
					       FLAG(FUTEX_CMP_REQUEUE_PI)};

static void put_ioctl(struct text *text, u32 request)
{
	for (size_t i = 0; i < ARRAY_SIZE(ioctl_names); i++) {
		if (ioctl_names[i].value == request) {
			put(text, "%s", ioctl_names[i].name);
			return;
		}
	}
	put(text, "0x%x", request);
}

static void put_futex(struct text *text, u32 operation)
{
	put_name(text, operation & FUTEX_CMD_MASK, futex_names, ARRAY_SIZE(futex_names));
	if (operation & FUTEX_PRIVATE_FLAG)
		put(text, "|FUTEX_PRIVATE_FLAG");
	if (operation & FUTEX_CLOCK_REALTIME)
		put(text, "|FUTEX_CLOCK_REALTIME");
}

static void put_access_mode(struct text *text, u32 mode)
{
	static const struct flag_name names[] = {FLAG(R_OK), FLAG(W_OK), FLAG(X_OK)};

	put_flags(text, mode, names, ARRAY_SIZE(names), "F_OK");
}

static void put_signal(struct text *text, int signo)
{
	const char *name = signo > 0 && signo < SIGRTMIN ? sigabbrev_np(signo) : NULL;

	if (name)
		put(text, "SIG%s", name);
	else if (signo >= 32 && signo <= 64)
		put(text, "SIGRT_%d", signo - 32);
	else
		put(text, "%d", signo);
}

static void put_quoted(struct text *text, const char *s, size_t n)
{
	put(text, "\"");
	for (size_t i = 0; i < n; i++) {
		static const char escapes[] = "\n\t\r\v\f\"\\";
		static const char letters[] = "ntrvf\"\\";
		const char *escape = s[i] ? strchr(escapes, s[i]) : NULL;
		bool digit_follows = i + 1 < n && isdigit((unsigned char)s[i + 1]);

		if (escape)
			put(text, "\\%c", letters[escape - escapes]);
		else if (s[i] >= ' ' && s[i] < 127)
			put(text, "%c", s[i]);
		else
			put(text, digit_follows ? "\\%03o" : "\\%o", (unsigned char)s[i]);
	}
	put(text, "\"");
}

static void put_pointer(struct text *text, u64 value)
{
	if (value)
		put(text, "0x%" PRIx64, value);
	else
		put(text, "NULL");
}

static void put_string(struct task *task, struct text *text, u64 address, size_t limit)
{
	char s[256];
	s64 n;

	limit = MIN(limit, sizeof(s) - 1);
	n = address ? strncpy_from_user(task, s, address, limit + 1) : -EFAULT;
	if (n == -ENAMETOOLONG) {
		put_quoted(text, s, limit);
		put(text, "...");
	} else if (n >= 0) {
		put_quoted(text, s, (size_t)n);
	} else {
		put_pointer(text, address);
	}
}

static void put_bytes(struct task *task, struct text *text, u64 address, u64 length)
{
	char s[STRING_MAX];
	size_t n = MIN(length, sizeof(s));

	if (!address || copy_from_user(task, s, address, n)) {
		put_pointer(text, address);
		return;
	}
	put_quoted(text, s, n);
	if (length > n)
		put(text, "...");
}

static void put_vector(struct task *task, struct text *text, u64 address)
{
	u64 string;

	if (!address) {
		put(text, "NULL");
		return;
	}
	put(text, "[");
	for (int i = 0; i < VECTOR_MAX; i++) {
		if (get_user(task, &string, address + 8 * (u64)i) || !string) {
			put(text, "]");
			return;
		}
		if (i)
			put(text, ", ");
		put_string(task, text, string, STRING_MAX);
	}
	put(text, ", ...]");
}

static void put_vector_length(struct task *task, struct text *text, u64 address)
{
	u64 string;
	int n = 0;

	put_pointer(text, address);
	while (address && n < 100000 && !get_user(task, &string, address + 8 * (u64)n) && string)
		n++;
	if (address)
		put(text, " /* %d vars */", n);
}

static void put_timespec(struct task *task, struct text *text, u64 address)
{
	struct timespec time;

	if (!address || get_user(task, &time, address))
		put_pointer(text, address);
	else
		put(text, "{tv_sec=%ld, tv_nsec=%ld}", time.tv_sec, time.tv_nsec);
}

static void put_socket_address(struct task *task, struct text *text, u64 address, u64 length)
{
	union {
		struct sockaddr any;
		struct sockaddr_un un;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} a = {0};
	char host[INET6_ADDRSTRLEN];

	if (!address || length < sizeof(a.any.sa_family) ||
	    copy_from_user(task, &a, address, MIN((u32)length, sizeof(a) - 1))) {
		put_pointer(text, address);
		return;
	}
	put(text, "{sa_family=");
	put_name(text, a.any.sa_family, family_names, ARRAY_SIZE(family_names));
	switch (a.any.sa_family) {
	case AF_UNIX:
		put(text, ", sun_path=");
		if (a.un.sun_path[0] || length <= sizeof(a.any.sa_family) + 1)
			put_quoted(text, a.un.sun_path, strlen(a.un.sun_path));
		else
			put(text, "@\"%s\"", a.un.sun_path + 1);
		break;
	case AF_INET:
		inet_ntop(AF_INET, &a.in.sin_addr, host, sizeof(host));
		put(text, ", sin_port=htons(%d), sin_addr=inet_addr(\"%s\")", ntohs(a.in.sin_port),
		    host);
		break;
	case AF_INET6:
		inet_ntop(AF_INET6, &a.in6.sin6_addr, host, sizeof(host));
		put(text, ", sin6_port=htons(%d), inet_pton(AF_INET6, \"%s\")",
		    ntohs(a.in6.sin6_port), host);
		break;
	default:
		break;
	}
	put(text, "}");
}

/* An argument that is known before the call. */
static void put_argument(struct task *task, struct text *text, char kind, const u64 *value,
			 const u64 *next)
{
	switch (kind) {
	case 'd':
		put(text, "%d", (int)*value);
		break;
	case 'u':
		put(text, "%" PRIu64, *value);
		break;
	case 'l':
		put(text, "%" PRId64, (s64)*value);
		break;
	case 'x':
		put(text, *value ? "0x%" PRIx64 : "%" PRIx64, *value);
		break;
	case 'm':
		put(text, (u32)*value ? "0%o" : "%o", (u32)*value);
		break;
	case 's':
		put_string(task, text, *value, STRING_MAX);
		break;
	case 'f':
		put_string(task, text, *value, 255);
		break;
	case 'a':
		if ((int)*value == AT_FDCWD)
			put(text, "AT_FDCWD");
		else
			put(text, "%d", (int)*value);
		break;
	case 'v':
		put_vector(task, text, *value);
		break;
	case 'V':
		put_vector_length(task, text, *value);
		break;
	case 'O':
		put_open_flags(text, (u32)*value);
		break;
	case 'P':
		put_flags(text, *value, prot_names, ARRAY_SIZE(prot_names), "PROT_NONE");
		break;
	case 'M':
		put_map_flags(text, *value);
		break;
	case 'A':
		put_flags(text, (u32)*value, at_names, ARRAY_SIZE(at_names), "0");
		break;
	case 'L':
		put_flags(text, *value & ~0xffull, clone_names, ARRAY_SIZE(clone_names), "0");
		if (*value & 0xff) {
			put(text, "|");
			put_signal(text, (int)(*value & 0xff));
		}
		break;
	case 'K':
		put_name(text, (int)*value, clock_names, ARRAY_SIZE(clock_names));
		break;
	case 'F':
		put_name(text, (int)*value, family_names, ARRAY_SIZE(family_names));
		break;
	case 'w':
		put_name(text, (int)*value, whence_names, ARRAY_SIZE(whence_names));
		break;
	case 'h':
		put_name(text, (int)*value, mask_names, ARRAY_SIZE(mask_names));
		break;
	case 'E':
		put_name(text, (int)*value, limit_names, ARRAY_SIZE(limit_names));
		break;
	case 'I':
		put_ioctl(text, (u32)*value);
		break;
	case 'U':
		put_futex(text, (u32)*value);
		break;
	case 'r':
		put_access_mode(text, (u32)*value);
		break;
	case 'S':
		put_signal(text, (int)*value);
		break;
	case 'C':
		put_name(text, (int)*value, fcntl_names, ARRAY_SIZE(fcntl_names));
		break;
	case 't':
		put_timespec(task, text, *value);
		break;
	case 'n':
		put_socket_address(task, text, *value, *next);
		break;
	case 'B':
		put_bytes(task, text, *value, *next);
		break;
	default:
		put_pointer(text, *value);
		break;
	}
}

/* For a call whose row says nothing. */
#define UNKNOWN_ARGUMENTS "xxxxxx"

static const char *specification(const struct syscall *call)
{
	return call && call->arguments ? call->arguments : UNKNOWN_ARGUMENTS;
}

static void flush(const struct text *line)
{
	ssize_t n = write(log_fd(), line->s, line->n);

	(void)n; /* nobody to tell */
}

static int first_pid;

int strace_first(void)
{
	return __atomic_load_n(&first_pid, __ATOMIC_RELAXED);
}

void strace_set_first(int pid)
{
	__atomic_store_n(&first_pid, pid, __ATOMIC_RELAXED);
}

static void put_call(struct text *line, const struct syscall *call, u64 number)
{
	int tid = gettid(), first = 0;

	/* Number of the task, once there are several. */
	if (!__atomic_compare_exchange_n(&first_pid, &first, tid, false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED) &&
	    first != tid)
		put(line, "[pid %5d] ", tid);
	if (call && call->name)
		put(line, "%s(", call->name);
	else
		put(line, "syscall_%" PRIu64 "(", number);
}

static bool never_returns(const struct syscall *call)
{
	return call && call->name &&
	       (!strcmp(call->name, "exit") || !strcmp(call->name, "exit_group") ||
		!strcmp(call->name, "rt_sigreturn"));
}

void strace_enter(struct task *task, const struct syscall *call, u64 number, const u64 args[6])
{
	const char *spec = specification(call);
	struct text line = {.n = 0};

	for (int i = 0; i < 6 && spec[i] && spec[i] != ':'; i++) {
		arguments[i].n = 0;
		arguments[i].s[0] = 0;
		if (spec[i] != 'R')
			put_argument(task, &arguments[i], spec[i], &args[i],
				     &args[i < 5 ? i + 1 : i]);
	}
	if (never_returns(call)) {
		put_call(&line, call, number);
		put(&line, "%s)", *spec ? arguments[0].s : "");
		put(&line, "%*s = ?\n", MAX(RESULT_COLUMN - 1 - (int)line.n, 0), "");
		flush(&line);
	}
}

static const char *restart_name(s64 result)
{
	switch (result) {
	case -ERESTARTSYS:
		return "ERESTARTSYS (To be restarted if SA_RESTART is set)";
	case -ERESTARTNOINTR:
		return "ERESTARTNOINTR (To be restarted)";
	case -ERESTARTNOHAND:
		return "ERESTARTNOHAND (To be restarted if no handler)";
	case -ERESTART_RESTARTBLOCK:
		return "ERESTART_RESTARTBLOCK (Interrupted by signal)";
	default:
		return NULL;
	}
}

static void put_result(struct text *line, const char *spec, s64 result)
{
	const char *kind = strchr(spec, ':');
	const char *restart = restart_name(result);

	if (restart) {
		put(line, "? %s", restart);
	} else if (result < 0 && result >= -4095) {
		const char *name = strerrorname_np((int)-result);

		put(line, "-1 %s (%s)", name ? name : "?", strerror((int)-result));
	} else if (kind && kind[1] == 'p') {
		put(line, "0x%" PRIx64, (u64)result);
	} else if (kind && kind[1] == 'm') {
		put(line, "0%" PRIo64, (u64)result);
	} else {
		put(line, "%" PRId64, result);
	}
}

/* Only then has open a third argument. */
static bool makes_file(u64 flags)
{
	return flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY));
}

void strace_exit(struct task *task, const struct syscall *call, const u64 args[6], s64 result)
{
	const char *spec = specification(call);
	struct text line = {.n = 0};

	if (never_returns(call))
		return;
	put_call(&line, call, task->cpu->gpr[0]);
	for (int i = 0; i < 6 && spec[i] && spec[i] != ':'; i++) {
		if (spec[i] == 'm' && i && spec[i - 1] == 'O' && !makes_file(args[i - 1]))
			break;
		if (spec[i] == 'R') {
			arguments[i].n = 0;
			if (result < 0)
				put_pointer(&arguments[i], args[i]);
			else
				put_bytes(task, &arguments[i], args[i], (u64)result);
		}
		put(&line, "%s%s", i ? ", " : "", arguments[i].s);
	}
	put(&line, ")");
	put(&line, "%*s = ", MAX(RESULT_COLUMN - 1 - (int)line.n, 0), "");
	put_result(&line, spec, result);
	/* A line that was too long still ends. */
	line.n = MIN(line.n, sizeof(line.s) - 2);
	line.s[line.n++] = '\n';
	flush(&line);
}

void strace_signal(struct task *task, const union guest_siginfo *info)
{
	struct text line = {.n = 0};

	put(&line, "--- ");
	put_signal(&line, info->signo);
	put(&line, " {si_signo=");
	put_signal(&line, info->signo);
	put(&line, ", si_code=%d", info->code);
	if (info->code > 0 &&
	    (info->signo == SIGSEGV || info->signo == SIGBUS || info->signo == SIGILL ||
	     info->signo == SIGFPE || info->signo == SIGTRAP))
		put(&line, ", si_addr=0x%" PRIx64, info->fields[0]);
	else if (info->code <= 0)
		put(&line, ", si_pid=%d, si_uid=%d", info->host.si_pid, info->host.si_uid);
	put(&line, "} ---\n");
	flush(&line);
}
