/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/flame/flame_result.h"

#include <inttypes.h>

#include "common/util/log.h"
#include "report/rows/fields.h"

/* Up to so many samples each may be told apart by its time. */
#define SAMPLES_PLENTY 500000u
#define SLICES_MAX 1024u
#define SLICES_MIN 32u
/* Of so many stacks by thread and slice, flame_make() joins slices anyway. */
#define STACKS_PLENTY (2 * FLAME_CELLS_MAX)
#define SLICES_FEW 4u

static bool has_times(const struct result *result)
{
	return field_is_there(field_find("time"), result_input(result)->reader);
}

/* At most MOST of them. */
static uint64_t length_of(const struct moments *moments, uint64_t most)
{
	uint64_t bins = moments->last - moments->first + 1;

	return moments->bin_ns * ((bins + most - 1) / most);
}

/*
 * Twice as many slices are up to twice as many stacks, each with its thread and
 * slice: where there are very many samples, fewer do, and where very many stacks,
 * still fewer.
 */
static uint64_t choose_length(const struct moments *moments)
{
	uint64_t most = SLICES_MAX, samples = moments->samples;

	for (; samples > SAMPLES_PLENTY && most > SLICES_MIN; samples /= 2)
		most /= 2;
	most = MAX(most, (uint64_t)SLICES_MIN);
	while (moments->samples > SAMPLES_PLENTY && most > SLICES_FEW &&
		variety_stacks(&moments->variety, most) > STACKS_PLENTY)
		most /= 2;
	return length_of(moments, most);
}

static void choose_slices(struct flame_result *made)
{
	const struct moments *moments = &made->moments;
	uint64_t length = choose_length(moments);

	made->slices.length = length;
	made->slices.first = moments->first_time / length * length;
	made->options.quantum_ns = length;
	made->options.sort = "tid,time";
}

/* Stacks that nothing passed of are none. */
static void tell_if_flat(const struct flame_result *made)
{
	if (!made->flame.cells.n)
		result_tell_nothing(&made->result);
	else if (!made->options.is_for_code)
		result_tell_flat(&made->result);
}

/* As many as a recording without too many stacks has at least. */
static void tell_slices(const struct flame_result *made)
{
	uint64_t length = made->slices.length;

	if (made->has_times && length > length_of(&made->moments, SLICES_MIN))
		log_note("%s: it holds too many different stacks to tell them "
			 "apart by short times: a range of time goes in steps "
			 "of %.3g s",
			reader_path(result_input(&made->result)->reader),
			(double)length / NSEC_PER_SEC);
}

static void tell_small(const struct flame_result *made)
{
	if (made->flame.n_small)
		log_note("%s: %" PRIu32 " frame%s too small to be drawn, "
			 "and shown as " HIST_REST,
			reader_path(result_input(&made->result)->reader),
			made->flame.n_small,
			made->flame.n_small == 1 ? " is" : "s are");
}

/* Of what was recorded with --off-cpu, time is more than samples. */
static void choose_time(struct flame_result *made)
{
	const struct reader *reader = result_input(&made->result)->reader;

	if (!made->options.prefers_wall || !offcpu_is_recorded(reader))
		return;
	if (offcpu_is_all(reader)) {
		made->options.time = TIME_WALL;
		log_note("%s was recorded with --off-cpu: what is counted is "
			 "time on and off the CPU, as --wall does; --no-wall "
			 "counts samples",
			reader_path(reader));
	} else {
		log_note("%s was recorded with --off-cpu: the samples of each "
			 "event are counted; --off-cpu and --wall count time",
			reader_path(reader));
	}
}

static void want_hits(struct flame_result *made)
{
	made->hits.takes = &made->result.request.takes;
	if (made->has_times)
		made->hits.time = field_find("time")->take[0];
	made->result.scan.hits = &made->hits;
}

struct error *flame_result_make(const struct options *options,
	const struct flame_wish *wish, struct flame_result *ret)
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
	choose_time(ret);
	err = result_survey(&ret->result);
	if (err)
		return err;
	if (wish->has_times && has_times(&ret->result)) {
		moments_count(&ret->result, &ret->moments);
		ret->has_times = ret->moments.samples;
	}
	if (ret->has_times)
		choose_slices(ret);
	if (wish->has_code)
		want_hits(ret);
	err = result_count_prepared(&ret->result);
	if (err)
		return err;
	flame_make(&ret->result, &ret->slices,
		wish->is_part ? UINT32_MAX : FLAME_NODES_MAX, &ret->flame);
	/* Who compares has an error of its own for no samples. */
	if (!wish->is_part || ret->flame.cells.n)
		tell_if_flat(ret);
	tell_small(ret);
	tell_slices(ret);
	return NULL;
}

void flame_result_deinit(struct flame_result *made)
{
	hits_deinit(&made->hits);
	flame_deinit(&made->flame);
	moments_deinit(&made->moments);
	result_deinit(&made->result);
}
