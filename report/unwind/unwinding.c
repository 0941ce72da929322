/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/unwind/unwinding.h"

#include <inttypes.h>
#include <sys/utsname.h>

#include "common/file/meta_section.h"
#include "common/perf/frame_origin.h"
#include "common/util/alloc.h"
#include "common/util/log.h"
#include "report/unwind/unwinding_private.h"

/* --- counts of unwound stacks ------------------------------------------ */

static const struct {
	const char *name, *text;
} ends[UNWIND_ENDS] = {
	[UNWIND_ROOT] = { "root", NULL },
	[UNWIND_TRUNCATED] = { "truncated", "longer than their copy" },
	[UNWIND_NO_RULE] = { "no_rule", "end in code without unwinding rules" },
	[UNWIND_NO_CODE] = { "no_code", "lead to no code" },
	[UNWIND_DAMAGED] = { "damaged", "damaged" },
	[UNWIND_REGISTER] = { "register", "lack a register" },
	[UNWIND_LIMIT] = { "limit", "too long" },
	[UNWIND_ELSEWHERE] = { "elsewhere", "go on on another stack" },
	[UNWIND_ZERO] = { "zero", "end at a return address of 0" },
};

void unwound_add(struct unwound *into, const struct unwound *from)
{
	size_t i;

	into->stacks += from->stacks;
	into->empty += from->empty;
	into->limited += from->limited;
	into->no_file += from->no_file;
	into->completed += from->completed;
	into->joined += from->joined;
	into->spliced += from->spliced;
	into->guessed += from->guessed;
	for (i = 0; i < UNWIND_ENDS; i++)
		into->ends[i] += from->ends[i];
}

/* Returns the number of truncated stacks that were completed. */
static uint64_t completed_stacks(const struct unwound *unwound)
{
	return unwound->joined + unwound->completed;
}

/*
 * Returns the percentage of complete stacks. Stacks of the requested depth
 * count as complete.
 */
static double complete_percent(const struct unwound *unwound)
{
	uint64_t whole = unwound->ends[UNWIND_ROOT] +
		completed_stacks(unwound) + unwound->limited;

	return 100.0 * (double)whole /
		(double)(unwound->stacks ? unwound->stacks : 1);
}

static void put_unwound_part(uint64_t n, const char *text,
	const char **separator, struct strbuf *out)
{
	if (!n)
		return;
	strbuf_printf(out, "%s%" PRIu64 " %s", *separator, n, text);
	*separator = ", ";
}

void unwound_print(const struct unwound *unwound, struct strbuf *out)
{
	const char *separator = "; ";
	size_t i;

	strbuf_printf(out, "%" PRIu64 " (%.2f %% complete", unwound->stacks,
		complete_percent(unwound));
	if (unwound->joined)
		strbuf_printf(out, ", %" PRIu64 " completed from other samples",
			unwound->joined);
	if (unwound->completed)
		strbuf_printf(out, ", %" PRIu64 " completed from the process",
			unwound->completed);
	if (unwound->limited)
		strbuf_printf(out,
			", %" PRIu64 " as deep as --max-stack allows",
			unwound->limited);
	for (i = 0; i < UNWIND_ENDS; i++)
		if (ends[i].text)
			put_unwound_part(unwound->ends[i] -
					(i == UNWIND_TRUNCATED
							? completed_stacks(
								  unwound)
							: 0),
				ends[i].text, &separator, out);
	put_unwound_part(unwound->no_file,
		"end in files that could not be opened", &separator, out);
	put_unwound_part(unwound->empty, "without a copy", &separator, out);
	separator = "; ";
	put_unwound_part(unwound->spliced, "continue by frame pointers",
		&separator, out);
	strbuf_putc(out, ')');
}

void unwound_put_json(
	const struct unwound *unwound, const char *key, struct json *json)
{
	size_t i;

	json_begin_object(json, key);
	json_unsigned(json, "stacks", unwound->stacks);
	json_fixed(json, "whole_percent", complete_percent(unwound), 4);
	json_unsigned(json, "joined", unwound->joined);
	json_unsigned(json, "completed", unwound->completed);
	json_unsigned(json, "spliced", unwound->spliced);
	json_unsigned(json, "guessed", unwound->guessed);
	json_begin_object(json, "ends");
	for (i = 0; i < UNWIND_ENDS; i++)
		json_unsigned(json, ends[i].name, unwound->ends[i]);
	if (unwound->no_file)
		json_unsigned(json, "no_file", unwound->no_file);
	json_unsigned(json, "empty", unwound->empty);
	json_unsigned(json, "limited", unwound->limited);
	json_end_object(json);
	json_end_object(json);
}

/* The recorder's names of counts in the section "meta" (doc/format.md). */
static const struct {
	const char *key;
	size_t at;
} recorded_counts[] = {
	{ "stacks", offsetof(struct unwound, stacks) },
	{ "stacks_whole", offsetof(struct unwound, ends[UNWIND_ROOT]) },
	{ "stacks_completed", offsetof(struct unwound, completed) },
	{ "stacks_joined", offsetof(struct unwound, joined) },
	{ "stacks_spliced", offsetof(struct unwound, spliced) },
	{ "stacks_framed", offsetof(struct unwound, spliced) },
	{ "stacks_guessed", offsetof(struct unwound, guessed) },
	{ "stacks_limited", offsetof(struct unwound, limited) },
	{ "stacks_empty", offsetof(struct unwound, empty) },
	{ "stacks_unfaulted", offsetof(struct unwound, empty) },
	{ "stacks_truncated",
		offsetof(struct unwound, ends[UNWIND_TRUNCATED]) },
	{ "stacks_no_rule", offsetof(struct unwound, ends[UNWIND_NO_RULE]) },
	{ "stacks_no_file", offsetof(struct unwound, no_file) },
	{ "stacks_no_code", offsetof(struct unwound, ends[UNWIND_NO_CODE]) },
	{ "stacks_damaged", offsetof(struct unwound, ends[UNWIND_DAMAGED]) },
	{ "stacks_register", offsetof(struct unwound, ends[UNWIND_REGISTER]) },
	{ "stacks_limit", offsetof(struct unwound, ends[UNWIND_LIMIT]) },
	{ "stacks_elsewhere",
		offsetof(struct unwound, ends[UNWIND_ELSEWHERE]) },
	{ "stacks_zero", offsetof(struct unwound, ends[UNWIND_ZERO]) },
};

struct unwound unwound_recorded(struct reader *reader)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	struct unwound unwound = { 0 };
	uint64_t *own_ends = unwound.ends;
	struct bytes meta = meta_section_read(reader, &raw);
	const char *key, *value;

	while (meta_section_next(&meta, &key, &value)) {
		size_t i;

		for (i = 0; i < ARRAY_SIZE(recorded_counts); i++)
			if (string_is(key, recorded_counts[i].key))
				*(uint64_t *)((char *)&unwound +
					recorded_counts[i].at) +=
					strtoull(value, NULL, 10);
	}
	/*
	 * The recorder counts completed stacks as whole, .ends counts them as
	 * truncated. Counts that are damaged are ignored.
	 */
	if (unwound.joined > own_ends[UNWIND_ROOT] ||
		unwound.completed > own_ends[UNWIND_ROOT] - unwound.joined)
		return (struct unwound){ 0 };
	own_ends[UNWIND_ROOT] -= unwound.joined + unwound.completed;
	own_ends[UNWIND_TRUNCATED] += unwound.joined + unwound.completed;
	return unwound;
}

/* --- the state that all threads share ---------------------------------- */

/*
 * Returns the recorded architecture, or that of this machine if not recorded.
 */
enum unwind_arch unwinding_arch(const struct reader *reader)
{
	const char *recorded = reader_features(reader)->arch;
	struct utsname here;

	if (!recorded && uname(&here) == 0)
		recorded = here.machine;
	return recorded ? unwind_arch_of_name(recorded) : UNWIND_NONE;
}

struct unwinding *unwinding_create(
	struct reader *reader, const struct survey *survey, struct files *files)
{
	struct unwinding *unwinding = xcalloc(1, sizeof(*unwinding));

	unwinding->reader = reader;
	unwinding->maps = survey->maps;
	unwinding->rules = address_rules_create(survey, files);
	unwinding->arch = unwinding_arch(reader);
	return unwinding;
}

void unwinding_destroy(struct unwinding *unwinding)
{
	if (!unwinding)
		return;
	array_each(&unwinding->threads, thread)
		unwinding_free_thread(*thread);
	array_free(&unwinding->threads);
	array_free(&unwinding->completed);
	address_rules_destroy(unwinding->rules);
	free(unwinding);
}

struct address_rules *unwinding_rules(struct unwinding *unwinding)
{
	return unwinding->rules;
}

struct unwinding_thread *unwinding_add_thread(
	struct unwinding *unwinding, bool is_second)
{
	struct unwinding_thread *thread = unwinding_make_thread(unwinding);

	thread->is_full = is_second;
	*array_push(&unwinding->threads) = thread;
	return thread;
}

void unwinding_finish(struct unwinding *unwinding)
{
	ARRAY(struct stitch *) parts = { 0 };

	array_each(&unwinding->threads, thread)
		*array_push(&parts) = &(*thread)->stitch;
	stitch_finish(parts.at, parts.n);
	array_free(&parts);
}

static void add_completed_stacks(struct unwinding *unwinding)
{
	array_each(&unwinding->threads, thread) {
		const struct stitch *stitch = &(*thread)->stitch;
		uint32_t i;

		for (i = 0; i < stitch->ends.n; i++)
			if (stitch->ends.at[i].like != STITCH_NONE)
				*array_push(&unwinding->completed) =
					(struct unwinding_completed){
						(*thread)->cuts.at[i].position,
						*thread, i
					};
	}
}

static int compare_completed_stacks(const void *a, const void *b)
{
	const struct unwinding_completed *left = a, *right = b;

	return COMPARE(left->position, right->position);
}

static const struct unwinding_completed *find_completed_stack(
	struct unwinding *unwinding, uint64_t position)
{
	const struct unwinding_completed *found;
	size_t i;

	if (!unwinding->is_sorted) {
		unwinding->is_sorted = true;
		add_completed_stacks(unwinding);
		array_sort(&unwinding->completed, compare_completed_stacks);
	}
	i = array_count_before(
		&unwinding->completed, x, x->position < position);
	if (i == unwinding->completed.n)
		return NULL;
	found = &unwinding->completed.at[i];
	return found->position == position ? found : NULL;
}

void unwinding_complete_sample(struct unwinding *unwinding,
	struct unwinding_thread *thread, uint64_t position,
	struct sample *sample)
{
	const struct unwinding_completed *found =
		find_completed_stack(unwinding, position);
	size_t own = thread->n_own, n;
	uint64_t *entries;

	if (!found || own + ORIGIN_MARK_MAX >= UNWINDING_CHAIN_MAX)
		return;
	thread->n_entries -= sample->n_chain - own;
	sample->n_chain = own;
	entries = thread->entries + thread->n_entries;
	n = unwinding_complete(found->thread, found->cut, entries,
		UNWINDING_CHAIN_MAX - ORIGIN_MARK_MAX - sample->n_chain);
	n = frame_origin_put(ORIGIN_SAMPLES, entries, n, 0);
	thread->n_entries += n;
	sample->n_chain += n;
}

/*
 * Adds the numbers of truncated stacks that were completed, or else continued
 * by frame pointers: a completed stack does not use frame pointers.
 */
static void add_truncated_counts(
	const struct unwinding_thread *thread, struct unwound *counts)
{
	size_t i;

	for (i = 0; i < thread->cuts.n; i++)
		if (thread->stitch.ends.at[i].like != STITCH_NONE)
			counts->joined++;
		else
			counts->spliced += thread->cuts.at[i].is_spliced;
}

struct unwound unwinding_counts(const struct unwinding *unwinding)
{
	struct unwound counts = { 0 };

	array_each(&unwinding->threads, thread) {
		unwound_add(&counts, &(*thread)->counts);
		add_truncated_counts(*thread, &counts);
	}
	return counts;
}

void unwinding_report_missing(const struct unwinding *unwinding)
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
