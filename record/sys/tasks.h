/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes and threads by their ids: a list without doubles, for thousands of
 * them, and what /proc tells of one.
 */
#ifndef DWELL_RECORD_SYS_TASKS_H
#define DWELL_RECORD_SYS_TASKS_H

#include <sys/types.h>

#include "common/util/array.h"
#include "common/util/hash.h"

/* A zeroed one is empty. Tasks keep the order in which they came. */
struct task_list {
	ARRAY(pid_t) list;
	struct hash_index index;
};

/* True if TASK is new. */
bool task_list_add(struct task_list *tasks, pid_t task);
void task_list_free(struct task_list *tasks);

/* Adds PID's threads (/proc/PID/task); returns how many are new. */
size_t task_list_add_threads(struct task_list *tasks, pid_t pid);
/* The process that thread TID belongs to; 0 if there is no such thread. */
pid_t task_owner(pid_t tid);
/* The effective user of process PID; false if it is gone. Allocates nothing. */
bool task_user(pid_t pid, uint32_t *ret);

#endif
