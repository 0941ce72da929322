/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording from its first to its last step: which parts it has, in which
 * order they begin and end. The steps themselves are in the parts.
 */
#ifndef DWELL_RECORD_SESSION_H
#define DWELL_RECORD_SESSION_H

#include "common/util/error.h"
#include "record/options.h"

/*
 * Records what OPTIONS asks for. STATUS_RET is the exit status: the command's,
 * or 0; when an error is returned it is only set (not 0) where the command
 * couldn't be started.
 */
struct error *session_record(const struct options *options, int argc,
	char **argv, int *status_ret) _must_check_;

#endif
