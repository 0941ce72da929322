/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses one statement of a recording's text: a name, then words of the form
 * NAME=VALUE or NAME. A line that begins with a blank continues the statement;
 * # begins a comment; a "..." may contain blanks.
 *
 * The functions mark each word that is read. words_check() reports the other
 * words as mistakes.
 */
#ifndef DWELL_MADE_WORDS_H
#define DWELL_MADE_WORDS_H

#include "common/util/array.h"
#include "common/util/error.h"
#include "common/util/strbuf.h"

struct word {
	char *name, *value; /* owned; the value is "" without a '=' */
	bool is_used;
};

struct words {
	ARRAY(struct word) list;
	size_t line;   /* first line of the statement, from 1 */
	char *mistake; /* owned; the first mistake, or NULL */
};

/*
 * Reads the next statement of *TEXT and moves *TEXT behind it. *LINE counts the
 * lines. Returns false at the end.
 */
bool words_read(const char **text, size_t *line, struct words *ret);
void words_deinit(struct words *words);

/* Returns the first word, the name of the statement; borrowed. */
const char *words_verb(const struct words *words);
/* Returns the value of the word NAME, or NULL; borrowed. */
const char *words_text(struct words *words, const char *name);
bool words_has(struct words *words, const char *name);
/* Returns the number of the word NAME, in C notation, or else OTHERWISE. */
uint64_t words_number(
	struct words *words, const char *name, uint64_t otherwise);

/* Names of numbers, which "|" combines. A list ends with a NULL name. */
struct word_bit {
	const char *name;
	uint64_t value;
};
uint64_t words_bits(struct words *words, const char *name,
	const struct word_bit *bits, uint64_t otherwise);
/* Returns the number of TEXT, a name of BITS or a number. */
uint64_t words_constant(
	struct words *words, const char *text, const struct word_bit *bits);

/*
 * Appends the numbers of a TEXT like "1,2,3". A number may be a name of BITS,
 * which may be NULL.
 */
struct word_numbers {
	ARRAY(uint64_t) list;
};
void words_numbers(struct words *words, const char *text,
	const struct word_bit *bits, struct word_numbers *ret);
/* Appends the bytes of a TEXT like "00ff 12 'text'". */
void words_bytes(struct words *words, const char *text, struct strbuf *ret);

/* Records a mistake of the text. Only the first one is kept. */
void words_fail(struct words *words, const char *format, ...) _printf_(2, 3);
/* Returns the first mistake. A word that was not read is a mistake. */
struct error *words_check(struct words *words) _must_check_;

#endif
