/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of an annotated function's view. */
#ifndef DWELL_REPORT_UTIL_ANNOTATION_STYLE_H
#define DWELL_REPORT_UTIL_ANNOTATION_STYLE_H

#include "common/util/base.h"

/* The total to which shares refer. */
struct annotation_shares {
	bool are_global; /* of the event; false: of the function */
	bool by_samples; /* false: by periods */
};

struct annotation_style {
	struct annotation_shares shares;
	bool is_intel;    /* Intel syntax */
	bool has_source;  /* source lines between instructions */
	bool has_summary; /* a list of source lines, the hottest first */
	bool has_bytes;   /* the bytes of instructions */
	bool shows_samples, shows_period; /* columns */
};

#endif
