/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where records go on behind bytes that are none: a hole of zeros that a crash
 * left, or a record whose size was lost.
 */
#ifndef DWELL_COMMON_FILE_RESYNC_H
#define DWELL_COMMON_FILE_RESYNC_H

#include "common/util/base.h"

/*
 * The first place behind DATA's first byte from which records follow each
 * other: several, or up to the end of SIZE bytes exactly. SIZE if there is
 * none. SWAP: of a machine of the other byte order.
 */
size_t resync(const uint8_t *data, size_t size, bool swap);

#endif
