/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts of data addresses and of branch addresses, for columns. Each distinct
 * text has a number.
 */
#ifndef DWELL_REPORT_ROWS_DATA_ADDRESSES_H
#define DWELL_REPORT_ROWS_DATA_ADDRESSES_H

#include "report/resolve/resolve.h"

struct data_address {
	uint32_t location;
	uint64_t offset; /* from the start of the symbol; without a symbol: an
			    address */
	char level;
};

/* A zero-initialized struct has no texts. */
struct data_addresses {
	ARRAY(struct data_address) at;
	struct hash_index index;
};

void data_addresses_deinit(struct data_addresses *addresses);

/*
 * Returns the number of the text of FRAME: the mark LEVEL, or if it is 0 the
 * mark of the code; symbol and offset, or without a symbol the address, in the
 * file or IN_MEMORY.
 */
uint64_t data_addresses_find(struct data_addresses *addresses,
	struct resolver *resolver, const struct frame *frame, bool in_memory,
	char level);
/* Appends the text with NUMBER: "[.] name+0x10", "[.] 0x00007f1234567890". */
void data_addresses_text(const struct data_addresses *addresses,
	struct resolver *resolver, uint64_t number, struct strbuf *out);

/* Appends ADDRESS as "0x" and 16 digits; 0 without the "0x", as perf does. */
void data_addresses_put(struct strbuf *out, uint64_t address);

#endif
