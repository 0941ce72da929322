/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What exports share that write each thread in one piece: samples in the order
 * of time go to streams, and when all have come, these are put together. What a
 * thread looks like the export knows.
 */
#ifndef DWELL_REPORT_EXPORT_THREADED_H
#define DWELL_REPORT_EXPORT_THREADED_H

#include "report/export/text_streams.h"
#include "report/resolve/function_numbers.h"
#include "report/result/timeline.h"

struct threaded {
	struct timeline timeline;
	struct outflow out;
	struct code_names functions;
	struct streams streams;
};

struct threaded_format {
	timeline_take *take;	     /* one sample, to the streams */
	void (*end)(void *data);     /* all have come */
	void (*put_all)(void *data); /* everything to .out; called twice */
	void *data;		     /* for both */
};

/* From OPTIONS' recording to FD. Deinit it also after an error. */
struct error *threaded_run(struct threaded *threaded,
	const struct options *options, int fd,
	const struct threaded_format *format) _must_check_;
void threaded_deinit(struct threaded *threaded);

#endif
