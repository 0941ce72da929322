/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that a filter wants and the recording does not have. */
#ifndef DWELL_UNMET_H
#define DWELL_UNMET_H

#include "report/result.h"

/*
 * Prints a note for each thread name, DSO and function of RESULT's filter that
 * no counted sample has, with the names that may be meant.
 */
void unmet_tell(const struct result *result);

#endif
