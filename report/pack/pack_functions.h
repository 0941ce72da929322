/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the functions that contain the hits of one DSO. */
#ifndef DWELL_REPORT_PACK_PACK_FUNCTIONS_H
#define DWELL_REPORT_PACK_PACK_FUNCTIONS_H

#include "report/pack/pack_hits.h"
#include "report/symbols/symbols.h"

struct pack_function {
	const struct symbol *symbol; /* borrowed from the symbols, as .name */
	const char *name;
};

/* Sorted by start, each once. A zero-initialized struct is empty. */
struct pack_functions {
	ARRAY(struct pack_function) at;
};

/* Finds the functions of N hits at HITS, of one DSO loaded in SYMBOLS. */
void pack_functions_find(const struct pack_hit *hits, size_t n,
	struct symbols *symbols, struct pack_functions *ret);
void pack_functions_deinit(struct pack_functions *functions);

#endif
