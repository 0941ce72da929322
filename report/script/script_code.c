/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/script/script_code.h"

#include <inttypes.h>

#include "common/util/escape.h"
#include "report/script/script_number.h"

void script_code_deinit(struct script_code *code)
{
	size_t i;

	for (i = 0; i < SCRIPT_CODE_SHAPES; i++) {
		strbuf_free(&code->texts[i].kept);
		array_free(&code->texts[i].of);
	}
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
	escape_text(out, resolver_function_name(resolver, at.location));
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

static void make_text(struct resolver *resolver, struct resolved at,
	uint32_t fields, struct strbuf *out)
{
	bool is_inlined =
		resolver_location(resolver, at.location)->is_inlined;

	script_number_put_hex(out, at.address);
	if (script_has(fields, SCRIPT_SYM)) {
		strbuf_putc(out, ' ');
		put_symbol(resolver, at, script_has(fields, SCRIPT_SYMOFF),
			out);
	}
	if (script_has(fields, SCRIPT_DSO) && !is_inlined) {
		strbuf_putc(out, ' ');
		put_dso(resolver, at, out);
	}
	if (script_has(fields, SCRIPT_SRCLINE) &&
		resolver_location(resolver, at.location)->dso) {
		strbuf_puts(out, "\n  ");
		resolver_put_line(resolver, at.location, LINE_BY_DSO, out);
	}
	if (is_inlined)
		strbuf_puts(out, " (inlined)");
}

static void forget(struct script_texts *texts)
{
	texts->forgotten += texts->kept.n;
	strbuf_clear(&texts->kept);
}

/* Borrowed until the next one is found. */
static const char *find_text(struct script_code *code, struct resolved at,
	uint32_t fields, size_t *size_ret)
{
	struct script_texts *texts =
		&code->texts[fields >> SCRIPT_SYM & (SCRIPT_CODE_SHAPES - 1)];
	struct script_text *text;
	size_t start;

	while (texts->of.n <= at.number)
		array_push(&texts->of);
	text = &texts->of.at[at.number];
	if (!text->size || text->at < texts->forgotten) {
		if (texts->kept.n > SCRIPT_CODE_KEPT_MAX)
			forget(texts);
		start = texts->kept.n;
		make_text(code->resolver, at, fields, &texts->kept);
		text->at = texts->forgotten + start;
		text->size = texts->kept.n - start;
	}
	*size_ret = text->size;
	return texts->kept.at + (text->at - texts->forgotten);
}

/*
 * At an address there are inlined functions beside the one that is remembered, and
 * it has another line for those who were called from there.
 */
static bool is_remembered(
	const struct script_code *code, struct resolved at, uint32_t fields)
{
	return !script_has(fields, SCRIPT_SRCLINE) &&
		!resolver_location(code->resolver, at.location)->is_inlined;
}

/* All but the first SKIPPED bytes. */
static void put_text(struct script_code *code, struct resolved at,
	uint32_t fields, size_t skipped, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf made = { 0 };
	const char *text;
	size_t size;

	if (is_remembered(code, at, fields)) {
		text = find_text(code, at, fields, &size);
	} else {
		make_text(code->resolver, at, fields, &made);
		text = made.at;
		size = made.n;
	}
	strbuf_put(out, text + skipped, size - skipped);
}

void script_code_put_place(struct script_code *code, struct resolved at,
	uint32_t fields, struct strbuf *out)
{
	put_text(code, at, fields, 0, out);
}

void script_code_put(struct script_code *code, struct resolved at,
	uint32_t fields, struct strbuf *out)
{
	put_text(code, at, fields, SCRIPT_NUMBER_HEX_WIDTH, out);
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
