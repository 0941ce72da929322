/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/unwind/stack_counts_text.h"

#include <inttypes.h>

#include "common/file/meta_section.h"

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

/*
 * Returns the percentage of complete stacks. Stacks of the requested depth
 * count as complete.
 */
static double complete_percent(const struct stack_counts *counts)
{
	return 100.0 * (double)(counts->whole + counts->limited) /
		(double)(counts->all ? counts->all : 1);
}

static void put_unwound_part(uint64_t n, const char *text,
	const char **separator, struct strbuf *out)
{
	if (!n)
		return;
	strbuf_printf(out, "%s%" PRIu64 " %s", *separator, n, text);
	*separator = ", ";
}

void stack_counts_text_put(
	const struct stack_counts *counts, struct strbuf *out)
{
	const char *separator = "; ";
	size_t i;

	strbuf_printf(out, "%" PRIu64 " (%.2f %% complete", counts->all,
		complete_percent(counts));
	if (counts->joined)
		strbuf_printf(out, ", %" PRIu64 " completed from other samples",
			counts->joined);
	if (counts->completed)
		strbuf_printf(out, ", %" PRIu64 " completed from the process",
			counts->completed);
	if (counts->limited)
		strbuf_printf(out,
			", %" PRIu64 " as deep as --max-stack allows",
			counts->limited);
	for (i = 0; i < UNWIND_ENDS; i++)
		if (ends[i].text)
			put_unwound_part(
				counts->ends[i], ends[i].text, &separator, out);
	put_unwound_part(counts->no_file,
		"end in files that could not be opened", &separator, out);
	put_unwound_part(counts->empty + counts->unfaulted, "without a copy",
		&separator, out);
	separator = "; ";
	put_unwound_part(counts->spliced + counts->framed,
		"continue by frame pointers", &separator, out);
	strbuf_putc(out, ')');
}

void stack_counts_text_put_json(
	const struct stack_counts *counts, const char *key, struct json *json)
{
	uint64_t completed = counts->joined + counts->completed;
	size_t i;

	json_begin_object(json, key);
	json_unsigned(json, "stacks", counts->all);
	json_fixed(json, "whole_percent", complete_percent(counts), 4);
	json_unsigned(json, "joined", counts->joined);
	json_unsigned(json, "completed", counts->completed);
	json_unsigned(json, "spliced", counts->spliced + counts->framed);
	json_unsigned(json, "guessed", counts->guessed);
	json_begin_object(json, "ends");
	for (i = 0; i < UNWIND_ENDS; i++) {
		uint64_t n = counts->ends[i];

		/* In JSON, completed stacks count as truncated. */
		if (i == UNWIND_ROOT)
			n = counts->whole - completed;
		else if (i == UNWIND_TRUNCATED)
			n += completed;
		json_unsigned(json, ends[i].name, n);
	}
	if (counts->no_file)
		json_unsigned(json, "no_file", counts->no_file);
	json_unsigned(json, "empty", counts->empty + counts->unfaulted);
	json_unsigned(json, "limited", counts->limited);
	json_end_object(json);
	json_end_object(json);
}

struct stack_counts stack_counts_text_recorded(struct reader *reader)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	struct stack_counts counts = { 0 };
	struct bytes meta = meta_section_read(reader, &raw);
	const char *key, *value;

	while (meta_section_next(&meta, &key, &value))
		stack_counts_read(&counts, key, value);
	/* Counts that are damaged are ignored. */
	if (counts.joined > counts.whole ||
		counts.completed > counts.whole - counts.joined)
		return (struct stack_counts){ 0 };
	return counts;
}
