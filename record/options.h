/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of `dwell record` as a struct. Only what the words mean is
 * checked here; whether the machine can do it is for others to find out.
 */
#ifndef DWELL_RECORD_OPTIONS_H
#define DWELL_RECORD_OPTIONS_H

#include "common/util/array.h"
#include "common/util/error.h"
#include "record/event/callgraph.h"
#include "record/event/sample_fields.h"
#include "record/stream/rotation_policy.h"
#include "record/sys/clocks.h"
#include "record/sys/enable_schedule.h"

#define OPTIONS_FREQUENCY_DEFAULT 4000u
/* zstd's: on stacks faster than level 1, and a quarter smaller. */
#define OPTIONS_LEVEL_DEFAULT 3
#define OPTIONS_FREQUENCY_MAX UINT64_MAX /* -F max */

/* What stands behind --filter, for one -e. */
struct option_filter {
	size_t event; /* index of it */
	const char *text;
};

/* Texts are borrowed from argv. */
struct options {
	ARRAY(const char *) events; /* one per -e */
	ARRAY(struct option_filter) filters;
	uint64_t frequency;         /* Hz; 0: not given */
	uint64_t period;            /* -c; 0: not given */
	bool has_callchains;        /* -g, or another way of --call-graph */
	struct callgraph callgraph;
	bool keeps_stacks;          /* --keep-stacks */
	bool user_callchains, kernel_callchains; /* only those */
	uint64_t max_stack;         /* entries; 0: the kernel's limit */
	bool all_user, all_kernel;  /* whatever the events say */
	struct carried carried;     /* -d, -W, -b and their kin */
	bool has_branch_any;        /* -b */
	bool leaves_itself_out;     /* --exclude-perf */
	size_t ring_size;           /* bytes, a power of two; 0: not given */
	const char *output;
	bool packs;                 /* --pack */
	int level;                  /* of zstd; 0: no compression */
	int realtime;               /* for priority_raise() */
	clockid_t clock;            /* -k */
	struct schedule schedule;   /* -D */
	uint64_t max_size;          /* bytes; 0: no limit */
	const char *control;        /* --control; NULL: none */
	bool is_overwritten;        /* --overwrite */
	struct switching switching; /* --switch-output and its kin */
	uint64_t duration_ns;       /* 0: no limit */
	const char *pids, *tids, *cpus;
	const char *name, *user;    /* --name, -u */
	bool is_waiting;            /* --wait: until they are there */
	bool is_system_wide;
	const char *cgroups;        /* -G */
	ARRAY(const char *) record_filters; /* one per --record-filter */
	bool has_all_cgroups, has_namespaces; /* records of them */
	bool has_switches;          /* --switch-events */
	bool has_off_cpu;           /* --off-cpu */
	bool has_no_inherit, is_per_thread; /* new threads don't count */
	size_t queue_size;          /* bytes */
	char **command;             /* NULL-terminated; NULL: none */
};

/* --help and --version print to stdout and exit 0. */
struct error *options_parse(
	int argc, char **argv, struct options *ret) _must_check_;
void options_deinit(struct options *options);
/* Its last step: whether the options can be together. */
struct error *options_check(const struct options *options) _must_check_;

#endif
