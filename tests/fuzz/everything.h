/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs all of a report on a recording, for fuzz targets that make recordings.
 */
#ifndef DWELL_FUZZ_EVERYTHING_H
#define DWELL_FUZZ_EVERYTHING_H

#include "common/util/base.h"

/* Reads, counts, prints and dumps a recording of SIZE bytes. */
void everything_of(const uint8_t *data, size_t size);

#endif
