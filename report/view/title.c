/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/view/title.h"

#include <inttypes.h>

#include "common/util/escape.h"
#include "report/rows/group.h"

/* Writes 1126 as "1K", as perf does. */
static void put_short_count(struct strbuf *out, uint64_t n)
{
	const char *units = " KMGTPE";

	while (n >= 1000 && units[1]) {
		n /= 1000;
		units++;
	}
	strbuf_printf(out, "%" PRIu64, n);
	if (*units != ' ')
		strbuf_putc(out, *units);
}

/* Appends "cycles", or "anon group { cycles, instructions }". */
static void put_event_names(const struct result *result,
	const struct hist *hist, struct strbuf *out)
{
	const char *name;

	if (!hist->members.n) {
		escape_text(out, result_event(result, hist)->name);
		return;
	}
	group_size(&result->inputs, hist->event, true, &name);
	escape_text(out, *name ? name : "anon group");
	strbuf_puts(out, " { ");
	escape_text(out, result_event(result, hist)->name);
	array_each(&hist->members, member) {
		strbuf_puts(out, ", ");
		escape_text(out, result_event(result, member)->name);
	}
	strbuf_puts(out, " }");
}

void title_put_samples(const struct result *result, const struct hist *hist,
	struct strbuf *out)
{
	uint64_t samples = hist->samples;

	array_each(&hist->members, member)
		samples += member->samples;
	strbuf_puts(out, "Samples: ");
	put_short_count(out, samples);
	strbuf_printf(out, " of event%s '", hist->members.n ? "s" : "");
	put_event_names(result, hist, out);
	strbuf_putc(out, '\'');
}

void title_put_period(const struct hist *hist, struct strbuf *out)
{
	uint64_t period = hist->period;

	array_each(&hist->members, member)
		period += member->period;
	strbuf_printf(out, "Event count (approx.): %" PRIu64, period);
}
