/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/unwound.h"

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
};

void unwound_add(struct unwound *into, const struct unwound *from)
{
	size_t i;

	into->stacks += from->stacks;
	into->joined += from->joined;
	into->spliced += from->spliced;
	into->guessed += from->guessed;
	for (i = 0; i < UNWIND_ENDS; i++)
		into->ends[i] += from->ends[i];
}

double unwound_whole(const struct unwound *unwound)
{
	uint64_t whole = unwound->ends[UNWIND_ROOT] + unwound->joined;

	return 100.0 * (double)whole /
		(double)(unwound->stacks ? unwound->stacks : 1);
}

/* Those of that END that are still not whole. */
static uint64_t rest_of(const struct unwound *unwound, size_t end)
{
	return unwound->ends[end] -
		(end == UNWIND_TRUNCATED ? unwound->joined : 0);
}

void unwound_print(const struct unwound *unwound, struct strbuf *out)
{
	const char *separator = "; ";
	size_t i;

	strbuf_printf(out, "%" PRIu64 " (%.2f %% whole", unwound->stacks,
		unwound_whole(unwound));
	if (unwound->joined)
		strbuf_printf(out, ", %" PRIu64 " of them joined",
			unwound->joined);
	for (i = 0; i < UNWIND_ENDS; i++) {
		uint64_t n = rest_of(unwound, i);

		if (!ends[i].text || !n)
			continue;
		strbuf_printf(
			out, "%s%" PRIu64 " %s", separator, n, ends[i].text);
		separator = ", ";
	}
	strbuf_putc(out, ')');
}

void unwound_print_json(const struct unwound *unwound, struct strbuf *out)
{
	size_t i;

	strbuf_printf(out,
		"{\"stacks\": %" PRIu64 ", \"whole_percent\": %.4f"
		", \"joined\": %" PRIu64 ", \"spliced\": %" PRIu64
		", \"guessed\": %" PRIu64 ", \"ends\": {",
		unwound->stacks, unwound_whole(unwound), unwound->joined,
		unwound->spliced, unwound->guessed);
	for (i = 0; i < UNWIND_ENDS; i++)
		strbuf_printf(out, "%s\"%s\": %" PRIu64, i ? ", " : "",
			ends[i].name, unwound->ends[i]);
	strbuf_puts(out, "}}");
}
