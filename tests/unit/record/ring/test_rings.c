/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the sizes of ring buffers on simulated machines. */
#include "config.h"

#include "tests/unit/testing.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/ring/rings.h"

static void up_to_128_cpus_have_ring_buffers_of_full_size(void **state)
{
	(void)state;
	assert_int_equal(rings_good_size(1, true), MIB(1));
	assert_int_equal(rings_good_size(128, true), MIB(1));
	assert_int_equal(rings_good_size(1, false), KIB(512));
	assert_int_equal(rings_good_size(256, false), KIB(512));
}

static void ring_buffers_of_more_than_128_cpus_share_128_mib(void **state)
{
	(void)state;
	assert_int_equal(rings_good_size(129, true), KIB(512));
	assert_int_equal(rings_good_size(256, true), KIB(512));
	assert_int_equal(rings_good_size(257, true), KIB(256));
	assert_int_equal(rings_good_size(257, false), KIB(256));
}

static void each_cpu_has_a_ring_buffer_of_at_least_256_kib(void **state)
{
	(void)state;
	assert_int_equal(rings_good_size(513, true), KIB(256));
	assert_int_equal(rings_good_size(8192, false), KIB(256));
}

/* Opens a memory file instead of an event: it can be mapped as well. */
static int open_memory(const struct opener *opener,
	const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	size_t *n = opener->data;
	int fd = memfd_create("ring", MFD_CLOEXEC);

	(void)attr;
	(void)pid;
	(void)cpu;
	(*n)++;
	if (fd >= 0 && ftruncate(fd, 8 * 1024 * 1024) < 0)
		return -1;
	return fd;
}

static void open_rings(size_t n_cpus, size_t wanted, struct ring_set *ret)
{
	size_t n_opened = 0;
	const struct opener opener = { .open = open_memory, .data = &n_opened };
	const struct perf_event_attr attr = { 0 };
	struct cpus cpus = { 0 };
	const struct rings_plan plan = { &opener, &cpus, &cpus, &attr, &attr,
		wanted };
	char list[32];

	snprintf(list, sizeof(list), "0-%zu", n_cpus - 1);
	assert_true(cpus_parse(list, &cpus));
	assert_int_equal(rings_open(ret, &plan), 0);
	assert_int_equal(n_opened, 2 * n_cpus);
	cpus_deinit(&cpus);
}

static void ring_buffers_of_256_cpus_are_opened_in_reduced_size(void **state)
{
	struct ring_set rings;

	(void)state;
	open_rings(256, 0, &rings);
	assert_int_equal(rings.n, 256);
	assert_int_equal(rings.sample_size, KIB(512));
	assert_int_equal(rings.samples[255].ring.size, KIB(512));
	assert_int_equal(rings.sideband[255].ring.size, KIB(128));
	rings_close(&rings);
}

static void a_requested_ring_buffer_size_is_used(void **state)
{
	struct ring_set rings;

	(void)state;
	open_rings(256, MIB(1), &rings);
	assert_int_equal(rings.sample_size, MIB(1));
	assert_int_equal(rings.samples[0].ring.size, MIB(1));
	rings_close(&rings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(up_to_128_cpus_have_ring_buffers_of_full_size),
		cmocka_unit_test(
			ring_buffers_of_more_than_128_cpus_share_128_mib),
		cmocka_unit_test(
			each_cpu_has_a_ring_buffer_of_at_least_256_kib),
		cmocka_unit_test(
			ring_buffers_of_256_cpus_are_opened_in_reduced_size),
		cmocka_unit_test(a_requested_ring_buffer_size_is_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
