/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwell pack: adds the symbols, source lines and code of the sampled functions
 * to a recording, so that reports are the same on other machines.
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
#include "report/pack/pack_hits.h"
#include "report/pack/pack_lines.h"
#include "report/pack/pack_missing.h"
#include "report/pack/pack_rules.h"
#include "report/pack/pack_source.h"
#include "report/pack/pack_symbols.h"
#include "report/pack/pack_targets.h"
#include "report/pack/pack_write.h"
#include "report/result/result.h"
#include "report/survey/incomplete.h"
#include "report/symbols/code_bytes.h"
#include "report/unwind/dso_rules.h"
#include "report/util/output.h"

struct pack {
	struct options common; /* shared options; must be the first member */
	bool only_strips, redacts, has_source;
	uint64_t level; /* zstd level; 0 keeps the compression of the
			   recording */
};

static const struct cli_option pack_options[] = {
	INPUT_OPTION,
	{ 'o', "output", CLI_VALUE, "FILE",
		"write to FILE (default: replace the recording)",
		.slot = offsetof(struct pack, common.output.file) },
	{ 0, "held", CLI_VALUE, "FD,...",
		"read mapped files from these open file descriptors",
		offsetof(struct pack, common.places.open_files),
		options_parse_descriptors },
	{ 0, "force", CLI_NONE, NULL, "replace FILE if it exists",
		.slot = offsetof(struct pack, common.output.is_forced) },
	{ 0, "level", CLI_VALUE, "N",
		"recompress all records with zstd level N, 1 (fast) to 19 "
		"(small)",
		offsetof(struct pack, level), cli_parse_number, 1,
		PACK_LEVEL_MAX },
	MAX_OUTPUT_OPTION,
	{ 0, "redact", CLI_NONE, NULL,
		"remove command lines, directories and the host name",
		.slot = offsetof(struct pack, redacts) },
	{ 0, "source", CLI_NONE, NULL,
		"also add the source code of sampled functions",
		.slot = offsetof(struct pack, has_source) },
	{ 0, "strip", CLI_NONE, NULL, "remove the data that dwell pack added",
		.slot = offsetof(struct pack, only_strips) },
	PLACE_OPTIONS,
	SOURCE_PATH_OPTION,
	CLI_LOG_OPTIONS,
};

/* The sections that each `dwell pack` writes again, or removes with --strip. */
#define OWN_SECTIONS                                             \
	SECTION_PACKED, SECTION_PACKED_DATA, SECTION_PACKED_JIT, \
		SECTION_LINES, SECTION_CODE, SECTION_RULES
static const char *const own_sections[] = { OWN_SECTIONS, NULL };
static const char *const all_sections[] = { OWN_SECTIONS, SECTION_SOURCE,
	NULL };

/* --- content ------------------------------------------------------------- */

/*
 * Adds the section NAME with the content TEXT to SECTIONS, unless TEXT is
 * empty. Takes ownership of the content of TEXT, which is empty afterwards.
 */
static void add_pack_section(struct rewrite_sections *sections,
	const char *name, uint32_t version, struct strbuf *text)
{
	if (text->n)
		*array_push(&sections->at) =
			(struct writer_section){ name, version, *text };
	else
		strbuf_free(text);
	*text = (struct strbuf){ 0 };
}

/*
 * Adds the packed sections to SECTIONS. Describes data that was not found in
 * MISSING.
 */
static void make_pack_sections(const struct pack *pack, struct input *input,
	struct rewrite_sections *sections, struct pack_missing *missing)
{
	struct strbuf text = { 0 }, rules = { 0 };
	struct pack_hits code = { 0 }, all = { 0 };
	struct pack_weights weights = { 0 };
	struct symbols *symbols =
		symbols_create(input->reader, &input->survey, input->files);
	/* It marks the used unwind rules. NULL: there are no stack copies. */
	struct recorded_unwinding *unwinding = NULL;

	if (reader_has_stack_copies(input->reader)) {
		unwinding = recorded_unwinding_create(
			input->reader, &input->survey, input->files);
		address_rules_record_lookups(
			recorded_unwinding_rules(unwinding));
	}
	/*
	 * Find the addresses in call chains, and the unwind rules for the stack
	 * copies of the recording.
	 */
	pack_hits_find(input, &pack->common.filter, unwinding, &code, &weights);
	if (unwinding)
		pack_rules_put(recorded_unwinding_rules(unwinding),
			input->files, &rules);
	/*
	 * Add the addresses of branches to the hits with code. The hits of all
	 * symbols also have the addresses of accessed data and of called
	 * functions.
	 */
	pack_touched_find(input, &code, &all);
	pack_hits_sort(&code);
	pack_targets_find(&code, symbols, input->files, &all);
	array_each(&code.at, hit)
		*array_push(&all.at) = *hit;
	pack_hits_sort(&all);
	/*
	 * The section "source" is first, as it is if an earlier "source"
	 * section is kept.
	 */
	if (pack->has_source)
		pack_source_put(&code, symbols, input->files, &text);
	add_pack_section(
		sections, SECTION_SOURCE, PACKED_SOURCE_VERSION, &text);
	add_pack_section(sections, SECTION_RULES, PACKED_RULES_VERSION, &rules);
	pack_lines_put(&code, symbols, input->files, &text);
	add_pack_section(sections, SECTION_LINES, PACKED_LINES_VERSION, &text);
	pack_code_put(&code,
		unwinding ? recorded_unwinding_rules(unwinding) : NULL, symbols,
		input->files, &text);
	recorded_unwinding_destroy(unwinding);
	add_pack_section(sections, SECTION_CODE, PACKED_CODE_VERSION, &text);
	pack_symbols_put(&all, symbols, input->files, &text);
	add_pack_section(
		sections, SECTION_PACKED, SYMBOLS_SECTION_VERSION, &text);
	pack_data_put(&code, symbols, input->files, &text);
	add_pack_section(
		sections, SECTION_PACKED_DATA, SYMBOLS_SECTION_VERSION, &text);
	pack_jit_put(&code, input, symbols, &text);
	add_pack_section(
		sections, SECTION_PACKED_JIT, JIT_SECTION_VERSION, &text);
	pack_missing_find(
		&(struct pack_missing_input){ &code, &weights, symbols },
		input->files, missing);
	symbols_destroy(symbols);
	pack_weights_deinit(&weights);
	pack_hits_deinit(&code);
	pack_hits_deinit(&all);
}

static struct error *check_pack_options(const struct pack *pack)
{
	if (pack->has_source && pack->redacts)
		return error_usage(
			"--source and --redact exclude each other: source code "
			"contains the data that --redact removes");
	if (pack->has_source && pack->only_strips)
		return error_usage("--source and --strip exclude each other");
	return NULL;
}

/* --- output -------------------------------------------------------------- */

/*
 * Returns whether the output replaces the recording: without -o, or if -o is a
 * path of the recording.
 */
static bool is_output_input(
	const struct pack *pack, const struct reader *reader)
{
	struct stat input, output;

	if (!pack->common.output.file)
		return true;
	return stat(reader_path(reader), &input) == 0 &&
		stat(pack->common.output.file, &output) == 0 &&
		input.st_dev == output.st_dev && input.st_ino == output.st_ino;
}

/* Refuses to replace a recording if data would be lost. */
static struct error *check_replaced_recording(const struct reader *reader)
{
	_cleanup_free_ char *damaged = NULL;
	const char *path = reader_path(reader), *why = NULL;
	const char *version = reader_features(reader)->version;
	/* All data of a recording that dwell wrote is copied. */
	bool is_of_dwell = reader_n_sections(reader) ||
		(version && strstr(version, "(dwell "));
	struct stat status;

	if (string_is(path, "-"))
		why = "standard input cannot be packed in place";
	else if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
		why = "the recording is a directory";
	else if (!is_of_dwell)
		why = "another program recorded the file, and some of its data "
		      "would be lost";
	else if (reader_damage(reader))
		why = damaged =
			xasprintf("the file is damaged (%s); packing it "
				  "in place would lose data",
				reader_damage(reader));
	return why ? error_usage("%s: %s; use -o FILE", path, why) : NULL;
}

/*
 * Keeps the modification time of a recording without clock data: the
 * modification time can be the only date of the recording.
 */
static void copy_modification_time(const struct reader *reader, int fd)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT } };
	struct stat status;

	if (feature_is_present(reader_features(reader), FEATURE_CLOCK_DATA) ||
		stat(reader_path(reader), &status) < 0)
		return;
	times[1] = status.st_mtim;
	if (futimens(fd, times) < 0)
		log_verbose("cannot set the modification time of the copy of "
			    "%s: %s",
			reader_path(reader), strerror(errno));
}

/*
 * Adds PATH to ERR if ERR is a write error. Only write errors have an errno; an
 * error about a damaged recording has no errno.
 */
static struct error *wrap_write_error(struct error *err, const char *path)
{
	int errnum = err->errnum;

	if (!errnum)
		return err;
	error_free(err);
	if (string_is(path, "-"))
		path = NULL;
	return output_limit_error(path)
		?: error_errno(errnum, "cannot write %s",
			   path ?: "standard output");
}

static struct error *write_packed(const struct pack *pack,
	struct reader *reader, struct rewrite_sections *sections)
{
	const struct pack_write_config config = { sections, (int)pack->level,
		pack->redacts };
	_cleanup_free_ char *path = NULL;
	struct output_file output;
	struct error *err;

	if (!pack->common.output.file)
		path = realpath(reader_path(reader), NULL);
	err = path ? output_replace(path, reader_size(reader), &output)
		   : output_open(pack->common.output.file, &output);
	if (err)
		return err;
	bool is_stdin = string_is(reader_path(reader), "-");
	struct stat status;

	output.mode = 0600;
	if ((is_stdin ? fstat(STDIN_FILENO, &status)
		      : stat(reader_path(reader), &status)) >= 0 &&
		(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)))
		output.mode = (status.st_mode & 0666) ?: 0600;
	err = !path && isatty(output.fd)
		? error_usage(
			  "cannot write a recording to a terminal; use -o FILE")
		: pack_write(reader, &config, output.fd);
	if (err) {
		error_free(output_commit(&output, true));
		return wrap_write_error(err, path ?: pack->common.output.file);
	}
	copy_modification_time(reader, output.fd);
	return output_commit(&output, false);
}

/*
 * Adds the copied sections of the recording to RET. Returns an error if a
 * damaged section would be lost because the recording is replaced.
 */
static struct error *keep_sections(const struct pack *pack,
	struct reader *reader, struct rewrite_sections *ret)
{
	/*
	 * Packed source lines are copied unless one of these options is used.
	 */
	const char *unread = rewrite_add_sections(reader,
		pack->has_source || pack->redacts || pack->only_strips
			? all_sections
			: own_sections,
		ret);

	if (unread && !pack->common.output.file)
		return error_usage("%s: section \"%s\" is damaged and would "
				   "be lost; use -o FILE",
			reader_path(reader), unread);
	return NULL;
}

static struct error *pack_recording(struct pack *pack)
{
	struct pack_missing missing = { 0 };
	struct rewrite_sections sections = { 0 };
	struct result result;
	struct error *err;
	struct input *input;

	/*
	 * Report damage only at the end: if the recording is refused, the error
	 * message describes the damage.
	 */
	incomplete_hold();
	err = result_prepare(&pack->common, &result);
	input = err ? NULL : &result.inputs.at.at[0];
	if (!err)
		reader_check_blocks(input->reader);
	if (!err && is_output_input(pack, input->reader)) {
		pack->common.output.file = NULL;
		err = check_replaced_recording(input->reader);
	} else if (!err) {
		err = output_check(pack->common.output.file,
			pack->common.output.is_forced);
	}
	if (!err)
		err = keep_sections(pack, input->reader, &sections);
	if (!err) {
		if (!pack->only_strips)
			make_pack_sections(pack, input, &sections, &missing);
		rewrite_add_damage(input->reader, &sections);
		err = write_packed(pack, input->reader, &sections);
	}
	if (!err) {
		const struct strbuf *texts[] = { &missing.split, &missing.bare,
			&missing.absent };
		size_t i;

		for (i = 0; i < ARRAY_SIZE(texts); i++)
			if (texts[i]->n)
				log_note("%s: %s", reader_path(input->reader),
					texts[i]->at);
	} else if (input && !pack->common.output.file)
		incomplete_skip(input->reader);
	pack_missing_deinit(&missing);
	rewrite_sections_deinit(&sections);
	result_deinit(&result);
	return err;
}

struct error *cmd_pack(int argc, char **argv)
{
	static const struct cli cli = {
		"dwell pack [options] [FILE]",
		"Adds symbols, source lines and code to a recording, for "
		"reading it on another machine.",
		pack_options,
		ARRAY_SIZE(pack_options),
		.complete = paths_complete,
	};
	struct pack pack = { .common.input.single = "dwell pack",
		.common.output.max_output = OUTPUT_LIMIT_BY_INPUT };
	struct error *err = options_words(
		&cli, argc, argv, &pack, &pack.common.input.inputs);

	output_limit_begin(pack.common.output.max_output);
	if (!err)
		err = check_pack_options(&pack);
	if (!err)
		err = pack_recording(&pack);
	options_deinit(&pack.common);
	return err;
}
