/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a DSO of a recording is called, from the path that was recorded: as perf
 * shows it, and without what isn't part of a file's name.
 */
#ifndef DWELL_REPORT_SYMBOLS_DSO_NAME_H
#define DWELL_REPORT_SYMBOLS_DSO_NAME_H

#include "common/maps/mapping.h"

struct dso_name {
	char *shown; /* "libc.so.6", "[ext4]", "[JIT] tid 7"; owned */
	char *path;  /* "[kernel.kallsyms]" without "_text"; owned */
};

void dso_name_find(const struct dso *dso, struct dso_name *ret);
void dso_name_deinit(struct dso_name *name);

/* Whether PATH, as recorded, is the kernel's own code: no module's. */
bool dso_name_is_kernel(const char *path);

#endif
