/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far long work is, on stderr if that is a terminal. Nothing is shown in
 * the first moments, so short work stays silent.
 */
#ifndef DWELL_PROGRESS_H
#define DWELL_PROGRESS_H

#include "common/base.h"

/* DONE of TOTAL of WHAT ("reading", "counting"). Cheap; one thread only. */
void progress_show(const char *what, uint64_t done, uint64_t total);
/* Takes the line away. */
void progress_clear(void);

#endif
