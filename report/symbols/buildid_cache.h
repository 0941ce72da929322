/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the files that samples hit, and their debug files, are looked for on
 * this machine, and whether what is found is what was recorded: by build ID,
 * or without one by device (on overlayfs and btrfs the time of the last change),
 * inode, size and age; below --symfs, where copies are, by size and age. Never a
 * file whose build ID differs. In this order:
 *
 *	what dwell record held, for --pack
 *	the recorded path, below --symfs if that was given
 *	each --debug-dir: .build-id/xx/rest (the file itself, or a folder with
 *	"elf" and "debug", as perf keeps them), .build-id/xx/rest.debug, the
 *	recorded path, the file's name
 *	where dwell unpack puts what it isn't told a place for
 *	~/.debug, perf's cache; with --symfs also .debug below it
 *	/usr/lib/debug, also below --symfs; debuglinks beside the file
 *	with --debuginfod: servers
 *
 * What names a path is hostile: only regular files are opened, none is waited
 * for, and what is below --symfs doesn't lead out of there (symfs.h).
 */
#ifndef DWELL_REPORT_SYMBOLS_BUILDID_CACHE_H
#define DWELL_REPORT_SYMBOLS_BUILDID_CACHE_H

#include "common/elf/elf.h"
#include "common/maps/maps.h"
#include "report/util/search_paths.h"

struct store;

/* PLACES is borrowed for the life of what is returned. */
struct store *store_create(const struct places *places);
void store_destroy(struct store *store);
/* Borrowed. */
const struct places *store_places(const struct store *store);

enum store_trust {
	STORE_SAME,     /* proven to be the recorded file */
	STORE_DOUBTFUL, /* may have changed: its symbols are shown marked, and
			 * it has no lines */
};

struct store_wish {
	const struct dso *dso;
	struct build_id build_id; /* of the DSO or from the file's table */
	bool is_path_shared; /* by several inodes: the build ID is one's only */
	uint64_t end;             /* the file reaches at least this far */
	uint64_t recorded_ns;     /* wall clock when recording began; 0: ? */
};

struct store_file {
	struct elf_file *elf;   /* owned; NULL: there is none to be used */
	char *path;             /* of it; owned */
	enum store_trust trust; /* also of a debug file, if .elf is NULL */
	bool has_changed;       /* another one is at the recorded path now */
	bool is_missed;         /* servers were asked, and none has it */
};
void store_file_deinit(struct store_file *file);
/*
 * FILE's .elf, the caller's from then on; once it was taken, .path is opened
 * anew. NULL if there is none.
 */
struct elf_file *store_file_take(
	const struct store *store, struct store_file *file);

/* The mapped file itself. RET is to be deinited. */
void store_find(struct store *store, const struct store_wish *wish,
	struct store_file *ret);
/* The same from servers, into RET, which store_find() left empty. */
void store_fetch(struct store *store, const struct store_wish *wish,
	struct store_file *ret);
/*
 * The file with the debug symbols of what WISH is for, which is MAPPED; of that
 * there may be none, then its build ID alone leads there.
 */
void store_find_debug(struct store *store, const struct store_wish *wish,
	const struct store_file *mapped, struct store_file *ret);
/*
 * vmlinux of the kernel with that build ID; RELEASE tells where it may be, NULL:
 * not known. RET is to be deinited.
 */
void store_find_kernel(struct store *store, const struct build_id *id,
	const char *release, struct store_file *ret);
/*
 * What perf's cache has beside a file of that build ID under that NAME, the
 * caller's descriptor of a regular file, and its path, the caller's; -1: nothing.
 */
int store_open_beside(struct store *store, const struct build_id *id,
	const char *name, char **path_ret);
/* PATH as it is; NULL if it is no ELF file that can be read. */
struct elf_file *store_open_elf(const char *path);
/* What DEBUG has in common with other files, if it says so (dwz). */
void store_find_alt(struct store *store, const struct store_file *debug,
	struct store_file *ret);

#endif
