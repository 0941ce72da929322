/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/flame_grouping.h"

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
