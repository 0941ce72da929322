/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Declarations that the files of resolve.h share. They include resolve.h first.
 */
#ifndef DWELL_REPORT_RESOLVE_RESOLVE_PRIVATE_H
#define DWELL_REPORT_RESOLVE_RESOLVE_PRIVATE_H

#include "common/util/array.h"
#include "common/util/hash.h"
#include "report/resolve/inlined_functions.h"
#include "report/symbols/dso_name.h"

struct files;
struct lines;

struct resolver_known_frame {
	struct frame frame;
	struct resolver_frame resolved;
};

struct resolver {
	ARRAY(struct resolver_source {
		const struct survey *survey;
		struct files *files;
		struct symbols *symbols;
		struct lines *lines; /* NULL until first needed */
		bool has_calls;	     /* caller addresses are inside the call */
	})
	sources;		  /* by input number */
	struct dso_builds builds; /* of all sources */
	unsigned grain;		  /* flags of enum resolver_grain */
	bool is_other_reported;	  /* another file was reported */
	ARRAY(struct location) locations;
	/* displayed symbol of each location, or NULL; owned */
	ARRAY(char *) shown;
	ARRAY(char *) dso_names;
	ARRAY(struct resolver_known_frame) frames;
	struct inlined_functions inlined;
	/* Names of collapsed DSOs, each once; owned. */
	ARRAY(char *) collapsed_names;
	struct hash_index by_frame, by_location, by_shown, by_dso_name;
	struct hash_index by_collapsed_name;
};

/*
 * Returns the demangled SYMBOL, or a copy of SYMBOL if it is not mangled; owned by the
 * caller.
 */
char *resolver_demangle(const char *symbol);

/* Returns the number of NAME for resolver_dso_name(). Adds a copy of NAME if it is new. */
uint32_t resolver_intern_dso_name(struct resolver *resolver, const char *name);

/* Returns the number of LOCATION. Adds a copy of LOCATION if it is new. */
uint32_t resolver_intern(
	struct resolver *resolver, const struct location *location);

#endif
