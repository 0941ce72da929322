/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The output of a recording: a new file, standard output ("-") as a stream, or
 * /dev/null. The file is never a symbolic link; an existing file is renamed to
 * NAME.old. The file is locked while it is written, so that another recorder
 * does not rename it.
 */
#ifndef DWELL_RECORD_STREAM_OUTPUT_H
#define DWELL_RECORD_STREAM_OUTPUT_H

#include "common/file/writer.h"
#include "common/util/error.h"

struct output {
	int fd;
	char *path;	/* owned; NULL: no output */
	bool is_stream; /* written data cannot be changed later */
	bool has_old;	/* an existing file was renamed */
};

/* Returns true if PATH means standard output. */
bool output_is_stream(const char *path);
/* Returns true if PATH is /dev/null, which is written as a stream. */
bool output_is_null(const char *path);

/*
 * Creates the file at PATH, or opens the stream; the string PATH is copied. It
 * is an error if standard output is a terminal. After an error, only
 * output_name() of RET is valid.
 */
struct error *output_create(const char *path, struct output *ret) _must_check_;
/*
 * Returns the sink with which a writer writes to OUTPUT. The sink borrows
 * OUTPUT.
 */
struct sink output_sink(struct output *output);
/* Returns the name of OUTPUT for messages. */
const char *output_name(const struct output *output);
/*
 * Removes the file, and restores the name of the older file. output_name()
 * remains valid.
 */
void output_discard(struct output *output);
/* Renames the file to NAME. Fails with EEXIST if NAME exists. */
struct error *output_rename(
	struct output *output, const char *name) _must_check_;
/*
 * Closes the file. Returns write errors that are reported only by close(2), and
 * an error if the file was removed meanwhile.
 */
struct error *output_close(struct output *output) _must_check_;
void output_deinit(struct output *output);

/*
 * One file of a recording while it is written. --switch-output writes many
 * files, one after the other.
 */
struct output_file {
	struct output output;
	struct sink sink;
	struct writer *writer; /* NULL: no file is open */
	/*
	 * Bytes before compression, and the times of the first and last sample.
	 */
	uint64_t raw_bytes, first_time, last_time;
};

/* Creates the file at PATH. HEAD is borrowed until output_file_deinit(). */
struct error *output_file_begin(struct output_file *file, const char *path,
	const struct features *head) _must_check_;
/* Adds the block that INFO describes to the totals of FILE. */
void output_file_count(struct output_file *file, const struct block_info *info);
/* Closes the file and destroys its writer. */
struct error *output_file_end(struct output_file *file) _must_check_;
void output_file_deinit(struct output_file *file);

/*
 * The rotation of files (--switch-output): when the next file starts, and how
 * the files are named.
 */
struct output_rotation {
	bool has_many;	      /* there can be several files */
	bool is_stamped;      /* the time is appended to the file name */
	uint64_t size;	      /* maximum bytes of a file; 0: no limit */
	uint64_t interval_ns; /* maximum time of a file; 0: no limit */
	uint64_t n_max; /* maximum number of files that are kept; 0: all */
};

/*
 * Parses TEXT, the value of --switch-output as in perf: "signal", a size such
 * as "100M" (B, K, M, G) or a time such as "30s" (s, m, h, d). Does not change
 * .n_max.
 */
struct error *output_rotation_parse(
	const char *text, struct output_rotation *rotation) _must_check_;

#endif
