/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>

#include "common/util/cli.h"
#include "record/cmd.h"
#include "record/doctor/doctor.h"

struct doctor_options {
	bool is_json;
};

static const struct cli_option table[] = {
	{ 0, "json", CLI_NONE, NULL, "as JSON, for programs",
		.slot = offsetof(struct doctor_options, is_json) },
};

static const struct cli cli = {
	.usage = "dwell doctor [options]",
	.summary = "What this machine and this user may record, and how to "
		   "get at more.",
	.options = table,
	.n_options = ARRAY_SIZE(table),
};

/* no-color.org: set and not empty. */
static bool is_colour_wanted(void)
{
	const char *no_colour = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no_colour && *no_colour) &&
		terminal && !string_is(terminal, "dumb");
}

struct error *cmd_doctor(int argc, char **argv, int *status_ret)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct doctor_options options = { 0 };
	enum doctor_form form = DOCTOR_TEXT;
	struct error *err;
	struct facts facts;
	int first;

	err = cli_parse(&cli, argc, argv, &options, &first);
	if (err)
		return err;
	if (first < argc)
		return error_usage("doctor takes no '%s'", argv[first]);
	if (options.is_json)
		form = DOCTOR_JSON;
	else if (is_colour_wanted())
		form = DOCTOR_COLOURED;
	facts_read("", &opener_kernel, &facts);
	*status_ret = doctor_look(&facts, form, &out) ? 0 : 1;
	facts_deinit(&facts);
	if (fwrite(out.at, 1, out.n, stdout) != out.n || fflush(stdout))
		return error_errno(errno, "writing");
	return NULL;
}
