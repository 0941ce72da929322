/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is measured: a command, processes, threads or the whole system, and on
 * which CPUs.
 */
#ifndef DWELL_RECORD_OPEN_TARGET_H
#define DWELL_RECORD_OPEN_TARGET_H

#include "common/util/cpus.h"
#include "common/util/error.h"
#include "record/sys/tasks.h"

enum target_kind {
	TARGET_COMMAND,	  /* the process that is about to exec */
	TARGET_PROCESSES, /* -p, --name, -u: all threads, and children */
	TARGET_THREADS,	  /* -t: these threads */
	TARGET_SYSTEM,	  /* -a, -C: whatever runs on the CPUs */
};

struct target {
	enum target_kind kind;
	struct task_list pids; /* the command, -p..., or -t's processes */
	struct task_list tids; /* -t */
	struct cpus sampled;   /* CPUs to sample on */
	struct cpus online;    /* all CPUs: sideband is read on each */
};

/*
 * As the user wrote it; of PIDS, TIDS, CPUS, and NAME with USER, at most one
 * kind is there.
 */
struct target_wish {
	const char *pids, *tids, *cpus;
	const char *name, *user; /* see process_lookup.h */
	bool is_waiting;	 /* until NAME or USER is there */
	bool is_system_wide;
	pid_t command; /* 0: none */
};
/* Fails where a task doesn't exist or a CPU isn't online. */
struct error *target_resolve(
	const struct target_wish *wish, struct target *ret) _must_check_;
void target_deinit(struct target *target);

#endif
