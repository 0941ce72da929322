/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/unwind/unwound.h"

#include <inttypes.h>

static const struct {
	const char *name, *text;
} ends[UNWIND_ENDS] = {
	[UNWIND_ROOT] = { "root", NULL },
	[UNWIND_TRUNCATED] = { "truncated", "longer than their copy" },
	[UNWIND_NO_RULE] = { "no_rule", "end in code without unwinding rules" },
	[UNWIND_NO_CODE] = { "no_code", "lead to no code" },
	[UNWIND_DAMAGED] = { "damaged", "damaged" },
	[UNWIND_REGISTER] = { "register", "lack a register" },
	[UNWIND_LIMIT] = { "limit", "too long" },
	[UNWIND_ELSEWHERE] = { "elsewhere", "go on on another stack" },
	[UNWIND_ZERO] = { "zero", "end at a return address of 0" },
};

void unwound_add(struct unwound *into, const struct unwound *from)
{
	size_t i;

	into->stacks += from->stacks;
	into->empty += from->empty;
	into->limited += from->limited;
	into->no_file += from->no_file;
	into->completed += from->completed;
	into->joined += from->joined;
	into->spliced += from->spliced;
	into->guessed += from->guessed;
	for (i = 0; i < UNWIND_ENDS; i++)
		into->ends[i] += from->ends[i];
}

/* Returns the number of truncated stacks that were completed. */
static uint64_t completed_stacks(const struct unwound *unwound)
{
	return unwound->joined + unwound->completed;
}

/* Stacks of the requested depth count as complete. */
static double complete_percent(const struct unwound *unwound)
{
	uint64_t whole = unwound->ends[UNWIND_ROOT] +
		completed_stacks(unwound) + unwound->limited;

	return 100.0 * (double)whole /
		(double)(unwound->stacks ? unwound->stacks : 1);
}

/* Returns the number of stacks with END that are incomplete. */
static uint64_t incomplete_stacks(const struct unwound *unwound, size_t end)
{
	return unwound->ends[end] -
		(end == UNWIND_TRUNCATED ? completed_stacks(unwound) : 0);
}

static void put_unwound_part(uint64_t n, const char *text,
	const char **separator, struct strbuf *out)
{
	if (!n)
		return;
	strbuf_printf(out, "%s%" PRIu64 " %s", *separator, n, text);
	*separator = ", ";
}

void unwound_print(const struct unwound *unwound, struct strbuf *out)
{
	const char *separator = "; ";
	size_t i;

	strbuf_printf(out, "%" PRIu64 " (%.2f %% whole", unwound->stacks,
		complete_percent(unwound));
	if (unwound->joined)
		strbuf_printf(
			out, ", %" PRIu64 " of them joined", unwound->joined);
	if (unwound->completed)
		strbuf_printf(out, ", %" PRIu64 " of them read of the process",
			unwound->completed);
	if (unwound->limited)
		strbuf_printf(out,
			", %" PRIu64 " of them as deep as --max-stack allows",
			unwound->limited);
	for (i = 0; i < UNWIND_ENDS; i++)
		if (ends[i].text)
			put_unwound_part(incomplete_stacks(unwound, i),
				ends[i].text, &separator, out);
	put_unwound_part(unwound->no_file,
		"end in files that could not be opened", &separator, out);
	put_unwound_part(unwound->empty, "without a copy", &separator, out);
	separator = "; ";
	put_unwound_part(unwound->spliced, "of these go on by frame pointers",
		&separator, out);
	strbuf_putc(out, ')');
}

void unwound_put_json(
	const struct unwound *unwound, const char *key, struct json *json)
{
	size_t i;

	json_begin_object(json, key);
	json_unsigned(json, "stacks", unwound->stacks);
	json_fixed(json, "whole_percent", complete_percent(unwound), 4);
	json_unsigned(json, "joined", unwound->joined);
	json_unsigned(json, "completed", unwound->completed);
	json_unsigned(json, "spliced", unwound->spliced);
	json_unsigned(json, "guessed", unwound->guessed);
	json_begin_object(json, "ends");
	for (i = 0; i < UNWIND_ENDS; i++)
		json_unsigned(json, ends[i].name, unwound->ends[i]);
	if (unwound->no_file)
		json_unsigned(json, "no_file", unwound->no_file);
	json_unsigned(json, "empty", unwound->empty);
	json_unsigned(json, "limited", unwound->limited);
	json_end_object(json);
	json_end_object(json);
}

/* The recorder's names of counts in the section "meta" (doc/format.md). */
static const struct {
	const char *key;
	size_t at;
} recorded_counts[] = {
	{ "stacks", offsetof(struct unwound, stacks) },
	{ "stacks_whole", offsetof(struct unwound, ends[UNWIND_ROOT]) },
	{ "stacks_completed", offsetof(struct unwound, completed) },
	{ "stacks_joined", offsetof(struct unwound, joined) },
	{ "stacks_spliced", offsetof(struct unwound, spliced) },
	{ "stacks_framed", offsetof(struct unwound, spliced) },
	{ "stacks_guessed", offsetof(struct unwound, guessed) },
	{ "stacks_limited", offsetof(struct unwound, limited) },
	{ "stacks_empty", offsetof(struct unwound, empty) },
	{ "stacks_unfaulted", offsetof(struct unwound, empty) },
	{ "stacks_truncated",
		offsetof(struct unwound, ends[UNWIND_TRUNCATED]) },
	{ "stacks_no_rule", offsetof(struct unwound, ends[UNWIND_NO_RULE]) },
	{ "stacks_no_file", offsetof(struct unwound, no_file) },
	{ "stacks_no_code", offsetof(struct unwound, ends[UNWIND_NO_CODE]) },
	{ "stacks_damaged", offsetof(struct unwound, ends[UNWIND_DAMAGED]) },
	{ "stacks_register", offsetof(struct unwound, ends[UNWIND_REGISTER]) },
	{ "stacks_limit", offsetof(struct unwound, ends[UNWIND_LIMIT]) },
	{ "stacks_elsewhere",
		offsetof(struct unwound, ends[UNWIND_ELSEWHERE]) },
	{ "stacks_zero", offsetof(struct unwound, ends[UNWIND_ZERO]) },
};

static void add_recorded_count(
	struct unwound *unwound, const char *key, const char *value)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(recorded_counts); i++)
		if (string_is(key, recorded_counts[i].key))
			*(uint64_t *)((char *)unwound +
				recorded_counts[i].at) +=
				strtoull(value, NULL, 10);
}

struct unwound unwound_recorded(struct reader *reader)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	struct unwound unwound = { 0 };
	uint64_t *own_ends = unwound.ends;
	struct bytes b;

	if (!reader_section(reader, SECTION_META, META_VERSION, &raw))
		return unwound;
	b = bytes_of(raw.at, raw.n, false);
	while (b.ok) {
		const char *key = bytes_string(&b), *value = bytes_string(&b);

		if (b.ok)
			add_recorded_count(&unwound, key, value);
	}
	/* .ends counts completed stacks as truncated. A damaged file is
	 * ignored. */
	if (unwound.joined > own_ends[UNWIND_ROOT] ||
		unwound.completed > own_ends[UNWIND_ROOT] - unwound.joined)
		return (struct unwound){ 0 };
	own_ends[UNWIND_ROOT] -= unwound.joined + unwound.completed;
	own_ends[UNWIND_TRUNCATED] += unwound.joined + unwound.completed;
	return unwound;
}
