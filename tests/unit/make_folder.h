/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A temporary folder with files in it, which stands for / or for a part of
 * sysfs. What can't be made or removed ends the program.
 */
#ifndef DWELL_MAKE_FOLDER_H
#define DWELL_MAKE_FOLDER_H

#include "common/util/base.h"

struct folder {
	char path[32];
};

void folder_make(struct folder *folder);
/* Writes a file, anew if it is there. NAME is a path, whose folders are made. */
void folder_put(
	const struct folder *folder, const char *name, const char *text);
void folder_put_bytes(const struct folder *folder, const char *name,
	const void *data, size_t size);
/* With all that is in it. */
void folder_remove(const struct folder *folder);

#endif
