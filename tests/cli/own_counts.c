/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts its own events with dwell/count.h, in C and in C++, for
 * tests/cli/count.bats. Exits with 1 and prints the failed comparison if a
 * count is not that of what it did. With the argument "kernel", also counts in
 * the kernel.
 */
#include <dwell/count.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define N_PAGES 500u
#define CPU_TIME_NS 20000000u

#define EXPECT(condition)                                              \
	do {                                                           \
		if (!(condition)) {                                    \
			fprintf(stderr, "%s: line %d: %s\n", __FILE__, \
				__LINE__, #condition);                 \
			exit(1);                                       \
		}                                                      \
	} while (0)

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec time;

	EXPECT(clock_gettime(clock, &time) == 0);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Writes to N_PAGES pages for the first time. */
static void *touch_pages(void *data)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE), i;
	volatile char *memory = (volatile char *)mmap(NULL, N_PAGES * page_size,
		PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	EXPECT((void *)memory != MAP_FAILED);
	madvise((void *)memory, N_PAGES * page_size, MADV_NOHUGEPAGE);
	for (i = 0; i < N_PAGES; i++)
		memory[i * page_size] = 1;
	munmap((void *)memory, N_PAGES * page_size);
	return data;
}

static void touch_pages_in_thread(void)
{
	pthread_t thread;

	EXPECT(pthread_create(&thread, NULL, touch_pages, NULL) == 0);
	pthread_join(thread, NULL);
}

/*
 * The kernel can move or remove a page of the program at any time, which adds a
 * page fault to one of the measurements.
 */
static void count_page_faults(void)
{
	struct dwell_counter counter;
	struct dwell_count before, after;
	uint64_t faults, least = UINT64_MAX;

	EXPECT(dwell_count_open(&counter, PERF_TYPE_SOFTWARE,
		       PERF_COUNT_SW_PAGE_FAULTS, false) == 0);
	for (int i = 0; i < 10; i++) {
		EXPECT(dwell_count_read(&counter, &before) == 0);
		touch_pages(NULL);
		EXPECT(dwell_count_read(&counter, &after) == 0);
		faults = dwell_count_between(&before, &after);
		least = faults < least ? faults : least;
	}
	EXPECT(least == N_PAGES);
	EXPECT(dwell_count_read(&counter, &before) == 0);
	touch_pages_in_thread();
	EXPECT(dwell_count_read(&counter, &after) == 0);
	EXPECT(dwell_count_between(&before, &after) < N_PAGES / 2);
	dwell_count_close(&counter);
	EXPECT(dwell_count_read(&counter, &after) < 0);
}

/*
 * The event counts interrupts and the time of a hypervisor, the clock of the
 * thread does not; at a context switch, both can differ by some microseconds.
 */
static void count_cpu_time(void)
{
	struct dwell_counter counter;
	struct dwell_count before, after;
	uint64_t start = clock_ns(CLOCK_MONOTONIC), count;
	uint64_t start_cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	EXPECT(dwell_count_open(&counter, PERF_TYPE_SOFTWARE,
		       PERF_COUNT_SW_TASK_CLOCK, false) == 0);
	EXPECT(dwell_count_read(&counter, &before) == 0);
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_cpu < CPU_TIME_NS)
		;
	EXPECT(dwell_count_read(&counter, &after) == 0);
	count = dwell_count_between(&before, &after);
	EXPECT(count >= CPU_TIME_NS / 2);
	EXPECT(count <= 2 * (clock_ns(CLOCK_MONOTONIC) - start));
	EXPECT(after.enabled_ns == after.running_ns);
	dwell_count_close(&counter);
}

static void count_in_the_kernel(void)
{
	const struct timespec pause = { 0, 1000000 };
	struct dwell_counter counter;
	struct dwell_count before, after;

	EXPECT(dwell_count_open(&counter, PERF_TYPE_SOFTWARE,
		       PERF_COUNT_SW_CONTEXT_SWITCHES, true) == 0);
	EXPECT(dwell_count_read(&counter, &before) == 0);
	for (int i = 0; i < 10; i++)
		nanosleep(&pause, NULL);
	EXPECT(dwell_count_read(&counter, &after) == 0);
	EXPECT(dwell_count_between(&before, &after) > 0);
	dwell_count_close(&counter);
}

/* Returns whether COUNTER can be read without a system call. */
static bool is_read_by_program(const struct dwell_counter *counter)
{
#ifdef DWELL_COUNT_PROCESSOR
	struct dwell_count count;

	return counter->page && dwell_count_read_page(counter->page, &count);
#else
	return counter->page != NULL;
#endif
}

/* A count without a system call is between two counts by system calls. */
static void count_cycles(void)
{
	struct dwell_counter counter, by_system_call;
	struct dwell_count before, count, after;
	int n = 0;

	if (dwell_count_open(&counter, PERF_TYPE_HARDWARE,
		    PERF_COUNT_HW_CPU_CYCLES, false) < 0)
		return;
	by_system_call = counter;
	by_system_call.page = NULL;
	for (int i = 0; i < 1000; i++) {
		EXPECT(dwell_count_read(&by_system_call, &before) == 0);
		EXPECT(dwell_count_read(&counter, &count) == 0);
		EXPECT(dwell_count_read(&by_system_call, &after) == 0);
		EXPECT(before.value <= count.value);
		EXPECT(count.value <= after.value);
		EXPECT(count.running_ns <= count.enabled_ns);
		n += is_read_by_program(&counter);
	}
	EXPECT(after.value > 0);
	dwell_count_close(&counter);
	printf("%d counts of cycles needed no system call\n", n);
}

int main(int argc, char **argv)
{
	struct dwell_counter none;

	(void)argv;
	EXPECT(dwell_count_open(&none, 0xffffffff, 0, false) < 0);
	count_page_faults();
	count_cpu_time();
	count_cycles();
	if (argc > 1)
		count_in_the_kernel();
	return 0;
}
