/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of Protocol Buffers, as they are written: a field is its number,
 * then a varint or bytes. What a field means only who writes it knows.
 */
#ifndef DWELL_REPORT_EXPORT_PROTOBUF_H
#define DWELL_REPORT_EXPORT_PROTOBUF_H

#include "common/util/strbuf.h"

/* Numbers that are 0 are left out, as their readers take them for that. */
void protobuf_number(struct strbuf *out, unsigned field, uint64_t value);
/* Also an empty one. */
void protobuf_bytes(
	struct strbuf *out, unsigned field, const void *bytes, size_t size);
void protobuf_text(struct strbuf *out, unsigned field, const char *text);
/* A message or packed numbers, made before. */
void protobuf_part(
	struct strbuf *out, unsigned field, const struct strbuf *part);
/* One of packed numbers. */
void protobuf_varint(struct strbuf *out, uint64_t value);

#endif
