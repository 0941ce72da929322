/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwell pack: what this machine knows of the code that a recording hit goes into
 * the recording, so that it reads the same where nobody knows.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>

#include "common/file/jit_section.h"
#include "common/file/symbols_section.h"
#include "common/util/alloc.h"
#include "common/util/log.h"
#include "report/cmd.h"
#include "report/lines/packed_lines.h"
#include "report/lines/packed_source.h"
#include "report/options/options_shared.h"
#include "report/pack/pack_code.h"
#include "report/pack/pack_data.h"
#include "report/pack/pack_jit.h"
#include "report/pack/pack_lines.h"
#include "report/pack/pack_missing.h"
#include "report/pack/pack_rules.h"
#include "report/pack/pack_source.h"
#include "report/pack/pack_symbols.h"
#include "report/pack/pack_targets.h"
#include "report/pack/pack_touched.h"
#include "report/pack/pack_write.h"
#include "report/result/result.h"
#include "report/symbols/packed_code.h"
#include "report/unwind/packed_rules.h"
#include "report/util/output.h"

struct pack {
	struct options common; /* the first member */
	bool only_strips, redacts, has_source;
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
	{ 0, "held", CLI_VALUE, "FD,...",
		"open descriptors of files that were mapped",
		options_take_held },
	{ 0, "force", CLI_NONE, NULL, "replace that file if it is there",
		.slot = offsetof(struct pack, common.is_forced) },
	{ 0, "level", CLI_VALUE, "N",
		"compress all records anew, 1 (fast) to 19 (small)",
		take_level },
	{ 0, "redact", CLI_NONE, NULL,
		"take out command lines, folders and the machine's name",
		.slot = offsetof(struct pack, redacts) },
	{ 0, "source", CLI_NONE, NULL,
		"lines of source code, too, of functions that were hit",
		.slot = offsetof(struct pack, has_source) },
	{ 0, "strip", CLI_NONE, NULL, "take out what was packed",
		.slot = offsetof(struct pack, only_strips) },
	PLACE_OPTIONS,
	CLI_LOG_OPTIONS,
};

/* Made anew, or taken out. */
#define OWN_SECTIONS                                                           \
	SECTION_PACKED, SECTION_PACKED_DATA, SECTION_PACKED_JIT,               \
		SECTION_LINES, SECTION_CODE, SECTION_RULES
static const char *const own_sections[] = { OWN_SECTIONS, NULL };
static const char *const all_sections[] = { OWN_SECTIONS, SECTION_SOURCE,
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

/* NULL where there are no copies of stacks. */
static struct unwinding *unwinding_of(struct input *input)
{
	struct unwinding *unwinding;

	if (!reader_has_stack_copies(input->reader))
		return NULL;
	unwinding = unwinding_create(
		input->reader, &input->survey, input->files);
	codes_watch(unwinding_codes(unwinding));
	return unwinding;
}

/* What code is unwound by goes to RULES. */
static void find_code(const struct pack *pack, struct input *input,
	struct pack_hits *code, struct pack_weights *weights,
	struct strbuf *rules)
{
	struct unwinding *unwinding = unwinding_of(input);

	pack_hits_find(input, &pack->common.filter, unwinding, code, weights);
	if (unwinding)
		pack_rules_put(
			unwinding_codes(unwinding), input->files, rules);
	unwinding_destroy(unwinding);
}

/* Of data, and of what is called without being hit, there are names alone. */
static void find_names(struct input *input, struct symbols *symbols,
	struct pack_hits *code, struct pack_hits *all)
{
	pack_touched_find(input, code, all);
	pack_hits_sort(code);
	pack_targets_find(code, symbols, input->files, all);
	array_each(&code->at, hit)
		*array_push(&all->at) = *hit;
	pack_hits_sort(all);
}

/* What couldn't be had is told in MISSING. */
static void gather(
	const struct pack *pack, struct input *input,
	struct rewrite_sections *sections, struct pack_missing *missing)
{
	struct strbuf text = { 0 }, rules = { 0 };
	struct pack_hits code = { 0 }, all = { 0 };
	struct pack_weights weights = { 0 };
	struct symbols *symbols = symbols_create(
		input->reader, &input->survey, input->files);

	find_code(pack, input, &code, &weights, &rules);
	find_names(input, symbols, &code, &all);
	/* First, where it is if it stays. */
	if (pack->has_source)
		pack_source_put(&code, symbols, input->files, &text);
	add_section(sections, SECTION_SOURCE, PACKED_SOURCE_VERSION, &text);
	add_section(sections, SECTION_RULES, PACKED_RULES_VERSION, &rules);
	pack_lines_put(&code, symbols, input->files, &text);
	add_section(sections, SECTION_LINES, PACKED_LINES_VERSION, &text);
	pack_code_put(&code, symbols, input->files, &text);
	add_section(sections, SECTION_CODE, PACKED_CODE_VERSION, &text);
	pack_symbols_put(&all, symbols, input->files, &text);
	add_section(sections, SECTION_PACKED, BUNDLE_VERSION, &text);
	pack_data_put(&code, symbols, input->files, &text);
	add_section(sections, SECTION_PACKED_DATA, BUNDLE_VERSION, &text);
	pack_jit_put(&code, input, symbols, &text);
	add_section(sections, SECTION_PACKED_JIT, JIT_VERSION, &text);
	pack_missing_find(&(struct pack_wanted){ &code, &weights, symbols },
		input->files, missing);
	symbols_destroy(symbols);
	pack_weights_deinit(&weights);
	pack_hits_deinit(&code);
	pack_hits_deinit(&all);
}

/* Source code that was packed once stays, unless it is asked for again. */
static const char *const *replaced_sections(const struct pack *pack)
{
	return pack->has_source || pack->redacts || pack->only_strips
		? all_sections
		: own_sections;
}

static struct error *check_wish(const struct pack *pack)
{
	if (pack->has_source && pack->redacts)
		return error_usage("--source and --redact exclude each other: "
				   "source code tells what is to be taken "
				   "out");
	if (pack->has_source && pack->only_strips)
		return error_usage("--source and --strip exclude each other");
	return NULL;
}

/* --- where it goes -------------------------------------------------------- */

/* The recording itself may be what -o names: by another path, too. */
static bool is_in_place(const struct pack *pack, const struct reader *reader)
{
	struct stat input, output;

	if (!pack->common.output)
		return true;
	return stat(reader_path(reader), &input) == 0 &&
		stat(pack->common.output, &output) == 0 &&
		input.st_dev == output.st_dev && input.st_ino == output.st_ino;
}

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

/*
 * What was for nobody else stays so: stacks, code and source lines are in it. Of a
 * pipe nobody knows for whom it was.
 */
static mode_t mode_for(const struct reader *reader)
{
	bool is_stdin = string_is(reader_path(reader), "-");
	struct stat status;

	if ((is_stdin ? fstat(STDIN_FILENO, &status)
		      : stat(reader_path(reader), &status)) < 0 ||
		!(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)))
		return 0600;
	return (status.st_mode & 0666) ?: 0600;
}

/* It may be all that tells when the recording was made. */
static void keep_time(const struct reader *reader, int fd)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT } };
	struct stat status;

	if (feature_is_present(
		    reader_features(reader), FEATURE_CLOCK_DATA) ||
		stat(reader_path(reader), &status) < 0)
		return;
	times[1] = status.st_mtim;
	if (futimens(fd, times) < 0)
		log_verbose("%s: its time can't be kept: %s",
			reader_path(reader), strerror(errno));
}

/* Only what can't be written has an errno: what is read is damaged at most. */
static struct error *name_unwritten(struct error *err, const char *path)
{
	int errnum = err->errnum;

	if (!errnum)
		return err;
	error_free(err);
	return error_errno(errnum, "%s: can't be written",
		string_is(path, "-") ? "standard output" : path);
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
	output.mode = mode_for(reader);
	err = !path && isatty(output.fd)
		? error_usage("standard output is a terminal; name a file "
			      "with -o")
		: pack_write(reader, &wish, output.fd);
	if (err) {
		error_free(output_close(&output, true));
		return name_unwritten(err, path ?: pack->common.output);
	}
	keep_time(reader, output.fd);
	return output_close(&output, false);
}

/* What stays as it is. */
static struct error *take_sections(const struct pack *pack,
	struct reader *reader, struct rewrite_sections *ret)
{
	const char *unread = rewrite_add_sections(
		reader, replaced_sections(pack), ret);

	if (unread && !pack->common.output)
		return error_usage("%s: its section \"%s\" is damaged, and "
				   "would be lost: name another file with -o",
			reader_path(reader), unread);
	return NULL;
}

static void tell_missing(const struct pack_missing *missing, const char *path)
{
	const struct strbuf *texts[] = { &missing->split, &missing->bare,
		&missing->absent };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++)
		if (texts[i]->n)
			log_note("%s: %s", path, texts[i]->at);
}

static struct error *run(struct pack *pack)
{
	struct pack_missing missing = { 0 };
	struct rewrite_sections sections = { 0 };
	struct result result;
	struct error *err = result_prepare(&pack->common, &result);
	struct input *input;

	input = err ? NULL : &result.inputs.at.at[0];
	if (!err)
		reader_check_blocks(input->reader);
	if (!err && is_in_place(pack, input->reader)) {
		pack->common.output = NULL;
		err = check_in_place(input->reader);
	} else if (!err) {
		err = output_check(
			pack->common.output, pack->common.is_forced);
	}
	if (!err)
		err = take_sections(pack, input->reader, &sections);
	if (!err) {
		if (!pack->only_strips)
			gather(pack, input, &sections, &missing);
		rewrite_add_damage(input->reader, &sections);
		err = write_to(pack, input->reader, &sections);
	}
	if (!err)
		tell_missing(&missing, reader_path(input->reader));
	pack_missing_deinit(&missing);
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
		err = check_wish(&pack);
	if (!err)
		err = run(&pack);
	options_deinit(&pack.common);
	return err;
}
