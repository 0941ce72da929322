/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/pmu.h"

#include <ctype.h>
#include <dirent.h>
#include <fnmatch.h>
#include <strings.h>

#include "record/sys/sysfile.h"

#define DEVICES "/sys/bus/event_source/devices"
/* The longest line of a format or a named event. */
#define LINE_SIZE 4096u
#define CONFIG_BITS 64u

/* Reads the first line of a PMU's file into TEXT. */
static bool read_pmu_line(const char *root, const char *pmu, const char *file,
	char text[LINE_SIZE])
{
	_cleanup_free_ char *path = xasprintf("%s/%s/%s", root, pmu, file);

	return sysfile_line(path, text, LINE_SIZE);
}

static int compare_pmus(const void *a, const void *b)
{
	const struct pmu *left = a, *right = b;

	return COMPARE(left->type, right->type);
}

void pmus_read(const char *path, struct pmus *ret)
{
	struct dirent *entry;
	DIR *dir;

	*ret = (struct pmus){ .path = path ? path : DEVICES };
	dir = opendir(ret->path);
	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		const char *root = ret->path;
		const char *name = entry->d_name;
		_cleanup_free_ char *type_path =
			xasprintf("%s/%s/type", root, name);
		struct pmu *pmu;
		char text[LINE_SIZE];
		int64_t type;

		if (!sysfile_number(type_path, &type) || type < 0)
			continue;
		pmu = array_push(&ret->list);
		pmu->name = xstrdup(name);
		pmu->type = (uint32_t)type;
		pmu->max_precise =
			!read_pmu_line(root, name, "caps/max_precise", text) ||
				!isdigit((unsigned char)text[0])
			? -1
			: MIN(text[0] - '0', 3);
		if (read_pmu_line(root, name, "cpus", text))
			pmu->is_core = cpus_parse(text, &pmu->cpus);
		else if (read_pmu_line(root, name, "cpumask", text) &&
			!cpus_parse(text, &pmu->cpus))
			cpus_deinit(&pmu->cpus);
	}
	closedir(dir);
	array_sort(&ret->list, compare_pmus);
}

bool pmus_is_hybrid(const struct pmus *pmus)
{
	size_t n = 0;

	array_each(&pmus->list, pmu)
		n += pmu->is_core;
	return n > 1;
}

void pmus_deinit(struct pmus *pmus)
{
	array_each(&pmus->list, pmu) {
		free(pmu->name);
		cpus_deinit(&pmu->cpus);
	}
	array_free(&pmus->list);
}

const struct pmu *pmus_find(const struct pmus *pmus, const char *name)
{
	array_each(&pmus->list, pmu)
		if (string_is(pmu->name, name))
			return pmu;
	return NULL;
}

/* Returns whether NAME is PATTERN, possibly followed by "_NUMBER". */
static bool is_numbered_pmu(const char *name, const char *pattern)
{
	size_t length = strlen(pattern);

	if (!string_starts(name, pattern))
		return false;
	name += length;
	if (!*name)
		return true;
	return name[0] == '_' && name[1] &&
		!name[1 + strspn(name + 1, "0123456789")];
}

bool pmu_matches(const struct pmu *pmu, const char *pattern)
{
	const char *name = pmu->name;

	if (fnmatch(pattern, name, 0) == 0 || is_numbered_pmu(name, pattern))
		return true;
	return string_starts(name, "uncore_") &&
		is_numbered_pmu(name + strlen("uncore_"), pattern);
}

bool pmu_format_parse(const char *text, struct pmu_format *ret)
{
	*ret = (struct pmu_format){ 0 };
	if (!string_starts(text, "config"))
		return false;
	text += strlen("config");
	if (*text >= '1' && *text < (char)('0' + PMU_CONFIGS))
		ret->config = (unsigned)(*text++ - '0');
	if (*text != ':')
		return false;
	do {
		unsigned long first, last;
		char *end;

		/* Bit "7" or bits "0-7". */
		text++;
		if (!isdigit((unsigned char)*text))
			return false;
		first = last = strtoul(text, &end, 10);
		if (*end == '-') {
			if (!isdigit((unsigned char)end[1]))
				return false;
			last = strtoul(end + 1, &end, 10);
		}
		text = end;
		if (last < first || last >= CONFIG_BITS)
			return false;
		ret->bits |= UINT64_MAX >> (CONFIG_BITS - 1 - (last - first))
				<< first;
	} while (*text == ',');
	return !*text || *text == '\n';
}

uint64_t pmu_format_place(const struct pmu_format *format, uint64_t value)
{
	uint64_t bits = format->bits, result = 0;

	for (; bits; bits &= bits - 1, value >>= 1)
		if (value & 1)
			result |= bits & -bits;
	return result;
}

uint64_t pmu_format_max(const struct pmu_format *format)
{
	int width = __builtin_popcountll(format->bits);

	return UINT64_MAX >> (CONFIG_BITS - (unsigned)width);
}

int pmu_format(const struct pmus *pmus, const struct pmu *pmu, const char *term,
	struct pmu_format *ret)
{
	_cleanup_free_ char *file = xasprintf("format/%s", term);
	char text[LINE_SIZE];

	/* TERM, of the command line, must not leave the folder of the PMU. */
	if (!*term || *term == '.' || strchr(term, '/') ||
		!read_pmu_line(pmus->path, pmu->name, file, text))
		return -1;
	return pmu_format_parse(text, ret) ? 0 : -2;
}

static void each_pmu_file(const struct pmus *pmus, const struct pmu *pmu,
	const char *folder, void (*visit)(void *data, const char *name),
	void *data)
{
	_cleanup_free_ char *path =
		xasprintf("%s/%s/%s", pmus->path, pmu->name, folder);
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			visit(data, entry->d_name);
	closedir(dir);
}

void pmu_each_term(const struct pmus *pmus, const struct pmu *pmu,
	void (*visit)(void *data, const char *name), void *data)
{
	each_pmu_file(pmus, pmu, "format", visit, data);
}

struct event_walk {
	void (*visit)(void *data, const char *name);
	void *data;
};

static void visit_event(void *data, const char *name)
{
	static const char *const about_unit[] = { ".unit", ".scale", ".per-pkg",
		".snapshot" };
	const struct event_walk *walk = data;
	const char *dot = strrchr(name, '.');
	size_t i;

	for (i = 0; i < ARRAY_SIZE(about_unit); i++)
		if (dot && string_is(dot, about_unit[i]))
			return;
	walk->visit(walk->data, name);
}

void pmu_each_event(const struct pmus *pmus, const struct pmu *pmu,
	void (*visit)(void *data, const char *name), void *data)
{
	struct event_walk walk = { visit, data };

	each_pmu_file(pmus, pmu, "events", visit_event, &walk);
}

struct event_search {
	const char *wanted;
	char *found; /* owned */
};

static void compare_event(void *data, const char *name)
{
	struct event_search *search = data;

	if (!search->found && strcasecmp(name, search->wanted) == 0)
		search->found = xstrdup(name);
}

/*
 * Reads the first line of the file of the named event NAME that ends in SUFFIX
 * into TEXT.
 */
static bool read_event_line(const struct pmus *pmus, const struct pmu *pmu,
	const char *name, const char *suffix, char text[LINE_SIZE])
{
	struct event_search search = { .wanted = name };
	_cleanup_free_ char *found = NULL;
	_cleanup_free_ char *file = NULL;

	pmu_each_event(pmus, pmu, compare_event, &search);
	found = search.found;
	if (!found)
		return false;
	file = xasprintf("events/%s%s", found, suffix);
	return read_pmu_line(pmus->path, pmu->name, file, text);
}

bool pmu_event(const struct pmus *pmus, const struct pmu *pmu, const char *name,
	struct strbuf *out)
{
	char text[LINE_SIZE];

	if (!read_event_line(pmus, pmu, name, "", text))
		return false;
	strbuf_puts(out, text);
	return true;
}

struct pmu_unit pmu_event_unit(
	const struct pmus *pmus, const struct pmu *pmu, const char *name)
{
	struct pmu_unit unit = { 0 };
	char text[LINE_SIZE];

	if (read_event_line(pmus, pmu, name, ".scale", text)) {
		unit.scale = strtod(text, NULL);
		if (!(unit.scale > 0 && unit.scale <= PMU_SCALE_MAX))
			unit.scale = 0;
	}
	if (read_event_line(pmus, pmu, name, ".unit", text))
		memcpy(unit.text, text,
			MIN(strlen(text), sizeof(unit.text) - 1));
	unit.is_snapshot = read_event_line(pmus, pmu, name, ".snapshot", text);
	return unit;
}
