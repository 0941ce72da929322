/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes deep call chains in several threads, the same in every run: up to 24
 * calls of four functions that call each other, then a leaf of 200 steps. A few
 * low bits of a number select the next function, so the same chains repeat.
 * In the variant chainr.c they do not repeat.
 *
 *     chain [THREADS [ROUNDS]]
 *
 * At its end it prints "end SECONDS cpu SECONDS": the monotonic clock, and the
 * CPU time of the process.
 *
 * Build it with -O2 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define THREADS_MAX 64
#define DEPTH_MAX 24
#define LEAF_STEPS 200

#define NOINLINE __attribute__((noinline))
/* Makes the compiler compute VALUE here: no constant folding, no tail call. */
#define KEEP(value) __asm__ volatile("" : "+r"(value))

#ifdef CHAIN_RANDOM
/* A linear congruential generator (Knuth); its middle bits look random. */
#define NEXT(x) ((x)*UINT64_C(6364136223846793005) + 1442695040888963407u)
#define TURN_BIT 40
#else
#define NEXT(x) ((x)*5)
#define TURN_BIT 1
#endif

static NOINLINE uint64_t leaf(uint64_t x)
{
	int i;

	for (i = 0; i < LEAF_STEPS; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		KEEP(x);
	}
	return x;
}

/* Defines one link of the chain: bit BIT of X selects the next function. */
#define DEFINE_LINK(name, bit, left, right)                            \
	static NOINLINE uint64_t name(uint64_t x, int depth)           \
	{                                                              \
		if (depth == 0)                                        \
			return leaf(x);                                \
		x = NEXT(x);                                           \
		x = x >> (TURN_BIT + (bit)) & 1 ? left(x, depth - 1)   \
						: right(x, depth - 1); \
		KEEP(x);                                               \
		return x + 2;                                          \
	}

static uint64_t north(uint64_t x, int depth);
static uint64_t east(uint64_t x, int depth);
static uint64_t south(uint64_t x, int depth);
static uint64_t west(uint64_t x, int depth);

DEFINE_LINK(north, 0, east, south)
DEFINE_LINK(east, 1, south, west)
DEFINE_LINK(south, 2, west, north)
DEFINE_LINK(west, 3, north, east)

struct worker {
	pthread_t thread;
	long rounds;
	uint64_t x;
};

static void *work(void *argument)
{
	struct worker *w = argument;
	long i;

	for (i = 0; i < w->rounds; i++)
		w->x = north(w->x | 1, (int)(i % DEPTH_MAX) + 1);
	return NULL;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void print_end(void)
{
	struct rusage usage;
	struct timespec now;

	getrusage(RUSAGE_SELF, &usage);
	clock_gettime(CLOCK_MONOTONIC, &now);
	printf("end %.6f cpu %.6f\n",
		(double)now.tv_sec + (double)now.tv_nsec / 1e9,
		seconds(usage.ru_utime) + seconds(usage.ru_stime));
}

int main(int argc, char **argv)
{
	static struct worker workers[THREADS_MAX];
	long threads = argc > 1 ? strtol(argv[1], NULL, 10) : 2;
	long rounds = argc > 2 ? strtol(argv[2], NULL, 10) : 1000000;
	long i;

	if (threads < 1 || threads > THREADS_MAX || rounds < 0) {
		fprintf(stderr, "usage: chain [THREADS [ROUNDS]]\n");
		return 2;
	}
	for (i = 0; i < threads; i++) {
		workers[i].rounds = rounds;
		workers[i].x = 1;
		if (pthread_create(
			    &workers[i].thread, NULL, work, &workers[i])) {
			fprintf(stderr, "chain: cannot start a thread\n");
			return 1;
		}
	}
	for (i = 0; i < threads; i++)
		pthread_join(workers[i].thread, NULL);
	print_end();
	return 0;
}
