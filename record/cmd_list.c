/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <sys/ioctl.h>

#include "common/util/cli.h"
#include "common/util/escape.h"
#include "common/util/json.h"
#include "common/util/log.h"
#include "record/cmd.h"
#include "record/event/event_list.h"

#define NAME_COLUMN 2
#define DESCRIPTION_COLUMN 44
/*
 * Line width in columns if standard output is not a terminal: lines are not
 * cut.
 */
#define WIDTH_NONE 10000u

struct list_options {
	bool is_json;
	bool wants_all;
	bool wants_names;
};

static const struct cli_option list_option_table[] = {
	{ 0, "all", CLI_NONE, NULL,
		"also print events that this machine or user cannot "
		"sample, with a mark",
		.slot = offsetof(struct list_options, wants_all) },
	{ 0, "json", CLI_NONE, NULL, "print all events as JSON",
		.slot = offsetof(struct list_options, is_json) },
	{ 0, "names", CLI_NONE, NULL, "print only names, one per line",
		.slot = offsetof(struct list_options, wants_names) },
	CLI_LOG_OPTIONS,
};

static const struct cli list_cli = {
	.usage = "dwell list [options] [WORD]",
	.summary = "Prints the events of this machine: all, or those whose "
		   "name, description or\nkind contains WORD or matches the "
		   "glob pattern WORD.",
	.options = list_option_table,
	.n_options = ARRAY_SIZE(list_option_table),
	.complete = event_list_complete_kinds,
};

static void print_event_text(const struct event_list *list)
{
	struct winsize size;
	size_t width =
		ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col < 60
		? WIDTH_NONE
		: size.ws_col;
	const char *kind = "";

	array_each(&list->list, event) {
		if (!string_is(kind, event->kind))
			printf("%s%s\n", *kind ? "\n" : "", event->kind);
		kind = event->kind;
		/* "  cycles            clock cycles of the core", cut */
		_cleanup_strbuf_ struct strbuf line = { 0 };

		strbuf_fill(&line, ' ', NAME_COLUMN);
		escape_text(&line, event->name);
		strbuf_puts(&line, " ");
		if (line.n < DESCRIPTION_COLUMN)
			strbuf_fill(&line, ' ', DESCRIPTION_COLUMN - line.n);
		if (!event->is_usable)
			strbuf_puts(&line, "(not here) ");
		escape_text(&line, event->description);
		while (line.at[line.n - 1] == ' ')
			line.at[--line.n] = '\0';
		printf("%.*s\n", (int)MIN(line.n, width), line.at);
	}
}

/*
 * Removes the events of LIST that do not match WORD (NULL: all match) and,
 * unless WANTS_ALL, the events that cannot be sampled. Returns the number of
 * matching events that were removed because they cannot be sampled.
 */
static size_t keep_matching_events(
	struct event_list *list, const char *word, bool wants_all)
{
	size_t n = 0, n_hidden = 0;

	array_each(&list->list, event) {
		bool matches = !word || event_list_matches(event, word);

		if (matches && (wants_all || event->is_usable)) {
			list->list.at[n++] = *event;
			continue;
		}
		n_hidden += matches;
		free(event->name);
		free(event->description);
	}
	list->list.n = n;
	return n_hidden;
}

struct error *cmd_list(int argc, char **argv, int *status_ret _unused_)
{
	struct list_options options = { 0 };
	struct event_list_request request = { .opener = &opener_kernel };
	struct event_list list;
	const char *word;
	struct error *err;
	size_t n_hidden;
	bool is_empty;
	int first;

	err = cli_parse(&list_cli, argc, argv, &options, &first);
	if (err)
		return err;
	if (argc - first > 1)
		return error_usage("unexpected argument '%s': dwell list takes "
				   "one WORD. Put several words in quotes",
			argv[first + 1]);
	word = argv[first];
	request.wants_descriptions = word || !options.wants_names;
	event_list_read(&request, &list);
	n_hidden = keep_matching_events(
		&list, word, options.wants_all || options.is_json);
	is_empty = !list.list.n && !n_hidden;
	if (options.is_json) {
		_cleanup_strbuf_ struct strbuf text = { 0 };
		struct json json = { .out = &text };

		json_begin_array(&json, NULL);
		array_each(&list.list, event) {
			json_line(&json, "\n");
			json_begin_object(&json, NULL);
			json_string(&json, "kind", event->kind);
			json_string(&json, "name", event->name);
			json_string(&json, "description", event->description);
			json_bool(&json, "usable", event->is_usable);
			json_end_object(&json);
		}
		json_line(&json, "\n");
		json_end_array(&json);
		puts(text.at);
	} else if (options.wants_names) {
		array_each(&list.list, event)
			if (!event->is_syntax)
				puts(event->name);
	} else
		print_event_text(&list);
	if (!options.wants_names) {
		if (n_hidden)
			log_note(
				"%zu more events match, but cannot be sampled on this "
				"machine. To print them: dwell list --all",
				n_hidden);
		if (list.trouble)
			log_note("%s", list.trouble);
	}
	event_list_deinit(&list);
	if (is_empty)
		return error_new("no event matches '%s'. To print all "
				 "events: dwell list --all",
			word ? word : "");
	if (fflush(stdout) == EOF)
		return error_errno(errno, "cannot write to standard output");
	return NULL;
}
