/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/json.h"

#include <inttypes.h>
#include <math.h>

#include "common/util/escape.h"

/* Writes .line, or the space after a comma, and resets .line. */
static void put_json_gap(struct json *json)
{
	const char *space = json->has_items && !json->is_compact ? " " : "";

	strbuf_puts(json->out, json->line ? json->line : space);
	json->line = NULL;
}

struct strbuf *json_value(struct json *json, const char *key)
{
	if (json->has_items)
		strbuf_putc(json->out, ',');
	put_json_gap(json);
	json->has_items = true;
	if (key) {
		escape_json(json->out, key);
		strbuf_puts(json->out, json->is_compact ? ":" : ": ");
	}
	return json->out;
}

static void begin_json(struct json *json, const char *key, char bracket)
{
	strbuf_putc(json_value(json, key), bracket);
	json->has_items = false;
}

static void end_json(struct json *json, char bracket)
{
	json->has_items = false;
	put_json_gap(json);
	strbuf_putc(json->out, bracket);
	json->has_items = true;
}

void json_begin_object(struct json *json, const char *key)
{
	begin_json(json, key, '{');
}

void json_end_object(struct json *json)
{
	end_json(json, '}');
}

void json_begin_array(struct json *json, const char *key)
{
	begin_json(json, key, '[');
}

void json_end_array(struct json *json)
{
	end_json(json, ']');
}

void json_line(struct json *json, const char *line)
{
	json->line = line;
}

void json_string(struct json *json, const char *key, const char *text)
{
	if (text)
		escape_json(json_value(json, key), text);
	else
		json_null(json, key);
}

void json_visible(struct json *json, const char *key, const char *text)
{
	escape_json_visible(json_value(json, key), text);
}

void json_unsigned(struct json *json, const char *key, uint64_t value)
{
	char digits[20], *end = digits + sizeof(digits), *at = end;

	do
		*--at = (char)('0' + value % 10);
	while (value /= 10);
	strbuf_put(json_value(json, key), at, (size_t)(end - at));
}

void json_signed(struct json *json, const char *key, int64_t value)
{
	strbuf_printf(json_value(json, key), "%" PRId64, value);
}

void json_fixed(struct json *json, const char *key, double value, int n)
{
	strbuf_printf(json_value(json, key), "%.*f", n, value);
}

void json_double(struct json *json, const char *key, double value)
{
	if (isfinite(value))
		strbuf_printf(json_value(json, key), "%.9g", value);
	else
		json_null(json, key);
}

void json_address(struct json *json, const char *key, uint64_t value)
{
	strbuf_printf(json_value(json, key), "\"0x%" PRIx64 "\"", value);
}

void json_bool(struct json *json, const char *key, bool value)
{
	strbuf_puts(json_value(json, key), value ? "true" : "false");
}

void json_null(struct json *json, const char *key)
{
	strbuf_puts(json_value(json, key), "null");
}
