/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack/pack_missing.h"

#include "report/lines/lines.h"
#include "report/symbols/code_bytes.h"

#define NAMES_MAX 3u
/* What weighs less, in percent of samples, isn't worth a word. */
#define LEAST 1.0

/* Made code, the vdso and the kernel have no file. */
static bool is_of_file(const struct dso *dso)
{
	uint32_t pid;

	return dso->pid != MAPS_KERNEL_PID && !dso->is_data &&
		dso->path[0] == '/' && !string_starts(dso->path, "/memfd:") &&
		!maps_is_anonymous(dso->path) &&
		!survey_is_timed(dso->path, &pid);
}

/* Its code, or its debug file, or what was packed of either before. */
static bool is_there(struct code_bytes *codes, struct lines *lines, uint32_t dso,
	uint64_t place)
{
	const struct code_wish code = { dso, place, 1 };
	const struct line_wish line = { dso, place, 0 };
	struct code_facts facts;
	uint8_t byte;

	return code_bytes_read(codes, &code, &byte, &facts) ||
		lines_has_file(lines, &line);
}

struct missing {
	uint32_t dso;
	uint64_t samples;
	const char *without; /* another file; borrowed; NULL: it isn't that */
};

struct missing_list {
	struct missing *at;
	size_t n, room; /* as those of an ARRAY() */
};

static int compare_missing(const void *a, const void *b)
{
	const struct missing *left = a, *right = b;

	if (left->samples != right->samples)
		return COMPARE(right->samples, left->samples);
	return COMPARE(left->dso, right->dso);
}

static double percent(const struct pack_weights *weights, uint64_t samples)
{
	return 100.0 * (double)samples / (double)weights->samples;
}

static void put_dso(const struct pack_weights *weights,
	const struct missing *missing, struct files *files, struct strbuf *out)
{
	const char *why = "";

	if (missing->without)
		why = ", without ";
	else if (files_places(files, missing->dso).has_changed)
		why = ", another file is there now";
	else if (!files_build_id(files, missing->dso).size)
		why = ", no build ID was recorded";
	strbuf_printf(out, "%s (%.1f%%%s%s)",
		files_dso(files, missing->dso)->path,
		percent(weights, missing->samples), why,
		missing->without ?: "");
}

/* Whether a line is known of anything in it that was hit; all of that is asked. */
static bool has_lines(
	const struct pack_hits *hits, struct lines *lines, uint32_t dso)
{
	size_t i = array_count_before(&hits->at, hit, hit->dso < dso);
	struct line_frame frames[LINE_DEPTH_MAX];
	bool has_any = false;

	for (; i < hits->at.n && hits->at.at[i].dso == dso; i++) {
		const struct line_wish wish = { dso, hits->at.at[i].place, 0 };

		has_any |= lines_frames(lines, &wish, frames) && frames->file;
	}
	return has_any;
}

/* Those of one reason; what their part of the samples lacks is SAID behind it. */
static void put_all(const struct pack_weights *weights, struct missing_list *all,
	struct files *files, const char *said, struct strbuf *out)
{
	uint64_t samples = 0;
	size_t i;

	array_sort(all, compare_missing);
	array_each(all, missing)
		samples += missing->samples;
	if (all->n)
		strbuf_printf(out, "%.1f%% of the samples get %s: ",
			percent(weights, samples), said);
	for (i = 0; i < all->n && i < NAMES_MAX; i++) {
		if (i)
			strbuf_puts(out, ", ");
		put_dso(weights, &all->at[i], files, out);
	}
	if (all->n > NAMES_MAX)
		strbuf_printf(out, " and %zu more", all->n - NAMES_MAX);
}

static void put_absent(const struct pack_weights *weights,
	struct missing_list *absent, struct files *files, struct strbuf *out)
{
	if (!absent->n)
		return;
	put_all(weights, absent, files,
		"no lines and no code, as these files aren't here as they were "
		"recorded",
		out);
	strbuf_puts(out, "; tell where they are with --symfs or --debug-dir, "
			 "or ask for them with --debuginfod");
}

static void put_bare(const struct pack_weights *weights,
	struct missing_list *bare, struct files *files, struct strbuf *out)
{
	if (!bare->n)
		return;
	put_all(weights, bare, files,
		"no lines, as there is no debug information of these files",
		out);
	strbuf_puts(out, "; build with -g, install it, tell where it is with "
			 "--debug-dir, or ask for it with --debuginfod");
}

static void put_split(const struct pack_weights *weights,
	struct missing_list *split, struct files *files, struct strbuf *out)
{
	if (!split->n)
		return;
	put_all(weights, split, files,
		"no inlined functions, or not all, as debug information is in "
		"other files",
		out);
	strbuf_puts(out, "; put these, or a .dwp file, beside the program, or "
			 "where they were when it was built");
}

static bool is_heavy(const struct pack_wanted *wanted, struct files *files,
	uint32_t dso)
{
	const struct pack_weights *weights = wanted->weights;
	const struct pack_weight *weight = &weights->dsos.at[dso];

	return weight->samples && percent(weights, weight->samples) >= LEAST &&
		is_of_file(files_dso(files, dso)) &&
		symbols_of(wanted->symbols, dso, weight->place)->source !=
			SYMBOLS_MADE;
}

void pack_missing_find(const struct pack_wanted *wanted, struct files *files,
	struct pack_missing *ret)
{
	const struct pack_weights *weights = wanted->weights;
	struct code_bytes *codes = code_bytes_create(files);
	struct lines *lines = lines_create(files);
	struct missing_list absent = { 0 }, bare = { 0 }, split = { 0 };
	uint32_t i;

	*ret = (struct pack_missing){ 0 };
	for (i = 0; i < weights->dsos.n; i++) {
		const struct pack_weight *dso = &weights->dsos.at[i];
		struct missing missing = { i, dso->samples, NULL };

		if (!is_heavy(wanted, files, i))
			continue;
		if (!is_there(codes, lines, i, dso->place))
			*array_push(&absent) = missing;
		else if (!has_lines(wanted->hits, lines, i))
			*array_push(&bare) = missing;
		else if ((missing.without = lines_lack(lines, i)))
			*array_push(&split) = missing;
	}
	put_absent(weights, &absent, files, &ret->absent);
	put_bare(weights, &bare, files, &ret->bare);
	put_split(weights, &split, files, &ret->split);
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
