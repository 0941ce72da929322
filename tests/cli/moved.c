/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Moves its function moved_hot() before it runs it for a sixteenth of a second, or
 * for argv[2] seconds of CPU time. argv[1]:
 *
 *	copy	to memory without a file at the same address, as programs do
 *whose code is to be in huge pages
 *	change	the same, with another byte beside the function
 *	whole	all code of the program, to memory without a file at the same
 *		addresses
 *	move	with mremap() to another address
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* Two pages of 64 KiB at most, without other functions. */
#define ZONE __attribute__((noinline, section("zone"), aligned(65536)))

ZONE unsigned long moved_hot(unsigned long x)
{
	for (unsigned long i = 0; i < 100000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

ZONE unsigned long zone_end(unsigned long x)
{
	return x;
}

/* Replaces the mapping that contains this function by a copy. */
static char *copy_program(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long here = (unsigned long)copy_program, start, end;
	char line[8192], *copy;

	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx", &start, &end) != 2 ||
			here < start || here >= end)
			continue;
		copy = mmap(NULL, end - start,
			PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (copy == MAP_FAILED)
			return NULL;
		memcpy(copy, (void *)start, end - start);
		if (mremap(copy, end - start, end - start,
			    MREMAP_MAYMOVE | MREMAP_FIXED,
			    (void *)start) == MAP_FAILED ||
			mprotect((void *)start, end - start,
				PROT_READ | PROT_EXEC))
			return NULL;
		return (char *)moved_hot;
	}
	return NULL;
}

/* Returns the address of the moved function. */
static char *move_zone(const char *how)
{
	char *zone = (char *)moved_hot, *copy;
	size_t size = (size_t)((char *)zone_end - zone);

	if (!strcmp(how, "whole"))
		return copy_program();
	copy = mmap(NULL, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (copy == MAP_FAILED)
		return NULL;
	if (!strcmp(how, "move"))
		return mremap(
			zone, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, copy);
	memcpy(copy, zone, size);
	if (!strcmp(how, "change"))
		copy[size - 1] ^= 1;
	zone = mmap(zone, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	if (zone == MAP_FAILED)
		return NULL;
	memcpy(zone, copy, size);
	return mprotect(zone, size, PROT_READ | PROT_EXEC) ? NULL : zone;
}

int main(int argc, char **argv)
{
	clock_t end = clock() +
		CLOCKS_PER_SEC * (argc > 2 ? atoi(argv[2]) * 16 : 1) / 16;
	unsigned long (*volatile hot)(unsigned long), x = 1;

	hot = (unsigned long (*)(unsigned long))move_zone(argv[1]);
	if (!hot || (char *)hot == MAP_FAILED)
		return 1;
	while (clock() < end)
		x = hot(x);
	return x == 0;
}
