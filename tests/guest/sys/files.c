// SPDX-License-Identifier: MIT
/* Files: opening, moving data, attributes, locks. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

#include "check.h"

static void show_flags(int fd)
{
	int flags = (int)MUST(fcntl(fd, F_GETFL));

	printf("flags: access %d%s%s%s%s%s%s%s%s\n", flags & O_ACCMODE,
	       flags & O_APPEND ? " append" : "", flags & O_NONBLOCK ? " nonblock" : "",
	       (flags & O_SYNC) == O_SYNC ? " sync" : "", flags & O_DIRECT ? " direct" : "",
	       flags & O_DIRECTORY ? " directory" : "", flags & O_NOFOLLOW ? " nofollow" : "",
	       flags & O_PATH ? " path" : "", flags & O_NOATIME ? " noatime" : "");
}

static void opening(void)
{
	int fd;

	SHOW(open("none", O_RDONLY));
	fd = (int)MUST(open("a", O_CREAT | O_EXCL | O_RDWR | O_APPEND, 0640));
	show_flags(fd);
	MUST(fcntl(fd, F_SETFL, O_NONBLOCK));
	show_flags(fd);
	CHECK((fcntl(fd, F_GETFD) & FD_CLOEXEC) == 0);
	MUST(close(fd));
	SHOW(open("a", O_CREAT | O_EXCL | O_RDWR, 0640));
	SHOW(open("a", O_DIRECTORY | O_RDONLY));
	SHOW(open(".", O_WRONLY));
	MUST(symlink("a", "link"));
	SHOW(open("link", O_NOFOLLOW | O_RDONLY));
	fd = (int)MUST(open("link", O_NOFOLLOW | O_PATH | O_CLOEXEC));
	show_flags(fd);
	CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	MUST(close(fd));
	fd = (int)MUST(open(".", O_DIRECTORY | O_RDONLY | O_NOATIME));
	show_flags(fd);
	CHECK(openat(fd, "a", O_RDONLY) >= 0);
	SHOW(openat(fd, "a/b", O_RDONLY));
	SHOW(openat(-1, "a", O_RDONLY));
	SHOW(openat(1234, "a", O_RDONLY));
	SHOW(openat(fd, "", O_RDONLY));
	MUST(close(fd));
	SHOW(close(fd));
	fd = open(".", O_TMPFILE | O_RDWR, 0600);
	if (fd >= 0) {
		CHECK(write(fd, "x", 1) == 1);
		close(fd);
	}
	SHOW(syscall(SYS_openat, AT_FDCWD, (void *)1, O_RDONLY, 0));
	SHOW(syscall(SYS_openat, AT_FDCWD, (void *)0x7ffffffff000, O_RDONLY, 0));
	SHOW(creat("created", 0600) >= 0);
}

static void moving_data(void)
{
	struct iovec iov[3] = {{"one ", 4}, {"", 0}, {"two", 3}};
	char buffer[32] = "", second[8] = "";
	struct iovec in[2] = {{buffer, 5}, {second, 7}};
	int fd = (int)MUST(open("data", O_CREAT | O_RDWR | O_TRUNC, 0600));
	int out = (int)MUST(open("copy", O_CREAT | O_RDWR | O_TRUNC, 0600));
	off_t offset = 4;
	loff_t from = 0;
	int p[2];

	SHOW(writev(fd, iov, 3));
	SHOW(writev(fd, iov, -1));
	SHOW(writev(fd, NULL, 0));
	SHOW(lseek(fd, 0, SEEK_SET));
	SHOW(readv(fd, in, 2));
	printf("%s|%s\n", buffer, second);
	SHOW(pwrite(fd, "THREE", 5, 4));
	SHOW(pread(fd, buffer, 9, 0));
	printf("%.9s\n", buffer);
	SHOW(pread(fd, buffer, 1, -1));
	SHOW(pwritev2(fd, iov, 3, 9, 0));
	SHOW(preadv(fd, in, 2, 2));
	SHOW(lseek(fd, 0, SEEK_END));
	SHOW(lseek(fd, -100, SEEK_CUR));
	SHOW(lseek(fd, 0, 99));
	SHOW(lseek(fd, 1ll << 40, SEEK_SET));
	SHOW(sendfile(out, fd, &offset, 5));
	printf("offset %ld\n", (long)offset);
	from = 0;
	SHOW(copy_file_range(fd, &from, out, NULL, 4, 0));
	MUST(pipe2(p, O_CLOEXEC));
	SHOW(splice(fd, &from, p[1], NULL, 3, 0));
	SHOW(read(p[0], buffer, 10));
	SHOW(read(p[0], (void *)16, 0));
	CHECK(write(p[1], "12345", 5) == 5);
	SHOW(read(p[0], (void *)16, 5));
	SHOW(read(p[0], (void *)-1l, 5));
	SHOW(write(p[1], (void *)16, 5));
	SHOW(write(p[1], (void *)0x7fffff000000, 5));
	SHOW(read(out, buffer, 0));
	SHOW(read(-1, buffer, 1));
	SHOW(write(1234, buffer, 1));
	MUST(fcntl(p[0], F_SETFL, O_NONBLOCK));
	CHECK(read(p[0], buffer, 5) == 5);
	SHOW(read(p[0], buffer, 5));
	MUST(close(p[1]));
	SHOW(read(p[0], buffer, 5));
	SHOW(ftruncate(fd, 100000));
	SHOW(lseek(fd, 0, SEEK_END));
	SHOW(truncate("data", 10));
	SHOW(ftruncate(fd, -1));
	SHOW(posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL));
	SHOW(fsync(fd));
	SHOW(fdatasync(fd));
	SHOW(sync_file_range(fd, 0, 10, SYNC_FILE_RANGE_WRITE));
	close(fd);
	close(out);
	close(p[0]);
}

static void attributes(void)
{
	struct timespec times[2] = {{1000000000, 123456789}, {1100000000, 987654321}};
	struct utimbuf utb = {1200000000, 1300000000};
	struct statx stx;
	struct statfs fs;
	struct stat st;

	umask(022);
	MUST(mkdir("dir", 0777));
	MUST(stat("dir", &st));
	printf("dir mode %o size of stat %zu\n", st.st_mode, sizeof(st));
	MUST(chmod("a", 04751));
	MUST(utimensat(AT_FDCWD, "a", times, 0));
	MUST(stat("a", &st));
	printf("a: mode %o links %lu size %ld atime %ld.%09ld mtime %ld.%09ld\n", st.st_mode,
	       (unsigned long)st.st_nlink, (long)st.st_size, (long)st.st_atim.tv_sec,
	       st.st_atim.tv_nsec, (long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	CHECK(st.st_uid == geteuid() && st.st_gid == getegid());
	MUST(utime("a", &utb));
	MUST(statx(AT_FDCWD, "a", 0, STATX_BASIC_STATS, &stx));
	printf("statx: mode %o size %llu mtime %lld\n", stx.stx_mode,
	       (unsigned long long)stx.stx_size, (long long)stx.stx_mtime.tv_sec);
	CHECK(stx.stx_ino == st.st_ino && stx.stx_nlink == st.st_nlink);
	MUST(lstat("link", &st));
	printf("link: type %o size %ld\n", st.st_mode & S_IFMT, (long)st.st_size);
	MUST(fstatat(AT_FDCWD, "link", &st, 0));
	printf("through link: type %o\n", st.st_mode & S_IFMT);
	MUST(stat("/dev/null", &st));
	printf("/dev/null: type %o device %lx\n", st.st_mode & S_IFMT, (long)st.st_rdev);
	SHOW(stat("none", &st));
	SHOW(stat("a/b", &st));
	SHOW(stat("", &st));
	SHOW(stat("a", (void *)16));
	SHOW(fstatat(AT_FDCWD, "a", &st, 0x40000));
	MUST(statfs(".", &fs));
	CHECK(fs.f_bsize > 0 && fs.f_namelen == 255);
	SHOW(access("a", R_OK | W_OK));
	SHOW(access("none", F_OK));
	SHOW(faccessat(AT_FDCWD, "link", F_OK, AT_SYMLINK_NOFOLLOW));
	SHOW(chown("a", -1, -1));
	SHOW(lchown("link", geteuid(), -1));
	SHOW(fchmodat(AT_FDCWD, "a", 0600, 0));
	if (!setxattr("a", "user.test", "value", 5, 0)) {
		char value[16] = "", list[64];

		CHECK(getxattr("a", "user.test", value, sizeof(value)) == 5);
		CHECK(!strcmp(value, "value"));
		CHECK(listxattr("a", list, sizeof(list)) >= 10);
		CHECK(!removexattr("a", "user.test"));
	}
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void names(void)
{
	struct dirent **list;
	char target[64];
	ssize_t n;

	MUST(link("a", "hard"));
	SHOW(link("none", "hard2"));
	SHOW(link("a", "hard"));
	MUST(rename("hard", "dir/moved"));
	SHOW(rename("dir", "dir/inside"));
	SHOW(renameat2(AT_FDCWD, "a", AT_FDCWD, "data", RENAME_NOREPLACE));
	SHOW(renameat2(AT_FDCWD, "a", AT_FDCWD, "data", RENAME_EXCHANGE));
	SHOW(rmdir("dir"));
	SHOW(unlink("dir"));
	SHOW(unlink("none"));
	SHOW(mkdir("dir", 0700));
	SHOW(mkdir("none/dir", 0700));
	SHOW(mkdir("new/", 0700));
	SHOW(rmdir("new/."));
	SHOW(rmdir("new/"));
	n = readlink("link", target, sizeof(target));
	printf("link -> %.*s\n", (int)n, target);
	SHOW(readlink("link", target, 0));
	SHOW(readlink("a", target, sizeof(target)));
	SHOW(mkfifo("fifo", 0600));
	SHOW(mknod("socket", S_IFSOCK | 0600, 0));
	n = scandir(".", &list, NULL, by_name);
	for (int i = 0; i < n; i++)
		printf("entry %s type %d\n", list[i]->d_name, list[i]->d_type);
}

static void directories(void)
{
	char first[512], second[512];
	int fd;

	CHECK(getcwd(first, sizeof(first)));
	MUST(chdir("dir"));
	CHECK(getcwd(second, sizeof(second)));
	printf("below: %s\n", second + strlen(first));
	fd = (int)MUST(open("..", O_RDONLY | O_DIRECTORY));
	MUST(fchdir(fd));
	CHECK(getcwd(second, sizeof(second)) && !strcmp(first, second));
	SHOW(syscall(SYS_getcwd, second, 3));
	SHOW(chdir("none"));
	SHOW(chdir("a"));
	close(fd);
}

static void descriptors(void)
{
	int fd = (int)MUST(open("a", O_RDONLY)), other;

	other = (int)MUST(dup(fd));
	printf("dup gives the next: %d\n", other == fd + 1);
	SHOW(dup2(fd, 100));
	SHOW(dup2(100, 100));
	SHOW(dup2(55, 56));
	SHOW(dup3(fd, fd, O_CLOEXEC));
	SHOW(dup3(fd, 101, O_CLOEXEC));
	CHECK(fcntl(101, F_GETFD) == FD_CLOEXEC);
	SHOW(fcntl(fd, F_DUPFD, 200));
	SHOW(fcntl(fd, F_DUPFD_CLOEXEC, 200));
	SHOW(fcntl(fd, 9999, 0));
	SHOW(syscall(SYS_close_range, 100, 150, 0));
	SHOW(fcntl(100, F_GETFD));
	SHOW(fcntl(200, F_GETFD));
	SHOW(syscall(SYS_close_range, 150, ~0u, 0));
	SHOW(fcntl(200, F_GETFD));
	SHOW(syscall(SYS_close_range, 5, 4, 0));
	/* Nothing of the emulator's may be in the way. */
	for (int i = 3; i < 1024; i++)
		if (i != fd && i != other && fcntl(i, F_GETFD) != -1)
			close(i);
	CHECK(open("a", O_RDONLY) >= 0);
	fd = memfd_create("test", MFD_ALLOW_SEALING);
	CHECK(fd >= 0 && write(fd, "abc", 3) == 3);
	SHOW(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
	SHOW(write(fd, "abc", 3));
	SHOW(fcntl(fd, F_GET_SEALS));
}

static void locks(void)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 2, .l_len = 3};
	int fd = (int)MUST(open("data", O_RDWR)), other = (int)MUST(open("data", O_RDWR)), status;
	pid_t pid;

	SHOW(flock(fd, LOCK_EX));
	SHOW(flock(other, LOCK_EX | LOCK_NB));
	SHOW(flock(fd, LOCK_UN));
	SHOW(fcntl(fd, F_SETLK, &lock));
	pid = fork();
	if (!pid) {
		struct flock query = {.l_type = F_RDLCK, .l_whence = SEEK_SET};

		MUST(fcntl(fd, F_GETLK, &query));
		printf("child sees lock type %d from %ld length %ld of parent %d\n", query.l_type,
		       (long)query.l_start, (long)query.l_len, query.l_pid == getppid());
		query.l_type = F_RDLCK;
		query.l_start = query.l_len = 0;
		errno = 0;
		SHOW(fcntl(fd, F_SETLK, &query));
		exit(3);
	}
	MUST(waitpid(pid, &status, 0));
	printf("child exit %d\n", WEXITSTATUS(status));
	lock.l_pid = 0;
	SHOW(fcntl(other, F_OFD_SETLK, &lock));
	close(other);
	close(fd);
}

int main(void)
{
	fresh_directory();
	opening();
	moving_data();
	attributes();
	names();
	directories();
	descriptors();
	locks();
	return 0;
}
