/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that are told by what they are: by a name (--name) or by whose
 * they are (-u). Looks through /proc, once or until there is one.
 */
#ifndef DWELL_RECORD_SYS_PROCESS_LOOKUP_H
#define DWELL_RECORD_SYS_PROCESS_LOOKUP_H

#include "common/util/error.h"
#include "record/sys/tasks.h"

struct find_wish {
	/*
	 * A POSIX extended regex that is to match the name of the process or
	 * the base name of its command; NULL: any.
	 */
	const char *name;
	const char *user; /* name or number of the effective user; NULL: any */
	bool is_waiting;  /* until there is one */
	pid_t but;	  /* not this one, nor the caller; 0: none */
};

/* Adds all such processes to RET. None at all is an error. */
struct error *find_processes(
	const struct find_wish *wish, struct task_list *ret) _must_check_;

#endif
