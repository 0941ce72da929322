/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds and opens the ELF files of a recording's DSOs, by DSO number. The build
 * ID is that of the mapping or else that of the file's table. A recording has
 * one struct files; all users of its files share it. Each file is searched for
 * once, and opened for each call. Thread-safe.
 */
#ifndef DWELL_REPORT_SYMBOLS_FILES_H
#define DWELL_REPORT_SYMBOLS_FILES_H

#include "report/survey/survey.h"
#include "report/symbols/buildid_cache.h"

struct files;

/*
 * All parameters are borrowed for the life of the result. If CACHE is NULL, no
 * file except the vdso is found.
 */
struct files *files_create(struct reader *reader, const struct survey *survey,
	struct buildid_cache *cache);
void files_destroy(struct files *files);
/* Returns the cache given to files_create(); may be NULL. */
struct buildid_cache *files_cache(const struct files *files);

/* Returns the reader given to files_create(); borrowed. */
struct reader *files_reader(const struct files *files);
/* Returns the maps that define the DSO numbers; borrowed. */
const struct maps *files_maps(const struct files *files);
const struct dso *files_dso(const struct files *files, uint32_t dso);

/*
 * Returns the wall clock time at the start of the recording in ns; if the
 * recording lacks it, the time of the file's last change; 0 if neither is
 * known.
 */
uint64_t files_recorded_ns(const struct files *files);

/* Whether the recorded kernel has the release of the running kernel. */
bool files_match_kernel_release(const struct files *files);

/* Returns the build ID of DSO (a number of survey->maps); size 0: not known. */
struct build_id files_build_id(const struct files *files, uint32_t dso);
/* Returns the build ID of PATH in the file's table; size 0: not in the table.
 */
struct build_id files_listed_id(const struct files *files, const char *path);

/*
 * Opens the file of DSO, or this machine's vdso if it may be the recorded one.
 * END is a file offset that samples reached. Returns NULL if there is no usable
 * file; *TRUST_RET is then the trust in a debug file with the build ID. The
 * caller closes the file.
 */
struct elf_file *files_open(struct files *files, uint32_t dso, uint64_t end,
	enum file_trust *trust_ret);
/* Does the same, and also requests the file from servers with --debuginfod. */
struct elf_file *files_fetch(struct files *files, uint32_t dso, uint64_t end,
	enum file_trust *trust_ret);
/*
 * Opens the separate debug file of DSO; the mapped file need not exist. The
 * segments of the result are those of the mapped file. Returns NULL if there is
 * no debug file. The caller closes it.
 */
struct elf_file *files_open_debug(struct files *files, uint32_t dso);
/*
 * Opens the dwz file to which the debug file, or the mapped file, of DSO
 * refers. Returns NULL if there is none. The caller closes it.
 */
struct elf_file *files_open_alt(struct files *files, uint32_t dso);

/* Returns the jitdump of a DSO of JIT code. */
struct dump_code files_dump(struct files *files, uint32_t dso);

/* The result of earlier searches for DSO. Paths are borrowed; NULL: not found.
 */
struct files_status {
	const char *file, *debug;
	bool has_changed; /* the recorded path has a different file now */
	bool is_doubtful; /* .file is not proven to be the recorded one */
	bool is_missed;   /* no server has .debug */
};
struct files_status files_status(struct files *files, uint32_t dso);

#endif
