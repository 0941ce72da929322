/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds and opens the ELF files of a recording's DSOs, by DSO number. The build
 * ID of a DSO is that of its mapping or, if missing, that in the recording's
 * table of build IDs. A recording has one struct files, which all its users
 * share. A file is searched for once, and opened for each call. Thread-safe.
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
 * recording lacks it, the time of the recording's last change; 0 if neither
 * time is known.
 */
uint64_t files_recorded_ns(const struct files *files);

/* Whether the recorded kernel has the release of the running kernel. */
bool files_match_kernel_release(const struct files *files);

/* Returns the build ID of DSO (a number of survey->maps); size 0: not known. */
struct build_id files_build_id(const struct files *files, uint32_t dso);
/*
 * Returns the build ID of PATH in the recording's table of build IDs; size 0:
 * PATH is not in the table.
 */
struct build_id files_listed_id(const struct files *files, const char *path);

/*
 * Opens the file of DSO, or this machine's vdso if it may be the recorded one.
 * The file must reach END, a file offset that samples hit. *TRUST_RET is the
 * trust in the file. Returns NULL if there is no usable file; *TRUST_RET is
 * then the trust in a debug file with the DSO's build ID. The caller closes the
 * file.
 */
struct elf_file *files_open(struct files *files, uint32_t dso, uint64_t end,
	enum buildid_trust *trust_ret);
/*
 * Opens the file of DSO like files_open(), but if no file is found, requests it
 * from debuginfod servers (--debuginfod).
 */
struct elf_file *files_fetch(struct files *files, uint32_t dso, uint64_t end,
	enum buildid_trust *trust_ret);
/*
 * Opens the separate debug file of DSO; the mapped file need not exist. The
 * segments of the result are those of the mapped file. Returns NULL if there is
 * no debug file. The caller closes the debug file.
 */
struct elf_file *files_open_debug(struct files *files, uint32_t dso);
/*
 * Sets *RET to the address, as linked, of PLACE, an offset in the file of DSO.
 * Returns false if neither the file nor its debug file is found.
 */
bool files_linked_address(
	struct files *files, uint32_t dso, uint64_t place, uint64_t *ret);
/*
 * Opens the dwz file to which the debug file, or the mapped file, of DSO
 * refers. Returns NULL if there is no dwz file. The caller closes the dwz file.
 */
struct elf_file *files_open_alt(struct files *files, uint32_t dso);

/*
 * Returns the jitdump of DSO, if DSO is JIT code; .dump is NULL if there is
 * none.
 */
struct jitdumps_code files_dump(struct files *files, uint32_t dso);

/*
 * Results of the searches for the files of a DSO so far. Paths are borrowed;
 * NULL: not found.
 */
struct files_status {
	const char *file, *debug;
	bool is_other;	  /* the recorded path has a file with another build
	                   * ID here */
	bool has_changed; /* .is_other, and the file at the path was changed
	                   * since the recording began */
	bool is_doubtful; /* .file is not proven to be the recorded one */
	bool is_missed;	  /* no debuginfod server has the debug file */
};
struct files_status files_status(struct files *files, uint32_t dso);

#endif
