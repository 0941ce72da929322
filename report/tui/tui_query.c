/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tui/tui_query.h"

#include <inttypes.h>
#include <sys/stat.h>

#include "common/util/alloc.h"
#include "common/util/escape.h"

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

/* Names of a list that are shown as a filter. */
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
	enum tui_filter_kind kind, const struct name_list *list)
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
	*filter = (struct filter){ .events = initial->events,
		.symbol_part = initial->symbol_part };
}

static void apply_initial_filter(const struct filter *initial,
	enum tui_filter_kind kind, struct filter *filter)
{
	switch (kind) {
	case TUI_FILTER_COMM: filter->comms = initial->comms; break;
	case TUI_FILTER_DSO: filter->dsos = initial->dsos; break;
	case TUI_FILTER_THREAD: filter->tids = initial->tids; break;
	case TUI_FILTER_TIME: filter->times = initial->times; break;
	case TUI_FILTER_NAME: filter->row_part = initial->row_part; break;
	case TUI_FILTER_PROCESS: filter->pids = initial->pids; break;
	case TUI_FILTER_SYMBOL: filter->symbols = initial->symbols; break;
	case TUI_FILTER_CPU: filter->cpus = initial->cpus; break;
	case TUI_FILTER_CGROUP: filter->cgroups = initial->cgroups; break;
	case TUI_FILTER_HOST: filter->hosts = initial->hosts; break;
	}
}

/* -------------------------------------------------------------------------- */

/* Returns a list of one name, borrowed from FILTER, to which nothing is added.
 */
static struct name_list single_name_list(struct tui_filter *filter)
{
	return (struct name_list){
		.names = { .at = &filter->value, .n = 1, .room = 1 }
	};
}

static void apply_query_filter(
	struct options *options, struct tui_filter *filter)
{
	switch (filter->kind) {
	case TUI_FILTER_COMM:
		options->filter.comms = single_name_list(filter);
		break;
	case TUI_FILTER_DSO:
		options->filter.dsos = single_name_list(filter);
		break;
	case TUI_FILTER_THREAD:
		options->filter.tids = (struct number_list){
			.numbers = { .at = &filter->number, .n = 1, .room = 1 }
		};
		break;
	case TUI_FILTER_TIME: options->filter.times = filter->value; break;
	case TUI_FILTER_NAME: options->filter.row_part = filter->value; break;
	default: break;
	}
}

void tui_query_apply(const struct tui_query *query, struct options *ret)
{
	*ret = query->options;
	array_each(&query->filters, filter)
		if (filter->is_initial)
			apply_initial_filter(
				&query->initial, filter->kind, &ret->filter);
		else
			apply_query_filter(ret, filter);
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
	query->sort = xstrdup(keys);
	query->options.sort = query->sort;
}

/* Returns whether no later filter has the same kind. */
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
	if (query->options.is_relative)
		strbuf_puts(out, " (relative shares)");
}

/* A smaller recording is computed fast enough without a preview. */
#define PREVIEW_SIZE_MIN MIB(4)

static bool is_large_recording(const struct options *options)
{
	struct name_list paths = { 0 };
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

/* Returns whether the choice of samples needs neither symbols nor callers. */
static bool needs_no_names(const struct options *options)
{
	return !filter_needs_code(&options->filter) &&
		!options->filter.row_part && !options->parent &&
		!options->ignored_callees && !options->hides_unresolved &&
		!options->weighs_accesses && options->branches != CHOICE_ON;
}

bool tui_query_preview(const struct tui_query *query, struct tui_query *ret)
{
	struct options options;

	tui_query_apply(query, &options);
	if (!needs_no_names(&options) ||
		!(options.places.uses_servers || is_large_recording(&options)))
		return false;
	tui_query_copy(query, ret);
	tui_query_sort(ret, "comm,dso");
	ret->options.fields = NULL;
	ret->options.children = CHOICE_OFF;
	ret->options.graph.style = GRAPH_NONE;
	ret->options.places.uses_servers = false;
	ret->options.has_no_names = true;
	return true;
}
