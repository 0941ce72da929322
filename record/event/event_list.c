/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/event_list.h"

#include <ctype.h>
#include <fnmatch.h>
#include <inttypes.h>

#include "record/event/event_name.h"
#include "record/event/tracefs.h"

/* Length in bytes at which the list of the fields of a tracepoint is cut. */
#define FIELDS_MAX 200u

static struct event_listed *add_listed_event(struct event_list *list,
	const char *kind, char *name, char *description)
{
	struct event_listed *new = array_push(&list->list);

	new->kind = kind;
	new->name = name;
	new->description = description;
	new->is_usable = true;
	return new;
}

/*
 * Returns whether the event can be opened for this process and user space,
 * which needs the fewest privileges.
 */
static bool can_open_event(
	const struct opener *opener, uint32_t type, uint64_t config)
{
	const struct perf_event_attr attr = {
		.type = type,
		.size = PERF_ATTR_SIZE_VER0,
		.config = config,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = opener->open(opener, &attr, 0, -1);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

struct cache_walk {
	const struct event_list_request *request;
	struct event_list *list;
};

static void add_cache_event(void *data, const char *name, uint64_t config)
{
	static const char *const ops[] = { "reads", "writes", "prefetches" };
	const struct cache_walk *walk = data;
	struct event_listed *event =
		add_listed_event(walk->list, "cache", xstrdup(name),
			xasprintf("%s%s", ops[config >> 8 & 3],
				config >> 16 ? " that missed" : ""));

	event->is_usable = can_open_event(
		walk->request->opener, PERF_TYPE_HW_CACHE, config);
}

struct pmu_walk {
	const struct pmus *pmus;
	const struct pmu *pmu;
	struct event_list *list;
	struct strbuf terms;
};

static void add_pmu_event(void *data, const char *name)
{
	const struct pmu_walk *walk = data;
	_cleanup_strbuf_ struct strbuf meaning = { 0 };

	pmu_event(walk->pmus, walk->pmu, name, &meaning);
	add_listed_event(walk->list, "pmu",
		xasprintf("%s/%s/", walk->pmu->name, name),
		xstrdup(meaning.at ? meaning.at : ""));
}

static void collect_term(void *data, const char *name)
{
	struct pmu_walk *walk = data;
	struct pmu_format format;

	if (pmu_format(walk->pmus, walk->pmu, name, &format))
		return;
	strbuf_printf(&walk->terms, "%s%s", walk->terms.n ? "," : "", name);
	if (pmu_format_max(&format) > 1)
		strbuf_printf(&walk->terms, "=0..0x%" PRIx64,
			pmu_format_max(&format));
}

static void add_syntax(const struct pmus *pmus, struct event_list *list)
{
	const struct {
		const char *kind, *name, *description, *pmu;
	} rows[] = {
		{ "raw", "rHEX", "a raw event of the CPU, by its number",
			NULL },
		{ "breakpoint", "mem:ADDRESS[/LENGTH][:rwx]",
			"a place that is read, written or executed; the "
			"address may be a symbol of the command",
			"breakpoint" },
		{ "uprobe", "uprobe:PATH:SYMBOL[+OFFSET][%return]",
			"calls of a function of a program or library, or "
			"its returns",
			"uprobe" },
		{ "kprobe", "kprobe:SYMBOL[+OFFSET][%return]",
			"calls of a function of the kernel, or its returns",
			"kprobe" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct event_listed *event = add_listed_event(list,
			rows[i].kind, xstrdup(rows[i].name),
			xstrdup(rows[i].description));

		event->is_syntax = true;
		event->is_usable = !rows[i].pmu || pmus_find(pmus, rows[i].pmu);
	}
}

void event_list_fields(const char *format, struct strbuf *out)
{
	const char *at = format, *start, *end;

	/* A line is such as "field:char prev_comm[16];". */
	while ((at = strstr(at, "field:")) && out->n < FIELDS_MAX) {
		at += strlen("field:");
		end = memchr(at, ';', strcspn(at, "\n"));
		if (end && end > at && end[-1] == ']')
			end = memrchr(at, '[', (size_t)(end - at));
		if (!end)
			continue;
		for (start = end; start > at &&
			(isalnum((unsigned char)start[-1]) ||
				start[-1] == '_');)
			start--;
		if (start == end || string_starts(start, "common_"))
			continue;
		strbuf_puts(out, out->n ? " " : "");
		strbuf_put(out, start, (size_t)(end - start));
	}
}

static char *describe_tracepoint(
	const struct tracefs *tracefs, const char *group, const char *name)
{
	_cleanup_strbuf_ struct strbuf format = { 0 };
	struct strbuf fields = { 0 };

	if (tracefs_format(tracefs, group, name, &format) && format.at)
		event_list_fields(format.at, &fields);
	return fields.at ? fields.at : xstrdup("");
}

static void add_tracepoints(
	const struct event_list_request *request, struct event_list *list)
{
	struct tracefs tracefs = { -1 };
	struct tracefs_names groups = { 0 };
	struct error *err = tracefs_open(request->tracefs, &tracefs);

	if (err) {
		list->trouble = xstrdup(err->text);
		error_free(err);
		return;
	}
	tracefs_groups(&tracefs, request->groups ?: "*", &groups);
	array_each(&groups.list, group) {
		struct tracefs_names names = { 0 };

		tracefs_events(&tracefs, *group, "*", &names);
		array_each(&names.list, name) {
			uint64_t id;

			/*
			 * Some tracepoints have no ID: they only describe
			 * records of the tracers of ftrace.
			 */
			if (!tracefs_id(&tracefs, *group, *name, &id))
				continue;
			add_listed_event(list, "tracepoint",
				xasprintf("%s:%s", *group, *name),
				request->wants_descriptions
					? describe_tracepoint(
						  &tracefs, *group, *name)
					: xstrdup(""));
		}
		tracefs_names_deinit(&names);
	}
	tracefs_names_deinit(&groups);
	tracefs_close(&tracefs);
}

void event_list_read(
	const struct event_list_request *request, struct event_list *ret)
{
	struct cache_walk walk = { request, ret };
	struct pmus pmus;

	*ret = (struct event_list){ 0 };
	pmus_read(request->pmus, &pmus);
	const struct event_name *row;

	for (row = event_name_table(); row->name; row++) {
		bool is_hardware = row->type == PERF_TYPE_HARDWARE;
		struct event_listed *event = add_listed_event(ret,
			is_hardware ? "hardware" : "software",
			xstrdup(row->name), xstrdup(row->description));

		event->is_usable =
			can_open_event(request->opener, row->type, row->config);
	}
	event_cache_each(add_cache_event, &walk);
	array_each(&pmus.list, pmu) {
		struct pmu_walk own = { &pmus, pmu, ret, { 0 } };

		pmu_each_event(&pmus, pmu, add_pmu_event, &own);
		pmu_each_term(&pmus, pmu, collect_term, &own);
		if (own.terms.n)
			add_listed_event(ret, "pmu",
				xasprintf("%s/.../", pmu->name),
				xasprintf("any of: %s", own.terms.at))
				->is_syntax = true;
		strbuf_free(&own.terms);
	}
	add_syntax(&pmus, ret);
	add_tracepoints(request, ret);
	pmus_deinit(&pmus);
}

void event_list_deinit(struct event_list *list)
{
	array_each(&list->list, event) {
		free(event->name);
		free(event->description);
	}
	array_free(&list->list);
	free(list->trouble);
}

static void offer_tracepoint_groups(struct completion *completion)
{
	struct tracefs tracefs = { -1 };
	struct tracefs_names groups = { 0 };
	struct error *err = tracefs_open(NULL, &tracefs);

	if (err) {
		error_free(err);
		return;
	}
	tracefs_groups(&tracefs, "*", &groups);
	array_each(&groups.list, group) {
		_cleanup_free_ char *name = xasprintf("%s:", *group);

		completion_offer(completion, name, "tracepoints");
	}
	tracefs_names_deinit(&groups);
	tracefs_close(&tracefs);
}

COMPLETER(event_list_complete)
{
	size_t length;
	struct event_list list;
	_cleanup_free_ char *group = NULL;

	completion_skip(completion, ",{");
	length = strcspn(completion->word, ":");
	group = completion->word[length] ? xstrndup(completion->word, length)
					 : xstrdup("");
	event_list_read(&(struct event_list_request){ .opener = &opener_kernel,
				.groups = group },
		&list);
	array_each(&list.list, event)
		if (event->is_usable && !event->is_syntax)
			completion_offer(
				completion, event->name, event->description);
	event_list_deinit(&list);
	if (!*group)
		offer_tracepoint_groups(completion);
}

COMPLETER(event_list_complete_kinds)
{
	struct event_list list;
	const char *kind = "";

	event_list_read(&(struct event_list_request){ .opener = &opener_kernel,
				.groups = "" },
		&list);
	array_each(&list.list, event) {
		if (!string_is(kind, event->kind))
			completion_offer(completion, event->kind, NULL);
		kind = event->kind;
	}
	completion_offer(completion, "tracepoint", NULL);
	event_list_deinit(&list);
}

bool event_list_matches(const struct event_listed *event, const char *word)
{
	if (string_is(word, "hw"))
		return string_is(event->kind, "hardware");
	if (string_is(word, "sw"))
		return string_is(event->kind, "software");
	if (strpbrk(word, "*?["))
		return !fnmatch(word, event->name, FNM_CASEFOLD) ||
			!fnmatch(word, event->description, FNM_CASEFOLD);
	return strcasestr(event->name, word) ||
		strcasestr(event->description, word) ||
		strcasecmp(event->kind, word) == 0;
}
