/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command that is recorded. It is forked before the recorder changes
 * anything of itself (limits, signals, priority), waits on a pipe, and so
 * starts as it would from the shell.
 */
#ifndef DWELL_RECORD_SYS_WORKLOAD_H
#define DWELL_RECORD_SYS_WORKLOAD_H

#include <sys/types.h>

#include "common/util/error.h"

struct workload {
	pid_t pid;        /* 0: there is none */
	const char *name; /* of its program; borrowed */
	int go_fd;        /* the child execs when a byte comes */
	int error_fd;     /* the child tells exec's errno */
	bool is_running;
	/* As the shell tells it: status, 128 + signal, 126 or 127. */
	int status;
};

/*
 * Looks whether COMMAND's first word can be executed, as the shell does; sets
 * STATUS_RET to 126 or 127 when it fails.
 */
struct error *workload_find(
	char *const *command, int *status_ret) _must_check_;
/* The file that will be executed; NULL: none. Owned by the caller. */
char *workload_path(char *const *command);
/*
 * Forks; COMMAND is borrowed, STDOUT_FD will be its standard output. The child
 * dies if the recorder does.
 */
struct error *workload_fork(char *const *command, int stdout_fd,
	struct workload *ret) _must_check_;
/* Lets it exec; gives exec's error, status being set. */
struct error *workload_go(struct workload *workload) _must_check_;
/* Takes its status if it has ended; true then. */
bool workload_has_ended(struct workload *workload);
/* Asks it to end, if it runs. */
void workload_terminate(struct workload *workload);
/* Closes the pipes: a child that still waits on them exits. */
void workload_deinit(struct workload *workload);

#endif
