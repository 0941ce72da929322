/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/event_name.h"

#include <ctype.h>

#include "common/perf/abi.h"
#include "record/event/event_cache.h"

#define HARDWARE(id) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id
#define SOFTWARE(id) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id

static const struct event_name event_names[] = {
	{ "cycles", "cpu-cycles", HARDWARE(CPU_CYCLES),
		"clock cycles of the core" },
	{ "instructions", NULL, HARDWARE(INSTRUCTIONS),
		"executed instructions" },
	{ "cache-references", NULL, HARDWARE(CACHE_REFERENCES),
		"accesses to the last-level cache (on most CPUs)" },
	{ "cache-misses", NULL, HARDWARE(CACHE_MISSES),
		"misses of the last-level cache (on most CPUs)" },
	{ "branches", "branch-instructions", HARDWARE(BRANCH_INSTRUCTIONS),
		"executed branches" },
	{ "branch-misses", NULL, HARDWARE(BRANCH_MISSES),
		"mispredicted branches" },
	{ "bus-cycles", NULL, HARDWARE(BUS_CYCLES), "clock cycles of the bus" },
	{ "stalled-cycles-frontend", "idle-cycles-frontend",
		HARDWARE(STALLED_CYCLES_FRONTEND),
		"cycles in which no instruction could be issued" },
	{ "stalled-cycles-backend", "idle-cycles-backend",
		HARDWARE(STALLED_CYCLES_BACKEND),
		"cycles in which no instruction could complete" },
	{ "ref-cycles", NULL, HARDWARE(REF_CPU_CYCLES),
		"cycles at a constant frequency" },
	{ "cpu-clock", NULL, SOFTWARE(CPU_CLOCK),
		"time, by a timer of the CPU" },
	{ "task-clock", NULL, SOFTWARE(TASK_CLOCK),
		"running time of the task, by a timer" },
	{ "page-faults", "faults", SOFTWARE(PAGE_FAULTS), "page faults" },
	{ "minor-faults", NULL, SOFTWARE(PAGE_FAULTS_MIN),
		"page faults without disk access" },
	{ "major-faults", NULL, SOFTWARE(PAGE_FAULTS_MAJ),
		"page faults with disk access" },
	{ "context-switches", "cs", SOFTWARE(CONTEXT_SWITCHES),
		"switches from one task to another" },
	{ "cpu-migrations", "migrations", SOFTWARE(CPU_MIGRATIONS),
		"migrations of a task to another CPU" },
	{ "alignment-faults", NULL, SOFTWARE(ALIGNMENT_FAULTS),
		"unaligned accesses that the kernel had to handle" },
	{ "emulation-faults", NULL, SOFTWARE(EMULATION_FAULTS),
		"instructions that the kernel had to emulate" },
	{ "cgroup-switches", NULL, SOFTWARE(CGROUP_SWITCHES),
		"switches to a task of another cgroup" },
	{ "bpf-output", NULL, SOFTWARE(BPF_OUTPUT),
		"output of BPF programs by bpf_perf_event_output()" },
	{ "dummy", NULL, SOFTWARE(DUMMY), "an event that never occurs" },
	{ .name = NULL },
};

const struct event_name *event_name_table(void)
{
	return event_names;
}

/* Parses a raw event: the letter r, then only hexadecimal digits ("r1a8"). */
static bool find_raw_event(const char *name, uint64_t *config)
{
	char *end;

	if (name[0] != 'r' || !isxdigit((unsigned char)name[1]))
		return false;
	*config = strtoull(name + 1, &end, 16);
	return *end == '\0' && end - name <= 17;
}

bool event_name_find(const char *name, uint32_t *type_ret, uint64_t *config_ret)
{
	const struct event_name *row;

	for (row = event_names; row->name; row++)
		if (string_is(row->name, name) ||
			(row->alias && string_is(row->alias, name))) {
			*type_ret = row->type;
			*config_ret = row->config;
			return true;
		}
	*type_ret = PERF_TYPE_HW_CACHE;
	if (event_cache_find(name, config_ret))
		return true;
	*type_ret = PERF_TYPE_RAW;
	return find_raw_event(name, config_ret);
}
