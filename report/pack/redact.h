/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes out of a recording what tells about the machine that it was made on: its
 * name, command lines, folders. What goes is overwritten where it stands, so
 * nothing else moves. Names of functions, files without their folders, commands
 * and threads stay: a report is made of them (dwell-pack(1) has the list).
 */
#ifndef DWELL_REPORT_PACK_REDACT_H
#define DWELL_REPORT_PACK_REDACT_H

#include "common/file/features.h"
#include "report/export/rewrite.h"

/* Records of that TYPE go. */
bool redact_drops(uint32_t type);
/* One whole record at DATA. */
void redact_record(uint8_t *data, size_t size);
/* What writer_create() is given; texts are overwritten whoever owns them. */
void redact_features(struct features *head);
void redact_sections(struct rewrite_sections *sections);

#endif
