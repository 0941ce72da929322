/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/rows/fields.h"

#include <strings.h>

#include "common/perf/abi.h"
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

/*
 * A recording has the data of a field if an event has one of the sample_type
 * .bits, or for FIELD_NEEDS_NAMESPACES attr.namespaces; and if the file has the
 * section .feature.
 */
static const struct field_source {
	uint64_t bits; /* PERF_SAMPLE_* */
	const char *what;
	const char *options; /* options of dwell record; NULL: no option */
	unsigned feature;    /* section of the file; 0: no section needed */
} needs[FIELD_NEEDS] = {
	[FIELD_NEEDS_BRANCHES] = { PERF_SAMPLE_BRANCH_STACK, "branch stacks",
		"-b" },
	[FIELD_NEEDS_DATA_SRC] = { PERF_SAMPLE_DATA_SRC, "data sources", "-d" },
	[FIELD_NEEDS_ADDR] = { PERF_SAMPLE_ADDR, "data addresses", "-d" },
	[FIELD_NEEDS_WEIGHT] = { PERF_SAMPLE_WEIGHT | ABI_SAMPLE_WEIGHT_STRUCT,
		"weights", "-W" },
	[FIELD_NEEDS_LATENCY] = { ABI_SAMPLE_WEIGHT_STRUCT, "latencies", "-W" },
	[FIELD_NEEDS_TRANSACTION] = { PERF_SAMPLE_TRANSACTION, "transactions" },
	[FIELD_NEEDS_PHYS_ADDR] = { PERF_SAMPLE_PHYS_ADDR, "physical addresses",
		"--phys-data" },
	[FIELD_NEEDS_CGROUP] = { ABI_SAMPLE_CGROUP, "control groups",
		"--all-cgroups" },
	[FIELD_NEEDS_NAMESPACES] = { 0, "namespaces", "--namespaces" },
	[FIELD_NEEDS_DATA_PAGE_SIZE] = { ABI_SAMPLE_DATA_PAGE_SIZE,
		"sizes of data pages", "--data-page-size" },
	[FIELD_NEEDS_CODE_PAGE_SIZE] = { ABI_SAMPLE_CODE_PAGE_SIZE,
		"sizes of code pages", "--code-page-size" },
	[FIELD_NEEDS_SOCKETS] = { PERF_SAMPLE_CPU, "sockets of CPUs",
		.feature = FEATURE_CPU_TOPOLOGY },
	[FIELD_NEEDS_NODES] = { PERF_SAMPLE_CPU, "nodes of CPUs",
		.feature = FEATURE_NUMA_TOPOLOGY },
	[FIELD_NEEDS_TRACES] = { PERF_SAMPLE_RAW, "data of tracepoints",
		"-R -e SYSTEM:EVENT" },
	[FIELD_NEEDS_TIME] = { PERF_SAMPLE_TIME, "times" },
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
 * The keys of perf in the order in which perf looks for abbreviations: general
 * keys, numbers, branches, memory (perf 6.1, perf report -h).
 */
static const char *const perf_keys[] = {
	"pid",
	"comm",
	"dso",
	"symbol",
	"parent",
	"cpu",
	"socket",
	"srcline",
	"srcfile",
	"local_weight",
	"weight",
	"transaction",
	"trace",
	"symbol_size",
	"dso_size",
	"cgroup",
	"cgroup_id",
	"ipc_null",
	"time",
	"code_page_size",
	"local_ins_lat",
	"ins_lat",
	"local_p_stage_cyc",
	"p_stage_cyc",
	"addr",
	"overhead",
	"overhead_sys",
	"overhead_us",
	"overhead_guest_sys",
	"overhead_guest_us",
	"overhead_children",
	"sample",
	"period",
	"dso_from",
	"dso_to",
	"symbol_from",
	"symbol_to",
	"mispredict",
	"abort",
	"in_tx",
	"cycles",
	"srcline_from",
	"srcline_to",
	"ipc_lbr",
	"addr_from",
	"addr_to",
	"symbol_daddr",
	"dso_daddr",
	"locked",
	"tlb",
	"mem",
	"snoop",
	"dcacheline",
	"symbol_iaddr",
	"phys_daddr",
	"data_page_size",
	"blocked",
};

/* Returns the perf key that NAME abbreviates, or NAME if there is none. */
static const char *expand_field_name(const char *name)
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

static const struct field *find_exact_field(const char *name)
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
	const struct field *field = find_exact_field(name);

	return field ? field : find_exact_field(expand_field_name(name));
}

COMPLETER(field_complete)
{
	const struct field *field;
	size_t i;

	completion_skip(completion, "+, ");
	for (i = 0; (field = field_at(i)); i++)
		completion_offer(completion, field->name, NULL);
}

COMPLETER(field_complete_keys)
{
	const struct field *field;
	size_t i;

	completion_skip(completion, "+, ");
	for (i = 0; (field = field_at(i)); i++)
		if (field->kind == FIELD_KEY)
			completion_offer(completion, field->name, NULL);
}

/* Keys of perf that dwell does not have. */
static const struct unsupported_field {
	const char *name, *what;
} unsupported_fields[] = {
	{ "type", "the types of variables" },
	{ "ipc_null", "the instructions of the code" },
	{ "ipc_lbr", "the instructions of the code" },
};

struct error *field_unknown(const char *option, const char *name)
{
	_cleanup_strbuf_ struct strbuf known = { 0 };
	const struct field *field;
	struct spell_suggest nearest;
	struct error *err;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(unsupported_fields); i++)
		if (string_is(expand_field_name(name),
			    unsupported_fields[i].name))
			return error_usage(
				"%s: dwell does not support '%s', because "
				"it does not read %s",
				option, unsupported_fields[i].name,
				unsupported_fields[i].what);
	spell_suggest_init(&nearest, name);
	for (i = 0; (field = field_at(i)); i++) {
		spell_suggest_offer(&nearest, field->name);
		strbuf_printf(&known, "%s%s", i ? ", " : "", field->name);
	}
	err = error_usage("%s: unknown field '%s'", option, name);
	if (nearest.best[0])
		return spell_suggest_hint(&nearest, err);
	return error_hint(err,
		"use a field of a recorded tracepoint, or one of: %s",
		known.at);
}

bool field_is_recorded(const struct field *field, const struct reader *reader)
{
	const struct field_source *need = &needs[field->needs];
	size_t i;

	if (field->needs == FIELD_NEEDS_NOTHING)
		return true;
	if (need->feature &&
		!feature_is_present(reader_features(reader), need->feature))
		return false;
	for (i = 0; i < reader_n_events(reader); i++) {
		const struct perf_event_attr *attr =
			&reader_event(reader, i)->attr;

		if (attr->sample_type & need->bits ||
			(field->needs == FIELD_NEEDS_NAMESPACES &&
				attr->namespaces))
			return true;
	}
	return false;
}

struct error *field_explain(
	const struct field *field, const struct reader *reader)
{
	const struct field_source *need = &needs[field->needs];

	struct error *err =
		error_new("%s: the recording has no %s, which field '%s' needs",
			reader_path(reader), need->what, field->name);

	if (need->options)
		err = error_hint(err, "to record them, use 'dwell record %s'",
			need->options);
	return err;
}
