/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command to record. Its process is forked before the recorder changes the
 * limits, signals and priority of itself, and waits on a pipe before the exec,
 * so the command starts as from the shell.
 */
#ifndef DWELL_RECORD_SYS_WORKLOAD_H
#define DWELL_RECORD_SYS_WORKLOAD_H

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "common/util/error.h"

struct workload {
	pid_t pid;	  /* 0: no command */
	const char *name; /* name of the program; borrowed */
	int go_fd;	  /* pipe: a byte lets the child exec */
	int error_fd; /* pipe: the child writes the errno of a failed exec */
	bool is_running;
	/* Exit status as of the shell: status, 128 + signal, 126 or 127. */
	int status;
	/* Resources that the child and the processes it waited for used. */
	struct rusage usage;
};

/*
 * Sets, in this process, for children, the environment variables that make
 * language runtimes write the names of their code to perf maps, for
 * --runtime-env. Options that a variable has already are kept.
 */
void workload_set_runtime_env(void);
/*
 * Checks whether the first word of COMMAND can be executed, as the shell does.
 * On failure, returns an error and sets STATUS_RET to 126 or 127.
 */
struct error *workload_find(char *const *command, int *status_ret) _must_check_;
/*
 * Returns the path of the file that COMMAND executes, or NULL; owned by the
 * caller.
 */
char *workload_path(char *const *command);
/*
 * Forks the child that will execute COMMAND, which is borrowed. STDOUT_FD
 * becomes the standard output of the child, and MASK its blocked signals (NULL:
 * those of this thread). The child exits if the recorder
 * ends before workload_go().
 */
struct error *workload_fork(char *const *command, int stdout_fd,
	const sigset_t *mask, struct workload *ret) _must_check_;
/*
 * Lets the child exec. On failure, returns the error of exec and sets .status.
 */
struct error *workload_go(struct workload *workload) _must_check_;
/* Returns true if the child has ended, and sets .status and .usage. */
bool workload_has_ended(struct workload *workload);
/* Sends SIGTERM if the child is running. */
void workload_terminate(struct workload *workload);
/* Closes the pipes: a child that still waits for its exec exits. */
void workload_deinit(struct workload *workload);

#endif
