/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command lines from one const table: parsing (getopt_long: clustered and
 * glued letters, --name=value, unique prefixes, --no-name) and the help text
 * that comes from the same rows.
 */
#ifndef DWELL_COMMON_UTIL_CLI_H
#define DWELL_COMMON_UTIL_CLI_H

#include "common/util/error.h"

enum cli_value {
	CLI_NONE,     /* a switch; --no-NAME turns it off */
	CLI_VALUE,    /* takes a value */
	CLI_OPTIONAL, /* takes a value only glued on: -z3, --name=3 */
	CLI_LAST,     /* takes the next word unless that is an option */
};

struct cli_option {
	char letter;       /* 0: none */
	const char *name;  /* NULL: none */
	enum cli_value value;
	const char *value_name; /* for help: "N"; "FILE" isn't empty */
	const char *help;
	/*
	 * Takes the option for CONTEXT. VALUE is NULL where none was given,
	 * borrowed for the life of argv. IS_ON is false for --no-NAME. NULL:
	 * what was given is stored at SLOT.
	 */
	struct error *(*take)(void *context, const char *value, bool is_on);
	/*
	 * Offset in CONTEXT of a bool (CLI_NONE) or a const char * (others:
	 * VALUE, or NULL for --no-NAME).
	 */
	size_t slot;
};

/* Two rows that all tables end with. */
#define CLI_LOG_OPTIONS                                                        \
	{ 'q', "quiet", CLI_NONE, NULL, "say nothing but errors",              \
		cli_take_quiet, 0 },                                           \
	{ 'v', "verbose", CLI_NONE, NULL, "say more", cli_take_verbose, 0 }
struct error *cli_take_quiet(
	void *context, const char *value, bool is_on) _must_check_;
struct error *cli_take_verbose(
	void *context, const char *value, bool is_on) _must_check_;

/* An option of perf's that isn't needed here, and why not. */
struct cli_foreign {
	char letter; /* 0: none */
	const char *name;
	const char *why;
};

struct cli {
	const char *usage;   /* "dwell record [options] [--] [command...]" */
	const char *summary; /* one line */
	const struct cli_option *options;
	size_t n_options;
	bool stops_at_word; /* the first word that is no option ends them */
	const struct cli_foreign *foreign; /* NULL: none */
	size_t n_foreign;
};

/*
 * Parses ARGV from its second word on. FIRST_RET is the index of the first
 * word that is no option. --help prints the table to stdout and --version the
 * version: both end the program with status 0 unless writing fails.
 */
struct error *cli_parse(const struct cli *cli, int argc, char **argv,
	void *context, int *first_ret) _must_check_;

/* A whole number from MIN to MAX; anything else is a usage error. */
struct error *cli_number(const char *text, const char *what, uint64_t min,
	uint64_t max, uint64_t *ret) _must_check_;
/* As cli_number(), with an optional B, K, M or G behind it (powers of 1024). */
struct error *cli_size(const char *text, const char *what, uint64_t min,
	uint64_t max, uint64_t *ret) _must_check_;

#endif
