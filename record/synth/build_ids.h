/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Build IDs of mapped files; each file is read once. A file that cannot be read
 * within a second, such as one on a file system that does not respond, has
 * none.
 */
#ifndef DWELL_RECORD_SYNTH_BUILD_IDS_H
#define DWELL_RECORD_SYNTH_BUILD_IDS_H

#include "common/perf/record.h"

struct build_ids;

struct build_ids *build_ids_create(void);
void build_ids_destroy(struct build_ids *ids);

/*
 * Returns the build ID of the file of MAP, whose own build ID is empty. Size 0:
 * none.
 */
struct build_id build_ids_of(
	struct build_ids *ids, const struct record_mmap *map);

#endif
