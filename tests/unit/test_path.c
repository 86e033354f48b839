// SPDX-License-Identifier: MIT
/*
 * Paths through a sysroot: the rules of linux/path.h, each on real directories.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "linux/path.h"

static char top[PATH_MAX - 512]; /* holds the sysroot "root" and a host directory "host" */
static char root[PATH_MAX - 256];

static void file(const char *name)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", top, name);
	fd = open(path, O_CREAT | O_WRONLY, 0644);
	assert_true(fd >= 0);
	close(fd);
}

static void directory(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	assert_int_equal(mkdir(path, 0755), 0);
}

static void symbolic(const char *target, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	assert_int_equal(symlink(target, path), 0);
}

static int make_tree(void **state)
{
	const char *where = getenv("TMPDIR") ?: "/tmp";

	/* Not below a directory that is the host's by rule, so that the tree can be named. */
	snprintf(top, sizeof(top), "%s/powertm-path-XXXXXX", where);
	if (!mkdtemp(top))
		return -1;
	snprintf(root, sizeof(root), "%s/root", top);
	directory("root");
	directory("host");
	directory("root/usr");
	directory("root/usr/lib");
	directory("root/etc");
	directory("root/tmp");
	directory("root/proc");
	directory("root/var");
	file("root/usr/lib/libc.so.6");
	file("root/etc/only-here");
	file("root/etc/passwd");
	symbolic("usr/lib", "root/lib");
	symbolic("/usr/lib", "root/lib64");
	symbolic("/lib64/libc.so.6", "root/usr/lib/absolute");
	symbolic("../../../../../usr/lib/libc.so.6", "root/usr/lib/climber");
	symbolic("loop-b", "root/loop-a");
	symbolic("loop-a", "root/loop-b");
	symbolic("/usr/lib/nowhere", "root/dangling");
	symbolic("/tmp", "root/var/tmp-link");
	symbolic("../proc/self/mounts", "root/etc/mtab");
	file("host/data");
	return path_set_sysroot(root);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

static int remove_tree(void **state)
{
	assert_int_equal(chdir("/"), 0);
	return nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void expect_at(int dirfd, const char *path, unsigned int flags, const char *expected)
{
	struct host_path out;

	assert_int_equal(path_resolve(NULL, dirfd, path, flags, &out), 0);
	assert_string_equal(out.path, expected);
}

static void expect_host(const char *path, unsigned int flags, const char *expected)
{
	expect_at(AT_FDCWD, path, flags, expected);
}

/* Expect a name inside the sysroot. */
static void expect(const char *path, unsigned int flags, const char *name)
{
	char expected[PATH_MAX];

	snprintf(expected, sizeof(expected), "%s/%s", root, name);
	expect_host(path, flags, expected);
}

static void test_plain(void **state)
{
	expect("/usr/lib/libc.so.6", 0, "usr/lib/libc.so.6");
	expect("//usr/./lib//libc.so.6", 0, "usr/lib/libc.so.6");
	expect("/usr/lib/../../etc/passwd", 0, "etc/passwd");
	expect("/../../etc/passwd", 0, "etc/passwd");
	expect("/", 0, "");
	expect("/..", 0, "");
}

static void test_links(void **state)
{
	expect("/lib/libc.so.6", 0, "usr/lib/libc.so.6");
	expect("/lib64/libc.so.6", 0, "usr/lib/libc.so.6");
	expect("/lib64/absolute", 0, "usr/lib/libc.so.6");
	expect("/usr/lib/climber", 0, "usr/lib/libc.so.6");
}

static void test_nofollow(void **state)
{
	expect("/lib64", PATH_NOFOLLOW, "lib64");
	expect("/lib64/", PATH_NOFOLLOW, "usr/lib/");
	expect("/lib64/absolute", PATH_NOFOLLOW, "usr/lib/absolute");
	expect("/dangling", PATH_NOFOLLOW, "dangling");
}

static void test_loop(void **state)
{
	struct host_path out;

	assert_int_equal(path_resolve(NULL, AT_FDCWD, "/loop-a", 0, &out), -ELOOP);
	assert_int_equal(path_resolve(NULL, AT_FDCWD, "/loop-a/x", PATH_NOFOLLOW, &out), -ELOOP);
	expect("/loop-a", PATH_NOFOLLOW, "loop-a");
}

static void test_host_fallback(void **state)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/host/data", top);
	expect_host(path, 0, path);
	expect_host("/etc/powertm-no-such-file", 0, "/etc/powertm-no-such-file");
	expect_host("/etc/passwd/x", 0, "/etc/passwd/x");
	expect_host("/no/such/directory/x", PATH_CREATE, "/no/such/directory/x");
}

static void test_create(void **state)
{
	char path[PATH_MAX];

	expect("/etc/new", PATH_CREATE, "etc/new");
	expect("/lib64/new/", PATH_CREATE, "usr/lib/new/");
	expect("/dangling", PATH_CREATE, "usr/lib/nowhere");
	expect("/etc/only-here", PATH_CREATE, "etc/only-here");
	expect_host("/tmp/new", PATH_CREATE, "/tmp/new");
	expect_host("/var/tmp-link/new", PATH_CREATE, "/tmp/new");
	snprintf(path, sizeof(path), "%s/host/new", top);
	expect_host(path, PATH_CREATE, path);
}

/* What the sysroot has of the system is its own. */
static void test_sysroot_only(void **state)
{
	expect("/usr/no-such-file", 0, "usr/no-such-file");
	expect("/usr/bin/env", 0, "usr/bin/env");
	expect("/lib64/none/x/", 0, "usr/lib/none/x/");
	expect("/usr/none/new", PATH_CREATE, "usr/none/new");
	expect("/usr/lib/libc.so.6/x", 0, "usr/lib/libc.so.6/x");
	expect_host("/bin/sh", 0, "/bin/sh"); /* this sysroot has no /bin */
	expect_host("/usr/local/none", 0, "/usr/local/none");
}

static void test_host_directories(void **state)
{
	file("root/tmp/powertm-only-in-sysroot");
	expect_host("/proc/self/status", 0, "/proc/self/status");
	expect_host("/etc/mtab", 0, "/proc/self/mounts");
	expect_host("/dev/null", 0, "/dev/null");
	expect_host("/tmp", 0, "/tmp");
	expect_host("/tmp/", 0, "/tmp/");
	expect("/tmp/powertm-only-in-sysroot", 0, "tmp/powertm-only-in-sysroot");
	/* Text that leads out again is not the host's. */
	expect("/tmp/../etc/only-here", 0, "etc/only-here");
	expect("/proc/../etc/only-here", 0, "etc/only-here");
}

static void test_relative(void **state)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/usr/lib", root);
	assert_int_equal(chdir(path), 0);
	expect("absolute", 0, "usr/lib/libc.so.6");
	expect("../../../../etc/passwd", 0, "etc/passwd");
	expect("new", PATH_CREATE, "usr/lib/new");
	fd = open(root, O_PATH);
	assert_int_equal(chdir(top), 0);
	snprintf(path, sizeof(path), "%s/usr/lib/libc.so.6", root);
	expect_at(fd, "lib64/libc.so.6", 0, path);
	close(fd);
	/* Started on the host it stays there. */
	expect_host("host/data", 0, "host/data");
}

/* The host's names for what is in the sysroot. */
static void test_through_the_host(void **state)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/usr/lib/absolute", root);
	expect(path, 0, "usr/lib/libc.so.6");
	snprintf(path, sizeof(path), "%s//./root/lib64/new", top);
	expect(path, PATH_CREATE, "usr/lib/new");
	expect(root, 0, "");
	assert_int_equal(chdir(top), 0);
	expect("root/usr/lib/absolute", 0, "usr/lib/libc.so.6");
	expect("./root/lib64/absolute", PATH_NOFOLLOW, "usr/lib/absolute");
	/* Leads out again, or only looks like it. */
	expect_host("root/../host/data", 0, "root/../host/data");
	expect_host("rooty/usr", 0, "rooty/usr");
}

static void test_to_guest(void **state)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/usr/lib", root);
	assert_true(path_in_sysroot(path));
	path_to_guest(path);
	assert_string_equal(path, "/usr/lib");
	strcpy(path, root);
	path_to_guest(path);
	assert_string_equal(path, "/");
	snprintf(path, sizeof(path), "%s-not/usr", root);
	path_to_guest(path);
	assert_true(strlen(path) > 8);
}

static void test_too_long(void **state)
{
	char path[2 * PATH_MAX];
	struct host_path out;

	memset(path, 'a', sizeof(path));
	path[0] = '/';
	path[sizeof(path) - 1] = 0;
	assert_int_equal(path_resolve(NULL, AT_FDCWD, path, 0, &out), -ENAMETOOLONG);
	/* Just short enough by itself, too long behind the sysroot: an error or the host's name. */
	path[PATH_MAX - 1] = 0;
	path_resolve(NULL, AT_FDCWD, path, 0, &out);
	memset(path, '/', PATH_MAX - 1);
	assert_int_equal(path_resolve(NULL, AT_FDCWD, path, 0, &out), 0);
	for (int i = 0; i + 3 < PATH_MAX; i += 3)
		memcpy(path + i, "/..", 3);
	path[PATH_MAX - 1] = 0;
	assert_int_equal(path_resolve(NULL, AT_FDCWD, path, 0, &out), 0);
}

static void test_proc_self(void **state)
{
	char path[64];

	assert_string_equal(path_proc_self("/proc/self/exe"), "exe");
	assert_string_equal(path_proc_self("/proc/thread-self/maps"), "maps");
	snprintf(path, sizeof(path), "/proc/%d/stat", getpid());
	assert_string_equal(path_proc_self(path), "stat");
	snprintf(path, sizeof(path), "/proc/self/task/%d/comm", getpid());
	assert_string_equal(path_proc_self(path), "comm");
	assert_null(path_proc_self("/proc/1/exe"));
	assert_null(path_proc_self("/proc/cpuinfo"));
	assert_null(path_proc_self("/usr/proc/self/exe"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_links),
		cmocka_unit_test(test_nofollow),
		cmocka_unit_test(test_loop),
		cmocka_unit_test(test_host_fallback),
		cmocka_unit_test(test_create),
		cmocka_unit_test(test_host_directories),
		cmocka_unit_test(test_relative),
		cmocka_unit_test(test_through_the_host),
		cmocka_unit_test(test_to_guest),
		cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_proc_self),
		cmocka_unit_test(test_sysroot_only),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
