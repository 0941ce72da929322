/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Three threads and a child process, all on one CPU, do countable things: task
 * number I calls getppid(2) 200 * I times and touches a new page between two
 * calls, and another one at its end. Prints "TID CALLS" for each task.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 3
#define PAGE 4096

static void *run_task(void *data)
{
	long n = 100 * (long)data, i;
	size_t size = (size_t)(n + 1) * PAGE;
	volatile char *pages = mmap(NULL, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		exit(1);
	madvise((void *)pages, size, MADV_NOHUGEPAGE);
	printf("%ld %ld\n", syscall(SYS_gettid), 2 * n);
	fflush(stdout);
	for (i = 0; i < n; i++) {
		syscall(SYS_getppid);
		pages[i * PAGE] = 1;
		syscall(SYS_getppid);
	}
	pages[n * PAGE] = 1;
	return NULL;
}

static int stay_on_this_cpu(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	return sched_setaffinity(0, sizeof(one), &one);
}

int main(void)
{
	pthread_t threads[THREADS];
	long i;
	pid_t child;

	if (stay_on_this_cpu() < 0)
		return 1;
	for (i = 0; i < THREADS; i++)
		if (pthread_create(
			    &threads[i], NULL, run_task, (void *)(i + 1)))
			return 1;
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	child = fork();
	if (child == 0) {
		run_task((void *)(long)(THREADS + 1));
		_exit(0);
	}
	return waitpid(child, NULL, 0) != child;
}
