/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What -e names, as attrs: "cycles", "cpu-clock:u", "r1a8",
 * "sched:sched_switch", several of them with commas between. And the
 * *sideband* event that tells of mappings, forks and names.
 */
#ifndef DWELL_RECORD_EVENT_H
#define DWELL_RECORD_EVENT_H

#include "common/attr.h"
#include "common/error.h"
#include "record/cpus.h"
#include "record/pmu.h"

/* One event to sample. */
struct selected {
	struct perf_event_attr attr;
	char *name;          /* as files and reports have it; owned */
	struct cpus cpus;    /* where it can count; empty: everywhere */
	bool seeks_precise;  /* :P, precise_ip is lowered until it opens */
	bool has_modifiers;  /* u, k or h were asked for and so stay */
	bool is_default;     /* nobody asked for it: others may take over */
	uint64_t id;         /* the canonical one, once it is open */
};

struct selection {
	ARRAY(struct selected) events;
};

/* Adds the events of TEXT (one -e). */
struct error *selection_add(struct selection *selection, const char *text,
	const struct pmus *pmus) _must_check_;
/* Adds what is sampled when there is no -e: cycles:P. */
void selection_add_default(
	struct selection *selection, const struct pmus *pmus);
void selection_deinit(struct selection *selection);

/* How all events of a recording are sampled. */
struct sampling {
	uint64_t frequency;     /* Hz, 0 if PERIOD counts */
	uint64_t period;        /* 0 if FREQUENCY counts */
	bool is_explicit;       /* the user gave one of both */
	bool has_callchains;
	bool inherits;          /* children of the target count, too */
	bool starts_at_exec;
};
void selection_configure(
	struct selection *selection, const struct sampling *sampling);

/*
 * The attr of the sideband event, with everything that new kernels offer. It
 * counts from the moment it is opened.
 */
struct perf_event_attr event_sideband(bool inherits, bool is_cpu_wide);

/* Puts ":u" where only user space may be seen, in attr and name. */
void selected_restrict_to_user(struct selected *event);
/* Turns a hardware event into cpu-clock with what it was allowed. */
void selected_become_cpu_clock(struct selected *event);

#endif
