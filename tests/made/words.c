/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/made/words.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>

void words_fail(struct words *words, const char *format, ...)
{
	struct strbuf text = { 0 };
	va_list args;

	if (words->mistake)
		return;
	va_start(args, format);
	strbuf_vprintf(&text, format, args);
	va_end(args);
	words->mistake = text.at;
}

static const char *line_end(const char *at)
{
	return at + strcspn(at, "\n");
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Takes a word up to a blank outside of quotes, without the quotes. */
static const char *take_word(
	const char *at, const char *end, struct words *words)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct word *word = array_push(&words->list);
	bool is_quoted = false;
	char *equals;

	strbuf_puts(&text, "");
	for (; at < end && (is_quoted || !is_blank(*at)); at++) {
		if (*at == '"')
			is_quoted = !is_quoted;
		else
			strbuf_putc(&text, *at);
	}
	if (is_quoted)
		words_fail(words, "a quote is not closed");
	equals = strchr(text.at, '=');
	word->value = xstrdup(equals ? equals + 1 : "");
	word->name =
		xstrndup(text.at, equals ? (size_t)(equals - text.at) : text.n);
	return at;
}

static void take_line(const char *at, const char *end, struct words *words)
{
	for (;;) {
		while (at < end && is_blank(*at))
			at++;
		if (at == end || *at == '#')
			return;
		at = take_word(at, end, words);
	}
}

bool words_read(const char **text, size_t *line, struct words *ret)
{
	const char *at = *text;

	*ret = (struct words){ 0 };
	while (*at && (!ret->list.n || is_blank(*at) || *at == '\n')) {
		const char *end = line_end(at);

		++*line;
		if (!ret->list.n)
			ret->line = *line;
		take_line(at, end, ret);
		at = *end ? end + 1 : end;
	}
	*text = at;
	if (ret->list.n)
		ret->list.at[0].is_used = true;
	return ret->list.n != 0;
}

void words_deinit(struct words *words)
{
	array_each(&words->list, word) {
		free(word->name);
		free(word->value);
	}
	array_free(&words->list);
	free(words->mistake);
}

const char *words_verb(const struct words *words)
{
	return words->list.at[0].name;
}

const char *words_text(struct words *words, const char *name)
{
	array_each(&words->list, word) {
		if (word == words->list.at || !string_is(word->name, name))
			continue;
		word->is_used = true;
		return word->value;
	}
	return NULL;
}

bool words_has(struct words *words, const char *name)
{
	return words_text(words, name);
}

static uint64_t number(struct words *words, const char *text)
{
	char *end;
	uint64_t value;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (end == text || *end || errno)
		words_fail(words, "'%s' is no number", text);
	return value;
}

uint64_t words_number(struct words *words, const char *name, uint64_t otherwise)
{
	const char *text = words_text(words, name);

	return text ? number(words, text) : otherwise;
}

uint64_t words_constant(
	struct words *words, const char *text, const struct word_bit *bits)
{
	for (; bits && bits->name; bits++)
		if (string_is(bits->name, text))
			return bits->value;
	return number(words, text);
}

/* Calls FUNCTION for each part of TEXT between SEPARATORs. */
static void each_part(struct words *words, const char *text, char separator,
	void (*function)(struct words *, const char *, void *), void *data)
{
	while (*text) {
		const char *end = strchrnul(text, separator);
		_cleanup_free_ char *part =
			xstrndup(text, (size_t)(end - text));

		function(words, part, data);
		text = *end ? end + 1 : end;
	}
}

struct bits_sum {
	const struct word_bit *bits;
	uint64_t sum;
};

static void add_bit(struct words *words, const char *part, void *data)
{
	struct bits_sum *sum = data;

	sum->sum |= words_constant(words, part, sum->bits);
}

uint64_t words_bits(struct words *words, const char *name,
	const struct word_bit *bits, uint64_t otherwise)
{
	const char *text = words_text(words, name);
	struct bits_sum sum = { bits, 0 };

	if (!text)
		return otherwise;
	each_part(words, text, '|', add_bit, &sum);
	return sum.sum;
}

struct numbers_to {
	const struct word_bit *bits;
	struct word_numbers *numbers;
};

static void add_number(struct words *words, const char *part, void *data)
{
	struct numbers_to *to = data;

	*array_push(&to->numbers->list) = words_constant(words, part, to->bits);
}

void words_numbers(struct words *words, const char *text,
	const struct word_bit *bits, struct word_numbers *ret)
{
	struct numbers_to to = { bits, ret };

	each_part(words, text, ',', add_number, &to);
}

void words_bytes(struct words *words, const char *text, struct strbuf *ret)
{
	while (*text) {
		unsigned byte;

		if (is_blank(*text)) {
			text++;
		} else if (*text == '\'') {
			const char *end = strchrnul(text + 1, '\'');

			strbuf_put(ret, text + 1, (size_t)(end - text - 1));
			text = *end ? end + 1 : end;
		} else if (isxdigit((unsigned char)text[0]) &&
			isxdigit((unsigned char)text[1]) &&
			sscanf(text, "%2x", &byte) == 1) {
			strbuf_put_u8(ret, (uint8_t)byte);
			text += 2;
		} else {
			words_fail(words, "'%s' are no bytes", text);
			return;
		}
	}
}

struct error *words_check(struct words *words)
{
	array_each(&words->list, word)
		if (!word->is_used)
			words_fail(words, "there is no word '%s'", word->name);
	if (!words->mistake)
		return NULL;
	return error_new("line %zu: %s: %s", words->line, words_verb(words),
		words->mistake);
}
