/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The verbs and options of perf 6.1 that dwell does not have, with the text
 * that a user needs who typed one of them.
 */
#ifndef DWELL_COMMON_UTIL_PERF_OPTIONS_H
#define DWELL_COMMON_UTIL_PERF_OPTIONS_H

#include "common/util/base.h"

struct perf_option {
	const char *commands; /* separated by blanks */
	char letter;	      /* 0: the options have only names */
	const char *names;    /* separated by blanks */
	const char *instead;  /* what to use, or why it is not needed */
};

/* Returns the first of *N_RET options. They are static. */
const struct perf_option *perf_options(size_t *n_ret);

/* Returns what to use instead of COMMAND, a verb of perf, or NULL. */
const char *perf_command_instead(const char *command);

/* Returns whether LIST, words separated by blanks, contains WORD. */
bool perf_list_has(const char *list, const char *word);

#endif
