/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --pack: what `dwell pack` does, once the recording is closed. It belongs to
 * dwell-report, which may not be here: it is the one that knows debug information.
 */
#ifndef DWELL_RECORD_PACKING_H
#define DWELL_RECORD_PACKING_H

/*
 * Packs the recording at PATH, and waits for it. What goes wrong is told, and is
 * no error: the recording is what it was.
 */
void packing_run(const char *path);

#endif
