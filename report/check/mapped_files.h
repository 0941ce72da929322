/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ELF files of a recording by address. A file is opened when its code is
 * first looked up, and stays open.
 */
#ifndef DWELL_REPORT_CHECK_MAPPED_FILES_H
#define DWELL_REPORT_CHECK_MAPPED_FILES_H

#include "common/util/array.h"
#include "report/check/judge.h"
#include "report/symbols/files.h"

struct mapped_files {
	const struct maps *maps; /* borrowed */
	struct files *files;	 /* borrowed */
	ARRAY(struct mapped_file {
		bool is_searched;
		struct judged_code code; /* .elf is owned; .bias is unused */
	})
	at; /* by DSO number */
};

/* FILES is borrowed until mapped_files_deinit(). */
void mapped_files_init(struct mapped_files *mapped, struct files *files);
void mapped_files_deinit(struct mapped_files *mapped);

/*
 * The .find of struct judged_files: DATA is a struct mapped_files, and SPACE an
 * address space of its maps. RET is borrowed until mapped_files_deinit().
 */
bool mapped_files_find(
	void *data, uint32_t space, uint64_t pc, struct judged_code *ret);

#endif
