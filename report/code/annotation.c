/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/code/annotation.h"

#include <elf.h>
#include <inttypes.h>

#include "common/maps/runtime_dso.h"
#include "common/unwind/unwind_arch.h"
#include "common/util/alloc.h"
#include "report/code/data_names.h"
#include "report/lines/source_lines.h"
#include "report/symbols/code_bytes.h"
#include "report/symbols/dso_name.h"

struct annotation_maker {
	struct result *result; /* borrowed */
	struct data_names *data_names;
	struct branch_runs runs;
	ARRAY(struct origin {
		struct files *files;	    /* borrowed */
		struct code_bytes *codes;   /* NULL until needed */
		struct source_lines *texts; /* NULL until needed */
	})
	origins; /* by input number */
};

/* The function that is being annotated. */
struct annotation_making {
	struct annotation *annotation;
	const struct location *at;
	struct origin *origin;
	uint64_t moved; /* linked address minus file offset in the DSO */
	struct hash_index by_source, by_scope;
};

struct annotation_maker *annotation_maker_create(struct result *result)
{
	struct annotation_maker *annotator = xcalloc(1, sizeof(*annotator));

	annotator->result = result;
	array_each(&result->inputs.at, input)
		array_push(&annotator->origins)->files = input->files;
	annotator->data_names = data_names_create();
	branch_runs_find(result, &annotator->runs);
	return annotator;
}

void annotation_maker_destroy(struct annotation_maker *annotator)
{
	if (!annotator)
		return;
	array_each(&annotator->origins, origin) {
		code_bytes_destroy(origin->codes);
		source_lines_destroy(origin->texts);
	}
	array_free(&annotator->origins);
	data_names_destroy(annotator->data_names);
	branch_runs_deinit(&annotator->runs);
	free(annotator);
}

void annotation_maker_report_missing(const struct annotation_maker *annotator)
{
	array_each(&annotator->origins, origin)
		if (origin->texts)
			source_lines_report_missing(origin->texts);
}

/* --- code ----------------------------------------------------------------- */

/*
 * Returns the ELF machine (EM_*) of the recorded machine, for code without an
 * ELF header.
 */
static unsigned find_recorded_machine(const struct files *files)
{
	const char *name = reader_features(files_reader(files))->arch;

	switch (name ? unwind_arch_of_name(name) : UNWIND_NONE) {
	case UNWIND_X86_64: return EM_X86_64;
	case UNWIND_I386: return EM_386;
	case UNWIND_AARCH64: return EM_AARCH64;
	default: return EM_NONE;
	}
}

/* Returns the reason why code_bytes_read() found no code of the function AT. */
static struct error *code_missing(
	struct files *files, const struct location *at)
{
	const struct dso *dso = files_dso(files, at->number);
	const char *symfs;
	uint32_t pid;

	if (at->dso->is_kernel) {
		if (symbols_is_ksymbol(at->dso))
			return error_new(
				"no code: the kernel generated it at run "
				"time (for example a BPF program), and only "
				"its name was recorded");
		if (!dso_name_is_kernel(at->dso->path))
			return error_new(
				"no code: dwell does not read the code of "
				"kernel modules");
		return error_new(
			"no code: the code of the kernel is in vmlinux; name it "
			"with --vmlinux");
	}
	if (runtime_dso_is(dso->path))
		return error_new(
			"no machine code: the recording has only the source "
			"lines of functions in %s",
			dso->path);
	if (maps_is_anonymous(dso->path) ||
		survey_is_timed_jit(dso->path, &pid))
		return error_new(
			"no code: it was generated at run time, and no "
			"jitdump contains it");
	if (!files_build_id(files, at->number).size &&
		access(at->dso->path, R_OK) == 0)
		return error_new(
			"no code: without a recorded build ID, %s may be "
			"another file than the recorded one",
			at->dso->path);
	if (files_status(files, at->number).is_other)
		return error_new(
			"no code: %s is not the recorded file", at->dso->path);
	symfs = buildid_cache_paths(files_cache(files))->symfs;
	if (symfs)
		return error_new("no code: %s was not found below --symfs %s "
				 "as it was recorded; for source files alone, "
				 "use --source-path instead",
			at->dso->path, symfs);
	return error_new(
		"no code: %s was not found as it was recorded", at->dso->path);
}

static void disassemble_code(struct annotation_making *making,
	const struct annotation_config *config)
{
	struct annotation *annotation = making->annotation;
	struct disassembly_code code = { 0 };
	const struct location *at = making->at;
	struct origin *origin = making->origin;
	const struct code_query query = { at->number, at->start,
		(size_t)MIN(at->end - at->start, (uint64_t)CODE_BYTES_MAX) };
	struct code_facts facts;

	if (!origin->codes)
		origin->codes = code_bytes_create(origin->files);
	annotation->bytes = xmalloc(query.size);
	code.at = annotation->bytes;
	code.size = code_bytes_read(
		origin->codes, &query, annotation->bytes, &facts);
	code.address = facts.address;
	code.machine = facts.kind.machine
		? facts.kind.machine
		: find_recorded_machine(origin->files);
	annotation->problem =
		code.size ? NULL : code_missing(origin->files, at);
	annotation->size = making->at->end - making->at->start;
	annotation->address = code.size ? code.address : making->at->start;
	annotation->is_cut = code.size && code.size < annotation->size;
	making->moved = annotation->address - making->at->start;
	if (!annotation->problem)
		annotation->problem = disassembly_make(
			&code, config->syntax, &annotation->code);
}

/* --- samples ------------------------------------------------------------- */

static void sum_lines(struct annotation *annotation)
{
	struct annotation_amount sum = { 0 };
	size_t i;

	annotation->before =
		xcalloc(annotation->lines.n + 1, sizeof(*annotation->before));
	for (i = 0; i < annotation->lines.n; i++) {
		sum.samples += annotation->lines.at[i].samples;
		sum.period += annotation->lines.at[i].period;
		annotation->before[i + 1] = sum;
	}
}

static void count_function_branches(
	struct annotation_making *making, const struct branch_runs *runs)
{
	struct annotation *annotation = making->annotation;
	size_t n;
	const struct branch_run *of = branch_runs_of(
		runs, annotation->functions->event, making->at->shown_as, &n);

	if (!n || !annotation->code.at.n)
		return;
	annotation->blocks =
		xcalloc(annotation->flow.blocks.n, sizeof(*annotation->blocks));
	branch_blocks_count(&annotation->code, &annotation->flow, of, n,
		annotation->blocks);
}

/* --- names ---------------------------------------------------------------- */

static void name_targets(
	struct annotation_making *making, struct data_names *names)
{
	struct annotation *annotation = making->annotation;
	size_t i;

	for (i = 0; i < annotation->code.at.n; i++) {
		const struct instruction *at = &annotation->code.at.at[i];

		if (at->has_target &&
			annotation->flow.places[i].target == FLOW_NONE) {
			uint64_t place = at->target - making->moved, start;
			_cleanup_free_ char *name = resolver_name_at(
				annotation->result->resolver,
				annotation->function->location, place, &start);

			annotation->lines.at[i].target = !name || place == start
				? take_pointer(name)
				: xasprintf(
					  "%s+0x%" PRIx64, name, place - start);
		} else if (at->has_data)
			annotation->lines.at[i].target =
				data_names_find(names, making->origin->files,
					making->at->number, at->data);
	}
}

/* --- source lines -------------------------------------------------------- */

static uint32_t find_source_number(
	struct annotation_making *making, const char *file, uint32_t line)
{
	struct annotation *annotation = making->annotation;
	uint64_t hash = hash_words(hash_string(file), line);
	uint32_t n = (uint32_t)annotation->sources.n;

	hash_each_match(&making->by_source, hash, i)
		if (annotation->sources.at[i].line == line &&
			string_is(annotation->sources.at[i].file, file))
			return i;
	hash_insert(&making->by_source, hash, n);
	*array_push(&annotation->sources) =
		(struct annotation_source){ .file = file, .line = line };
	return n;
}

/*
 * Returns the index of the scope with the members of LIKE, which it adds if there is
 * none.
 */
static uint32_t find_scope(
	struct annotation_making *making, const struct annotation_scope *like)
{
	struct annotation *annotation = making->annotation;
	uint64_t hash = hash_words((uintptr_t)like->name,
		(uint64_t)like->parent << 32 | like->site);
	uint32_t n = (uint32_t)annotation->scopes.n;

	hash_each_match(&making->by_scope, hash, i) {
		const struct annotation_scope *scope =
			&annotation->scopes.at[i];

		if (scope->name == like->name &&
			scope->parent == like->parent &&
			scope->site == like->site)
			return i;
	}
	hash_insert(&making->by_scope, hash, n);
	*array_push(&annotation->scopes) = *like;
	return n;
}

static void find_instruction_line(struct annotation_making *making, size_t i)
{
	struct annotation *annotation = making->annotation;
	struct annotation_line *line = &annotation->lines.at[i];
	struct line_frame frames[LINE_DEPTH_MAX];
	struct annotation_source *source;
	size_t n = resolver_frames(annotation->result->resolver,
		annotation->function->location,
		annotation->code.at.at[i].address - making->moved, frames);

	/* Line 0 marks code without a source line. */
	if (!n || !frames[0].file || !frames[0].line)
		return;
	line->source =
		find_source_number(making, frames[0].file, frames[0].line);
	source = &annotation->sources.at[line->source];
	source->samples += line->samples;
	source->period += line->period;
	while (--n) {
		const struct line_frame *outer = &frames[n];

		line->scope = find_scope(making,
			&(struct annotation_scope){ frames[n - 1].name,
				line->scope,
				outer->file && outer->line
					? find_source_number(making,
						  outer->file, outer->line)
					: ANNOTATION_NONE });
		line->inlined = frames[n - 1].name;
	}
}

/* --- lines without instructions ------------------------------------------- */

/*
 * Writes the numbers of the source lines at PLACE to RET, the innermost first, without
 * those of unknown lines. Returns their number.
 */
static size_t find_place_lines(struct annotation_making *making, uint64_t place,
	uint32_t ret[LINE_DEPTH_MAX])
{
	struct line_frame frames[LINE_DEPTH_MAX];
	size_t found = resolver_frames(making->annotation->result->resolver,
		making->annotation->function->location,
		making->at->start + place, frames);
	size_t n = 0, i;

	for (i = 0; i < found; i++)
		if (frames[i].file && frames[i].line)
			ret[n++] = find_source_number(
				making, frames[i].file, frames[i].line);
	return n;
}

/* Finds the source lines of the sampled addresses if there are no instructions. */
static void find_sampled_lines(struct annotation_making *making)
{
	array_each(&making->annotation->function->places, place) {
		uint32_t lines[LINE_DEPTH_MAX];
		struct annotation_source *source;

		if (!find_place_lines(making, place->place, lines))
			continue;
		source = &making->annotation->sources.at[lines[0]];
		source->samples += place->samples;
		source->period += place->period;
	}
}

/* Counts the totals of source lines if there are no instructions. */
static void count_sampled_line_totals(struct annotation_making *making)
{
	struct annotation *annotation = making->annotation;
	const uint64_t *places = annotation->result->hits.places.at;
	ARRAY(struct annotation_amount) sums = { 0 };
	ARRAY(uint32_t) visits = { 0 }; /* by line: number of its last visit */
	uint32_t lines[LINE_DEPTH_MAX], number = 0, i;
	size_t n;

	array_each(&annotation->function->visits, visit) {
		number++;
		for (i = 0; i < (*visit)->n; i++) {
			n = find_place_lines(
				making, places[(*visit)->first + i], lines);
			while (sums.n <= annotation->sources.n) {
				array_push(&sums);
				array_push(&visits);
			}
			while (n--) {
				if (visits.at[lines[n]] == number)
					continue;
				visits.at[lines[n]] = number;
				sums.at[lines[n]].samples += (*visit)->samples;
				sums.at[lines[n]].period += (*visit)->period;
			}
		}
	}
	array_free(&visits);
	annotation->totals.sources = sums.at;
}

/* Returns whether PATH is a file of the system's packages, without their sources. */
static bool is_system_file(const char *path)
{
	return (string_starts(path, "/usr/") &&
		       !string_starts(path, "/usr/local/")) ||
		string_starts(path, "/lib/") ||
		string_starts(path, "/lib64/") ||
		string_starts(path, "/bin/") || string_starts(path, "/sbin/");
}

/*
 * Reads the text of each source line. Sets .may_have_changed if the source file
 * is newer than the recording, so that the text can be different code.
 */
static void find_source_texts(struct annotation_making *making)
{
	struct annotation *annotation = making->annotation;
	struct origin *origin = making->origin;
	uint64_t recorded_ns = files_recorded_ns(origin->files);

	if (!origin->texts)
		origin->texts = source_lines_create(
			origin->files, SOURCE_RELATIVE_TO_CWD);
	/* Only a function that the user named needs the source of a library. */
	source_lines_forgive(origin->texts,
		(!annotation->function->is_selected ||
			!annotation->result->options->code.functions.names.n) &&
			making->at->dso &&
			is_system_file(making->at->dso->path));
	annotation->texts = origin->texts;
	array_each(&annotation->sources, source) {
		struct source_line found = source_lines_find(
			origin->texts, source->file, source->line);

		source->is_of_system = is_system_file(source->file);
		source->text = found.text;
		source->size = found.size;
		source->is_recorded = found.is_recorded;
		source->may_have_changed = found.text && recorded_ns &&
			!found.is_recorded && found.changed_ns > recorded_ns;
	}
}

const char *annotation_file_line(const struct annotation *annotation,
	const struct annotation_source *source, uint32_t line, size_t *size_ret)
{
	struct source_line found;

	/* A line that a recording lacks is no missing file. */
	source_lines_forgive(annotation->texts, true);
	found = source_lines_find(annotation->texts, source->file, line);
	*size_ret = found.size;
	return found.is_recorded == source->is_recorded ? found.text : NULL;
}

/* -------------------------------------------------------------------------- */

void annotation_make(struct annotation_maker *annotator,
	const struct functions *functions, const struct function *function,
	const struct annotation_config *config, struct annotation *ret)
{
	struct resolver *resolver = annotator->result->resolver;
	const struct location *at =
		resolver_location(resolver, function->location);
	struct annotation_making making = { .annotation = ret,
		.at = at,
		.origin = &annotator->origins.at[at->input] };

	*ret = (struct annotation){ .result = annotator->result,
		.functions = functions,
		.function = function,
		.symbol = resolver_symbol_name(resolver, function->location),
		.dso = resolver_dso_name(resolver, at->dso_name),
		.level = at->level,
		.has_totals = function->visits.n };
	disassemble_code(&making, config);
	flow_find(&ret->code, &ret->flow);
	/*
	 * Count the samples of each instruction. As in perf, a sample inside of
	 * an instruction counts for that instruction.
	 */
	size_t i;

	for (i = 0; i < ret->code.at.n; i++)
		*array_push(&ret->lines) =
			(struct annotation_line){ .source = ANNOTATION_NONE,
				.scope = ANNOTATION_NONE };
	array_each(&ret->function->places, place) {
		uint32_t line = flow_instruction(
			&ret->code, ret->address + place->place);

		if (line == FLOW_NONE)
			continue;
		ret->lines.at[line].samples += place->samples;
		ret->lines.at[line].period += place->period;
	}
	sum_lines(ret);
	count_function_branches(&making, &annotator->runs);
	name_targets(&making, annotator->data_names);
	if (config->has_lines && ret->code.at.n) {
		for (i = 0; i < making.annotation->code.at.n; i++)
			find_instruction_line(&making, i);
	} else if (config->has_lines)
		find_sampled_lines(&making);
	if (ret->has_totals && ret->code.at.n)
		annotation_totals_count(ret, function, &ret->totals);
	else if (ret->has_totals && config->has_lines)
		count_sampled_line_totals(&making);
	if (config->has_lines)
		find_source_texts(&making);
	hash_free(&making.by_source);
	hash_free(&making.by_scope);
}

void annotation_deinit(struct annotation *annotation)
{
	array_each(&annotation->lines, line)
		free(line->target);
	array_free(&annotation->lines);
	free(annotation->before);
	array_free(&annotation->sources);
	array_free(&annotation->scopes);
	annotation_totals_deinit(&annotation->totals);
	free(annotation->blocks);
	flow_deinit(&annotation->flow);
	disassembly_deinit(&annotation->code);
	free(annotation->bytes);
	error_free(annotation->problem);
}

double annotation_share(const struct annotation *annotation,
	const struct style_shares *shares, struct annotation_amount amount)
{
	const struct functions *functions = annotation->functions;
	struct annotation_amount whole = { functions->samples,
		functions->period };

	if (!shares->are_global)
		whole = annotation_whole(annotation);
	if (shares->by_samples)
		return whole.samples
			? 100.0 * (double)amount.samples / (double)whole.samples
			: 0;
	return whole.period
		? 100.0 * (double)amount.period / (double)whole.period
		: 0;
}

double annotation_loop_share(const struct annotation *annotation,
	const struct style_shares *shares, const struct flow_loop *loop)
{
	const struct annotation_amount *end =
		&annotation->before[loop->last + 1];
	const struct annotation_amount *start = &annotation->before[loop->head];

	return annotation_share(annotation, shares,
		(struct annotation_amount){ end->samples - start->samples,
			end->period - start->period });
}

/* --- annotation totals --------------------------------------------------- */

/* Counts the samples whose stacks contain an instruction or line of a function. */

/* The totals that are being counted, and the last visit of each element + 1. */
struct totals_making {
	const struct annotation *annotation;
	struct annotation_totals *totals;
	uint32_t *line_visits, *run_visits, *source_visits;
	const uint32_t
		*run_of; /* first instruction of the run of each instruction */
	const struct sample_visit *visit;
	uint32_t number; /* of the visit, from 1 */
};

static void add_to_total(const struct totals_making *making,
	struct annotation_amount *amounts, uint32_t *visits, size_t i)
{
	if (visits[i] == making->number)
		return;
	visits[i] = making->number;
	amounts[i].samples += making->visit->samples;
	amounts[i].period += making->visit->period;
}

static void add_place_to_totals(
	const struct totals_making *making, uint64_t place)
{
	const struct annotation *annotation = making->annotation;
	struct annotation_totals *totals = making->totals;
	const struct annotation_line *line;
	uint32_t at = flow_instruction(
		&annotation->code, annotation->address + place);
	uint32_t scope;

	if (at == FLOW_NONE)
		return;
	line = &annotation->lines.at[at];
	add_to_total(making, totals->lines, making->line_visits, at);
	if (line->source == ANNOTATION_NONE)
		return;
	add_to_total(
		making, totals->runs, making->run_visits, making->run_of[at]);
	add_to_total(
		making, totals->sources, making->source_visits, line->source);
	for (scope = line->scope; scope != ANNOTATION_NONE;
		scope = annotation->scopes.at[scope].parent)
		if (annotation->scopes.at[scope].site != ANNOTATION_NONE)
			add_to_total(making, totals->sources,
				making->source_visits,
				annotation->scopes.at[scope].site);
}

bool annotation_begins_run(const struct annotation *annotation, size_t i)
{
	const struct annotation_line *line = &annotation->lines.at[i];

	return line->source != ANNOTATION_NONE &&
		(!i || line[-1].source != line->source ||
			line[-1].inlined != line->inlined);
}

void annotation_totals_count(const struct annotation *annotation,
	const struct function *function, struct annotation_totals *ret)
{
	const uint64_t *places = annotation->result->hits.places.at;
	size_t n = annotation->lines.n, n_sources = annotation->sources.n;
	size_t run = 0, i;
	_cleanup_free_ uint32_t *line_visits = xcalloc(n + 1, sizeof(uint32_t));
	_cleanup_free_ uint32_t *run_visits = xcalloc(n + 1, sizeof(uint32_t));
	_cleanup_free_ uint32_t *source_visits =
		xcalloc(n_sources + 1, sizeof(uint32_t));
	_cleanup_free_ uint32_t *run_of = xcalloc(n + 1, sizeof(uint32_t));
	struct totals_making making = { .annotation = annotation,
		.totals = ret,
		.line_visits = line_visits,
		.run_visits = run_visits,
		.source_visits = source_visits,
		.run_of = run_of };

	ret->lines = xcalloc(n + 1, sizeof(*ret->lines));
	ret->runs = xcalloc(n + 1, sizeof(*ret->runs));
	ret->sources = xcalloc(n_sources + 1, sizeof(*ret->sources));
	for (i = 0; i < n; i++) {
		run = annotation_begins_run(annotation, i) ? i : run;
		run_of[i] = (uint32_t)run;
	}
	array_each(&function->visits, visit) {
		making.visit = *visit;
		making.number++;
		for (i = 0; i < (*visit)->n; i++)
			add_place_to_totals(
				&making, places[(*visit)->first + i]);
	}
}

void annotation_totals_deinit(struct annotation_totals *totals)
{
	free(totals->lines);
	free(totals->runs);
	free(totals->sources);
}
