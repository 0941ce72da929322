/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Touches the pages of a mapping and of a variable once, and tells where both
 * are: "mapping START END", "variable START END", in hexadecimal.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGES 200

/* Something else than 0, so that it lies in the file. */
static volatile char variable[PAGES * 4096] = { 1 };

static void touch(volatile char *at)
{
	size_t i;

	for (i = 0; i < PAGES; i++)
		at[i * 4096]++;
}

static void tell(const char *what, volatile char *at)
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
	tell("mapping", mapping);
	tell("variable", variable);
	touch(mapping);
	touch(variable);
	return 0;
}
