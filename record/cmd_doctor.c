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

static const struct cli_option doctor_option_table[] = {
	{ 0, "json", CLI_NONE, NULL, "print JSON",
		.slot = offsetof(struct doctor_options, is_json) },
};

static const struct cli doctor_cli = {
	.usage = "dwell doctor [options]",
	.summary = "Reports what this user can record on this machine, and how "
		   "to enable the rest.",
	.options = doctor_option_table,
	.n_options = ARRAY_SIZE(doctor_option_table),
};

/* See no-color.org: colours are off if NO_COLOR is set and not empty. */
static bool wants_colours(void)
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

	err = cli_parse(&doctor_cli, argc, argv, &options, &first);
	if (err)
		return err;
	if (first < argc)
		return error_usage("unexpected argument '%s': dwell doctor "
				   "takes only options",
			argv[first]);
	if (options.is_json)
		form = DOCTOR_JSON;
	else if (wants_colours())
		form = DOCTOR_COLOURED;
	facts_read("", &opener_kernel, &facts);
	*status_ret = doctor_run(&facts, form, &out) ? 0 : 1;
	facts_deinit(&facts);
	if (fwrite(out.at, 1, out.n, stdout) != out.n || fflush(stdout))
		return error_errno(errno, "cannot write to standard output");
	return NULL;
}
