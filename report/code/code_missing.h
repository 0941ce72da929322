/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why there are no instructions of a function to be shown. */
#ifndef DWELL_REPORT_CODE_CODE_MISSING_H
#define DWELL_REPORT_CODE_CODE_MISSING_H

#include "common/util/error.h"
#include "report/resolve/resolve.h"

/* That of code_bytes_read(), which found nothing of the function AT. */
struct error *code_missing(struct files *files, const struct location *at);

#endif
