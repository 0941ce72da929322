/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --pack: runs `dwell pack` on the closed recording. dwell pack is part of
 * dwell-report, which reads debug information and may not be installed.
 */
#ifndef DWELL_RECORD_STREAM_PACKING_H
#define DWELL_RECORD_STREAM_PACKING_H

#include "common/util/array.h"
#include "record/symbols/pinned_files.h"
#include "record/symbols/sampled_code.h"

/* A zero-initialized struct has no files. */
struct packing {
	ARRAY(int) files; /* owned file descriptors */
};

/*
 * Holds the sampled files open that PINS holds open: when dwell pack runs, they
 * can be deleted, replaced, or in a container.
 */
void packing_hold_files(struct packing *packing, struct sampled_code *sampled,
	const struct pinned_files *pins);
void packing_deinit(struct packing *packing);

/*
 * Runs dwell pack on the recording at PATH and waits for its end. Failures are
 * reported and are not errors: the recording does not change.
 */
void packing_run(const struct packing *packing, const char *path);

#endif
