/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/resolve/guessed_builds.h"

void guessed_builds_deinit(struct guessed_builds *builds)
{
	string_table_deinit(&builds->dsos);
	array_free(&builds->at);
}

uint32_t guessed_builds_add(struct guessed_builds *builds, const char *dso,
	const struct build_id *id)
{
	uint32_t number = string_table_intern(&builds->dsos, dso);
	struct guessed_build *build;

	if (number == builds->at.n)
		array_push(&builds->at)->id = *id;
	build = &builds->at.at[number];
	build->differs |= !id->size || !build_id_equal(&build->id, id);
	return number;
}
