/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tui/tui_query.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "common/util/alloc.h"
#include "common/util/clock.h"
#include "common/util/escape.h"
#include "common/util/log.h"
#include "report/util/progress.h"

static const char *const filter_kind_names[] = {
	[TUI_FILTER_COMM] = "comm",
	[TUI_FILTER_DSO] = "DSO",
	[TUI_FILTER_THREAD] = "thread",
	[TUI_FILTER_TIME] = "time",
	[TUI_FILTER_NAME] = "name",
	[TUI_FILTER_PROCESS] = "process",
	[TUI_FILTER_SYMBOL] = "symbol",
	[TUI_FILTER_CPU] = "CPU",
	[TUI_FILTER_CGROUP] = "cgroup",
	[TUI_FILTER_HOST] = "host",
};

/*
 * Number of names or numbers of a list that are shown for a filter of the
 * command line.
 */
#define NAMES_SHOWN 3u

/* --- the filters of the command line ------------------------------------- */

static void push_query_filter(struct tui_query *query,
	enum tui_filter_kind kind, const char *value, bool is_initial)
{
	*array_push(&query->filters) = (struct tui_filter){
		.kind = kind,
		.value = xstrdup(value),
		.number = (uint32_t)strtoul(value, NULL, 10),
		.is_initial = is_initial,
	};
}

static void push_initial_list(struct tui_query *query,
	enum tui_filter_kind kind, struct strbuf *list, size_t n)
{
	if (n > NAMES_SHOWN)
		strbuf_printf(list, " and %zu more", n - NAMES_SHOWN);
	if (n)
		push_query_filter(query, kind, list->at, true);
}

static void push_initial_names(struct tui_query *query,
	enum tui_filter_kind kind, const struct filter_names *list)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	size_t i;

	for (i = 0; i < MIN(list->names.n, (size_t)NAMES_SHOWN); i++)
		strbuf_printf(&text, "%s%s", i ? "," : "", list->names.at[i]);
	push_initial_list(query, kind, &text, list->names.n);
}

static void push_initial_numbers(struct tui_query *query,
	enum tui_filter_kind kind, const uint32_t *numbers, size_t n)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	size_t i;

	for (i = 0; i < MIN(n, (size_t)NAMES_SHOWN); i++)
		strbuf_printf(&text, "%s%" PRIu32, i ? "," : "", numbers[i]);
	push_initial_list(query, kind, &text, n);
}

void tui_query_init(const struct options *options, struct tui_query *ret)
{
	const struct filter *initial = &options->filter;
	struct filter *filter = &ret->options.filter;

	*ret = (struct tui_query){ .options = *options, .initial = *initial };
	push_initial_names(ret, TUI_FILTER_HOST, &initial->hosts);
	push_initial_names(ret, TUI_FILTER_CGROUP, &initial->cgroups);
	push_initial_numbers(ret, TUI_FILTER_CPU, initial->cpus.list.at,
		initial->cpus.list.n);
	if (initial->times)
		push_query_filter(ret, TUI_FILTER_TIME, initial->times, true);
	push_initial_numbers(ret, TUI_FILTER_PROCESS, initial->pids.numbers.at,
		initial->pids.numbers.n);
	push_initial_numbers(ret, TUI_FILTER_THREAD, initial->tids.numbers.at,
		initial->tids.numbers.n);
	push_initial_names(ret, TUI_FILTER_COMM, &initial->comms);
	push_initial_names(ret, TUI_FILTER_DSO, &initial->dsos);
	push_initial_names(ret, TUI_FILTER_SYMBOL, &initial->symbols);
	if (initial->row_part)
		push_query_filter(
			ret, TUI_FILTER_NAME, initial->row_part, true);
	if (options->stacks.inline_self == OPTION_DEFAULT)
		ret->options.stacks.inline_self = OPTION_ON;
	/* With rows of callers, the start code of threads would be the first. */
	if (options->rows.children == OPTION_DEFAULT)
		ret->options.rows.children = OPTION_OFF;
	*filter = (struct filter){ .events = initial->events,
		.symbol_part = initial->symbol_part };
}

/* --- queries ------------------------------------------------------------- */

void tui_query_apply(const struct tui_query *query, struct options *ret)
{
	*ret = query->options;
	array_each(&query->filters, filter) {
		/* Borrowed from FILTER; nothing may be added to the lists. */
		const struct filter_names name = {
			.names = { .at = &filter->value, .n = 1, .room = 1 }
		};
		const struct filter own = { .comms = name,
			.dsos = name,
			.tids = { .numbers = { .at = &filter->number,
					  .n = 1,
					  .room = 1 } },
			.times = filter->value,
			.row_part = filter->value };
		const struct filter *from =
			filter->is_initial ? &query->initial : &own;

		switch (filter->kind) {
		case TUI_FILTER_COMM: ret->filter.comms = from->comms; break;
		case TUI_FILTER_DSO: ret->filter.dsos = from->dsos; break;
		case TUI_FILTER_THREAD: ret->filter.tids = from->tids; break;
		case TUI_FILTER_TIME: ret->filter.times = from->times; break;
		case TUI_FILTER_NAME:
			ret->filter.row_part = from->row_part;
			break;
		case TUI_FILTER_PROCESS: ret->filter.pids = from->pids; break;
		case TUI_FILTER_SYMBOL:
			ret->filter.symbols = from->symbols;
			break;
		case TUI_FILTER_CPU: ret->filter.cpus = from->cpus; break;
		case TUI_FILTER_CGROUP:
			ret->filter.cgroups = from->cgroups;
			break;
		case TUI_FILTER_HOST: ret->filter.hosts = from->hosts; break;
		}
	}
}

void tui_query_copy(const struct tui_query *query, struct tui_query *ret)
{
	*ret = (struct tui_query){ .options = query->options,
		.initial = query->initial };
	if (query->sort)
		tui_query_sort(ret, query->sort);
	array_each(&query->filters, filter)
		push_query_filter(
			ret, filter->kind, filter->value, filter->is_initial);
}

void tui_query_deinit(struct tui_query *query)
{
	while (tui_query_pop(query))
		;
	array_free(&query->filters);
	free(query->sort);
}

void tui_query_push(
	struct tui_query *query, enum tui_filter_kind kind, const char *value)
{
	push_query_filter(query, kind, value, false);
}

bool tui_query_pop(struct tui_query *query)
{
	if (!query->filters.n)
		return false;
	free(query->filters.at[--query->filters.n].value);
	return true;
}

void tui_query_sort(struct tui_query *query, const char *keys)
{
	free(query->sort);
	query->sort = keys ? xstrdup(keys) : NULL;
	query->options.rows.sort = query->sort;
}

/* Returns whether no filter after FILTER has the kind of FILTER. */
static bool is_last_of_kind(
	const struct tui_query *query, const struct tui_filter *filter)
{
	const struct tui_filter *end = query->filters.at + query->filters.n;
	const struct tui_filter *later;

	for (later = filter + 1; later < end; later++)
		if (later->kind == filter->kind)
			return false;
	return true;
}

void tui_query_put_crumbs(
	const struct tui_query *query, const char *mark, struct strbuf *out)
{
	array_each(&query->filters, filter) {
		if (!is_last_of_kind(query, filter))
			continue;
		strbuf_printf(
			out, " %s %s ", mark, filter_kind_names[filter->kind]);
		escape_text(out, filter->value);
	}
	array_each(&query->options.stacks.transforms.at, transform) {
		strbuf_printf(
			out, " %s %s", mark, transform_option(transform->kind));
		if (!transform->name)
			continue;
		strbuf_putc(out, ' ');
		escape_text(out, transform->name);
	}
	if (query->options.rows.is_relative)
		strbuf_puts(out, " (relative shares)");
}

/*
 * Size of the smallest recording that needs a preview; smaller recordings are
 * computed fast enough.
 */
#define PREVIEW_SIZE_MIN MIB(4)

static bool is_large_recording(const struct options *options)
{
	struct filter_names paths = { 0 };
	uint64_t size = 0;

	error_free(options_find_inputs(options, &paths));
	array_each(&paths.names, path) {
		struct stat status;

		if (stat(*path, &status) == 0)
			size += (uint64_t)status.st_size;
	}
	filter_names_deinit(&paths);
	return size >= PREVIEW_SIZE_MIN;
}

bool tui_query_preview(const struct tui_query *query, struct tui_query *ret)
{
	struct options options;

	tui_query_apply(query, &options);
	/* A preview selects its samples without symbols and callers. */
	if (filter_needs_code(&options.filter) || options.filter.row_part ||
		options.stacks.parent || options.stacks.ignored_callees ||
		options.stacks.hides_unresolved ||
		options.stacks.transforms.at.n ||
		options.count.weighs_accesses ||
		options.count.branches == OPTION_ON ||
		!(options.places.uses_servers || is_large_recording(&options)))
		return false;
	tui_query_copy(query, ret);
	tui_query_sort(ret, "comm,dso");
	ret->options.rows.fields = NULL;
	ret->options.stacks.inline_self = OPTION_OFF;
	ret->options.rows.children = OPTION_OFF;
	ret->options.graph.style = OPTION_GRAPH_NONE;
	ret->options.places.uses_servers = false;
	ret->options.names.has_no_names = true;
	return true;
}

/* --- results ------------------------------------------------------------- */

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

/* Sets the error "cancelled". Call with .lock held, or when no thread runs. */
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
	/* .make can end before it checks for the request to cancel. */
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
