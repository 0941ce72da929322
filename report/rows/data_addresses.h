/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses of data and of jumps, as they are shown: each text has a number. */
#ifndef DWELL_REPORT_ROWS_DATA_ADDRESSES_H
#define DWELL_REPORT_ROWS_DATA_ADDRESSES_H

#include "report/resolve/resolve.h"

struct point {
	uint32_t location;
	uint64_t offset; /* from the symbol; without one: an address */
	char level;
};

/* A zeroed one is empty. */
struct points {
	ARRAY(struct point) at;
	struct hash_index index;
};

void points_deinit(struct points *points);

/* What FRAME is shown as, numbered; without a symbol its place in the file. */
uint64_t points_find(struct points *points, struct resolver *resolver,
	const struct frame *frame);
/* The same, marked with LEVEL instead of what its code would be. */
uint64_t points_find_marked(struct points *points, struct resolver *resolver,
	const struct frame *frame, char level);
/* As points_find(), without a symbol the address itself. */
uint64_t points_find_address(struct points *points,
	struct resolver *resolver, const struct frame *frame);
/* "[.] name+0x10", "[.] 0x00007f1234567890". */
void points_text(const struct points *points, struct resolver *resolver,
	uint64_t number, struct strbuf *out);

/* "0x" and 16 digits; 0 without the 0x, as perf has it. */
void points_put_address(struct strbuf *out, uint64_t address);

#endif
