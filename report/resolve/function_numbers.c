/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>

#include "report/resolve/function_numbers.h"

void code_names_deinit(struct code_names *functions)
{
	array_each(&functions->at, function)
		free(function->name);
	array_free(&functions->at);
	array_free(&functions->numbers);
	hash_free(&functions->index);
}

void code_names_put_unknown(const char *dso_name, struct strbuf *out)
{
	bool is_marked = dso_name[0] == '[';

	strbuf_puts(out, is_marked ? "" : "[");
	strbuf_puts(out, dso_name);
	strbuf_puts(out, is_marked ? "" : "]");
}

/* The one at LOCATION; its name is the caller's. */
static struct code_name describe(
	const struct code_names *functions, uint32_t location)
{
	struct resolver *resolver = functions->resolver;
	const struct location *at = resolver_location(resolver, location);
	struct strbuf name = { 0 };
	struct code_name function = {
		.dso = at->dso ? at->dso->path : "[unknown]",
		.dso_name = at->dso_name,
		.input = at->input,
		.number = at->number,
		.has_dso = at->dso,
		.has_symbol = at->symbol,
	};

	if (at->symbol) {
		strbuf_puts(&name, resolver_function_name(resolver, location));
		function.at = resolver_function_line(resolver, location);
	} else {
		code_names_put_unknown(
			resolver_dso_name(resolver, at->dso_name), &name);
		if (functions->has_addresses)
			strbuf_printf(&name, "+0x%" PRIx64, at->start);
	}
	function.name = name.at;
	return function;
}

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && string_is(a, b));
}

static uint32_t intern(struct code_names *functions, struct code_name *new)
{
	const char *file = new->at.file ? new->at.file : "";
	uint64_t hash = hash_words(
		hash_words(hash_string(new->name), hash_string(file)),
		(uint64_t)new->dso_name << 1 | new->has_symbol);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&functions->index, hash, &probe)) != HASH_NONE) {
		struct code_name *known = &functions->at.at[i];

		if (known->dso_name != new->dso_name ||
			known->has_symbol != new->has_symbol ||
			!is_same(known->at.file, new->at.file) ||
			!string_is(known->name, new->name))
			continue;
		if (!known->at.line)
			known->at.line = new->at.line;
		free(new->name);
		return i;
	}
	i = (uint32_t)functions->at.n;
	hash_insert(&functions->index, hash, i);
	*array_push(&functions->at) = *new;
	return i;
}

uint32_t code_names_number(struct code_names *functions, uint32_t location)
{
	struct code_name function;

	while (functions->numbers.n <= location)
		array_push(&functions->numbers);
	if (!functions->numbers.at[location]) {
		function = describe(functions, location);
		functions->numbers.at[location] =
			intern(functions, &function) + 1;
	}
	return functions->numbers.at[location] - 1;
}

uint32_t code_names_mark(struct code_names *functions, const char *name)
{
	return intern(functions,
		&(struct code_name){ .name = xstrdup(name),
			.dso = "[unknown]",
			.has_symbol = true });
}
