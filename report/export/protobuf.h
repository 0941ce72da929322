/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes fields of messages of Protocol Buffers: the number of the field, then
 * a varint or bytes.
 */
#ifndef DWELL_REPORT_EXPORT_PROTOBUF_H
#define DWELL_REPORT_EXPORT_PROTOBUF_H

#include "common/util/strbuf.h"

/*
 * Appends FIELD as a varint. A VALUE of 0 is not written, because 0 is the
 * default of all fields.
 */
void protobuf_number(struct strbuf *out, unsigned field, uint64_t value);
/* Appends FIELD with SIZE bytes, also if SIZE is 0. */
void protobuf_bytes(
	struct strbuf *out, unsigned field, const void *bytes, size_t size);
void protobuf_text(struct strbuf *out, unsigned field, const char *text);
/*
 * Appends FIELD with the bytes of PART, which is a message or packed numbers.
 */
void protobuf_part(
	struct strbuf *out, unsigned field, const struct strbuf *part);
/* Appends VALUE as a varint without a field, for packed numbers. */
void protobuf_varint(struct strbuf *out, uint64_t value);

#endif
