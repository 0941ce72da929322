/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds processes in /proc by name (--name) or user (-u), once or until one
 * exists.
 */
#ifndef DWELL_RECORD_SYS_PROCESS_LOOKUP_H
#define DWELL_RECORD_SYS_PROCESS_LOOKUP_H

#include "common/util/error.h"
#include "record/sys/tasks.h"

struct find_config {
	/*
	 * A POSIX extended regular expression for the name of the process or
	 * the base name of its command; NULL: any.
	 */
	const char *name;
	const char *user; /* name or number of the effective user; NULL: any */
	bool is_waiting;  /* wait until a process matches */
	pid_t excluded_pid; /* excluded, as is the caller; 0: none */
};

/* Adds all matching processes to RET. Fails if there are none. */
struct error *find_processes(
	const struct find_config *config, struct task_list *ret) _must_check_;

#endif
