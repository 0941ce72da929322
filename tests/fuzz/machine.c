/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/fuzz/machine.h"

#include <stdio.h>

#include "tests/unit/make_folder.h"

static struct folder root;

static void remove_all(void)
{
	folder_remove(&root);
}

static void make_once(void)
{
	if (root.path[0])
		return;
	folder_make(&root);
	if (atexit(remove_all))
		abort();
}

const char *machine_path(const char *name)
{
	static char path[256];

	make_once();
	snprintf(path, sizeof(path), "%s/%s", root.path, name);
	return path;
}

void machine_put(const char *name, const void *data, size_t size)
{
	make_once();
	folder_put_bytes(&root, name, data, size);
}
