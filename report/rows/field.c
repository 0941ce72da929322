/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/rows/field.h"

#include <inttypes.h>

/* An unnamed thread has its tid with this bit as key. */
#define UNNAMED (UINT64_C(1) << 32)

uint64_t field_comm_value(const struct field_names *names _unused_,
	const struct context *context, uint32_t location _unused_,
	const uint64_t *taken _unused_)
{
	return context->comm ? context->comm : UNNAMED | context->tid;
}

void field_comm_text(
	const struct field_names *names, uint64_t value, struct strbuf *out)
{
	char unnamed[SURVEY_COMM_SIZE];

	strbuf_puts(out,
		value & UNNAMED
			? survey_unnamed((uint32_t)value, unnamed)
			: string_table_at(names->texts, (uint32_t)value - 1));
}

void field_text_text(
	const struct field_names *names, uint64_t value, struct strbuf *out)
{
	strbuf_puts(out, string_table_at(names->texts, (uint32_t)value));
}

uint64_t field_line_number(const struct field_names *names, uint32_t location)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	resolver_put_line(names->resolver, location, LINE_BY_SYMBOL, &text);
	return string_table_intern(names->texts, text.at);
}

void field_dso_text(
	const struct field_names *names, uint64_t dso_name, struct strbuf *out)
{
	strbuf_puts(
		out, resolver_dso_name(names->resolver, (uint32_t)dso_name));
}

void field_symbol_text(
	const struct field_names *names, uint64_t location, struct strbuf *out)
{
	uint32_t number = (uint32_t)location;

	const char mark[] = { '[',
		resolver_location(names->resolver, number)->level, ']', ' ' };

	strbuf_put(out, mark, sizeof(mark));
	strbuf_puts(out, resolver_symbol_name(names->resolver, number));
}

void field_number_text(const struct field_names *names _unused_, uint64_t value,
	struct strbuf *out)
{
	strbuf_printf(out, "%" PRIu64, value);
}

void field_address_text(const struct field_names *names _unused_,
	uint64_t value, struct strbuf *out)
{
	strbuf_printf(out, "%#" PRIx64, value);
}
