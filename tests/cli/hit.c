/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hit N: calls step() N times, which writes a variable. */
#include <stdio.h>
#include <stdlib.h>

long counter;
int step(long i);

__attribute__((noinline)) int step(long i)
{
	counter += i;
	__asm__ volatile("" ::: "memory");
	return (int)i * 3;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000, sum = 0, i;

	for (i = 0; i < n; i++)
		sum += step(i);
	printf("%ld\n", sum);
	return 0;
}
