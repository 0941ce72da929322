/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The programs and libraries of the samples, those with the most samples first,
 * with the symbols and debug information that was found for each, and the
 * packages that have more. report --dsos prints them (view/dsos_put.h).
 */
#ifndef DWELL_REPORT_RESULT_DSOS_H
#define DWELL_REPORT_RESULT_DSOS_H

#include "report/lines/missing_files.h"
#include "report/result/result.h"

struct dsos_row {
	const struct dso_view
		*dso; /* borrowed; NULL: the samples are in no mapping */
	uint16_t input;
	uint32_t number;  /* number in the input's maps */
	uint64_t end;	  /* an address in it that has samples */
	uint64_t samples; /* in its code */
	uint64_t callers; /* in its code, or in functions called from it */
	uint64_t unnamed; /* of .samples: those in no known function */
	bool has_rules; /* the recording contains its CFI, which is preferred */
	bool has_lines; /* the recording contains its lines and inlined
			   functions */
	bool uses_servers; /* debuginfod servers are enabled */
	bool is_file; /* it is a file; the members below are set only then */
	bool has_cfi, has_dwarf;
	struct build_id build_id;
	struct files_status places;
	char *package; /* package of its debug file; owned; NULL: unknown */
	struct debug_missing missing; /* files that its DWARF refers to and that
					 are missing */
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
