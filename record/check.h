/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `dwell doctor` looks at: one table of checks. Each takes facts, which
 * tests may make up, and says what it found. Checks print nothing and change
 * nothing.
 */
#ifndef DWELL_RECORD_CHECK_H
#define DWELL_RECORD_CHECK_H

#include "common/strbuf.h"
#include "record/asker.h"
#include "record/probe.h"

enum check_status {
	CHECK_OK,
	CHECK_LIMITED, /* something can't be recorded, or only less of it */
	CHECK_NO,      /* nothing can be recorded */
};

struct facts {
	const char *root; /* "", or a made-up folder that stands for /; */
			  /* all below is of there */
	const struct opener *opener;
	struct asker asker;
	struct pmus pmus;
	uint64_t n_cpus;	  /* online */
	uint64_t memlock, nofile; /* rlimits: bytes; descriptors at most */
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

/* The number in a file below /proc or /sys of these facts. */
bool facts_number(const struct facts *facts, const char *path, int64_t *ret);
/* PATH below the facts' root is there. */
bool facts_has(const struct facts *facts, const char *path);

/* What the table consists of, by file. */

/* check_kernel.c: settings of the kernel. */
void check_kernel(const struct facts *facts, struct finding *ret);
void check_paranoid(const struct facts *facts, struct finding *ret);
void check_kernel_symbols(const struct facts *facts, struct finding *ret);
void check_sample_rate(const struct facts *facts, struct finding *ret);
void check_cpu_time(const struct facts *facts, struct finding *ret);
void check_stack_depth(const struct facts *facts, struct finding *ret);
void check_rings(const struct facts *facts, struct finding *ret);
/* Bytes of the largest ring that each CPU may have; SIZE_MAX: of any size. */
size_t check_ring_size(const struct facts *facts);
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
