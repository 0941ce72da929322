/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The same recording as a perf.data without compression, for readers that
 * can't decompress. Records go over as they are, in their order.
 */
#include "config.h"

#include <inttypes.h>

#include "common/alloc.h"
#include "common/log.h"
#include "common/writer.h"
#include "report/export.h"
#include "report/result.h"

/* Sections of ours that stay true without the blocks. */
static const char *const kept_sections[] = {
	SECTION_SYMBOLS,
	SECTION_LOSSES,
	SECTION_META,
};

/*
 * FROM's facts with READER's events; borrows all of it. Bits that dwell can't
 * write are left out by the writer.
 */
static struct features facts_of(struct reader *reader)
{
	struct features facts = *reader_features(reader);
	size_t i;

	memset(&facts.events, 0, sizeof(facts.events));
	for (i = 0; i < reader_n_events(reader); i++)
		*array_push(&facts.events) = *reader_event(reader, i);
	if (!facts.hostname)
		facts.hostname = (char *)"";
	facts.present[0] &= ~(UINT64_C(1) << FEATURE_COMPRESSED);
	facts.present[0] |= UINT64_C(1) << FEATURE_HOSTNAME;
	return facts;
}

/* What the head can't hold goes behind the data: names, ids, build IDs. */
static struct features closing_of(const struct features *facts)
{
	struct features closing = *facts;

	memset(closing.present, 0, sizeof(closing.present));
	closing.present[0] = UINT64_C(1) << FEATURE_EVENT_DESC |
		UINT64_C(1) << FEATURE_HOSTNAME |
		(facts->present[0] & UINT64_C(1) << FEATURE_BUILD_ID);
	return closing;
}

static bool is_for_readers(const struct record *record)
{
	/*
	 * The head has these, and samples the chains; the old sections are no
	 * longer true.
	 */
	return record->type != RECORD_HEADER_ATTR &&
		record->type != RECORD_CALLCHAIN_DEFERRED &&
		record->type != RECORD_HEADER_FEATURE &&
		record->type != RECORD_HEADER_EVENT_TYPE &&
		record->type != RECORD_HEADER_TRACING_DATA &&
		record->type != RECORD_EVENT_UPDATE &&
		record->type != RECORD_ID_INDEX &&
		record->type != RECORD_AUXTRACE;
}

/* RECORD becomes one in ROOM if its user callchain came later. */
static bool is_wanted(struct result *result, struct record *record,
	uint64_t position, struct late_room *room)
{
	const struct input *input = result_input(result);
	struct reader *reader = input->reader;
	size_t event = reader_event_of(reader, record);
	struct maps_context at;
	struct sample sample;

	if (record->type != RECORD_SAMPLE)
		return is_for_readers(record);
	if (!late_read(&input->survey.late, reader_layout(reader, event),
		    record, &sample, room))
		return true;
	at = maps_context(input->survey.maps, sample.pid, sample.tid,
		survey_time(&input->survey, sample.time, position));
	return result_wants_sample(result, event, &sample, &at);
}

struct copy {
	struct result *result;
	struct cursor *cursor;
	struct writer *writer;
	struct late_room room;
	uint64_t n_traces; /* of AUX buffers, which are left out */
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
				    chunk.position + at, &copy->room))
				strbuf_put(&out, record.data, record.size);
			if (record.type == RECORD_AUXTRACE)
				copy->n_traces++;
			at = next;
		}
		err = writer_put(copy->writer, out.at, out.n);
	}
	return err;
}

static struct error *close_file(struct reader *reader, struct writer *writer,
	const struct features *facts)
{
	struct writer_section sections[ARRAY_SIZE(kept_sections)];
	struct features closing = closing_of(facts);
	struct error *err;
	size_t n = 0, i;

	for (i = 0; i < ARRAY_SIZE(kept_sections); i++) {
		sections[n] = (struct writer_section){ kept_sections[i], 1,
			{ 0 } };
		if (reader_section(
			    reader, kept_sections[i], 1, &sections[n].raw))
			n++;
		else
			strbuf_free(&sections[n].raw);
	}
	err = writer_close(writer, &closing, sections, n);
	for (i = 0; i < n; i++)
		strbuf_free(&sections[i].raw);
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

static struct error *copy_records(
	struct result *result, struct writer *writer)
{
	struct reader *reader = result_input(result)->reader;
	struct copy copy = { .result = result,
		.cursor = cursor_create(reader),
		.writer = writer };
	struct error *err = NULL;
	size_t i;

	for (i = 0; !err && i < reader_n_extents(reader); i++)
		err = copy_extent(&copy, reader_extent(reader, i));
	cursor_destroy(copy.cursor);
	late_tell(reader, copy.room.missing);
	tell_traces(reader, copy.n_traces);
	return err;
}

static struct error *run(const struct options *options, int fd)
{
	struct writer *writer = NULL;
	struct sink sink = sink_of_file(&fd);
	struct features facts = { 0 };
	struct result result;
	struct error *err = result_prepare(options, &result);

	if (!err) {
		facts = facts_of(result_input(&result)->reader);
		err = writer_create(&sink, &facts, &writer);
	}
	if (!err)
		err = copy_records(&result, writer);
	/* A pipe stays a stream: what is written can't be changed. */
	if (!err && lseek(fd, 0, SEEK_CUR) >= 0)
		err = close_file(
			result_input(&result)->reader, writer, &facts);
	writer_destroy(writer);
	array_free(&facts.events);
	result_deinit(&result);
	return err;
}

const struct export export_perf_data = {
	"perf-data", true, run
};
