/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the symbols at sampled addresses from the files of sampled processes. Symbols
 * without samples take no memory. A file whose symbols exceed a limit is left out, alone
 * and with a message. The files of one owner also have limits together, so that the files
 * of one user cost other users neither their names nor much time.
 */
#ifndef DWELL_RECORD_SYMBOLS_FILE_NAMES_H
#define DWELL_RECORD_SYMBOLS_FILE_NAMES_H

#include "common/elf/symtab.h"
#include "common/maps/maps.h"
#include "record/symbols/pinned_files.h"
#include "record/symbols/sampled_code.h"
#include "record/sys/timed_worker.h"

/* What the files of each owner have cost. A zero-initialized struct is empty. */
struct file_owners {
	ARRAY(struct file_owner {
		uint32_t user;
		uint64_t cpu_ns;
		uint64_t bytes; /* of file_names_add_bytes() */
	})
	list;
	uint32_t left_out; /* files, over all owners */
};
/* Reports how many more files were left out than were reported. */
void file_owners_report(const struct file_owners *owners);
void file_owners_deinit(struct file_owners *owners);

/* A file, of which a separate thread reads the symbols, with a timeout. */
struct file_names_request {
	const struct dso *dso;
	struct pinned_file pinned; /* the held file of .dso, if any; borrowed */
	uint64_t started; /* start of the recording: CLOCK_REALTIME, ns */
	const struct hit *sampled; /* sampled addresses in .dso; borrowed */
	size_t n_sampled;
};

/*
 * The names of the code of a file: those that symtab_find() needs for the sampled
 * addresses, and for the byte before each of them.
 */
struct file_names {
	struct symtab symbols;
	struct symtab guesses; /* of code without symbols */
	bool is_dynsym_only;   /* all symbols are of .dynsym */
	uint32_t owner;	       /* user ID of the file's owner */
};
/*
 * Sets NAMES to the names in the file of REQUEST, sorted by symtab_finish().
 * Only the mapped file is used, identified by its build ID. If the kernel
 * reported no build ID, a held file must not have been modified since it was
 * opened, and any other file must have the same inode and be older than the
 * recording. NAMES stays empty if the file cannot be read or is left out.
 */
void file_names_read(struct timed_worker *worker, struct file_owners *owners,
	const struct file_names_request *request, struct file_names *names);
/* Counts BYTES of symbols of NAMES, which the recording keeps, for the owner. */
void file_names_add_bytes(const struct file_names *names, uint64_t bytes,
	struct file_owners *owners);
void file_names_deinit(struct file_names *names);

#endif
