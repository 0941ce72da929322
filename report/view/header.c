/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/view/header.h"

#include <inttypes.h>
#include <sys/stat.h>
#include <time.h>

#include "common/perf/loss.h"
#include "common/util/escape.h"
#include "report/view/table.h"

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

/* What there is to tell of one input, in lines that begin with "# ". */
struct facts {
	struct strbuf raw; /* as it is in the file */
	ARRAY(struct fact {
		const char *section; /* of the header; or NULL */
		size_t end;          /* in .raw, where the next one begins */
	}) list;
};

/* All that was put since the last fact is of SECTION. */
static void add_fact(struct facts *facts, const char *section)
{
	*array_push(&facts->list) = (struct fact){ section, facts->raw.n };
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

/* Behind TEXT and its NUL; END if there is none. */
static const char *next_text(const char *text, const char *end)
{
	const char *nul = text < end
		? memchr(text, '\0', (size_t)(end - text))
		: NULL;

	return nul ? nul + 1 : end;
}

/* What became of stacks that the recorder has unwound, if it did. */
static void put_stacks(struct reader *reader, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	const char *key, *value, *end;

	if (!reader_section(reader, SECTION_META, META_VERSION, &raw))
		return;
	end = raw.at + raw.n;
	for (key = raw.at; key < end; key = next_text(value, end)) {
		value = next_text(key, end);
		if (next_text(value, end) > value &&
			string_starts(key, "stacks") &&
			!string_is(value, "0"))
			strbuf_printf(out, "# %s : %s\n", key, value);
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
	const struct features *features, bool shows_info, struct facts *facts)
{
	unsigned bit;

	for (bit = 0; bit < FEATURE_BITS; bit++) {
		if (feature_is_long(bit) && !shows_info &&
			feature_is_present(features, bit))
			strbuf_printf(&facts->raw,
				"# %s info available, use -I to display\n",
				feature_name(bit));
		else
			feature_print(features, bit, &facts->raw);
		add_fact(facts, feature_name(bit));
	}
}

static void find_facts(
	const struct input *input, bool shows_info, struct facts *facts)
{
	const struct features *features = reader_features(input->reader);
	double percent;
	uint64_t lost = input_lost(input, &percent);

	put_file_time(input->reader, &facts->raw);
	add_fact(facts, NULL);
	put_features(features, shows_info, facts);
	/* A stream describes its events in records. */
	if (!feature_is_present(features, FEATURE_EVENT_DESC))
		put_events(input->reader, &facts->raw);
	strbuf_printf(&facts->raw, "# data size : %" PRIu64 "\n",
		reader_size(input->reader));
	strbuf_printf(&facts->raw, "# lost: %" PRIu64 " (%.2f %%)\n", lost,
		percent);
	put_losses(input->reader, &facts->raw);
	put_stacks(input->reader, &facts->raw);
	add_fact(facts, NULL);
}

static void facts_deinit(struct facts *facts)
{
	strbuf_free(&facts->raw);
	array_free(&facts->list);
}

static void put_input(const struct input *input, const struct result *result,
	struct strbuf *out)
{
	struct facts facts = { 0 };

	strbuf_puts(out, "# ========\n");
	if (result->inputs.at.n > 1) {
		strbuf_puts(out, "# file : ");
		escape_text(out, reader_path(input->reader));
		strbuf_putc(out, '\n');
	}
	find_facts(input, result->options->shows_info, &facts);
	escape_lines(out, facts.raw.at, facts.raw.n);
	strbuf_puts(out, "# ========\n#\n");
	facts_deinit(&facts);
}

void header_put_all(const struct result *result, struct strbuf *out)
{
	array_each(&result->inputs.at, input)
		put_input(input, result, out);
}

static const char *const columns[] = { "file", "section", "name", "value",
	NULL };

/* "# hostname : made" is a name and its value; other lines have no name. */
static void put_row(struct table *table, const struct input *input,
	const char *section, char *line)
{
	char *value, *end;

	line += strspn(line, "# \t");
	value = strchr(line, ':');
	table_text(table, reader_path(input->reader));
	table_text(table, section);
	if (!value) {
		table_text(table, NULL);
		table_text(table, line);
		return;
	}
	for (end = value; end > line && strchr(" \t", end[-1]);)
		end--;
	*end = '\0';
	value++;
	table_text(table, line);
	table_text(table, value + strspn(value, " \t"));
}

static void put_rows(
	struct table *table, const struct input *input, bool shows_info)
{
	struct facts facts = { 0 };
	size_t at = 0;

	find_facts(input, shows_info, &facts);
	array_each(&facts.list, fact) {
		_cleanup_free_ char *lines =
			xstrndup(facts.raw.at + at, fact->end - at);
		char *rest = lines, *line;

		while ((line = strsep(&rest, "\n")))
			if (*line)
				put_row(table, input, fact->section, line);
		at = fact->end;
	}
	facts_deinit(&facts);
}

void header_put_table(const struct result *result, struct strbuf *out)
{
	const struct options *options = result->options;
	struct table table;

	table_begin(&table, options->view, "header", columns, out);
	array_each(&result->inputs.at, input)
		put_rows(&table, input, options->shows_info);
	table_end(&table);
}

void header_put_member(const struct result *result, struct strbuf *out)
{
	struct table table;

	table_begin_member(&table, "header", columns, out);
	array_each(&result->inputs.at, input)
		put_rows(&table, input, result->options->shows_info);
	table_end_member(&table);
}
