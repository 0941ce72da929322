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
	into->completed += from->completed;
	into->joined += from->joined;
	into->spliced += from->spliced;
	into->guessed += from->guessed;
	for (i = 0; i < UNWIND_ENDS; i++)
		into->ends[i] += from->ends[i];
}

/* Of those that are longer than their copy. */
static uint64_t made_whole(const struct unwound *unwound)
{
	return unwound->joined + unwound->completed;
}

/* In percent of all; those that were cut on purpose lack nothing. */
static double whole_percent(const struct unwound *unwound)
{
	uint64_t whole = unwound->ends[UNWIND_ROOT] + made_whole(unwound) +
		unwound->limited;

	return 100.0 * (double)whole /
		(double)(unwound->stacks ? unwound->stacks : 1);
}

/* Those of that END that are still not whole. */
static uint64_t rest_of(const struct unwound *unwound, size_t end)
{
	return unwound->ends[end] -
		(end == UNWIND_TRUNCATED ? made_whole(unwound) : 0);
}

static void put_part(uint64_t n, const char *text, const char **separator,
	struct strbuf *out)
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
		whole_percent(unwound));
	if (unwound->joined)
		strbuf_printf(out, ", %" PRIu64 " of them joined",
			unwound->joined);
	if (unwound->completed)
		strbuf_printf(out, ", %" PRIu64 " of them read of the process",
			unwound->completed);
	if (unwound->limited)
		strbuf_printf(out,
			", %" PRIu64 " of them as deep as --max-stack allows",
			unwound->limited);
	for (i = 0; i < UNWIND_ENDS; i++)
		if (ends[i].text)
			put_part(rest_of(unwound, i), ends[i].text, &separator,
				out);
	put_part(unwound->empty, "without a copy", &separator, out);
	separator = "; ";
	put_part(unwound->spliced, "of these go on by frame pointers",
		&separator, out);
	strbuf_putc(out, ')');
}

void unwound_print_json(const struct unwound *unwound, struct strbuf *out)
{
	size_t i;

	strbuf_printf(out,
		"{\"stacks\": %" PRIu64 ", \"whole_percent\": %.4f"
		", \"joined\": %" PRIu64 ", \"completed\": %" PRIu64
		", \"spliced\": %" PRIu64
		", \"guessed\": %" PRIu64 ", \"ends\": {",
		unwound->stacks, whole_percent(unwound), unwound->joined,
		unwound->completed, unwound->spliced, unwound->guessed);
	for (i = 0; i < UNWIND_ENDS; i++)
		strbuf_printf(out, "%s\"%s\": %" PRIu64, i ? ", " : "",
			ends[i].name, unwound->ends[i]);
	strbuf_printf(out, ", \"empty\": %" PRIu64 ", \"limited\": %" PRIu64 "}}",
		unwound->empty, unwound->limited);
}
