/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Touches each page of a mapping and of a variable once, and prints their
 * addresses: "mapping START END", "variable START END", in hexadecimal.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGES 200

/* Not 0, so that the variable is in the file and not in .bss. */
static volatile char variable[PAGES * 4096] = { 1 };

static void touch(volatile char *at)
{
	size_t i;

	for (i = 0; i < PAGES; i++)
		at[i * 4096]++;
}

static void print_range(const char *what, volatile char *at)
{
	printf("%s %lx %lx\n", what, (unsigned long)at,
		(unsigned long)at + PAGES * 4096);
}

int main(void)
{
	volatile char *mapping = mmap(NULL, PAGES * 4096,
		PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mapping == MAP_FAILED)
		return 1;
	madvise((void *)mapping, PAGES * 4096, MADV_NOHUGEPAGE);
	print_range("mapping", mapping);
	print_range("variable", variable);
	touch(mapping);
	touch(variable);
	return 0;
}
