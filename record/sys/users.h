/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Users of this machine. */
#ifndef DWELL_RECORD_SYS_USERS_H
#define DWELL_RECORD_SYS_USERS_H

#include "common/util/error.h"

/* The number of a user that OPTION tells by name or number, as TEXT. */
struct error *users_parse(
	const char *option, const char *text, uint32_t *ret) _must_check_;

#endif
