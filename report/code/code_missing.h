/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Explains why there are no instructions of a function. */
#ifndef DWELL_REPORT_CODE_CODE_MISSING_H
#define DWELL_REPORT_CODE_CODE_MISSING_H

#include "common/util/error.h"
#include "report/resolve/resolve.h"

/* Returns the reason why code_bytes_read() found no code of the function AT. */
struct error *code_missing(struct files *files, const struct location *at);

#endif
