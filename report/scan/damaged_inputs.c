/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/scan/damaged_inputs.h"

#include <inttypes.h>

#include "common/util/escape.h"
#include "report/survey/incomplete.h"

struct damages_sums damaged_inputs_sums(const struct inputs *inputs)
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

void damaged_inputs_put_sums(
	const struct damages_sums *sums, struct strbuf *out)
{
	strbuf_printf(out, "%" PRIu64 " damaged place%s, %" PRIu64
			   " sample%s missing",
		sums->places, plural(sums->places), sums->samples,
		sums->samples == 1 ? " is" : "s are");
}

static void put_damage_line(const struct input *input,
	const struct damage_place *place, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	strbuf_printf(&text, "%s: %s", reader_path(input->reader), place->what);
	incomplete_put_missing(place, &text);
	strbuf_puts(out, "# Damaged: ");
	escape_text(out, text.at);
	strbuf_putc(out, '\n');
}

void damaged_inputs_put_lines(const struct inputs *inputs, struct strbuf *out)
{
	struct damages_sums sums = damaged_inputs_sums(inputs);
	struct damage_place place;
	size_t n = 0, i;

	array_each(&inputs->at, input)
		for (i = 0; damages_at(
			     reader_damages(input->reader), i, &place);
			i++)
			if (!place.is_end && n++ < INCOMPLETE_LINES_MAX)
				put_damage_line(input, &place, out);
	if (!sums.places)
		return;
	strbuf_puts(out, "# Damaged: ");
	damaged_inputs_put_sums(&sums, out);
	strbuf_puts(out, "\n#\n");
}

static void put_damage_object(const struct input *input,
	const struct damage_place *place, struct strbuf *out)
{
	strbuf_puts(out, "{\"file\": ");
	escape_json(out, reader_path(input->reader));
	strbuf_printf(out, ", \"offset\": %" PRIu64 ", \"what\": ",
		place->offset);
	escape_json(out, place->what);
	strbuf_printf(out,
		", \"missing_samples\": %" PRIu64 ", \"first_time\": %" PRIu64
		", \"last_time\": %" PRIu64 "}",
		place->samples, place->first_time, place->last_time);
}

void damaged_inputs_put_member(const struct inputs *inputs, struct strbuf *out)
{
	const char *separator = "\"damage\": [";
	struct damage_place place;
	size_t i;

	array_each(&inputs->at, input)
		for (i = 0; damages_at(
			     reader_damages(input->reader), i, &place);
			i++) {
			if (place.is_end)
				continue;
			strbuf_puts(out, separator);
			put_damage_object(input, &place, out);
			separator = ", ";
		}
	if (separator[0] == ',')
		strbuf_puts(out, "], ");
}
