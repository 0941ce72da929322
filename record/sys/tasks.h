/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A set of process or thread IDs, what /proc reports about one task, and the
 * search for processes by name or user.
 */
#ifndef DWELL_RECORD_SYS_TASKS_H
#define DWELL_RECORD_SYS_TASKS_H

#include <sys/types.h>

#include "common/util/array.h"
#include "common/util/completion.h"
#include "common/util/error.h"
#include "common/util/hash.h"
#include "common/util/strbuf.h"

/* Zero-initialized: empty. Keeps the order of insertion. */
struct task_list {
	ARRAY(pid_t) list;
	struct hash_index index;
};

/* Adds TASK to TASKS. Returns true if TASK was not in TASKS before. */
bool task_list_add(struct task_list *tasks, pid_t task);
void task_list_free(struct task_list *tasks);

/*
 * Adds the threads of PID (/proc/PID/task) to TASKS. Returns the number of
 * threads that were not in TASKS before.
 */
size_t task_list_add_threads(struct task_list *tasks, pid_t pid);
/* Returns the process ID of thread TID; 0 if the thread does not exist. */
pid_t task_owner(pid_t tid);
/*
 * Reads the effective user ID of PID. Returns false if PID has ended. Allocates
 * nothing.
 */
bool task_user(pid_t pid, uint32_t *ret);
/*
 * Returns the CPU time of all threads of PID, in nanoseconds, or 0 if PID has ended. The kernel
 * adds the time of a running thread at each tick.
 */
uint64_t task_cpu_time(pid_t pid);

/* Parses TEXT, a user name or number; OPTION is for messages. */
struct error *task_users_parse(
	const char *option, const char *text, uint32_t *ret) _must_check_;

/* Offer IDs of processes and threads, names of processes and of users. */
COMPLETER(tasks_complete_pids);
COMPLETER(tasks_complete_tids);
COMPLETER(tasks_complete_names);
COMPLETER(task_users_complete);

/* Selects processes by name (--name) or user (-u). */
struct task_search {
	/*
	 * A POSIX extended regular expression for the name of the process or
	 * the base name of its command; NULL: any.
	 */
	const char *name;
	const char *user; /* name or number of the effective user; NULL: any */
	bool is_waiting;  /* wait until a process matches */
	pid_t excluded_pid; /* a process that is excluded, in addition to the
			       caller; 0: none */
};

/*
 * Adds all processes in /proc that match CONFIG to RET. Returns an error if no
 * process matches.
 */
struct error *task_find_processes(
	const struct task_search *config, struct task_list *ret) _must_check_;

/* One line of /proc/PID/maps (proc_pid_maps(5)). */
struct task_mapping {
	uint64_t start, end; /* addresses of the mapping */
	char rights[5];	     /* "r-xp" */
	uint64_t offset;     /* in the file, in bytes */
	unsigned major, minor;
	uint64_t inode; /* 0: memory without a file */
	char *path;	/* borrowed from the line; "": no name */
};

/*
 * Parses LINE of /proc/PID/maps. Modifies LINE: cuts the newline, unescapes the
 * path. Returns false if LINE is malformed.
 */
bool task_mapping_parse(char *line, struct task_mapping *ret);
/* Appends /proc/PID/maps to TEXT. Returns false if the file is empty or not readable. */
bool task_mappings_read(pid_t pid, struct strbuf *text);
/*
 * Parses the next line of *REST that is not malformed; *REST is NULL after the last
 * line. Modifies the text. Returns false if there is none.
 */
bool task_mapping_next(char **rest, struct task_mapping *ret);

#endif
