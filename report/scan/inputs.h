/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recordings of one report, each with its reader, survey, files and
 * selection. Thread IDs, address spaces and control groups are per input;
 * events have numbers for all inputs.
 */
#ifndef DWELL_REPORT_SCAN_INPUTS_H
#define DWELL_REPORT_SCAN_INPUTS_H

#include "common/file/reader.h"
#include "report/survey/offcpu_time.h"
#include "report/survey/sample_selection.h"
#include "report/symbols/files.h"
#include "report/unwind/unwinding.h"

struct input {
	struct reader *reader; /* owned */
	struct survey survey;
	struct files *files; /* owned; NULL before its survey */
	struct sample_selection selection;
	struct offcpu offcpu; /* if time is counted, else zeroed */
	struct offcpu_counts offcpu_counts; /* after the scan */
	ARRAY(uint32_t) events; /* by its own number: the number for all */
	uint64_t samples;       /* recorded; after the scan: counted */
	struct unwound unwound; /* after a scan with call chains */
};

/*
 * Events with one name in several inputs are one; in one input they are
 * several.
 */
struct input_event {
	const char *name; /* borrowed from a reader */
	size_t input;     /* the first input that has it, */
	uint32_t own;     /* and its number there */
	uint32_t
		occurrence; /* among events of its name in each input, from 0 */
	uint64_t lost;      /* samples, in all inputs */
};

/* Zero-initialized it is empty. */
struct inputs {
	ARRAY(struct input) at;
	size_t n_paths; /* number of paths on the command line */
	ARRAY(struct input_event) events;
};

/*
 * Opens the recordings PATHS; without paths the default one. If one of several
 * cannot be read, a message reports it and it is skipped. It is an error if one
 * does not exist or if none can be read. The caller deinits RET also after an
 * error.
 */
struct error *inputs_open(
	const struct name_list *paths, struct inputs *ret) _must_check_;
/*
 * Surveys all inputs without a survey to DEPTH or more, and removes those that
 * FILTER excludes. FILTER is borrowed. It is an error if no input is left, or
 * if no input has a requested event.
 */
struct error *inputs_survey(struct inputs *inputs, enum survey_depth depth,
	const struct filter *filter) _must_check_;
/*
 * After the survey: prepares counting of TIME, but not of times below LEAST_NS.
 * It is an error if an input lacks the events for TIME.
 */
struct error *inputs_count_time(struct inputs *inputs, enum counted_time time,
	uint64_t least_ns) _must_check_;
/* Numbers the events of inputs that the caller added itself. */
void inputs_number_events(struct inputs *inputs);
/*
 * After a survey of SURVEY_TIMES: computes the time of sampling, from the first
 * sample to the last one, without the parts that --time excludes, summed over
 * all inputs. It is an error if an input has no times or no duration.
 */
struct error *inputs_seconds(
	const struct inputs *inputs, double *ret) _must_check_;
void inputs_deinit(struct inputs *inputs);

/*
 * Whether FILTER passes SAMPLE of EVENT, a number of INPUT, whose thread was in
 * AT. DSOs and symbols are not checked.
 */
bool input_wants_sample(const struct input *input, const struct filter *filter,
	size_t event, const struct sample *sample,
	const struct maps_context *at);

/*
 * What views need of the recording, so that they do not use its reader. All
 * pointers are borrowed. The features are complete after the survey.
 */
const char *input_path(const struct input *input);
const struct features *input_features(const struct input *input);
/* Returns the attribute of EVENT in the first input that has it. */
const struct perf_event_attr *inputs_event_attr(
	const struct inputs *inputs, const struct input_event *event);
/* reader_reserve() and reader_release() of the recording. */
bool input_reserve(const struct input *input, uint64_t size);
void input_release(const struct input *input, uint64_t size);

/* Returns the name of the recorded host, or "[unknown]". Borrowed. */
const char *input_host(const struct input *input);
/* Returns the number of lost samples, and their percentage of all samples. */
uint64_t input_lost(const struct input *input, double *percent_ret);

/* Returns the number of INPUT, from 0, as in contexts and frames. */
static inline uint16_t inputs_number(
	const struct inputs *inputs, const struct input *input)
{
	return (uint16_t)(input - inputs->at.at);
}

#endif
