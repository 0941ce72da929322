/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/escape.h"

/*
 * Length of the printable UTF-8 character at TEXT, 0 if it is none: a control
 * character (also C1, U+0080..U+009F), a stray byte, an overlong form, a
 * surrogate. A NUL stops it as the end of LEFT bytes does.
 */
static size_t printable(const char *at, size_t left)
{
	const unsigned char *text = (const unsigned char *)at;
	unsigned c = text[0];
	size_t length, i;

	if (c < 0x80)
		return c >= 0x20 && c != 0x7f;
	if (c >= 0xc2 && c <= 0xdf)
		length = 2;
	else if (c >= 0xe0 && c <= 0xef)
		length = 3;
	else if (c >= 0xf0 && c <= 0xf4)
		length = 4;
	else
		return 0;
	if (length > left)
		return 0;
	for (i = 1; i < length; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	if (c == 0xc2 && text[1] < 0xa0)
		return 0;
	if ((c == 0xe0 && text[1] < 0xa0) || (c == 0xf0 && text[1] < 0x90))
		return 0;
	if ((c == 0xed && text[1] > 0x9f) || (c == 0xf4 && text[1] > 0x8f))
		return 0;
	return length;
}

void escape_text(struct strbuf *out, const char *text)
{
	while (*text) {
		size_t run = 0, n;

		while (text[run] && (n = printable(text + run, SIZE_MAX)))
			run += n;
		strbuf_put(out, text, run);
		text += run;
		if (*text)
			strbuf_printf(
				out, "\\x%02x", (unsigned char)*text++);
	}
}

void escape_lines(struct strbuf *out, const char *text, size_t size)
{
	const char *end = text + size;

	while (text < end) {
		size_t n = printable(text, (size_t)(end - text));

		if (*text == '\n' || *text == '\t')
			n = 1;
		if (n)
			strbuf_put(out, text, n);
		else
			strbuf_printf(out, "\\x%02x", (unsigned char)*text);
		text += n ? n : 1;
	}
}

void escape_json(struct strbuf *out, const char *text)
{
	strbuf_putc(out, '"');
	while (*text) {
		size_t n = printable(text, SIZE_MAX);

		if (*text == '"' || *text == '\\')
			strbuf_printf(out, "\\%c", *text);
		else if (n)
			strbuf_put(out, text, n);
		else if ((unsigned char)*text < 0x80)
			strbuf_printf(out, "\\u%04x", (unsigned)*text);
		else
			strbuf_puts(out, "\\ufffd");
		text += n ? n : 1;
	}
	strbuf_putc(out, '"');
}

void escape_csv(struct strbuf *out, const char *text)
{
	_cleanup_strbuf_ struct strbuf safe = { 0 };
	bool is_formula = *text && strchr("=+-@", *text);
	const char *c;

	strbuf_puts(&safe, is_formula ? "'" : "");
	escape_text(&safe, text);
	if (!is_formula && !strpbrk(safe.at, ",\"")) {
		strbuf_puts(out, safe.at);
		return;
	}
	strbuf_putc(out, '"');
	for (c = safe.at; *c; c++) {
		if (*c == '"')
			strbuf_putc(out, '"');
		strbuf_putc(out, *c);
	}
	strbuf_putc(out, '"');
}
