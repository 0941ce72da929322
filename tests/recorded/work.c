/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program in the recordings of this folder.
 *
 *	work spin MS		uses MS milliseconds of CPU time in leaf()
 *	work threads MS		the same in two threads, "left" and "right"
 *	work fork MS		the same in a child process that executes this program
 *	work calls N		calls step() N times, which writes to `counter`
 *	work touch N		writes to N pages of the variable `field`
 *	work block N		sleeps N times for 3 ms in wait_here()
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
/* Makes the compiler compute VALUE here: no constant folding, no tail call. */
#define KEEP(value) __asm__ volatile("" : "+r"(value))

#define PAGE 4096
#define PAGES_MAX 64

char field[PAGES_MAX * PAGE] __attribute__((aligned(PAGE)));
volatile long counter;

static NOINLINE uint64_t leaf(uint64_t x)
{
	int i;

	for (i = 0; i < 20000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		KEEP(x);
	}
	return x;
}

static NOINLINE uint64_t middle(uint64_t x)
{
	x = leaf(x) + 1;
	KEEP(x);
	return x;
}

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static NOINLINE void *outer(void *ms)
{
	double end = cpu_ms() + (double)*(long *)ms;
	uint64_t x = 1;

	while (cpu_ms() < end)
		x = middle(x | 1);
	KEEP(x);
	return NULL;
}

static void run_threads(long ms)
{
	static const char *const names[] = { "left", "right" };
	pthread_t threads[2];
	int i;

	for (i = 0; i < 2; i++) {
		if (pthread_create(&threads[i], NULL, outer, &ms))
			exit(1);
		pthread_setname_np(threads[i], names[i]);
	}
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static void run_child(char *program, char *ms)
{
	pid_t pid = fork();

	if (pid == 0) {
		execl(program, program, "spin", ms, (char *)NULL);
		_exit(1);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		exit(1);
}

NOINLINE void step(long i)
{
	counter = i;
}

static NOINLINE void touch(long n)
{
	long i;

	for (i = 0; i < n && i < PAGES_MAX; i++)
		((volatile char *)field)[i * PAGE] = 1;
}

static NOINLINE void wait_here(void)
{
	struct timespec t = { .tv_nsec = 3000000 };

	nanosleep(&t, NULL);
	KEEP(t.tv_nsec);
}

int main(int argc, char **argv)
{
	const char *what = argc == 3 ? argv[1] : "";
	long n = argc == 3 ? strtol(argv[2], NULL, 10) : 0, i;

	if (!strcmp(what, "spin"))
		outer(&n);
	else if (!strcmp(what, "threads"))
		run_threads(n);
	else if (!strcmp(what, "fork"))
		run_child(argv[0], argv[2]);
	else if (!strcmp(what, "calls"))
		for (i = 0; i < n; i++)
			step(i);
	else if (!strcmp(what, "touch"))
		touch(n);
	else if (!strcmp(what, "block"))
		for (i = 0; i < n; i++)
			wait_here();
	else
		return 2;
	return 0;
}
