/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several texts that grow at the same time and are read one after another at
 * the end: the columns of formats that store each column in one piece. Beyond a
 * limit of memory, the texts are kept in an unnamed file in $TMPDIR.
 */
#ifndef DWELL_REPORT_EXPORT_TEXT_STREAMS_H
#define DWELL_REPORT_EXPORT_TEXT_STREAMS_H

#include "common/util/array.h"
#include "report/resolve/function_numbers.h"
#include "report/result/timeline.h"
#include "report/util/outflow.h"

#define TEXT_STREAMS_MEMORY_MAX MIB(4)

struct text_streams {
	ARRAY(struct text_stream {
		struct strbuf text; /* end of the text, in memory */
		ARRAY(struct text_part { uint64_t at, size; })
		parts;	       /* earlier parts of the text, on disk */
		uint64_t size; /* bytes of the whole text */
	})
	at;
	struct outflow *out; /* after an error of .out, texts are dropped;
			      * borrowed */
	uint64_t memory_max, in_memory, on_disk;
	int fd;		   /* of the unnamed file, or -1 */
	struct error *err; /* of the file; owned */
};

/*
 * Initializes STREAMS, whose texts will be copied to OUT, which is borrowed.
 * MEMORY_MAX is TEXT_STREAMS_MEMORY_MAX except in tests.
 */
void text_streams_init(
	struct text_streams *streams, struct outflow *out, uint64_t memory_max);
void text_streams_deinit(struct text_streams *streams);

/*
 * Returns the text of stream NUMBER. Call text_streams_added() after appending
 * to it.
 */
struct strbuf *text_streams_text(struct text_streams *streams, size_t number);
/* Accounts for SIZE bytes that were appended to stream NUMBER. */
void text_streams_added(
	struct text_streams *streams, size_t number, size_t size);
/* Writes stream NUMBER to OUT. A stream that was not used is empty. */
void text_streams_copy(
	struct text_streams *streams, size_t number, struct outflow *out);
/*
 * Returns the error of writing or reading the unnamed file, owned by the
 * caller, or NULL.
 */
struct error *text_streams_end(struct text_streams *streams) _must_check_;

/*
 * An export whose format stores each thread in one piece: samples are read in
 * the order of time and added to the streams of their threads, which are
 * written at the end.
 */
struct text_export {
	struct timeline timeline;
	struct outflow out;
	struct function_numbers functions;
	struct text_streams streams;
};

struct text_export_format {
	timeline_take *take;	     /* adds a sample to the streams */
	void (*end)(void *data);     /* called after the last sample */
	void (*put_all)(void *data); /* writes the export to threaded.out */
	void *data;		     /* argument of the three functions */
};

/*
 * Exports a recording to FD in FORMAT. Call text_export_deinit() also after an
 * error.
 */
struct error *text_export_run(struct text_export *threaded,
	const struct options *options, int fd,
	const struct text_export_format *format) _must_check_;
void text_export_deinit(struct text_export *threaded);

#endif
