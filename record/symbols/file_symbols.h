/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the symbols of one mapped file, in a separate thread with a timeout. */
#ifndef DWELL_RECORD_SYMBOLS_FILE_SYMBOLS_H
#define DWELL_RECORD_SYMBOLS_FILE_SYMBOLS_H

#include "common/elf/symtab.h"
#include "common/maps/maps.h"
#include "record/symbols/pinned_files.h"

struct file_symbols_request {
	const struct dso *dso;
	struct pinned pinned; /* its held file, if any; borrowed */
	uint64_t started;     /* start of the recording: CLOCK_REALTIME, ns */
};

/*
 * Adds the symbols of a file to TABLE and finishes it. The file must be the
 * mapped one, identified by its build ID. If the kernel reported none, a held
 * file must not have been modified since, and any other file must have the same
 * inode and be older than the recording. Returns false if there are no symbols.
 * IS_DYNSYM_ONLY_RET is true if all symbols are those of .dynsym.
 */
bool file_symbols_read(struct timed_worker *worker,
	const struct file_symbols_request *request, struct symtab *table,
	bool *is_dynsym_only_ret);

#endif
