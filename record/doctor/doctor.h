/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the checks of `dwell doctor` and formats the findings as text or JSON.
 */
#ifndef DWELL_RECORD_DOCTOR_DOCTOR_H
#define DWELL_RECORD_DOCTOR_DOCTOR_H

#include "record/doctor/check.h"

/* The table of the checks. */
struct doctor_check {
	const char *name; /* also the key in JSON: a-z and _ */
	void (*run)(const struct facts *facts, struct check_finding *ret);
};
extern const struct doctor_check checks[];
extern const size_t n_doctor_checks;

enum doctor_form { DOCTOR_TEXT, DOCTOR_COLOURED, DOCTOR_JSON };

/*
 * Runs all checks and appends the findings to OUT. Returns false if a check
 * finds that no events can be recorded (CHECK_NO).
 */
bool doctor_run(
	const struct facts *facts, enum doctor_form form, struct strbuf *out);

#endif
