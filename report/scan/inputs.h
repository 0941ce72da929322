/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recordings of one report, called inputs, each with its reader, survey,
 * files and selection. Thread IDs, address spaces and control groups are per
 * input; events have numbers that are valid for all inputs.
 */
#ifndef DWELL_REPORT_SCAN_INPUTS_H
#define DWELL_REPORT_SCAN_INPUTS_H

#include "common/file/reader.h"
#include "common/unwind/stack_counts.h"
#include "common/util/budget.h"
#include "report/survey/offcpu_parts.h"
#include "report/survey/sample_selection.h"
#include "report/symbols/files.h"
#include "report/unwind/recorded_unwinding.h"

struct input {
	struct reader *reader; /* owned */
	struct survey survey;
	struct files *files; /* owned; NULL before the survey */
	struct sample_selection selection;
	struct offcpu offcpu; /* zeroed if off-CPU time is not counted */
	struct offcpu_counts offcpu_counts; /* set by the scan */
	/* for each event number of this input: index in inputs->events */
	ARRAY(uint32_t) events;
	/* recorded samples; after the scan: counted samples */
	uint64_t samples;
	struct stack_counts unwound; /* set by a scan with call chains */
};

/*
 * An event of a report. Events with the same name in several inputs are one
 * event; events with the same name in one input are several events.
 */
struct input_event {
	const char *name; /* borrowed from a reader */
	size_t input;	  /* first input that has the event */
	uint32_t own;	  /* number of the event in .input */
	uint32_t
		occurrence; /* index among the events of one name in an input */
	uint64_t lost;	    /* lost samples, in all inputs */
};

/* A zero-initialized struct has no inputs. */
struct inputs {
	ARRAY(struct input) at;
	size_t n_paths; /* number of paths on the command line */
	ARRAY(struct input_event) events;
};

/*
 * Opens the recordings PATHS; if PATHS is empty, the default recording. If one
 * of several recordings cannot be read, a message reports it and the recording
 * is skipped. It is an error if a recording does not exist or if no recording
 * can be read. The caller calls inputs_deinit() for RET also after an error.
 */
struct error *inputs_open(
	const struct filter_names *paths, struct inputs *ret) _must_check_;
/*
 * Runs the survey of all inputs that have none yet, with DEPTH or more, and
 * removes the inputs that FILTER excludes. FILTER is borrowed. It is an error
 * if no input is left, or if no input has a requested event.
 */
struct error *inputs_survey(struct inputs *inputs, enum survey_depth depth,
	const struct filter *filter) _must_check_;
/*
 * Prepares counting of TIME, without times below LEAST_NS. Call after the
 * survey. It is an error if an input lacks the events for TIME.
 */
struct error *inputs_count_time(struct inputs *inputs, enum offcpu_counted time,
	uint64_t least_ns) _must_check_;
/*
 * Numbers the events of all inputs, for callers that ran the surveys without
 * inputs_survey().
 */
void inputs_number_events(struct inputs *inputs);
/*
 * Writes the duration of sampling in seconds to RET: from the first sample to
 * the last one, without the parts that --time excludes, summed over all inputs.
 * Call after a survey with SURVEY_TIMES. It is an error if an input has no
 * times or no duration.
 */
struct error *inputs_seconds(
	const struct inputs *inputs, double *ret) _must_check_;
void inputs_deinit(struct inputs *inputs);

/*
 * Returns whether FILTER passes SAMPLE. EVENT is the number of its event in
 * INPUT, AT the state of its thread at the time of SAMPLE. DSOs and symbols are
 * not checked.
 */
bool input_wants_sample(const struct input *input, const struct filter *filter,
	size_t event, const struct sample *sample,
	const struct maps_context *at);

/*
 * Facts of a recording for views, which do not use the reader. All returned
 * pointers are borrowed. The features are complete after the survey.
 */
const char *input_path(const struct input *input);
const struct features *input_features(const struct input *input);
/* Returns the attribute of EVENT in the first input that has the event. */
const struct perf_event_attr *inputs_event_attr(
	const struct inputs *inputs, const struct input_event *event);
struct budget *input_budget(const struct input *input);

/* Returns the name of the recorded host, or "[unknown]". Borrowed. */
const char *input_host(const struct input *input);
/*
 * Returns the number of INPUT's lost samples, and writes their percentage of
 * all samples to PERCENT_RET.
 */
uint64_t input_lost(const struct input *input, double *percent_ret);

/* Returns the number of INPUT, from 0, as in contexts and frames. */
static inline uint16_t inputs_number(
	const struct inputs *inputs, const struct input *input)
{
	return (uint16_t)(input - inputs->at.at);
}

#endif
