/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the files that samples hit are looked for on this machine, and
 * whether what is found is what was recorded: by build ID, or without one by
 * device, inode, size and age. Never a file whose build ID differs.
 */
#ifndef DWELL_STORE_H
#define DWELL_STORE_H

#include "common/elf.h"
#include "common/maps.h"

enum store_trust {
	STORE_SAME,     /* proven to be the recorded file */
	STORE_DOUBTFUL, /* may have changed: its symbols are shown marked */
};

struct store_wish {
	const struct dso *dso;
	struct build_id build_id; /* of the DSO or from the file's table */
	uint64_t end;             /* the file reaches at least this far */
	uint64_t recorded_ns;     /* wall clock when recording began; 0: ? */
};

/* The mapped file itself. NULL if there is none that may be used. */
struct elf_file *store_open(
	const struct store_wish *wish, enum store_trust *trust_ret);

/*
 * The file with FILE's debug symbols: by build ID below /usr/lib/debug, or by
 * the debuglink in FILE, which stands at PATH. NULL if there is none.
 */
struct elf_file *store_open_debug(struct elf_file *file, const char *path);

#endif
