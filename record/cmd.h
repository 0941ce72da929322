/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands of dwell-record. Each one parses its own command line. */
#ifndef DWELL_RECORD_CMD_H
#define DWELL_RECORD_CMD_H

#include "common/util/error.h"

/*
 * Returns an error, or NULL and the exit status in STATUS_RET: that of the
 * recorded command. If the command could not be started, both the error and
 * STATUS_RET (not 0) are set.
 */
struct error *cmd_record(int argc, char **argv, int *status_ret) _must_check_;
/* Sets STATUS_RET to 1 if this user cannot record anything. */
struct error *cmd_doctor(int argc, char **argv, int *status_ret) _must_check_;
/* Prints the events of this machine. Does not set STATUS_RET. */
struct error *cmd_list(int argc, char **argv, int *status_ret) _must_check_;

#endif
