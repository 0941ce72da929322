/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/scan/clock_gaps.h"

#include "common/file/section.h"
#include "common/file/unsampled_section.h"

/* Reads the section into RAW, and returns its bytes; none if it is missing. */
static struct bytes read_unsampled_section(
	struct reader *reader, struct strbuf *raw)
{
	if (!reader_section(reader, SECTION_UNSAMPLED, UNSAMPLED_VERSION, raw))
		return bytes_of(NULL, 0, false);
	return bytes_of((const uint8_t *)raw->at, raw->n, false);
}

void clock_gaps_print(struct reader *reader, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	struct bytes b = read_unsampled_section(reader, &raw);
	struct unsampled gap;
	size_t n = 0;

	while (n++ < reader_n_events(reader) && unsampled_read(&b, &gap)) {
		strbuf_puts(out, "# ");
		unsampled_print(&gap, reader_event_name(reader, gap.id), out);
		strbuf_putc(out, '\n');
	}
}

static void put_gap_object(const struct reader *reader,
	const struct unsampled *gap, struct json *json)
{
	json_begin_object(json, NULL);
	json_string(json, "file", reader_path(reader));
	json_string(json, "event", reader_event_name(reader, gap->id));
	json_unsigned(json, "cpu_ns", gap->cpu_ns);
	json_unsigned(json, "unsampled_ns", gap->unsampled_ns);
	json_end_object(json);
}

void clock_gaps_put_json(const struct inputs *inputs, struct json *json)
{
	bool has_gaps = false;

	array_each(&inputs->at, input) {
		_cleanup_strbuf_ struct strbuf raw = { 0 };
		struct bytes b = read_unsampled_section(input->reader, &raw);
		struct unsampled gap;
		size_t n = 0;

		while (n++ < reader_n_events(input->reader) &&
			unsampled_read(&b, &gap)) {
			if (!has_gaps)
				json_begin_array(json, "unsampled");
			has_gaps = true;
			put_gap_object(input->reader, &gap, json);
		}
	}
	if (has_gaps)
		json_end_array(json);
}
