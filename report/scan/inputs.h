/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recordings of one report, each with what is its own: its reader, survey,
 * files and pick. Threads, address spaces and control groups have numbers of their
 * input, events have a number for all.
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
	struct files *files; /* owned; NULL until it is surveyed */
	struct pick pick;
	struct offcpu offcpu; /* where time is counted, else zeroed */
	struct offcpu_counts offcpu_counts; /* once it was scanned */
	ARRAY(uint32_t) events; /* by its own number: the one for all */
	uint64_t samples; /* recorded; once it was scanned: that count */
	struct unwound unwound; /* once it was scanned with chains */
};

/* Events of one name are one; two of one name in one input are two. */
struct input_event {
	const char *name;    /* borrowed from a reader */
	size_t input;        /* the first that has it, */
	uint32_t own;        /* and its number there */
	uint32_t occurrence; /* of its name in each input, from 0 */
	uint64_t lost;       /* samples, in all inputs */
};

/* A zeroed one is empty. */
struct inputs {
	ARRAY(struct input) at;
	size_t n_paths; /* so many were named */
	ARRAY(struct input_event) events;
};

/*
 * Opens the recordings PATHS, or if there are none what is there by default. One
 * of several that is damaged beyond reading is told and left out; one that isn't
 * there, or that nothing is left, is an error. RET is to be deinited also after
 * one.
 */
struct error *inputs_open(
	const struct name_list *paths, struct inputs *ret) _must_check_;
/*
 * Surveys those that aren't yet, DEPTH or more, and leaves out what FILTER,
 * which is borrowed, doesn't want. Nothing to be left, or no wanted event in
 * any, is an error.
 */
struct error *inputs_survey(struct inputs *inputs, enum survey_depth depth,
	const struct filter *filter) _must_check_;
/*
 * After that: what samples stand for where TIME is counted, which they all have
 * to tell, and less than LEAST_NS isn't; and what it is called.
 */
struct error *inputs_count_time(struct inputs *inputs, enum counted_time time,
	uint64_t least_ns) _must_check_;
/* Gives events their numbers, of inputs that were put in by hand. */
void inputs_number_events(struct inputs *inputs);
/*
 * After a survey of SURVEY_TIMES: how long they were sampled, from first samples to
 * last ones, without the parts that --time leaves out; the sum of all. No time at
 * all is an error.
 */
struct error *inputs_seconds(
	const struct inputs *inputs, double *ret) _must_check_;
void inputs_deinit(struct inputs *inputs);

/*
 * Whether FILTER wants one SAMPLE of EVENT, of INPUT's own number, which ran AT;
 * its code isn't looked at.
 */
bool input_wants_sample(const struct input *input, const struct filter *filter,
	size_t event, const struct sample *sample,
	const struct maps_context *at);

/* The name of the machine that it was recorded on, or "[unknown]". Borrowed. */
const char *input_host(const struct input *input);
/* Samples lost, and their share in percent of all that should be there. */
uint64_t input_lost(const struct input *input, double *percent_ret);

/* The number of an INPUT, from 0, as contexts and frames have it. */
static inline uint16_t inputs_number(
	const struct inputs *inputs, const struct input *input)
{
	return (uint16_t)(input - inputs->at.at);
}

#endif
