/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set of process or thread IDs, and what /proc reports about one task. */
#ifndef DWELL_RECORD_SYS_TASKS_H
#define DWELL_RECORD_SYS_TASKS_H

#include <sys/types.h>

#include "common/util/array.h"
#include "common/util/hash.h"

/* Zero-initialized: empty. Keeps the order of insertion. */
struct task_list {
	ARRAY(pid_t) list;
	struct hash_index index;
};

/* Adds TASK. Returns true if it is new. */
bool task_list_add(struct task_list *tasks, pid_t task);
void task_list_free(struct task_list *tasks);

/* Adds the threads of PID (/proc/PID/task). Returns how many are new. */
size_t task_list_add_threads(struct task_list *tasks, pid_t pid);
/* Returns the process of thread TID; 0 if there is no such thread. */
pid_t task_owner(pid_t tid);
/*
 * Reads the effective user ID of PID. Returns false if it has ended. Allocates
 * nothing.
 */
bool task_user(pid_t pid, uint32_t *ret);

#endif
