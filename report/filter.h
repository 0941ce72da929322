/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which samples a user wants to see: by the name of command, DSO or symbol,
 * by thread. Every list that is empty lets everything pass.
 */
#ifndef DWELL_FILTER_H
#define DWELL_FILTER_H

#include "common/array.h"
#include "common/error.h"

struct name_list {
	ARRAY(char *) names; /* owned */
};

struct filter {
	struct name_list comms, dsos, symbols;
	ARRAY(uint32_t) tids;
};

void filter_deinit(struct filter *filter);

/* Adds the words of a comma-separated list. */
void filter_add_names(struct name_list *list, const char *words);
struct error *filter_add_tids(
	struct filter *filter, const char *words) _must_check_;

bool filter_passes_name(const struct name_list *list, const char *name);
bool filter_passes_tid(const struct filter *filter, uint32_t tid);

#endif
