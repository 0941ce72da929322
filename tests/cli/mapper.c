/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `mapper TIMES` maps code TIMES times, each time at a new address, and runs it
 * immediately. A sample in the code needs a mapping that is younger than 1 ms.
 * With `mapper TIMES other` another thread maps the code.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096
/* 1,000 mappings, which fit into a ring buffer, then take 0.2 s. */
#define CALLS 40
/* An address range without other mappings. */
#define FIRST ((char *)0x200000000000)

#if defined(__x86_64__)
/* mov $20000, %ecx; 1: dec %ecx; jnz 1b; ret */
static const unsigned char code[] = { 0xb9, 0x20, 0x4e, 0, 0, 0xff, 0xc9, 0x75,
	0xfc, 0xc3 };
#elif defined(__aarch64__)
/* mov w9, #20000; 1: subs w9, w9, #1; b.ne 1b; ret */
static const uint32_t code[] = { 0x5289c409, 0x71000529, 0x54ffffe1,
	0xd65f03c0 };
#else
#define IS_UNKNOWN
static const unsigned char code[1];
#endif

static int file;
static void *at;
static pthread_barrier_t turn;

/* Maps the code at an address that only mapping number I uses. */
static void *map(long i)
{
	return mmap(FIRST + 2 * PAGE * i, PAGE, PROT_READ | PROT_EXEC,
		MAP_PRIVATE | MAP_FIXED_NOREPLACE, file, 0);
}

static void run(void)
{
	void (*function)(void);
	int i;

	memcpy(&function, &at, sizeof(function));
	for (i = 0; i < CALLS; i++)
		function();
	munmap(at, PAGE);
}

static void *map_for_other(void *times)
{
	long i;

	for (i = 0; i < (long)times; i++) {
		at = map(i);
		pthread_barrier_wait(&turn);
		pthread_barrier_wait(&turn);
	}
	return NULL;
}

static int run_of_other(long times)
{
	pthread_t other;
	long i;

	pthread_barrier_init(&turn, NULL, 2);
	if (pthread_create(&other, NULL, map_for_other, (void *)times))
		return 1;
	for (i = 0; i < times; i++) {
		pthread_barrier_wait(&turn);
		if (at == MAP_FAILED)
			exit(1);
		run();
		pthread_barrier_wait(&turn);
	}
	return 0;
}

int main(int argc, char **argv)
{
	char name[] = "mapped-XXXXXX";
	long times = argc > 1 ? atol(argv[1]) : 1, i;

#ifdef IS_UNKNOWN
	return 77;
#endif
	file = mkstemp(name);
	if (file < 0 || write(file, code, sizeof(code)) != sizeof(code) ||
		ftruncate(file, PAGE) < 0)
		return 1;
	printf("ready\n");
	fflush(stdout);
	if (argc > 2)
		return run_of_other(times);
	for (i = 0; i < times; i++) {
		at = map(i);
		if (at == MAP_FAILED)
			return 1;
		run();
	}
	return 0;
}
