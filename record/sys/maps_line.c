/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/sys/maps_line.h"

#include <inttypes.h>
#include <stdio.h>

/* The kernel writes a newline in a path as \012. */
static void unescape_path(char *path)
{
	char *from = path, *to = path;

	while (*from) {
		if (string_starts(from, "\\012")) {
			*to++ = '\n';
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
}

bool maps_line_parse(char *line, struct maps_line *ret)
{
	int path_at = 0;

	if (sscanf(line,
		    "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64
		    " %n",
		    &ret->start, &ret->end, ret->rights, &ret->offset,
		    &ret->major, &ret->minor, &ret->inode, &path_at) < 7 ||
		!path_at)
		return false;
	ret->path = line + path_at;
	ret->path[strcspn(ret->path, "\n")] = '\0';
	unescape_path(ret->path);
	return true;
}
