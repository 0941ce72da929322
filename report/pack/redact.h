/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Removes facts about the recorded machine from a recording: the host name,
 * command lines and folders. Strings are overwritten in place. Names of
 * functions, file names without folders, and names of commands and threads
 * stay, because reports need these names (dwell-pack(1) has the list).
 */
#ifndef DWELL_REPORT_PACK_REDACT_H
#define DWELL_REPORT_PACK_REDACT_H

#include "common/file/features.h"
#include "report/pack/rewrite.h"

/* Returns whether records of TYPE are removed. */
bool redact_drops(uint32_t type);
/* Redacts the record of SIZE bytes at DATA, in place. */
void redact_record(uint8_t *data, size_t size);
/*
 * Redacts HEAD, the features for writer_create(). Strings are overwritten in
 * place.
 */
void redact_features(struct features *head);
void redact_sections(struct rewrite_sections *sections);

#endif
