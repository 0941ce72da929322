/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where code was written, as the debug information of its file tells. The file
 * of a DSO, or its debug file, is opened when it is first asked for. For one
 * thread.
 */
#ifndef DWELL_LINES_H
#define DWELL_LINES_H

#include "report/files.h"

struct lines;

/* FILES is borrowed for the life of what is returned. */
struct lines *lines_create(struct files *files);
/* NULL is fine. */
void lines_destroy(struct lines *lines);

/*
 * The source file of the code at OFFSET of DSO's file, without its folder;
 * borrowed until destroyed. NULL if nobody tells. DSO is a number of
 * survey->maps.
 */
const char *lines_file(struct lines *lines, uint32_t dso, uint64_t offset);

#endif
