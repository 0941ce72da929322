/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the Debian packages to which files of this system belong, in dpkg's
 * lists of files.
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
 * Sets .package of each of PACKAGES->files. FOLDER is the folder of dpkg's
 * lists; NULL: /var/lib/dpkg/info.
 */
void packages_find(struct packages *packages, const char *folder);
void packages_deinit(struct packages *packages);

#endif
