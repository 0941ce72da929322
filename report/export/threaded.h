/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by exports that write each thread in one piece: samples are read in
 * the order of time and added to streams, which are written at the end.
 */
#ifndef DWELL_REPORT_EXPORT_THREADED_H
#define DWELL_REPORT_EXPORT_THREADED_H

#include "report/export/text_streams.h"
#include "report/resolve/function_numbers.h"
#include "report/result/timeline.h"

struct threaded {
	struct timeline timeline;
	struct outflow out;
	struct function_numbers functions;
	struct streams streams;
};

struct threaded_format {
	timeline_take *take;	     /* adds a sample to the streams */
	void (*end)(void *data);     /* called after the last sample */
	void (*put_all)(void *data); /* writes all to .out */
	void *data;		     /* argument of all three */
};

/* Exports to FD. Call threaded_deinit() also after an error. */
struct error *threaded_run(struct threaded *threaded,
	const struct options *options, int fd,
	const struct threaded_format *format) _must_check_;
void threaded_deinit(struct threaded *threaded);

#endif
