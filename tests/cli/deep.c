/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes stacks of a known depth: `deep DEPTH SECONDS [THREADS]` calls recurse()
 * DEPTH times in the main thread and in THREADS other threads (default: 1), and
 * spins there until the process has used twice SECONDS of CPU time.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define THREADS_MAX 100

static int depth;
static double seconds;

__attribute__((noinline, noclone)) static void spin(volatile char *stack)
{
	volatile int i;

	do {
		for (i = 0; i < 1000000; i++)
			;
	} while ((double)clock() < 2 * seconds * CLOCKS_PER_SEC);
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
