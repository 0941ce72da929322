/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The input of a fuzz target as a file that can be opened. The first call
 * redirects standard output to /dev/null.
 */
#ifndef DWELL_FUZZ_STORE_H
#define DWELL_FUZZ_STORE_H

#include "common/util/base.h"

/* Returns the path of a file with DATA, valid until the next call. */
const char *store_input(const uint8_t *data, size_t size);

#endif
