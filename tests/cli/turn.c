/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps two libraries alternately at one address. Built with NAME, this is one
 * of the libraries: its only code is the function NAME, without relocations.
 * Built with DRIVER, this program maps the two files over each other, runs each
 * for about a millisecond, and prints the phases on CLOCK_MONOTONIC: "begin end
 * in_first".
 *
 *     turn ROUNDS FIRST.so SECOND.so
 */
#ifndef DRIVER

__attribute__((visibility("default"))) unsigned long NAME(unsigned long x)
{
	unsigned long i;

	for (i = 0; i < 1000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

#else

#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PLACE ((void *)0x200000000000)
#define CALLS 400

struct library {
	int fd;
	size_t size;
	unsigned long entry; /* file offset of its function */
	const char *name;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/*
 * Finds the only function in the dynamic symbol table of FILE. Addresses of
 * code are equal to file offsets.
 */
static void find_entry(struct library *library, const char *file)
{
	const Elf64_Ehdr *header = (const void *)file;
	const Elf64_Shdr *sections = (const void *)(file + header->e_shoff);
	int i;

	for (i = 0; i < header->e_shnum; i++) {
		const Elf64_Shdr *s = &sections[i];
		const Elf64_Sym *symbols = (const void *)(file + s->sh_offset);
		unsigned long j;

		if (s->sh_type != SHT_DYNSYM)
			continue;
		for (j = 1; j < s->sh_size / sizeof(*symbols); j++) {
			if (ELF64_ST_TYPE(symbols[j].st_info) != STT_FUNC)
				continue;
			library->entry = symbols[j].st_value;
			library->name =
				strdup(file + sections[s->sh_link].sh_offset +
					symbols[j].st_name);
		}
	}
}

static struct library open_library(const char *path)
{
	struct library library = { .fd = open(path, O_RDONLY) };
	struct stat status;
	char *file;

	fstat(library.fd, &status);
	library.size = (size_t)status.st_size;
	file = mmap(NULL, library.size, PROT_READ, MAP_PRIVATE, library.fd, 0);
	if (file == MAP_FAILED)
		exit(1);
	find_entry(&library, file);
	munmap(file, library.size);
	return library;
}

int main(int argc, char **argv)
{
	struct library libraries[2];
	int rounds, i, j;

	if (argc != 4)
		return 2;
	rounds = atoi(argv[1]);
	libraries[0] = open_library(argv[2]);
	libraries[1] = open_library(argv[3]);
	for (i = 0; i < rounds; i++) {
		const struct library *library = &libraries[i % 2];
		unsigned long (*function)(unsigned long);
		unsigned long x = 1;
		double begin;

		if (mmap(PLACE, library->size, PROT_READ | PROT_EXEC,
			    MAP_PRIVATE | MAP_FIXED, library->fd, 0) != PLACE)
			return 1;
		function = (unsigned long (*)(unsigned long))(
			(char *)PLACE + library->entry);
		begin = now();
		for (j = 0; j < CALLS; j++)
			x = function(x);
		printf("%.6f %.6f %s\n", begin, now(), library->name);
	}
	return 0;
}

#endif
