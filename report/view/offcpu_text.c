/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was counted of switches, for people and for programs. */
#include "config.h"

#include <inttypes.h>

#include "common/util/log.h"
#include "report/survey/offcpu_time.h"

void offcpu_tell(const struct offcpu *offcpu, const struct reader *reader)
{
	if (offcpu->stacks == OFFCPU_NO_EVENT)
		log_note("%s: where threads left their CPUs wasn't recorded, "
			 "only when; 'dwell record --off-cpu' does that as "
			 "root or with kernel.perf_event_paranoid=1",
			reader_path(reader));
	if (!offcpu->has_wakings)
		log_note("%s: who was woken wasn't recorded: the time until "
			 "threads ran then counts as blocked",
			reader_path(reader));
}

static void put_number(struct strbuf *out, uint64_t n, const char *text)
{
	if (n)
		strbuf_printf(out, "; %" PRIu64 " %s", n, text);
}

void offcpu_counts_print(const struct offcpu_counts *counts, struct strbuf *out)
{
	size_t i;

	for (i = counts->ns[STATE_ON] ? STATE_ON : STATE_BLOCKED;
		i < THREAD_STATES; i++)
		strbuf_printf(out, "%.6f s %s%s",
			(double)counts->ns[i] / (double)NSEC_PER_SEC,
			thread_state_name((enum thread_state)i),
			i + 1 < THREAD_STATES ? ", " : "");
	strbuf_printf(out, "; %" PRIu64 " switches", counts->switches);
	put_number(out, counts->open, "of them until the recording ended");
	put_number(out, counts->brief, "too short to count");
	put_number(out, counts->lost,
		"left out, as records of switches were lost then");
	put_number(out, counts->unknown,
		"left out, as nothing tells how long they were");
}

void offcpu_counts_print_json(
	const struct offcpu_counts *counts, struct strbuf *out)
{
	size_t i;

	strbuf_putc(out, '{');
	for (i = 0; i < THREAD_STATES; i++)
		strbuf_printf(out, "\"%s_ns\": %" PRIu64 ", ",
			thread_state_name((enum thread_state)i), counts->ns[i]);
	strbuf_printf(out,
		"\"switches\": %" PRIu64 ", \"open\": %" PRIu64
		", \"brief\": %" PRIu64 ", \"lost\": %" PRIu64
		", \"unknown\": %" PRIu64 "}",
		counts->switches, counts->open, counts->brief, counts->lost,
		counts->unknown);
}
