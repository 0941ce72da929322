/* SPDX-License-Identifier: MIT-0 */
/*
 * Copyright 2026 the authors of dwell
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy
 * of this software and associated documentation files (the "Software"), to deal
 * in the Software without restriction, including without limitation the rights
 * to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
 * copies of the Software, and to permit persons to whom the Software is
 * furnished to do so.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
 * IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
 * FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
 * AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
 * LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
 * OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
 * SOFTWARE.
 */
/*
 * Counts events of the calling thread, in C11 and C++11 programs for Linux. In:
 * a type and a config of perf_event_open(2). Out: counts, and the times for
 * which they were counted. On x86-64 and aarch64, a hardware counter is read
 * without a system call if the kernel permits that. All other counts are read
 * by read(2). There is no library: include this file.
 * doc/how-to-count-in-your-program.md has an example.
 *
 * This file does not count other threads and processes; `dwell stat` does.
 */
#ifndef DWELL_COUNT_H
#define DWELL_COUNT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#if !defined(__cplusplus) && !defined(__USE_MISC)
extern long syscall(long number, ...); /* <unistd.h> lacks it with -std=c11 */
#endif

/*
 * A counter of the thread that opened it. Only this thread may use it: a child
 * process has no mapping of the page.
 */
struct dwell_counter {
	int fd;
	const struct dwell_count_page *page; /* NULL: read(2) is used */
};

/*
 * If there are more events than hardware counters, the kernel counts each event
 * only for a part of the time: running_ns is then less than enabled_ns.
 */
struct dwell_count {
	uint64_t value;
	uint64_t enabled_ns; /* since the counter was opened */
	uint64_t running_ns; /* for which the event was counted */
};

/*
 * Opens a counter for the calling thread, which counts at once. TYPE and CONFIG
 * are those of struct perf_event_attr. If COUNTS_KERNEL is false, only events
 * in user space are counted; events such as PERF_COUNT_SW_CONTEXT_SWITCHES
 * happen only in the kernel, and users may count them if
 * kernel.perf_event_paranoid is below 2. Returns 0, or -1 with the errno of
 * perf_event_open(2). A program with an open counter calls dwell_count_close().
 */
static inline int dwell_count_open(struct dwell_counter *counter, uint32_t type,
	uint64_t config, bool counts_kernel);

/*
 * Reads the count since the counter was opened. Returns 0, or -1 with the errno
 * of read(2). Where the kernel does not provide the clock of the counter, as in
 * some virtual machines, both times can be those of the last context switch.
 */
static inline int dwell_count_read(
	const struct dwell_counter *counter, struct dwell_count *ret);

/*
 * Returns what was counted between BEFORE and AFTER. If the event was counted
 * for a part of this time, this is an estimate for the whole time, and 0 if it
 * was not counted. An estimate that does not fit is UINT64_MAX.
 */
static inline uint64_t dwell_count_between(
	const struct dwell_count *before, const struct dwell_count *after);

/* Releases what dwell_count_open() opened. Reads of COUNTER then fail. */
static inline void dwell_count_close(struct dwell_counter *counter);

/*** The rest of this file is not for its users. ******************************/

/*
 * The start of struct perf_event_mmap_page. The headers of older systems lack
 * its last members.
 */
struct dwell_count_page {
	uint32_t version, compat_version;
	uint32_t lock;	 /* changes before and after each update */
	uint32_t index;	 /* 1 + number of the hardware counter; 0: none */
	uint64_t offset; /* of the count from the hardware counter */
	uint64_t time_enabled, time_running; /* ns, at the last update */
	uint64_t capabilities;
	uint16_t pmc_width;  /* bits */
	uint16_t time_shift; /* at most 32 */
	uint32_t time_mult;
	uint64_t time_offset, time_zero;
	uint32_t size, reserved;
	uint64_t time_cycles, time_mask;
};

enum {
	DWELL_COUNT_USER_RDPMC = 1 << 2,
	DWELL_COUNT_USER_TIME = 1 << 3,
	DWELL_COUNT_USER_TIME_SHORT = 1 << 5
};

/*
 * For each processor: dwell_count_pmc() reads the hardware counter INDEX, and
 * dwell_count_clock() the clock of the times. DWELL_COUNT_CONFIG1 requests the
 * permission to read counters. A program that defines DWELL_COUNT_PROCESSOR has
 * its own two functions, as the tests of this file do.
 */
#if defined(DWELL_COUNT_PROCESSOR)
#define DWELL_COUNT_CONFIG1 0
#elif defined(__x86_64__)
#define DWELL_COUNT_PROCESSOR
#define DWELL_COUNT_CONFIG1 0

static inline uint64_t dwell_count_pmc(uint32_t index)
{
	uint64_t low, high;

	__asm__ volatile("rdpmc"
			 : "=a"(low), "=d"(high)
			 : "c"(index)
			 : "memory");
	return high << 32 | low;
}

static inline uint64_t dwell_count_clock(void)
{
	uint64_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return high << 32 | low;
}

#elif defined(__AARCH64EL__)
#define DWELL_COUNT_PROCESSOR
#define DWELL_COUNT_CONFIG1 2

/*
 * The number is a part of the instruction. PMXEVCNTR_EL0 takes it from a
 * register, which the kernel does not save for each thread.
 */
#define DWELL_COUNT_CASE(n)                                   \
	case n:                                               \
		__asm__ volatile("mrs %0, pmevcntr" #n "_el0" \
				 : "=r"(value)                \
				 :                            \
				 : "memory");                 \
		break;
#define DWELL_COUNT_CASES(tens)   \
	DWELL_COUNT_CASE(tens##0) \
	DWELL_COUNT_CASE(tens##1) \
	DWELL_COUNT_CASE(tens##2) \
	DWELL_COUNT_CASE(tens##3) \
	DWELL_COUNT_CASE(tens##4) \
	DWELL_COUNT_CASE(tens##5) \
	DWELL_COUNT_CASE(tens##6) \
	DWELL_COUNT_CASE(tens##7) \
	DWELL_COUNT_CASE(tens##8) \
	DWELL_COUNT_CASE(tens##9)

static inline uint64_t dwell_count_pmc(uint32_t index)
{
	uint64_t value = 0;

	switch (index) {
		DWELL_COUNT_CASES()
		DWELL_COUNT_CASES(1)
		DWELL_COUNT_CASES(2)
		DWELL_COUNT_CASE(30)
	case 31:
		__asm__ volatile("mrs %0, pmccntr_el0"
				 : "=r"(value)
				 :
				 : "memory");
		break;
	}
	return value;
}

static inline uint64_t dwell_count_clock(void)
{
	uint64_t value;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(value) : : "memory");
	return value;
}
#else
#define DWELL_COUNT_CONFIG1 0
#endif

#ifdef DWELL_COUNT_PROCESSOR
/* Extends the signed number in the WIDTH low bits of PMC to 64 bits. */
static inline uint64_t dwell_count_extend(uint64_t pmc, unsigned width)
{
	uint64_t sign = UINT64_C(1) << (width - 1);

	return ((pmc & (2 * sign - 1)) ^ sign) - sign;
}

/* Returns the ns from the last update of PAGE until CLOCK. */
static inline uint64_t dwell_count_elapsed(
	const struct dwell_count_page *page, uint64_t clock)
{
	uint64_t rest;

	if (page->capabilities & DWELL_COUNT_USER_TIME_SHORT)
		clock = page->time_cycles +
			((clock - page->time_cycles) & page->time_mask);
	rest = clock & ((UINT64_C(1) << page->time_shift) - 1);
	return page->time_offset +
		(clock >> page->time_shift) * page->time_mult +
		(rest * page->time_mult >> page->time_shift);
}

/*
 * Returns whether PAGE and the hardware counter have the count. Without the
 * clock, the times of the last update are used, if no other event shared the
 * counter.
 */
static inline bool dwell_count_is_in(const struct dwell_count_page *page)
{
	return (page->capabilities & DWELL_COUNT_USER_RDPMC) && page->index &&
		page->pmc_width && page->pmc_width <= 64 &&
		((page->capabilities & DWELL_COUNT_USER_TIME) ||
			page->time_enabled == page->time_running);
}

#define DWELL_COUNT_LOAD(member) \
	now.member = __atomic_load_n(&page->member, __ATOMIC_RELAXED)

/*
 * Reads the count without a system call, or returns false. The kernel updates
 * PAGE when it switches to another thread or counter: its members and the
 * counter belong together if no update happened while they were read.
 */
static inline bool dwell_count_read_page(
	const struct dwell_count_page *page, struct dwell_count *ret)
{
	struct dwell_count_page now;
	uint64_t pmc, clock, elapsed = 0;

	do {
		now.lock = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
		DWELL_COUNT_LOAD(index);
		DWELL_COUNT_LOAD(offset);
		DWELL_COUNT_LOAD(time_enabled);
		DWELL_COUNT_LOAD(time_running);
		DWELL_COUNT_LOAD(capabilities);
		DWELL_COUNT_LOAD(pmc_width);
		DWELL_COUNT_LOAD(time_shift);
		DWELL_COUNT_LOAD(time_mult);
		DWELL_COUNT_LOAD(time_offset);
		DWELL_COUNT_LOAD(time_cycles);
		DWELL_COUNT_LOAD(time_mask);
		if (!dwell_count_is_in(&now))
			return false;
		pmc = dwell_count_pmc(now.index - 1);
		clock = dwell_count_clock();
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while ((now.lock & 1) ||
		now.lock != __atomic_load_n(&page->lock, __ATOMIC_RELAXED));

	if (now.capabilities & DWELL_COUNT_USER_TIME)
		elapsed = dwell_count_elapsed(&now, clock);
	ret->value = now.offset + dwell_count_extend(pmc, now.pmc_width);
	ret->enabled_ns = now.time_enabled + elapsed;
	ret->running_ns = now.time_running + elapsed;
	return true;
}
#undef DWELL_COUNT_LOAD
#endif

static inline int dwell_count_open(struct dwell_counter *counter, uint32_t type,
	uint64_t config, bool counts_kernel)
{
	struct perf_event_attr attr;
	void *page = MAP_FAILED;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = type;
	attr.config = config;
	attr.exclude_kernel = !counts_kernel;
	attr.exclude_hv = !counts_kernel;
	attr.read_format =
		PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE ||
		type == PERF_TYPE_RAW)
		attr.config1 = DWELL_COUNT_CONFIG1;
	counter->page = NULL;
	counter->fd = (int)syscall(
		SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (counter->fd < 0)
		return -1;
#ifdef DWELL_COUNT_PROCESSOR
	page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED,
		counter->fd, 0);
#endif
	if (page != MAP_FAILED)
		counter->page = (const struct dwell_count_page *)page;
	return 0;
}

static inline int dwell_count_read(
	const struct dwell_counter *counter, struct dwell_count *ret)
{
#ifdef DWELL_COUNT_PROCESSOR
	if (counter->page && dwell_count_read_page(counter->page, ret))
		return 0;
#endif
	return read(counter->fd, ret, sizeof(*ret)) == sizeof(*ret) ? 0 : -1;
}

static inline uint64_t dwell_count_increase(uint64_t before, uint64_t after)
{
	return after > before ? after - before : 0;
}

static inline uint64_t dwell_count_between(
	const struct dwell_count *before, const struct dwell_count *after)
{
	uint64_t value = dwell_count_increase(before->value, after->value);
	uint64_t enabled =
		dwell_count_increase(before->enabled_ns, after->enabled_ns);
	uint64_t running =
		dwell_count_increase(before->running_ns, after->running_ns);
	double rest;

	if (running >= enabled)
		return value;
	if (!running)
		return 0;
	rest = (double)(value % running) * (double)enabled / (double)running;
	if (__builtin_mul_overflow(value / running, enabled, &value) ||
		__builtin_add_overflow(value, (uint64_t)rest, &value))
		return UINT64_MAX;
	return value;
}

static inline void dwell_count_close(struct dwell_counter *counter)
{
	if (counter->page)
		munmap((void *)(uintptr_t)counter->page,
			(size_t)sysconf(_SC_PAGESIZE));
	close(counter->fd);
	counter->page = NULL;
	counter->fd = -1;
}

#endif
