/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing buffer for text and for bytes of a file. A zero-initialized buffer
 * is empty. After the first strbuf_*() call that appends, the byte at .n is a
 * NUL.
 */
#ifndef DWELL_COMMON_UTIL_STRBUF_H
#define DWELL_COMMON_UTIL_STRBUF_H

#include <stdarg.h>

#include "common/util/base.h"

struct strbuf {
	char *at; /* owned; moves when the buffer grows; NULL at first */
	size_t n, room;
};

/* Allocates room for MORE bytes and a NUL. */
void strbuf_grow(struct strbuf *buf, size_t more);
static inline void strbuf_put(struct strbuf *buf, const void *data, size_t size)
{
	if (unlikely(buf->room - buf->n <= size))
		strbuf_grow(buf, size);
	if (size)
		memcpy(buf->at + buf->n, data, size);
	buf->n += size;
	buf->at[buf->n] = '\0';
}

static inline void strbuf_putc(struct strbuf *buf, char c)
{
	strbuf_put(buf, &c, 1);
}

void strbuf_puts(struct strbuf *buf, const char *text);
/* Appends the Unicode character C, below 2^21, in UTF-8. */
void strbuf_put_utf8(struct strbuf *buf, uint32_t c);
void strbuf_printf(struct strbuf *buf, const char *format, ...) _printf_(2, 3);
void strbuf_vprintf(struct strbuf *buf, const char *format, va_list args)
	_printf_(2, 0);
/*
 * Appends a size of BYTES for people: "512 bytes", "7.1 KiB", "118 MiB". Units
 * are powers of 1024. The error of a rounded number is at most 5 %.
 */
void strbuf_put_size(struct strbuf *buf, uint64_t bytes);
/*
 * Appends a time of NS for people: "1.57 s", "12.00 ms", "2.25 us" or "300 ns".
 */
void strbuf_put_duration(struct strbuf *buf, uint64_t ns);
void strbuf_fill(struct strbuf *buf, char c, size_t n);
/* Appends zero bytes until .n is a multiple of ALIGNMENT, a power of two. */
void strbuf_align(struct strbuf *buf, size_t alignment);
void strbuf_clear(struct strbuf *buf);
void strbuf_free(struct strbuf *buf);
#define _cleanup_strbuf_ _cleanup_(strbuf_free)

/* strbuf_put_u*() append integers in the byte order of this machine. */
static inline void strbuf_put_u8(struct strbuf *buf, uint8_t value)
{
	strbuf_put(buf, &value, sizeof(value));
}

static inline void strbuf_put_u16(struct strbuf *buf, uint16_t value)
{
	strbuf_put(buf, &value, sizeof(value));
}

static inline void strbuf_put_u32(struct strbuf *buf, uint32_t value)
{
	strbuf_put(buf, &value, sizeof(value));
}

static inline void strbuf_put_u64(struct strbuf *buf, uint64_t value)
{
	strbuf_put(buf, &value, sizeof(value));
}

#endif
