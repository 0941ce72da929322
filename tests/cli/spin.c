/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spends a sixteenth of a second in one function, named by -DSPIN=NAME; then reads
 * the clock N times with -DCLOCKS=N. With an argument it deletes its
 * executable.
 */
#include <time.h>
#include <unistd.h>

#ifndef SPIN
#define SPIN spin_here
#endif
#ifndef SECONDS
#define SECONDS 1 / 16
#endif
#ifndef CLOCKS
#define CLOCKS 0
#endif

__attribute__((noinline)) static unsigned long SPIN(unsigned long x)
{
	for (unsigned long i = 0; i < 100000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

int main(int argc, char **argv)
{
	unsigned long x = 1;
	struct timespec t;
	clock_t end = clock() + CLOCKS_PER_SEC * SECONDS;

	while (clock() < end)
		x = SPIN(x);
	for (long i = 0; i < CLOCKS; i++)
		clock_gettime(CLOCK_MONOTONIC, &t);
	if (argc > 1)
		unlink(argv[0]);
	return x == 0;
}
