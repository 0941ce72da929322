/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program dwell: executes the program that implements the command of the
 * first argument, dwell-record or dwell-report. Both programs also work without
 * dwell.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "common/util/alloc.h"
#include "common/util/base.h"
#include "common/util/completion.h"
#include "common/util/perf_options.h"
#include "common/util/spell_suggest.h"
#include "common/util/standard_streams.h"

static const struct verb {
	const char *name, *program;
	const char *first; /* first argument passed to PROGRAM, or NULL */
	const char *help;
	bool is_common; /* listed by dwell without a command */
} verbs[] = {
	{ "record", "dwell-record", NULL,
		"sample a command, processes or the whole machine", true },
	{ "stat", "dwell-record", "--stat",
		"count events of a command, processes or the whole machine" },
	{ "list", "dwell-record", "--list", "list the events of this machine" },
	{ "report", "dwell-report", "report",
		"report which functions used the time", true },
	{ "annotate", "dwell-report", "annotate",
		"show the samples of each instruction and source line", true },
	{ "diff", "dwell-report", "diff", "compare recordings", true },
	{ "script", "dwell-report", "script", "print every sample as text" },
	{ "export", "dwell-report", "export",
		"convert a recording to the format of another tool" },
	{ "evlist", "dwell-report", "evlist",
		"list the events of a recording" },
	{ "buildid-list", "dwell-report", "buildid-list",
		"list the build IDs in a recording" },
	{ "pack", "dwell-report", "pack",
		"add symbols, source lines and code to a recording" },
	{ "unpack", "dwell-report", "unpack",
		"install packed binaries and symbols for reports" },
	{ "doctor", "dwell-record", "--doctor",
		"check what this user can record on this machine", true },
};

static void print_help(FILE *out)
{
	size_t i;

	fputs("usage: dwell COMMAND [OPTIONS]\n\n", out);
	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		fprintf(out, "  %-12s %s\n", verbs[i].name, verbs[i].help);
	fputs("\nEach command has --help and a manual page, "
	      "dwell-COMMAND(1).\n",
		out);
}

static void print_common_verbs(void)
{
	size_t i;

	puts("usage: dwell COMMAND [OPTIONS]\n");
	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		if (verbs[i].is_common)
			printf("  %-12s %s\n", verbs[i].name, verbs[i].help);
	puts("\nTo begin, type: dwell record -g -- COMMAND\n"
	     "To list all commands, type: dwell help");
}

/*
 * Returns the directory of the running executable, or NULL if /proc does not
 * have it. The caller owns the string.
 */
static char *executable_folder(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;

	if (n <= 0)
		return NULL;
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (!slash)
		return NULL;
	return xstrndup(path, (size_t)(slash - path));
}

/*
 * Executes the program that implements VERB: the file beside this executable if
 * it exists, else the file in $PATH. Returns an exit status only if the exec
 * fails.
 */
static int exec_verb(const struct verb *verb, char **argv)
{
	_cleanup_free_ char *folder = executable_folder();
	_cleanup_free_ char *beside = NULL;

	if (verb->first)
		argv[1] = (char *)verb->first;
	else
		argv++;
	/* completion_begin() made room for one argument. */
	if (completion_is_requested())
		*argv-- = (char *)"--complete";
	argv[0] = (char *)verb->program;
	if (folder) {
		beside = xasprintf("%s/%s", folder, verb->program);
		execv(beside, argv);
	}
	execvp(verb->program, argv);
	fprintf(stderr,
		"dwell: cannot execute \"%s\": %s; install it beside dwell\n",
		verb->program, strerror(errno));
	return errno == ENOENT ? 127 : 126;
}

static const struct verb *find_program_verb(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		if (string_is(verbs[i].name, name))
			return &verbs[i];
	return NULL;
}

/* Executes "dwell VERB --help" for "dwell help VERB". */
static int exec_verb_help(const struct verb *verb)
{
	char *argv[] = { NULL, NULL, (char *)"--help", NULL };

	return exec_verb(verb, argv);
}

static void print_unknown_verb(const char *name)
{
	struct spell_suggest nearest;
	size_t i;

	spell_suggest_init(&nearest, name);
	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		spell_suggest_offer(&nearest, verbs[i].name);
	fprintf(stderr, "dwell: there is no command '%s'", name);
	if (nearest.best[0])
		fprintf(stderr, "; did you mean '%s'?", nearest.best);
	fputs("\n\n", stderr);
}

static bool is_help_option(const char *name)
{
	return string_is(name, "--help") || string_is(name, "-h") ||
		string_is(name, "help");
}

/*
 * Ends the program with status 0. If standard output cannot be written, prints
 * the error and returns the exit status.
 */
static int close_stdout(void)
{
	_cleanup_error_ struct error *err = standard_streams_exit();

	fprintf(stderr, "dwell: %s\n", err->text);
	return (int)err->kind;
}

/* Prints the commands that begin with WORD. */
static void complete_verb(const char *word)
{
	struct completion completion = { word, word, "words", false };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		completion_offer(&completion, verbs[i].name, verbs[i].help);
	completion_offer(&completion, "help", "show the options of a command");
	completion_offer(&completion, "--help", "list the commands");
	completion_offer(&completion, "--version", "print the version");
	completion_end(&completion);
}

int main(int argc, char **argv)
{
	bool completes = completion_begin(&argc, &argv);
	const char *name = argc > 1 ? argv[1] : "";
	bool wants_help = is_help_option(name);
	const struct verb *verb;
	const char *instead;

	if (completes && (argc <= 2 || wants_help)) {
		complete_verb(argv[argc - 1]);
		return close_stdout();
	}
	if (string_is(name, "--version") || string_is(name, "-V")) {
		puts(PACKAGE_STRING);
		return close_stdout();
	}
	if (wants_help && argc > 2)
		name = argv[2];
	verb = find_program_verb(name);
	if (verb)
		return wants_help ? exec_verb_help(verb)
				  : exec_verb(verb, argv);
	if (is_help_option(name)) {
		print_help(stdout);
		return close_stdout();
	}
	if (argc < 2) {
		print_common_verbs();
		return 1;
	}
	instead = perf_command_instead(name);
	if (instead) {
		fprintf(stderr,
			"dwell: there is no command '%s'. Use instead: %s\n",
			name, instead);
		return 2;
	}
	print_unknown_verb(name);
	print_help(stderr);
	return 2;
}
