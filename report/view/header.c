/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/view/header.h"

#include "common/util/escape.h"
#include "report/result/header_facts.h"
#include "report/view/table.h"

void header_put_all(const struct result *result, struct strbuf *out)
{
	array_each(&result->inputs.at, input) {
		struct header_facts facts = { 0 };

		strbuf_puts(out, "# ========\n");
		if (result->inputs.at.n > 1) {
			strbuf_puts(out, "# file : ");
			escape_text(out, input_path(input));
			strbuf_putc(out, '\n');
		}
		header_facts_collect(
			input, result->options->facts.shows_info, &facts);
		escape_lines(out, facts.raw.at, facts.raw.n);
		strbuf_puts(out, "# ========\n#\n");
		header_facts_deinit(&facts);
	}
}

static const char *const header_columns[] = { "file", "section", "name",
	"value", NULL };

/*
 * Writes the row of LINE, a line of --header, and modifies LINE. "# hostname :
 * made" has a name and a value; a line without ":" has no name.
 */
static void put_fact_row(struct table *table, const struct input *input,
	const char *section, char *line)
{
	char *value, *end;

	line += strspn(line, "# \t");
	value = strchr(line, ':');
	table_text(table, input_path(input));
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

static void put_fact_rows(
	struct table *table, const struct input *input, bool shows_info)
{
	struct header_facts facts = { 0 };
	size_t at = 0;

	header_facts_collect(input, shows_info, &facts);
	array_each(&facts.list, fact) {
		_cleanup_free_ char *lines =
			xstrndup(facts.raw.at + at, fact->end - at);
		char *rest = lines, *line;

		while ((line = strsep(&rest, "\n")))
			if (*line)
				put_fact_row(table, input, fact->section, line);
		at = fact->end;
	}
	header_facts_deinit(&facts);
}

void header_put_table(const struct result *result, struct strbuf *out)
{
	const struct options *options = result->options;
	struct table table;

	table_begin(
		&table, options->output.view, "header", header_columns, out);
	array_each(&result->inputs.at, input)
		put_fact_rows(&table, input, options->facts.shows_info);
	table_end(&table);
}

void header_put_member(const struct result *result, struct json *json)
{
	struct table table;

	table_begin_member(&table, "header", header_columns, json);
	array_each(&result->inputs.at, input)
		put_fact_rows(&table, input, result->options->facts.shows_info);
	table_end_member(&table, json);
}
