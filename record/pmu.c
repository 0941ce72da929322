/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/pmu.h"

#include <dirent.h>

#include "record/sysfile.h"

#define DEVICES "/sys/bus/event_source/devices"

static void read_pmu(const char *path, const char *name, struct pmus *ret)
{
	_cleanup_free_ char *type_path = xasprintf("%s/%s/type", path, name);
	_cleanup_free_ char *cpus_path = xasprintf("%s/%s/cpus", path, name);
	char cpus[4096];
	struct pmu *pmu;
	int64_t type;

	if (!sysfile_number(type_path, &type) || type < 0)
		return;
	pmu = array_push(&ret->list);
	pmu->name = xstrdup(name);
	pmu->type = (uint32_t)type;
	if (sysfile_line(cpus_path, cpus, sizeof(cpus)))
		pmu->is_core = cpus_parse(cpus, &pmu->cpus);
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

	memset(ret, 0, sizeof(*ret));
	if (!path)
		path = DEVICES;
	dir = opendir(path);
	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			read_pmu(path, entry->d_name, ret);
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
