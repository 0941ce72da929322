/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell evlist: prints the events of a recording in the format of perf evlist.
 */
#include "config.h"

#include <inttypes.h>

#include "common/util/cli.h"
#include "common/util/escape.h"
#include "report/cmd.h"
#include "report/options/options_shared.h"
#include "report/result/result.h"
#include "report/survey/incomplete.h"
#include "report/survey/tracepoint.h"
#include "report/util/output.h"
#include "report/view/table.h"

struct evlist {
	struct options common; /* only inputs and view are used; must be the
				  first member */
	bool has_details, has_freq, has_groups, has_fields;
};

static const struct cli_option evlist_options[] = {
	INPUT_OPTION,
	{ 'v', "verbose", CLI_NONE, NULL,
		"print all attributes of each event (perf_event_attr)",
		.slot = offsetof(struct evlist, has_details) },
	{ 'F', "freq", CLI_NONE, NULL,
		"print the sampling frequency or period of each event",
		.slot = offsetof(struct evlist, has_freq) },
	{ 'g', "group", CLI_NONE, NULL, "print groups of events in braces",
		.slot = offsetof(struct evlist, has_groups) },
	{ 0, "trace-fields", CLI_NONE, NULL, "print the fields of tracepoints",
		.slot = offsetof(struct evlist, has_fields) },
	TABLE_OPTIONS("dwell-report(1)"),
	{ 'q', "quiet", CLI_NONE, NULL, "print only errors",
		.parse = cli_parse_quiet },
};

/*
 * Returns the number of events in the group whose leader is event number I, or
 * 0 if event I is no group leader. Sets NAME_RET to the name of the group,
 * borrowed from FEATURES.
 */
static size_t event_group_size(
	const struct features *features, size_t i, const char **name_ret)
{
	array_each(&features->groups, group)
		if (group->leader == i && group->n > 1) {
			*name_ret = group->name;
			return group->n;
		}
	return 0;
}

static void put_evlist_lines(const struct evlist *evlist, struct reader *reader,
	struct tracepoints *tracepoints, struct strbuf *out)
{
	const struct features *features = reader_features(reader);
	size_t i, left = 0;
	const char *name = "";

	for (i = 0; i < reader_n_events(reader); i++) {
		size_t n = evlist->has_groups
			? event_group_size(features, i, &name)
			: 0;

		if (n) {
			left = n;
			if (name && !string_is(name, "{anon_group}"))
				escape_text(out, name);
			strbuf_putc(out, '{');
		}
		const struct event *event = reader_event(reader, i);

		escape_text(out, event->name);
		if (evlist->has_fields &&
			event->attr.type != PERF_TYPE_TRACEPOINT) {
			strbuf_puts(out, ": (not a tracepoint)");
		} else if (evlist->has_fields) {
			strbuf_puts(out, ": trace_fields: ");
			tracepoints_print_fields(
				tracepoints, event->attr.config, out);
		} else if (evlist->has_details) {
			strbuf_puts(out, ": ");
			attr_print(&event->attr, out);
		} else if (evlist->has_freq) {
			strbuf_printf(out, ": sample_%s=%" PRIu64,
				event->attr.freq ? "freq" : "period",
				(uint64_t)event->attr.sample_period);
		}
		if (left && --left == 0)
			strbuf_putc(out, '}');
		strbuf_putc(out, left ? ',' : '\n');
	}
}

/*
 * Returns the number of the event group that contains event number I, from 0,
 * or -1 if event I is in no group.
 */
static int64_t event_group_number(const struct features *features, size_t i)
{
	int64_t number = 0;

	array_each(&features->groups, group) {
		if (group->n > 1 && i >= group->leader &&
			i - group->leader < group->n)
			return number;
		number += group->n > 1;
	}
	return -1;
}

static void put_event_row(const struct evlist *evlist,
	const struct event *event, int64_t group,
	struct tracepoints *tracepoints, struct table *table)
{
	const struct perf_event_attr *attr = &event->attr;
	_cleanup_strbuf_ struct strbuf text = { 0 };

	table_text(table, event->name);
	table_number(table, attr->type);
	table_address(table, attr->config);
	table_text(table, attr->freq ? "freq" : "period");
	table_number(table, attr->sample_period);
	table_address(table, attr->sample_type);
	if (group < 0)
		table_text(table, NULL);
	else
		table_signed(table, group);
	attr_print(attr, &text);
	table_text(table, text.at);
	if (!evlist->has_fields)
		return;
	strbuf_clear(&text);
	if (attr->type == PERF_TYPE_TRACEPOINT)
		tracepoints_print_fields(tracepoints, attr->config, &text);
	table_text(table, text.n ? text.at : NULL);
}

static const char *no_function_name(void *data _unused_,
	uint64_t address _unused_, uint64_t *start_ret _unused_)
{
	return NULL;
}

static struct error *print_evlist(
	const struct evlist *evlist, struct strbuf *out)
{
	static const struct tracepoint_names names = { no_function_name, NULL };
	struct tracepoints *tracepoints = NULL;
	struct reader *reader = NULL;
	struct survey survey = { 0 };
	struct error *err = result_open(&evlist->common, &reader);

	/* In the stream format, events are records, which the survey reads. */
	if (!err)
		err = survey_run(reader, SURVEY_SIDEBAND, &survey);
	if (!err) {
		if (evlist->has_fields)
			tracepoints = tracepoints_create(
				reader_features(reader), &names);
		if (table_is_view(evlist->common.output.view)) {
			const char *const columns[] = { "name", "type",
				"config", "sampled_by", "sample_period",
				"sample_type", "group", "attr",
				evlist->has_fields ? "trace_fields" : NULL,
				NULL };
			struct table table;
			size_t i;

			table_begin(&table, evlist->common.output.view,
				"events", columns, out);
			for (i = 0; i < reader_n_events(reader); i++)
				put_event_row(evlist, reader_event(reader, i),
					event_group_number(
						reader_features(reader), i),
					tracepoints, &table);
			table_end(&table);
		} else
			put_evlist_lines(evlist, reader, tracepoints, out);
		reader_check_blocks(reader);
		incomplete_add_records(reader, &survey.damaged, 0);
		incomplete_report_limit(reader, &survey.over_limit);
	}
	tracepoints_destroy(tracepoints);
	survey_deinit(&survey);
	incomplete_close(reader);
	return err;
}

struct error *cmd_evlist(int argc, char **argv)
{
	static const struct cli cli = {
		"dwell evlist [options] [FILE]",
		"Lists the events of a recording.",
		evlist_options,
		ARRAY_SIZE(evlist_options),
		false,
		"evlist",
		paths_complete,
	};
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct evlist evlist = { .common.input.single = "dwell evlist" };
	struct error *err = options_words(
		&cli, argc, argv, &evlist, &evlist.common.input.inputs);

	if (!err)
		err = print_evlist(&evlist, &text);
	if (!err) {
		output_page();
		err = output_text(&text);
	}
	options_deinit(&evlist.common);
	return err ? err : output_finish();
}
