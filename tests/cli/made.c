/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that makes code at run time, and tells about it as runtimes do.
 *
 *	made WAY [SECONDS]
 *
 * It spends a third of its time in code at MADE_FIRST and two thirds in code
 * at MADE_SECOND. WAY is how it tells:
 *
 *	map	/tmp/perf-PID.map
 *	again	the same, with an older name for the first code before it
 *	dump	./jit-PID.dump, mapped; half-way both codes change their names
 *	both	the dump, and a map that says otherwise
 *	none	not at all
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define MADE_FIRST 0x10000000ul
#define MADE_SECOND 0x10001000ul
#define CODE_SIZE 0x40u

/* Counts its argument down to nothing. */
#if defined(__x86_64__)
static const uint8_t code[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
#elif defined(__aarch64__)
static const uint8_t code[] = { 0x00, 0x04, 0x00, 0xf1, 0xe1, 0xff, 0xff,
	0x54, 0xc0, 0x03, 0x5f, 0xd6 };
#else
#error "no code for this machine"
#endif

static void make(void)
{
	void *at = mmap((void *)MADE_FIRST, 0x2000,
		PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (at != (void *)MADE_FIRST)
		exit(3);
	memcpy((void *)MADE_FIRST, code, sizeof(code));
	memcpy((void *)MADE_SECOND, code, sizeof(code));
	__builtin___clear_cache((char *)MADE_FIRST, (char *)MADE_FIRST + 0x2000);
}

static void run(double seconds)
{
	clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);

	while (clock() < end) {
		((void (*)(long))MADE_FIRST)(100000);
		((void (*)(long))MADE_SECOND)(200000);
	}
}

static void write_map(const char *suffix, int is_again)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	file = fopen(path, "w");
	if (!file)
		exit(4);
	if (is_again)
		fprintf(file, "%lx 1000 stale\n", MADE_FIRST);
	fprintf(file, "no line at all\n");
	fprintf(file, "%lx %x first%s\n", MADE_FIRST, CODE_SIZE, suffix);
	fprintf(file, "%lx %x second%s(int, char *)\n", MADE_SECOND, CODE_SIZE,
		suffix);
	fclose(file);
}

static void put(FILE *file, uint64_t value, size_t size)
{
	fwrite(&value, size, 1, file);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static FILE *begin_dump(void)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "jit-%d.dump", (int)getpid());
	file = fopen(path, "w+");
	if (!file || mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE,
			     fileno(file), 0) == MAP_FAILED)
		exit(5);
	put(file, 0x4a695444, 4);
	put(file, 1, 4);
	put(file, 40, 4);
	put(file, 62, 4); /* EM_X86_64; nobody asks */
	put(file, 0, 4);
	put(file, (uint64_t)getpid(), 4);
	put(file, now(), 8);
	put(file, 0, 8);
	return file;
}

static void put_load(
	FILE *file, unsigned long start, uint64_t index, const char *name)
{
	size_t name_size = strlen(name) + 1;

	put(file, 0, 4);
	put(file, 16 + 40 + name_size + sizeof(code), 4);
	put(file, now(), 8);
	put(file, (uint64_t)getpid(), 4);
	put(file, (uint64_t)getpid(), 4);
	put(file, start, 8);
	put(file, start, 8);
	put(file, CODE_SIZE, 8);
	put(file, index, 8);
	fwrite(name, name_size, 1, file);
	fwrite(code, sizeof(code), 1, file);
	fflush(file);
}

/* The first code moves away, and back again: JIT_CODE_MOVE. */
static void put_move(FILE *file, unsigned long start, uint64_t index)
{
	put(file, 1, 4);
	put(file, 16 + 48, 4);
	put(file, now(), 8);
	put(file, (uint64_t)getpid(), 4);
	put(file, (uint64_t)getpid(), 4);
	put(file, start, 8);
	put(file, 0x20000000, 8);
	put(file, start, 8);
	put(file, CODE_SIZE, 8);
	put(file, index, 8);
	fflush(file);
}

static void run_with_dump(double seconds)
{
	FILE *file = begin_dump();

	put_load(file, MADE_FIRST, 1, "early_first");
	put_load(file, MADE_SECOND, 2, "early_second");
	put_load(file, 0x20000000, 3, "late_first");
	run(seconds / 2);
	put_move(file, MADE_FIRST, 3);
	put_load(file, MADE_SECOND, 4, "late_second");
	run(seconds / 2);
	fclose(file);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "none";
	double seconds = argc > 2 ? atof(argv[2]) : 0.4;

	make();
	if (!strcmp(way, "map"))
		write_map("_made", 0);
	else if (!strcmp(way, "again"))
		write_map("_made", 1);
	else if (!strcmp(way, "both"))
		write_map("_otherwise", 0);
	if (!strcmp(way, "dump") || !strcmp(way, "both"))
		run_with_dump(seconds);
	else
		run(seconds);
	return 0;
}
