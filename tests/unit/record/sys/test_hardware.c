/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests CPUs, caches, nodes and memory of a simulated machine: two sockets,
 * each a node, with two cores of two threads.
 */
#include "config.h"

#include "tests/unit/testing.h"

#include <stdio.h>

#include "tests/unit/make_folder.h"
#include "record/sys/hardware.h"

#define SYSTEM "sys/devices/system/"

struct fixture {
	struct folder root;
	struct features features;
};

static void put(const struct fixture *f, const char *text, const char *format,
	...) _printf_(3, 4);

static void put(
	const struct fixture *f, const char *text, const char *format, ...)
{
	char name[128];
	va_list args;

	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	folder_put(&f->root, name, text);
}

static void put_cache(const struct fixture *f, unsigned cpu, unsigned index,
	const char *const fields[4])
{
	static const char *const names[] = { "level", "type", "size",
		"shared_cpu_list" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		put(f, fields[i], SYSTEM "cpu/cpu%u/cache/index%u/%s", cpu,
			index, names[i]);
}

static void put_cpu(const struct fixture *f, unsigned cpu, bool has_dies)
{
	static const char *const packages[] = { "0-1,4-5\n", "2-3,6-7\n" };
	static const char *const cores[] = { "0,4\n", "1,5\n", "2,6\n",
		"3,7\n" };
	unsigned socket = cpu / 2 % 2;
	/* The larger cache is first: levels are sorted. */
	const char *const l2[] = { "2\n", "Unified\n", "1024K\n",
		packages[socket] };
	const char *const l1[] = { "1\n", "Data\n", "32K\n", cores[cpu % 4] };

	put(f, packages[socket], SYSTEM "cpu/cpu%u/topology/package_cpus_list",
		cpu);
	put(f, cores[cpu % 4], SYSTEM "cpu/cpu%u/topology/core_cpus_list", cpu);
	put(f, cpu % 2 ? "1\n" : "0\n", SYSTEM "cpu/cpu%u/topology/core_id",
		cpu);
	put(f, socket ? "1\n" : "0\n",
		SYSTEM "cpu/cpu%u/topology/physical_package_id", cpu);
	if (has_dies) {
		put(f, packages[socket],
			SYSTEM "cpu/cpu%u/topology/die_cpus_list", cpu);
		put(f, "0\n", SYSTEM "cpu/cpu%u/topology/die_id", cpu);
	}
	put_cache(f, cpu, 0, l2);
	put_cache(f, cpu, 1, l1);
}

static void put_nodes(const struct fixture *f)
{
	put(f, "0-1\n", SYSTEM "node/online");
	put(f, "0-1,4-5\n", SYSTEM "node/node0/cpulist");
	put(f,
		"Node 0 MemTotal:       16000 kB\n"
		"Node 0 MemFree:         9000 kB\n",
		SYSTEM "node/node0/meminfo");
	put(f, "2-3,6-7\n", SYSTEM "node/node1/cpulist");
	put(f, "Node 1 MemTotal:       8000 kB\n", SYSTEM "node/node1/meminfo");
}

static void put_blocks(const struct fixture *f)
{
	static const unsigned of_first[] = { 0, 1, 2, 7, 64 };
	size_t i;

	put(f, "8000000\n", SYSTEM "memory/block_size_bytes");
	for (i = 0; i < ARRAY_SIZE(of_first); i++)
		put(f, "", SYSTEM "node/node0/memory%u/state", of_first[i]);
	put(f, "", SYSTEM "node/node1/memory70/state");
	put(f, "", SYSTEM "node/node1/memory/state");
	put(f, "", SYSTEM "node/node1/memory3x/state");
	put(f, "", SYSTEM "node/node1/memory99999999999/state");
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	folder_make(&f->root);
	f->features.cpus_available = 9;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	features_deinit(&f->features);
	folder_remove(&f->root);
	free(f);
	return 0;
}

/* Reads sysfs, writes the section, and reads and prints it as a report does. */
static void assert_lines(struct fixture *f, unsigned bit, const char *wanted)
{
	_cleanup_strbuf_ struct strbuf body = { 0 }, text = { 0 };
	struct features found = { .cpus_available =
					  f->features.cpus_available };

	hardware_cpu_read(f->root.path, &f->features);
	hardware_memory_read(f->root.path, &f->features);
	assert_true(feature_is_present(&f->features, bit));
	assert_true(feature_write(&f->features, bit, &body));
	/* Streams contain padding. */
	strbuf_align(&body, 8);
	assert_true(
		feature_read(&found, bit, bytes_of(body.at, body.n, false)));
	feature_print(&found, bit, &text);
	assert_text(&text, wanted);
	features_deinit(&found);
}

static void put_cpus(const struct fixture *f, bool has_dies)
{
	unsigned cpu;

	for (cpu = 0; cpu < 8; cpu++)
		put_cpu(f, cpu, has_dies);
}

static void sockets_dies_and_threads_are_written(void **state)
{
	struct fixture *f = *state;

	put_cpus(f, true);
	assert_lines(f, FEATURE_CPU_TOPOLOGY,
		"# sibling sockets : 0-1,4-5\n"
		"# sibling sockets : 2-3,6-7\n"
		"# sibling dies    : 0-1,4-5\n"
		"# sibling dies    : 2-3,6-7\n"
		"# sibling threads : 0,4\n"
		"# sibling threads : 1,5\n"
		"# sibling threads : 2,6\n"
		"# sibling threads : 3,7\n"
		"# CPU 0: Core ID 0, Die ID 0, Socket ID 0\n"
		"# CPU 1: Core ID 1, Die ID 0, Socket ID 0\n"
		"# CPU 2: Core ID 0, Die ID 0, Socket ID 1\n"
		"# CPU 3: Core ID 1, Die ID 0, Socket ID 1\n"
		"# CPU 4: Core ID 0, Die ID 0, Socket ID 0\n"
		"# CPU 5: Core ID 1, Die ID 0, Socket ID 0\n"
		"# CPU 6: Core ID 0, Die ID 0, Socket ID 1\n"
		"# CPU 7: Core ID 1, Die ID 0, Socket ID 1\n"
		"# CPU 8: Core ID -1, Die ID -1, Socket ID -1\n");
	assert_int_equal(machine_socket(&f->features.topology, 6), 1);
}

/*
 * As on arm64. With one CPU, the padding of the section has the size of a die.
 */
static void dies_are_left_out_on_a_machine_without_dies(void **state)
{
	struct fixture *f = *state;

	f->features.cpus_available = 1;
	put_cpu(f, 0, false);
	assert_lines(f, FEATURE_CPU_TOPOLOGY,
		"# sibling sockets : 0-1,4-5\n"
		"# sibling threads : 0,4\n"
		"# CPU 0: Core ID 0, Socket ID 0\n");
}

static void topology_files_with_the_names_of_old_kernels_are_read(void **state)
{
	struct fixture *f = *state;

	f->features.cpus_available = 1;
	put(f, "0\n", SYSTEM "cpu/cpu0/topology/core_siblings_list");
	put(f, "0\n", SYSTEM "cpu/cpu0/topology/thread_siblings_list");
	put(f, "0\n", SYSTEM "cpu/cpu0/topology/core_id");
	put(f, "3\n", SYSTEM "cpu/cpu0/topology/physical_package_id");
	assert_lines(f, FEATURE_CPU_TOPOLOGY,
		"# sibling sockets : 0\n"
		"# sibling threads : 0\n"
		"# CPU 0: Core ID 0, Socket ID 3\n");
}

static void a_shared_cache_is_written_once(void **state)
{
	struct fixture *f = *state;

	put_cpus(f, true);
	assert_lines(f, FEATURE_CACHE,
		"# CPU cache info:\n"
		"#  L1 Data                 32K [0,4]\n"
		"#  L1 Data                 32K [1,5]\n"
		"#  L1 Data                 32K [2,6]\n"
		"#  L1 Data                 32K [3,7]\n"
		"#  L2 Unified            1024K [0-1,4-5]\n"
		"#  L2 Unified            1024K [2-3,6-7]\n");
}

static void numa_nodes_are_written_with_memory_and_cpus(void **state)
{
	struct fixture *f = *state;

	put_nodes(f);
	assert_lines(f, FEATURE_NUMA_TOPOLOGY,
		"# node0 meminfo  : total = 16000 kB, free = 9000 kB\n"
		"# node0 cpu list : 0-1,4-5\n"
		"# node1 meminfo  : total = 8000 kB, free = 0 kB\n"
		"# node1 cpu list : 2-3,6-7\n");
	assert_int_equal(machine_node(&f->features.topology, 5), 0);
	assert_int_equal(machine_node(&f->features.topology, 7), 1);
}

static void a_numa_node_can_have_no_cpus(void **state)
{
	struct fixture *f = *state;

	put_nodes(f);
	put(f, "\n", SYSTEM "node/node0/cpulist");
	assert_lines(f, FEATURE_NUMA_TOPOLOGY,
		"# node0 meminfo  : total = 16000 kB, free = 9000 kB\n"
		"# node0 cpu list : \n"
		"# node1 meminfo  : total = 8000 kB, free = 0 kB\n"
		"# node1 cpu list : 2-3,6-7\n");
}

static void memory_blocks_are_written_by_numa_node(void **state)
{
	struct fixture *f = *state;

	put_nodes(f);
	put_blocks(f);
	assert_lines(f, FEATURE_MEM_TOPOLOGY,
		"# memory nodes (nr 2, block size 0x8000000):\n"
		"#    0 [640M]: 0-2,7,64\n"
		"#    1 [128M]: 70\n");
}

static void features_of_missing_sysfs_files_are_omitted(void **state)
{
	struct fixture *f = *state;

	hardware_cpu_read(f->root.path, &f->features);
	hardware_memory_read(f->root.path, &f->features);
	assert_int_equal(f->features.present[0], 0);
}

static void features_of_invalid_sysfs_files_are_omitted(void **state)
{
	static const char *const wrong[] = { "", "0\x1b[31m", "-", "x",
		"0-,\xff", "99999999999999999999" };
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		const char *const cache[] = { "1", wrong[i], "1K", "0" };
		const char *const shared[] = { "1", "Data", "1K", wrong[i] };
		const char *const deep[] = { "99", "Data", "1K", "0" };

		put_cache(f, 0, 0, deep);
		put_cache(f, 0, 1, shared);
		put_cache(f, 1, 0, cache);
		put(f, wrong[i], SYSTEM "cpu/cpu0/topology/package_cpus_list");
		put(f, wrong[i], SYSTEM "node/online");
		hardware_cpu_read(f->root.path, &f->features);
		hardware_memory_read(f->root.path, &f->features);
		assert_int_equal(f->features.present[0], 0);
	}
	put(f, "0", SYSTEM "node/online");
	put(f, "0\x1b[31m", SYSTEM "node/node0/cpulist");
	put(f, "0", SYSTEM "memory/block_size_bytes");
	hardware_memory_read(f->root.path, &f->features);
	assert_int_equal(f->features.present[0], 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(sockets_dies_and_threads_are_written),
		TEST(dies_are_left_out_on_a_machine_without_dies),
		TEST(topology_files_with_the_names_of_old_kernels_are_read),
		TEST(a_shared_cache_is_written_once),
		TEST(numa_nodes_are_written_with_memory_and_cpus),
		TEST(a_numa_node_can_have_no_cpus),
		TEST(memory_blocks_are_written_by_numa_node),
		TEST(features_of_missing_sysfs_files_are_omitted),
		TEST(features_of_invalid_sysfs_files_are_omitted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
