/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/event_syntax.h"

#include <ctype.h>

/* Characters that end a word. */
#define STOPS ":/,{} \t"

struct syntax_cursor {
	const char *source;
	size_t at;
	uint32_t groups; /* number of groups parsed so far */
};

char *event_span_copy(const char *source, struct event_span span)
{
	return xstrndup(source + span.at, span.n);
}

struct error *event_span_point(
	struct error *err, const char *source, struct event_span span)
{
	return error_point(err, source, span.at, span.n);
}

static char peek_char(const struct syntax_cursor *cursor)
{
	return cursor->source[cursor->at];
}

static bool accept_char(struct syntax_cursor *cursor, char c)
{
	if (peek_char(cursor) != c || !c)
		return false;
	cursor->at++;
	return true;
}

static void skip_blanks(struct syntax_cursor *cursor)
{
	cursor->at += strspn(cursor->source + cursor->at, " \t");
}

/*
 * Returns the text from the cursor up to a character of STOPS or the end, and
 * moves the cursor there.
 */
static struct event_span take_until(
	struct syntax_cursor *cursor, const char *stops)
{
	struct event_span span = { cursor->at,
		strcspn(cursor->source + cursor->at, stops) };

	cursor->at += span.n;
	return span;
}

static struct error *expected_error(
	const struct syntax_cursor *cursor, const char *expected)
{
	struct error *err;

	if (peek_char(cursor))
		err = error_usage("-e: expected %s before '%c'", expected,
			peek_char(cursor));
	else
		err = error_usage("-e: %s is missing", expected);
	return error_point(err, cursor->source, cursor->at, 1);
}

static struct error *read_event_term(
	struct syntax_cursor *cursor, struct event_term *ret)
{
	ret->name = take_until(cursor, "=" STOPS);
	if (!ret->name.n)
		return expected_error(cursor, "the name of a term");
	ret->has_value = accept_char(cursor, '=');
	if (!ret->has_value)
		return NULL;
	if (accept_char(cursor, '\'')) {
		size_t start = cursor->at - 1;

		ret->value = take_until(cursor, "'");
		return accept_char(cursor, '\'')
			? NULL
			: error_point(
				  error_usage(
					  "-e: the closing quote is missing"),
				  cursor->source, start, 1);
	}
	ret->value = take_until(cursor, ",/");
	return ret->value.n ? NULL : expected_error(cursor, "a value");
}

/* Reads terms; the cursor is behind the first slash. */
static struct error *read_event_terms(
	struct syntax_cursor *cursor, struct event_text *event)
{
	size_t start = cursor->at - 1;

	event->has_terms = true;
	if (accept_char(cursor, '/'))
		return NULL;
	do {
		struct error *err =
			read_event_term(cursor, array_push(&event->terms));

		if (err)
			return err;
	} while (accept_char(cursor, ','));
	if (accept_char(cursor, '/'))
		return NULL;
	if (peek_char(cursor))
		return expected_error(cursor, "a comma or a slash");
	return error_point(
		error_usage("-e: the slash that ends the terms is missing"),
		cursor->source, start, cursor->at - start);
}

/* Reads the terms and modifiers of an event, both optional. */
static struct error *read_event_tail(
	struct syntax_cursor *cursor, struct event_text *event)
{
	struct error *err;

	if (accept_char(cursor, '/')) {
		err = read_event_terms(cursor, event);
		if (err)
			return err;
	}
	if (accept_char(cursor, ':') || event->has_terms)
		event->modifiers = take_until(cursor, STOPS);
	return NULL;
}

static struct error *read_event_word(struct syntax_cursor *cursor,
	struct event_text *event, const char *what)
{
	struct event_span word = take_until(cursor, STOPS);

	if (!word.n)
		return expected_error(cursor, what);
	event->words[event->n_words++] = word;
	return NULL;
}

static struct error *read_event_words(
	struct syntax_cursor *cursor, struct event_text *event)
{
	struct error *err = read_event_word(cursor, event, "an event");

	while (!err && peek_char(cursor) == ':' &&
		event->n_words < EVENT_WORDS_MAX) {
		cursor->at++;
		err = read_event_word(cursor, event, "a name or a modifier");
	}
	return err ? err : read_event_tail(cursor, event);
}

static struct error *read_break_event(
	struct syntax_cursor *cursor, struct event_text *event)
{
	struct error *err = read_event_word(cursor, event, "an address");
	struct syntax_cursor ahead;

	if (err)
		return err;
	event->n_words = EVENT_WORDS_MAX;
	if (peek_char(cursor) == '/' &&
		isdigit((unsigned char)cursor->source[cursor->at + 1])) {
		cursor->at++;
		event->words[1] = take_until(cursor, STOPS);
	}
	ahead = *cursor;
	if (accept_char(&ahead, ':')) {
		event->words[2] = take_until(&ahead, STOPS);
		struct event_span span = event->words[2];
		if (span.n && span.n <= 3 &&
			strspn(cursor->source + span.at, "rwx") >= span.n)
			*cursor = ahead;
		else
			event->words[2].n = 0;
	}
	return read_event_tail(cursor, event);
}

static struct error *read_uprobe_event(
	struct syntax_cursor *cursor, struct event_text *event)
{
	struct error *err;

	event->words[0] = take_until(cursor, ":");
	event->n_words = 1;
	if (!event->words[0].n)
		return expected_error(cursor, "a path");
	if (!accept_char(cursor, ':'))
		return expected_error(cursor, "':' and a symbol");
	err = read_event_word(cursor, event, "a symbol or an offset");
	return err ? err : read_event_tail(cursor, event);
}

static struct error *read_kprobe_event(
	struct syntax_cursor *cursor, struct event_text *event)
{
	struct error *err = read_event_word(cursor, event, "a symbol");

	return err ? err : read_event_tail(cursor, event);
}

static const struct pmu_prefix {
	const char *text;
	enum event_kind kind;
	struct error *(*read)(struct syntax_cursor *, struct event_text *);
} prefixes[] = {
	{ "mem:", EVENT_BREAK, read_break_event },
	{ "uprobe:", EVENT_UPROBE, read_uprobe_event },
	{ "kprobe:", EVENT_KPROBE, read_kprobe_event },
	{ "", EVENT_WORDS, read_event_words },
};

static struct error *read_event(
	struct syntax_cursor *cursor, struct event_text *event)
{
	const struct pmu_prefix *prefix = prefixes;
	struct error *err;

	event->whole.at = cursor->at;
	while (!string_starts(cursor->source + cursor->at, prefix->text))
		prefix++;
	cursor->at += strlen(prefix->text);
	event->kind = prefix->kind;
	err = prefix->read(cursor, event);
	event->whole.n = cursor->at - event->whole.at;
	return err;
}

/* Reads a group; the cursor is behind its opening brace. */
static struct error *read_event_group(
	struct syntax_cursor *cursor, struct event_texts *ret)
{
	size_t first = ret->events.n, open = cursor->at - 1, i;
	struct event_span modifiers = { 0 };
	struct error *err;

	do {
		skip_blanks(cursor);
		err = read_event(cursor, array_push(&ret->events));
		skip_blanks(cursor);
	} while (!err && accept_char(cursor, ','));
	if (err)
		return err;
	if (!accept_char(cursor, '}')) {
		if (peek_char(cursor))
			return expected_error(cursor, "a comma or '}'");
		return error_point(
			error_usage("-e: the closing '}' is missing"),
			cursor->source, open, 1);
	}
	if (accept_char(cursor, ':'))
		modifiers = take_until(cursor, STOPS);
	cursor->groups++;
	for (i = first; i < ret->events.n; i++) {
		struct event_text *event = &ret->events.at[i];

		event->group_modifiers = modifiers;
		event->group = cursor->groups;
		event->leads = i == first;
	}
	return NULL;
}

struct error *event_syntax_read(const char *source, struct event_texts *ret)
{
	struct syntax_cursor cursor = { .source = source };
	struct error *err;

	*ret = (struct event_texts){ .source = source };
	do {
		skip_blanks(&cursor);
		if (accept_char(&cursor, '{'))
			err = read_event_group(&cursor, ret);
		else
			err = read_event(&cursor, array_push(&ret->events));
		skip_blanks(&cursor);
	} while (!err && accept_char(&cursor, ','));
	if (!err && peek_char(&cursor))
		err = expected_error(&cursor, "a comma");
	return err;
}

void event_texts_deinit(struct event_texts *texts)
{
	array_each(&texts->events, event)
		array_free(&event->terms);
	array_free(&texts->events);
}
