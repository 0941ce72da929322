/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a temporary folder with files, which stands for / or for a part of
 * sysfs. The functions abort the program if a file cannot be made or removed.
 */
#ifndef DWELL_MAKE_FOLDER_H
#define DWELL_MAKE_FOLDER_H

#include "common/util/base.h"

struct folder {
	char path[32];
};

void folder_make(struct folder *folder);
/* Writes or overwrites the file at path NAME, and makes its folders. */
void folder_put(
	const struct folder *folder, const char *name, const char *text);
void folder_put_bytes(const struct folder *folder, const char *name,
	const void *data, size_t size);
/* Removes the folder with all its files. */
void folder_remove(const struct folder *folder);

#endif
