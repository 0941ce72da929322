/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/event_syntax.h"

#include <ctype.h>

/* What ends a word. */
#define STOPS ":/,{} \t"

struct cursor {
	const char *source;
	size_t at;
	uint32_t groups; /* braces so far */
};

char *span_copy(const char *source, struct span span)
{
	return xstrndup(source + span.at, span.n);
}

struct error *span_point(
	struct error *err, const char *source, struct span span)
{
	return error_point(err, source, span.at, span.n);
}

static char peek(const struct cursor *cursor)
{
	return cursor->source[cursor->at];
}

static bool accept(struct cursor *cursor, char c)
{
	if (peek(cursor) != c || !c)
		return false;
	cursor->at++;
	return true;
}

static void skip_blanks(struct cursor *cursor)
{
	cursor->at += strspn(cursor->source + cursor->at, " \t");
}

/* Everything up to one of STOPS or the end. */
static struct span take_until(struct cursor *cursor, const char *stops)
{
	struct span span = { cursor->at,
		strcspn(cursor->source + cursor->at, stops) };

	cursor->at += span.n;
	return span;
}

static struct error *complain(const struct cursor *cursor, const char *wanted)
{
	struct error *err;

	if (peek(cursor))
		err = error_usage("-e: '%c' stands where %s should be",
			peek(cursor), wanted);
	else
		err = error_usage("-e: %s is missing", wanted);
	return error_point(err, cursor->source, cursor->at, 1);
}

static struct error *read_quoted(struct cursor *cursor, struct span *ret)
{
	size_t start = cursor->at - 1;

	*ret = take_until(cursor, "'");
	if (accept(cursor, '\''))
		return NULL;
	return error_point(error_usage("-e: this quote isn't closed"),
		cursor->source, start, 1);
}

static struct error *read_term(struct cursor *cursor, struct event_term *ret)
{
	ret->name = take_until(cursor, "=" STOPS);
	if (!ret->name.n)
		return complain(cursor, "the name of a term");
	ret->has_value = accept(cursor, '=');
	if (!ret->has_value)
		return NULL;
	if (accept(cursor, '\''))
		return read_quoted(cursor, &ret->value);
	ret->value = take_until(cursor, ",/");
	return ret->value.n ? NULL : complain(cursor, "a value");
}

/* Behind the first slash. */
static struct error *read_terms(
	struct cursor *cursor, struct event_text *event)
{
	size_t start = cursor->at - 1;

	event->has_terms = true;
	if (accept(cursor, '/'))
		return NULL;
	do {
		struct error *err =
			read_term(cursor, array_push(&event->terms));

		if (err)
			return err;
	} while (accept(cursor, ','));
	if (accept(cursor, '/'))
		return NULL;
	if (peek(cursor))
		return complain(cursor, "a comma or a slash");
	return error_point(
		error_usage("-e: the slash that ends the terms is missing"),
		cursor->source, start, cursor->at - start);
}

/* Terms and modifiers, where they can't be words. */
static struct error *read_tail(struct cursor *cursor, struct event_text *event)
{
	struct error *err;

	if (accept(cursor, '/')) {
		err = read_terms(cursor, event);
		if (err)
			return err;
	}
	if (accept(cursor, ':') || event->has_terms)
		event->modifiers = take_until(cursor, STOPS);
	return NULL;
}

static struct error *read_word(
	struct cursor *cursor, struct event_text *event, const char *what)
{
	struct span word = take_until(cursor, STOPS);

	if (!word.n)
		return complain(cursor, what);
	event->words[event->n_words++] = word;
	return NULL;
}

static struct error *read_words(
	struct cursor *cursor, struct event_text *event)
{
	struct error *err = read_word(cursor, event, "an event");

	while (!err && peek(cursor) == ':' &&
		event->n_words < EVENT_WORDS_MAX) {
		cursor->at++;
		err = read_word(cursor, event, "a name or a modifier");
	}
	return err ? err : read_tail(cursor, event);
}

static bool is_access(struct span span, const char *source)
{
	return span.n && span.n <= 3 &&
		strspn(source + span.at, "rwx") >= span.n;
}

static struct error *read_break(
	struct cursor *cursor, struct event_text *event)
{
	struct error *err = read_word(cursor, event, "an address");
	struct cursor ahead;

	if (err)
		return err;
	event->n_words = EVENT_WORDS_MAX;
	if (peek(cursor) == '/' &&
		isdigit((unsigned char)cursor->source[cursor->at + 1])) {
		cursor->at++;
		event->words[1] = take_until(cursor, STOPS);
	}
	ahead = *cursor;
	if (accept(&ahead, ':')) {
		event->words[2] = take_until(&ahead, STOPS);
		if (is_access(event->words[2], cursor->source))
			*cursor = ahead;
		else
			event->words[2].n = 0;
	}
	return read_tail(cursor, event);
}

static struct error *read_uprobe(
	struct cursor *cursor, struct event_text *event)
{
	struct error *err;

	event->words[0] = take_until(cursor, ":");
	event->n_words = 1;
	if (!event->words[0].n)
		return complain(cursor, "a path");
	if (!accept(cursor, ':'))
		return complain(cursor, "':' and a symbol");
	err = read_word(cursor, event, "a symbol or an offset");
	return err ? err : read_tail(cursor, event);
}

static struct error *read_kprobe(
	struct cursor *cursor, struct event_text *event)
{
	struct error *err = read_word(cursor, event, "a symbol");

	return err ? err : read_tail(cursor, event);
}

static const struct prefix {
	const char *text;
	enum event_kind kind;
	struct error *(*read)(struct cursor *, struct event_text *);
} prefixes[] = {
	{ "mem:", EVENT_BREAK, read_break },
	{ "uprobe:", EVENT_UPROBE, read_uprobe },
	{ "kprobe:", EVENT_KPROBE, read_kprobe },
	{ "", EVENT_WORDS, read_words },
};

static struct error *read_event(
	struct cursor *cursor, struct event_text *event)
{
	const struct prefix *prefix = prefixes;
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

static struct error *read_list(struct cursor *cursor, struct event_texts *ret)
{
	struct error *err;

	do {
		skip_blanks(cursor);
		err = read_event(cursor, array_push(&ret->events));
		skip_blanks(cursor);
	} while (!err && accept(cursor, ','));
	return err;
}

/* Behind the brace that opens it. */
static struct error *read_group(struct cursor *cursor, struct event_texts *ret)
{
	size_t first = ret->events.n, open = cursor->at - 1, i;
	struct error *err = read_list(cursor, ret);
	struct span modifiers = { 0 };

	if (err)
		return err;
	if (!accept(cursor, '}')) {
		if (peek(cursor))
			return complain(cursor, "a comma or '}'");
		return error_point(error_usage("-e: '{' isn't closed"),
			cursor->source, open, 1);
	}
	if (accept(cursor, ':'))
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
	struct cursor cursor = { .source = source };
	struct error *err;

	*ret = (struct event_texts){ .source = source };
	do {
		skip_blanks(&cursor);
		if (accept(&cursor, '{'))
			err = read_group(&cursor, ret);
		else
			err = read_event(&cursor, array_push(&ret->events));
		skip_blanks(&cursor);
	} while (!err && accept(&cursor, ','));
	if (!err && peek(&cursor))
		err = complain(&cursor, "a comma");
	return err;
}

void event_texts_deinit(struct event_texts *texts)
{
	array_each(&texts->events, event)
		array_free(&event->terms);
	array_free(&texts->events);
}
