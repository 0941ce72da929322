/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/rows/fields.h"

#include <strings.h>

#include "common/util/spell_suggest.h"

static const struct field *const parts[] = {
	field_code,
	field_task,
	field_numbers,
	field_sample,
	field_memory,
	field_branch,
	field_trace,
	field_input,
};

static bool has_namespaces(const struct perf_event_attr *attr)
{
	return attr->namespaces;
}

/*
 * Samples with one of these bits can show it, or those of a recording with such
 * an event; in a file with this section.
 */
static const struct need {
	uint64_t bits; /* PERF_SAMPLE_* */
	const char *what;
	const char *options; /* of dwell record; NULL: it has none for it */
	unsigned feature;    /* 0: none */
	bool (*is_told)(const struct perf_event_attr *attr); /* NULL: bits */
} needs[FIELD_NEEDS] = {
	[NEEDS_BRANCHES] = { PERF_SAMPLE_BRANCH_STACK, "branch stacks", "-b" },
	[NEEDS_DATA_SRC] = { PERF_SAMPLE_DATA_SRC, "data sources", "-d" },
	[NEEDS_ADDR] = { PERF_SAMPLE_ADDR, "data addresses", "-d" },
	[NEEDS_WEIGHT] = { PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT,
		"weights", "-W" },
	[NEEDS_LATENCY] = { PERF_SAMPLE_WEIGHT_STRUCT, "latencies", "-W" },
	[NEEDS_TRANSACTION] = { PERF_SAMPLE_TRANSACTION, "transactions" },
	[NEEDS_PHYS_ADDR] = { PERF_SAMPLE_PHYS_ADDR, "physical addresses",
		"--phys-data" },
	[NEEDS_CGROUP] = { ABI_SAMPLE_CGROUP, "control groups",
		"--all-cgroups" },
	[NEEDS_NAMESPACES] = { 0, "namespaces", "--namespaces",
		.is_told = has_namespaces },
	[NEEDS_DATA_PAGE_SIZE] = { PERF_SAMPLE_DATA_PAGE_SIZE,
		"sizes of data pages", "--data-page-size" },
	[NEEDS_CODE_PAGE_SIZE] = { PERF_SAMPLE_CODE_PAGE_SIZE,
		"sizes of code pages", "--code-page-size" },
	[NEEDS_SOCKETS] = { PERF_SAMPLE_CPU, "sockets of CPUs",
		.feature = FEATURE_CPU_TOPOLOGY },
	[NEEDS_NODES] = { PERF_SAMPLE_CPU, "nodes of CPUs",
		.feature = FEATURE_NUMA_TOPOLOGY },
	[NEEDS_TRACES] = { PERF_SAMPLE_RAW, "data of tracepoints",
		"-R -e SYSTEM:EVENT" },
	[NEEDS_TIME] = { PERF_SAMPLE_TIME, "times" },
};

const struct field *field_at(size_t i)
{
	size_t part;

	for (part = 0; part < ARRAY_SIZE(parts); part++) {
		const struct field *field;

		for (field = parts[part]; field->name; field++)
			if (i-- == 0)
				return field;
	}
	return NULL;
}

/*
 * perf's keys in the order in which it looks for what a word may be short for:
 * those of all reports, numbers, those of branches, those of memory (perf 6.1,
 * perf report -h).
 */
static const char *const perf_keys[] = {
	"pid", "comm", "dso", "symbol", "parent", "cpu", "socket", "srcline",
	"srcfile", "local_weight", "weight", "transaction", "trace",
	"symbol_size", "dso_size", "cgroup", "cgroup_id", "ipc_null", "time",
	"code_page_size", "local_ins_lat", "ins_lat", "local_p_stage_cyc",
	"p_stage_cyc", "addr",
	"overhead", "overhead_sys", "overhead_us", "overhead_guest_sys",
	"overhead_guest_us", "overhead_children", "sample", "period",
	"dso_from", "dso_to", "symbol_from", "symbol_to", "mispredict",
	"abort", "in_tx", "cycles", "srcline_from", "srcline_to", "ipc_lbr",
	"addr_from", "addr_to",
	"symbol_daddr", "dso_daddr", "locked", "tlb", "mem", "snoop",
	"dcacheline", "symbol_iaddr", "phys_daddr", "data_page_size",
	"blocked",
};

/* The key that NAME is short for, or NAME. */
static const char *spell_out(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(perf_keys); i++)
		if (!strncasecmp(perf_keys[i], name, strlen(name)))
			return perf_keys[i];
	return name;
}

char *field_next_name(char **rest)
{
	char *word;

	do
		word = strsep(rest, ", ");
	while (word && !*word);
	return word;
}

static const struct field *find_exactly(const char *name)
{
	const struct field *field;
	size_t i;

	if (string_is(name, "symbol"))
		name = "sym";
	if (string_is(name, "children"))
		name = "overhead_children";
	for (i = 0; (field = field_at(i)); i++)
		if (string_is(field->name, name))
			return field;
	return NULL;
}

const struct field *field_find(const char *name)
{
	const struct field *field = find_exactly(name);

	return field ? field : find_exactly(spell_out(name));
}

/* perf's that dwell has not. */
static const struct foreign {
	const char *name, *what;
} foreign[] = {
	{ "type", "the types of variables" },
	{ "ipc_null", "the instructions of the code" },
	{ "ipc_lbr", "the instructions of the code" },
};

struct error *field_unknown(const char *option, const char *name)
{
	_cleanup_strbuf_ struct strbuf known = { 0 };
	const struct field *field;
	struct nearest nearest;
	struct error *err;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(foreign); i++)
		if (string_is(spell_out(name), foreign[i].name))
			return error_usage("%s: '%s' needs %s, which dwell "
					   "doesn't read",
				option, foreign[i].name, foreign[i].what);
	nearest_init(&nearest, name);
	for (i = 0; (field = field_at(i)); i++) {
		nearest_offer(&nearest, field->name);
		strbuf_printf(&known, "%s%s", i ? ", " : "", field->name);
	}
	err = error_usage("%s: there is no field '%s' in this recording",
		option, name);
	if (nearest.best[0])
		return nearest_hint(&nearest, err);
	return error_hint(err, "there are those of its tracepoints, and %s",
		known.at);
}

bool field_is_there(const struct field *field, const struct reader *reader)
{
	const struct need *need = &needs[field->needs];
	size_t i;

	if (field->needs == NEEDS_NOTHING)
		return true;
	if (need->feature && !feature_is_present(reader_features(reader),
				     need->feature))
		return false;
	for (i = 0; i < reader_n_events(reader); i++) {
		const struct perf_event_attr *attr =
			&reader_event(reader, i)->attr;

		if (need->is_told ? need->is_told(attr)
				  : attr->sample_type & need->bits)
			return true;
	}
	return false;
}

struct error *field_explain(
	const struct field *field, const struct reader *reader)
{
	const struct need *need = &needs[field->needs];

	struct error *err = error_new("%s: there are no %s, which '%s' shows",
		reader_path(reader), need->what, field->name);

	if (need->options)
		err = error_hint(err, "'dwell record %s' records them",
			need->options);
	return err;
}
