/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/escape.h"

/*
 * Characters that are invisible or change the order of the characters around
 * them: Unicode's default ignorable code points and format controls, without
 * the variation selectors U+FE00..U+FE0F.
 */
static const struct {
	uint32_t first, last;
} hidden[] = {
	{ 0xad, 0xad },	    /* soft hyphen */
	{ 0x61c, 0x61c },   /* Arabic letter mark */
	{ 0x115f, 0x1160 }, /* Hangul fillers */
	{ 0x180e, 0x180e },
	{ 0x200b, 0x200f }, /* zero width; direction marks */
	{ 0x2028, 0x202e }, /* separators; direction embeddings, overrides */
	{ 0x2060, 0x206f }, /* word joiner ...; direction isolates */
	{ 0x3164, 0x3164 }, { 0xfeff, 0xfeff }, /* byte order mark */
	{ 0xffa0, 0xffa0 }, { 0xfff9, 0xfffb }, /* interlinear annotations */
	{ 0x13430, 0x1343f }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
	{ 0xe0000, 0xe0fff }, /* tags */
};

/*
 * Returns the size of the UTF-8 character at AT in bytes. Returns 0 for control
 * characters (also C1, U+0080..U+009F) and for invalid UTF-8: a stray byte, an
 * overlong form, a surrogate. The text ends at a NUL or after LEFT bytes.
 */
static size_t utf8_character_size(const char *at, size_t left)
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

/* Returns the UTF-8 character at AT, which has N bytes. */
static uint32_t utf8_character(const char *at, size_t n)
{
	static const uint8_t bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t c = (unsigned char)*at & bits[n];
	size_t i;

	for (i = 1; i < n; i++)
		c = c << 6 | ((unsigned char)at[i] & 0x3f);
	return c;
}

/*
 * Returns the size of the UTF-8 character at AT in bytes. Returns 0 for control
 * characters, hidden characters and invalid UTF-8.
 */
static size_t printable_character_size(const char *at, size_t left)
{
	size_t n = utf8_character_size(at, left), i;
	uint32_t c;

	if (n <= 1)
		return n;
	c = utf8_character(at, n);
	for (i = 0; i < ARRAY_SIZE(hidden); i++)
		if (c >= hidden[i].first && c <= hidden[i].last)
			return 0;
	return n;
}

void escape_text(struct strbuf *out, const char *text)
{
	while (*text) {
		size_t run = 0, n;

		while (text[run] &&
			(n = printable_character_size(text + run, SIZE_MAX)))
			run += n;
		strbuf_put(out, text, run);
		text += run;
		if (*text)
			strbuf_printf(out, "\\x%02x", (unsigned char)*text++);
	}
}

void escape_lines(struct strbuf *out, const char *text, size_t size)
{
	size_t at = 0;

	while (at < size) {
		size_t n = printable_character_size(text + at, size - at);

		if (text[at] == '\n' || text[at] == '\t')
			n = 1;
		if (n)
			strbuf_put(out, text + at, n);
		else
			strbuf_printf(out, "\\x%02x", (unsigned char)text[at]);
		at += n ? n : 1;
	}
}

/* Appends C as \uNNNN, or as two surrogates if C is above U+FFFF. */
static void put_json_unicode(struct strbuf *out, uint32_t c)
{
	if (c < 0x10000) {
		strbuf_printf(out, "\\u%04x", c);
		return;
	}
	c -= 0x10000;
	strbuf_printf(
		out, "\\u%04x\\u%04x", 0xd800 | c >> 10, 0xdc00 | (c & 0x3ff));
}

void escape_json(struct strbuf *out, const char *text)
{
	strbuf_putc(out, '"');
	for (;;) {
		size_t plain = 0, n;

		while (text[plain] != '"' && text[plain] != '\\' &&
			(n = printable_character_size(text + plain, SIZE_MAX)))
			plain += n;
		strbuf_put(out, text, plain);
		text += plain;
		if (!*text)
			break;
		n = utf8_character_size(text, SIZE_MAX);
		if (*text == '"' || *text == '\\')
			strbuf_printf(out, "\\%c", *text);
		else if (n)
			put_json_unicode(out, utf8_character(text, n));
		else if ((unsigned char)*text < 0x80)
			put_json_unicode(out, (unsigned char)*text);
		else
			strbuf_puts(out, "\\ufffd");
		text += n ?: 1;
	}
	strbuf_putc(out, '"');
}

void escape_json_visible(struct strbuf *out, const char *text)
{
	_cleanup_strbuf_ struct strbuf visible = { 0 };

	strbuf_puts(&visible, "");
	escape_text(&visible, text);
	escape_json(out, visible.at);
}

void escape_csv(struct strbuf *out, const char *text)
{
	escape_csv_field(out, text, ",");
}

void escape_csv_field(
	struct strbuf *out, const char *text, const char *separator)
{
	_cleanup_strbuf_ struct strbuf safe = { 0 };
	bool is_formula = *text && strchr("=+-@", *text);
	const char *c;

	strbuf_puts(&safe, is_formula ? "'" : "");
	escape_text(&safe, text);
	if (!is_formula && !strchr(safe.at, '"') &&
		!strstr(safe.at, separator)) {
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

void escape_shell(struct strbuf *out, const char *text)
{
	bool is_plain = *text &&
		!text[strspn(text,
			"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			"abcdefghijklmnopqrstuvwxyz"
			"0123456789%+,-./:@_")];

	if (is_plain) {
		strbuf_puts(out, text);
		return;
	}
	strbuf_putc(out, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			strbuf_puts(out, "'\\'");
		strbuf_putc(out, *text);
	}
	strbuf_putc(out, '\'');
}

void escape_xml(struct strbuf *out, const char *text)
{
	_cleanup_strbuf_ struct strbuf safe = { 0 };
	const char *c;

	strbuf_puts(&safe, "");
	escape_text(&safe, text);
	for (c = safe.at; *c; c++) {
		/* XML 1.0 does not allow U+FFFE and U+FFFF. */
		if (string_starts(c, "\xef\xbf\xbe") ||
			string_starts(c, "\xef\xbf\xbf")) {
			strbuf_printf(
				out, "\\xef\\xbf\\x%02x", (unsigned char)c[2]);
			c += 2;
			continue;
		}
		switch (*c) {
		case '&': strbuf_puts(out, "&amp;"); break;
		case '<': strbuf_puts(out, "&lt;"); break;
		case '>': strbuf_puts(out, "&gt;"); break;
		case '"': strbuf_puts(out, "&quot;"); break;
		case '\'': strbuf_puts(out, "&#39;"); break;
		default: strbuf_putc(out, *c);
		}
	}
}
