/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that a filter asks for and no sample has. */
#ifndef DWELL_UNMET_H
#define DWELL_UNMET_H

#include "report/filter.h"
#include "report/resolve.h"

/* A note for each such name of FILTER's that is near one of RESOLVER's. */
void unmet_tell(const struct filter *filter, struct resolver *resolver);

#endif
