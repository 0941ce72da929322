/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands at the start of a recording: its events under their canonical
 * ids, the host's features, the formats of its tracepoints.
 */
#ifndef DWELL_RECORD_STREAM_FILE_HEAD_H
#define DWELL_RECORD_STREAM_FILE_HEAD_H

#include "common/file/feature.h"
#include "record/open/open.h"

/*
 * Fills RET, for writer_create(). The events are those of OPENED, the
 * sideband's last. LEVEL is zstd's, 0 for none.
 */
void head_describe(const struct opened *opened, const struct pmus *pmus,
	int level, int argc, char **argv, struct features *ret);

/*
 * Tells the ids of what was opened since, where readers need them. Nobody may
 * read HEAD meanwhile.
 */
void head_add_ids(const struct opened *opened, struct features *head);

#endif
