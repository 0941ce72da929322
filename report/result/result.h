/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The result of the pipeline from files to the rows of a report, before
 * printing. Views read the result and do not change it.
 */
#ifndef DWELL_REPORT_RESULT_RESULT_H
#define DWELL_REPORT_RESULT_RESULT_H

#include "report/options/options.h"
#include "report/result/thread_names.h"
#include "report/rows/forest.h"
#include "report/rows/hist.h"
#include "report/transform/sample_addresses.h"

struct result {
	const struct options *options; /* borrowed */
	/*
	 * The transforms of the options. If --lang-frames is not given, and the
	 * recording has interpreted functions, TRANSFORM_LANG_FOLD is the
	 * first.
	 */
	struct transform_list transforms;
	struct buildid_cache *store; /* finds the files of all inputs */
	struct inputs inputs;
	struct scan scan; /* of all inputs */
	struct resolver *resolver;
	struct data_addresses addresses;
	struct string_table texts;
	struct field_names names;
	struct hist_request request;
	struct thread_names thread_names;
	/* Of --off-cpu and --wall, for comparison with the sum of times: */
	size_t n_threads; /* threads with samples */
	double seconds;	  /* from the first to the last sample; 0: unknown */
	ARRAY(struct hist) hists; /* per event with samples, in file order */
	struct forest *forest;	  /* NULL: no call trees */
	struct sample_addresses hits; /* if the options count by address */
};

/*
 * Runs the pipeline up to the survey, for callers that read samples one by one
 * with result_wants_sample() and the resolver. RET is zeroed first. The caller
 * frees RET with result_deinit() also after an error.
 */
struct error *result_prepare(
	const struct options *options, struct result *ret) _must_check_;
/*
 * The two steps of result_prepare(). Between the steps, the recordings are open
 * and the options may be changed.
 */
struct error *result_begin(
	const struct options *options, struct result *ret) _must_check_;
struct error *result_survey(struct result *result) _must_check_;
/*
 * Returns whether SAMPLE of EVENT passes the filters. AT is the state of the
 * thread of SAMPLE.
 */
bool result_wants_sample(const struct result *result, size_t event,
	const struct sample *sample, const struct maps_context *at);

/*
 * Runs the pipeline up to counted and resolved stacks. RET is zeroed first. The
 * caller frees RET with result_deinit() also after an error.
 */
struct error *result_count(
	const struct options *options, struct result *ret) _must_check_;
/*
 * Counts and resolves the stacks of RESULT after result_prepare(). The options
 * may have changed in between.
 */
struct error *result_count_prepared(struct result *result) _must_check_;
/*
 * With --off-cpu and --wall, sets .n_threads and .seconds of RESULT, which is
 * counted.
 */
void result_measure_threads(struct result *result);
/*
 * Runs the whole pipeline for OPTIONS. Prints a note if the result is empty.
 * RET is zeroed first. The caller frees RET with result_deinit() also after an
 * error.
 */
struct error *result_make(
	const struct options *options, struct result *ret) _must_check_;
/*
 * Runs the whole pipeline like result_make(), but prints no note if the result
 * is empty.
 */
struct error *result_make_rows(
	const struct options *options, struct result *ret) _must_check_;
void result_deinit(struct result *result);

/*
 * Print a note: _empty() why the result is empty; _no_callers() that no
 * recording has call chains, if so; _unmatched() which names in filters no
 * counted sample has, with similar names; _unmatched_transforms() the same for
 * names in transforms.
 */
void result_report_empty(const struct result *result);
void result_report_no_callers(const struct result *result);
void result_report_unmatched(const struct result *result);
/*
 * With -v: the other names of the functions of the first 20 rows of each event.
 */
void result_report_other_names(const struct result *result);
void result_report_unmatched_transforms(const struct result *result);

/*
 * Returns the number of lost samples of all inputs, exact if the recorder
 * counted them. *PERCENT_RET is the percentage of lost samples in all samples,
 * lost and counted.
 */
uint64_t result_lost(const struct result *result, double *percent_ret);

/* Returns whether all recordings were made with --off-cpu. */
bool result_has_waits(const struct result *result);
/* Returns the counts of unwound stack copies, summed over all inputs. */
struct stack_counts result_unwound(const struct result *result);
/* Returns the off-CPU times, summed over all inputs. */
struct offcpu_counts result_offcpu(const struct result *result);

/*
 * Opens the recording that OPTIONS name; if none, dwell.data or perf.data. The
 * caller closes RET.
 */
struct error *result_open(
	const struct options *options, struct reader **ret) _must_check_;

/* Returns the input of a verb that accepts only one (options.input.single). */
static inline const struct input *result_input(const struct result *result)
{
	return &result->inputs.at.at[0];
}

/*
 * Returns whether the periods of EVENT are in nanoseconds. With --off-cpu and
 * --wall, the periods of the only event are nanoseconds.
 */
bool result_counts_ns(
	const struct result *result, const struct input_event *event);

/* Returns the path of the largest input, whose budget is that of the rows. */
const char *result_path(const struct result *result);

/* Returns the event of HIST. */
static inline const struct input_event *result_event(
	const struct result *result, const struct hist *hist)
{
	return &result->inputs.events.at[hist->event];
}

/* An output format of dwell report. */
struct view {
	const char *name;
	void (*print)(struct result *result, struct strbuf *out);
};
extern const struct view view_stdio, view_json, view_csv;

#endif
