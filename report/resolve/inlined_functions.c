/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/resolve/inlined_functions.h"

#include <inttypes.h>

#include "common/util/alloc.h"
#include "common/util/strbuf.h"
#include "report/resolve/lambda_name.h"
#include "report/util/demangle.h"

static void free_described(struct inlined_function *function)
{
	free(function->name);
	free(function->qualified);
	free((char *)function->declared.file);
}

void inlined_functions_deinit(struct inlined_functions *functions)
{
	array_each(&functions->at, function) {
		size_t i;

		free_described(function);
		for (i = 0; i < ARRAY_SIZE(function->shown); i++) {
			free(function->shown[i]);
			free(function->marked[i]);
		}
	}
	array_free(&functions->at);
	array_free(&functions->frames);
	hash_free(&functions->by_function);
	hash_free(&functions->by_name);
	hash_free(&functions->by_frame);
}

/* --- paths --------------------------------------------------------------- */

/* Removes the last part of the path in OUT, if it is the name of a folder. */
static bool remove_last_part(struct strbuf *out)
{
	size_t n = out->n;

	while (n && out->at[n - 1] != '/')
		n--;
	if (!n || string_is(out->at + n, "..") || !out->at[n])
		return false;
	out->n = n - 1;
	out->at[out->n] = '\0';
	return true;
}

/* --- functions ----------------------------------------------------------- */

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && string_is(a, b));
}

static bool is_same_function(
	const struct inlined_function *a, const struct inlined_function *b)
{
	return a->dso_name == b->dso_name &&
		a->declared.line == b->declared.line &&
		a->declared.column == b->declared.column &&
		string_is(a->name, b->name) &&
		is_same_text(a->qualified, b->qualified) &&
		is_same_text(a->declared.file, b->declared.file);
}

static const char *qualified_name(const struct inlined_function *function)
{
	return function->qualified ?: function->name;
}

static bool is_same_line(
	const struct inlined_function *a, const struct inlined_function *b)
{
	const char *left = a->declared.file ?: "";
	const char *right = b->declared.file ?: "";

	return a->declared.line == b->declared.line &&
		string_is(basename(left), basename(right));
}

/*
 * Adds function NUMBER to the index of names, and marks it and all functions of
 * the same name in its DSO if there are several.
 */
static void add_inlined_name(
	struct inlined_functions *functions, uint32_t number)
{
	struct inlined_function *new = &functions->at.at[number];
	const char *name = qualified_name(new);
	uint64_t hash = hash_words(hash_string(name), new->dso_name);

	hash_each_match(&functions->by_name, hash, i) {
		struct inlined_function *known = &functions->at.at[i];

		if (known->dso_name == new->dso_name &&
			string_is(qualified_name(known), name)) {
			known->is_ambiguous = new->is_ambiguous = true;
			known->is_crowded |= is_same_line(known, new);
			new->is_crowded |= is_same_line(known, new);
		}
	}
	hash_insert(&functions->by_name, hash, number);
}

/* Takes the memory of NEW. */
static uint32_t intern_inlined_function(
	struct inlined_functions *functions, struct inlined_function *new)
{
	uint64_t hash = hash_words(hash_string(new->name),
		(uint64_t) new->declared.line << 32 | new->dso_name);
	uint32_t n = (uint32_t)functions->at.n;

	hash_each_match(&functions->by_function, hash, i)
		if (is_same_function(&functions->at.at[i], new)) {
			free_described(new);
			return i;
		}
	hash_insert(&functions->by_function, hash, n);
	*array_push(&functions->at) = *new;
	add_inlined_name(functions, n);
	return n;
}

static struct inlined_function describe_inlined_function(
	const struct line_frame *frame, uint32_t dso_name)
{
	const struct line_declaration *declared = &frame->declared;
	struct inlined_function new = { .dso_name = dso_name,
		.declared = { .line = declared->line,
			.column = declared->column,
			.is_lambda = declared->is_lambda } };

	new.name = demangle(frame->name) ?: xstrdup(frame->name);
	if (declared->qualified)
		new.qualified = xstrdup(declared->qualified);
	else if (declared->is_lambda)
		new.qualified = lambda_name(new.name);
	if (declared->file) {
		/*
		 * Remove "//", "." and "..": units in other folders have other
		 * paths for the same header.
		 */
		const char *path = declared->file;
		struct strbuf out = { 0 };

		strbuf_puts(&out, "");
		while (*path) {
			size_t size = strcspn(path, "/");
			bool is_up = size == 2 && string_starts(path, "..");
			bool is_here = !size || (size == 1 && *path == '.');

			if (!is_here && !(is_up && remove_last_part(&out))) {
				strbuf_puts(&out, "/");
				strbuf_put(&out, path, size);
			}
			path += size + (path[size] == '/');
		}
		new.declared.file = out.at;
	}
	return new;
}

/* --- frames -------------------------------------------------------------- */

static bool is_same_frame(const struct inlined_frame *known,
	const struct line_frame *frame, uint32_t dso_name)
{
	const struct line_declaration *a = &known->declared;
	const struct line_declaration *b = &frame->declared;

	return known->name == frame->name && known->dso_name == dso_name &&
		a->qualified == b->qualified && a->file == b->file &&
		a->line == b->line && a->column == b->column;
}

uint32_t inlined_functions_find(struct inlined_functions *functions,
	const struct line_frame *frame, uint32_t dso_name)
{
	uint64_t hash =
		hash_words((uintptr_t)frame->name ^ (uint64_t)dso_name << 48,
			(uintptr_t)frame->declared.qualified ^
				(uint64_t)frame->declared.line << 32);
	struct inlined_function new;
	uint32_t number;

	hash_each_match(&functions->by_frame, hash, i)
		if (is_same_frame(&functions->frames.at[i], frame, dso_name))
			return functions->frames.at[i].function;
	new = describe_inlined_function(frame, dso_name);
	number = intern_inlined_function(functions, &new);
	hash_insert(&functions->by_frame, hash, (uint32_t)functions->frames.n);
	*array_push(&functions->frames) = (struct inlined_frame){ frame->name,
		frame->declared, dso_name, number };
	return number;
}

/* --- texts --------------------------------------------------------------- */

const char *inlined_functions_name(
	const struct inlined_functions *functions, uint32_t number)
{
	return functions->at.at[number].name;
}

const char *inlined_functions_qualified(
	const struct inlined_functions *functions, uint32_t number)
{
	return qualified_name(&functions->at.at[number]);
}

/* The detail behind the name of a function: index of .shown and .marked. */
enum name_detail { DETAIL_NONE, DETAIL_PLACE, DETAIL_CROWDED };

static enum name_detail find_name_detail(
	const struct inlined_function *function)
{
	const struct line_declaration *declared = &function->declared;

	if (!declared->file || !declared->line ||
		(!declared->is_lambda && !function->is_ambiguous))
		return DETAIL_NONE;
	return function->is_crowded ? DETAIL_CROWDED : DETAIL_PLACE;
}

static char *make_placed_name(
	const struct inlined_function *function, enum name_detail detail)
{
	const struct line_declaration *declared = &function->declared;
	const char *file = basename(declared->file);
	const char *name = qualified_name(function);

	if (detail == DETAIL_PLACE)
		return xasprintf("%s %s:%" PRIu32, name, file, declared->line);
	if (!declared->column)
		return xasprintf(
			"%s %s:%" PRIu32, function->name, file, declared->line);
	return xasprintf("%s %s:%" PRIu32 ":%" PRIu32, name, file,
		declared->line, declared->column);
}

const char *inlined_functions_shown(
	struct inlined_functions *functions, uint32_t number)
{
	struct inlined_function *function = &functions->at.at[number];
	enum name_detail detail = find_name_detail(function);

	if (detail == DETAIL_NONE)
		return qualified_name(function);
	if (!function->shown[detail])
		function->shown[detail] = make_placed_name(function, detail);
	return function->shown[detail];
}

const char *inlined_functions_marked(
	struct inlined_functions *functions, uint32_t number)
{
	struct inlined_function *function = &functions->at.at[number];
	char **text = &function->marked[find_name_detail(function)];

	if (!*text)
		*text = xasprintf("%s (inlined)",
			inlined_functions_shown(functions, number));
	return *text;
}
