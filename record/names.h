/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The symbols of one mapped file, read by a thread of its own. */
#ifndef DWELL_RECORD_NAMES_H
#define DWELL_RECORD_NAMES_H

#include "common/maps.h"
#include "common/symtab.h"
#include "record/patience.h"

/*
 * Adds the symbols of DSO's file to TABLE and finishes it. FD (-1: to be looked
 * for) is the file if that is known already; taken. One that is looked for is
 * taken only if it is the one that was mapped: by its build ID, or else by its
 * inode and a modification time before STARTED (CLOCK_REALTIME, ns). False if
 * there are none; IS_DYNSYM_ONLY_RET: only those of its .dynsym.
 */
struct names_wish {
	const struct dso *dso;
	int fd;
	uint64_t started;
};
bool names_read(struct patience *patience, const struct names_wish *wish,
	struct symtab *table, bool *is_dynsym_only_ret);

#endif
