/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Build IDs of files that processes have mapped, each read once. Whoever
 * mapped a file may have chosen one that can't be read to an end: that one
 * has none, after a second.
 */
#ifndef DWELL_RECORD_SYNTH_BUILD_IDS_H
#define DWELL_RECORD_SYNTH_BUILD_IDS_H

#include "common/perf/record.h"

struct build_ids;

struct build_ids *build_ids_create(void);
void build_ids_destroy(struct build_ids *ids);

/* Of the file that MAP, whose own build ID is empty, maps; size 0: none. */
struct build_id build_ids_of(
	struct build_ids *ids, const struct record_mmap *map);

#endif
