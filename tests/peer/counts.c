/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does something a given number of times:
 *	counts pages N		touches N pages
 *	counts forks N		creates N processes; each calls getppid(2)
 *	counts pings N		sends N messages to a thread on the same CPU,
 *each of which is answered
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int ping[2], pong[2];

static int touch_pages(long n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *at = mmap(NULL, (size_t)n * page, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long i;

	if (at == MAP_FAILED)
		return 1;
	madvise((void *)at, (size_t)n * page, MADV_NOHUGEPAGE);
	for (i = 0; i < n; i++)
		at[(size_t)i * page] = 1;
	return 0;
}

static int fork_often(long n)
{
	for (; n; n--) {
		pid_t pid = fork();

		if (pid < 0)
			return 1;
		if (pid == 0) {
			syscall(SYS_getppid);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	return 0;
}

static void *answer(void *data)
{
	char byte;

	while (read(ping[0], &byte, 1) == 1 && write(pong[1], &byte, 1) == 1)
		;
	return data;
}

static int send_pings(long n)
{
	pthread_t thread;
	cpu_set_t one;
	char byte = 0;

	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	if (sched_setaffinity(0, sizeof(one), &one) < 0 || pipe(ping) < 0 ||
		pipe(pong) < 0 || pthread_create(&thread, NULL, answer, NULL))
		return 1;
	for (; n; n--)
		if (write(ping[1], &byte, 1) != 1 ||
			read(pong[0], &byte, 1) != 1)
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	long n = argc == 3 ? atol(argv[2]) : 0;

	if (n <= 0)
		return 2;
	if (strcmp(argv[1], "pages") == 0)
		return touch_pages(n);
	return strcmp(argv[1], "forks") == 0 ? fork_often(n) : send_pings(n);
}
