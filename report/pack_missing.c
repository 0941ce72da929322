/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack_missing.h"

#include "report/code_bytes.h"
#include "report/lines.h"

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

	if (files_places(files, missing->dso).has_changed)
		why = ", another file is there now";
	else if (!files_build_id(files, missing->dso).size)
		why = ", no build ID was recorded";
	strbuf_printf(out, "%s (%.1f%%%s)", files_dso(files, missing->dso)->path,
		percent(weights, missing->samples), why);
}

/* Whether a line is known of anything in it that was hit. */
static bool has_lines(
	const struct pack_hits *hits, struct lines *lines, uint32_t dso)
{
	size_t i = array_count_before(&hits->at, hit, hit->dso < dso);
	struct line_frame frames[LINE_DEPTH_MAX];

	for (; i < hits->at.n && hits->at.at[i].dso == dso; i++) {
		const struct line_wish wish = { dso, hits->at.at[i].place, 0 };

		if (lines_frames(lines, &wish, frames) && frames->file)
			return true;
	}
	return false;
}

/* Those of one reason, which is SAID behind their part of the samples. */
static void put_all(const struct pack_weights *weights, struct missing_list *all,
	struct files *files, const char *said, struct strbuf *out)
{
	uint64_t samples = 0;
	size_t i;

	array_sort(all, compare_missing);
	array_each(all, missing)
		samples += missing->samples;
	if (all->n)
		strbuf_printf(out, "%.1f%% of the samples get no lines%s: ",
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
	put_all(weights, absent, files, " and no code, as these files aren't "
		"here as they were recorded", out);
	strbuf_puts(out, "; tell where they are with --symfs or --debug-dir, "
			 "or ask for them with --debuginfod");
}

static void put_bare(const struct pack_weights *weights,
	struct missing_list *bare, struct files *files, struct strbuf *out)
{
	if (!bare->n)
		return;
	put_all(weights, bare, files,
		", as there is no debug information of these files", out);
	strbuf_puts(out, "; build with -g, install it, tell where it is with "
			 "--debug-dir, or ask for it with --debuginfod");
}

void pack_missing_put(const struct pack_wanted *wanted, struct files *files,
	struct strbuf *absent_ret, struct strbuf *bare_ret)
{
	const struct pack_weights *weights = wanted->weights;
	struct code_bytes *codes = code_bytes_create(files);
	struct lines *lines = lines_create(files);
	struct missing_list absent = { 0 }, bare = { 0 };
	uint32_t i;

	for (i = 0; i < weights->dsos.n; i++) {
		const struct pack_weight *dso = &weights->dsos.at[i];
		const struct missing missing = { i, dso->samples };

		if (!dso->samples || percent(weights, dso->samples) < LEAST ||
			!is_of_file(files_dso(files, i)) ||
			symbols_of(wanted->symbols, i, dso->place)->source ==
				SYMBOLS_MADE)
			continue;
		if (!is_there(codes, lines, i, dso->place))
			*array_push(&absent) = missing;
		else if (!has_lines(wanted->hits, lines, i))
			*array_push(&bare) = missing;
	}
	put_absent(weights, &absent, files, absent_ret);
	put_bare(weights, &bare, files, bare_ret);
	array_free(&absent);
	array_free(&bare);
	lines_destroy(lines);
	code_bytes_destroy(codes);
}
