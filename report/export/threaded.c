/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/export/threaded.h"

struct error *threaded_run(struct threaded *threaded,
	const struct options *options, int fd,
	const struct threaded_format *format)
{
	struct error *err;

	threaded->out = outflow_begin(options->output, &fd);
	err = timeline_make(options, &threaded->timeline);
	streams_init(&threaded->streams, &threaded->out, STREAMS_MEMORY_MAX);
	threaded->functions.resolver = threaded->timeline.result.resolver;
	threaded->functions.names_builds = true;
	if (!err) {
		timeline_run(&threaded->timeline, &threaded->out, format->take,
			format->data);
		format->end(format->data);
		format->put_all(format->data);
		err = streams_end(&threaded->streams);
	}
	return outflow_end(&threaded->out, err);
}

void threaded_deinit(struct threaded *threaded)
{
	streams_deinit(&threaded->streams);
	function_numbers_deinit(&threaded->functions);
	timeline_deinit(&threaded->timeline);
}
