/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `dwell doctor` looks at: one table of checks. Each takes facts, which
 * tests may make up, and says what it found. Checks print nothing and change
 * nothing.
 */
#ifndef DWELL_RECORD_DOCTOR_CHECK_H
#define DWELL_RECORD_DOCTOR_CHECK_H

#include "common/util/strbuf.h"
#include "record/doctor/facts.h"

enum check_status {
	CHECK_OK,
	CHECK_LIMITED, /* something can't be recorded, or only less of it */
	CHECK_NO,      /* nothing can be recorded */
};

/* Starts as CHECK_OK without words. */
struct finding {
	enum check_status status;
	struct strbuf value; /* what was found; never empty */
	const char *meaning; /* for recording, in a few words */
	struct strbuf
		remedy; /* the command or step that changes it, or empty */
};

struct check {
	const char *name; /* also the key in JSON: a-z and _ */
	void (*look)(const struct facts *facts, struct finding *ret);
};
extern const struct check checks[];
extern const size_t n_checks;

/* What the table consists of, by file. */

/* check_kernel.c: settings of the kernel. */
void check_kernel(const struct facts *facts, struct finding *ret);
void check_paranoid(const struct facts *facts, struct finding *ret);
void check_kernel_symbols(const struct facts *facts, struct finding *ret);
void check_sample_rate(const struct facts *facts, struct finding *ret);
void check_cpu_time(const struct facts *facts, struct finding *ret);
void check_stack_depth(const struct facts *facts, struct finding *ret);
void check_rings(const struct facts *facts, struct finding *ret);
void check_descriptors(const struct facts *facts, struct finding *ret);
void check_lockdown(const struct facts *facts, struct finding *ret);
void check_features(const struct facts *facts, struct finding *ret);

/* check_stacks.c */
void check_stacks(const struct facts *facts, struct finding *ret);

/* check_machine.c: what there is to record with. */
void check_pmu(const struct facts *facts, struct finding *ret);
void check_precision(const struct facts *facts, struct finding *ret);
void check_watchdog(const struct facts *facts, struct finding *ret);
void check_tracepoints(const struct facts *facts, struct finding *ret);
void check_uprobes(const struct facts *facts, struct finding *ret);
void check_kprobes(const struct facts *facts, struct finding *ret);
void check_cgroups(const struct facts *facts, struct finding *ret);
void check_types(const struct facts *facts, struct finding *ret);

#endif
