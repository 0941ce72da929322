/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The DSOs of guessed functions in several recordings. The name of a guessed function is
 * its address, so that it names the same function in two recordings only if both
 * have the same build of the DSO.
 */
#ifndef DWELL_REPORT_RESOLVE_GUESSED_BUILDS_H
#define DWELL_REPORT_RESOLVE_GUESSED_BUILDS_H

#include "common/perf/record.h"
#include "report/util/string_table.h"

/* A zero-initialized struct is empty. */
struct guessed_builds {
	struct string_table dsos; /* displayed names */
	ARRAY(struct guessed_build {
		struct build_id id;
		bool differs; /* several builds, or a build without ID */
	}) at; /* by number in .dsos */
};

void guessed_builds_deinit(struct guessed_builds *builds);

/*
 * Adds build ID of a DSO with the displayed name DSO, which has a guessed function.
 * Returns the number of the DSO.
 */
uint32_t guessed_builds_add(struct guessed_builds *builds, const char *dso,
	const struct build_id *id);

#endif
