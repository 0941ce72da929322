/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A report's answer before it is shown: what the pipeline from file to rows
 * found. Views read it and change nothing.
 */
#ifndef DWELL_REPORT_RESULT_RESULT_H
#define DWELL_REPORT_RESULT_RESULT_H

#include "report/options/options.h"
#include "report/rows/forest.h"
#include "report/rows/hist.h"

struct result {
	const struct options *options;
	struct store *store; /* where the files of all inputs are */
	struct inputs inputs;
	struct scan early; /* of one that was scanned while it was surveyed */
	struct scan scan; /* of all inputs */
	struct resolver *resolver;
	struct points points;
	struct texts texts;
	struct field_names names;
	struct hist_request request;
	ARRAY(struct hist) hists; /* per event with samples, in file order */
	struct forest *forest;    /* NULL: no trees are wanted */
};

/*
 * The pipeline up to the survey, for those who take samples one by one: what
 * is wanted, and who can resolve it. RET is zeroed first, and is to be given
 * to result_deinit() also after an error.
 */
struct error *result_prepare(
	const struct options *options, struct result *ret) _must_check_;
/* The same in two steps: what is in the recordings is known, and what is wanted
 * of them may change. */
struct error *result_begin(
	const struct options *options, struct result *ret) _must_check_;
struct error *result_survey(struct result *result) _must_check_;
/* Whether one SAMPLE of EVENT, which ran AT, is wanted. */
bool result_wants_sample(const struct result *result, size_t event,
	const struct sample *sample, const struct maps_context *at);

/* The pipeline up to counted and resolved stacks; RET as above. */
struct error *result_count(
	const struct options *options, struct result *ret) _must_check_;
/* The same for one that was prepared, whose options may have changed since. */
struct error *result_count_prepared(struct result *result) _must_check_;
/* Runs the whole pipeline on what OPTIONS name; RET as above. */
struct error *result_make(
	const struct options *options, struct result *ret) _must_check_;
/* The same; that there is nothing to show isn't said. */
struct error *result_make_rows(
	const struct options *options, struct result *ret) _must_check_;
void result_deinit(struct result *result);

/* Says why there is nothing to show; and, if nobody has callers, that. */
void result_tell_nothing(const struct result *result);
void result_tell_flat(const struct result *result);

/* Lost samples, exact where the recording tells, and their share in percent
 * of all that should have been there. */
uint64_t result_lost(const struct result *result, double *percent_ret);

/* What became of copies of stacks, in all inputs. */
struct unwound result_unwound(const struct result *result);
/* How long threads were off their CPUs, in all inputs. */
struct offcpu_counts result_offcpu(const struct result *result);

/* Opens the one recording that OPTIONS name, or dwell.data, or perf.data. */
struct error *result_open(
	const struct options *options, struct reader **ret) _must_check_;

/* The input of a verb that takes one only (options.h). */
static inline const struct input *result_input(const struct result *result)
{
	return &result->inputs.at.at[0];
}

/* The event that HIST is of. */
static inline const struct input_event *result_event(
	const struct result *result, const struct hist *hist)
{
	return &result->inputs.events.at[hist->event];
}

/* One way to show a result. */
struct view {
	const char *name;
	void (*print)(struct result *result, struct strbuf *out);
};
extern const struct view view_stdio, view_json, view_csv;

#endif
