/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How an annotated function is shown. */
#ifndef DWELL_REPORT_UTIL_ANNOTATION_STYLE_H
#define DWELL_REPORT_UTIL_ANNOTATION_STYLE_H

#include "common/util/base.h"

/* What shares are of. */
struct annotation_shares {
	bool are_global; /* of the event; else of the function */
	bool by_samples; /* else by periods */
};

struct annotation_style {
	struct annotation_shares shares;
	bool is_intel;     /* instructions as Intel writes them */
	bool has_source;   /* between instructions */
	bool has_summary;  /* the lines of source code, the hottest first */
	bool has_bytes;    /* of instructions */
	bool shows_samples, shows_period; /* columns of them */
};

#endif
