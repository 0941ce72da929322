/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses one line of /proc/PID/maps (proc_pid_maps(5)). Does not open the file.
 */
#ifndef DWELL_RECORD_SYS_MAPS_LINE_H
#define DWELL_RECORD_SYS_MAPS_LINE_H

#include "common/util/base.h"

struct maps_line {
	uint64_t start, end; /* addresses of the mapping */
	char rights[5];	     /* "r-xp" */
	uint64_t offset;     /* in the file, in bytes */
	unsigned major, minor;
	uint64_t inode; /* 0: memory without a file */
	char *path;	/* borrowed from the line; "": no name */
};

/* Parses LINE and changes it: cuts the newline, unescapes the path. */
bool maps_line_parse(char *line, struct maps_line *ret);

#endif
