/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The programs and libraries of the samples, those with the most samples first,
 * with the symbols and debug information that was found for each, and the
 * packages that contain missing debug information. report --dsos prints them
 * (view/dsos_put.h).
 */
#ifndef DWELL_REPORT_RESULT_DSOS_H
#define DWELL_REPORT_RESULT_DSOS_H

#include "report/lines/missing_files.h"
#include "report/result/result.h"

struct dsos_row {
	const struct symbols_source_dso
		*dso; /* borrowed; NULL: the samples are in no mapping */
	uint16_t input;
	uint32_t number;  /* number in the input's maps */
	uint64_t end;	  /* an address of the DSO that has samples */
	uint64_t samples; /* samples in the code of the DSO */
	uint64_t callers; /* samples in the DSO, or in functions it calls */
	uint64_t unnamed; /* of .samples: samples in no known function */
	bool has_rules;	  /* the recording has the DSO's CFI, which is used */
	/* the recording has the DSO's source lines and inlined functions */
	bool has_lines;
	bool uses_servers; /* debuginfod servers are enabled */
	bool is_file; /* the DSO is a file; else the members below are unset */
	bool has_cfi, has_dwarf;
	bool has_go_table; /* and no DWARF: lines of a stripped Go program */
	struct build_id build_id;
	struct files_status places;
	char *package; /* package of the debug file; owned; NULL: unknown */
	struct missing_debug_files
		missing; /* missing files to which DWARF refers */
};

struct dsos {
	ARRAY(struct dsos_row) rows;
	struct hash_index by_dso;
	uint64_t samples; /* all samples that pass the filters */
};

/*
 * Fills RET from the stacks of RESULT after result_count(). The caller frees
 * RET with dsos_deinit().
 */
void dsos_find(struct result *result, struct dsos *ret);
void dsos_deinit(struct dsos *dsos);

#endif
