/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/scan/missing_samples.h"

#include <inttypes.h>

#include "common/file/section.h"
#include "common/util/escape.h"
#include "report/survey/incomplete.h"

struct damages_sums missing_damage_sums(const struct inputs *inputs)
{
	struct damages_sums all = { 0 };

	array_each(&inputs->at, input) {
		struct damages_sums own =
			damages_sums(reader_damages(input->reader));

		all.places += own.places;
		all.samples += own.samples;
	}
	return all;
}

void missing_damage_put_sums(
	const struct damages_sums *sums, struct strbuf *out)
{
	strbuf_printf(out,
		"%" PRIu64 " damaged place%s, %" PRIu64 " sample%s missing",
		sums->places, plural(sums->places), sums->samples,
		sums->samples == 1 ? " is" : "s are");
}

void missing_damage_put_lines(const struct inputs *inputs, struct strbuf *out)
{
	struct damages_sums sums = missing_damage_sums(inputs);
	struct damage_place place;
	size_t n = 0, i;

	array_each(&inputs->at, input)
		for (i = 0;
			damages_at(reader_damages(input->reader), i, &place);
			i++) {
			_cleanup_strbuf_ struct strbuf text = { 0 };

			if (place.is_end || n++ >= INCOMPLETE_LINES_MAX)
				continue;
			strbuf_printf(&text, "%s: %s",
				reader_path(input->reader), place.what);
			incomplete_put_missing(&place, &text);
			strbuf_puts(out, "# Damaged: ");
			escape_text(out, text.at);
			strbuf_putc(out, '\n');
		}
	if (!sums.places)
		return;
	strbuf_puts(out, "# Damaged: ");
	missing_damage_put_sums(&sums, out);
	strbuf_puts(out, "\n#\n");
}

void missing_damage_put_json(const struct inputs *inputs, struct json *json)
{
	bool has_damage = false;
	struct damage_place place;
	size_t i;

	array_each(&inputs->at, input)
		for (i = 0;
			damages_at(reader_damages(input->reader), i, &place);
			i++) {
			if (place.is_end)
				continue;
			if (!has_damage)
				json_begin_array(json, "damage");
			has_damage = true;
			json_begin_object(json, NULL);
			json_string(json, "file", reader_path(input->reader));
			json_unsigned(json, "offset", place.offset);
			json_string(json, "what", place.what);
			json_unsigned(json, "missing_samples", place.samples);
			json_unsigned(json, "first_time", place.first_time);
			json_unsigned(json, "last_time", place.last_time);
			json_end_object(json);
		}
	if (has_damage)
		json_end_array(json);
}

/* --- CPU time without samples ------------------------------------------ */

/*
 * Reads the section "unsampled" into RAW, and returns the bytes of the section;
 * no bytes if the section is missing.
 */
static struct bytes read_unsampled_section(
	struct reader *reader, struct strbuf *raw)
{
	if (!reader_section(reader, SECTION_UNSAMPLED, UNSAMPLED_VERSION, raw))
		return bytes_of(NULL, 0, false);
	return bytes_of((const uint8_t *)raw->at, raw->n, false);
}

void missing_clock_gaps_print(struct reader *reader, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	struct bytes b = read_unsampled_section(reader, &raw);
	struct section_unsampled gap;
	size_t n = 0;

	while (n++ < reader_n_events(reader) &&
		section_unsampled_read(&b, &gap)) {
		strbuf_puts(out, "# ");
		section_unsampled_print(
			&gap, reader_event_name(reader, gap.id), out);
		strbuf_putc(out, '\n');
	}
}

void missing_clock_gaps_put_json(const struct inputs *inputs, struct json *json)
{
	bool has_gaps = false;

	array_each(&inputs->at, input) {
		_cleanup_strbuf_ struct strbuf raw = { 0 };
		struct bytes b = read_unsampled_section(input->reader, &raw);
		struct section_unsampled gap;
		size_t n = 0;

		while (n++ < reader_n_events(input->reader) &&
			section_unsampled_read(&b, &gap)) {
			if (!has_gaps)
				json_begin_array(json, "unsampled");
			has_gaps = true;
			json_begin_object(json, NULL);
			json_string(json, "file", reader_path(input->reader));
			json_string(json, "event",
				reader_event_name(input->reader, gap.id));
			json_unsigned(json, "cpu_ns", gap.cpu_ns);
			json_unsigned(json, "unsampled_ns", gap.unsampled_ns);
			json_end_object(json);
		}
	}
	if (has_gaps)
		json_end_array(json);
}
