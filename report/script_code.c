/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/script_code.h"

#include <inttypes.h>

#include "common/escape.h"

void script_code_deinit(struct script_code *code)
{
	size_t i;

	for (i = 0; i < SCRIPT_CODE_SHAPES; i++) {
		array_each(&code->texts[i], text)
			free(*text);
		array_free(&code->texts[i]);
	}
}

/* printf takes three times as long. */
void script_code_put_hex(struct strbuf *out, uint64_t value)
{
	char digits[] = "                ";
	size_t at = sizeof(digits) - 1;

	do
		digits[--at] = "0123456789abcdef"[value & 15];
	while (value >>= 4);
	strbuf_put(out, digits, sizeof(digits) - 1);
}

static void put_symbol(struct resolver *resolver, struct resolved at,
	bool has_offset, struct strbuf *out)
{
	const struct location *location =
		resolver_location(resolver, at.location);

	if (!location->symbol) {
		strbuf_puts(out, "[unknown]");
		return;
	}
	escape_text(out, resolver_symbol_name(resolver, at.location));
	if (has_offset)
		strbuf_printf(
			out, "+0x%" PRIx64, at.address - location->start);
}

static void put_dso(
	struct resolver *resolver, struct resolved at, struct strbuf *out)
{
	const struct location *location =
		resolver_location(resolver, at.location);

	strbuf_putc(out, '(');
	escape_text(out, location->dso ? location->dso->path : "[unknown]");
	strbuf_putc(out, ')');
}

static char *make_text(
	struct resolver *resolver, struct resolved at, uint32_t fields)
{
	struct strbuf text = { 0 };

	strbuf_puts(&text, "");
	if (script_has(fields, SCRIPT_SYM)) {
		strbuf_putc(&text, ' ');
		put_symbol(resolver, at, script_has(fields, SCRIPT_SYMOFF),
			&text);
	}
	if (script_has(fields, SCRIPT_DSO)) {
		strbuf_putc(&text, ' ');
		put_dso(resolver, at, &text);
	}
	return text.at;
}

void script_code_put(struct script_code *code, struct resolved at,
	uint32_t fields, struct strbuf *out)
{
	typeof(code->texts[0]) *texts =
		&code->texts[fields >> SCRIPT_SYM & (SCRIPT_CODE_SHAPES - 1)];

	while (texts->n <= at.number)
		array_push(texts);
	if (!texts->at[at.number])
		texts->at[at.number] = make_text(code->resolver, at, fields);
	strbuf_puts(out, texts->at[at.number]);
}

struct resolved script_code_find(
	struct script_code *code, uint32_t space, uint64_t address)
{
	struct frame frame = stacks_frame(space, address, MISC_USER);
	struct resolved at = resolver_find(code->resolver, &frame);

	if (resolver_location(code->resolver, at.location)->dso)
		return at;
	frame = stacks_frame(space, address, MISC_KERNEL);
	return resolver_find(code->resolver, &frame);
}

void script_code_put_end(struct script_code *code, uint32_t space,
	uint64_t address, enum script_field style, bool has_dso,
	struct strbuf *out)
{
	struct resolved at = script_code_find(code, space, address);

	if (style == SCRIPT_BRSTACKSYM)
		put_symbol(code->resolver, at, true, out);
	else
		strbuf_printf(out, "0x%" PRIx64,
			style == SCRIPT_BRSTACKOFF ? at.address : address);
	if (has_dso)
		put_dso(code->resolver, at, out);
}
