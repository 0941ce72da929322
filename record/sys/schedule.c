/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/sys/schedule.h"

#include "common/util/cli.h"

static void add_schedule_step(
	struct schedule *schedule, uint64_t ms, bool is_on)
{
	*array_push(&schedule->steps) =
		(struct schedule_step){ ms * NSEC_PER_MSEC, is_on };
}

/* Parses a range such as "10-20". TEXT is modified. */
static struct error *add_range(struct schedule *schedule, char *text)
{
	char *first = strsep(&text, "-");
	uint64_t start = 0, end = 0, last = 0;
	struct error *err;

	err = cli_number(first, "-D", 0, UINT32_MAX, &start);
	if (!err)
		err = cli_number(text ? text : "", "-D", 0, UINT32_MAX, &end);
	if (err)
		return error_hint(err, "ranges are written as 10-20,30-40");
	if (schedule->steps.n)
		last = schedule->steps.at[schedule->steps.n - 1].after_ns;
	if (end <= start ||
		(schedule->steps.n && start * NSEC_PER_MSEC <= last))
		return error_usage("-D: the range %s-%s is empty or starts "
				   "before the end of the previous range",
			first, text);
	add_schedule_step(schedule, start, true);
	add_schedule_step(schedule, end, false);
	return NULL;
}

struct error *schedule_parse(const char *text, struct schedule *ret)
{
	uint64_t ms = 0;
	struct error *err;

	schedule_deinit(ret);
	ret->starts_off = true;
	if (string_is(text, "-1"))
		return NULL;
	if (strpbrk(text, "-,")) {
		_cleanup_free_ char *copy = xstrdup(text);
		char *rest = copy, *range;
		err = NULL;

		while (!err && (range = strsep(&rest, ",")))
			err = add_range(ret, range);
		return err;
	}
	err = cli_number(text, "-D", 0, UINT32_MAX, &ms);
	ret->starts_off = ms > 0;
	if (!err && ms)
		add_schedule_step(ret, ms, true);
	return err;
}

void schedule_deinit(struct schedule *schedule)
{
	array_free(&schedule->steps);
	schedule->starts_off = false;
}

bool schedule_ends(const struct schedule *schedule)
{
	size_t n = schedule->steps.n;

	return n && !schedule->steps.at[n - 1].is_on;
}
