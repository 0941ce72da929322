/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One statement of a made recording's text: a name, then words that are
 * NAME=VALUE or a NAME alone. A line that begins with a blank goes on with the
 * statement before it; # begins a comment; "..." keeps blanks together.
 *
 * Each word that is asked for is marked, so that the others can be called
 * mistakes.
 */
#ifndef DWELL_MADE_WORDS_H
#define DWELL_MADE_WORDS_H

#include "common/util/array.h"
#include "common/util/error.h"
#include "common/util/strbuf.h"

struct word {
	char *name, *value; /* owned; value: "" without a '=' */
	bool is_used;
};

struct words {
	ARRAY(struct word) list;
	size_t line;   /* where the statement begins, from 1 */
	char *mistake; /* owned; the first thing that made no sense */
};

/*
 * The next statement of *TEXT, which moves behind it. *LINE counts the lines.
 * False at the end.
 */
bool words_read(const char **text, size_t *line, struct words *ret);
void words_deinit(struct words *words);

/* The first word, which names the statement. */
const char *words_verb(const struct words *words);
/* NULL if there is none of that name. Borrowed. */
const char *words_text(struct words *words, const char *name);
bool words_has(struct words *words, const char *name);
/* A number of any base; OTHERWISE if there is none of that name. */
uint64_t words_number(
	struct words *words, const char *name, uint64_t otherwise);

/* Words for numbers, that "|" joins. Ends with a NULL name. */
struct word_bit {
	const char *name;
	uint64_t value;
};
uint64_t words_bits(struct words *words, const char *name,
	const struct word_bit *bits, uint64_t otherwise);
/* One of BITS' names, or a number. */
uint64_t words_constant(
	struct words *words, const char *text, const struct word_bit *bits);

/*
 * Appends the numbers of a text like "1,2,3". A number may be a name of BITS
 * (NULL: there are none).
 */
struct word_numbers {
	ARRAY(uint64_t) list;
};
void words_numbers(struct words *words, const char *text,
	const struct word_bit *bits, struct word_numbers *ret);
/* Appends the bytes of "00ff 12"; words in '...' are text. */
void words_bytes(struct words *words, const char *text, struct strbuf *ret);

/* Notes a mistake of the text; only the first one counts. */
void words_fail(struct words *words, const char *format, ...) _printf_(2, 3);
/* The first mistake, a word that nobody asked for being one. */
struct error *words_check(struct words *words) _must_check_;

#endif
