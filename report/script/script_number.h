/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers as `dwell script` prints them, for each sample several: printf takes
 * three times as long.
 */
#ifndef DWELL_REPORT_SCRIPT_SCRIPT_NUMBER_H
#define DWELL_REPORT_SCRIPT_SCRIPT_NUMBER_H

#include "common/util/strbuf.h"

/* Right-aligned in WIDTH columns, or wider. */
void script_number_put(struct strbuf *out, uint64_t value, size_t width);
/* The same of an id, which may be -1. */
void script_number_put_id(struct strbuf *out, uint32_t id, size_t width);
/* Left-aligned. */
void script_number_put_id_left(struct strbuf *out, uint32_t id, size_t width);
/* With zeros before it, WIDTH digits at least. */
void script_number_put_zeros(struct strbuf *out, uint64_t value, size_t width);
/* Without "0x", right-aligned in SCRIPT_NUMBER_HEX_WIDTH columns. */
#define SCRIPT_NUMBER_HEX_WIDTH 16u
void script_number_put_hex(struct strbuf *out, uint64_t value);

#endif
