/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwell VERB: runs the program that owns the verb, which stands beside this
 * one or else in the PATH. Both programs work without it.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "common/util/alloc.h"
#include "common/util/base.h"
#include "common/util/spell_suggest.h"
#include "common/util/standard.h"

static const struct verb {
	const char *name, *program;
	const char *first; /* the program's first argument; NULL: none */
	const char *help;
} verbs[] = {
	{ "record", "dwell-record", NULL,
		"sample a command, processes or the whole machine" },
	{ "list", "dwell-record", "--list",
		"show which events this machine offers" },
	{ "report", "dwell-report", "report", "show where the time went" },
	{ "annotate", "dwell-report", "annotate",
		"show which instructions and lines of functions are hot" },
	{ "diff", "dwell-report", "diff",
		"show what changed from one recording to others" },
	{ "script", "dwell-report", "script", "print every sample as text" },
	{ "export", "dwell-report", "export", "write another tool's format" },
	{ "evlist", "dwell-report", "evlist",
		"name the events of a recording" },
	{ "buildid-list", "dwell-report", "buildid-list",
		"list the build IDs in a recording" },
	{ "pack", "dwell-report", "pack",
		"put into a recording what reads it elsewhere" },
	{ "unpack", "dwell-report", "unpack",
		"put what is packed to where symbols are looked for" },
	{ "doctor", "dwell-record", "--doctor",
		"tell what may be recorded here" },
};

static void print_help(FILE *out)
{
	size_t i;

	fputs("usage: dwell VERB [options]\n\n", out);
	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		fprintf(out, "  %-12s %s\n", verbs[i].name, verbs[i].help);
	fputs("\nEvery verb has --help and a manual page, dwell-VERB(1).\n",
		out);
}

/* The folder that this program runs from; owned; NULL if it can't be told. */
static char *own_folder(void)
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

static int run(const struct verb *verb, char **argv)
{
	_cleanup_free_ char *folder = own_folder();
	_cleanup_free_ char *beside = NULL;

	if (verb->first)
		argv[1] = (char *)verb->first;
	else
		argv++;
	argv[0] = (char *)verb->program;
	if (folder) {
		beside = xasprintf("%s/%s", folder, verb->program);
		execv(beside, argv);
	}
	execvp(verb->program, argv);
	fprintf(stderr, "dwell: %s can't be run: %s; install it beside dwell\n",
		verb->program, strerror(errno));
	return errno == ENOENT ? 127 : 126;
}

static const struct verb *find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		if (string_is(verbs[i].name, name))
			return &verbs[i];
	return NULL;
}

/* dwell help VERB is dwell VERB --help. */
static int run_help(const struct verb *verb)
{
	char *argv[] = { NULL, NULL, (char *)"--help", NULL };

	return run(verb, argv);
}

static void refuse(const char *name)
{
	struct nearest nearest;
	size_t i;

	nearest_init(&nearest, name);
	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		nearest_offer(&nearest, verbs[i].name);
	fprintf(stderr, "dwell: there is no verb '%s'", name);
	if (nearest.best[0])
		fprintf(stderr, "; did you mean '%s'?", nearest.best);
	fputs("\n\n", stderr);
}

static bool is_help(const char *name)
{
	return string_is(name, "--help") || string_is(name, "-h") ||
		string_is(name, "help");
}

/* Returns the exit status if standard output cannot be written. */
static int end_output(void)
{
	_cleanup_error_ struct error *err = standard_exit();

	fprintf(stderr, "dwell: %s\n", err->text);
	return (int)err->kind;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	bool wants_help = is_help(name);
	const struct verb *verb;

	if (string_is(name, "--version") || string_is(name, "-V")) {
		puts(PACKAGE_STRING);
		return end_output();
	}
	if (wants_help && argc > 2)
		name = argv[2];
	verb = find(name);
	if (verb)
		return wants_help ? run_help(verb) : run(verb, argv);
	if (is_help(name)) {
		print_help(stdout);
		return end_output();
	}
	if (*name)
		refuse(name);
	print_help(stderr);
	return 2;
}
