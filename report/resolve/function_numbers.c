/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>

#include "report/resolve/function_numbers.h"

void function_numbers_deinit(struct function_numbers *functions)
{
	array_each(&functions->at, function)
		free(function->name);
	array_free(&functions->at);
	array_free(&functions->numbers);
	hash_free(&functions->index);
}

void function_numbers_put_unknown(const char *dso_name, struct strbuf *out)
{
	bool is_marked = dso_name[0] == '[';

	strbuf_puts(out, is_marked ? "" : "[");
	strbuf_puts(out, dso_name);
	strbuf_puts(out, is_marked ? "" : "]");
}

/* Returns the function of LOCATION; the caller frees .name. */
static struct function_numbered describe_function(
	const struct function_numbers *functions, uint32_t location)
{
	struct resolver *resolver = functions->resolver;
	const struct location *at = resolver_location(resolver, location);
	struct strbuf name = { 0 };
	struct function_numbered function = {
		.dso = at->dso ? at->dso->path : "[unknown]",
		.dso_name = at->dso_name,
		.input = at->input,
		.number = at->number,
		.has_dso = at->dso,
		.has_symbol = at->symbol,
	};

	if (at->symbol) {
		strbuf_puts(&name, resolver_function_name(resolver, location));
		if (functions->names_builds)
			strbuf_puts(&name, resolver_build_mark(resolver, at));
		function.at = resolver_function_line(resolver, location);
	} else {
		function_numbers_put_unknown(
			resolver_dso_name(resolver, at->dso_name), &name);
		if (functions->has_addresses)
			strbuf_printf(&name, "+0x%" PRIx64, at->start);
	}
	function.name = name.at;
	return function;
}

static uint32_t intern_function(
	struct function_numbers *functions, struct function_numbered *new)
{
	const char *file = new->at.file ? new->at.file : "";
	uint64_t hash = hash_words(
		hash_words(hash_string(new->name), hash_string(file)),
		(uint64_t) new->dso_name << 1 | new->has_symbol);
	uint32_t n = (uint32_t)functions->at.n;

	hash_each_match(&functions->index, hash, i) {
		struct function_numbered *known = &functions->at.at[i];

		const char *a = known->at.file, *b = new->at.file;

		if (known->dso_name != new->dso_name ||
			known->has_symbol != new->has_symbol ||
			(a != b && !(a && b && string_is(a, b))) ||
			!string_is(known->name, new->name))
			continue;
		if (!known->at.line)
			known->at.line = new->at.line;
		free(new->name);
		return i;
	}
	hash_insert(&functions->index, hash, n);
	*array_push(&functions->at) = *new;
	return n;
}

uint32_t function_numbers_find(
	struct function_numbers *functions, uint32_t location)
{
	struct function_numbered function;

	while (functions->numbers.n <= location)
		array_push(&functions->numbers);
	if (!functions->numbers.at[location]) {
		function = describe_function(functions, location);
		functions->numbers.at[location] =
			intern_function(functions, &function) + 1;
	}
	return functions->numbers.at[location] - 1;
}

uint32_t function_numbers_find_mark(
	struct function_numbers *functions, const char *name)
{
	return intern_function(functions,
		&(struct function_numbered){ .name = xstrdup(name),
			.dso = "[unknown]",
			.has_symbol = true });
}
