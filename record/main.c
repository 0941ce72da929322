/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwell-record: samples what Linux runs into a file.
 */
#include "config.h"

#include "common/log.h"
#include "record/cmd.h"

int main(int argc, char **argv)
{
	struct error *err;
	int status = 0;

	log_init("dwell record");
	err = cmd_record(argc, argv, &status);
	if (!err)
		return status;
	log_error("%s", err->text);
	if (err->source)
		log_pointer(err->source, err->at, err->length);
	if (!status)
		status = (int)err->kind;
	error_free(err);
	return status;
}
