/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stack of a known depth: `deep DEPTH SECONDS [THREADS]` calls recurse() DEPTH
 * times in the main thread and in so many others, or one, and spins below it
 * for so long.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define THREADS_MAX 100

static int depth;
static double seconds;

__attribute__((noinline, noclone)) static void spin(volatile char *stack)
{
	struct timespec now, start;
	volatile int i;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		for (i = 0; i < 1000000; i++)
			;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((double)(now.tv_sec - start.tv_sec) +
			(double)(now.tv_nsec - start.tv_nsec) / 1e9 <
		seconds);
	stack[0] = 1;
}

__attribute__((noinline, noclone)) static int recurse(int n)
{
	volatile char stack[96];

	stack[n % 96] = (char)n;
	if (n > 1)
		recurse(n - 1);
	else
		spin(stack);
	return stack[n % 96];
}

static void *run(void *data)
{
	recurse(depth);
	return data;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];
	int n = argc > 3 ? atoi(argv[3]) : 1, i;

	depth = argc > 1 ? atoi(argv[1]) : 10;
	seconds = argc > 2 ? atof(argv[2]) : 1;
	for (i = 0; i < n && i < THREADS_MAX; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	run(NULL);
	while (i--)
		pthread_join(threads[i], NULL);
	return 0;
}
