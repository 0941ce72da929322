/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is measured: a command, processes, threads or the whole system, and on
 * which CPUs. Thread lists come from /proc.
 */
#ifndef DWELL_RECORD_TARGET_H
#define DWELL_RECORD_TARGET_H

#include <sys/types.h>

#include "common/array.h"
#include "common/error.h"
#include "record/cpus.h"

enum target_kind {
	TARGET_COMMAND,   /* the process that is about to exec */
	TARGET_PROCESSES, /* -p: all their threads, and children */
	TARGET_THREADS,   /* -t: these threads */
	TARGET_SYSTEM,    /* -a, -C: whatever runs on the CPUs */
};

struct task_list {
	ARRAY(pid_t) list;
};

struct target {
	enum target_kind kind;
	struct task_list pids; /* the command, -p, or -t's processes */
	struct task_list tids; /* -t */
	struct cpus sampled;   /* CPUs to sample on */
	struct cpus online;    /* all CPUs: sideband is read on each */
};

/* PIDS, TIDS and CPUS as the user wrote them; at most one is not NULL. */
struct target_wish {
	const char *pids, *tids, *cpus;
	bool is_system_wide;
	pid_t command; /* 0: none */
};
/* Fails where a task doesn't exist or a CPU isn't online. */
struct error *target_resolve(
	const struct target_wish *wish, struct target *ret) _must_check_;
void target_deinit(struct target *target);

/* Adds PID's threads that LIST doesn't have yet; returns how many. */
size_t target_threads(pid_t pid, struct task_list *list);
/* The process that thread TID belongs to; 0 if there is no such thread. */
pid_t target_owner(pid_t tid);
bool task_list_has(const struct task_list *tasks, pid_t task);

#endif
