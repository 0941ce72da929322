/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwell VERB: runs the program that owns the verb, which stands beside this
 * one or else in the PATH. Both programs work without it.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "common/alloc.h"
#include "common/base.h"

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
	{ "script", "dwell-report", "script", "print every sample as text" },
	{ "export", "dwell-report", "export", "write another tool's format" },
	{ "evlist", "dwell-report", "evlist",
		"name the events of a recording" },
	{ "buildid-list", "dwell-report", "buildid-list",
		"list the build IDs in a recording" },
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

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	size_t i;

	if (string_is(name, "--version") || string_is(name, "-V")) {
		puts(PACKAGE_STRING);
		return 0;
	}
	if (string_is(name, "--help") || string_is(name, "-h") ||
		string_is(name, "help")) {
		print_help(stdout);
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		if (string_is(verbs[i].name, name))
			return run(&verbs[i], argv);
	if (*name)
		fprintf(stderr, "dwell: there is no verb '%s'\n\n", name);
	print_help(stderr);
	return 2;
}
