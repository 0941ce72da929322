/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waits SHORT LONG: waits SHORT times for 0.1 ms and LONG times for 20 ms, each in a
 * child, and prints the nanoseconds of both by the clock: "SHORT LONG".
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

__attribute__((noinline)) static void nap(long ns)
{
	struct timespec time = { .tv_nsec = ns };

	nanosleep(&time, NULL);
	/* The call above is not the last instruction. */
	__asm__ volatile("");
}

__attribute__((noinline)) static int64_t nap_short(long n)
{
	int64_t start = now_ns();

	while (n-- > 0)
		nap(100000);
	return now_ns() - start;
}

__attribute__((noinline)) static int64_t nap_long(long n)
{
	int64_t start = now_ns();

	while (n-- > 0)
		nap(20000000);
	return now_ns() - start;
}

int main(int argc, char **argv)
{
	int64_t (*const naps[])(long) = { nap_short, nap_long };
	int i;

	for (i = 0; argc == 3 && i < 2; i++) {
		pid_t child = fork();
		int64_t ns;

		if (child < 0)
			return 1;
		if (!child) {
			ns = naps[i](atol(argv[i + 1]));
			printf("%lld\n", (long long)ns);
			return 0;
		}
		waitpid(child, NULL, 0);
	}
	return argc != 3;
}
