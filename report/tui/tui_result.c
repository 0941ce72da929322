/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tui/tui_result.h"

#include <stdio.h>

#include "common/util/alloc.h"
#include "common/util/clock.h"
#include "common/util/log.h"
#include "report/util/progress.h"

static void take_progress(void *context, const char *what, double percent)
{
	struct tui_answer *answer = context;

	pthread_mutex_lock(&answer->lock);
	snprintf(answer->what, sizeof(answer->what), "%s", what);
	answer->percent = percent;
	pthread_mutex_unlock(&answer->lock);
}

static void take_note(void *context, const char *line)
{
	struct tui_answer *answer = context;

	strbuf_printf(&answer->notes, "%s\n", line);
}

/* Whatever was made of it, nobody wants it. */
static void refuse(struct tui_answer *answer)
{
	if (!answer->err)
		answer->err = error_new("given up");
}

static void *make(void *data)
{
	struct tui_answer *answer = data;
	struct log_taker log =
		log_divert((struct log_taker){ take_note, answer });
	struct progress_taker progress = progress_divert(
		(struct progress_taker){ take_progress, answer });

	answer->err = answer->make(&answer->options, &answer->result);
	progress_divert(progress);
	log_divert(log);
	pthread_mutex_lock(&answer->lock);
	answer->is_there = true;
	/* It may have been too late for whoever makes it to see that. */
	if (progress_is_given_up())
		refuse(answer);
	progress_give_up(false);
	pthread_cond_signal(&answer->arrived);
	pthread_mutex_unlock(&answer->lock);
	return NULL;
}

static struct tui_answer *create(const struct tui_wish *wish)
{
	struct tui_answer *answer = xcalloc(1, sizeof(*answer));
	pthread_condattr_t attr;

	tui_wish_copy(wish, &answer->wish);
	tui_wish_apply(&answer->wish, &answer->options);
	pthread_mutex_init(&answer->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&answer->arrived, &attr);
	pthread_condattr_destroy(&attr);
	return answer;
}

struct tui_answer *tui_answer_refused(const struct tui_wish *wish)
{
	struct tui_answer *answer = create(wish);

	refuse(answer);
	answer->is_there = true;
	return answer;
}

struct tui_answer *tui_answer_begin(
	const struct tui_wish *wish, tui_answer_make *make_result)
{
	struct tui_answer *answer = create(wish);

	answer->make = make_result;
	answer->has_thread =
		pthread_create(&answer->thread, NULL, make, answer) == 0;
	if (!answer->has_thread)
		make(answer);
	return answer;
}

bool tui_answer_is_there(struct tui_answer *answer, int wait_ms)
{
	uint64_t until = clock_now_ns() + (uint64_t)wait_ms * NSEC_PER_MSEC;
	const struct timespec time = {
		.tv_sec = (time_t)(until / NSEC_PER_SEC),
		.tv_nsec = (long)(until % NSEC_PER_SEC),
	};
	bool is_there;

	pthread_mutex_lock(&answer->lock);
	while (!answer->is_there &&
		pthread_cond_timedwait(
			&answer->arrived, &answer->lock, &time) == 0)
		;
	is_there = answer->is_there;
	pthread_mutex_unlock(&answer->lock);
	return is_there;
}

void tui_answer_give_up(struct tui_answer *answer)
{
	pthread_mutex_lock(&answer->lock);
	if (answer->is_there)
		refuse(answer);
	else
		progress_give_up(true);
	pthread_mutex_unlock(&answer->lock);
}

void tui_answer_put_progress(struct tui_answer *answer, struct strbuf *out)
{
	pthread_mutex_lock(&answer->lock);
	if (*answer->what)
		strbuf_printf(out, "%s %.0f %%", answer->what, answer->percent);
	else
		strbuf_puts(out, "reading");
	pthread_mutex_unlock(&answer->lock);
}

void tui_answer_destroy(struct tui_answer *answer)
{
	if (!answer)
		return;
	tui_answer_give_up(answer);
	if (answer->has_thread)
		pthread_join(answer->thread, NULL);
	result_deinit(&answer->result);
	error_free(answer->err);
	strbuf_free(&answer->notes);
	tui_wish_deinit(&answer->wish);
	pthread_cond_destroy(&answer->arrived);
	pthread_mutex_destroy(&answer->lock);
	free(answer);
}
