/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the Debian packages of this system that files belong to, in dpkg's
 * lists.
 */
#ifndef DWELL_REPORT_UTIL_PACKAGES_H
#define DWELL_REPORT_UTIL_PACKAGES_H

#include "common/util/array.h"

struct packages {
	ARRAY(struct packages_file {
		const char *path; /* borrowed */
		char *package;	  /* owned; NULL: unknown */
	})
	files;
};

/*
 * Sets .package of each file. FOLDER is the folder of the lists; NULL: that of
 * dpkg.
 */
void packages_find(struct packages *packages, const char *folder);
void packages_deinit(struct packages *packages);

#endif
