/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tui/tui_result.h"

#include <stdio.h>

#include "common/util/alloc.h"
#include "common/util/clock.h"
#include "common/util/log.h"
#include "report/util/progress.h"

static void take_result_progress(
	void *context, const char *step, double percent)
{
	struct tui_result *computed = context;

	pthread_mutex_lock(&computed->lock);
	snprintf(computed->step, sizeof(computed->step), "%s", step);
	computed->percent = percent;
	pthread_mutex_unlock(&computed->lock);
}

static void take_result_note(void *context, const char *line)
{
	struct tui_result *computed = context;

	strbuf_printf(&computed->notes, "%s\n", line);
}

/* Called with .lock held, or when no thread runs. */
static void set_cancelled(struct tui_result *computed)
{
	if (!computed->err)
		computed->err = error_new("cancelled");
}

static void *run_result_thread(void *data)
{
	struct tui_result *computed = data;
	struct log_receiver log =
		log_divert((struct log_receiver){ take_result_note, computed });
	struct progress_receiver progress = progress_divert(
		(struct progress_receiver){ take_result_progress, computed });

	computed->err = computed->make(&computed->options, &computed->result);
	progress_divert(progress);
	log_divert(log);
	pthread_mutex_lock(&computed->lock);
	computed->is_ready = true;
	/* .make can end before it notices the request. */
	if (progress_is_given_up())
		set_cancelled(computed);
	progress_give_up(false);
	pthread_cond_signal(&computed->became_ready);
	pthread_mutex_unlock(&computed->lock);
	return NULL;
}

static struct tui_result *create_tui_result(const struct tui_query *query)
{
	struct tui_result *computed = xcalloc(1, sizeof(*computed));
	pthread_condattr_t attr;

	tui_query_copy(query, &computed->query);
	tui_query_apply(&computed->query, &computed->options);
	pthread_mutex_init(&computed->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&computed->became_ready, &attr);
	pthread_condattr_destroy(&attr);
	return computed;
}

struct tui_result *tui_result_cancelled(const struct tui_query *query)
{
	struct tui_result *computed = create_tui_result(query);

	set_cancelled(computed);
	computed->is_ready = true;
	return computed;
}

struct tui_result *tui_result_begin(
	const struct tui_query *query, tui_result_make *make_result)
{
	struct tui_result *computed = create_tui_result(query);

	computed->make = make_result;
	computed->has_thread = pthread_create(&computed->thread, NULL,
				       run_result_thread, computed) == 0;
	if (!computed->has_thread)
		run_result_thread(computed);
	return computed;
}

bool tui_result_is_ready(struct tui_result *computed, int wait_ms)
{
	uint64_t until = clock_now_ns() + (uint64_t)wait_ms * NSEC_PER_MSEC;
	const struct timespec time = {
		.tv_sec = (time_t)(until / NSEC_PER_SEC),
		.tv_nsec = (long)(until % NSEC_PER_SEC),
	};
	bool is_ready;

	pthread_mutex_lock(&computed->lock);
	while (!computed->is_ready &&
		pthread_cond_timedwait(
			&computed->became_ready, &computed->lock, &time) == 0)
		;
	is_ready = computed->is_ready;
	pthread_mutex_unlock(&computed->lock);
	return is_ready;
}

void tui_result_cancel(struct tui_result *computed)
{
	pthread_mutex_lock(&computed->lock);
	if (computed->is_ready)
		set_cancelled(computed);
	else
		progress_give_up(true);
	pthread_mutex_unlock(&computed->lock);
}

void tui_result_put_progress(struct tui_result *computed, struct strbuf *out)
{
	pthread_mutex_lock(&computed->lock);
	if (*computed->step)
		strbuf_printf(
			out, "%s %.0f %%", computed->step, computed->percent);
	else
		strbuf_puts(out, "reading");
	pthread_mutex_unlock(&computed->lock);
}

void tui_result_destroy(struct tui_result *computed)
{
	if (!computed)
		return;
	tui_result_cancel(computed);
	if (computed->has_thread)
		pthread_join(computed->thread, NULL);
	result_deinit(&computed->result);
	error_free(computed->err);
	strbuf_free(&computed->notes);
	tui_query_deinit(&computed->query);
	pthread_cond_destroy(&computed->became_ready);
	pthread_mutex_destroy(&computed->lock);
	free(computed);
}
