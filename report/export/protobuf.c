/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/export/protobuf.h"

#define VARINT_SIZE_MAX 10u

enum wire_type {
	WIRE_VARINT = 0,
	WIRE_BYTES = 2,
};

void protobuf_varint(struct strbuf *out, uint64_t value)
{
	uint8_t bytes[VARINT_SIZE_MAX];
	size_t n = 0;

	if (likely(value < 0x80)) {
		strbuf_put_u8(out, (uint8_t)value);
		return;
	}
	for (; value >= 0x80; value >>= 7)
		bytes[n++] = (uint8_t)value | 0x80;
	bytes[n++] = (uint8_t)value;
	strbuf_put(out, bytes, n);
}

static void put_field_tag(
	struct strbuf *out, unsigned field, enum wire_type type)
{
	protobuf_varint(out, (uint64_t)field << 3 | type);
}

void protobuf_number(struct strbuf *out, unsigned field, uint64_t value)
{
	if (!value)
		return;
	put_field_tag(out, field, WIRE_VARINT);
	protobuf_varint(out, value);
}

void protobuf_bytes(
	struct strbuf *out, unsigned field, const void *bytes, size_t size)
{
	put_field_tag(out, field, WIRE_BYTES);
	protobuf_varint(out, size);
	strbuf_put(out, bytes, size);
}

void protobuf_text(struct strbuf *out, unsigned field, const char *text)
{
	protobuf_bytes(out, field, text, strlen(text));
}

void protobuf_part(
	struct strbuf *out, unsigned field, const struct strbuf *part)
{
	protobuf_bytes(out, field, part->at, part->n);
}
