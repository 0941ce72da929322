/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/unwind/recorded_unwinding.h"

#include <sys/utsname.h>

#include "common/perf/frame_origin.h"
#include "common/util/alloc.h"
#include "common/util/log.h"
#include "report/unwind/recorded_unwinding_private.h"

/*
 * Returns the recorded architecture, or that of this machine if not recorded.
 */
enum unwind_arch recorded_unwinding_arch(const struct reader *reader)
{
	const char *recorded = reader_features(reader)->arch;
	struct utsname here;

	if (!recorded && uname(&here) == 0)
		recorded = here.machine;
	return recorded ? unwind_arch_of_name(recorded) : UNWIND_NONE;
}

struct recorded_unwinding *recorded_unwinding_create(
	struct reader *reader, const struct survey *survey, struct files *files)
{
	struct recorded_unwinding *unwinding = xcalloc(1, sizeof(*unwinding));

	unwinding->reader = reader;
	unwinding->maps = survey->maps;
	unwinding->rules = address_rules_create(survey, files);
	unwinding->arch = recorded_unwinding_arch(reader);
	return unwinding;
}

void recorded_unwinding_destroy(struct recorded_unwinding *unwinding)
{
	if (!unwinding)
		return;
	array_each(&unwinding->threads, thread)
		recorded_unwinding_free_thread(*thread);
	array_free(&unwinding->threads);
	array_free(&unwinding->completed);
	address_rules_destroy(unwinding->rules);
	free(unwinding);
}

struct address_rules *recorded_unwinding_rules(
	struct recorded_unwinding *unwinding)
{
	return unwinding->rules;
}

struct recorded_unwinding_thread *recorded_unwinding_add_thread(
	struct recorded_unwinding *unwinding, bool is_second)
{
	struct recorded_unwinding_thread *thread =
		recorded_unwinding_make_thread(unwinding);

	thread->is_full = is_second;
	*array_push(&unwinding->threads) = thread;
	return thread;
}

void recorded_unwinding_finish(struct recorded_unwinding *unwinding)
{
	ARRAY(struct stitch *) parts = { 0 };

	array_each(&unwinding->threads, thread)
		*array_push(&parts) = &(*thread)->stitch;
	stitch_finish(parts.at, parts.n);
	array_free(&parts);
}

static int compare_completed_stacks(const void *a, const void *b)
{
	const struct recorded_unwinding_completed *left = a, *right = b;

	return COMPARE(left->position, right->position);
}

static const struct recorded_unwinding_completed *find_completed_stack(
	struct recorded_unwinding *unwinding, uint64_t position)
{
	const struct recorded_unwinding_completed *found;
	size_t i;

	if (!unwinding->is_sorted) {
		unwinding->is_sorted = true;
		array_each(&unwinding->threads, thread) {
			const struct stitch *stitch = &(*thread)->stitch;
			uint32_t end;

			for (end = 0; end < stitch->ends.n; end++)
				if (stitch->ends.at[end].like != STITCH_NONE)
					*array_push(
						&unwinding->completed) = (struct
						recorded_unwinding_completed){
						(*thread)
							->cuts.at[end]
							.position,
						*thread, end
					};
		}
		array_sort(&unwinding->completed, compare_completed_stacks);
	}
	i = array_count_before(
		&unwinding->completed, x, x->position < position);
	if (i == unwinding->completed.n)
		return NULL;
	found = &unwinding->completed.at[i];
	return found->position == position ? found : NULL;
}

void recorded_unwinding_complete_sample(struct recorded_unwinding *unwinding,
	struct recorded_unwinding_thread *thread, uint64_t position,
	struct sample *sample)
{
	const struct recorded_unwinding_completed *found =
		find_completed_stack(unwinding, position);
	size_t own = thread->n_own, n;
	uint64_t *entries;

	if (!found || own + FRAME_ORIGIN_MARK_MAX >= UNWINDING_CHAIN_MAX)
		return;
	thread->n_entries -= sample->n_chain - own;
	sample->n_chain = own;
	entries = thread->entries + thread->n_entries;
	n = recorded_unwinding_complete(found->thread, found->cut, entries,
		UNWINDING_CHAIN_MAX - FRAME_ORIGIN_MARK_MAX - sample->n_chain);
	n = frame_origin_put(FRAME_ORIGIN_SAMPLES, entries, n, 0);
	thread->n_entries += n;
	sample->n_chain += n;
}

struct stack_counts recorded_unwinding_counts(
	const struct recorded_unwinding *unwinding)
{
	struct stack_counts counts = { 0 };
	size_t i;

	array_each(&unwinding->threads, at) {
		const struct recorded_unwinding_thread *thread = *at;

		stack_counts_add(&counts, &thread->counts);
		/*
		 * Add the truncated stacks that were completed, or else
		 * continued by frame pointers: a completed stack does not use
		 * frame pointers.
		 */
		for (i = 0; i < thread->cuts.n; i++)
			if (thread->stitch.ends.at[i].like != STITCH_NONE) {
				counts.joined++;
				counts.whole++;
				counts.ends[UNWIND_TRUNCATED]--;
			} else {
				counts.spliced += thread->cuts.at[i].is_spliced;
			}
	}
	return counts;
}

void recorded_unwinding_report_missing(
	const struct recorded_unwinding *unwinding)
{
	const char *first;
	uint32_t n = address_rules_missing(unwinding->rules, &first);

	if (unwinding->arch == UNWIND_NONE)
		log_note("%s: cannot unwind stack copies of %s: dwell "
			 "supports "
			 "x86-64, i386 and aarch64",
			reader_path(unwinding->reader),
			reader_features(unwinding->reader)->arch);
	if (n)
		log_note("%s: cannot find the recorded file %s%s: callers of "
			 "its code are missing or guessed by frame pointers",
			reader_path(unwinding->reader), first,
			n > 1 ? " and others" : "");
}
