/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the interactive view shows of a large recording until names and call
 * chains are there: which command spent its time in which file.
 */
#include "config.h"

#include <sys/stat.h>

#include "report/tui/tui_private.h"

/* Of a smaller recording everything is there as soon. */
#define SIZE_MIN MIB(4)

static bool is_large(const struct options *options)
{
	struct name_list paths = { 0 };
	uint64_t size = 0;

	error_free(options_find_inputs(options, &paths));
	array_each(&paths.names, path) {
		struct stat status;

		if (stat(*path, &status) == 0)
			size += (uint64_t)status.st_size;
	}
	filter_names_deinit(&paths);
	return size >= SIZE_MIN;
}

/* Or which samples count, and as what, is a matter of names or callers. */
static bool is_simple(const struct options *options)
{
	return !filter_asks_code(&options->filter) &&
		!options->filter.row_part && !options->parent &&
		!options->ignored_callees && !options->hides_unresolved &&
		!options->weighs_accesses && options->branches != CHOICE_ON;
}

bool tui_preview(const struct tui_wish *wish, struct tui_wish *ret)
{
	struct options options;

	tui_wish_apply(wish, &options);
	if (!is_simple(&options) ||
		!(options.places.asks_servers || is_large(&options)))
		return false;
	tui_wish_copy(wish, ret);
	tui_wish_sort(ret, "comm,dso");
	ret->options.fields = NULL;
	ret->options.children = CHOICE_OFF;
	ret->options.graph.style = GRAPH_NONE;
	ret->options.places.asks_servers = false;
	ret->options.has_no_names = true;
	return true;
}
