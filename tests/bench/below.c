/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a loop of STEPS below DEPTH calls of about 700 bytes of stack each:
 *
 *     below DEPTH STEPS
 *
 * At its end it prints "end SECONDS cpu SECONDS inner SECONDS": the monotonic
 * clock, the CPU time of the process, and the wall time of the calls and the
 * loop alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define NOINLINE __attribute__((noinline, noclone))
/* The bytes of a frame's array. */
#ifndef ROOM
#define ROOM 700
#endif

static double clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

NOINLINE static int loop(int steps)
{
	volatile int i;

	for (i = 0; i < steps; i++)
		;
	return i;
}

NOINLINE static int down(int depth, int steps)
{
	volatile char room[ROOM];

	room[depth % ROOM] = 1;
	return depth ? down(depth - 1, steps) + room[depth % ROOM]
		     : loop(steps);
}

int main(int argc, char **argv)
{
	struct rusage usage;
	double start;
	int result;

	if (argc != 3)
		return 2;
	start = clock_now();
	result = down(atoi(argv[1]), atoi(argv[2]));
	start = clock_now() - start;
	getrusage(RUSAGE_SELF, &usage);
	printf("end %.6f cpu %.6f inner %.6f\n", clock_now(),
		seconds(usage.ru_utime) + seconds(usage.ru_stime), start);
	return result == 7;
}
