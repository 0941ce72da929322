/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the ELF files that samples hit, and their debug files, on this machine,
 * and checks that a found file is the recorded one. Files are compared by build
 * ID. Without a build ID, they are compared by device (on overlayfs and btrfs
 * by the time of the last change), inode, size and age; below --symfs, where
 * files are copies, by size and age. A file with a different build ID is never
 * used. The files are searched for in this order:
 *
 *	the files that dwell record kept open, for --pack
 *	the recorded path, below --symfs if that was given
 *	each --debug-dir: .build-id/xx/rest (the file itself, or a folder with
 *	"elf" and "debug", as in perf's cache), .build-id/xx/rest.debug, the
 *	recorded path, the file's name
 *	~/.debug, perf's cache; with --symfs also .debug below it
 *	/usr/lib/debug, also below --symfs; debug links beside the file
 *	debuginfod servers, with --debuginfod
 *
 * The paths come from the recording, which may be hostile: only regular files
 * are opened, open() never waits, and a path below --symfs cannot lead out of
 * that folder (local_files.h).
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

enum buildid_trust {
	BUILDID_PROVEN, /* proven to be the recorded file */
	/*
	 * may not be the recorded file: symbols of the file are shown with a
	 * mark, and its source lines are not used
	 */
	BUILDID_DOUBTFUL,
};

/* The file that a search is for. */
struct buildid_query {
	const struct dso *dso;
	struct build_id build_id; /* build ID of .dso, or that in the
	                           * recording's table of build IDs */
	bool is_path_shared;  /* several recorded inodes had the path of .dso,
	                       * and only one of them has .build_id */
	uint64_t end;	      /* file offset that samples hit: the file is at
	                       * least this large */
	uint64_t recorded_ns; /* wall clock time at the start of the recording
	                       * in ns; 0: not known */
	bool is_from_here;    /* recorded on this machine */
};

struct buildid_file {
	struct elf_file *elf; /* the file that was found; owned; NULL: none */
	char *path;	      /* owned */
	enum buildid_trust trust; /* trust in .elf; if .elf is NULL, in a debug
	                        * file */
	bool is_other;	  /* the recorded path has a file with another build
	                   * ID here */
	bool has_changed; /* .is_other, and the file at the path was changed
	                   * since the recording began */
	bool is_missed;	  /* no debuginfod server has the file */
};
void buildid_file_deinit(struct buildid_file *file);
/*
 * Returns the ELF file that was found, or NULL if there is none. The caller
 * closes the ELF file. The first call returns FILE->elf; later calls open
 * FILE->path again.
 */
struct elf_file *buildid_cache_take(
	const struct buildid_cache *cache, struct buildid_file *file);

/*
 * Finds the file of QUERY->dso. The caller frees RET with
 * buildid_file_deinit().
 */
void buildid_cache_find(struct buildid_cache *cache,
	const struct buildid_query *query, struct buildid_file *ret);
/*
 * Requests the file of QUERY->dso from debuginfod servers. RET is the result of
 * a buildid_cache_find() call that found no file.
 */
void buildid_cache_fetch(struct buildid_cache *cache,
	const struct buildid_query *query, struct buildid_file *ret);
/*
 * Finds the file with the debug symbols of MAPPED, the result of
 * buildid_cache_find() for QUERY. If MAPPED has no file, the search uses the
 * build ID of QUERY.
 */
void buildid_cache_find_debug(struct buildid_cache *cache,
	const struct buildid_query *query, const struct buildid_file *mapped,
	struct buildid_file *ret);
/*
 * Finds the vmlinux with build ID ID. RELEASE is the kernel's release, which is
 * part of paths of vmlinux; NULL: not known. The caller frees RET with
 * buildid_file_deinit().
 */
void buildid_cache_find_kernel(struct buildid_cache *cache,
	const struct build_id *id, const char *release,
	struct buildid_file *ret);
/*
 * Opens the regular file NAME in the folder of build ID ID in perf's cache.
 * Returns a descriptor, or -1 if there is no such file. The caller closes the
 * descriptor and frees *PATH_RET.
 */
int buildid_cache_open_sibling(struct buildid_cache *cache,
	const struct build_id *id, const char *name, char **path_ret);
/* Opens PATH. Returns NULL if it is not a readable ELF file. */
struct elf_file *buildid_cache_open_elf(const char *path);
/*
 * Finds the dwz file, which has the DWARF data that several debug files share,
 * to which DEBUG refers.
 */
void buildid_cache_find_alt(struct buildid_cache *cache,
	const struct buildid_file *debug, struct buildid_file *ret);

#endif
