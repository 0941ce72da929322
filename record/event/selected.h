/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events of a recording, as attrs, and how they sample; and the *sideband*
 * event that tells of mappings, forks and names. What an event is called, and
 * where it is looked up, is for others.
 */
#ifndef DWELL_RECORD_EVENT_SELECTED_H
#define DWELL_RECORD_EVENT_SELECTED_H

#include "common/perf/attr.h"
#include "common/util/cpus.h"
#include "record/event/callgraph.h"
#include "record/event/sample_fields.h"

/* What an event may want otherwise than the recording. */
enum wish {
	WISH_NONE,
	WISH_YES,
	WISH_NO,
};

/* One event to sample. */
struct selected {
	struct perf_event_attr attr;
	char *name;          /* as files and reports have it; owned */
	struct cpus cpus;    /* where it can count; empty: everywhere */
	char *tracepoint;    /* "group:name"; NULL: it is none; owned */
	char *filter;        /* of a tracepoint; NULL: none; owned */
	char *probed;        /* what attr.config1 points to; owned */
	uint64_t period, frequency; /* its own; both 0: as the others */
	uint32_t max_stack;         /* 0: as the others */
	enum wish callchains, inherits;
	struct callgraph callgraph; /* as far as it says something */
	bool follows; /* what its threads make is sampled, too */
	bool is_wide; /* opened per CPU, for whatever runs there */
	bool takes_each;     /* a period of 1 unless asked otherwise */
	bool is_named;       /* by name=: nothing is added to its name */
	bool ends_in_modifiers; /* its name, or in the slash before them */
	bool seeks_precise;  /* :P, precise_ip is lowered until it opens */
	bool has_modifiers;  /* u, k or h were asked for and so stay */
	bool is_default;     /* nobody asked for it: others may take over */
	bool is_on; /* its samples are switched on, now or by the exec */
	bool is_relocated;   /* attr.bp_addr holds if the command is loaded */
	uint64_t entry;      /* so that its entry point is here */
	uint32_t group;      /* those of one number are scheduled together */
	bool reads_counts;   /* :S, its samples tell the group's counters */
	bool is_weak;        /* :W, rather no group than not at all */
	/* Of --off-cpu's own (offcpu_events.h): */
	bool is_switch;
	size_t woken_at; /* where its raw data have who is woken, or 0 */
	uint64_t id;         /* the canonical one, once it is open */
};

struct selection {
	ARRAY(struct selected) events;
	bool keeps_stacks; /* their copies go into the file */
	uint64_t kept_registers; /* those that do without them; a mask */
	/* Where events are looked up; both borrowed. */
	const char *program; /* whose symbols mem: may name; NULL: none */
	const char *tracefs; /* NULL: where it is mounted */
};

/* Everything of its own is copied. */
void selected_copy(const struct selected *from, struct selected *ret);
void selected_deinit(struct selected *event);
void selection_deinit(struct selection *selection);

/* How all events of a recording are sampled. */
struct sampling {
	uint64_t frequency;     /* Hz, 0 if PERIOD counts */
	uint64_t period;        /* 0 if FREQUENCY counts */
	uint32_t max_stack;     /* entries of a call chain; 0: the kernel's */
	bool is_explicit;       /* the user gave one of both */
	bool has_callchains;
	struct callgraph callgraph;
	bool user_callchains, kernel_callchains; /* only those */
	bool all_user, all_kernel;               /* whatever events say */
	bool is_cpu_wide;       /* the target is CPUs */
	bool inherits;          /* children of the target count, too */
	bool starts_at_exec;
	bool has_cgroups;       /* samples tell theirs */
	struct carried carried; /* what else they tell */
	bool is_overwritten;    /* the newest samples, in rings (4.7) */
};
void selection_configure(
	struct selection *selection, const struct sampling *sampling);

/*
 * The attr of the sideband event, with everything that new kernels offer. It
 * counts from the moment it is opened.
 */
struct perf_event_attr event_sideband(bool inherits, bool is_cpu_wide);

/* Makes EVENT one of whole CPUs, whatever the target is. */
void selected_widen(struct selected *event);
/* Puts ":u" where only user space may be seen, in attr and name. */
void selected_restrict_to_user(struct selected *event);
/* Turns a hardware event into cpu-clock with what it was allowed. */
void selected_become_cpu_clock(struct selected *event);

#endif
