/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/result/header_facts.h"

#include <inttypes.h>
#include <sys/stat.h>
#include <time.h>

#include "common/file/meta_section.h"
#include "common/perf/loss.h"
#include "common/util/alloc.h"
#include "report/scan/missing_samples.h"

/*
 * Adds a fact: the text in FACTS->raw that follows the last fact. SECTION is
 * the header section of the fact, or NULL.
 */
static void add_header_fact(struct header_facts *facts, const char *section)
{
	*array_push(&facts->list) =
		(struct header_fact){ section, facts->raw.n };
}

/*
 * Appends the numbers of lost samples by event, place and cause of the loss, if
 * the recorder wrote these numbers.
 */
static void put_loss_lines(struct reader *reader, struct strbuf *out)
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
		loss_print(&loss, reader_event_name(reader, loss.id), out);
		strbuf_putc(out, '\n');
	}
}

/*
 * Appends the recorder's counts of unwound stacks, by how the stacks end, and
 * of call chains that lack callers, processes with code without names, and
 * programs whose events the kernel removed.
 */
static void put_stack_counts(struct reader *reader, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	struct bytes meta = meta_section_read(reader, &raw);
	const char *key, *value;

	while (meta_section_next(&meta, &key, &value))
		if ((string_starts(key, "stacks") ||
			    string_starts(key, "chains") ||
			    string_is(key, "unnamed_code") ||
			    string_is(key, "events_removed")) &&
			!string_is(value, "0"))
			strbuf_printf(out, "# %s : %s\n", key, value);
}

char *header_facts_cut_chains(struct reader *reader, double *percent_ret)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	struct bytes meta = meta_section_read(reader, &raw);
	const char *key, *value, *files = NULL;
	double chains = 0, cut = 0;

	while (meta_section_next(&meta, &key, &value)) {
		if (string_is(key, "chains"))
			chains = strtod(value, NULL);
		else if (string_is(key, "chains_cut"))
			cut = strtod(value, NULL);
		else if (string_is(key, "chains_cut_in"))
			files = value;
	}
	if (!files || !(cut > 0 && cut <= chains))
		return NULL;
	*percent_ret = 100 * cut / chains;
	return xstrdup(files);
}

void header_facts_put_cut_chains(struct reader *reader, struct strbuf *out)
{
	double percent;
	_cleanup_free_ char *files = header_facts_cut_chains(reader, &percent);

	if (files)
		strbuf_printf(out,
			"# Cut Stacks: %.0f %%: no frame pointers in %s. To "
			"record complete stacks: dwell record -g\n",
			percent, files);
}

void header_facts_put_unnamed_code(struct reader *reader, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	struct bytes meta = meta_section_read(reader, &raw);
	const char *key, *value;

	while (meta_section_next(&meta, &key, &value))
		if (string_is(key, "unnamed_code"))
			strbuf_printf(out, "# Code Without Names: %s\n", value);
}

char *header_facts_removed_events(struct reader *reader)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	struct bytes meta = meta_section_read(reader, &raw);
	const char *key, *value;

	while (meta_section_next(&meta, &key, &value))
		if (string_is(key, "events_removed"))
			return xstrdup(value);
	return NULL;
}

void header_facts_put_removed_events(struct reader *reader, struct strbuf *out)
{
	_cleanup_free_ char *sentence = header_facts_removed_events(reader);

	if (sentence)
		strbuf_printf(out, "# Removed Events: %s\n", sentence);
}

bool header_facts_have_interpreter(struct reader *reader)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	struct bytes meta = meta_section_read(reader, &raw);
	const char *key, *value;

	while (meta_section_next(&meta, &key, &value))
		if (string_is(key, "interpreters"))
			return true;
	return false;
}

void header_facts_collect(
	const struct input *input, bool shows_info, struct header_facts *facts)
{
	const struct features *features = reader_features(input->reader);
	struct strbuf *out = &facts->raw;
	double percent;
	uint64_t lost = input_lost(input, &percent);
	struct stat stat_;
	char text[64];
	struct tm tm;
	unsigned bit;
	size_t i;

	/*
	 * Without a recorded clock, the modification time of the file is the
	 * best estimate.
	 */
	if (!feature_is_present(features, FEATURE_CLOCK_DATA) &&
		stat(reader_path(input->reader), &stat_) == 0 &&
		gmtime_r(&stat_.st_mtime, &tm) &&
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		strbuf_printf(out, "# captured on : %s UTC (the file's time)\n",
			text);
	add_header_fact(facts, NULL);
	for (bit = 0; bit < FEATURE_BITS; bit++) {
		if (feature_is_long(bit) && !shows_info &&
			feature_is_present(features, bit))
			strbuf_printf(out,
				"# %s info available, use -I to display\n",
				feature_name(bit));
		else
			feature_print(features, bit, out);
		add_header_fact(facts, feature_name(bit));
	}
	/* In a recording from a pipe, records describe the events. */
	for (i = 0; !feature_is_present(features, FEATURE_EVENT_DESC) &&
		i < reader_n_events(input->reader);
		i++) {
		const struct event *event = reader_event(input->reader, i);

		strbuf_printf(out, "# event : name = %s, ", event->name);
		attr_print(&event->attr, out);
		strbuf_putc(out, '\n');
	}
	strbuf_printf(
		out, "# data size : %" PRIu64 "\n", reader_size(input->reader));
	strbuf_printf(out, "# lost: %" PRIu64 " (%.2f %%)\n", lost, percent);
	put_loss_lines(input->reader, out);
	missing_clock_gaps_print(input->reader, out);
	put_stack_counts(input->reader, out);
	add_header_fact(facts, NULL);
}

void header_facts_deinit(struct header_facts *facts)
{
	strbuf_free(&facts->raw);
	array_free(&facts->list);
}
