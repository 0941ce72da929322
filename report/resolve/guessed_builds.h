/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The DSOs of guessed functions, or of functions whose names contain a line, in several
 * recordings. The address or the line in such a name identifies the same function in two
 * recordings only if both have the same build of the DSO.
 */
#ifndef DWELL_REPORT_RESOLVE_GUESSED_BUILDS_H
#define DWELL_REPORT_RESOLVE_GUESSED_BUILDS_H

#include "report/util/string_table.h"

/* A zero-initialized struct is empty. */
struct guessed_builds {
	struct string_table dsos; /* displayed names */
	ARRAY(struct guessed_build {
		uint64_t build;
		bool differs; /* several builds, or a build without ID */
	})
	at; /* by number in .dsos */
};

void guessed_builds_deinit(struct guessed_builds *builds);

/*
 * Adds a build of a DSO with the displayed name DSO that has such a function. BUILD
 * is the hash of its build ID (resolver_build()). Returns the number of the DSO.
 */
uint32_t guessed_builds_add(
	struct guessed_builds *builds, const char *dso, uint64_t build);

#endif
