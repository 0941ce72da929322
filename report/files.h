/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that a recording's code came from, as far as this machine has them:
 * by the numbers of its DSOs, with the build IDs of the mappings or else of the
 * file's own table. One recording has one of these, for all who read files.
 * Opens each as often as it is asked for; any thread may ask.
 */
#ifndef DWELL_FILES_H
#define DWELL_FILES_H

#include "report/store.h"
#include "report/survey.h"

struct files;

/* READER and SURVEY are borrowed for the life of what is returned. */
struct files *files_create(
	struct reader *reader, const struct survey *survey);
void files_destroy(struct files *files);

/* Whether the kernel that was recorded is of this one's release. */
bool files_are_of_this_release(const struct files *files);

/* All zero where nobody tells. DSO is a number of survey->maps. */
struct build_id files_build_id(const struct files *files, uint32_t dso);

/*
 * The file of a DSO, or the vdso; END is a file offset that samples reached.
 * The caller closes it. NULL if there is none that may be used.
 */
struct elf_file *files_open(const struct files *files, uint32_t dso,
	uint64_t end, enum store_trust *trust_ret);
/*
 * The file with the debug symbols of FILE, which files_open() gave for DSO. The
 * caller closes it. NULL if there is none.
 */
struct elf_file *files_open_debug(
	const struct files *files, uint32_t dso, struct elf_file *file);

#endif
