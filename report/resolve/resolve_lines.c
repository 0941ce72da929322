/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where locations were written, and what was inlined there. */
#include "config.h"

#include "report/resolve/resolve.h"

#include <inttypes.h>

#include "report/resolve/resolve_private.h"
#include "report/util/demangle.h"
#include "report/util/local_files.h"

static struct lines *lines_of(
	struct resolver *resolver, const struct location *at)
{
	struct source *source = &resolver->sources.at[at->input];

	if (!source->lines)
		source->lines = lines_create(source->files);
	return source->lines;
}

/* The kernel's aren't looked for, nor those of what is no file. */
static bool may_have_lines(const struct location *at)
{
	return at->dso && !at->dso->is_kernel && at->dso->path[0] == '/';
}

/*
 * Names may be the recording's own, and so nobody has said yet that the file is
 * another one. Once: the first of many is enough of a hint.
 */
static void tell_if_changed(struct resolver *resolver,
	const struct location *at, const struct line_wish *wish)
{
	struct source *source = &resolver->sources.at[at->input];

	if (resolver->has_told || at->dso->source != SYMBOLS_RECORDED ||
		lines_has_file(lines_of(resolver, at), wish) ||
		!files_places(source->files, at->number).has_changed)
		return;
	resolver->has_told = true;
	here_tell_changed(
		at->dso->path, "no lines and no inlined functions");
}

/* As lines_frames(); where there is nothing, that the file has changed is said. */
static size_t find_frames(struct resolver *resolver,
	const struct location *at, const struct line_wish *wish,
	struct line_frame ret[LINE_DEPTH_MAX])
{
	size_t n = lines_frames(lines_of(resolver, at), wish, ret);

	if (!n)
		tell_if_changed(resolver, at, wish);
	return n;
}

/* Names are demangled once, and those that read the same are the same. */
static const char *intern_name(struct resolver *resolver, const char *linked)
{
	_cleanup_free_ char *readable = demangle(linked);
	const char *plain = readable ? readable : linked;
	uint64_t hash = hash_string(plain);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&resolver->by_inlined_name, hash, &probe)) !=
		HASH_NONE)
		if (string_is(resolver->inlined_names.at[i], plain))
			return resolver->inlined_names.at[i];
	hash_insert(&resolver->by_inlined_name, hash,
		(uint32_t)resolver->inlined_names.n);
	*array_push(&resolver->inlined_names) = xstrdup(plain);
	return resolver->inlined_names.at[resolver->inlined_names.n - 1];
}

static const char *find_name(struct resolver *resolver, const char *linked)
{
	uint64_t hash = hash_string(linked);
	uint32_t i, probe = hash_start(hash);
	const char *plain;

	while ((i = hash_next(&resolver->by_inlined, hash, &probe)) !=
		HASH_NONE)
		if (string_is(resolver->inlined.at[i].linked, linked))
			return resolver->inlined.at[i].plain;
	plain = intern_name(resolver, linked);
	hash_insert(&resolver->by_inlined, hash,
		(uint32_t)resolver->inlined.n);
	*array_push(&resolver->inlined) =
		(struct inlined_name){ linked, plain };
	return plain;
}

/*
 * What tells of callers where they will return to has the call before that. Those
 * that were found in copies of stacks are in the call already.
 */
static uint8_t back_of(const struct source *source, const struct frame *frame,
	bool is_sampled)
{
	return !is_sampled && !frame->is_exact && !source->has_calls;
}

/* A function that was inlined into itself is that function, as perf has it. */
static uint32_t find_inlined(struct resolver *resolver, uint32_t base,
	const struct location *like, const char *linked)
{
	const char *name = find_name(resolver, linked);
	struct location location = *like;

	if (!string_is(name, resolver_symbol_name(resolver, base))) {
		location.symbol = name;
		location.is_inlined = true;
	}
	return resolver_intern(resolver, &location);
}

bool resolver_expands(const struct resolver *resolver)
{
	return resolver->grain & (RESOLVE_INLINES | RESOLVE_ADDRESSES);
}

bool resolver_wants_lines(const struct resolver *resolver)
{
	return resolver->grain & RESOLVE_ADDRESSES;
}

size_t resolver_expand(struct resolver *resolver, const struct frame *frame,
	bool is_sampled, uint32_t ret[LINE_DEPTH_MAX])
{
	struct resolved resolved = resolver_find(resolver, frame);
	struct location like = resolver->locations.at[resolved.location];
	bool has_places = resolver->grain & RESOLVE_ADDRESSES;
	bool has_inlines = resolver->grain & RESOLVE_INLINES && like.symbol;
	struct line_frame frames[LINE_DEPTH_MAX];
	struct line_wish wish = { like.number, resolved.address, 0 };
	size_t n = 0, i;

	ret[0] = resolved.location;
	if (!may_have_lines(&like) || (!has_inlines && !has_places))
		return 1;
	wish.back = back_of(
		&resolver->sources.at[like.input], frame, is_sampled);
	if (has_inlines)
		n = find_frames(resolver, &like, &wish, frames);
	if (has_places)
		like.back = (uint8_t)wish.back;
	for (i = 0; i + 1 < n; i++) {
		if (has_places)
			like.depth = (uint8_t)i;
		ret[i] = find_inlined(
			resolver, resolved.location, &like, frames[i].name);
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
	const struct line_wish wish = { at->number, address, 0 };
	size_t n, i;

	if (!may_have_lines(at))
		return 0;
	n = find_frames(resolver, at, &wish, ret);
	for (i = 0; i < n; i++)
		if (ret[i].name)
			ret[i].name = find_name(resolver, ret[i].name);
	return n;
}

static void tell_changed(
	struct resolver *resolver, const struct frame *frames, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		struct resolved resolved = resolver_find(resolver, &frames[i]);
		const struct location *at =
			resolver_location(resolver, resolved.location);
		const struct line_wish wish = { at->number, resolved.address,
			0 };

		if (may_have_lines(at))
			tell_if_changed(resolver, at, &wish);
	}
}

void resolver_prepare(
	struct resolver *resolver, const struct frame *frames, size_t n)
{
	ARRAY(struct line_wish) wishes = { 0 };
	struct lines *lines = NULL;
	size_t i;

	for (i = 0; i < n; i++) {
		struct resolved resolved = resolver_find(resolver, &frames[i]);
		const struct location *at =
			resolver_location(resolver, resolved.location);

		if (!may_have_lines(at))
			continue;
		lines = lines_of(resolver, at);
		*array_push(&wishes) = (struct line_wish){ at->number,
			resolved.address, 0 };
	}
	if (lines) {
		lines_prepare(lines, wishes.at, wishes.n);
		tell_changed(resolver, frames, n);
	}
	array_free(&wishes);
}

static struct line_wish wish_of(const struct location *at)
{
	return (struct line_wish){ at->number, at->start + at->place,
		at->back };
}

/* What stands at LOCATION; false: nobody tells. */
static bool find_line(struct resolver *resolver, const struct location *at,
	struct line_frame *ret)
{
	const struct line_wish wish = wish_of(at);
	struct line_frame frames[LINE_DEPTH_MAX];

	if (!may_have_lines(at) ||
		find_frames(resolver, at, &wish, frames) <= at->depth)
		return false;
	*ret = frames[at->depth];
	return ret->file;
}

static const char *file_name(
	const struct resolver *resolver, const struct line_frame *line)
{
	return resolver->grain & RESOLVE_FULL_PATHS ? line->file
						    : basename(line->file);
}

const char *resolver_source_file(struct resolver *resolver, uint32_t location)
{
	const struct location *at = resolver_location(resolver, location);
	struct line_frame line;

	return find_line(resolver, at, &line) ? file_name(resolver, &line)
					      : NULL;
}

struct code_line resolver_line(struct resolver *resolver, uint32_t location)
{
	const struct location *at = resolver_location(resolver, location);
	struct line_frame line;

	if (!find_line(resolver, at, &line))
		return (struct code_line){ 0 };
	return (struct code_line){ file_name(resolver, &line), line.line };
}

struct code_line resolver_function_line(
	struct resolver *resolver, uint32_t location)
{
	const struct location *at = resolver_location(resolver, location);
	const struct line_wish wish = { at->number, at->start, 0 };
	struct line_frame frames[LINE_DEPTH_MAX];
	size_t n;

	if (at->is_inlined)
		return (struct code_line){
			resolver_source_file(resolver, location), 0 };
	n = may_have_lines(at)
		? find_frames(resolver, at, &wish, frames)
		: 0;
	if (!n || !frames[n - 1].file)
		return (struct code_line){ 0 };
	return (struct code_line){ file_name(resolver, &frames[n - 1]),
		frames[n - 1].line };
}

/* As perf has it; of the ways to other libraries nobody says that. */
static bool has_no_line(struct resolver *resolver, const struct location *at)
{
	const struct line_wish wish = wish_of(at);
	const char *version = at->symbol ? strrchr(at->symbol, '@') : NULL;

	if (!at->dso)
		return true;
	if (version && string_is(version, "@plt"))
		return false;
	return may_have_lines(at) &&
		lines_has_file(lines_of(resolver, at), &wish);
}

void resolver_put_line(struct resolver *resolver, uint32_t location,
	enum line_style style, struct strbuf *out)
{
	const struct location *at = resolver_location(resolver, location);
	struct line_frame line;

	if (find_line(resolver, at, &line))
		strbuf_printf(out, "%s:%" PRIu32, file_name(resolver, &line),
			line.line);
	else if (has_no_line(resolver, at))
		strbuf_puts(out, "??:0");
	else if (style == LINE_BY_DSO || !at->symbol)
		strbuf_printf(out, "%s[%" PRIx64 "]",
			resolver_dso_name(resolver, at->dso_name),
			at->start + at->place);
	else
		strbuf_printf(out, "%s+%" PRIu64,
			style == LINE_BY_SYMBOL ? resolver_function_name(
							  resolver, location)
						: "",
			at->place);
}
