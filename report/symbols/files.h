/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that a recording's code came from, as far as this machine has them:
 * by the numbers of its DSOs, with the build IDs of the mappings or else of the
 * file's own table. One recording has one of these, for all who read files;
 * any thread may ask. Each file is looked for once and opened as often as it is
 * asked for.
 */
#ifndef DWELL_REPORT_SYMBOLS_FILES_H
#define DWELL_REPORT_SYMBOLS_FILES_H

#include "report/survey/survey.h"
#include "report/symbols/buildid_cache.h"

struct files;

/*
 * All three are borrowed for the life of what is returned. STORE may be NULL:
 * then there are no files but the vdso.
 */
struct files *files_create(struct reader *reader,
	const struct survey *survey, struct store *store);
void files_destroy(struct files *files);
/* As it was given. */
struct store *files_store(const struct files *files);

/* Whose files they are; borrowed. */
struct reader *files_reader(const struct files *files);
/* In which DSOs have their numbers; borrowed. */
const struct maps *files_maps(const struct files *files);
const struct dso *files_dso(const struct files *files, uint32_t dso);

/* The wall clock when the recording began, in ns, or a bound; 0: not known. */
uint64_t files_recorded_ns(const struct files *files);

/* Whether the kernel that was recorded is of this one's release. */
bool files_are_of_this_release(const struct files *files);

/* All zero where nobody tells. DSO is a number of survey->maps. */
struct build_id files_build_id(const struct files *files, uint32_t dso);
/* The same of PATH in the file's own table alone. */
struct build_id files_listed_id(const struct files *files, const char *path);

/*
 * The file of a DSO, or this machine's vdso, if it may be the recorded one; END is a file offset that samples reached.
 * The caller closes it. NULL if there is none that may be used; *TRUST_RET then
 * is how far a debug file that has the build ID may be believed.
 */
struct elf_file *files_open(struct files *files, uint32_t dso, uint64_t end,
	enum store_trust *trust_ret);
/* The same, asking servers, too, where the user wants that. */
struct elf_file *files_fetch(struct files *files, uint32_t dso, uint64_t end,
	enum store_trust *trust_ret);
/*
 * The file with the debug symbols and the debug information of DSO, if they
 * aren't in the one above, which needn't be there. Its segments are those of
 * the mapped file. The caller closes it. NULL if there is none.
 */
struct elf_file *files_open_debug(struct files *files, uint32_t dso);
/* What the debug information of that one, or of the first, refers to (dwz). */
struct elf_file *files_open_alt(struct files *files, uint32_t dso);

/* What tells of code that has no file. */
struct dump_code files_dump(struct files *files, uint32_t dso);

/* Where these are that were asked for; borrowed; NULL: nowhere. */
struct files_places {
	const char *file, *debug;
	bool has_changed; /* the recorded path is another file's now */
	bool is_doubtful; /* .file isn't proven to be the recorded one */
	bool is_missed;   /* servers were asked for .debug, and have none */
};
struct files_places files_places(struct files *files, uint32_t dso);

#endif
