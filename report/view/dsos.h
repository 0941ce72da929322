/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report --dsos: the programs and libraries that samples hit, the heaviest
 * first, with what is known of each, where it was found, and what would help.
 */
#ifndef DWELL_REPORT_VIEW_DSOS_H
#define DWELL_REPORT_VIEW_DSOS_H

#include "report/lines/debug_missing.h"
#include "report/result/result.h"

struct dsos_row {
	const struct dso_view *dso; /* borrowed; NULL: no mapping is known */
	uint16_t input;
	uint32_t number;   /* of the input's maps */
	uint64_t end;      /* a place in it that was hit */
	uint64_t samples;  /* in its code */
	uint64_t callers;  /* in its code, or called from it */
	uint64_t unnamed;  /* of .samples: in no known function */
	bool has_rules;    /* CFI in the recording, which counts first */
	bool has_lines;    /* the same of lines and inlined functions */
	bool asks_servers; /* where the user wants that */
	bool is_file;      /* the following are of files only */
	bool has_cfi, has_dwarf;
	struct build_id build_id;
	struct files_places places;
	char *package;     /* of its debug file; owned; NULL: not known */
	struct debug_missing missing; /* to its DWARF */
};

struct dsos {
	ARRAY(struct dsos_row) rows;
	struct hash_index by_dso;
	uint64_t samples; /* that counted */
};

/* Of RESULT's stacks, from result_count(). RET is to be deinited. */
void dsos_find(struct result *result, struct dsos *ret);
void dsos_deinit(struct dsos *dsos);

void dsos_print(const struct dsos *dsos, struct strbuf *out);
/* The same for programs, as VIEW ("json", "csv"). */
void dsos_put_table(
	const struct dsos *dsos, const char *view, struct strbuf *out);

#endif
