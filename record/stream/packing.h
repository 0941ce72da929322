/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --pack: what `dwell pack` does, once the recording is closed. It belongs to
 * dwell-report, which may not be here: it is the one that knows debug information.
 */
#ifndef DWELL_RECORD_STREAM_PACKING_H
#define DWELL_RECORD_STREAM_PACKING_H

#include "common/util/array.h"
#include "record/symbols/pinned_files.h"
#include "record/symbols/sampled_code.h"

/* A zeroed one has no files. */
struct packing {
	ARRAY(int) files; /* owned */
};

/*
 * Those of the hit files that PINS hold are kept open from then on: they may be
 * deleted, replaced, or in a container.
 */
void packing_keep(
	struct packing *packing, struct hits *hits, const struct pins *pins);
void packing_deinit(struct packing *packing);

/*
 * Packs the recording at PATH, and waits for it. What goes wrong is told, and is
 * no error: the recording is what it was.
 */
void packing_run(const struct packing *packing, const char *path);

#endif
