/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tui/tui_query.h"

#include <inttypes.h>

#include "common/util/alloc.h"
#include "common/util/escape.h"

static const char *const kind_names[] = {
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

/* So many names of a list are told. */
#define NAMES_SHOWN 3u

/* --- the filters of the command line --------------------------------------- */

static void push(struct tui_wish *wish, enum tui_filter_kind kind,
	const char *value, bool is_given)
{
	*array_push(&wish->filters) = (struct tui_filter){
		.kind = kind,
		.value = xstrdup(value),
		.number = (uint32_t)strtoul(value, NULL, 10),
		.is_given = is_given,
	};
}

static void push_list(
	struct tui_wish *wish, enum tui_filter_kind kind, struct strbuf *list,
	size_t n)
{
	if (n > NAMES_SHOWN)
		strbuf_printf(list, " and %zu more", n - NAMES_SHOWN);
	if (n)
		push(wish, kind, list->at, true);
}

static void push_names(struct tui_wish *wish, enum tui_filter_kind kind,
	const struct name_list *list)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	size_t i;

	for (i = 0; i < MIN(list->names.n, (size_t)NAMES_SHOWN); i++)
		strbuf_printf(
			&text, "%s%s", i ? "," : "", list->names.at[i]);
	push_list(wish, kind, &text, list->names.n);
}

static void push_numbers(struct tui_wish *wish, enum tui_filter_kind kind,
	const uint32_t *numbers, size_t n)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	size_t i;

	for (i = 0; i < MIN(n, (size_t)NAMES_SHOWN); i++)
		strbuf_printf(&text, "%s%" PRIu32, i ? "," : "", numbers[i]);
	push_list(wish, kind, &text, n);
}

void tui_wish_init(const struct options *options, struct tui_wish *ret)
{
	const struct filter *given = &options->filter;
	struct filter *filter = &ret->options.filter;

	*ret = (struct tui_wish){ .options = *options, .given = *given };
	push_names(ret, TUI_FILTER_HOST, &given->hosts);
	push_names(ret, TUI_FILTER_CGROUP, &given->cgroups);
	push_numbers(ret, TUI_FILTER_CPU, given->cpus.list.at,
		given->cpus.list.n);
	if (given->times)
		push(ret, TUI_FILTER_TIME, given->times, true);
	push_numbers(ret, TUI_FILTER_PROCESS, given->pids.numbers.at,
		given->pids.numbers.n);
	push_numbers(ret, TUI_FILTER_THREAD, given->tids.numbers.at,
		given->tids.numbers.n);
	push_names(ret, TUI_FILTER_COMM, &given->comms);
	push_names(ret, TUI_FILTER_DSO, &given->dsos);
	push_names(ret, TUI_FILTER_SYMBOL, &given->symbols);
	if (given->row_part)
		push(ret, TUI_FILTER_NAME, given->row_part, true);
	*filter = (struct filter){ .events = given->events,
		.symbol_part = given->symbol_part };
}

static void apply_given(const struct filter *given, enum tui_filter_kind kind,
	struct filter *filter)
{
	switch (kind) {
	case TUI_FILTER_COMM: filter->comms = given->comms; break;
	case TUI_FILTER_DSO: filter->dsos = given->dsos; break;
	case TUI_FILTER_THREAD: filter->tids = given->tids; break;
	case TUI_FILTER_TIME: filter->times = given->times; break;
	case TUI_FILTER_NAME: filter->row_part = given->row_part; break;
	case TUI_FILTER_PROCESS: filter->pids = given->pids; break;
	case TUI_FILTER_SYMBOL: filter->symbols = given->symbols; break;
	case TUI_FILTER_CPU: filter->cpus = given->cpus; break;
	case TUI_FILTER_CGROUP: filter->cgroups = given->cgroups; break;
	case TUI_FILTER_HOST: filter->hosts = given->hosts; break;
	}
}

/* -------------------------------------------------------------------------- */

/* A list of that one; nobody adds to it. */
static struct name_list only(struct tui_filter *filter)
{
	return (struct name_list){
		.names = { .at = &filter->value, .n = 1, .room = 1 }
	};
}

static void apply(struct options *options, struct tui_filter *filter)
{
	switch (filter->kind) {
	case TUI_FILTER_COMM: options->filter.comms = only(filter); break;
	case TUI_FILTER_DSO: options->filter.dsos = only(filter); break;
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

void tui_wish_apply(const struct tui_wish *wish, struct options *ret)
{
	*ret = wish->options;
	array_each(&wish->filters, filter)
		if (filter->is_given)
			apply_given(&wish->given, filter->kind, &ret->filter);
		else
			apply(ret, filter);
}

void tui_wish_copy(const struct tui_wish *wish, struct tui_wish *ret)
{
	*ret = (struct tui_wish){ .options = wish->options,
		.given = wish->given };
	if (wish->sort)
		tui_wish_sort(ret, wish->sort);
	array_each(&wish->filters, filter)
		push(ret, filter->kind, filter->value, filter->is_given);
}

void tui_wish_deinit(struct tui_wish *wish)
{
	while (tui_wish_pop(wish))
		;
	array_free(&wish->filters);
	free(wish->sort);
}

void tui_wish_push(
	struct tui_wish *wish, enum tui_filter_kind kind, const char *value)
{
	push(wish, kind, value, false);
}

bool tui_wish_pop(struct tui_wish *wish)
{
	if (!wish->filters.n)
		return false;
	free(wish->filters.at[--wish->filters.n].value);
	return true;
}

void tui_wish_sort(struct tui_wish *wish, const char *keys)
{
	free(wish->sort);
	wish->sort = xstrdup(keys);
	wish->options.sort = wish->sort;
}

/* No later one is of its kind. */
static bool counts(const struct tui_wish *wish, const struct tui_filter *filter)
{
	const struct tui_filter *end = wish->filters.at + wish->filters.n;
	const struct tui_filter *later;

	for (later = filter + 1; later < end; later++)
		if (later->kind == filter->kind)
			return false;
	return true;
}

void tui_wish_put_crumbs(
	const struct tui_wish *wish, const char *mark, struct strbuf *out)
{
	array_each(&wish->filters, filter) {
		if (!counts(wish, filter))
			continue;
		strbuf_printf(out, " %s %s ", mark, kind_names[filter->kind]);
		escape_text(out, filter->value);
	}
	if (wish->options.is_relative)
		strbuf_puts(out, " (relative shares)");
}
