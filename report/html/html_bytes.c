/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/html/html_bytes.h"

#include "common/util/escape.h"

#define NUMBER_SIZE_MAX 10u

void html_put_number(struct strbuf *out, uint64_t number)
{
	uint8_t bytes[NUMBER_SIZE_MAX];
	size_t n = 0;

	for (; number >= 0x80; number >>= 7)
		bytes[n++] = (uint8_t)number | 0x80;
	bytes[n++] = (uint8_t)number;
	strbuf_put(out, bytes, n);
}

void html_put_bytes(struct strbuf *out, const struct strbuf *bytes)
{
	html_put_number(out, bytes->n);
	strbuf_put(out, bytes->at, bytes->n);
}

void html_put_text(struct strbuf *out, const char *text)
{
	_cleanup_strbuf_ struct strbuf safe = { 0 };

	escape_text(&safe, text ?: "");
	html_put_bytes(out, &safe);
}
