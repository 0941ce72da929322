/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/resolve/inlined_functions.h"

#include <inttypes.h>

#include "common/util/alloc.h"
#include "common/util/strbuf.h"

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

/* --- lambdas ------------------------------------------------------------- */

#define CALL_OPERATOR "operator()"
#define LAMBDA "{lambda}"

/*
 * Returns the number of characters from AT, which begins with the bracket OPEN,
 * to the bracket CLOSE that ends the group, or to the end of the text.
 */
static size_t bracketed_size(const char *at, char open, char close)
{
	size_t size = 0;
	unsigned depth = 0;

	do {
		depth += at[size] == open;
		depth -= at[size] == close;
	} while (at[size] && ++size && depth);
	return size;
}

char *inlined_functions_lambda_name(const char *name)
{
	struct strbuf out = { 0 };
	unsigned depth = 0; /* of the arguments of templates */

	strbuf_puts(&out, "");
	while (*name) {
		/* "$_1" or "{lambda()#1}" */
		size_t lambda = string_starts(name, "{lambda(")
			? bracketed_size(name, '{', '}')
			: string_starts(name, "$_")
			? 2 + strspn(name + 2, "0123456789")
			: 0;

		if (lambda) {
			strbuf_puts(&out, LAMBDA);
			name += lambda;
		} else if (string_starts(name, CALL_OPERATOR)) {
			strbuf_puts(&out, CALL_OPERATOR);
			name += strlen(CALL_OPERATOR);
		} else if (*name == '(' && !depth && out.n &&
			out.at[out.n - 1] != ':') {
			/*
			 * Parameters, and the words behind them. A bracket
			 * begins none in "(anonymous namespace)::f" and in the
			 * arguments of a template.
			 */
			name += bracketed_size(name, '(', ')');
			while (*name && !string_starts(name, "::"))
				name++;
		} else {
			depth += *name == '<';
			depth -= *name == '>' && depth;
			strbuf_putc(&out, *name++);
		}
	}
	return out.at;
}

/* --- functions ----------------------------------------------------------- */

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && string_is(a, b));
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
 * Takes the memory of NEW. Marks it and all functions of the same name in its
 * DSO if there are several.
 */
static uint32_t intern_inlined_function(
	struct inlined_functions *functions, struct inlined_function *new)
{
	uint64_t hash = hash_words(hash_string(new->name),
		(uint64_t) new->declared.line << 32 | new->dso_name);
	const char *name = qualified_name(new);
	uint64_t name_hash = hash_words(hash_string(name), new->dso_name);
	uint32_t n = (uint32_t)functions->at.n;

	hash_each_match(&functions->by_function, hash, i) {
		const struct inlined_function *known = &functions->at.at[i];

		if (known->dso_name != new->dso_name ||
			known->declared.line != new->declared.line ||
			known->declared.column != new->declared.column ||
			!string_is(known->name, new->name) ||
			!is_same_text(known->qualified, new->qualified) ||
			!is_same_text(known->declared.file, new->declared.file))
			continue;
		free_described(new);
		return i;
	}
	hash_each_match(&functions->by_name, name_hash, i) {
		struct inlined_function *known = &functions->at.at[i];

		if (known->dso_name == new->dso_name &&
			string_is(qualified_name(known), name)) {
			known->is_ambiguous = new->is_ambiguous = true;
			known->is_crowded |= is_same_line(known, new);
			new->is_crowded |= is_same_line(known, new);
		}
	}
	hash_insert(&functions->by_function, hash, n);
	hash_insert(&functions->by_name, name_hash, n);
	*array_push(&functions->at) = *new;
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
		new.qualified = inlined_functions_lambda_name(new.name);
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

uint32_t inlined_functions_find(struct inlined_functions *functions,
	const struct line_frame *frame, uint32_t dso_name)
{
	uint64_t hash =
		hash_words((uintptr_t)frame->name ^ (uint64_t)dso_name << 48,
			(uintptr_t)frame->declared.qualified ^
				(uint64_t)frame->declared.line << 32);
	struct inlined_function new;
	uint32_t number;

	hash_each_match(&functions->by_frame, hash, i) {
		const struct inlined_frame *known = &functions->frames.at[i];
		const struct line_declaration *a = &known->declared;
		const struct line_declaration *b = &frame->declared;

		if (known->name == frame->name && known->dso_name == dso_name &&
			a->qualified == b->qualified && a->file == b->file &&
			a->line == b->line && a->column == b->column)
			return known->function;
	}
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

const char *inlined_functions_shown(
	struct inlined_functions *functions, uint32_t number)
{
	struct inlined_function *function = &functions->at.at[number];
	const struct line_declaration *declared = &function->declared;
	enum name_detail detail = find_name_detail(function);
	char **shown = &function->shown[detail];
	const char *name = qualified_name(function), *file;

	if (detail == DETAIL_NONE)
		return name;
	if (*shown)
		return *shown;
	file = basename(declared->file);
	if (detail == DETAIL_PLACE)
		*shown =
			xasprintf("%s %s:%" PRIu32, name, file, declared->line);
	else if (!declared->column)
		*shown = xasprintf(
			"%s %s:%" PRIu32, function->name, file, declared->line);
	else
		*shown = xasprintf("%s %s:%" PRIu32 ":%" PRIu32, name, file,
			declared->line, declared->column);
	return *shown;
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
