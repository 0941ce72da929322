/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The same recording as a perf.data without compression, for readers that
 * can't decompress. Records go over as they are, in their order.
 */
#include "config.h"

#include <inttypes.h>

#include "common/util/alloc.h"
#include "common/util/log.h"
#include "report/export/export.h"
#include "report/export/rewrite.h"
#include "report/result/result.h"
#include "report/util/export_stream.h"

/* RECORD becomes one in ROOM if its user callchain came later. */
static bool is_wanted(struct result *result, struct record *record,
	uint64_t position, struct late_room *room)
{
	const struct input *input = result_input(result);
	struct reader *reader = input->reader;
	size_t event = reader_event_of(reader, record);
	struct maps_context at;
	struct sample sample;

	/* Samples have the chains that came later. */
	if (record->type != RECORD_SAMPLE)
		return rewrite_keeps(record) &&
			record->type != RECORD_CALLCHAIN_DEFERRED;
	if (!late_read(&input->survey.late, reader_layout(reader, event),
		    record, &sample, room))
		return true;
	at = maps_context(input->survey.maps, sample.pid, sample.tid,
		survey_time(&input->survey, sample.time, position));
	return result_wants_sample(result, event, &sample, &at);
}

struct copy {
	struct result *result;
	struct outflow *out;
	struct cursor *cursor;
	struct writer *writer;
	struct late_room room;
	uint64_t n_traces; /* of AUX buffers, which are left out */
	bool has_samples;  /* one was copied */
};

static struct error *copy_extent(
	struct copy *copy, const struct extent *extent)
{
	struct error *err = NULL;
	struct chunk chunk;

	cursor_load(copy->cursor, extent);
	while (!err && cursor_next(copy->cursor, &chunk) == 0) {
		_cleanup_strbuf_ struct strbuf out = { 0 };
		struct record record;
		size_t at = 0;

		while (record_at(chunk.data + at, chunk.size - at, false,
			&record)) {
			size_t next = at + record.size;

			if (is_wanted(copy->result, &record,
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

/* What dwell adds stays true without the blocks. */
static struct error *close_file(struct reader *reader, struct writer *writer,
	struct features *facts)
{
	static const char *const none[] = { NULL };
	struct features closing = rewrite_closing(facts, false);
	struct rewrite_sections sections = { 0 };
	struct error *err;

	rewrite_add_sections(reader, none, &sections);
	rewrite_add_damage(reader, &sections);
	err = writer_close(writer, &closing, sections.at.at, sections.at.n);
	rewrite_sections_deinit(&sections);
	return err;
}

/* Their payload stands behind the records, where streams have no place. */
static void tell_traces(struct reader *reader, uint64_t n)
{
	if (n)
		log_note("%s: %" PRIu64 " traces of AUX buffers are left out; "
			 "only the recording itself has them",
			reader_path(reader), n);
}

static struct error *copy_records(struct result *result,
	struct outflow *out, struct writer *writer)
{
	struct reader *reader = result_input(result)->reader;
	struct copy copy = { .result = result,
		.out = out,
		.cursor = cursor_create(reader),
		.writer = writer };
	struct error *err = NULL;
	size_t i;

	out->total = reader_expanded_size(reader);
	for (i = 0; !err && i < reader_n_extents(reader); i++)
		err = copy_extent(&copy, reader_extent(reader, i));
	cursor_destroy(copy.cursor);
	late_tell(reader, copy.room.missing);
	tell_traces(reader, copy.n_traces);
	if (!err && !copy.has_samples)
		result_tell_nothing(result);
	return err;
}

/* --- to the file, by way of OUT, which tells how much it will be ---------- */

static int append(void *data, const void *bytes, size_t size)
{
	struct outflow *out = data;

	strbuf_put(&out->text, bytes, size);
	outflow_some(out);
	return out->errnum;
}

static int overwrite(
	void *data, uint64_t offset, const void *bytes, size_t size)
{
	struct outflow *out = data;

	/* The header comes last: all else may be there yet. */
	outflow_tell(out, out->text.n);
	if (!outflow_flush(out))
		out->errnum = out->sink.overwrite(
			out->sink.data, offset, bytes, size);
	return out->errnum;
}

static int cut(void *data, uint64_t size)
{
	struct outflow *out = data;

	return outflow_flush(out) ?: out->sink.cut(out->sink.data, size);
}

static struct error *write_to(
	struct result *result, struct outflow *out, bool is_file)
{
	struct reader *reader = result_input(result)->reader;
	struct features facts = rewrite_head(reader);
	const struct sink sink = { append, overwrite, cut, out };
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
	/* A pipe stays a stream: what is written can't be changed. */
	if (!err && is_file)
		err = close_file(reader, writer, &facts);
	writer_destroy(writer);
	rewrite_deinit(&facts);
	/* That it can't be written OUT tells, as in every format. */
	if (out->errnum) {
		error_free(err);
		return NULL;
	}
	return error_wrap(err, "%s", out->name);
}

static struct error *run(const struct options *options, int fd)
{
	struct outflow out = outflow_begin(options->output, &fd);
	struct result result;
	struct error *err = result_prepare(options, &result);

	if (!err)
		err = write_to(
			&result, &out, lseek(fd, 0, SEEK_CUR) >= 0);
	err = outflow_end(&out, err);
	result_deinit(&result);
	return err;
}

const struct export export_perf_data = {
	"perf-data", true, run
};
