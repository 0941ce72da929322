/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes deep stacks whose frames encode when each part of the stack was made:
 *
 *     moments SECONDS DEPTH SPIN [THREADS]
 *
 * Each thread repeatedly descends to a random depth of at most DEPTH frames of
 * the same size, spins there SPIN times, and returns. Every FRAME_CYCLE frames
 * encode a number by their functions: sync(), then 16 bits for the number of
 * the descent, then 12 bits for the index of the cycle, counted from the
 * outermost frame. moments.awk thereby detects a stack that was completed with
 * frames of another descent.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define NOINLINE __attribute__((noinline, noclone, no_icf))
#define NUMBER_BITS 16u
#define INDEX_BITS 12u
#define FRAME_CYCLE (1 + NUMBER_BITS + INDEX_BITS)
#define ROOM 80

static double seconds;
static unsigned depth_max, spins;

struct way {
	unsigned number, depth;
};

static int down(const struct way *way, unsigned at);

/*
 * All frames have one size, so that leftovers of old frames look like frames.
 */
#define FRAME(name)                                                  \
	NOINLINE static int name(const struct way *way, unsigned at) \
	{                                                            \
		volatile char room[ROOM];                            \
                                                                     \
		room[at % ROOM] = (char)at;                          \
		return down(way, at + 1) + room[at % ROOM];          \
	}

FRAME(sync)
FRAME(zero)
FRAME(one)

NOINLINE static int leaf(void)
{
	volatile unsigned i;

	for (i = 0; i < spins; i++)
		;
	return (int)i;
}

__attribute__((always_inline)) static inline int down(
	const struct way *way, unsigned at)
{
	unsigned bit = at % FRAME_CYCLE;
	unsigned word = at / FRAME_CYCLE << NUMBER_BITS |
		(way->number & ((1u << NUMBER_BITS) - 1));

	if (at == way->depth)
		return leaf();
	if (!bit)
		return sync(way, at);
	return word >> (bit - 1) & 1 ? one(way, at) : zero(way, at);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *run(void *data)
{
	unsigned seed = (unsigned)(uintptr_t)data;
	struct way way = { 0 };
	double end = now() + seconds;
	volatile int sum = 0;

	while (now() < end) {
		way.number++;
		way.depth = (unsigned)rand_r(&seed) % depth_max;
		sum += down(&way, 0);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	uintptr_t n = argc > 4 ? (uintptr_t)atoi(argv[4]) : 1, i;
	pthread_t threads[64];

	if (argc < 4 || n > 64)
		return 2;
	seconds = atof(argv[1]);
	depth_max = (unsigned)atoi(argv[2]);
	spins = (unsigned)atoi(argv[3]);
	for (i = 1; i < n; i++)
		pthread_create(&threads[i], NULL, run, (void *)(i + 1));
	run((void *)(uintptr_t)1);
	for (i = 1; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
