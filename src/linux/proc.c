// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "linux/proc.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "linux/mm.h"
#include "linux/path.h"
#include "linux/proc_task.h"
#include "linux/sched.h"
#include "linux/syscall.h"
#include "linux/uaccess.h"

#define CLOCK_MHZ 3690

/* Text of the host's file of the same name. NULL if it cannot be had. The caller frees it. */
static char *host_text(const char *path)
{
	FILE *in = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	if (!in)
		return NULL;
	/* No zero byte occurs in these files, so this is all of it. */
	if (getdelim(&text, &size, 0, in) < 0) {
		free(text);
		text = NULL;
	}
	fclose(in);
	return text;
}

static int virtual_cpus(void)
{
	return (int)sched_n_cpus();
}

/* Copy from the guest's memory, where a program may have changed it. */
static void put_guest_memory(struct task *task, FILE *out, u64 start, u64 end)
{
	char chunk[512];

	while (start < end) {
		u64 n = MIN(end - start, sizeof(chunk));

		if (copy_from_user(task, chunk, start, n))
			return;
		fwrite(chunk, 1, n, out);
		start += n;
	}
}

static void put_auxv(struct task *task, FILE *out)
{
	put_guest_memory(task, out, task->process->auxv_start, task->process->auxv_end);
}

static void put_cmdline(struct task *task, FILE *out)
{
	put_guest_memory(task, out, task->process->arg_start, task->process->arg_end);
}

static void put_environ(struct task *task, FILE *out)
{
	put_guest_memory(task, out, task->process->env_start, task->process->env_end);
}

/*
 * Memory map. The host knows files, the guest's map knows protections: the host write-protects
 * code, and maps nothing executable.
 */
struct piece {
	u64 start, end;
	u32 prot, flags;
	u64 offset;
	char rest[32]; /* device and inode */
	const char *name;
};

struct range_list {
	struct mm_range *ranges;
	size_t count;
	bool failed;
};

static bool collect_range(const struct mm_range *range, void *context)
{
	struct range_list *list = context;
	struct mm_range *more = realloc(list->ranges, (list->count + 1) * sizeof(*more));

	if (!more) {
		list->failed = true;
		return false;
	}
	list->ranges = more;
	list->ranges[list->count++] = *range;
	return true;
}

static void put_piece(FILE *out, const struct piece *piece)
{
	int n = fprintf(out, "%08" PRIx64 "-%08" PRIx64 " %c%c%c%c %08" PRIx64 " %s", piece->start,
			piece->end, piece->prot & PROT_READ ? 'r' : '-',
			piece->prot & PROT_WRITE ? 'w' : '-', piece->prot & PROT_EXEC ? 'x' : '-',
			piece->flags & RANGE_SHARED ? 's' : 'p', piece->offset, piece->rest);

	if (*piece->name)
		fprintf(out, "%*s%s", MAX(73 - n, 1), "", piece->name);
	fputc('\n', out);
}

/* Do two pieces look like one mapping? The host has split some that the guest has not. */
static bool continues(const struct piece *a, const struct piece *b)
{
	return a->end == b->start && a->prot == b->prot && a->flags == b->flags &&
	       !strcmp(a->rest, b->rest) && !strcmp(a->name, b->name) &&
	       ((a->flags & RANGE_ANONYMOUS) || a->offset + (a->end - a->start) == b->offset);
}

static const char *range_name(const struct mm_range *range, const char *file)
{
	if (range->flags & RANGE_STACK)
		return "[stack]";
	if (range->flags & RANGE_HEAP)
		return "[heap]";
	if (range->flags & RANGE_VDSO)
		return "[vdso]";
	if (range->flags & RANGE_VVAR)
		return "[vvar]";
	return range->flags & RANGE_ANONYMOUS && !(range->flags & RANGE_SHARED) ? "" : file;
}

/* One line of the host's map against the guest's ranges. */
static void map_line(FILE *out, char *line, const struct range_list *list, struct piece *last,
		     char *last_name)
{
	u64 start, end, offset;
	char rest[32];
	char *file;
	int n = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*4s %" SCNx64 " %n", &start, &end, &offset, &n) <
	    3)
		return;
	file = line + n;
	file += strcspn(file, " ");
	file += strspn(file, " ");
	file += strcspn(file, " ");
	snprintf(rest, sizeof(rest), "%.*s", (int)(file - (line + n)), line + n);
	file += strspn(file, " ");
	if (*file == '/')
		path_to_guest(file);
	else
		file = "";
	for (size_t i = 0; i < list->count; i++) {
		const struct mm_range *range = &list->ranges[i];
		struct piece piece = {
			.start = MAX(start, range->start),
			.end = MIN(end, range->end),
			.prot = range->prot,
			.flags = range->flags,
			.name = range_name(range, file),
		};

		if (piece.start >= piece.end)
			continue;
		piece.offset = *piece.name == '/' ? offset + (piece.start - start) : 0;
		strcpy(piece.rest, *piece.name == '/' ? rest : "00:00 0");
		if (last->end && continues(last, &piece)) {
			last->end = piece.end;
			continue;
		}
		if (last->end)
			put_piece(out, last);
		*last = piece;
		snprintf(last_name, PATH_MAX + 16, "%s", piece.name);
		last->name = last_name;
	}
}

static void put_maps(struct task *task, FILE *out)
{
	char *text = host_text("/proc/self/maps"), *line, *save = NULL;
	char last_name[PATH_MAX + 16] = "";
	struct piece last = {.name = last_name};
	struct range_list list = {0};

	mm_for_each(task->process->mm, collect_range, &list);
	for (line = text ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save))
		map_line(out, line, &list, &last, last_name);
	if (last.end)
		put_piece(out, &last);
	free(list.ranges);
	free(text);
}

/* The host's figures for what lies in guest space. Protections are those of the host. */
static void put_smaps(struct task *task, FILE *out)
{
	char *text = host_text("/proc/self/smaps"), *line, *save = NULL;
	bool keep = false;

	for (line = text ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		u64 start, end;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64, &start, &end) == 2) {
			struct mm_range range;

			keep = start < GUEST_ADDRESS_LIMIT &&
			       mm_lookup(task->process->mm, start, &range);
		}
		if (keep)
			fprintf(out, "%s\n", line);
	}
	free(text);
}

/* Fields of /proc/self/stat, numbered from 1 as in proc(5), that name addresses. */
static bool stat_field(struct task *task, int number, u64 *value)
{
	const struct process *process = task->process;

	switch (number) {
	case 26: /* startcode */
	case 27: /* endcode */
	case 29: /* kstkesp */
	case 30: /* kstkeip */
	case 45: /* start_data */
	case 46: /* end_data */
		*value = 0;
		return true;
	case 28: /* startstack */
		*value = ROUND_DOWN(process->auxv_start, 16);
		return true;
	case 47: /* start_brk */
		*value = process->mm->brk_start;
		return true;
	case 48:
		*value = process->arg_start;
		return true;
	case 49:
		*value = process->arg_end;
		return true;
	case 50:
		*value = process->env_start;
		return true;
	case 51:
		*value = process->env_end;
		return true;
	default:
		return false;
	}
}

static void put_stat(struct task *task, FILE *out)
{
	char *text = host_text("/proc/self/stat"), *rest, *field, *save = NULL;
	int number = 3; /* pid and name, which may hold anything, come before */
	u64 value;

	rest = text ? strrchr(text, ')') : NULL;
	if (rest) {
		fprintf(out, "%.*s", (int)(rest + 1 - text), text);
		for (field = strtok_r(rest + 1, " \n", &save); field;
		     field = strtok_r(NULL, " \n", &save), number++) {
			if (stat_field(task, number, &value))
				fprintf(out, " %" PRIu64, value);
			else
				fprintf(out, " %s", field);
		}
		fputc('\n', out);
	}
	free(text);
}

/* As show_cpuinfo() of arch/powerpc/kernel/setup-common.c and a pSeries machine print it. */
static void put_cpuinfo(struct task *task, FILE *out)
{
	int n = virtual_cpus();

	for (int i = 0; i < n; i++)
		fprintf(out,
			"processor\t: %d\ncpu\t\t: POWER8 (raw), altivec supported\n"
			"clock\t\t: %d.000000MHz\nrevision\t: 2.0 (pvr 004d 0200)\n\n",
			i, CLOCK_MHZ);
	fprintf(out,
		"timebase\t: %llu\nplatform\t: pSeries\nmodel\t\t: powertm\n"
		"machine\t\t: CHRP powertm\nMMU\t\t: Hash\n",
		TIMEBASE_HZ);
}

static void put_version(struct task *task, FILE *out)
{
	fprintf(out, "Linux version %s (powertm) %s\n", GUEST_RELEASE, GUEST_VERSION);
}

static void put_release(struct task *task, FILE *out)
{
	fprintf(out, "%s\n", GUEST_RELEASE);
}

static void put_arch(struct task *task, FILE *out)
{
	fprintf(out, "ppc64le\n");
}

static void put_cpu_list(struct task *task, FILE *out)
{
	int n = virtual_cpus();

	if (n == 1)
		fprintf(out, "0\n");
	else
		fprintf(out, "0-%d\n", n - 1);
}

typedef void proc_writer(struct task *task, FILE *out);

struct proc_file {
	const char *name;
	proc_writer *write;
};

/* In the directory of the process, and by full path. */
static const struct proc_file self_files[] = {
	{"maps", put_maps},	  {"smaps", put_smaps},	    {"auxv", put_auxv},
	{"cmdline", put_cmdline}, {"environ", put_environ}, {"stat", put_stat},
};

static const struct proc_file global_files[] = {
	{"/proc/cpuinfo", put_cpuinfo},
	{"/proc/version", put_version},
	{"/proc/sys/kernel/osrelease", put_release},
	{"/proc/sys/kernel/arch", put_arch},
	{"/sys/devices/system/cpu/online", put_cpu_list},
	{"/sys/devices/system/cpu/possible", put_cpu_list},
	{"/sys/devices/system/cpu/present", put_cpu_list},
};

static proc_writer *find_file(const char *path)
{
	const char *self = path_proc_self(path);

	if (self)
		for (size_t i = 0; i < ARRAY_SIZE(self_files); i++)
			if (!strcmp(self, self_files[i].name))
				return self_files[i].write;
	for (size_t i = 0; i < ARRAY_SIZE(global_files); i++)
		if (!strcmp(path, global_files[i].name))
			return global_files[i].write;
	return NULL;
}

static s64 memory_file(const char *path, const char *text, size_t size, u32 flags)
{
	int fd = memfd_create(path, MFD_ALLOW_SEALING | (flags & O_CLOEXEC ? MFD_CLOEXEC : 0));

	if (fd < 0)
		return -errno;
	for (size_t done = 0; done < size;) {
		ssize_t n = write(fd, text + done, size - done);

		if (n < 0) {
			int error = errno;

			close(fd);
			return -error;
		}
		done += (size_t)n;
	}
	lseek(fd, 0, SEEK_SET);
	fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK);
	return fd;
}

s64 proc_open(struct task *task, const char *path, u32 flags)
{
	proc_writer *write_file;
	char *text = NULL;
	size_t size = 0;
	FILE *out;
	s64 fd;

	if (strncmp(path, "/proc/", 6) && strncmp(path, "/sys/", 5))
		return -ENOENT;
	fd = proc_task_open(task, path, flags);
	if (fd != -ENOENT)
		return fd;
	write_file = find_file(path);
	if (!write_file || (flags & O_PATH))
		return -ENOENT;
	if ((flags & O_ACCMODE) != O_RDONLY)
		return -EACCES;
	if (flags & O_DIRECTORY)
		return -ENOTDIR;
	out = open_memstream(&text, &size);
	if (!out)
		return -ENOMEM;
	write_file(task, out);
	fclose(out);
	fd = memory_file(path, text, size, flags);
	free(text);
	return fd;
}

void proc_publish(const struct process *process)
{
	char *text = host_text("/proc/self/stat"), *rest = text ? strrchr(text, ')') : NULL;
	u64 fields[52] = {0};
	struct prctl_mm_map map;
	char *field, *save = NULL;

	if (rest)
		for (int i = 3; i < 52 && (field = strtok_r(i == 3 ? rest + 1 : NULL, " ", &save));
		     i++)
			fields[i] = strtoull(field, NULL, 10);
	free(text);
	if (!fields[51])
		return;
	/* All as it is, except for the strings. Numbers of the fields as in proc(5). */
	map = (struct prctl_mm_map){
		.start_code = fields[26],
		.end_code = fields[27],
		.start_data = fields[45],
		.end_data = fields[46],
		.start_brk = fields[47],
		.brk = (u64)(uintptr_t)sbrk(0),
		.start_stack = fields[28],
		.arg_start = process->arg_start,
		.arg_end = process->arg_end,
		.env_start = process->env_start,
		.env_end = process->env_end,
		.exe_fd = (u32)-1,
	};
	prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof(map), 0);
}
