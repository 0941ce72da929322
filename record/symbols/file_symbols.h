/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The symbols of one mapped file, read by a thread of its own. */
#ifndef DWELL_RECORD_SYMBOLS_FILE_SYMBOLS_H
#define DWELL_RECORD_SYMBOLS_FILE_SYMBOLS_H

#include "common/elf/symtab.h"
#include "common/maps/maps.h"
#include "record/symbols/pinned_files.h"

struct names_wish {
	const struct dso *dso;
	struct pinned pinned; /* its file, if that is held; borrowed */
	uint64_t started;     /* of the recording: CLOCK_REALTIME, ns */
};

/*
 * Adds the symbols of a file to TABLE and finishes it. The file is taken only
 * if it is the one that was mapped: by its build ID. If the kernel told none,
 * one that is held must not have been written to since, any other must have
 * the inode and be older than the recording. False if there are no symbols;
 * IS_DYNSYM_ONLY_RET: only those of its .dynsym.
 */
bool names_read(struct patience *patience, const struct names_wish *wish,
	struct symtab *table, bool *is_dynsym_only_ret);

#endif
