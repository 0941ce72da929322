/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/event_list.h"

#include <ctype.h>
#include <fnmatch.h>
#include <inttypes.h>

#include "record/event/event_cache.h"
#include "record/event/event_name.h"
#include "record/event/tracefs.h"

/* Fields are listed up to about this length. */
#define FIELDS_MAX 200u

static struct offered *add(struct catalog *catalog, const char *kind,
	char *name, char *description)
{
	struct offered *new = array_push(&catalog->list);

	new->kind = kind;
	new->name = name;
	new->description = description;
	new->is_usable = true;
	return new;
}

/* For the caller itself and user space only: what everybody may try. */
static bool opens(const struct opener *opener, uint32_t type, uint64_t config)
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

static void add_named(
	const struct catalog_request *request, struct catalog *catalog)
{
	const struct event_name *row;

	for (row = event_name_table(); row->name; row++) {
		bool is_hardware = row->type == PERF_TYPE_HARDWARE;
		struct offered *offered = add(catalog,
			is_hardware ? "hardware" : "software",
			xstrdup(row->name), xstrdup(row->description));

		offered->is_usable =
			opens(request->opener, row->type, row->config);
	}
}

struct cache_walk {
	const struct catalog_request *request;
	struct catalog *catalog;
};

static void add_cache(void *data, const char *name, uint64_t config)
{
	static const char *const ops[] = { "reads", "writes", "prefetches" };
	const struct cache_walk *walk = data;
	struct offered *offered = add(walk->catalog, "cache", xstrdup(name),
		xasprintf("%s%s", ops[config >> 8 & 3],
			config >> 16 ? " that missed" : ""));

	offered->is_usable =
		opens(walk->request->opener, PERF_TYPE_HW_CACHE, config);
}

struct pmu_walk {
	const struct pmus *pmus;
	const struct pmu *pmu;
	struct catalog *catalog;
	struct strbuf terms;
};

static void add_pmu_event(void *data, const char *name)
{
	const struct pmu_walk *walk = data;
	_cleanup_strbuf_ struct strbuf meaning = { 0 };

	pmu_event(walk->pmus, walk->pmu, name, &meaning);
	add(walk->catalog, "pmu", xasprintf("%s/%s/", walk->pmu->name, name),
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

static void add_pmu(
	const struct pmus *pmus, const struct pmu *pmu, struct catalog *catalog)
{
	struct pmu_walk walk = { pmus, pmu, catalog, { 0 } };

	pmu_each_event(pmus, pmu, add_pmu_event, &walk);
	pmu_each_term(pmus, pmu, collect_term, &walk);
	if (walk.terms.n)
		add(catalog, "pmu", xasprintf("%s/.../", pmu->name),
			xasprintf("any of: %s", walk.terms.at))
			->is_syntax = true;
	strbuf_free(&walk.terms);
}

static void add_syntax(const struct pmus *pmus, struct catalog *catalog)
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
		struct offered *offered = add(catalog, rows[i].kind,
			xstrdup(rows[i].name), xstrdup(rows[i].description));

		offered->is_syntax = true;
		offered->is_usable =
			!rows[i].pmu || pmus_find(pmus, rows[i].pmu);
	}
}

/* The name in "field:char prev_comm[16];", the last word before ';' or '['. */
static void put_field(const char *line, size_t size, struct strbuf *out)
{
	const char *start = line, *end = memchr(line, ';', size);

	if (!end)
		return;
	if (end > start && end[-1] == ']')
		end = memrchr(line, '[', (size_t)(end - line));
	if (!end)
		return;
	for (line = end; line > start && (isalnum((unsigned char)line[-1]) ||
						 line[-1] == '_');)
		line--;
	if (line == end || string_starts(line, "common_"))
		return;
	strbuf_puts(out, out->n ? " " : "");
	strbuf_put(out, line, (size_t)(end - line));
}

void catalog_fields(const char *format, struct strbuf *out)
{
	const char *at = format;

	while ((at = strstr(at, "field:")) && out->n < FIELDS_MAX) {
		at += strlen("field:");
		put_field(at, strcspn(at, "\n"), out);
	}
}

static char *describe(
	const struct tracefs *tracefs, const char *group, const char *name)
{
	_cleanup_strbuf_ struct strbuf format = { 0 };
	struct strbuf fields = { 0 };

	if (tracefs_format(tracefs, group, name, &format) && format.at)
		catalog_fields(format.at, &fields);
	return fields.at ? fields.at : xstrdup("");
}

static void add_group(const struct tracefs *tracefs, const char *group,
	bool wants_descriptions, struct catalog *catalog)
{
	struct tracefs_names names = { 0 };

	tracefs_events(tracefs, group, "*", &names);
	array_each(&names.list, name) {
		uint64_t id;

		/* Some only describe what the kernel's own tracers write. */
		if (!tracefs_id(tracefs, group, *name, &id))
			continue;
		add(catalog, "tracepoint", xasprintf("%s:%s", group, *name),
			wants_descriptions ? describe(tracefs, group, *name)
					   : xstrdup(""));
	}
	tracefs_names_deinit(&names);
}

static void add_tracepoints(
	const struct catalog_request *request, struct catalog *catalog)
{
	struct tracefs tracefs = { -1 };
	struct tracefs_names groups = { 0 };
	struct error *err = tracefs_open(request->tracefs, &tracefs);

	if (err) {
		catalog->trouble = xstrdup(err->text);
		error_free(err);
		return;
	}
	tracefs_groups(&tracefs, "*", &groups);
	array_each(&groups.list, group)
		add_group(&tracefs, *group, request->wants_descriptions,
			catalog);
	tracefs_names_deinit(&groups);
	tracefs_close(&tracefs);
}

void catalog_read(const struct catalog_request *request, struct catalog *ret)
{
	struct cache_walk walk = { request, ret };
	struct pmus pmus;

	*ret = (struct catalog){ 0 };
	pmus_read(request->pmus, &pmus);
	add_named(request, ret);
	event_cache_each(add_cache, &walk);
	array_each(&pmus.list, pmu)
		add_pmu(&pmus, pmu, ret);
	add_syntax(&pmus, ret);
	add_tracepoints(request, ret);
	pmus_deinit(&pmus);
}

void catalog_deinit(struct catalog *catalog)
{
	array_each(&catalog->list, offered) {
		free(offered->name);
		free(offered->description);
	}
	array_free(&catalog->list);
	free(catalog->trouble);
}

bool offered_matches(const struct offered *offered, const char *word)
{
	if (string_is(word, "hw"))
		return string_is(offered->kind, "hardware");
	if (string_is(word, "sw"))
		return string_is(offered->kind, "software");
	if (strpbrk(word, "*?["))
		return !fnmatch(word, offered->name, FNM_CASEFOLD) ||
			!fnmatch(word, offered->description, FNM_CASEFOLD);
	return strcasestr(offered->name, word) ||
		strcasestr(offered->description, word) ||
		strcasecmp(offered->kind, word) == 0;
}
