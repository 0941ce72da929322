/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/style.h"

static const char *const grouping_names[] = {
	[STYLE_FLAME_BY_PROCESS] = "process",
	[STYLE_FLAME_BY_THREAD] = "thread",
	[STYLE_FLAME_BY_NONE] = "none",
};

bool style_flame_grouping_find(const char *name, enum style_flame_grouping *ret)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(grouping_names); i++) {
		if (!string_is(name, grouping_names[i]))
			continue;
		*ret = (enum style_flame_grouping)i;
		return true;
	}
	return false;
}

COMPLETER(style_flame_grouping_complete)
{
	completion_offer_strings(completion, grouping_names,
		sizeof(grouping_names[0]), ARRAY_SIZE(grouping_names));
}

/* --- diff style ---------------------------------------------------------- */

static const char *const names[] = {
	[STYLE_DIFF_DELTA_ABS] = "delta-abs",
	[STYLE_DIFF_DELTA] = "delta",
	[STYLE_DIFF_RATIO] = "ratio",
	[STYLE_DIFF_WDIFF] = "wdiff",
};

const char *style_diff_compute_name(enum style_diff_compute compute)
{
	return names[compute];
}

bool style_diff_compute_find(const char *name, enum style_diff_compute *ret)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (string_is(name, names[i])) {
			*ret = (enum style_diff_compute)i;
			return true;
		}
	return false;
}

COMPLETER(style_diff_compute_complete)
{
	completion_offer_strings(
		completion, names, sizeof(names[0]), ARRAY_SIZE(names));
}

void style_diff_finish(struct style_diff *style)
{
	if (style->is_normalized)
		return;
	style->measure = style->compute == STYLE_DIFF_RATIO ||
			style->compute == STYLE_DIFF_WDIFF
		? STYLE_DIFF_PERIOD
		: STYLE_DIFF_SHARE;
}
