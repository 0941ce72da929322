/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwell record: samples what Linux runs into a file.
 */
#include "config.h"

#include "common/error.h"
#include "common/log.h"
#include "record/options.h"
#include "record/session.h"

int main(int argc, char **argv)
{
	struct options options = { 0 };
	struct error *err;
	int status = 0;

	log_init("dwell record");
	err = options_parse(argc, argv, &options);
	if (!err)
		err = session_record(&options, argc, argv, &status);
	options_deinit(&options);
	if (!err)
		return status;
	log_error("%s", err->text);
	if (!status)
		status = (int)err->kind;
	error_free(err);
	return status;
}
