/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source lines and inlined functions of locations. */
#include "config.h"

#include "report/resolve/resolve.h"

#include <inttypes.h>

#include "common/maps/runtime_dso.h"
#include "report/resolve/resolve_private.h"
#include "report/util/local_files.h"

static struct lines *location_lines(
	struct resolver *resolver, const struct location *at)
{
	struct resolver_source *source = &resolver->sources.at[at->input];

	if (!source->lines)
		source->lines = lines_create(source->files);
	return source->lines;
}

/*
 * Source lines are not searched for the kernel, for memory without a file, and
 * for frames that were joined. Those of a runtime's functions are in the recording.
 */
static bool may_have_lines(const struct location *at)
{
	return at->dso && !at->is_collapsed && !at->dso->is_kernel &&
		(at->dso->path[0] == '/' || runtime_dso_is(at->dso->path));
}

/*
 * Reports once that the path of a DSO has another file than the recorded one.
 * Symbols may come from the recording, so this may not have been reported before.
 */
static void report_other_source(struct resolver *resolver,
	const struct location *at, const struct line_query *query)
{
	struct resolver_source *source = &resolver->sources.at[at->input];
	struct files_status status;

	if (resolver->is_other_reported ||
		at->dso->source != SYMBOLS_RECORDED ||
		lines_has_file(location_lines(resolver, at), query))
		return;
	status = files_status(source->files, at->number);
	if (!status.is_other)
		return;
	resolver->is_other_reported = true;
	local_file_report_other(at->dso->path, status.has_changed,
		"source lines and inlined functions");
}

/*
 * Writes the source lines at QUERY to RET and returns their number, like
 * lines_frames(). If there are none, reports another file.
 */
static size_t find_line_frames(struct resolver *resolver,
	const struct location *at, const struct line_query *query,
	struct line_frame ret[LINE_DEPTH_MAX])
{
	size_t n = lines_frames(location_lines(resolver, at), query, ret);

	if (!n)
		report_other_source(resolver, at, query);
	return n;
}

uint8_t resolver_call_distance(
	const struct resolver *resolver, const struct frame *frame)
{
	return !frame->is_exact &&
		!resolver->sources.at[frame->input].has_calls;
}

unsigned resolver_grain(const struct resolver *resolver)
{
	return resolver->grain;
}

size_t resolver_expand(struct resolver *resolver, const struct frame *frame,
	bool is_sampled, uint32_t ret[LINE_DEPTH_MAX])
{
	struct resolver_frame resolved = resolver_find(resolver, frame);
	struct location like = resolver->locations.at[resolved.location];
	bool has_places = resolver->grain & RESOLVE_ADDRESSES;
	bool has_inlines = resolver->grain & RESOLVE_INLINES && like.symbol;
	struct line_frame frames[LINE_DEPTH_MAX];
	struct line_query query = { like.number, resolved.address, 0 };
	struct inlined_functions *functions = &resolver->inlined;
	size_t n = 0, i;

	ret[0] = resolved.location;
	if (!may_have_lines(&like) || (!has_inlines && !has_places))
		return 1;
	query.back = is_sampled ? 0 : resolver_call_distance(resolver, frame);
	if (has_inlines)
		n = find_line_frames(resolver, &like, &query, frames);
	if (has_places)
		like.back = (uint8_t)query.back;
	for (i = 0; i + 1 < n; i++) {
		uint32_t inlined = inlined_functions_find(
			functions, &frames[i], like.dso_name);
		struct location location = like;

		if (has_places)
			location.depth = (uint8_t)i;
		/*
		 * As in perf, a function that is inlined into itself is one
		 * function.
		 */
		if (!string_is(inlined_functions_qualified(functions, inlined),
			    resolver_symbol_name(
				    resolver, resolved.location))) {
			location.symbol =
				inlined_functions_name(functions, inlined);
			location.inlined = inlined;
			location.is_inlined = true;
			location.is_guessed = false;
		}
		ret[i] = resolver_intern(resolver, &location);
	}
	if (has_places)
		like.depth = (uint8_t)i;
	ret[i] = resolver_intern(resolver, &like);
	return i + 1;
}

size_t resolver_frames(struct resolver *resolver, uint32_t location,
	uint64_t address, struct line_frame ret[LINE_DEPTH_MAX])
{
	const struct location *at = resolver_location(resolver, location);
	const struct line_query query = { at->number, address, 0 };
	struct inlined_functions *functions = &resolver->inlined;
	size_t n, i;

	if (!may_have_lines(at))
		return 0;
	n = find_line_frames(resolver, at, &query, ret);
	for (i = 0; i < n; i++)
		if (ret[i].name)
			ret[i].name = inlined_functions_shown(functions,
				inlined_functions_find(
					functions, &ret[i], at->dso_name));
	return n;
}

void resolver_prepare(
	struct resolver *resolver, const struct frame *frames, size_t n)
{
	ARRAY(struct line_query) queries = { 0 };
	struct lines *lines = NULL;
	size_t i;

	for (i = 0; i < n; i++) {
		struct resolver_frame resolved =
			resolver_find(resolver, &frames[i]);
		const struct location *at =
			resolver_location(resolver, resolved.location);

		if (!may_have_lines(at))
			continue;
		lines = location_lines(resolver, at);
		*array_push(&queries) =
			(struct line_query){ at->number, resolved.address, 0 };
	}
	if (lines)
		lines_prepare(lines, queries.at, queries.n);
	for (i = 0; lines && i < n; i++) {
		struct resolver_frame resolved =
			resolver_find(resolver, &frames[i]);
		const struct location *at =
			resolver_location(resolver, resolved.location);

		if (may_have_lines(at))
			report_other_source(resolver, at,
				&(struct line_query){
					at->number, resolved.address, 0 });
	}
	array_free(&queries);
}

/* Finds the source line of AT. Returns false if the line is not known. */
static bool find_location_line(struct resolver *resolver,
	const struct location *at, struct line_frame *ret)
{
	const struct line_query query = { at->number, at->start + at->place,
		at->back };
	struct line_frame frames[LINE_DEPTH_MAX];

	if (!may_have_lines(at) ||
		find_line_frames(resolver, at, &query, frames) <= at->depth)
		return false;
	*ret = frames[at->depth];
	return ret->file;
}

static const char *displayed_file_name(
	const struct resolver *resolver, const struct line_frame *line)
{
	return resolver->grain & RESOLVE_FULL_PATHS ? line->file
						    : basename(line->file);
}

const char *resolver_source_file(struct resolver *resolver, uint32_t location)
{
	return resolver_line(resolver, location).file;
}

struct resolver_line resolver_line(struct resolver *resolver, uint32_t location)
{
	const struct location *at = resolver_location(resolver, location);
	struct line_frame line;

	if (!find_location_line(resolver, at, &line))
		return (struct resolver_line){ 0 };
	return (struct resolver_line){ displayed_file_name(resolver, &line),
		line.line };
}

struct resolver_line resolver_function_line(
	struct resolver *resolver, uint32_t location)
{
	const struct location *at = resolver_location(resolver, location);
	const struct line_query query = { at->number, at->start, 0 };
	struct line_frame frames[LINE_DEPTH_MAX];
	size_t n;

	if (at->is_inlined)
		return (struct resolver_line){
			resolver_source_file(resolver, location), 0
		};
	n = may_have_lines(at) ? find_line_frames(resolver, at, &query, frames)
			       : 0;
	if (!n || !frames[n - 1].file)
		return (struct resolver_line){ 0 };
	return (struct resolver_line){ displayed_file_name(
					       resolver, &frames[n - 1]),
		frames[n - 1].line };
}

struct resolver_line resolver_declaration(
	struct resolver *resolver, uint32_t location)
{
	const struct location *at = resolver_location(resolver, location);
	const struct line_declaration *declared;
	const char *slash;

	if (!at->is_inlined)
		return resolver_function_line(resolver, location);
	declared = &resolver->inlined.at.at[at->inlined].declared;
	if (!declared->file)
		return resolver_function_line(resolver, location);
	slash = strrchr(declared->file, '/');
	return (struct resolver_line){ slash &&
				!(resolver->grain & RESOLVE_FULL_PATHS)
			? slash + 1
			: declared->file,
		declared->line };
}

static void keep_step_file(void *data, const struct lines_step *step)
{
	const char **file = data;

	if (!*file && step->n)
		*file = step->frames[step->n - 1].file;
}

const char *resolver_function_file(struct resolver *resolver, uint32_t location)
{
	const struct location *at = resolver_location(resolver, location);
	const struct line_query query = { at->number, at->start, 0 };
	struct line_frame frames[LINE_DEPTH_MAX];
	const char *file = NULL;
	size_t n;

	if (!may_have_lines(at))
		return NULL;
	if (at->is_inlined)
		return resolver->inlined.at.at[at->inlined].declared.file;
	/* Only the sampled lines of a runtime's function have addresses. */
	if (runtime_dso_is(at->dso->path)) {
		lines_walk(location_lines(resolver, at), at->number, at->start,
			at->end, keep_step_file, &file);
		return file;
	}
	n = find_line_frames(resolver, at, &query, frames);
	return n ? frames[n - 1].file : NULL;
}

/*
 * Whether perf shows "??:0" as the source line of AT. PLT stubs are shown by
 * symbol instead.
 */
static bool has_unknown_line(
	struct resolver *resolver, const struct location *at)
{
	const struct line_query query = { at->number, at->start + at->place,
		at->back };
	const char *version = at->symbol ? strrchr(at->symbol, '@') : NULL;

	if (!at->dso || at->is_collapsed)
		return true;
	if (version && string_is(version, "@plt"))
		return false;
	return may_have_lines(at) &&
		lines_has_file(location_lines(resolver, at), &query);
}

void resolver_put_line(struct resolver *resolver, uint32_t location,
	enum resolver_line_style style, struct strbuf *out)
{
	const struct location *at = resolver_location(resolver, location);
	struct line_frame line;

	if (find_location_line(resolver, at, &line))
		strbuf_printf(out, "%s:%" PRIu32,
			displayed_file_name(resolver, &line), line.line);
	else if (has_unknown_line(resolver, at))
		strbuf_puts(out, "??:0");
	else if (style == RESOLVE_LINE_BY_DSO || !at->symbol)
		strbuf_printf(out, "%s[%" PRIx64 "]",
			resolver_dso_name(resolver, at->dso_name),
			at->start + at->place);
	else
		strbuf_printf(out, "%s+%" PRIu64,
			style == RESOLVE_LINE_BY_SYMBOL
				? resolver_function_name(resolver, location)
				: "",
			at->place);
}
