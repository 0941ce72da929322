/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program dwell-record: runs the command that the first argument selects,
 * and prints the error that the command returns.
 */
#include "config.h"

#include "common/util/completion.h"
#include "common/util/log.h"
#include "common/util/standard_streams.h"
#include "record/cmd.h"

/* Commands other than record. `dwell doctor` runs dwell-record --doctor. */
static const struct command {
	const char *option, *name;
	struct error *(*run)(int argc, char **argv, int *status_ret);
} commands[] = {
	{ "--doctor", "dwell doctor", cmd_doctor },
	{ "--list", "dwell list", cmd_list },
	{ "--stat", "dwell stat", cmd_stat },
};
int main(int argc, char **argv)
{
	int n_completed = completion_begin(&argc, &argv);
	const struct command *command = NULL;
	struct error *err;
	int status = 0;
	size_t i;

	for (i = 0; argc > 1 + n_completed && i < ARRAY_SIZE(commands); i++)
		if (string_is(commands[i].option, argv[1]))
			command = &commands[i];

	standard_streams_occupy();
	log_init(command ? command->name : "dwell record");
	err = command ? command->run(argc - 1, argv + 1, &status)
		      : cmd_record(argc, argv, &status);
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
