// SPDX-License-Identifier: MIT
/* What a process finds of itself in /proc. */
#define _GNU_SOURCE
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

static char buffer[1 << 20];

static ssize_t slurp(const char *name)
{
	int fd = open(name, O_RDONLY);
	ssize_t n = 0, more;

	CHECK(fd >= 0);
	while (fd >= 0 && (more = read(fd, buffer + n, sizeof(buffer) - 1 - (size_t)n)) > 0)
		n += more;
	close(fd);
	buffer[n] = 0;
	return n;
}

/* The line of the map that holds an address. */
static const char *line_of(const void *address)
{
	static char line[512];
	char *p = buffer, *end;

	for (; *p; p = end + 1) {
		unsigned long from, to;

		end = strchr(p, '\n');
		if (!end || sscanf(p, "%lx-%lx", &from, &to) != 2)
			break;
		if ((unsigned long)address < from || (unsigned long)address >= to)
			continue;
		snprintf(line, sizeof(line), "%.*s", (int)(end - p), p);
		return line;
	}
	return NULL;
}

static void show_mapping(const char *what, const void *address)
{
	const char *line = line_of(address), *name;

	if (!line) {
		printf("%s: not mapped\n", what);
		return;
	}
	name = strrchr(line, ' ') + 1;
	printf("%s: %.4s %s\n", what, strchr(line, ' ') + 1,
	       *name == '/'   ? strrchr(name, '/') + 1
	       : *name == '[' ? name
			      : "");
}

int main(int argc, char **argv);

static void maps(void)
{
	char *page = mmap(NULL, 12288, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open("file-to-map", O_CREAT | O_RDWR, 0600);
	char *file;

	CHECK(!ftruncate(fd, 16384));
	file = mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, 8192);
	MUST(mprotect(page + 4096, 4096, PROT_READ | PROT_EXEC));
	CHECK(slurp("/proc/self/maps") > 0);
	show_mapping("stack", &page);
	show_mapping("anonymous", page);
	show_mapping("executable", page + 4096);
	show_mapping("anonymous", page + 8192);
	show_mapping("file", file);
	CHECK(line_of(file) && strstr(line_of(file), " 00002000 "));
	CHECK(line_of((void *)main) && strstr(line_of((void *)main), "r-xp"));
	show_mapping("nothing", (void *)16);
	MUST(munmap(page, 12288));
	CHECK(slurp("/proc/thread-self/maps") > 0);
	show_mapping("gone", page);
}

static void vectors(char **argv)
{
	const Elf64_auxv_t *aux = (void *)buffer;
	unsigned long page_size = 0, entry = 0;
	char path[64];

	CHECK(slurp("/proc/self/auxv") >= 64);
	for (; aux->a_type; aux++) {
		if (aux->a_type == AT_PAGESZ)
			page_size = aux->a_un.a_val;
		if (aux->a_type == AT_ENTRY)
			entry = aux->a_un.a_val;
	}
	CHECK(page_size == 4096 && entry == getauxval(AT_ENTRY));
	snprintf(path, sizeof(path), "/proc/%d/cmdline", getpid());
	CHECK(slurp(path) == (ssize_t)strlen(argv[0]) + 1 && !strcmp(buffer, argv[0]));
	CHECK(slurp("/proc/self/environ") > 0 && strchr(buffer, '='));
	CHECK(slurp("/proc/self/stat") > 0 && atoi(buffer) == getpid() && strchr(buffer, ')'));
	CHECK(slurp("/proc/self/status") > 0 && strstr(buffer, "Threads:"));
}

static void links(void)
{
	char target[512], other[512];
	struct stat a, b;
	ssize_t n = readlink("/proc/self/exe", target, sizeof(target) - 1);
	int fd, dir;

	CHECK(n > 0);
	target[n] = 0;
	CHECK(target[0] == '/' && !stat(target, &a) && !stat("/proc/self/exe", &b));
	CHECK(a.st_ino == b.st_ino && a.st_dev == b.st_dev);
	fd = open("/proc/self/exe", O_RDONLY);
	CHECK(read(fd, other, 4) == 4 && !memcmp(other, ELFMAG, 4));
	close(fd);
	dir = open("/proc/self", O_RDONLY | O_DIRECTORY);
	n = readlinkat(dir, "exe", other, sizeof(other));
	CHECK(n == (ssize_t)strlen(target) && !memcmp(other, target, (size_t)n));
	fd = openat(dir, "maps", O_RDONLY);
	CHECK(read(fd, buffer, sizeof(buffer)) > 0);
	close(fd);
	close(dir);
	CHECK(getcwd(other, sizeof(other)));
	n = readlink("/proc/self/cwd", target, sizeof(target));
	CHECK(n == (ssize_t)strlen(other) && !memcmp(other, target, (size_t)n));
	fd = open("file-to-map", O_RDONLY);
	snprintf(other, sizeof(other), "/proc/self/fd/%d", fd);
	n = readlink(other, target, sizeof(target) - 1);
	target[n] = 0;
	printf("%s\n", strrchr(target, '/') + 1);
	close(fd);
}

/* Every open descriptor is listed, and no other. */
static void descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	int listed = 0, open_ones = 0;

	CHECK(dir);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.') {
			CHECK(fcntl(atoi(entry->d_name), F_GETFD) != -1);
			listed++;
		}
	for (int fd = 0; fd < 65536; fd++)
		open_ones += fcntl(fd, F_GETFD) != -1;
	CHECK(listed == open_ones);
	closedir(dir);
}

int main(int argc, char **argv)
{
	fresh_directory();
	maps();
	vectors(argv);
	links();
	descriptors();
	return 0;
}
