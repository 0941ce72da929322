/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell buildid-list: the build IDs that a recording has, as perf prints them. */
#include "config.h"

#include "common/util/cli.h"
#include "common/util/escape.h"
#include "common/util/log.h"
#include "report/cmd.h"
#include "report/options/options_shared.h"
#include "report/result/result.h"
#include "report/scan/order.h"
#include "report/util/output.h"
#include "report/view/table.h"

struct buildid_list {
	struct options common; /* the first member */
	bool only_hits;
};

static struct error *take_input(void *context, const char *value, bool is_on)
{
	struct buildid_list *list = context;

	return options_take_input(&list->common, value, is_on);
}

static const struct cli_option buildid_list_options[] = {
	{ 'i', "input", CLI_VALUE, "FILE",
		"recording to read, - for stdin (dwell.data, else perf.data)",
		take_input },
	{ 'H', "with-hits", CLI_NONE, NULL,
		"only programs and libraries with samples in their code",
		.slot = offsetof(struct buildid_list, only_hits) },
	TABLE_OPTIONS("dwell-report(1)"),
	CLI_LOG_OPTIONS,
};

struct hits {
	const struct input *input;
	bool *by_dso; /* owned; by number of maps_dso() */
};

static void take_sample(
	void *data, const struct record *record, uint64_t position)
{
	struct hits *hits = data;
	struct reader *reader = hits->input->reader;
	const struct survey *survey = &hits->input->survey;
	const struct mapping *mapping;
	struct maps_context at;
	struct sample sample;
	struct frame frame;

	if (!sample_read(reader_layout(reader, reader_event_of(reader, record)),
		    record, &sample))
		return;
	at = maps_context(survey->maps, sample.pid, sample.tid,
		survey_time(survey, sample.time, position));
	frame = stacks_frame(at.space, sample.ip, sample.cpumode);
	mapping = maps_find(survey->maps, frame.space, frame.ip);
	if (mapping)
		hits->by_dso[mapping->dso] = true;
}

/* The kernel's mapping has a name behind the name: "[kernel.kallsyms]_text". */
static bool is_path_of(const struct dso *dso, const char *path)
{
	size_t length = strlen(path);

	if (dso->pid == MAPS_KERNEL_PID && path[0] == '[')
		return strncmp(dso->path, path, length) == 0;
	return string_is(dso->path, path);
}

static bool is_hit(const struct hits *hits, const char *path)
{
	const struct maps *maps = hits->input->survey.maps;
	uint32_t i;

	for (i = 0; i < maps_n_dsos(maps); i++)
		if (hits->by_dso[i] && is_path_of(maps_dso(maps, i), path))
			return true;
	return false;
}

static bool is_listed(const struct features *features, const struct dso *dso)
{
	array_each(&features->build_ids, entry)
		if (is_path_of(dso, entry->path))
			return true;
	return false;
}

/* Where the list goes: lines, or rows. */
struct list {
	struct strbuf *out;
	struct table *table; /* NULL: lines */
	size_t n;
};

static void put_line(
	const struct build_id *id, const char *path, struct list *list)
{
	char text[BUILD_ID_TEXT];

	list->n++;
	build_id_text(id, text);
	if (list->table) {
		table_text(list->table, text);
		table_text(list->table, path);
		return;
	}
	strbuf_printf(list->out, "%s ", text);
	escape_text(list->out, path);
	strbuf_putc(list->out, '\n');
}

/*
 * What the recorder listed, or what mappings tell where it listed nothing; and
 * these, too, when only hits count.
 */
static void put_list(
	const struct hits *hits, bool only_hits, struct list *list)
{
	const struct features *features =
		reader_features(hits->input->reader);
	const struct maps *maps = hits->input->survey.maps;
	uint32_t i;

	array_each(&features->build_ids, entry)
		if (!only_hits || is_hit(hits, entry->path))
			put_line(&entry->id, entry->path, list);
	if (features->build_ids.n && !only_hits)
		return;
	for (i = 0; i < maps_n_dsos(maps); i++) {
		const struct dso *dso = maps_dso(maps, i);

		if (dso->build_id.size && !is_listed(features, dso) &&
			(!only_hits || hits->by_dso[i]))
			put_line(&dso->build_id, dso->path, list);
	}
}

/* How many there are. */
static size_t put_all(const struct hits *hits,
	const struct buildid_list *wanted, struct strbuf *out)
{
	static const char *const columns[] = { "build_id", "path", NULL };
	struct list list = { .out = out };
	struct table table;

	if (table_is_wanted(wanted->common.view)) {
		table_begin(&table, wanted->common.view, "build_ids", columns,
			out);
		list.table = &table;
	}
	put_list(hits, wanted->only_hits, &list);
	if (list.table)
		table_end(&table);
	return list.n;
}

static struct error *run(const struct buildid_list *list, struct strbuf *out)
{
	struct result result;
	struct hits hits = { 0 };
	struct error *err = result_prepare(&list->common, &result);

	if (!err) {
		hits.input = result_input(&result);
		reader_check_blocks(hits.input->reader);
		hits.by_dso =
			xcalloc(maps_n_dsos(hits.input->survey.maps) + 1,
				sizeof(*hits.by_dso));
		if (list->only_hits)
			order_samples(hits.input->reader, &hits.input->survey,
				&hits.input->pick, take_sample, &hits);
		if (!put_all(&hits, list, out))
			log_note("%s has no build IDs%s",
				reader_path(hits.input->reader),
				list->only_hits ? " of what was hit" : "");
	}
	free(hits.by_dso);
	result_deinit(&result);
	return err;
}

struct error *cmd_buildid_list(int argc, char **argv)
{
	static const struct cli_foreign foreign[] = { FOREIGN_FORCE };
	static const struct cli cli = {
		"dwell buildid-list [options] [FILE]",
		"Lists the build IDs of the programs and libraries of a "
		"recording.",
		buildid_list_options, ARRAY_SIZE(buildid_list_options), false,
		foreign, ARRAY_SIZE(foreign),
	};
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct buildid_list list = { .common.single = "dwell buildid-list" };
	struct error *err = options_words(
		&cli, argc, argv, &list, &list.common.inputs);

	if (!err)
		err = run(&list, &text);
	if (!err) {
		output_page();
		err = output_text(&text);
	}
	options_deinit(&list.common);
	return err ? err : output_finish();
}
