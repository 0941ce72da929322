/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/flame/flame_result.h"

#include <inttypes.h>

#include "common/util/log.h"
#include "report/rows/fields.h"

/*
 * Up to FLAME_SAMPLES_MAX samples, each sample keeps its time, rounded down to
 * EXACT_NS ns.
 */
#define EXACT_NS 1000u
/*
 * Other samples are counted in slices of the time range, up to SAMPLES_PLENTY
 * samples in SLICES_MAX slices.
 */
#define SAMPLES_PLENTY 500000u
#define SLICES_MAX 1024u
#define SLICES_MIN 32u
/*
 * Limit of the number of stacks, counted separately for each thread and slice.
 * Beyond the limit, flame_make() would join slices anyway.
 */
#define STACKS_PLENTY (2 * FLAME_CELLS_MAX)
#define SLICES_FEW 4u

/*
 * Returns the length of a slice, in ns, such that MOMENTS has at most MOST
 * slices.
 */
static uint64_t find_slice_length(
	const struct time_bins *moments, uint64_t most)
{
	uint64_t bins = moments->last - moments->first + 1;

	return moments->bin_ns * ((bins + most - 1) / most);
}

/* Returns the length of the slices of MOMENTS if samples keep their times. */
static uint64_t exact_slice_length(const struct time_bins *moments)
{
	uint64_t ns = moments->last_time - moments->first_time;
	uint64_t length = EXACT_NS;

	/* The length of a bin is a multiple of that of a slice. */
	while (ns / length >= UINT32_MAX - moments->bin_ns / length &&
		length < moments->bin_ns)
		length *= 10;
	return MIN(length, moments->bin_ns);
}

/*
 * Twice the number of slices creates up to twice the number of stacks, because
 * a stack belongs to a thread and a slice. Therefore there are fewer slices if
 * there are many samples, and still fewer if there are many stacks.
 */
static uint64_t choose_slice_length(const struct time_bins *moments)
{
	uint64_t most = SLICES_MAX, samples = moments->samples;

	for (; samples > SAMPLES_PLENTY && most > SLICES_MIN; samples /= 2)
		most /= 2;
	while (most > SLICES_FEW &&
		cardinality_estimate(&moments->cardinality, most) >
			STACKS_PLENTY)
		most /= 2;
	return find_slice_length(moments, most);
}

static void choose_flame_slices(struct flame_result *made)
{
	const struct time_bins *moments = &made->moments;
	uint64_t length;

	/*
	 * About 100 bytes for each sample, whatever the size of the file: a
	 * recording has about 9 bytes for a sample, and reader_reserve() would
	 * permit 81.
	 */
	made->options.keeps_times = moments->samples <= FLAME_SAMPLES_MAX;
	made->slices.length = made->options.keeps_times
		? exact_slice_length(moments)
		: choose_slice_length(moments);
	/* Both a slice and a bin begin there. */
	length = MAX(made->slices.length, moments->bin_ns);
	made->slices.first = moments->first_time / length * length;
	if (made->options.keeps_times)
		return;
	made->options.quantum_ns = made->slices.length;
	made->options.sort =
		made->options.time ? "tid,waits_in,time" : "tid,time";
}

/*
 * Prints a note if too many different stacks made slices longer than
 * 1/SLICES_MIN of the time range.
 */
static void report_long_slices(const struct flame_result *made)
{
	uint64_t length = made->slices.length;

	if (made->has_times &&
		length > find_slice_length(&made->moments, SLICES_MIN))
		log_note("%s: too many different stacks for short time slices: "
			 "a time range can be selected in steps of %.3g s",
			reader_path(result_input(&made->result)->reader),
			(double)length / NSEC_PER_SEC);
}

/*
 * Selects --wall for a recording of --off-cpu, unless an option selects what is
 * counted: time shows more than samples do.
 */
static void choose_counted_time(struct flame_result *made)
{
	const struct reader *reader = result_input(&made->result)->reader;

	if (!made->options.prefers_wall || !offcpu_is_recorded(reader))
		return;
	if (offcpu_covers_all_events(reader)) {
		made->options.time = TIME_WALL;
		log_note("%s was recorded with --off-cpu: showing time on and "
			 "off "
			 "the CPU, as with --wall. To show samples, use "
			 "--no-wall",
			reader_path(reader));
	} else {
		log_note("%s was recorded with --off-cpu: showing the samples "
			 "of "
			 "each event. To show time, use --off-cpu or --wall",
			reader_path(reader));
	}
}

static void collect_sample_addresses(struct flame_result *made)
{
	struct sample_addresses *hits = &made->result.hits;

	made->options.by_place = true;
	hits->sample_keys = &made->result.request.sample_keys;
	if (made->has_times && !made->options.keeps_times)
		hits->time = field_find("time")->take[0];
}

struct error *flame_result_make(const struct options *options,
	const struct flame_config *config, struct flame_result *ret)
{
	struct error *err;

	memset(ret, 0, sizeof(*ret));
	ret->options = *options;
	ret->options.view = "stdio";
	ret->options.branches = CHOICE_OFF;
	ret->options.sort = "tid";
	err = result_begin(&ret->options, &ret->result);
	if (err)
		return err;
	choose_counted_time(ret);
	if (ret->options.time)
		ret->options.sort = "tid,waits_in";
	err = result_survey(&ret->result);
	if (err)
		return err;
	if (config->has_times &&
		field_is_recorded(field_find("time"),
			result_input(&ret->result)->reader)) {
		time_bins_count(&ret->result, &ret->moments);
		ret->has_times = ret->moments.samples;
	}
	if (ret->has_times)
		choose_flame_slices(ret);
	if (config->has_code)
		collect_sample_addresses(ret);
	err = result_count_prepared(&ret->result);
	if (err)
		return err;
	result_measure_threads(&ret->result);
	flame_make(&ret->result, &ret->slices,
		config->is_part ? UINT32_MAX : FLAME_NODES_MAX,
		config->grouping, &ret->flame);
	/*
	 * A comparison reports a recording without samples by itself, as an
	 * error.
	 */
	if (!config->is_part || ret->flame.cells.n) {
		/*
		 * Prints a message if the flame graph has no samples, also if
		 * the filters excluded all of them, or has no callers.
		 */
		if (!ret->flame.cells.n)
			result_report_empty(&ret->result);
		else if (!ret->options.is_for_code)
			result_report_no_callers(&ret->result);
		result_report_unmatched_transforms(&ret->result);
	}
	if (ret->flame.n_small)
		log_note("%s: %" PRIu32 " frame%s too small to be drawn "
			 "and shown as " HIST_REST,
			reader_path(result_input(&ret->result)->reader),
			ret->flame.n_small,
			ret->flame.n_small == 1 ? " is" : "s are");
	report_long_slices(ret);
	return NULL;
}

void flame_result_deinit(struct flame_result *made)
{
	flame_deinit(&made->flame);
	time_bins_deinit(&made->moments);
	result_deinit(&made->result);
}
