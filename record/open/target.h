/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The target of a recording: a command, processes, threads or the whole system,
 * and the CPUs.
 */
#ifndef DWELL_RECORD_OPEN_TARGET_H
#define DWELL_RECORD_OPEN_TARGET_H

#include "common/util/cpus.h"
#include "common/util/error.h"
#include "record/sys/tasks.h"

enum target_kind {
	TARGET_COMMAND,	  /* the process that will exec the command */
	TARGET_PROCESSES, /* -p, --name, -u: all threads, and children */
	TARGET_THREADS,	  /* -t: the given threads only */
	TARGET_SYSTEM,	  /* -a, -C: all threads on the CPUs to sample */
};

struct target {
	enum target_kind kind;
	struct task_list
		pids; /* processes of the command, -p, --name, -u and -t */
	struct task_list tids; /* threads of -t */
	struct cpus sampled;   /* CPUs to sample */
	struct cpus online; /* all online CPUs: sideband is recorded on each */
};

/*
 * The options that select the target, which `dwell record` and `dwell stat`
 * share. All strings are borrowed. target_resolve() expects at most one of
 * PIDS, TIDS and CPUS, and NAME with USER.
 */
struct target_config {
	const char *pids, *tids, *cpus;
	const char *name, *user; /* see struct task_search */
	bool has_cgroups;	 /* events count control groups */
	bool is_waiting;	 /* wait until a process matches */
	bool is_system_wide;
	pid_t command; /* process ID of the command; 0: none */
};
/* Whether CONFIG selects all processes: of the machine, of CPUs or of groups. */
bool target_config_is_wide(const struct target_config *config);
/* Whether CONFIG selects processes by name or user. */
bool target_config_finds(const struct target_config *config);
/* Whether CONFIG selects targets in more than one way, which exclude each other. */
bool target_config_is_ambiguous(const struct target_config *config);
/* Selects the whole system if there is no command and no other target. */
void target_config_default(struct target_config *config, bool has_command);
/*
 * Resolves CONFIG. Returns an error if a process or thread does not exist or a
 * CPU is not online.
 */
struct error *target_resolve(
	const struct target_config *config, struct target *ret) _must_check_;
void target_deinit(struct target *target);

#endif
