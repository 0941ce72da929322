/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwell-record: samples what Linux runs into a file.
 */
#include "config.h"

#include "common/util/log.h"
#include "common/util/standard.h"
#include "record/cmd.h"

/* Other verbs than record, by the first argument: the front's is a word. */
static const struct verb {
	const char *option, *name;
	struct error *(*run)(int argc, char **argv, int *status_ret);
} verbs[] = {
	{ "--doctor", "dwell doctor", cmd_doctor },
	{ "--list", "dwell list", cmd_list },
};

static const struct verb *find_verb(const char *option)
{
	size_t i;

	for (i = 0; option && i < ARRAY_SIZE(verbs); i++)
		if (string_is(verbs[i].option, option))
			return &verbs[i];
	return NULL;
}

int main(int argc, char **argv)
{
	const struct verb *verb = find_verb(argc > 1 ? argv[1] : NULL);
	struct error *err;
	int status = 0;

	standard_occupy();
	log_init(verb ? verb->name : "dwell record");
	err = verb ? verb->run(argc - 1, argv + 1, &status)
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
