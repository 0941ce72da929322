/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control groups: the folders of -G, their names, and records of all
 * existing control groups. The hierarchy is the one that perf events use:
 * perf_event of v1 if it is mounted, else v2.
 */
#ifndef DWELL_RECORD_SYNTH_CGROUPS_H
#define DWELL_RECORD_SYNTH_CGROUPS_H

#include "common/util/completion.h"
#include "common/util/error.h"
#include "record/event/open_fallback.h"
#include "record/synth/synth_procs.h"

/* The control group of each event, in the order of the events. */
struct cgroups {
	ARRAY(int) fds;	    /* descriptors in .folders; -1: all processes */
	ARRAY(int) folders; /* one per group; owned */
};

/*
 * Opens the control groups of the events of SELECTION (selected.cgroup).
 * cgroups_close() frees RET, also after an error.
 */
struct error *cgroups_open(
	const struct selection *selection, struct cgroups *ret) _must_check_;
void cgroups_close(struct cgroups *cgroups);
/* Offers control groups, as folders. */
COMPLETER(cgroups_complete);

/*
 * Returns FALLBACK, as the opener of the event with index EVENT, which opens
 * the event in its control group, if it has one. The opener borrows from
 * CGROUPS; its pid argument must be -1.
 */
struct opener cgroups_opener(const struct cgroups *cgroups, size_t event,
	const struct opener *fallback);

struct cgroup_names {
	ARRAY(char *) list; /* owned */
};

/*
 * Adds the names of LIST, "a,b", to RET. A name with one of {}[]()|*+?^$ is a
 * regular expression: each existing group whose path below the mount point
 * matches is added, sorted by name. Returns an error if no group matches.
 * cgroup_names_free() frees RET, also after an error.
 */
struct error *cgroup_names_list(
	const char *list, struct cgroup_names *ret) _must_check_;
void cgroup_names_free(struct cgroup_names *names);

/* Appends a CGROUP record for each control group to OUT. */
void cgroups_add_all(struct synth_procs *procs, struct strbuf *out);

#endif
