/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of a verb's options, from which the command line is parsed and
 * completed, and the help is printed.
 */
#ifndef DWELL_COMMON_UTIL_CLI_TABLE_H
#define DWELL_COMMON_UTIL_CLI_TABLE_H

#include "common/util/error.h"

enum cli_value {
	CLI_NONE,     /* takes no value; --no-NAME turns the option off */
	CLI_VALUE,    /* takes a value */
	CLI_OPTIONAL, /* takes only an attached value: -z3, --name=3 */
	CLI_LAST,     /* optional value: attached, or next non-option word */
};

struct cli_option;
struct completion;

/*
 * Declares or defines a parser of option values: NAME(OPTION, VALUE, IS_ON,
 * SLOT) stores the value at SLOT. VALUE is NULL if the option has no value, and
 * is valid as long as argv. IS_ON is false for --no-NAME.
 */
#define CLI_PARSER(name)                                             \
	struct error *name(const struct cli_option *option _unused_, \
		const char *value _unused_, bool is_on _unused_,     \
		void *slot _unused_)

/*
 * Declares or defines a function that offers values of OPTION, or if OPTION is
 * NULL, words that are not options.
 */
#define COMPLETER(name)                          \
	void name(struct completion *completion, \
		const struct cli_option *option _unused_)

struct cli_option {
	char letter;	  /* 0: the option has only a name */
	const char *name; /* NULL: the option has only a letter */
	enum cli_value value;
	/*
	 * The placeholder of the value in the help. Empty values of "FILE" and
	 * "DIR" are rejected.
	 */
	const char *value_name;
	const char *help;
	/* Offset in cli_parse()'s CONTEXT of the member that .parse sets. */
	size_t slot;
	/* NULL stores a bool (CLI_NONE) or the value (const char *). */
	CLI_PARSER((*parse));
	uint64_t min, max; /* range of cli_parse_number(), cli_parse_size() */
	/* Values, for completion and cli_parse_either(); ends with NULL */
	const char *const *words;
	COMPLETER((*complete)); /* offers other values; NULL: there are none */
};

struct cli {
	const char *usage;   /* "dwell record [options] [--] [command...]" */
	const char *summary; /* one line */
	const struct cli_option *options;
	size_t n_options;
	bool stops_at_word;  /* options end at the first non-option word */
	const char *command; /* of perf_options(); NULL: no options of perf */
	COMPLETER((*complete)); /* offers words; NULL: there are none */
};

#endif
