/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/style.h"

static const char *const grouping_names[] = {
	[FLAME_BY_PROCESS] = "process",
	[FLAME_BY_THREAD] = "thread",
	[FLAME_BY_NONE] = "none",
};

bool flame_grouping_find(const char *name, enum flame_grouping *ret)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(grouping_names); i++) {
		if (!string_is(name, grouping_names[i]))
			continue;
		*ret = (enum flame_grouping)i;
		return true;
	}
	return false;
}

COMPLETER(flame_grouping_complete)
{
	completion_offer_strings(completion, grouping_names,
		sizeof(grouping_names[0]), ARRAY_SIZE(grouping_names));
}

/* --- diff style ---------------------------------------------------------- */

static const char *const names[] = {
	[DIFF_DELTA_ABS] = "delta-abs",
	[DIFF_DELTA] = "delta",
	[DIFF_RATIO] = "ratio",
	[DIFF_WDIFF] = "wdiff",
};

const char *diff_compute_name(enum diff_compute compute)
{
	return names[compute];
}

bool diff_compute_find(const char *name, enum diff_compute *ret)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (string_is(name, names[i])) {
			*ret = (enum diff_compute)i;
			return true;
		}
	return false;
}

COMPLETER(diff_compute_complete)
{
	completion_offer_strings(
		completion, names, sizeof(names[0]), ARRAY_SIZE(names));
}

void diff_style_finish(struct diff_style *style)
{
	if (style->is_normalized)
		return;
	style->measure =
		style->compute == DIFF_RATIO || style->compute == DIFF_WDIFF
		? DIFF_PERIOD
		: DIFF_SHARE;
}
