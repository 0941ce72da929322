/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/progress.h"

#include <stdatomic.h>
#include <stdio.h>

#include "common/util/clock.h"
#include "common/util/log.h"

#define FIRST_AFTER (120 * NSEC_PER_MSEC)
#define EVERY (100 * NSEC_PER_MSEC)

static uint64_t next_at;
static bool is_shown;
static struct progress_receiver current_receiver;
static atomic_bool is_over;

struct progress_receiver progress_divert(struct progress_receiver receiver)
{
	struct progress_receiver before = current_receiver;

	current_receiver = receiver;
	return before;
}

void progress_give_up(bool is_given_up)
{
	atomic_store(&is_over, is_given_up);
}

bool progress_is_given_up(void)
{
	return atomic_load_explicit(&is_over, memory_order_relaxed);
}

void progress_show(const char *what, uint64_t done, uint64_t total)
{
	uint64_t time = clock_now_ns();
	double percent = total ? 100.0 * (double)done / (double)total : 0;

	if (current_receiver.take) {
		current_receiver.take(current_receiver.context, what, percent);
		return;
	}
	if (!next_at)
		next_at = time + FIRST_AFTER;
	if (time < next_at || !total)
		return;
	next_at = time + EVERY;
	if (log_get_level() == LOG_QUIET || !isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\r%s %3.0f %%\033[K", what, percent);
	is_shown = true;
}

void progress_clear(void)
{
	if (is_shown)
		fputs("\r\033[K", stderr);
	is_shown = false;
}
