/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/transform/cut_stacks.h"

#include "report/util/glue.h"

enum start {
	START_UNKNOWN, /* not compared yet */
	START_NO,
	START_YES,
};

void cut_stacks_deinit(struct cut_stacks *cut)
{
	array_free(&cut->starts);
}

bool cut_stacks_start_at(struct cut_stacks *cut, uint32_t location)
{
	struct resolver *resolver = cut->resolver;

	while (cut->starts.n <= location)
		array_push(&cut->starts);
	if (cut->starts.at[location] == START_UNKNOWN)
		cut->starts.at[location] =
			resolver_location(resolver, location)->symbol &&
				glue_is_start_name(resolver_function_name(
					resolver, location))
			? START_YES
			: START_NO;
	return cut->starts.at[location] == START_YES;
}

bool cut_stacks_find(struct cut_stacks *cut, const uint32_t *frames, size_t n,
	size_t *kept_ret, bool *is_cut_ret)
{
	const struct resolver *resolver = cut->resolver;
	const struct location *outermost;
	size_t first = n, functions = 0, i;

	if (!n || cut_stacks_start_at(cut, frames[n - 1]))
		return false;
	/* Find the outermost run of frames of user code. */
	for (; first; first--) {
		const struct location *at =
			resolver_location(resolver, frames[first - 1]);

		if (at->level != '.' || at->is_nowhere)
			break;
	}
	/* The innermost code may have been unmapped since, or be new. */
	if (first == n || !resolver_location(resolver, frames[first])->dso)
		return false;
	for (i = first; i < n; i++) {
		const struct location *at =
			resolver_location(resolver, frames[i]);

		if (!at->dso && !at->symbol)
			break;
		functions += !at->is_inlined;
	}
	*kept_ret = i;
	outermost = resolver_location(resolver, frames[i - 1]);
	/* One function without a symbol may be the start of a stripped program. */
	*is_cut_ret = i < n
		? !cut_stacks_start_at(cut, frames[i - 1])
		: functions == 1 && outermost->symbol && !outermost->is_guessed;
	return i < n || *is_cut_ret;
}
