/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/resolve/guessed_builds.h"

void guessed_builds_deinit(struct guessed_builds *builds)
{
	string_table_deinit(&builds->dsos);
	array_free(&builds->at);
}

uint32_t guessed_builds_add(
	struct guessed_builds *builds, const char *dso, uint64_t build)
{
	uint32_t number = string_table_intern(&builds->dsos, dso);
	struct guessed_build *known;

	if (number == builds->at.n)
		array_push(&builds->at)->build = build;
	known = &builds->at.at[number];
	known->differs |= !build || known->build != build;
	return number;
}
