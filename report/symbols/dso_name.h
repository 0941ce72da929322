/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Derives the displayed name and the path of a DSO from its recorded path. The
 * displayed name is the one that perf shows.
 */
#ifndef DWELL_REPORT_SYMBOLS_DSO_NAME_H
#define DWELL_REPORT_SYMBOLS_DSO_NAME_H

#include "common/maps/maps.h"

struct dso_name {
	char *shown; /* "libc.so.6", "[ext4]", "[JIT] tid 7"; owned */
	char *path;  /* "[kernel.kallsyms]" without "_text"; owned */
};

void dso_name_find(const struct dso *dso, struct dso_name *ret);
void dso_name_deinit(struct dso_name *name);

/* Whether the recorded PATH is the kernel image; false for modules. */
bool dso_name_is_kernel(const char *path);

#endif
