/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target of sysfs and tracefs: any bytes in the files that describe events
 * and the machine's topology. The input is the files' contents, separated by
 * '%'.
 */
#include "config.h"

#include "record/event/event.h"
#include "record/event/event_list.h"
#include "record/sys/hardware.h"
#include "record/sys/topology.h"
#include "tests/fuzz/machine.h"

#define INPUT_MAX KIB(16)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CPU "sys/devices/system/cpu/cpu0/"
#define NODE "sys/devices/system/node/"

static const char *const files[] = { "devices/p/type", "devices/p/cpus",
	"devices/p/caps/max_precise", "devices/p/format/x",
	"devices/p/format/y", "devices/p/events/e", "devices/q_1/type",
	"devices/q_1/cpumask", "tracing/events/g/n/id",
	"tracing/events/g/n/format", CPU "topology/package_cpus_list",
	CPU "topology/core_cpus_list", CPU "topology/die_cpus_list",
	CPU "topology/core_id", CPU "cache/index0/shared_cpu_list",
	CPU "cache/index0/level", CPU "cache/index0/type",
	CPU "cache/index0/size", NODE "online", NODE "node0/cpulist",
	NODE "node0/meminfo", NODE "node0/memory7/state",
	"sys/devices/system/memory/block_size_bytes",
	"devices/p/events/e.scale", "devices/p/events/e.unit",
	"devices/p/events/e.snapshot", CPU "topology/die_id",
	CPU "topology/physical_package_id" };

static int open_none(const struct opener *opener _unused_,
	const struct perf_event_attr *attr _unused_, pid_t pid _unused_,
	int cpu _unused_)
{
	return -1;
}

static void put_files(const uint8_t *data, size_t size)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		const uint8_t *end = memchr(data, '%', size);
		size_t n = end ? (size_t)(end - data) : size;

		machine_put(files[i], data, n);
		data += MIN(n + 1, size);
		size -= MIN(n + 1, size);
	}
}

static void add(const char *text, const struct pmus *pmus, const char *tracefs)
{
	struct selection selection = { .tracefs = tracefs };

	error_free(event_select(&selection, text, pmus));
	selection_deinit(&selection);
}

static void describe_machine(void)
{
	static const unsigned bits[] = { FEATURE_CPU_TOPOLOGY,
		FEATURE_NUMA_TOPOLOGY, FEATURE_CACHE, FEATURE_MEM_TOPOLOGY };
	struct features features = { .cpus_available = 2 };
	_cleanup_strbuf_ struct strbuf text = { 0 };
	char root[256];
	size_t i;

	memccpy(root, machine_path(""), 0, sizeof(root));
	hardware_cpu_read(root, &features);
	hardware_memory_read(root, &features);
	topology_read(root, 0);
	for (i = 0; i < ARRAY_SIZE(bits); i++)
		feature_print(&features, bits[i], &text);
	features_deinit(&features);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct opener opener = { .open = open_none };
	static char devices[256], tracing[256];
	struct event_list_request request = { .opener = &opener,
		.pmus = devices,
		.tracefs = tracing,
		.wants_descriptions = true };
	struct event_list catalog;
	struct pmus pmus;

	if (size > INPUT_MAX)
		return 0;
	memccpy(devices, machine_path("devices"), 0, sizeof(devices));
	memccpy(tracing, machine_path("tracing"), 0, sizeof(tracing));
	put_files(data, size);
	pmus_read(devices, &pmus);
	add("p/e/,p/x,y=1/,q/e/,cycles,r1", &pmus, tracing);
	add("e:P,p/x=0xffff,y/", &pmus, tracing);
	add("*:*", &pmus, tracing);
	pmus_deinit(&pmus);
	event_list_read(&request, &catalog);
	event_list_deinit(&catalog);
	describe_machine();
	return 0;
}
