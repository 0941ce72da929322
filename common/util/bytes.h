/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bounded cursor over untrusted bytes. Failure is sticky: after a failed
 * read, every read returns 0 and .at stays at the field that failed. The caller
 * can read all fields and check .ok once.
 *
 * SWAP is true if the bytes have the other byte order than this machine.
 */
#ifndef DWELL_COMMON_UTIL_BYTES_H
#define DWELL_COMMON_UTIL_BYTES_H

#include <byteswap.h>

#include "common/util/base.h"

struct bytes {
	const uint8_t *at, *end; /* borrowed from the caller of bytes_of() */
	bool ok;
	bool swap;
};

static inline struct bytes bytes_of(const void *data, size_t size, bool swap)
{
	const uint8_t *at = data;

	/* DATA may be NULL if SIZE is 0, and C does not allow NULL + 0. */
	return (struct bytes){ at, size ? at + size : at, true, swap };
}

static inline size_t bytes_left(const struct bytes *b)
{
	return (size_t)(b->end - b->at);
}

/* Returns the next SIZE bytes, borrowed from the data, or NULL on failure. */
static inline const void *bytes_take(struct bytes *b, size_t size)
{
	const uint8_t *at = b->at;

	if (unlikely(!b->ok || size > bytes_left(b))) {
		b->ok = false;
		return NULL;
	}
	if (size)
		b->at += size;
	return at;
}

static inline uint8_t bytes_u8(struct bytes *b)
{
	const uint8_t *at = bytes_take(b, 1);

	return at ? *at : 0;
}

static inline uint16_t bytes_u16(struct bytes *b)
{
	const void *at = bytes_take(b, sizeof(uint16_t));
	uint16_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return b->swap ? bswap_16(value) : value;
}

static inline uint32_t bytes_u32(struct bytes *b)
{
	const void *at = bytes_take(b, sizeof(uint32_t));
	uint32_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return b->swap ? bswap_32(value) : value;
}

static inline uint64_t bytes_u64(struct bytes *b)
{
	const void *at = bytes_take(b, sizeof(uint64_t));
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return b->swap ? bswap_64(value) : value;
}

/*
 * Reads SIZE bytes that contain a NUL. Returns the text before the NUL,
 * borrowed from the data. Without a NUL, the cursor fails and returns "".
 */
static inline const char *bytes_text(struct bytes *b, size_t size)
{
	const char *text = bytes_take(b, size);

	if (!text || !memchr(text, '\0', size)) {
		b->ok = false;
		return "";
	}
	return text;
}

/* Returns the next NUL-terminated text, borrowed from the data, or "". */
static inline const char *bytes_string(struct bytes *b)
{
	/* Empty data can be NULL, which memchr(3) does not allow. */
	const void *nul = b->ok && bytes_left(b)
		? memchr(b->at, '\0', bytes_left(b))
		: NULL;

	if (!nul) {
		b->ok = false;
		return "";
	}
	return bytes_take(b, (size_t)((const uint8_t *)nul - b->at) + 1);
}

/*
 * LEB128 numbers (DWARF 5, section 7.6). Bits from 64 on are dropped. If the
 * last byte is missing, the cursor fails.
 */

/*
 * Returns the LEB128 number at B, without sign extension. Sets *SHIFT_RET to
 * the number of bits read and *LAST_RET to the last byte read.
 */
static inline uint64_t bytes_leb(
	struct bytes *b, unsigned *shift_ret, uint8_t *last_ret)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = bytes_u8(b);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	*shift_ret = shift;
	*last_ret = byte;
	return value;
}

static inline uint64_t bytes_uleb(struct bytes *b)
{
	unsigned shift;
	uint8_t last;

	return bytes_leb(b, &shift, &last);
}

static inline int64_t bytes_sleb(struct bytes *b)
{
	unsigned shift;
	uint8_t last;
	uint64_t value = bytes_leb(b, &shift, &last);

	if (last & 0x40 && shift < 64)
		value |= UINT64_MAX << shift;
	return (int64_t)value;
}

#endif
