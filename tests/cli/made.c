/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes code at run time, and describes it as language runtimes do.
 *
 *	made WAY [SECONDS]
 *
 * It spends a third of its time in code at MADE_FIRST and two thirds in code
 * at MADE_SECOND. WAY selects the description:
 *
 *	map	/tmp/perf-PID.map
 *	again	as map, with an older name of the first code before the new one
 *	dump	./jit-PID.dump, mapped; half-way both codes change their names
 *	lines	as dump, with the code's bytes and lines: 10, 20, 30 and 40 of
 *		/made/code.js
 *	both	as dump, and a map with other names
 *	rules	a dump with unwind rules; code at MADE_CALLER calls the second
 *		code and uses the frame pointer as a general register
 *	norules	as rules, without the unwind rules
 *	none	no description
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
#define MADE_CALLER 0x10002000ul
#define CODE_SIZE 0x40u
#define ALL_SIZE 0x3000u

/* Machine code that counts its argument down to 0. */
#if defined(__x86_64__)
static const uint8_t code[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
#elif defined(__aarch64__)
static const uint8_t code[] = { 0x00, 0x04, 0x00, 0xf1, 0xe1, 0xff, 0xff, 0x54,
	0xc0, 0x03, 0x5f, 0xd6 };
#else
#error "no code for this machine"
#endif

/*
 * Machine code that calls its second argument with the first one, and sets the
 * frame pointer to 0 during the call.
 */
#if defined(__x86_64__)
static const uint8_t caller[] = { 0x55, 0x48, 0x83, 0xec, 0x20, 0x31, 0xed,
	0xff, 0xd6, 0x48, 0x83, 0xc4, 0x20, 0x5d, 0xc3 };
#else
static const uint8_t caller[1];
#endif

static void make(void)
{
	void *at = mmap((void *)MADE_FIRST, ALL_SIZE,
		PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (at != (void *)MADE_FIRST)
		exit(3);
	memcpy((void *)MADE_FIRST, code, sizeof(code));
	memcpy((void *)MADE_SECOND, code, sizeof(code));
	memcpy((void *)MADE_CALLER, caller, sizeof(caller));
	__builtin___clear_cache(
		(char *)MADE_FIRST, (char *)MADE_FIRST + ALL_SIZE);
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
		fprintf(file, "%lx 1000 stale_and_told_before\n", MADE_FIRST);
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
	if (!file ||
		mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE,
			fileno(file), 0) == MAP_FAILED)
		exit(5);
	put(file, 0x4a695444, 4);
	put(file, 1, 4);
	put(file, 40, 4);
	put(file, 62, 4); /* EM_X86_64; not checked */
	put(file, 0, 4);
	put(file, (uint64_t)getpid(), 4);
	put(file, now(), 8);
	put(file, 0, 8);
	return file;
}

static int has_lines;

static void put_line_entry(FILE *file, uint64_t address, uint64_t line)
{
	static const char name[] = "/made/code.js";

	put(file, address, 8);
	put(file, line, 4);
	put(file, 0, 4);
	fwrite(name, sizeof(name), 1, file);
}

/*
 * Maps the whole code of the next load record, at START, to LINE. The second
 * entry ends it: perf inject writes no end for the last entry.
 */
static void put_line(FILE *file, unsigned long start, uint64_t line)
{
	put(file, 2, 4);
	put(file, 16 + 16 + 2 * (16 + sizeof("/made/code.js")), 4);
	put(file, now(), 8);
	put(file, start, 8);
	put(file, 2, 8);
	put_line_entry(file, start, line);
	put_line_entry(file, start + CODE_SIZE, line + 1);
}

static void put_load(
	FILE *file, unsigned long start, uint64_t index, const char *name)
{
	size_t name_size = strlen(name) + 1, i;

	if (has_lines)
		put_line(file, start, index * 10);

	put(file, 0, 4);
	put(file, 16 + 40 + name_size + (has_lines ? CODE_SIZE : sizeof(code)),
		4);
	put(file, now(), 8);
	put(file, (uint64_t)getpid(), 4);
	put(file, (uint64_t)getpid(), 4);
	put(file, start, 8);
	put(file, start, 8);
	put(file, CODE_SIZE, 8);
	put(file, index, 8);
	fwrite(name, name_size, 1, file);
	fwrite(code, sizeof(code), 1, file);
	for (i = sizeof(code); has_lines && i < CODE_SIZE; i++)
		put(file, 0, 1);
	fflush(file);
}

/* Writes a JIT_CODE_MOVE of the first code to another place, or back. */
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

/*
 * A CIE, then an FDE for the CODE_SIZE bytes directly before the CIE. The FDE's
 * program follows.
 */
#define CIE                                                                  \
	20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, \
		7, 8, 0x90, 1, 0, 0
#define FDE_HEAD \
	28, 0, 0, 0, 28, 0, 0, 0, 0xa0, 0xff, 0xff, 0xff, CODE_SIZE, 0, 0, 0, 0
static const uint8_t leaf_rules[] = { CIE, FDE_HEAD, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0 };
static const uint8_t caller_rules[] = { CIE, FDE_HEAD, 0x41, 0x0e, 16, 0x86, 2,
	0x44, 0x0e, 48, 0x48, 0x0e, 16, 0x41, 0x0e, 8, 0 };

static void put_rules(FILE *file, const uint8_t *rules, size_t size)
{
	put(file, 4, 4);
	put(file, 16 + 24 + size, 4);
	put(file, now(), 8);
	put(file, size, 8);
	put(file, 0, 8);
	put(file, 0, 8);
	fwrite(rules, size, 1, file);
}

/*
 * For half of the time, the dump has the rules of earlier code at the address.
 */
static void run_with_rules(double seconds, int has_rules)
{
	clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
	FILE *file = begin_dump();

	if (has_rules)
		put_rules(file, caller_rules, sizeof(caller_rules));
	put_load(file, MADE_SECOND, 1, "stale_rules");
	if (has_rules)
		put_rules(file, leaf_rules, sizeof(leaf_rules));
	put_load(file, MADE_SECOND, 2, "called");
	if (has_rules)
		put_rules(file, caller_rules, sizeof(caller_rules));
	put_load(file, MADE_CALLER, 3, "caller");
	while (clock() < end)
		((void (*)(long, unsigned long))MADE_CALLER)(
			200000, MADE_SECOND);
	fclose(file);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "none";
	double seconds = argc > 2 ? atof(argv[2]) : 0.2;

	make();
	if (!strcmp(way, "map"))
		write_map("_made", 0);
	else if (!strcmp(way, "again"))
		write_map("_made", 1);
	else if (!strcmp(way, "both"))
		write_map("_otherwise", 0);
	has_lines = !strcmp(way, "lines");
	if (!strcmp(way, "dump") || !strcmp(way, "both") || has_lines)
		run_with_dump(seconds);
	else if (!strcmp(way, "rules") || !strcmp(way, "norules"))
		run_with_rules(seconds, !strcmp(way, "rules"));
	else
		run(seconds);
	return 0;
}
