/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events of a recording as attributes, with the properties of their
 * sampling; and the sideband event, whose records report mappings, forks and
 * names. Does not parse names of events (event.h).
 */
#ifndef DWELL_RECORD_EVENT_SELECTION_H
#define DWELL_RECORD_EVENT_SELECTION_H

#include "common/perf/attr.h"
#include "common/util/cpus.h"
#include "record/event/callgraph.h"
#include "record/event/pmu.h"
#include "record/event/sample_fields.h"

/*
 * A property that an event can set, instead of using the setting of the
 * recording.
 */
enum selection_choice {
	SELECTION_CHOICE_DEFAULT,
	SELECTION_CHOICE_YES,
	SELECTION_CHOICE_NO,
};

/* An event that samples. */
struct selection_event {
	struct perf_event_attr attr;
	char *name;	  /* name in files and reports; owned */
	struct cpus cpus; /* CPUs that can count the event; empty: all */
	char *tracepoint; /* "group:name", or NULL; owned */
	char *filter;	  /* the filter of a tracepoint, or NULL; owned */
	char *cgroup;	  /* name of the control group of -G, or NULL; owned */
	char *probed;	  /* the string that attr.config1 points to; owned */
	uint64_t period,
		frequency;  /* rate of this event; both 0: as the recording */
	uint32_t max_stack; /* 0: as the recording */
	enum selection_choice callchains, inherits;
	struct callgraph
		callgraph;	/* fields that are 0 are set by the recording */
	bool follows;		/* new threads and children are sampled */
	bool is_wide;		/* opened per CPU, not per thread */
	bool takes_each;	/* the default period is 1 */
	bool is_named;		/* named by name=: the name does not change */
	bool ends_in_modifiers; /* the name ends in modifiers, or in the slash
				   before them */
	bool seeks_precise; /* modifier P: precise_ip is lowered until the event
			       opens */
	bool has_modifiers; /* has modifiers u, k or h, which fallbacks keep */
	bool is_default;    /* the default event, which can be replaced */
	bool is_on;	    /* samples are enabled, now or by the exec */
	bool is_relocated;  /* attr.bp_addr is a linked address to relocate */
	struct pmu_unit unit; /* of a named event of a PMU */
	uint64_t entry; /* linked address of the entry point, if is_relocated */
	uint32_t group; /* events with the same number are a group; 0: none */
	bool reads_counts; /* modifier S: samples contain the counters of the
			      group */
	bool is_weak;	   /* modifier W: the group may be split */
	/* Events of --off-cpu (offcpu_events.h): */
	bool is_switch;
	bool is_wait;	 /* samples are made of the records of BPF programs */
	size_t woken_at; /* offset of the woken thread in the raw data, or 0 */
	uint64_t id;	 /* the canonical ID, set when the event is opened */
};

struct selection {
	ARRAY(struct selection_event) events;
	bool keeps_stacks;	 /* stack copies are written to the file */
	bool measures_waits;	 /* --off-cpu by BPF (offcpu_add_waits()) */
	bool unwinds_in_kernel;	 /* by BPF; stack copies are of other stacks */
	char *copy_reason;	 /* why BPF does not unwind; owned, or NULL */
	uint64_t kept_registers; /* --user-regs: mask of the registers that are
				    written even if the stack copy is not */
	/* Where names of events are looked up; borrowed. */
	const char *program; /* the program with the symbols of mem:, or NULL */
	const char *tracefs; /* folder of tracefs; NULL: the mounted one */
};

/* Copies FROM, including the strings and lists that FROM owns, to RET. */
void selection_event_copy(
	const struct selection_event *from, struct selection_event *ret);
void selection_event_deinit(struct selection_event *event);
void selection_deinit(struct selection *selection);

/* How the events of a recording sample. */
struct selection_sampling {
	uint64_t frequency; /* Hz; 0 if .period is used */
	uint64_t period;    /* events per sample; 0 if .frequency is used */
	uint32_t max_stack; /* entries of a call chain; 0: the kernel's limit */
	bool is_explicit;   /* set by -F or -c */
	bool has_callchains;
	struct callgraph callgraph;
	bool user_callchains,
		kernel_callchains; /* call chains have only the user part, or
				      the kernel part */
	bool all_user, all_kernel; /* override modifiers u and k of events */
	bool is_cpu_wide;	   /* the target is CPUs */
	bool inherits;		   /* children of the target are sampled */
	bool starts_at_exec;
	bool has_cgroups;	     /* samples contain the control group */
	struct sample_fields fields; /* optional fields */
	bool is_overwritten;	     /* keep the newest samples (Linux 4.7) */
};
void selection_configure(
	struct selection *selection, const struct selection_sampling *sampling);
/*
 * Makes the events of SELECTION count instead of sample: each reading is a
 * value with the times that it was enabled and running. Uses only the target,
 * the levels and the start of SAMPLING. Call groups_configure() afterwards.
 */
void selection_count(
	struct selection *selection, const struct selection_sampling *sampling);

/*
 * Returns the attribute of the sideband event, with all features of newer
 * kernels. The sideband event is enabled when it is opened.
 */
struct perf_event_attr selection_sideband(bool inherits, bool is_cpu_wide);

/*
 * Returns whether the kernel enables EVENT at the exec of the command. Others
 * are enabled by event_fds_enable_wide() and relocate_finish().
 */
bool selection_event_starts_at_exec(const struct selection_event *event);

/* Opens EVENT per CPU, whatever the target is. */
void selection_event_widen(struct selection_event *event);
/* Excludes the kernel in attr and appends ":u" to the name. */
void selection_event_restrict_to_user(struct selection_event *event);
/*
 * Replaces the hardware event EVENT by cpu-clock, sampled at the same levels
 * (user space, kernel).
 */
void selection_event_become_cpu_clock(struct selection_event *event);

#endif
