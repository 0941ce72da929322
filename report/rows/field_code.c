/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code that was sampled. */
#include "config.h"

#include "report/rows/field.h"

#include <inttypes.h>

#define UNKNOWN_SIZE UINT64_MAX
#define NO_PARENT UINT64_MAX

static uint64_t dso_value(const struct field_names *names,
	const struct context *context _unused_, uint32_t location,
	const uint64_t *taken _unused_)
{
	return resolver_location(names->resolver, location)->dso_name;
}

static uint64_t symbol_value(const struct field_names *names,
	const struct context *context _unused_, uint32_t location,
	const uint64_t *taken _unused_)
{
	return resolver_location(names->resolver, location)->shown_as;
}

static uint64_t parent_value(const struct field_names *names,
	const struct context *context, uint32_t location _unused_,
	const uint64_t *taken _unused_)
{
	if (!context->parent)
		return NO_PARENT;
	return resolver_location(names->resolver, context->parent - 1)
		->shown_as;
}

static void parent_text(
	const struct field_names *names, uint64_t value, struct strbuf *out)
{
	strbuf_puts(out,
		value == NO_PARENT ? "[other]"
				   : resolver_symbol_name(names->resolver,
					     (uint32_t)value));
}

static uint64_t size_value(const struct field_names *names,
	const struct context *context _unused_, uint32_t location,
	const uint64_t *taken _unused_)
{
	const struct location *at =
		resolver_location(names->resolver, location);

	return at->symbol ? at->end - at->start : UNKNOWN_SIZE;
}

static void size_text(const struct field_names *names _unused_,
	uint64_t value, struct strbuf *out)
{
	if (value == UNKNOWN_SIZE)
		strbuf_puts(out, "    unknown");
	else
		strbuf_printf(out, "%11" PRIu64, value);
}

/* As perf counts it: the mapping's. */
static uint64_t dso_size_value(const struct field_names *names,
	const struct context *context _unused_, uint32_t location,
	const uint64_t *taken _unused_)
{
	const struct location *at =
		resolver_location(names->resolver, location);

	return at->dso ? at->map_size : UNKNOWN_SIZE;
}

/* Nothing where nobody tells, as perf has it. */
static uint64_t source_file_value(const struct field_names *names,
	const struct context *context _unused_, uint32_t location,
	const uint64_t *taken _unused_)
{
	return texts_number(names->texts,
		resolver_source_file(names->resolver, location) ?: "");
}

static uint64_t source_line_value(const struct field_names *names,
	const struct context *context _unused_, uint32_t location,
	const uint64_t *taken _unused_)
{
	return field_line_number(names, location);
}

static uint64_t take_ip(const struct take_source *source)
{
	return source->sample->ip;
}

const struct field field_code[] = {
	{ "dso", "Shared Object", .value = dso_value, .text = field_dso_text },
	{ "sym", "Symbol", .value = symbol_value, .text = field_symbol_text },
	{ "parent", "Parent symbol", .value = parent_value,
		.text = parent_text },
	{ "symbol_size", "Symbol size", .is_number = true, .value = size_value,
		.text = size_text },
	{ "dso_size", "   DSO size", .grain = RESOLVE_MAPPINGS,
		.is_number = true, .value = dso_size_value, .text = size_text },
	{ "srcfile", "Source File", .grain = RESOLVE_ADDRESSES,
		.value = source_file_value, .text = field_text_text },
	{ "srcline", "Source:Line", .grain = RESOLVE_ADDRESSES,
		.value = source_line_value, .text = field_text_text },
	{ "addr", "Address", .is_of_sampled = true, .take = { take_ip },
		.text = field_address_text },
	{ 0 },
};
