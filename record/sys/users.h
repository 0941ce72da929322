/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses user names. */
#ifndef DWELL_RECORD_SYS_USERS_H
#define DWELL_RECORD_SYS_USERS_H

#include "common/util/error.h"

/* Parses TEXT, a user name or number; OPTION is for messages. */
struct error *users_parse(
	const char *option, const char *text, uint32_t *ret) _must_check_;

#endif
