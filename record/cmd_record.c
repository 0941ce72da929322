/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/cmd.h"
#include "record/options.h"
#include "record/session.h"

struct error *cmd_record(int argc, char **argv, int *status_ret)
{
	struct options options = { 0 };
	struct error *err = options_parse(argc, argv, &options);

	if (!err)
		err = session_record(&options, argc, argv, status_ret);
	options_deinit(&options);
	return err;
}
