/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A workload that measures its own profile: three threads descend a recursion
 * to three hot leaves that take 70, 20 and 10 % of the CPU time. Each thread
 * measures its leaves with its own CPU clock. The sums are printed at the end,
 * for comparison with a profile.
 *
 *     shares [SECONDS]     CPU seconds per thread, 2 by default
 *
 * Prints the lines "cpu SECONDS", "threads N", and for each leaf and for the
 * rest "share NAME FRACTION", the fraction of the CPU time.
 *
 * Build it with -O2 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define THREADS 3
#define LEAVES 3
#define DEPTH_MAX 4
#define SECONDS_MAX 3600.0
#define NSEC_PER_SEC 1e9

/*
 * Steps per call of a leaf, about a millisecond. Reading the clock three times
 * takes a thousandth of that: less than a profile of a few seconds resolves.
 */
#define STEPS 500000

#define NOINLINE __attribute__((noinline))
/* Makes the compiler compute VALUE here: no constant folding, no tail call. */
#define KEEP(value) __asm__ volatile("" : "+r"(value))

static NOINLINE uint64_t leaf_hot(uint64_t x)
{
	int i;

	for (i = 0; i < STEPS; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		KEEP(x);
	}
	return x;
}

static NOINLINE uint64_t leaf_warm(uint64_t x)
{
	int i;

	for (i = 0; i < STEPS; i++) {
		x = x * UINT64_C(2862933555777941757) + 3037000493u;
		x ^= x >> 29;
		KEEP(x);
	}
	return x;
}

static NOINLINE uint64_t leaf_cool(uint64_t x)
{
	int i;

	for (i = 0; i < STEPS; i++) {
		x = (x << 23 | x >> 41) ^ (x + (uint64_t)i);
		x -= x << 9;
		KEEP(x);
	}
	return x;
}

static const struct {
	const char *name;
	double share;
	uint64_t (*run)(uint64_t x);
} leaves[LEAVES] = {
	{ "leaf_hot", 0.7, leaf_hot },
	{ "leaf_warm", 0.2, leaf_warm },
	{ "leaf_cool", 0.1, leaf_cool },
};

struct worker {
	pthread_t thread;
	double budget_ns;
	double cpu_ns;
	double spent_ns[LEAVES]; /* of cpu_ns, in each leaf */
	uint64_t x;
};

static double thread_clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * NSEC_PER_SEC + (double)t.tv_nsec;
}

static NOINLINE uint64_t descend(struct worker *w, int leaf, int depth)
{
	double start_ns;
	uint64_t x;

	if (depth > 0) {
		x = descend(w, leaf, depth - 1);
		KEEP(x);
		return x + 1;
	}
	start_ns = thread_clock_ns();
	x = leaves[leaf].run(w->x);
	w->spent_ns[leaf] += thread_clock_ns() - start_ns;
	return x;
}

/* Returns the leaf that is furthest below its share of the time so far. */
static int leaf_most_behind(const struct worker *w)
{
	double total_ns = 0, behind_ns, most_ns = -1;
	int i, leaf = 0;

	for (i = 0; i < LEAVES; i++)
		total_ns += w->spent_ns[i];
	for (i = 0; i < LEAVES; i++) {
		behind_ns = leaves[i].share * total_ns - w->spent_ns[i];
		if (behind_ns > most_ns) {
			most_ns = behind_ns;
			leaf = i;
		}
	}
	return leaf;
}

static NOINLINE void *work(void *argument)
{
	struct worker *w = argument;
	double start_ns = thread_clock_ns();
	int n = 0;

	do {
		w->x = descend(w, leaf_most_behind(w), n++ % DEPTH_MAX);
		w->cpu_ns = thread_clock_ns() - start_ns;
	} while (w->cpu_ns < w->budget_ns);
	return NULL;
}

static void print_shares(const struct worker *workers)
{
	double cpu_ns = 0, leaves_ns = 0, spent_ns;
	int i, t;

	for (t = 0; t < THREADS; t++)
		cpu_ns += workers[t].cpu_ns;
	printf("cpu %.3f\n", cpu_ns / NSEC_PER_SEC);
	printf("threads %d\n", THREADS);
	for (i = 0; i < LEAVES; i++) {
		spent_ns = 0;
		for (t = 0; t < THREADS; t++)
			spent_ns += workers[t].spent_ns[i];
		leaves_ns += spent_ns;
		printf("share %s %.4f\n", leaves[i].name, spent_ns / cpu_ns);
	}
	printf("share other %.4f\n", (cpu_ns - leaves_ns) / cpu_ns);
}

int main(int argc, char **argv)
{
	struct worker workers[THREADS] = { 0 };
	double seconds = 2;
	char *end = NULL;
	int t;

	if (argc > 1)
		seconds = strtod(argv[1], &end);
	if (argc > 2 || (end && *end) ||
		!(seconds > 0 && seconds <= SECONDS_MAX)) {
		fprintf(stderr, "usage: shares [SECONDS]\n");
		return 2;
	}
	for (t = 0; t < THREADS; t++) {
		workers[t].budget_ns = seconds * NSEC_PER_SEC;
		workers[t].x = UINT64_C(88172645463325252) + (uint64_t)t;
		if (pthread_create(
			    &workers[t].thread, NULL, work, &workers[t])) {
			fprintf(stderr, "shares: cannot start a thread\n");
			return 1;
		}
	}
	for (t = 0; t < THREADS; t++)
		pthread_join(workers[t].thread, NULL);
	print_shares(workers);
	return 0;
}
