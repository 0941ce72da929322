/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options for the view of an annotated function (dwell annotate). */
#ifndef DWELL_REPORT_UTIL_ANNOTATION_STYLE_H
#define DWELL_REPORT_UTIL_ANNOTATION_STYLE_H

#include "common/util/base.h"

/* The total of which the shown shares are a part. */
struct annotation_shares {
	bool are_global; /* shares of the event's total; false: of the
	                  * function's total */
	bool by_samples; /* shares of the number of samples; false: of
	                  * periods */
};

struct annotation_style {
	struct annotation_shares shares;
	bool is_intel;	  /* Intel syntax */
	bool has_source;  /* source lines between instructions */
	bool has_summary; /* a list of source lines, the hottest first */
	bool has_bytes;	  /* the bytes of instructions */
	bool shows_samples, shows_period; /* show columns of samples, of
	                                   * periods */
};

#endif
