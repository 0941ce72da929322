/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/survey/incomplete.h"

#include <inttypes.h>
#include <stdatomic.h>

#include "common/util/log.h"

static _Atomic bool is_reported;
static bool is_held; /* set by incomplete_hold() before threads start */

static void put_damage_seconds(uint64_t ns, struct strbuf *out)
{
	strbuf_printf(out, "%" PRIu64 ".%06" PRIu64, ns / NSEC_PER_SEC,
		ns % NSEC_PER_SEC / 1000);
}

void incomplete_put_missing(
	const struct damage_place *place, struct strbuf *out)
{
	if (!place->samples)
		return;
	strbuf_printf(out, ": %" PRIu64 " sample%s missing", place->samples,
		place->samples == 1 ? " is" : "s are");
	if (!place->last_time)
		return;
	strbuf_puts(out, ", from ");
	put_damage_seconds(place->first_time, out);
	strbuf_puts(out, " s to ");
	put_damage_seconds(place->last_time, out);
	strbuf_puts(out, " s");
}

static void report_damage_places(struct reader *reader)
{
	struct damages *damages = reader_damages(reader);
	struct damage_place place;
	size_t n, more = 0;

	while ((n = damages_take(damages, &place))) {
		_cleanup_strbuf_ struct strbuf text = { 0 };

		if (n > INCOMPLETE_LINES_MAX) {
			more++;
			continue;
		}
		strbuf_puts(&text, place.what);
		incomplete_put_missing(&place, &text);
		if (place.is_end) {
			log_note("%s: %s; the rest is shown",
				reader_path(reader), text.at);
			continue;
		}
		is_reported = true;
		log_error("%s: %s; the rest is shown", reader_path(reader),
			text.at);
	}
	if (more)
		log_error("%s: %zu more places are damaged; %" PRIu64
			  " samples are missing in all",
			reader_path(reader), more,
			damages_sums(damages).samples);
}

void incomplete_report(struct reader *reader)
{
	if (!is_held)
		report_damage_places(reader);
}

void incomplete_hold(void)
{
	is_held = true;
}

void incomplete_skip(struct reader *reader)
{
	struct damage_place place;

	while (damages_take(reader_damages(reader), &place))
		if (!place.is_end)
			is_reported = true;
}

bool incomplete_is_reported(void)
{
	return is_reported;
}

void incomplete_close(struct reader *reader)
{
	if (reader)
		report_damage_places(reader);
	reader_close(reader);
}

void incomplete_report_limit(
	const struct reader *reader, const struct incomplete_damage *records)
{
	if (!records->n)
		return;
	is_reported = true;
	log_error("%s: thread names, mappings and other records of processes "
		  "need more memory than a recording of this size may use; "
		  "%" PRIu64 " of these records were left out, the first one "
		  "at 0x%" PRIx64,
		reader_path(reader), records->n, records->first);
}

void incomplete_report_lost(const struct reader *reader, uint64_t lost)
{
	if (lost != UINT64_MAX)
		return;
	is_reported = true;
	log_error("%s: its numbers of lost samples add up to more than %" PRIu64
		  ", which is shown instead",
		reader_path(reader), UINT64_MAX);
}

void incomplete_report_periods(const struct reader *reader, uint64_t samples)
{
	if (!samples)
		return;
	is_reported = true;
	log_error("%s: the periods of its samples add up to more than dwell "
		  "counts; the periods of %" PRIu64 " samples were left out, "
		  "in whole or in part, and the shares are wrong",
		reader_path(reader), samples);
}

void incomplete_add_records(struct reader *reader,
	const struct incomplete_damage *records, uint64_t samples)
{
	_cleanup_free_ char *what = NULL;

	if (!records->n)
		return;
	what = xasprintf("damaged records left out: %" PRIu64
			 ", the first one at 0x%" PRIx64,
		records->n, records->first);
	damages_add(reader_damages(reader),
		&(struct damage_place){ .offset = records->first,
			.what = what,
			.samples = samples });
}
