/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell buildid-list: prints the build IDs of a recording like perf. */
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
	struct options common; /* shared options; must be the first member */
	bool only_sampled;
};

static const struct cli_option buildid_list_options[] = {
	INPUT_OPTION,
	{ 'H', "with-hits", CLI_NONE, NULL,
		"list only programs and libraries with samples",
		.slot = offsetof(struct buildid_list, only_sampled) },
	TABLE_OPTIONS("dwell-report(1)"),
	CLI_LOG_OPTIONS,
};

/* The DSOs that contain sampled addresses. */
struct sampled_dsos {
	const struct input *input;
	bool *is_sampled; /* by DSO number (maps_dso()); owned */
};

static bool add_sampled_dso(
	void *data, const struct record *record, uint64_t position)
{
	struct sampled_dsos *sampled = data;
	struct reader *reader = sampled->input->reader;
	const struct survey *survey = &sampled->input->survey;
	const struct mapping *mapping;
	struct maps_context at;
	struct sample sample;
	struct frame frame;

	if (!sample_read(reader_layout(reader, reader_event_of(reader, record)),
		    record, &sample))
		return true;
	at = maps_context(survey->maps, sample.pid, sample.tid,
		survey_time(survey, sample.time, position));
	frame = stacks_frame(at.space, sample.ip, sample.cpumode);
	mapping = maps_find(survey->maps, frame.space, frame.ip);
	if (mapping)
		sampled->is_sampled[mapping->dso] = true;
	return true;
}

/*
 * Returns whether PATH is the path of DSO. The path of the kernel's mapping has
 * the name of a symbol at the end, "[kernel.kallsyms]_text", which is ignored.
 */
static bool is_dso_path(const struct dso *dso, const char *path)
{
	size_t length = strlen(path);

	if (dso->pid == MAPS_KERNEL_PID && path[0] == '[')
		return strncmp(dso->path, path, length) == 0;
	return string_is(dso->path, path);
}

static bool is_path_sampled(
	const struct sampled_dsos *sampled, const char *path)
{
	const struct maps *maps = sampled->input->survey.maps;
	uint32_t i;

	for (i = 0; i < maps_n_dsos(maps); i++)
		if (sampled->is_sampled[i] &&
			is_dso_path(maps_dso(maps, i), path))
			return true;
	return false;
}

static bool has_listed_build_id(
	const struct features *features, const struct dso *dso)
{
	array_each(&features->build_ids, entry)
		if (is_dso_path(dso, entry->path))
			return true;
	return false;
}

struct build_id_writer {
	struct strbuf *out;
	struct table *table; /* of --json and --csv; NULL for text */
	size_t n;	     /* build IDs written */
};

static void put_build_id(const struct build_id *id, const char *path,
	struct build_id_writer *writer)
{
	char text[BUILD_ID_TEXT];

	writer->n++;
	build_id_text(id, text);
	if (writer->table) {
		table_text(writer->table, text);
		table_text(writer->table, path);
		return;
	}
	strbuf_printf(writer->out, "%s ", text);
	escape_text(writer->out, path);
	strbuf_putc(writer->out, '\n');
}

/*
 * Writes the build IDs of the recording's header. Build IDs of mappings are
 * written too if the header has no build IDs, or if ONLY_SAMPLED.
 */
static void put_build_ids(const struct sampled_dsos *sampled, bool only_sampled,
	struct build_id_writer *writer)
{
	const struct features *features =
		reader_features(sampled->input->reader);
	const struct maps *maps = sampled->input->survey.maps;
	uint32_t i;

	array_each(&features->build_ids, entry)
		if (!only_sampled || is_path_sampled(sampled, entry->path))
			put_build_id(&entry->id, entry->path, writer);
	if (features->build_ids.n && !only_sampled)
		return;
	for (i = 0; i < maps_n_dsos(maps); i++) {
		const struct dso *dso = maps_dso(maps, i);

		if (dso->build_id.size && !has_listed_build_id(features, dso) &&
			(!only_sampled || sampled->is_sampled[i])) {
			/*
			 * Write the build ID and path of DSO. The path of the
			 * kernel, "[kernel.kallsyms]_text", is written without
			 * the symbol "_text".
			 */
			_cleanup_free_ char *path = xstrdup(dso->path);
			char *end = strchr(path, ']');

			if (dso->pid == MAPS_KERNEL_PID && path[0] == '[' &&
				end)
				end[1] = '\0';
			put_build_id(&dso->build_id, path, writer);
		}
	}
}

static struct error *print_buildid_list(
	const struct buildid_list *list, struct strbuf *out)
{
	struct result result;
	struct sampled_dsos sampled = { 0 };
	struct error *err = result_prepare(&list->common, &result);

	if (!err) {
		const struct input *input = result_input(&result);

		sampled.input = input;
		reader_check_blocks(input->reader);
		sampled.is_sampled =
			xcalloc(maps_n_dsos(input->survey.maps) + 1,
				sizeof(*sampled.is_sampled));
		if (list->only_sampled)
			order_samples(input->reader, &input->survey,
				&input->selection, add_sampled_dso, &sampled);
		/* Write the build IDs to OUT. */
		static const char *const columns[] = { "build_id", "path",
			NULL };
		struct build_id_writer writer = { .out = out };
		struct table table;

		if (table_is_view(list->common.output.view)) {
			table_begin(&table, list->common.output.view,
				"build_ids", columns, out);
			writer.table = &table;
		}
		put_build_ids(&sampled, list->only_sampled, &writer);
		if (writer.table)
			table_end(&table);
		if (!writer.n)
			log_note("%s has no build IDs%s",
				reader_path(input->reader),
				list->only_sampled
					? " of programs and libraries with "
					  "samples"
					: "");
	}
	free(sampled.is_sampled);
	result_deinit(&result);
	return err;
}

struct error *cmd_buildid_list(int argc, char **argv)
{
	static const struct cli cli = {
		"dwell buildid-list [options] [FILE]",
		"Lists the build IDs of the programs and libraries of a "
		"recording.",
		buildid_list_options,
		ARRAY_SIZE(buildid_list_options),
		false,
		"buildid-list",
		paths_complete,
	};
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct buildid_list list = { .common.input.single =
					     "dwell buildid-list" };
	struct error *err = options_words(
		&cli, argc, argv, &list, &list.common.input.inputs);

	if (!err)
		err = print_buildid_list(&list, &text);
	if (!err) {
		output_page();
		err = output_text(&text);
	}
	options_deinit(&list.common);
	return err ? err : output_finish();
}
