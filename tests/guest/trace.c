// SPDX-License-Identifier: MIT
/* Makes calls whose --strace lines the script `trace` knows. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

int main(void)
{
	char *arguments[] = {"none", "a \"b\"", NULL}, buffer[64];
	int fd = open("/no/such\tfile", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);

	fd = open("/", O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
	ioctl(fd, TIOCGWINSZ, NULL);
	fcntl(fd, F_GETFD);
	close(fd);
	syscall(SYS_lseek, 77, 10, SEEK_END);
	mmap(NULL, 0, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	write(77, "0123456789012345678901234567890123456789", 40);
	readlink("/proc/self/exe", buffer, 3);
	if (!syscall(SYS_fork)) {
		execve("/none", arguments, NULL);
		_exit(5);
	}
	wait(NULL);
	syscall(SYS_kill, getpid(), 0);
	syscall(4000, 1, 2, 3, 4, 5, 6);
	_exit(3);
}
