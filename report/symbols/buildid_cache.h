/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the ELF files that samples hit, and their debug files, on this machine,
 * and checks that a found file is the recorded one. Files are compared by build
 * ID. Without a build ID, they are compared by device (on overlayfs and btrfs
 *by the time of the last change), inode, size and age; below --symfs, where
 *files are copies, by size and age. A file with a different build ID is never
 *used. The places are searched in this order:
 *
 *	the files that dwell record kept open, for --pack
 *	the recorded path, below --symfs if that was given
 *	each --debug-dir: .build-id/xx/rest (the file itself, or a folder with
 *	"elf" and "debug", as in perf's cache), .build-id/xx/rest.debug, the
 *	recorded path, the file's name
 *	the default folder of dwell unpack
 *	~/.debug, perf's cache; with --symfs also .debug below it
 *	/usr/lib/debug, also below --symfs; debug links beside the file
 *	debuginfod servers, with --debuginfod
 *
 * The paths come from the recording, which may be hostile: only regular files
 * are opened, open() never waits, and a path below --symfs cannot lead out of
 *it (local_files.h).
 */
#ifndef DWELL_REPORT_SYMBOLS_BUILDID_CACHE_H
#define DWELL_REPORT_SYMBOLS_BUILDID_CACHE_H

#include "common/elf/elf.h"
#include "common/maps/maps.h"
#include "report/util/search_paths.h"

struct buildid_cache;

/* PATHS is borrowed for the life of the result. */
struct buildid_cache *buildid_cache_create(const struct search_paths *paths);
void buildid_cache_destroy(struct buildid_cache *cache);
/* Returns the paths given to buildid_cache_create(); borrowed. */
const struct search_paths *buildid_cache_paths(
	const struct buildid_cache *cache);

enum file_trust {
	FILE_PROVEN,   /* proven to be the recorded file */
	FILE_DOUBTFUL, /* may have changed: its symbols are shown with a mark,
	                * and its source lines are not used */
};

/* The file that a search is for. */
struct file_query {
	const struct dso *dso;
	struct build_id build_id; /* of the DSO or from the file's table */
	bool is_path_shared;  /* by several inodes: one of them has the build ID
	                       */
	uint64_t end;         /* the file has at least this size */
	uint64_t recorded_ns; /* wall clock at the start of the recording; 0:
	                       * not known */
};

struct found_file {
	struct elf_file *elf;  /* owned; NULL: no usable file */
	char *path;            /* owned */
	enum file_trust trust; /* also of a debug file, if .elf is NULL */
	bool has_changed;      /* the recorded path has a different file now */
	bool is_missed;        /* no debuginfod server has the file */
};
void found_file_deinit(struct found_file *file);
/*
 * Returns FILE's .elf, or NULL if there is none. The caller closes it. After
 * the first call, .path is opened again for each call.
 */
struct elf_file *buildid_cache_take(
	const struct buildid_cache *cache, struct found_file *file);

/* Finds the mapped file. The caller deinits RET. */
void buildid_cache_find(struct buildid_cache *cache,
	const struct file_query *query, struct found_file *ret);
/*
 * Requests the mapped file from the servers. RET is the result of a
 * buildid_cache_find() that found no file.
 */
void buildid_cache_fetch(struct buildid_cache *cache,
	const struct file_query *query, struct found_file *ret);
/*
 * Finds the file with the debug symbols of MAPPED, which is the result for
 * QUERY. If MAPPED has no file, the search uses the build ID of QUERY.
 */
void buildid_cache_find_debug(struct buildid_cache *cache,
	const struct file_query *query, const struct found_file *mapped,
	struct found_file *ret);
/*
 * Finds the vmlinux with build ID ID. RELEASE is the kernel's release, which is
 * part of paths of vmlinux; NULL: not known. The caller deinits RET.
 */
void buildid_cache_find_kernel(struct buildid_cache *cache,
	const struct build_id *id, const char *release, struct found_file *ret);
/*
 * Opens the regular file NAME in the folder of build ID ID in perf's cache.
 * Returns a descriptor, or -1 if there is no such file. The caller closes the
 * descriptor and frees *PATH_RET.
 */
int buildid_cache_open_sibling(struct buildid_cache *cache,
	const struct build_id *id, const char *name, char **path_ret);
/* Opens PATH. Returns NULL if it is not a readable ELF file. */
struct elf_file *buildid_cache_open_elf(const char *path);
/* Finds the file of DWARF data shared with other debug files (dwz) that DEBUG
 * refers to. */
void buildid_cache_find_alt(struct buildid_cache *cache,
	const struct found_file *debug, struct found_file *ret);

#endif
