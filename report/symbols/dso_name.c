/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/symbols/dso_name.h"

#include "common/maps/maps.h"
#include "common/util/alloc.h"
#include "report/survey/survey.h"

bool dso_name_is_kernel(const char *path)
{
	return string_starts(path, "[kernel.kallsyms]") ||
		string_starts(path, "[guest.kernel.kallsyms");
}

/* "/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz" is "[ext4]". */
static char *make_module_name(const char *path)
{
	const char *base = strrchr(path, '/');
	size_t length;
	char *name, *c;

	if (path[0] == '[')
		return xstrdup(path);
	base = base ? base + 1 : path;
	length = strcspn(base, ".");
	name = xasprintf("[%.*s]", (int)length, base);
	for (c = name; *c; c++)
		if (*c == '-')
			*c = '_';
	return name;
}

void dso_name_find(const struct dso *dso, struct dso_name *ret)
{
	const char *base = strrchr(dso->path, '/');
	uint32_t pid = dso->pid;

	ret->path = xstrdup(dso->path);
	if (dso_name_is_kernel(dso->path)) {
		/* "[kernel.kallsyms]_text" */
		free(ret->path);
		ret->path = xasprintf(
			"%.*s]", (int)strcspn(dso->path, "]"), dso->path);
		ret->shown = xstrdup(ret->path);
	} else if (dso->pid == MAPS_KERNEL_PID) {
		ret->shown = make_module_name(dso->path);
	} else if ((maps_is_anonymous(dso->path) && !dso->is_data) ||
		survey_is_timed_jit(dso->path, &pid)) {
		free(ret->path);
		ret->path = xasprintf("/tmp/perf-%u.map", pid);
		ret->shown = xasprintf("[JIT] tid %u", pid);
	} else {
		ret->shown = xstrdup(base && base[1] ? base + 1 : dso->path);
	}
}

void dso_name_deinit(struct dso_name *name)
{
	free(name->shown);
	free(name->path);
}
