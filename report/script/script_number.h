/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Appends numbers to a text. dwell script prints several numbers per sample;
 * printf takes three times as long.
 */
#ifndef DWELL_REPORT_SCRIPT_SCRIPT_NUMBER_H
#define DWELL_REPORT_SCRIPT_SCRIPT_NUMBER_H

#include "common/util/strbuf.h"

/* Right-aligned in at least WIDTH columns. */
void script_number_put(struct strbuf *out, uint64_t value, size_t width);
/* The same for an id, which can be -1. */
void script_number_put_id(struct strbuf *out, uint32_t id, size_t width);
/* Left-aligned. */
void script_number_put_id_left(struct strbuf *out, uint32_t id, size_t width);
/* With leading zeros, at least WIDTH digits. */
void script_number_put_zeros(struct strbuf *out, uint64_t value, size_t width);
/* Without "0x", right-aligned in SCRIPT_NUMBER_HEX_WIDTH columns. */
#define SCRIPT_NUMBER_HEX_WIDTH 16u
void script_number_put_hex(struct strbuf *out, uint64_t value);

#endif
