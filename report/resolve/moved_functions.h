/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Matches inlined functions of several recordings whose names contain a line, such as
 * lambdas. A change of the source file moves such a function to another line, and the
 * recordings then have two names of the same function.
 */
#ifndef DWELL_REPORT_RESOLVE_MOVED_FUNCTIONS_H
#define DWELL_REPORT_RESOLVE_MOVED_FUNCTIONS_H

#include "report/resolve/guessed_builds.h"
#include "report/resolve/resolve.h"

/* A zero-initialized struct is empty. */
struct moved_functions {
	struct string_table texts;
	struct guessed_builds builds;
	ARRAY(struct moved_function {
		size_t side;  /* number of the recording */
		uint32_t dso; /* number in .builds */
		/* The name, and the name without the line. Borrowed from .texts. */
		const char *name, *lineless;
		const char *common; /* of all recordings; NULL: not matched */
	})
	at;
	struct hash_index by_name; /* of .side and .name */
};

void moved_functions_deinit(struct moved_functions *functions);

/*
 * Adds the function at LOCATION of RESOLVER, which recording SIDE displays as NAME. Has
 * no effect if LOCATION is not an inlined function or NAME contains no line.
 */
void moved_functions_add(struct moved_functions *functions, size_t side,
	const struct resolver *resolver, const struct location *location,
	const char *name);

/*
 * Matches the functions of all recordings. Functions that differ only in the line are
 * matched in the order of their lines if the recordings that have any have the same
 * number of them. Otherwise they become one function, whose name contains no line.
 * Names do not change if all recordings have the same build of the DSO.
 */
void moved_functions_match(struct moved_functions *functions);

/*
 * Returns the common name of the function that recording SIDE displays as NAME: its
 * name in the last recording that has the function; NAME if it was not added. Borrowed.
 */
const char *moved_functions_name(
	const struct moved_functions *functions, size_t side, const char *name);

#endif
