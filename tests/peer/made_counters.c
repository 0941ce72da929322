/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A library for LD_PRELOAD: perf_event_open(2) opens a dummy event for each
 * event, which read(2) answers with a value and times that depend only on the
 * event. sync(2) only prints a line.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FDS_MAX 1024

static struct made_counter {
	int is_open;
	uint64_t value, running;
} counters[FDS_MAX];

static struct made_counter counter_of(const struct perf_event_attr *attr)
{
	static const uint64_t hardware[] = { 6000000000, 3000000000, 4000000,
		1000000, 1000000000, 5000000, 777, 1500000000, 3600000000, 5 };
	uint32_t config = (uint32_t)attr->config;
	struct made_counter ret = { 1, 12345678, 1000000 };

	if (attr->type == PERF_TYPE_HARDWARE && config < 10)
		ret.value = hardware[config];
	if (attr->type == PERF_TYPE_HARDWARE &&
		config == PERF_COUNT_HW_BRANCH_MISSES)
		ret.running = 250000;
	if (attr->type == PERF_TYPE_HW_CACHE)
		ret.value = config >> 16 ? 250000 + config : 7000000 + config;
	if (attr->type == PERF_TYPE_SOFTWARE &&
		config == PERF_COUNT_SW_TASK_CLOCK)
		ret.value = 2000000000;
	return ret;
}

/* Opens a dummy event in place of that of ATTR, which a caller can make larger.
 */
static long open_dummy(
	long (*next)(long, ...), struct perf_event_attr *attr, const long *args)
{
	struct made_counter made = counter_of(attr);
	uint64_t config = attr->config;
	uint32_t type = attr->type;
	long fd;

	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	fd = next(
		SYS_perf_event_open, attr, args[1], args[2], args[3], args[4]);
	attr->type = type;
	attr->config = config;
	if (fd >= 0 && fd < FDS_MAX)
		counters[fd] = made;
	return fd;
}

long syscall(long number, ...)
{
	long (*next)(long, ...) =
		(long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	long args[6];
	va_list list;
	int i;

	va_start(list, number);
	for (i = 0; i < 6; i++)
		args[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_perf_event_open)
		return open_dummy(
			next, (struct perf_event_attr *)args[0], args);
	return next(
		number, args[0], args[1], args[2], args[3], args[4], args[5]);
}

int close(int fd)
{
	int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "close");

	if (fd >= 0 && fd < FDS_MAX)
		counters[fd].is_open = 0;
	return next(fd);
}

ssize_t read(int fd, void *buf, size_t size)
{
	ssize_t (*next)(int, void *, size_t) =
		(ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
	uint64_t *words = buf;
	ssize_t ret = next(fd, buf, size);

	if (ret >= 24 && fd < FDS_MAX && counters[fd].is_open) {
		words[0] = counters[fd].value;
		words[1] = 1000000;
		words[2] = counters[fd].running;
	}
	return ret;
}

ssize_t __read_chk(int fd, void *buf, size_t size, size_t room)
{
	(void)room;
	return read(fd, buf, size);
}

void sync(void)
{
	puts("sync");
	fflush(stdout);
}
