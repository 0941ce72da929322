/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses command lines and prints help texts, by a table of options. The syntax
 * is that of getopt_long(3): clustered letters (-az), attached values
 * (-z3, --name=3), unique prefixes of names; and --no-NAME.
 */
#ifndef DWELL_COMMON_UTIL_CLI_H
#define DWELL_COMMON_UTIL_CLI_H

#include "common/util/cli_table.h"

/* Stores a number from OPTION's .min to .max in a uint64_t. */
CLI_PARSER(cli_parse_number);
/*
 * Stores a size from OPTION's .min to .max in a uint64_t. VALUE can have a
 * suffix B, K, M or G (powers of 1024).
 */
CLI_PARSER(cli_parse_size);
/* Stores true in a bool if VALUE is the second of OPTION's two words. */
CLI_PARSER(cli_parse_either);
/* Set the log level to LOG_QUIET or LOG_VERBOSE; SLOT is not used. */
CLI_PARSER(cli_parse_quiet);
CLI_PARSER(cli_parse_verbose);

/* -q and -v, the last two rows of each verb's table of options. */
#define CLI_LOG_OPTIONS                                                \
	{ 'q', "quiet", CLI_NONE, NULL, "print only errors",           \
		.parse = cli_parse_quiet },                            \
	{                                                              \
		'v', "verbose", CLI_NONE, NULL, "print more messages", \
			.parse = cli_parse_verbose                     \
	}

/*
 * Parses the options in ARGV, from ARGV[1] on, into CONTEXT. Sets *FIRST_RET to
 * the index of the first word that is not an option. --help and --version print
 * to stdout and end the program with status 0. If writing to stdout fails, the
 * error is returned.
 */
struct error *cli_parse(const struct cli *cli, int argc, char **argv,
	void *context, int *first_ret) _must_check_;

/*
 * Parses TEXT, a whole number from MIN to MAX. For any other TEXT, returns a
 * usage error that starts with WHAT.
 */
struct error *cli_number(const char *text, const char *what, uint64_t min,
	uint64_t max, uint64_t *ret) _must_check_;
/*
 * Parses TEXT, a positive time with a unit: s, ms, us or ns. Sets RET to
 * nanoseconds. WHAT is for the error message.
 */
struct error *cli_span(
	const char *text, const char *what, uint64_t *ret) _must_check_;
/*
 * Parses TEXT like cli_number(), with an optional suffix B, K, M or G (powers
 * of 1024).
 */
struct error *cli_size(const char *text, const char *what, uint64_t min,
	uint64_t max, uint64_t *ret) _must_check_;

#endif
