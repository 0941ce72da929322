/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verbs of dwell-record. Each parses its options and does its job. */
#ifndef DWELL_RECORD_CMD_H
#define DWELL_RECORD_CMD_H

#include "common/util/error.h"

/*
 * STATUS_RET is the exit status where there is no error, and where it is set
 * (not 0) also with one: the command's, or why it couldn't be started.
 */
struct error *cmd_record(
	int argc, char **argv, int *status_ret) _must_check_;
/* STATUS_RET is 1 if nothing at all can be recorded. */
struct error *cmd_doctor(
	int argc, char **argv, int *status_ret) _must_check_;
/* STATUS_RET stays 0. */
struct error *cmd_list(
	int argc, char **argv, int *status_ret) _must_check_;

#endif
