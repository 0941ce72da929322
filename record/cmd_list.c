/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <sys/ioctl.h>

#include "common/util/cli.h"
#include "common/util/escape.h"
#include "common/util/log.h"
#include "record/cmd.h"
#include "record/event/event_list.h"

#define NAME_COLUMN 2
#define DESCRIPTION_COLUMN 44
/* Where the output is no terminal, lines are as long as they get. */
#define WIDTH_NONE 10000u

struct list_options {
	bool is_json;
	bool wants_all;
	bool wants_names;
};

static const struct cli_option table[] = {
	{ 0, "all", CLI_NONE, NULL,
		"also what this machine or user can't sample, marked",
		.slot = offsetof(struct list_options, wants_all) },
	{ 0, "json", CLI_NONE, NULL, "as JSON, everything",
		.slot = offsetof(struct list_options, is_json) },
	{ 0, "names", CLI_NONE, NULL, "names only, a line each",
		.slot = offsetof(struct list_options, wants_names) },
	CLI_LOG_OPTIONS,
};

static const struct cli cli = {
	.usage = "dwell list [options] [WORD]",
	.summary = "Shows which events this machine offers; those with WORD in "
		   "their name,\ndescription or kind, or that a glob matches.",
	.options = table,
	.n_options = ARRAY_SIZE(table),
};

static size_t line_width(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col < 60)
		return WIDTH_NONE;
	return size.ws_col;
}

/* "  cycles            clock cycles of the core" */
static void print_line(const struct offered *offered, size_t width)
{
	_cleanup_strbuf_ struct strbuf line = { 0 };

	strbuf_fill(&line, ' ', NAME_COLUMN);
	escape_text(&line, offered->name);
	strbuf_puts(&line, " ");
	if (line.n < DESCRIPTION_COLUMN)
		strbuf_fill(&line, ' ', DESCRIPTION_COLUMN - line.n);
	if (!offered->is_usable)
		strbuf_puts(&line, "(not here) ");
	escape_text(&line, offered->description);
	while (line.at[line.n - 1] == ' ')
		line.at[--line.n] = '\0';
	printf("%.*s\n", (int)MIN(line.n, width), line.at);
}

static void print_text(const struct catalog *catalog)
{
	size_t width = line_width();
	const char *kind = "";

	array_each(&catalog->list, offered) {
		if (!string_is(kind, offered->kind))
			printf("%s%s\n", *kind ? "\n" : "", offered->kind);
		kind = offered->kind;
		print_line(offered, width);
	}
}

static void print_names(const struct catalog *catalog)
{
	array_each(&catalog->list, offered)
		if (!offered->is_syntax)
			puts(offered->name);
}

static void print_json(const struct catalog *catalog)
{
	const char *separator = "\n";

	printf("[");
	array_each(&catalog->list, offered) {
		_cleanup_strbuf_ struct strbuf line = { 0 };

		strbuf_printf(&line, "{\"kind\": \"%s\", \"name\": ",
			offered->kind);
		escape_json(&line, offered->name);
		strbuf_puts(&line, ", \"description\": ");
		escape_json(&line, offered->description);
		printf("%s%s, \"usable\": %s}", separator, line.at,
			offered->is_usable ? "true" : "false");
		separator = ",\n";
	}
	printf("\n]\n");
}

/* Keeps what was asked for; returns how much of it can't be used here. */
static size_t keep_wanted(
	struct catalog *catalog, const char *word, bool wants_all)
{
	size_t n = 0, n_hidden = 0;

	array_each(&catalog->list, offered) {
		bool matches = !word || offered_matches(offered, word);

		if (matches && (wants_all || offered->is_usable)) {
			catalog->list.at[n++] = *offered;
			continue;
		}
		n_hidden += matches;
		free(offered->name);
		free(offered->description);
	}
	catalog->list.n = n;
	return n_hidden;
}

static void print(
	const struct list_options *options, const struct catalog *catalog)
{
	if (options->is_json)
		print_json(catalog);
	else if (options->wants_names)
		print_names(catalog);
	else
		print_text(catalog);
}

static void tell(const struct list_options *options,
	const struct catalog *catalog, size_t n_hidden)
{
	if (options->wants_names)
		return;
	if (n_hidden)
		log_note("%zu more can't be sampled here: --all", n_hidden);
	if (catalog->trouble)
		log_note("%s", catalog->trouble);
}

struct error *cmd_list(int argc, char **argv, int *status_ret _unused_)
{
	struct list_options options = { 0 };
	struct catalog_request request = { .opener = &opener_kernel };
	struct catalog catalog;
	const char *word;
	struct error *err;
	size_t n_hidden;
	bool is_empty;
	int first;

	err = cli_parse(&cli, argc, argv, &options, &first);
	if (err)
		return err;
	if (argc - first > 1)
		return error_usage("'%s' is one word too many",
			argv[first + 1]);
	word = argv[first];
	request.wants_descriptions = word || !options.wants_names;
	catalog_read(&request, &catalog);
	n_hidden = keep_wanted(
		&catalog, word, options.wants_all || options.is_json);
	is_empty = !catalog.list.n && !n_hidden;
	print(&options, &catalog);
	tell(&options, &catalog, n_hidden);
	catalog_deinit(&catalog);
	if (is_empty)
		return error_new("no event has '%s' in its name or description",
			word ? word : "");
	if (fflush(stdout) == EOF)
		return error_new("standard output can't be written");
	return NULL;
}
