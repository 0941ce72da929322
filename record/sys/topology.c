/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/sys/topology.h"

#include <dirent.h>
#include <inttypes.h>

#include "common/util/alloc.h"
#include "record/sys/sysfile.h"

/* Returns the number in the file NAME of FOLDER, or -1. */
static int topology_number(const char *folder, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/topology/%s", folder, name);
	int64_t number;

	return sysfile_number(path, &number) && number >= 0 &&
			number <= INT32_MAX
		? (int)number
		: -1;
}

struct topology_of_cpu topology_read(const char *root, uint32_t cpu)
{
	_cleanup_free_ char *folder =
		xasprintf("%s/sys/devices/system/cpu/cpu%" PRIu32, root, cpu);
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	int node = -1, found, end;

	/* The N of the link "nodeN" in the folder. */
	while (dir && node < 0 && (entry = readdir(dir))) {
		end = 0;
		if (sscanf(entry->d_name, "node%9d%n", &found, &end) == 1 &&
			!entry->d_name[end] && found >= 0)
			node = found;
	}
	if (dir)
		closedir(dir);
	struct topology_of_cpu at = {
		.cpu = (int)cpu,
		.core = topology_number(folder, "core_id"),
		.die = topology_number(folder, "die_id"),
		.socket = topology_number(folder, "physical_package_id"),
		.node = node,
	};

	at.die = MAX(at.die, 0);
	return at;
}
