/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/header.h"

#include <inttypes.h>
#include <sys/stat.h>
#include <time.h>

#include "common/escape.h"
#include "common/loss.h"

static const char *event_name(const struct reader *reader, uint64_t id)
{
	size_t i;

	for (i = 0; i < reader_n_events(reader); i++) {
		const struct event *event = reader_event(reader, i);

		array_each(&event->ids, own)
			if (*own == id)
				return event->name;
	}
	return "event";
}

/* Which event lost samples, where and why, if the recorder wrote that. */
static void put_losses(struct reader *reader, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	struct loss loss;
	struct bytes b;

	if (!reader_section(reader, SECTION_LOSSES, LOSS_VERSION, &raw))
		return;
	b = bytes_of((const uint8_t *)raw.at, raw.n, false);
	while (loss_read(&b, &loss)) {
		if (!loss_is_any(&loss))
			continue;
		strbuf_puts(out, "# losses: ");
		loss_print(&loss, event_name(reader, loss.id), out);
		strbuf_putc(out, '\n');
	}
}

/* Where the recorder didn't tell, the file's time is the best there is. */
static void put_file_time(const struct reader *reader, struct strbuf *out)
{
	struct stat stat_;
	char text[64];
	struct tm tm;

	if (feature_is_present(reader_features(reader), FEATURE_CLOCK_DATA) ||
		stat(reader_path(reader), &stat_) != 0 ||
		!gmtime_r(&stat_.st_mtime, &tm) ||
		!strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		return;
	strbuf_printf(out, "# captured on : %s UTC (the file's time)\n", text);
}

static void put_events(const struct reader *reader, struct strbuf *out)
{
	size_t i;

	for (i = 0; i < reader_n_events(reader); i++) {
		const struct event *event = reader_event(reader, i);

		strbuf_printf(out, "# event : name = %s, ", event->name);
		attr_print(&event->attr, out);
		strbuf_putc(out, '\n');
	}
}

static void put_features(
	const struct features *features, bool shows_info, struct strbuf *out)
{
	unsigned bit;

	for (bit = 0; bit < FEATURE_BITS; bit++)
		if (feature_is_long(bit) && !shows_info &&
			feature_is_present(features, bit))
			strbuf_printf(out,
				"# %s info available, use -I to display\n",
				feature_name(bit));
		else
			feature_print(features, bit, out);
}

static void put_input(const struct input *input, const struct result *result,
	struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	const struct features *features = reader_features(input->reader);
	double percent;
	uint64_t lost = input_lost(input, &percent);

	strbuf_puts(&raw, "# ========\n");
	if (result->inputs.at.n > 1)
		strbuf_printf(
			&raw, "# file : %s\n", reader_path(input->reader));
	put_file_time(input->reader, &raw);
	put_features(features, result->options->shows_info, &raw);
	/* A stream describes its events in records. */
	if (!feature_is_present(features, FEATURE_EVENT_DESC))
		put_events(input->reader, &raw);
	strbuf_printf(&raw, "# data size : %" PRIu64 "\n",
		reader_size(input->reader));
	strbuf_printf(
		&raw, "# lost: %" PRIu64 " (%.2f %%)\n", lost, percent);
	put_losses(input->reader, &raw);
	strbuf_puts(&raw, "# ========\n#\n");
	escape_lines(out, raw.at, raw.n);
}

void header_put_all(const struct result *result, struct strbuf *out)
{
	array_each(&result->inputs.at, input)
		put_input(input, result, out);
}
