/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack/pack_missing.h"

#include "report/lines/lines.h"
#include "report/symbols/code_bytes.h"

#define NAMES_MAX 3u
/* A DSO with a smaller percentage of the samples is not reported. */
#define PERCENT_MIN 1.0

struct missing_facts {
	uint32_t dso;
	uint64_t samples;
	const char *missing_file; /* missing file with debug information; NULL:
				     none */
};

struct missing_list {
	struct missing_facts *at;
	size_t n, room; /* used and allocated elements, as in ARRAY() */
};

static int compare_missing(const void *a, const void *b)
{
	const struct missing_facts *left = a, *right = b;

	if (left->samples != right->samples)
		return COMPARE(right->samples, left->samples);
	return COMPARE(left->dso, right->dso);
}

static double weight_percent(
	const struct pack_weights *weights, uint64_t samples)
{
	return 100.0 * (double)samples / (double)weights->samples;
}

/*
 * Returns whether the source line of any hit in DSO is known. Looks up all
 * hits, because lines_missing_file() covers only code that was looked up.
 */
static bool hits_have_lines(
	const struct pack_hits *hits, struct lines *lines, uint32_t dso)
{
	size_t i = array_count_before(&hits->at, hit, hit->dso < dso);
	struct line_frame frames[LINE_DEPTH_MAX];
	bool has_any = false;

	for (; i < hits->at.n && hits->at.at[i].dso == dso; i++) {
		const struct line_query query = { dso, hits->at.at[i].place,
			0 };

		has_any |= lines_frames(lines, &query, frames) && frames->file;
	}
	return has_any;
}

/*
 * Appends a message about the DSOs in ALL, which lack the same data. LACK is a
 * text that names the missing data and the reason.
 */
static void put_missing_list(const struct pack_weights *weights,
	struct missing_list *all, struct files *files, const char *lack,
	struct strbuf *out)
{
	uint64_t samples = 0;
	size_t i;

	array_sort(all, compare_missing);
	array_each(all, missing)
		samples += missing->samples;
	if (all->n)
		strbuf_printf(out, "%.1f%% of the samples get %s: ",
			weight_percent(weights, samples), lack);
	for (i = 0; i < all->n && i < NAMES_MAX; i++) {
		if (i)
			strbuf_puts(out, ", ");
		const char *why = "";
		struct files_status status =
			files_status(files, all->at[i].dso);

		if (all->at[i].missing_file)
			why = ", missing ";
		else if (status.has_changed)
			why = ", replaced by another file";
		else if (status.is_other)
			why = ", another build ID than the file here";
		else if (!files_build_id(files, all->at[i].dso).size)
			why = ", no build ID was recorded";
		strbuf_printf(out, "%s (%.1f%%%s%s)",
			files_dso(files, all->at[i].dso)->path,
			weight_percent(weights, all->at[i].samples), why,
			all->at[i].missing_file ?: "");
	}
	if (all->n > NAMES_MAX)
		strbuf_printf(out, " and %zu more", all->n - NAMES_MAX);
}

/* Returns whether DSO has samples and is a file, unlike JIT code, the vDSO and the kernel. */
static bool is_relevant_dso(const struct pack_missing_input *input,
	struct files *files, uint32_t number)
{
	const struct pack_weights *weights = input->weights;
	const struct pack_weight *weight = &weights->dsos.at[number];
	const struct dso *dso = files_dso(files, number);
	uint32_t pid;

	return weight->samples &&
		weight_percent(weights, weight->samples) >= PERCENT_MIN &&
		dso->pid != MAPS_KERNEL_PID && !dso->is_data &&
		dso->path[0] == '/' && !string_starts(dso->path, "/memfd:") &&
		!maps_is_anonymous(dso->path) &&
		!survey_is_timed_jit(dso->path, &pid) &&
		symbols_load(input->symbols, number, weight->place)->source !=
		SYMBOLS_JIT;
}

void pack_missing_find(const struct pack_missing_input *input,
	struct files *files, struct pack_missing *ret)
{
	const struct pack_weights *weights = input->weights;
	struct code_bytes *codes = code_bytes_create(files);
	struct lines *lines = lines_create(files);
	struct missing_list absent = { 0 }, bare = { 0 }, split = { 0 };
	uint32_t i;

	*ret = (struct pack_missing){ 0 };
	for (i = 0; i < weights->dsos.n; i++) {
		const struct pack_weight *dso = &weights->dsos.at[i];
		struct missing_facts missing = { i, dso->samples, NULL };
		const struct code_query code = { i, dso->place, 1 };
		const struct line_query line = { i, dso->place, 0 };
		struct code_facts facts;
		uint8_t byte;

		if (!is_relevant_dso(input, files, i))
			continue;
		if (!code_bytes_read(codes, &code, &byte, &facts) &&
			!lines_has_file(lines, &line))
			*array_push(&absent) = missing;
		else if (!hits_have_lines(input->hits, lines, i))
			*array_push(&bare) = missing;
		else if ((missing.missing_file = lines_missing_file(lines, i)))
			*array_push(&split) = missing;
	}
	if (absent.n) {
		put_missing_list(weights, &absent, files,
			"no lines and no code, because the recorded files were not "
			"found",
			&ret->absent);
		strbuf_puts(&ret->absent,
			"; use --symfs, --debug-dir or --debuginfod");
	}
	if (bare.n) {
		put_missing_list(weights, &bare, files,
			"no lines, because these files have no debug information",
			&ret->bare);
		strbuf_puts(&ret->bare,
			"; build with -g, install debug packages, or use --debug-dir "
			"or --debuginfod");
	}
	if (split.n) {
		put_missing_list(weights, &split, files,
			"no inlined functions, or only some, because files with debug "
			"information are missing",
			&ret->split);
		strbuf_puts(&ret->split,
			"; put these files or a .dwp file next to the program or "
			"where the build created them");
	}
	array_free(&absent);
	array_free(&bare);
	array_free(&split);
	lines_destroy(lines);
	code_bytes_destroy(codes);
}

void pack_missing_deinit(struct pack_missing *missing)
{
	strbuf_free(&missing->absent);
	strbuf_free(&missing->bare);
	strbuf_free(&missing->split);
}
