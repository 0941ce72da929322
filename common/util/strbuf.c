/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/strbuf.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/util/alloc.h"

/* Room for a formatted text in bytes; a longer text is formatted twice. */
#define PRINTF_ROOM 256

void strbuf_grow(struct strbuf *buf, size_t more)
{
	size_t need = buf->n + more + 1;

	if (need <= buf->room)
		return;
	buf->room = MAX(need, buf->room * 2);
	buf->at = xrealloc(buf->at, buf->room);
}

void strbuf_puts(struct strbuf *buf, const char *text)
{
	strbuf_put(buf, text, strlen(text));
}

void strbuf_vprintf(struct strbuf *buf, const char *format, va_list args)
{
	va_list again;
	int length;

	strbuf_grow(buf, PRINTF_ROOM);
	va_copy(again, args);
	length = vsnprintf(buf->at + buf->n, buf->room - buf->n, format, args);
	if (length >= 0 && (size_t)length >= buf->room - buf->n) {
		strbuf_grow(buf, (size_t)length);
		vsnprintf(buf->at + buf->n, (size_t)length + 1, format, again);
	}
	va_end(again);
	if (length > 0)
		buf->n += (size_t)length;
}

void strbuf_put_utf8(struct strbuf *buf, uint32_t c)
{
	unsigned more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
	static const uint8_t heads[] = { 0, 0xc0, 0xe0, 0xf0 };

	strbuf_putc(buf, (char)(heads[more] | c >> 6 * more));
	while (more--)
		strbuf_putc(buf, (char)(0x80 | (c >> 6 * more & 0x3f)));
}

void strbuf_printf(struct strbuf *buf, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	strbuf_vprintf(buf, format, args);
	va_end(args);
}

void strbuf_put_size(struct strbuf *buf, uint64_t bytes)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB" };
	double number = (double)bytes;
	size_t i;

	/* 1023.6 KiB would be printed as "1024 KiB". */
	for (i = 0; i + 1 < ARRAY_SIZE(units) && number >= 1023.5; i++)
		number /= 1024;
	strbuf_printf(
		buf, "%.*f %s", i && number < 9.95 ? 1 : 0, number, units[i]);
}

void strbuf_put_duration(struct strbuf *buf, uint64_t ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 } };
	size_t i;

	/* 999.995 ms would be printed as "1000.00 ms". */
	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (ns >= units[i].ns - units[i].ns / 200000) {
			strbuf_printf(buf, "%.2f %s",
				(double)ns / (double)units[i].ns,
				units[i].name);
			return;
		}
	strbuf_printf(buf, "%" PRIu64 " ns", ns);
}

void strbuf_fill(struct strbuf *buf, char c, size_t n)
{
	strbuf_grow(buf, n);
	memset(buf->at + buf->n, c, n);
	buf->n += n;
	buf->at[buf->n] = '\0';
}

void strbuf_align(struct strbuf *buf, size_t alignment)
{
	strbuf_fill(buf, 0, ALIGN_UP(buf->n, alignment) - buf->n);
}

void strbuf_clear(struct strbuf *buf)
{
	buf->n = 0;
	if (buf->at)
		buf->at[0] = '\0';
}

void strbuf_free(struct strbuf *buf)
{
	free(buf->at);
	*buf = (struct strbuf){ 0 };
}
