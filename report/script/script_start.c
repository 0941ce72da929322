/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/script/script_start.h"

#include "common/util/escape.h"
#include "report/script/script_number.h"

void script_starts_deinit(struct script_starts *starts)
{
	strbuf_free(&starts->comm);
}

static void put_start_comm(struct script_starts *starts,
	const struct script_start *start, bool is_narrow, struct strbuf *out)
{
	struct strbuf *text = &starts->comm;
	char unnamed[SURVEY_COMM_SIZE];

	strbuf_clear(text);
	escape_text(text,
		survey_comm(
			starts->survey, start->comm, start->subject, unnamed));
	if (!is_narrow && text->n < 16)
		strbuf_fill(out, ' ', 16 - text->n);
	strbuf_put(out, text->at, text->n);
	strbuf_putc(out, ' ');
}

static uint64_t relative_time(struct script_starts *starts, uint64_t time)
{
	uint64_t since = starts->since;

	if (starts->clock == SCRIPT_CLOCK_FILE)
		return time;
	if (!starts->has_since || starts->clock == SCRIPT_CLOCK_LAST)
		starts->since = time;
	if (!starts->has_since)
		since = time;
	starts->has_since = true;
	return time > since ? time - since : 0;
}

static void put_start_time(
	struct script_starts *starts, uint64_t time, struct strbuf *out)
{
	uint64_t shown = relative_time(starts, time);

	script_number_put(out, shown / NSEC_PER_SEC, 5);
	strbuf_putc(out, '.');
	if (starts->has_ns)
		script_number_put_zeros(out, shown % NSEC_PER_SEC, 9);
	else
		script_number_put_zeros(out, shown % NSEC_PER_SEC / 1000, 6);
	strbuf_puts(out, ": ");
}

static void put_start_task(
	const struct script_start *start, uint32_t fields, struct strbuf *out)
{
	bool has_pid = script_has(fields, SCRIPT_PID);
	bool has_tid = script_has(fields, SCRIPT_TID);

	if (!has_pid && !has_tid)
		return;
	script_number_put_id(out, has_pid ? start->pid : start->tid, 5);
	if (has_pid && has_tid) {
		strbuf_putc(out, '/');
		script_number_put_id_left(out, start->tid, 5);
	}
	strbuf_putc(out, ' ');
}

void script_starts_put(struct script_starts *starts, uint32_t fields,
	bool is_narrow, const struct script_start *start, struct strbuf *out)
{
	if (script_has(fields, SCRIPT_COMM))
		put_start_comm(starts, start, is_narrow, out);
	put_start_task(start, fields, out);
	if (script_has(fields, SCRIPT_CPU)) {
		strbuf_putc(out, '[');
		script_number_put_zeros(out, start->cpu, 3);
		strbuf_puts(out, "] ");
	}
	if (script_has(fields, SCRIPT_MISC))
		strbuf_printf(out, "%-6s", start->misc);
	if (script_has(fields, SCRIPT_TIME))
		put_start_time(starts, start->time, out);
}
