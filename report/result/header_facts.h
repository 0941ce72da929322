/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects the facts about a recording that --header shows: the sections of its
 * header, its events and its losses.
 */
#ifndef DWELL_REPORT_RESULT_HEADER_FACTS_H
#define DWELL_REPORT_RESULT_HEADER_FACTS_H

#include "report/scan/inputs.h"

/* The facts about one input, in lines that begin with "# ". */
struct header_facts {
	struct strbuf raw; /* not escaped */
	ARRAY(struct header_fact {
		const char *section; /* name of the section of the header, or
					NULL */
		size_t end;	     /* end of the fact in .raw */
	})
	list;
};

/*
 * Adds the facts about INPUT to FACTS, including long header sections if
 * SHOWS_INFO. The caller frees FACTS with header_facts_deinit().
 */
void header_facts_collect(
	const struct input *input, bool shows_info, struct header_facts *facts);
/*
 * Returns the names of the files without frame pointers because of which call chains of
 * READER's recording lack callers, not escaped, for the caller to free, and in
 * *PERCENT_RET the share of these call chains. Returns NULL if the recorder did not count
 * many.
 */
char *header_facts_cut_chains(struct reader *reader, double *percent_ret);
/*
 * Appends a line about the call chains of READER's recording that lack callers
 * because code has no frame pointers, not escaped, if the recorder counted
 * many.
 */
void header_facts_put_cut_chains(struct reader *reader, struct strbuf *out);
/*
 * Appends a line about each process of READER's recording with many samples in
 * code without names, not escaped.
 */
void header_facts_put_unnamed_code(struct reader *reader, struct strbuf *out);
/*
 * Returns a sentence about the programs whose events the kernel removed while
 * READER's recording was made, not escaped, for the caller to free. Returns NULL
 * if no events were removed.
 */
char *header_facts_removed_events(struct reader *reader);
/* Appends a line with this sentence, not escaped, if there is one. */
void header_facts_put_removed_events(struct reader *reader, struct strbuf *out);
/* Returns whether the recording has functions that an interpreter runs. */
bool header_facts_have_interpreter(struct reader *reader);
void header_facts_deinit(struct header_facts *facts);

#endif
