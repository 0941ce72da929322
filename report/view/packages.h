/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which package of this system a file belongs to, as dpkg knows. */
#ifndef DWELL_REPORT_VIEW_PACKAGES_H
#define DWELL_REPORT_VIEW_PACKAGES_H

#include "common/util/array.h"

struct packages {
	ARRAY(struct packages_wish {
		const char *path; /* borrowed */
		char *package;    /* owned; NULL: nobody knows */
	}) wishes;
};

/* Fills in the packages. FOLDER has dpkg's lists: NULL: where they are. */
void packages_find(struct packages *packages, const char *folder);
void packages_deinit(struct packages *packages);

#endif
