/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions that the hits of one DSO are in, for what is packed of each. */
#ifndef DWELL_REPORT_PACK_PACK_FUNCTIONS_H
#define DWELL_REPORT_PACK_PACK_FUNCTIONS_H

#include "report/pack/pack_hits.h"
#include "report/symbols/symbols.h"

struct pack_function {
	const struct symbol *symbol; /* borrowed from who was asked, as NAME */
	const char *name;
};

/* By their starts; each once. A zeroed one is empty. */
struct pack_functions {
	ARRAY(struct pack_function) at;
};

/* Of N hits in one DSO, the first at HITS, which SYMBOLS was asked for. */
void pack_functions_find(const struct pack_hit *hits, size_t n,
	struct symbols *symbols, struct pack_functions *ret);
void pack_functions_deinit(struct pack_functions *functions);

#endif
