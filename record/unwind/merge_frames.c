/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/merge_frames.h"

struct merging {
	const struct merge_input *input;
	size_t frame; /* index of the next frame of the language */
	uint64_t *out;
	size_t n;
};

/* Returns whether native frame I is of the function that interprets. */
static bool interprets(const struct merge_input *input, size_t i)
{
	const struct interpreter *interpreter = input->interpreter;
	/* A return address can be behind the last instruction of a function. */
	uint64_t pc = input->native[i] - (i ? 1 : 0);
	size_t range;

	for (range = 0; range < interpreter->n_ranges; range++)
		if (pc >= interpreter->ranges[range].start &&
			pc < interpreter->ranges[range].end)
			return true;
	return false;
}

/*
 * Returns whether a group counts. IS_SHOWN is whether one of its frames is shown.
 */
static bool is_counted(const struct merge_input *input, bool is_shown)
{
	return is_shown || input->interpreter->has_hidden_groups;
}

static void put_address(struct merging *merging, uint64_t address)
{
	merging->out[merging->n++] = address;
}

/* Puts the next group that merge_frames() counts. */
static void put_group(struct merging *merging)
{
	const struct merge_input *input = merging->input;
	bool is_end = false, is_shown = false;

	while (!(is_end && is_counted(input, is_shown)) &&
		merging->frame < input->n_frames) {
		const struct interpreter_frame *frame =
			&input->frames[merging->frame++];

		if (frame->address)
			put_address(merging, frame->address);
		is_shown |= frame->address != 0;
		is_end = frame->ends_group;
	}
}

static void put_all_groups(struct merging *merging)
{
	while (merging->frame < merging->input->n_frames)
		put_group(merging);
}

static bool is_trampoline(const struct merge_input *input, size_t i)
{
	return i < input->n_native &&
		input->is_trampoline(input->data, input->native[i] - 1);
}

/*
 * Puts the native frames, and before each call of the function its group. The
 * first SKIPPED calls have no group, and the first EARLY groups have no call.
 * Calls that are left over stay without a group.
 */
static void merge_in_order(
	struct merging *merging, size_t skipped, size_t early)
{
	const struct merge_input *input = merging->input;
	size_t i;

	for (i = 0; i < input->n_native; i++) {
		if (interprets(input, i) && !skipped) {
			for (; early; early--)
				put_group(merging);
			put_group(merging);
			put_address(merging, input->native[i]);
			i += is_trampoline(input, i + 1);
			continue;
		}
		skipped -= interprets(input, i);
		put_address(merging, input->native[i]);
	}
	put_all_groups(merging);
}

/*
 * Puts the native frames inside of all calls, then all frames of the language,
 * then the native frames from the outermost call on.
 */
static void merge_alone(struct merging *merging)
{
	const struct merge_input *input = merging->input;
	size_t first = 0, last, i;

	while (first < input->n_native && !interprets(input, first))
		first++;
	last = input->n_native;
	while (last > first && !interprets(input, last - 1))
		last--;
	for (i = 0; i < first; i++)
		put_address(merging, input->native[i]);
	put_all_groups(merging);
	for (i = last > first ? last - 1 : first; i < input->n_native; i++)
		put_address(merging, input->native[i]);
}

enum merge_result merge_frames(
	const struct merge_input *input, uint64_t *out, size_t *n_ret)
{
	struct merging merging = { .input = input, .out = out };
	size_t n_calls = 0, n_groups = 0, i;
	enum merge_result result = MERGE_SHIFTED;
	bool is_shown = false;

	/* The last group can lack its end, if the list was cut. */
	for (i = 0; i < input->n_frames; i++) {
		is_shown |= input->frames[i].address != 0;
		if (!input->frames[i].ends_group && i + 1 < input->n_frames)
			continue;
		n_groups += is_counted(input, is_shown);
		is_shown = false;
	}
	for (i = 0; i < input->n_native; i++)
		n_calls += interprets(input, i);
	if (n_calls == n_groups) {
		merge_in_order(&merging, 0, 0);
		result = MERGE_EXACT;
	} else if (n_calls == n_groups + 1 &&
		((input->n_native && interprets(input, 0)) ||
			(input->n_native > 1 && interprets(input, 1)))) {
		/*
		 * The sample is at the beginning or end of a call, whose frame
		 * is not in the list yet or any longer: the sampled function
		 * or its caller is the one that interprets.
		 */
		merge_in_order(&merging, 1, 0);
	} else if (n_calls > n_groups || !input->is_whole) {
		/*
		 * Outer calls are of another list, as of a coroutine
		 * (greenlet).
		 */
		merge_in_order(&merging, 0, 0);
	} else if (n_calls + 1 == n_groups && n_calls) {
		merge_in_order(&merging, 0, 1);
	} else {
		merge_alone(&merging);
		result = MERGE_ALONE;
	}
	*n_ret = merging.n;
	return result;
}
