/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shell completion: prints the words that can replace the last word of a
 * command line, for the scripts in completions/.
 *
 * The scripts run PROGRAM --complete WORD..., with the words of the command
 * line up to the cursor. Each line of the output is a proposal, or a proposal,
 * a tab and a description. The last line is "KIND N":
 *
 *   words N    a proposal replaces the last word behind its first N bytes
 *   part N     the same; the proposal is a part of a word
 *   paths N    the same; proposals are files, or folders with a slash
 *   files N    the shell completes a file name behind the first N bytes
 *   folders N  the same for a folder
 *   command N  the last N words are a command, which the shell completes
 */
#ifndef DWELL_COMMON_UTIL_COMPLETION_H
#define DWELL_COMMON_UTIL_COMPLETION_H

#include "common/util/cli_table.h"

struct completion {
	const char *whole; /* the last word of the command line */
	const char *word;  /* the end of .whole that a proposal replaces */
	const char *kind;  /* of the last line */
	bool has_offered;  /* a proposal was printed */
};

/*
 * If the first argument is --complete, removes the argument and returns true.
 * cli_parse() then prints proposals and ends the program.
 */
bool completion_begin(int *argc, char ***argv);
bool completion_is_requested(void);

/* Prints NAME if it begins with .word. HELP is a description, or NULL. */
void completion_offer(
	struct completion *completion, const char *name, const char *help);
/*
 * Offers the strings at FIRST and at each of the following N - 1 multiples of
 * STRIDE bytes.
 */
void completion_offer_strings(struct completion *completion,
	const char *const *first, size_t stride, size_t n);
/* Offers the member .name of all rows of TABLE, an array. */
#define completion_offer_names(completion, table)              \
	completion_offer_strings(completion, &(table)[0].name, \
		sizeof((table)[0]), ARRAY_SIZE(table))
/* Offers parts of .word: moves .word behind the last of SEPARATORS in it. */
void completion_skip(struct completion *completion, const char *separators);
/*
 * Offers the folders and files of the folder in .word, a path relative to the
 * folder ROOT, with a slash; "": the current folder. IS_OFFERED (NULL: all are)
 * returns whether the file at PATH is offered. If there is none, the shell
 * completes a file name.
 */
void completion_offer_paths(struct completion *completion, const char *root,
	bool (*is_offered)(const char *path));
/* Offers numbers of CPUs. */
COMPLETER(completion_offer_cpus);

/* Prints the last line. */
void completion_end(const struct completion *completion);
/*
 * Prints proposals for the last word of ARGV, a command line with the options
 * of CLI.
 */
void completion_run(const struct cli *cli, int argc, char **argv);

#endif
