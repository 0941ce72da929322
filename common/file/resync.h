/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the next record after bytes that are not records: a hole of zeros left
 * by a crash, or a record with a damaged size.
 */
#ifndef DWELL_COMMON_FILE_RESYNC_H
#define DWELL_COMMON_FILE_RESYNC_H

#include "common/util/base.h"

/*
 * Returns the first offset above 0 in DATA at which at least three valid
 * records follow each other, or valid records up to exactly SIZE. Returns SIZE
 * if there is no such offset. If SWAP is true, the records have the other byte
 * order.
 */
size_t resync_find(const uint8_t *data, size_t size, bool swap);

#endif
