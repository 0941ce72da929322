/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exports a recording as an uncompressed perf.data file, for programs that
 * cannot read zstd. Records are copied in file order; only samples with a
 * deferred call chain are changed.
 */
#include "config.h"

#include <inttypes.h>

#include "common/util/alloc.h"
#include "common/util/log.h"
#include "report/export/export.h"
#include "report/pack/rewrite.h"
#include "report/result/result.h"
#include "report/util/outflow.h"

/*
 * Returns whether RECORD is copied. If RECORD is a sample with a deferred call
 * chain, builds the complete sample in ROOM and sets RECORD to the complete
 * sample.
 */
static bool is_record_copied(struct result *result, struct record *record,
	uint64_t position, struct deferred_room *room)
{
	const struct input *input = result_input(result);
	struct reader *reader = input->reader;
	size_t event = reader_event_of(reader, record);
	struct maps_context at;
	struct sample sample;

	/* Call chains of RECORD_CALLCHAIN_DEFERRED are merged into samples. */
	if (record->type != RECORD_SAMPLE)
		return rewrite_keeps(record) &&
			record->type != RECORD_CALLCHAIN_DEFERRED;
	if (!deferred_chains_read(&input->survey.deferred,
		    reader_layout(reader, event), record, &sample, room))
		return true;
	at = maps_context(input->survey.maps, sample.pid, sample.tid,
		survey_time(&input->survey, sample.time, position));
	return result_wants_sample(result, event, &sample, &at);
}

struct record_copy {
	struct result *result;
	struct outflow *out;
	struct cursor *cursor;
	struct writer *writer;
	struct deferred_room room;
	uint64_t n_traces; /* number of AUX traces that were not copied */
	bool has_samples;  /* a sample was copied */
};

static struct error *copy_extent_records(
	struct record_copy *copy, const struct extent *extent)
{
	struct error *err = NULL;
	struct reader_chunk chunk;

	cursor_load(copy->cursor, extent);
	while (!err && cursor_next(copy->cursor, &chunk) == 0) {
		_cleanup_strbuf_ struct strbuf out = { 0 };
		struct record record;
		size_t at = 0;

		while (record_at(
			chunk.data + at, chunk.size - at, false, &record)) {
			size_t next = at + record.size;

			if (is_record_copied(copy->result, &record,
				    chunk.position + at, &copy->room)) {
				strbuf_put(&out, record.data, record.size);
				copy->has_samples |=
					record.type == RECORD_SAMPLE;
			}
			if (record.type == RECORD_AUXTRACE)
				copy->n_traces++;
			at = next;
		}
		copy->out->done = chunk.position + chunk.size;
		err = writer_put(copy->writer, out.at, out.n);
	}
	return err;
}

static struct error *copy_records(
	struct result *result, struct outflow *out, struct writer *writer)
{
	struct reader *reader = result_input(result)->reader;
	/* .room is too large for a small stack (ulimit -s). */
	_cleanup_free_ struct record_copy *copy = xcalloc(1, sizeof(*copy));
	struct error *err = NULL;
	size_t i;

	copy->result = result;
	copy->out = out;
	copy->cursor = cursor_create(reader);
	copy->writer = writer;
	out->total = reader_expanded_size(reader);
	for (i = 0; !err && i < reader_n_extents(reader); i++)
		err = copy_extent_records(copy, reader_extent(reader, i));
	cursor_destroy(copy->cursor);
	deferred_chains_report_missing(reader, copy->room.missing);
	/*
	 * The payload of an AUX trace follows the RECORD_AUXTRACE, which perf's
	 * stream format does not support.
	 */
	if (copy->n_traces)
		log_note("%s: %" PRIu64 " AUX traces were not copied; only the "
			 "original recording contains them",
			reader_path(reader), copy->n_traces);
	if (!err && !copy->has_samples)
		result_report_empty(result);
	return err;
}

/* --- sink of the writer: writes to a struct outflow ---------------------- */

static int append_copied(void *data, const void *bytes, size_t size)
{
	struct outflow *out = data;

	strbuf_put(&out->text, bytes, size);
	outflow_some(out);
	return out->errnum;
}

static int overwrite_copied(
	void *data, uint64_t offset, const void *bytes, size_t size)
{
	struct outflow *out = data;

	/*
	 * The file header is overwritten last, after all text in memory is
	 * written.
	 */
	if (!outflow_flush(out))
		out->errnum = out->sink.overwrite(
			out->sink.data, offset, bytes, size);
	return out->errnum;
}

static int cut_copied(void *data, uint64_t size)
{
	struct outflow *out = data;

	return outflow_flush(out) ?: out->sink.cut(out->sink.data, size);
}

static struct error *write_perf_data(
	struct result *result, struct outflow *out, bool is_file)
{
	struct reader *reader = result_input(result)->reader;
	struct features facts = rewrite_head(reader);
	const struct sink sink = { append_copied, overwrite_copied, cut_copied,
		out };
	_cleanup_strbuf_ struct strbuf ids = { 0 };
	struct writer *writer = NULL;
	struct error *err;

	if (!is_file)
		rewrite_stream_build_ids(&facts, &ids);
	err = writer_create(&sink, &facts, &writer);
	if (!err)
		err = writer_put(writer, ids.at, ids.n);
	if (!err)
		err = copy_records(result, out, writer);
	/*
	 * Output to a pipe remains in the stream format, because the file
	 * header in a pipe cannot be overwritten.
	 */
	if (!err && is_file) {
		/*
		 * Close the file with the sections that dwell added to the
		 * recording. The sections are also valid for records without
		 * compression.
		 */
		static const char *const none[] = { NULL };
		struct features closing = rewrite_closing(&facts, false);
		struct rewrite_sections sections = { 0 };

		rewrite_add_sections(reader, none, &sections);
		rewrite_add_damage(reader, &sections);
		err = writer_close(
			writer, &closing, sections.at.at, sections.at.n);
		rewrite_sections_deinit(&sections);
	}
	writer_destroy(writer);
	rewrite_deinit(&facts);
	/* outflow_end() reports write errors, as for all export formats. */
	if (out->errnum) {
		error_free(err);
		return NULL;
	}
	return error_wrap(err, "%s", out->path ?: "standard output");
}

static struct error *run_perf_data_export(const struct options *options, int fd)
{
	struct outflow out = outflow_begin(options->output.file, &fd);
	struct result result;
	struct error *err = result_prepare(options, &result);

	if (!err)
		err = write_perf_data(
			&result, &out, lseek(fd, 0, SEEK_CUR) >= 0);
	err = outflow_end(&out, err);
	result_deinit(&result);
	return err;
}

const struct export export_perf_data = { "perf-data", true,
	run_perf_data_export };
