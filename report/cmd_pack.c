/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwell pack: what this machine knows of the code that a recording hit goes into
 * the recording, so that it reads the same where nobody knows.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>

#include "common/alloc.h"
#include "common/bundle.h"
#include "common/log.h"
#include "report/cmd.h"
#include "report/options_shared.h"
#include "report/output.h"
#include "report/pack_lines.h"
#include "report/pack_symbols.h"
#include "report/pack_write.h"
#include "report/packed_lines.h"
#include "report/result.h"

struct pack {
	struct options common; /* the first member */
	bool only_strips, redacts;
	uint64_t level; /* of zstd; 0: what is there */
};

static struct error *take_input(void *context, const char *value, bool is_on)
{
	struct pack *pack = context;

	return options_take_input(&pack->common, value, is_on);
}

static struct error *take_level(
	void *context, const char *value, bool is_on _unused_)
{
	struct pack *pack = context;

	return cli_number(value, "--level", 1, PACK_LEVEL_MAX, &pack->level);
}

static const struct cli_option pack_options[] = {
	{ 'i', "input", CLI_VALUE, "FILE",
		"recording to pack, - for stdin (dwell.data, else perf.data)",
		take_input },
	{ 'o', "output", CLI_VALUE, "FILE",
		"where to (the recording itself)",
		.slot = offsetof(struct pack, common.output) },
	{ 0, "level", CLI_VALUE, "N",
		"compress all records anew, 1 (fast) to 19 (small)",
		take_level },
	{ 0, "redact", CLI_NONE, NULL,
		"take out command lines, folders and the machine's name",
		.slot = offsetof(struct pack, redacts) },
	{ 0, "strip", CLI_NONE, NULL, "take out what was packed",
		.slot = offsetof(struct pack, only_strips) },
	PLACE_OPTIONS,
	CLI_LOG_OPTIONS,
};

static const char *const own_sections[] = { SECTION_PACKED, SECTION_LINES,
	NULL };

/* --- what goes into it ---------------------------------------------------- */

/* TEXT is the section's from then on. */
static void add_section(struct rewrite_sections *sections, const char *name,
	uint32_t version, struct strbuf *text)
{
	if (text->n)
		*array_push(&sections->at) =
			(struct writer_section){ name, version, *text };
	else
		strbuf_free(text);
	*text = (struct strbuf){ 0 };
}

static void gather(
	const struct pack *pack, struct input *input,
	struct rewrite_sections *sections)
{
	struct strbuf text = { 0 };
	struct pack_hits hits = { 0 };
	struct symbols *symbols = symbols_create(
		input->reader, &input->survey, input->files);

	pack_hits_find(input, &pack->common.filter, &hits);
	pack_lines_put(&hits, symbols, input->files, &text);
	add_section(sections, SECTION_LINES, PACKED_LINES_VERSION, &text);
	pack_symbols_put(&hits, symbols, input->files, &text);
	add_section(sections, SECTION_PACKED, BUNDLE_VERSION, &text);
	symbols_destroy(symbols);
	pack_hits_deinit(&hits);
}

/* --- where it goes -------------------------------------------------------- */

/* What was written by dwell goes over as a whole. */
static bool is_own(const struct reader *reader)
{
	const char *version = reader_features(reader)->version;

	return reader_n_sections(reader) ||
		(version && strstr(version, "(dwell "));
}

/* Nothing is lost where the recording gives way to what is made of it. */
static struct error *check_in_place(const struct reader *reader)
{
	const char *path = reader_path(reader), *why = NULL;
	struct stat status;

	if (string_is(path, "-"))
		why = "standard input can't be packed in place";
	else if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
		why = "it is a folder";
	else if (!is_own(reader))
		why = "not all of another tool's recording goes over";
	else if (reader_damage(reader))
		why = "it is damaged, and only what is whole goes over";
	return why ? error_usage("%s: %s: name another file with -o", path, why)
		   : NULL;
}

static struct error *write_to(const struct pack *pack, struct reader *reader,
	struct rewrite_sections *sections)
{
	const struct pack_wish wish = { sections, (int)pack->level,
		pack->redacts };
	_cleanup_free_ char *path = NULL;
	struct output_file output;
	struct error *err;

	if (!pack->common.output)
		path = realpath(reader_path(reader), NULL);
	err = path ? output_replace(path, reader_size(reader),
			     &output)
		   : output_open(pack->common.output, &output);
	if (err)
		return err;
	err = !path && isatty(output.fd)
		? error_usage("standard output is a terminal; name a file "
			      "with -o")
		: pack_write(reader, &wish, output.fd);
	if (err) {
		error_free(output_close(&output, true));
		return err;
	}
	return output_close(&output, false);
}

static struct error *run(const struct pack *pack)
{
	struct rewrite_sections sections = { 0 };
	struct result result;
	struct error *err = result_prepare(&pack->common, &result);
	struct input *input;

	if (!err && !pack->common.output)
		err = check_in_place(result_input(&result)->reader);
	if (!err) {
		input = &result.inputs.at.at[0];
		rewrite_add_sections(input->reader, own_sections, &sections);
		if (!pack->only_strips)
			gather(pack, input, &sections);
		err = write_to(pack, input->reader, &sections);
	}
	rewrite_sections_deinit(&sections);
	result_deinit(&result);
	return err;
}

struct error *cmd_pack(int argc, char **argv)
{
	static const struct cli cli = {
		"dwell pack [options] [FILE]",
		"Puts into a recording what this machine knows of its code, to "
		"be read elsewhere.",
		pack_options, ARRAY_SIZE(pack_options), false,
	};
	struct pack pack = { .common.single = "dwell pack" };
	struct error *err = options_words(
		&cli, argc, argv, &pack, &pack.common.inputs);

	if (!err)
		err = run(&pack);
	options_deinit(&pack.common);
	return err;
}
