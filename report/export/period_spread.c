/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/export/period_spread.h"

#include "common/util/alloc.h"
#include "report/export/counted_stacks.h"

#define IGNORED_PERCENT 1u

struct stack_period {
	uint32_t column; /* of the event */
	uint64_t mean;	 /* period of a sample */
	uint64_t samples;
};

struct stack_periods {
	const struct counted *counted;
	ARRAY(struct stack_period) at;
};

static int compare_periods(const void *a, const void *b)
{
	const struct stack_period *left = a, *right = b;

	if (left->column != right->column)
		return COMPARE(left->column, right->column);
	return COMPARE(left->mean, right->mean);
}

static void add_stack_period(void *data, const struct counted_stack *stack)
{
	struct stack_periods *periods = data;

	if (stack->samples)
		*array_push(&periods->at) = (struct stack_period){
			counted_column(periods->counted, stack),
			stack->period / stack->samples, stack->samples
		};
}

/*
 * Returns the mean of the first of the N elements at PERIODS with which their
 * samples are more than SKIPPED.
 */
static uint64_t period_after(
	const struct stack_period *periods, size_t n, uint64_t skipped)
{
	uint64_t samples = 0;
	size_t i = 0;

	while (i + 1 < n && (samples += periods[i].samples) <= skipped)
		i++;
	return periods[i].mean;
}

/* PERIODS are the N elements of one event, sorted. */
static bool do_periods_differ(const struct stack_period *periods, size_t n)
{
	uint64_t all = 0, ignored;
	size_t i;

	for (i = 0; i < n; i++)
		all += periods[i].samples;
	ignored = all / 100 * IGNORED_PERCENT;
	return period_after(periods, n, all - ignored - 1) / 2 >
		period_after(periods, n, ignored);
}

bool period_spread_is_large(const struct counted *counted)
{
	struct stack_periods periods = { .counted = counted };
	bool is_large = false;
	size_t i, next;

	counted_look(counted, add_stack_period, &periods);
	array_sort(&periods.at, compare_periods);
	for (i = 0; i < periods.at.n && !is_large; i = next) {
		next = i + 1;
		while (next < periods.at.n &&
			periods.at.at[next].column == periods.at.at[i].column)
			next++;
		is_large = do_periods_differ(&periods.at.at[i], next - i);
	}
	array_free(&periods.at);
	return is_large;
}
