/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes JSON text to a strbuf: separators, quotes and escapes. The writer does
 * not check that objects and arrays are closed in order, and owns no memory.
 *
 *	struct json json = { .out = &text };
 *
 *	json_begin_object(&json, NULL);
 *	json_unsigned(&json, "version", 1);
 *	json_begin_array(&json, "names");
 *	array_each(&names, name)
 *		json_string(&json, NULL, *name);
 *	json_end_array(&json);
 *	json_end_object(&json);
 *
 * KEY is the name of a member of an object, and NULL for an element of an array
 * and for the outermost value. Items are separated by ", ", keys end in ": ".
 */
#ifndef DWELL_COMMON_UTIL_JSON_H
#define DWELL_COMMON_UTIL_JSON_H

#include "common/util/strbuf.h"

struct json {
	struct strbuf *out; /* borrowed; may be emptied between two calls */
	bool is_compact;    /* no space after "," and ":" */
	/* Private: */
	bool has_items;	  /* the open object or array is not empty */
	const char *line; /* text before the next item, or NULL */
};

void json_begin_object(struct json *json, const char *key);
void json_end_object(struct json *json);
void json_begin_array(struct json *json, const char *key);
void json_end_array(struct json *json);

/*
 * Makes the next item, or the next end of an object or array, start with LINE,
 * such as "\n  ", instead of a space. LINE is borrowed until that
 * item or end is written.
 */
void json_line(struct json *json, const char *line);

/* Writes TEXT, or null if TEXT is NULL. */
void json_string(struct json *json, const char *key, const char *text);
/* Writes TEXT escaped by escape_text(), so that a terminal can show TEXT. */
void json_visible(struct json *json, const char *key, const char *text);
void json_unsigned(struct json *json, const char *key, uint64_t value);
void json_signed(struct json *json, const char *key, int64_t value);
/* Writes VALUE with N digits after the point. VALUE is finite. */
void json_fixed(struct json *json, const char *key, double value, int n);
/* Writes VALUE with 9 significant digits; infinity and NaN are null. */
void json_double(struct json *json, const char *key, double value);
/* Writes VALUE as text, "0x...": JSON readers round numbers above 2^53. */
void json_address(struct json *json, const char *key, uint64_t value);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);
/*
 * Writes the separator and KEY. Returns .out, to which the caller appends one
 * value of JSON, for values that no function above writes.
 */
struct strbuf *json_value(struct json *json, const char *key);

#endif
