/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell-report: the verbs that read recordings. */
#include "config.h"

#include <signal.h>

#include "common/util/completion.h"
#include "common/util/log.h"
#include "common/util/standard_streams.h"
#include "report/cmd.h"
#include "report/survey/incomplete.h"
#include "report/util/large_stack.h"
#include "report/util/local_files.h"

static const struct verb {
	const char *name, *program;
	struct error *(*run)(int argc, char **argv);
} verbs[] = {
	{ "report", "dwell report", cmd_report },
	{ "annotate", "dwell annotate", cmd_annotate },
	{ "diff", "dwell diff", cmd_diff },
	{ "script", "dwell script", cmd_script },
	{ "export", "dwell export", cmd_export },
	{ "evlist", "dwell evlist", cmd_evlist },
	{ "buildid-list", "dwell buildid-list", cmd_buildid_list },
	{ "pack", "dwell pack", cmd_pack },
	{ "unpack", "dwell unpack", cmd_unpack },
};

static const struct verb *find_verb(const char *name)
{
	size_t i;

	for (i = 0; name && i < ARRAY_SIZE(verbs); i++)
		if (string_is(verbs[i].name, name))
			return &verbs[i];
	return NULL;
}

/* Prints the verbs that begin with WORD. Returns false if there are none. */
static bool complete_verb(const char *word)
{
	struct completion completion = { word, word, "words", false };

	completion_offer_names(&completion, verbs);
	if (completion.has_offered)
		completion_end(&completion);
	return completion.has_offered;
}

/* A verb with its arguments, and the error with which it ends. */
struct verb_call {
	const struct verb *verb;
	int argc;
	char **argv;
	struct error *err; /* owned */
};

static void run_verb(void *data)
{
	struct verb_call *call = data;

	call->err = call->verb->run(call->argc, call->argv);
}

int main(int argc, char **argv)
{
	bool completes = completion_begin(&argc, &argv);
	const struct verb *verb = find_verb(argv[1]);
	struct error *err;
	int status = 0;

	if (completes && argc == 2 && complete_verb(argv[1]))
		return 0;
	standard_streams_occupy();
	/* The default verb is report. */
	if (verb) {
		argc--;
		argv++;
	} else {
		verb = &verbs[0];
	}
	log_init(verb->program);
	signal(SIGPIPE, SIG_IGN);
	/* Make write() fail with EFBIG at the file size limit. */
	signal(SIGXFSZ, SIG_IGN);
	err = local_files_raise_limit();
	if (!err) {
		struct verb_call call = { verb, argc, argv, NULL };

		large_stack_run(run_verb, &call);
		err = call.err;
	}
	if (err) {
		log_error("%s", err->text);
		status = (int)err->kind;
	} else if (incomplete_is_reported()) {
		status = EXIT_INCOMPLETE;
	}
	error_free(err);
	return status;
}
