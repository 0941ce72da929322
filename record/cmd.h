/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verbs of dwell-record. Each verb parses its own command line. */
#ifndef DWELL_RECORD_CMD_H
#define DWELL_RECORD_CMD_H

#include "common/util/error.h"

/*
 * Runs dwell record. Returns an error, or NULL and sets STATUS_RET to the exit
 * status of the recorded command. If the command could not be started, returns
 * an error and sets STATUS_RET to a value other than 0.
 */
struct error *cmd_record(int argc, char **argv, int *status_ret) _must_check_;
/*
 * Runs dwell doctor. Sets STATUS_RET to 1 if this user cannot record anything,
 * else to 0.
 */
struct error *cmd_doctor(int argc, char **argv, int *status_ret) _must_check_;
/* Prints the events of this machine. Does not set STATUS_RET. */
struct error *cmd_list(int argc, char **argv, int *status_ret) _must_check_;
/*
 * Counts events and prints the counts. Error and status are as those of
 * cmd_record().
 */
struct error *cmd_stat(int argc, char **argv, int *status_ret) _must_check_;

#endif
