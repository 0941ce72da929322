/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/name_parts.h"

#include <ctype.h>

size_t name_operator_length(const char *name, size_t at)
{
	static const char word[] = "operator";
	size_t size = sizeof(word) - 1;

	if (strncmp(name + at, word, size) ||
		(at &&
			(isalnum((unsigned char)name[at - 1]) ||
				name[at - 1] == '_')))
		return 0;
	return size + strspn(name + at + size, "<>=-");
}

size_t name_step(const char *name, size_t at, size_t *depth)
{
	size_t skipped = name_operator_length(name, at);

	*depth += strchr("<([{", name[at]) != NULL;
	/* The ">" of "->" is not a bracket. */
	*depth -= *depth && strchr(">)]}", name[at]) &&
		(name[at] != '>' || name[at - 1] != '-');
	return MAX(skipped, (size_t)1);
}

bool name_part_is(struct name_part part, const char *text)
{
	return part.size == strlen(text) && !memcmp(part.at, text, part.size);
}

bool name_part_begins(struct name_part part, const char *text)
{
	return part.size >= strlen(text) &&
		!memcmp(part.at, text, strlen(text));
}

/* Returns SIZE without ":12" at the end of NAME, or SIZE. */
static size_t size_without_number(const char *name, size_t size)
{
	size_t at = size;

	while (at && name[at - 1] >= '0' && name[at - 1] <= '9')
		at--;
	return at && at < size && name[at - 1] == ':' ? at - 1 : size;
}

/*
 * Returns the size of NAME without marks of dwell, the version of a dynamic
 * symbol, and suffixes of copies that compilers make of a function.
 */
static size_t size_without_marks(const char *name)
{
	static const char *const marks[] = { " (inlined)", " (?)", " [clone ",
		" [build ", "@", ".isra.", ".part.", ".constprop.",
		".lto_priv.", ".llvm." };
	static const char *const ends[] = { ".cold", ".abi0" };
	size_t size = strlen(name), i;

	for (i = 0; i < ARRAY_SIZE(marks); i++) {
		const char *mark = strstr(name, marks[i]);

		if (mark)
			size = MIN(size, (size_t)(mark - name));
	}
	/* The place of a declaration is " file.h:12" or " file.h:12:3". */
	size_t at = size_without_number(name, size);

	if (at != size) {
		at = size_without_number(name, at);
		while (at && name[at - 1] != ' ')
			at--;
		size = at ? at - 1 : size;
	}
	for (i = 0; i < ARRAY_SIZE(ends); i++)
		if (size > strlen(ends[i]) &&
			!memcmp(name + size - strlen(ends[i]), ends[i],
				strlen(ends[i])))
			size -= strlen(ends[i]);
	return size;
}

struct name_part name_part_of(const char *name)
{
	size_t size = size_without_marks(name), depth = 0, start = 0, i = 0;

	while (i < size) {
		/* The name of an operator can have a blank or a type. */
		if (!depth && name_operator_length(name, i))
			break;
		if (!depth && name[i] == ' ')
			start = i + 1;
		i += name_step(name, i, &depth);
	}
	return (struct name_part){ name + start, size - start };
}

size_t name_part_bare_size(struct name_part name)
{
	size_t depth = 0, end = name.size, i = 0;

	while (i < name.size) {
		size_t before = depth, at = i;

		i += name_step(name.at, i, &depth);
		if (!before && depth && name.at[at] == '<')
			end = at;
		else if (!before && !depth)
			end = name.size;
	}
	/* Rust separates the arguments by "::". */
	return end >= 2 && end < name.size && name.at[end - 1] == ':' ? end - 2
								      : end;
}

struct name_part name_rust_type_path(struct name_part name)
{
	static const char *const marks[] = { "&", "*const ", "*mut ", "mut ",
		"dyn ", "[", "(" };
	size_t i = 0;

	while (i < ARRAY_SIZE(marks)) {
		if (!name_part_begins(name, marks[i])) {
			i++;
			continue;
		}
		name.at += strlen(marks[i]);
		name.size -= strlen(marks[i]);
		i = 0;
	}
	return name;
}

static struct name_part rest_of(struct name_part name, size_t from)
{
	return (struct name_part){ name.at + from, name.size - from };
}

bool name_rust_impl_split(struct name_part name, struct name_rust_impl *ret)
{
	size_t depth = 0, i = name_step(name.at, 0, &depth);

	*ret = (struct name_rust_impl){ { NULL, 0 }, { NULL, 0 } };
	while (i < name.size && depth) {
		if (depth == 1 && !ret->type.at &&
			name_part_begins(rest_of(name, i), " as ")) {
			ret->type = (struct name_part){ name.at + 1, i - 1 };
			ret->trait = rest_of(name, i + strlen(" as "));
		}
		i += name_step(name.at, i, &depth);
	}
	if (!ret->type.at)
		ret->type = (struct name_part){ name.at + 1, i - 2 };
	return !depth && name_part_begins(rest_of(name, i), "::") &&
		!name_part_begins(ret->type, "lambda(");
}
