/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A report's answer before it is shown: what the pipeline from file to rows
 * found. Views read it and change nothing.
 */
#ifndef DWELL_RESULT_H
#define DWELL_RESULT_H

#include "report/hist.h"
#include "report/options.h"
#include "report/tree.h"

struct result {
	const struct options *options;
	struct reader *reader;
	struct survey survey;
	struct pick pick;
	struct scan scan;
	struct resolver *resolver;
	struct points points;
	struct field_names names;
	struct hist_request request;
	ARRAY(struct hist) hists; /* per event with samples, in file order */
	struct forest *forest;    /* NULL: no trees are wanted */
	bool has_chains;
};

/*
 * The pipeline up to the survey, for those who take samples one by one: what
 * is wanted, and who can resolve it. RET is zeroed first, and is to be given
 * to result_deinit() also after an error.
 */
struct error *result_prepare(
	const struct options *options, struct result *ret) _must_check_;
/* Whether one SAMPLE of EVENT, which ran AT, is wanted. */
bool result_wants_sample(const struct result *result, size_t event,
	const struct sample *sample, const struct maps_context *at);

/* Runs the whole pipeline on what OPTIONS name; RET as above. */
struct error *result_make(
	const struct options *options, struct result *ret) _must_check_;
void result_deinit(struct result *result);

/* Lost samples, exact where the recording tells, and their share in percent
 * of all that should have been there. */
uint64_t result_lost(const struct result *result, double *percent_ret);

/* Opens what OPTIONS name, or dwell.data, or perf.data. */
struct error *result_open(
	const struct options *options, struct reader **ret) _must_check_;

/* Says once what is wrong with the file, if anything is. */
void result_tell_damage(const struct reader *reader);
/* Says once that stacks that were copied aren't unwound, if there are any. */
void result_tell_stacks(const struct reader *reader);

/* The lines of --header, "# ..." each, escaped. */
void result_header(const struct result *result, struct strbuf *out);

/* One way to show a result. */
struct view {
	const char *name;
	void (*print)(struct result *result, struct strbuf *out);
};
extern const struct view view_stdio, view_json, view_csv;

#endif
