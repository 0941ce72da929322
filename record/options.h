/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parsed command line of `dwell record`. The parser checks the values of
 * the options and their combinations, not what the kernel or the machine
 * supports.
 */
#ifndef DWELL_RECORD_OPTIONS_H
#define DWELL_RECORD_OPTIONS_H

#include "common/util/array.h"
#include "common/util/error.h"
#include "record/event/callgraph.h"
#include "record/event/sample_fields.h"
#include "record/event_options.h"
#include "record/open/target.h"
#include "record/stream/output.h"
#include "record/sys/clocks.h"
#include "record/sys/schedule.h"

#define OPTIONS_FREQUENCY_DEFAULT 4000u
/*
 * The default zstd level: level 3 compresses stacks faster than level 1,
 * and to 25 % fewer bytes.
 */
#define OPTIONS_LEVEL_DEFAULT 3
#define OPTIONS_OUTPUT_DEFAULT "dwell.data"
#define OPTIONS_FREQUENCY_MAX UINT64_MAX /* -F max */

struct options_texts {
	const char **at;
	size_t n, room;
};

/* All strings are borrowed from argv. */
struct options {
	struct event_options events;
	uint64_t frequency;  /* Hz; 0: not given */
	uint64_t period;     /* -c; 0: not given */
	bool has_callchains; /* -g or --call-graph */
	struct callgraph callgraph;
	bool keeps_stacks;     /* --keep-stacks */
	bool sets_runtime_env; /* --runtime-env */
	unsigned languages;    /* --lang; bits for runtimes_create() */
	/* Record only the user part, or only the kernel part, of call chains.
	 */
	bool user_callchains, kernel_callchains;
	uint64_t max_stack; /* --max-stack, entries of a call chain; 0: limit of
			       the kernel */
	bool all_user,
		all_kernel; /* independently of the event modifiers u and k */
	struct sample_fields sample_fields; /* the options that add fields to
				   samples: -d, -W, -j, ... */
	bool has_branch_any;		    /* -b */
	bool excludes_self;		    /* --exclude-perf */
	size_t ring_size; /* -m in bytes, a power of two; 0: not given */
	const char *output;
	bool packs;		  /* --pack */
	uint64_t level;		  /* zstd level; 0: no compression */
	uint64_t realtime;	  /* -r, the REALTIME of priority_raise() */
	clockid_t clock;	  /* -k */
	struct schedule schedule; /* -D */
	uint64_t max_size;	  /* bytes; 0: no limit */
	const char *control;	  /* --control; NULL: none */
	bool is_overwritten;	  /* --overwrite */
	struct output_rotation
		rotation;     /* --switch-output, --switch-max-files */
	uint64_t duration_ns; /* 0: no limit */
	struct target_config target;
	struct options_texts record_filters;  /* values of --record-filter */
	bool has_all_cgroups, has_namespaces; /* the control group of samples,
						 the namespaces of threads */
	bool has_switches;		      /* --switch-events */
	bool has_off_cpu;		      /* --off-cpu */
	uint64_t least_ns;		      /* --min-block; 0: none */
	bool has_no_inherit, is_per_thread;   /* do not sample new threads */
	uint64_t queue_size;		      /* --queue-size, in bytes */
	char **command; /* NULL-terminated; NULL: no command */
};

/*
 * Parses ARGV into RET, which options_deinit_record() frees, also after an error.
 * --help and --version print to stdout and end the program with status 0.
 */
struct error *options_parse_record(
	int argc, char **argv, struct options *ret) _must_check_;
void options_deinit_record(struct options *options);

#endif
