/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a sample carries: weights, transactions, control groups, page sizes. */
#include "config.h"

#include "report/rows/field.h"

#include <inttypes.h>
#include <stdio.h>

/* The parts of PERF_SAMPLE_WEIGHT_STRUCT: u32 weight, two u16. */
static uint64_t take_latency(const struct take_source *source)
{
	return source->type & PERF_SAMPLE_WEIGHT_STRUCT
		? source->sample->weight >> 32 & UINT16_MAX
		: 0;
}

static uint64_t take_stage(const struct take_source *source)
{
	return source->type & PERF_SAMPLE_WEIGHT_STRUCT
		? source->sample->weight >> 48
		: 0;
}

static uint64_t take_transaction(const struct take_source *source)
{
	return source->sample->transaction;
}

static uint64_t take_cgroup(const struct take_source *source)
{
	return source->sample->cgroup;
}

/* The place of what is there in the survey's, from 1; 0: nothing tells. */
static uint64_t take_namespace(const struct take_source *source)
{
	const struct namespaces *all = &source->survey->namespaces;
	const struct namespace *own =
		namespaces_find(all, source->sample->tid, source->time);

	return own ? (uint64_t)(own - all->at.at) + 1 : 0;
}

static uint64_t take_code_page_size(const struct take_source *source)
{
	return source->sample->code_page_size;
}

static void transaction_text(const struct field_names *names _unused_,
	uint64_t value, struct strbuf *out)
{
	static const struct {
		uint64_t bit;
		const char *name;
	} bits[] = {
		{ PERF_TXN_ELISION, "EL" },
		{ PERF_TXN_TRANSACTION, "TX" },
		{ PERF_TXN_SYNC, "SYNC" },
		{ PERF_TXN_ASYNC, "ASYNC" },
		{ PERF_TXN_RETRY, "RETRY" },
		{ PERF_TXN_CONFLICT, "CON" },
		{ PERF_TXN_CAPACITY_WRITE, "CAP-WRITE" },
		{ PERF_TXN_CAPACITY_READ, "CAP-READ" },
	};
	uint64_t abort_code = value >> PERF_TXN_ABORT_SHIFT;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bits); i++)
		if (value & bits[i].bit)
			strbuf_printf(out, "%s ", bits[i].name);
	if (value && !(value & (PERF_TXN_SYNC | PERF_TXN_ASYNC)))
		strbuf_puts(out, "NEITHER ");
	if (abort_code)
		strbuf_printf(out, ":%" PRIx64, abort_code);
}

/* Ids are of one machine's boot: paths are what inputs have in common. */
static uint64_t cgroup_value(const struct field_names *names,
	const struct context *context, uint32_t location _unused_,
	const uint64_t *taken)
{
	const struct input *input = &names->inputs->at.at[context->input];
	const char *path = control_groups_path(&input->survey.cgroups, *taken);

	return texts_number(names->texts,
		path ? path : *taken ? "unknown" : "N/A");
}

static uint64_t namespace_value(const struct field_names *names,
	const struct context *context, uint32_t location _unused_,
	const uint64_t *taken)
{
	const struct input *input = &names->inputs->at.at[context->input];
	struct namespace own = { 0 };
	char text[64];

	if (*taken)
		own = input->survey.namespaces.at.at[*taken - 1];
	snprintf(text, sizeof(text), "%" PRIu64 "/0x%" PRIx64, own.device,
		own.inode);
	return texts_number(names->texts, text);
}

void field_size_text(const struct field_names *names _unused_, uint64_t value,
	struct strbuf *out)
{
	const char *units = "BKMG";

	while (value >= KIB(1) && units[1]) {
		value /= KIB(1);
		units++;
	}
	if (value)
		strbuf_printf(out, "%" PRIu64 "%c", value, *units);
	else
		strbuf_puts(out, "N/A");
}

const struct field field_sample[] = {
	{ "local_weight", "Local Weight", .needs = NEEDS_WEIGHT,
		.is_number = true, .is_descending = true,
		.take = { take_weight }, .text = field_number_text },
	{ "weight", "Weight", .needs = NEEDS_WEIGHT, .is_number = true,
		.is_descending = true, .is_per_sample = true,
		.take = { take_weight }, .text = field_number_text },
	{ "local_ins_lat", "Local INSTR Latency", .needs = NEEDS_LATENCY,
		.is_number = true, .is_descending = true,
		.take = { take_latency }, .text = field_number_text },
	{ "ins_lat", "INSTR Latency", .needs = NEEDS_LATENCY,
		.is_number = true, .is_descending = true,
		.is_per_sample = true, .take = { take_latency },
		.text = field_number_text },
	{ "local_p_stage_cyc", "Local Pipeline Stage Cycle",
		.needs = NEEDS_LATENCY, .is_number = true,
		.is_descending = true, .take = { take_stage },
		.text = field_number_text },
	{ "p_stage_cyc", "Pipeline Stage Cycle", .needs = NEEDS_LATENCY,
		.is_number = true, .is_descending = true,
		.is_per_sample = true, .take = { take_stage },
		.text = field_number_text },
	{ "transaction", "Transaction", .needs = NEEDS_TRANSACTION,
		.take = { take_transaction }, .text = transaction_text },
	{ "cgroup", "Cgroup", .needs = NEEDS_CGROUP, .take = { take_cgroup },
		.value = cgroup_value, .text = field_text_text },
	{ "cgroup_id", "cgroup id (dev/inode)", .needs = NEEDS_NAMESPACES,
		.take = { take_namespace }, .value = namespace_value,
		.text = field_text_text },
	{ "code_page_size", "Code Page Size", .needs = NEEDS_CODE_PAGE_SIZE,
		.take = { take_code_page_size }, .text = field_size_text },
	{ 0 },
};
