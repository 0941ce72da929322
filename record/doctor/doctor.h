/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `dwell doctor`: every check as a line for people, or all of them as JSON.
 */
#ifndef DWELL_RECORD_DOCTOR_DOCTOR_H
#define DWELL_RECORD_DOCTOR_DOCTOR_H

#include "record/doctor/check.h"

/* Gathers the facts below ROOT ("": this machine) and of this process. */
void facts_read(
	const char *root, const struct opener *opener, struct facts *ret);
void facts_deinit(struct facts *facts);

/* How the answer is written. */
enum doctor_form { DOCTOR_TEXT, DOCTOR_COLOURED, DOCTOR_JSON };

/*
 * Appends the findings to OUT. False if any check says CHECK_NO: nothing can
 * be recorded.
 */
bool doctor_look(
	const struct facts *facts, enum doctor_form form, struct strbuf *out);

#endif
