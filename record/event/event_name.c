/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/event_name.h"

#include <ctype.h>

#include "common/perf/abi.h"
#include "common/util/alloc.h"
#include "common/util/spell_suggest.h"

/*
 * Hardware cache events by perf's names: CACHE[-OP][-RESULT], such as
 * L1-dcache-load-misses. Each word has aliases; the numbers are those of
 * linux/perf_event.h, PERF_COUNT_HW_CACHE_*.
 */

#define ALIASES_MAX 5u

enum {
	OP_READ = 1u << PERF_COUNT_HW_CACHE_OP_READ,
	OP_WRITE = 1u << PERF_COUNT_HW_CACHE_OP_WRITE,
	OP_PREFETCH = 1u << PERF_COUNT_HW_CACHE_OP_PREFETCH,
	OP_ALL = OP_READ | OP_WRITE | OP_PREFETCH,
};

/*
 * A cache, an operation or a result in the name of a cache event. The first
 * alias is the canonical name. Names are case-sensitive.
 */
struct cache_word {
	const char *aliases[ALIASES_MAX];
	const char *with_misses; /* an operation before "-misses": "load" */
	unsigned ops;		 /* operations that a cache can count */
};

static const struct cache_word caches[] = {
	[PERF_COUNT_HW_CACHE_L1D] = { .aliases = { "L1-dcache", "l1-d", "l1d",
					      "L1-data" },
		.ops = OP_ALL },
	[PERF_COUNT_HW_CACHE_L1I] = { .aliases = { "L1-icache", "l1-i", "l1i",
					      "L1-instruction" },
		.ops = OP_READ | OP_PREFETCH },
	[PERF_COUNT_HW_CACHE_LL] = { .aliases = { "LLC", "L2" },
		.ops = OP_ALL },
	[PERF_COUNT_HW_CACHE_DTLB] = { .aliases = { "dTLB", "d-tlb",
					       "Data-TLB" },
		.ops = OP_ALL },
	[PERF_COUNT_HW_CACHE_ITLB] = { .aliases = { "iTLB", "i-tlb",
					       "Instruction-TLB" },
		.ops = OP_READ },
	[PERF_COUNT_HW_CACHE_BPU] = { .aliases = { "branch", "branches", "bpu",
					      "btb", "bpc" },
		.ops = OP_READ },
	[PERF_COUNT_HW_CACHE_NODE] = { .aliases = { "node" }, .ops = OP_ALL },
};

static const struct cache_word ops[] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = { .aliases = { "loads", "load",
						  "read" },
		.with_misses = "load" },
	[PERF_COUNT_HW_CACHE_OP_WRITE] = { .aliases = { "stores", "store",
						   "write" },
		.with_misses = "store" },
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = { .aliases = { "prefetches",
						      "prefetch",
						      "speculative-read",
						      "speculative-load" },
		.with_misses = "prefetch" },
};

static const struct cache_word results[] = {
	[PERF_COUNT_HW_CACHE_RESULT_ACCESS] = { .aliases = { "refs",
							"Reference", "ops",
							"access" } },
	[PERF_COUNT_HW_CACHE_RESULT_MISS] = { .aliases = { "misses", "miss" } },
};

/*
 * Returns the index in TABLE of the word at the start of *NAME, which ends at a
 * '-' or at the end of *NAME, and moves *NAME behind the word and the '-'.
 * Returns -1 if no word of TABLE matches.
 */
static int take_cache_word(
	const struct cache_word *table, size_t n, const char **name)
{
	size_t i, j;

	for (i = 0; i < n; i++)
		for (j = 0; j < ALIASES_MAX && table[i].aliases[j]; j++) {
			size_t length = strlen(table[i].aliases[j]);
			const char *end = *name + length;

			if (!string_starts(*name, table[i].aliases[j]) ||
				(*end && *end != '-'))
				continue;
			*name = *end ? end + 1 : end;
			return (int)i;
		}
	return -1;
}

static uint64_t cache_config(int cache, int op, int result)
{
	return (uint64_t)cache | (uint64_t)op << 8 | (uint64_t)result << 16;
}

/*
 * Sets CONFIG_RET for PERF_TYPE_HW_CACHE. Returns false if NAME is no cache
 * event.
 */
static bool event_cache_find(const char *name, uint64_t *config_ret)
{
	bool ends_in_dash = *name && name[strlen(name) - 1] == '-';
	int cache = take_cache_word(caches, ARRAY_SIZE(caches), &name);
	int op = -1, result = -1, i;

	if (cache < 0 || ends_in_dash)
		return false;
	/*
	 * The operation and the result are optional and can be in either order.
	 */
	for (i = 0; i < 2; i++) {
		if (op < 0)
			op = take_cache_word(ops, ARRAY_SIZE(ops), &name);
		if (result < 0)
			result = take_cache_word(
				results, ARRAY_SIZE(results), &name);
	}
	op = MAX(op, PERF_COUNT_HW_CACHE_OP_READ);
	if (*name || !(caches[cache].ops >> op & 1))
		return false;
	*config_ret = cache_config(
		cache, op, MAX(result, PERF_COUNT_HW_CACHE_RESULT_ACCESS));
	return true;
}

void event_cache_each(
	void (*visit)(void *data, const char *name, uint64_t config),
	void *data)
{
	int cache, op, result;

	for (cache = 0; cache < (int)ARRAY_SIZE(caches); cache++)
		for (op = 0; op < (int)ARRAY_SIZE(ops); op++)
			for (result = 0; result < 2; result++) {
				_cleanup_free_ char *name = NULL;

				if (!(caches[cache].ops >> op & 1))
					continue;
				name = xasprintf("%s-%s%s",
					caches[cache].aliases[0],
					result ? ops[op].with_misses
					       : ops[op].aliases[0],
					result ? "-misses" : "");
				visit(data, name,
					cache_config(cache, op, result));
			}
}

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
	{ "cgroup-switches", NULL, PERF_TYPE_SOFTWARE, ABI_SW_CGROUP_SWITCHES,
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
	/*
	 * Parse a raw event: the letter r, then only hexadecimal digits
	 * ("r1a8").
	 */
	char *end;

	if (name[0] != 'r' || !isxdigit((unsigned char)name[1]))
		return false;
	*config_ret = strtoull(name + 1, &end, 16);
	return *end == '\0' && end - name <= 17;
}

static void suggest_event_name(void *data, const char *name)
{
	spell_suggest_offer(data, name);
}

static void suggest_cache_event(
	void *data, const char *name, uint64_t config _unused_)
{
	spell_suggest_offer(data, name);
}

static void suggest_event_names(struct spell_suggest *nearest)
{
	const struct event_name *row;

	for (row = event_names; row->name; row++)
		spell_suggest_offer(nearest, row->name);
}

struct error *event_unknown(const char *name, const struct pmus *pmus)
{
	struct error *err = error_usage("-e: there is no event '%s'", name);
	struct spell_suggest nearest;

	spell_suggest_init(&nearest, name);
	suggest_event_names(&nearest);
	event_cache_each(suggest_cache_event, &nearest);
	array_each(&pmus->list, pmu)
		pmu_each_event(pmus, pmu, suggest_event_name, &nearest);
	if (nearest.best[0])
		return spell_suggest_hint(&nearest, err);
	return error_hint(err, "see: dwell list");
}

struct error *event_unknown_pmu(const char *name, const struct pmus *pmus)
{
	struct error *err =
		error_usage("-e: there is no event or PMU '%s'", name);
	struct spell_suggest nearest;

	spell_suggest_init(&nearest, name);
	array_each(&pmus->list, pmu)
		spell_suggest_offer(&nearest, pmu->name);
	suggest_event_names(&nearest);
	if (string_starts(name, "cpu") && !nearest.best[0])
		return error_hint(err,
			"this machine has no PMU of its CPUs (a virtual "
			"machine?)");
	return spell_suggest_hint(&nearest, err);
}
