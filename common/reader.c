/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <zstd.h>

#include "common/alloc.h"
#include "common/hash.h"

#define HEADER_SIZE 104u     /* perf_file_header with its bitmap */
#define HEADER_SIZE_OLD 72u  /* without */
#define PIPE_HEADER_SIZE 16u
#define WINDOW_SIZE KIB(256)
#define WINDOW_ROOM (WINDOW_SIZE + RECORD_SIZE_MAX + 1)
#define STREAM_ROOM (WINDOW_SIZE + RECORD_SIZE_MAX + 1)
#define FEATURE_SIZE_MAX MIB(64)
#define COMPRESSED2_HEADER 16u

struct reader {
	char *path;
	int fd;
	uint64_t size;      /* of the file */
	uint64_t at, end;   /* where reader_next() is; where the data ends */
	uint64_t expansion; /* by how much decompressing moved it on so far */
	bool is_pipe;       /* attrs and features come as records */
	bool is_ordered;
	char *damage;
	struct features features;
	ARRAY(struct event) events;
	ARRAY(struct sample_layout) layouts;
	struct hash_index by_id;
	ARRAY(struct known_id {
		uint64_t id;
		size_t event;
	}) ids;
	ARRAY(struct extent) extents;
	struct section sections[SECTIONS_MAX];
	int n_sections;
	struct cursor *cursor;
};

struct cursor {
	struct reader *reader;
	struct extent extent;
	bool is_done;         /* with the extent, but for STREAM input */
	uint64_t given;       /* bytes of the extent so far */
	uint8_t *window;      /* WINDOW_ROOM: file bytes */
	uint64_t window_at;   /* file offset of window[0] */
	size_t window_size;
	uint8_t *block;       /* BLOCK_RAW_MAX: a decompressed block */
	uint8_t *stream;      /* STREAM_ROOM: decompressed, tail carried over */
	size_t stream_size, stream_given;
	ZSTD_inBuffer input;
	ZSTD_DCtx *dctx;
	ZSTD_DStream *dstream;
};

/* --- bytes of the file ---------------------------------------------------- */

static size_t read_at(
	const struct reader *reader, uint64_t offset, void *out, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(reader->fd, (uint8_t *)out + done,
			size - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	return done;
}

/*
 * SIZE bytes at OFFSET, from the window if they are there; NULL if the data
 * end before. Borrowed until the next call.
 */
static const uint8_t *peek(struct cursor *cursor, uint64_t offset, size_t size)
{
	uint64_t end = cursor->reader->end;

	if (offset > end || size > end - offset)
		return NULL;
	if (offset < cursor->window_at ||
		offset + size > cursor->window_at + cursor->window_size) {
		cursor->window_at = offset;
		cursor->window_size = read_at(cursor->reader, offset,
			cursor->window,
			MIN((uint64_t)WINDOW_ROOM, end - offset));
	}
	if (size > cursor->window_at + cursor->window_size - offset)
		return NULL;
	return cursor->window + (offset - cursor->window_at);
}

static void damaged(struct reader *reader, uint64_t offset, const char *what)
{
	if (reader->damage)
		return;
	if (offset == reader->size)
		reader->damage = xstrdup(what);
	else
		reader->damage = xasprintf("%s at byte %llu of %llu", what,
			(unsigned long long)offset,
			(unsigned long long)reader->size);
}

/* --- events and features -------------------------------------------------- */

static bool find_id(
	const struct reader *reader, uint64_t id, size_t *event_ret)
{
	uint64_t hash = hash_words(id, 0);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&reader->by_id, hash, &probe)) != HASH_NONE) {
		if (reader->ids.at[i].id != id)
			continue;
		*event_ret = reader->ids.at[i].event;
		return true;
	}
	return false;
}

/* The first event that claims an id has it. */
static void add_id(struct reader *reader, uint64_t id, size_t event)
{
	size_t known;

	if (find_id(reader, id, &known))
		return;
	hash_insert(&reader->by_id, hash_words(id, 0),
		(uint32_t)reader->ids.n);
	*array_push(&reader->ids) = (struct known_id){ id, event };
}

static void add_event(struct reader *reader, const struct perf_event_attr *attr,
	struct bytes ids)
{
	struct event *event = array_push(&reader->events);

	event->attr = *attr;
	event->name = attr_name(attr);
	while (bytes_left(&ids) >= 8 && event->ids.n < ATTR_IDS_MAX) {
		uint64_t id = bytes_u64(&ids);

		*array_push(&event->ids) = id;
		add_id(reader, id, reader->events.n - 1);
	}
	sample_layout_init(array_push(&reader->layouts), attr);
}

static void take_attr(struct reader *reader, const struct record *record)
{
	struct bytes b = record_payload(record), peeked = b;
	struct perf_event_attr attr;
	uint32_t size;

	bytes_u32(&peeked);
	size = bytes_u32(&peeked);
	if (!attr_read(&b, size ? size : PERF_ATTR_SIZE_VER0, &attr) ||
		reader->events.n >= ATTR_EVENTS_MAX)
		return;
	add_event(reader, &attr, b);
}

static void rename_event(struct reader *reader, size_t i, const char *name)
{
	if (i >= reader->events.n || !name || !*name)
		return;
	free(reader->events.at[i].name);
	reader->events.at[i].name = xstrdup(name);
}

static void take_update(struct reader *reader, const struct record *record)
{
	struct bytes b = record_payload(record);
	uint64_t kind = bytes_u64(&b), id = bytes_u64(&b);
	const char *name = bytes_string(&b);
	size_t event;

	if (b.ok && kind == EVENT_UPDATE_NAME && find_id(reader, id, &event))
		rename_event(reader, event, name);
}

/* Names are in EVENT_DESC, in the order of the attrs. */
static void name_events(struct reader *reader)
{
	size_t i;

	if (reader->features.events.n != reader->events.n)
		return;
	for (i = 0; i < reader->events.n; i++)
		rename_event(reader, i, reader->features.events.at[i].name);
}

/* Records that describe the stream itself; only pipes carry them. */
static void take_description(
	struct reader *reader, const struct record *record)
{
	struct bytes b = record_payload(record);

	if (record->type == RECORD_HEADER_ATTR)
		take_attr(reader, record);
	else if (record->type == RECORD_EVENT_UPDATE)
		take_update(reader, record);
	else if (record->type == RECORD_HEADER_FEATURE) {
		uint64_t bit = bytes_u64(&b);

		if (bit >= FEATURE_BITS || !bytes_left(&b))
			return;
		feature_read(&reader->features, (unsigned)bit, b);
		if (bit == FEATURE_EVENT_DESC)
			name_events(reader);
	} else if (record->type == RECORD_HEADER_BUILD_ID) {
		struct bytes whole = bytes_of(
			record->data, record->size, record->swap);

		feature_read(&reader->features, FEATURE_BUILD_ID, whole);
	}
}

static void take_tracing_data(
	struct reader *reader, uint64_t offset, uint64_t size)
{
	_cleanup_free_ uint8_t *data = NULL;

	if (size > FEATURE_SIZE_MAX || offset > reader->size ||
		size > reader->size - offset)
		return;
	data = xmalloc(size);
	size = read_at(reader, offset, data, size);
	feature_read(&reader->features, FEATURE_TRACING_DATA,
		bytes_of(data, size, false));
}

static struct error *read_attrs(
	struct reader *reader, uint64_t entry, uint64_t offset, uint64_t size)
{
	_cleanup_free_ uint8_t *attrs = NULL;
	uint64_t i, n = size / entry, ids_total = 0;

	if (n == 0 || n > ATTR_EVENTS_MAX)
		return error_new("it describes %llu events",
			(unsigned long long)n);
	attrs = xmalloc(size);
	if (read_at(reader, offset, attrs, size) != size)
		return error_new("its events can't be read");
	for (i = 0; i < n; i++) {
		struct bytes b = bytes_of(attrs + i * entry, entry, false);
		struct perf_event_attr attr;
		_cleanup_free_ uint8_t *ids = NULL;
		uint64_t ids_offset, ids_size;

		if (!attr_read(&b, entry - 16, &attr))
			return error_new("event %llu has an attr of %llu bytes",
				(unsigned long long)i,
				(unsigned long long)entry - 16);
		ids_offset = bytes_u64(&b);
		ids_size = bytes_u64(&b);
		ids_total += ids_size;
		if (ids_total > reader->size || ids_offset > reader->size ||
			ids_size > reader->size - ids_offset)
			return error_new("event %llu has ids outside the file",
				(unsigned long long)i);
		ids = xmalloc(ids_size);
		ids_size = read_at(reader, ids_offset, ids, ids_size);
		add_event(reader, &attr, bytes_of(ids, ids_size, false));
	}
	return NULL;
}

static void read_features(struct reader *reader, uint64_t table,
	const uint64_t bitmap[FEATURE_BITS / 64])
{
	unsigned bit;

	for (bit = 0; bit < FEATURE_BITS; bit++) {
		_cleanup_free_ uint8_t *data = NULL;
		uint64_t place[2], size;

		if (!(bitmap[bit / 64] >> (bit % 64) & 1))
			continue;
		if (read_at(reader, table, place, sizeof(place)) !=
			sizeof(place))
			return;
		table += sizeof(place);
		size = place[1];
		if (place[0] > reader->size || size > FEATURE_SIZE_MAX ||
			size > reader->size - place[0])
			continue;
		data = xmalloc(size);
		size = read_at(reader, place[0], data, size);
		feature_read(&reader->features, bit,
			bytes_of(data, size, false));
	}
}

/* --- opening -------------------------------------------------------------- */

static void read_directory(struct reader *reader, uint64_t trailer_at)
{
	_cleanup_free_ uint8_t *directory = NULL;
	uint8_t bytes[TRAILER_SIZE];
	struct trailer trailer;
	int n;

	if (read_at(reader, trailer_at, bytes, sizeof(bytes)) !=
			sizeof(bytes) ||
		!trailer_read(
			bytes_of(bytes, sizeof(bytes), false), &trailer) ||
		trailer.directory_size > SECTIONS_MAX * sizeof(struct section))
		return;
	directory = xmalloc(trailer.directory_size);
	if (read_at(reader, trailer.directory_offset, directory,
		    trailer.directory_size) != trailer.directory_size)
		return;
	n = section_directory_read(
		bytes_of(directory, trailer.directory_size, false),
		reader->sections);
	reader->n_sections = MAX(n, 0);
}

static void begin_stream(struct reader *reader, uint64_t offset)
{
	reader->is_pipe = true;
	reader->at = offset;
	reader->end = reader->size;
	if (reader->size >= TRAILER_SIZE)
		read_directory(reader, reader->size - TRAILER_SIZE);
}

static struct error *read_file_header(
	struct reader *reader, struct bytes b, uint64_t header_size)
{
	uint64_t entry = bytes_u64(&b);
	uint64_t attrs = bytes_u64(&b), attrs_size = bytes_u64(&b);
	uint64_t data = bytes_u64(&b), data_size = bytes_u64(&b);
	uint64_t own = bytes_u64(&b), own_size = bytes_u64(&b);
	uint64_t bitmap[FEATURE_BITS / 64] = { 0 };
	struct error *err;
	size_t i;

	for (i = 0; header_size == HEADER_SIZE && i < ARRAY_SIZE(bitmap); i++)
		bitmap[i] = bytes_u64(&b);
	/* A closed recording of ours whose tail is gone is still a stream. */
	if (own_size == TRAILER_SIZE &&
		(own > reader->size || own_size > reader->size - own)) {
		damaged(reader, reader->size, "the file is cut off");
		begin_stream(reader, HEADER_SIZE);
		if (data <= reader->size && data_size <= reader->size - data)
			reader->end = data + data_size;
		return NULL;
	}
	if (data > reader->size || entry < PERF_ATTR_SIZE_VER0 + 16 ||
		entry > ATTR_SIZE_MAX + 16 || attrs > reader->size ||
		attrs_size > reader->size - attrs)
		return error_new("its header points outside of it");
	err = read_attrs(reader, entry, attrs, attrs_size);
	if (err)
		return err;
	reader->at = data;
	reader->end = reader->size;
	if (data_size == 0) {
		damaged(reader, reader->size,
			"its recorder was killed: no end of data is told");
		return NULL;
	}
	if (data_size > reader->size - data) {
		damaged(reader, reader->size, "the file is cut off");
		return NULL;
	}
	reader->end = data + data_size;
	read_features(reader, reader->end, bitmap);
	name_events(reader);
	if (own_size == TRAILER_SIZE)
		read_directory(reader, own);
	return NULL;
}

static struct error *read_header(struct reader *reader)
{
	uint8_t header[HEADER_SIZE] = { 0 };
	size_t n = read_at(reader, 0, header, sizeof(header));
	struct bytes b = bytes_of(header, sizeof(header), false);
	uint64_t magic = bytes_u64(&b), header_size = bytes_u64(&b);

	if (n == 0)
		return error_new("is empty: nothing was recorded");
	if (magic == bswap_64(ABI_FILE_MAGIC))
		return error_new("was recorded on a machine of the other byte "
				 "order, which dwell can't read yet");
	if (!memcmp(header, "PERFFILE", sizeof(magic)))
		return error_new("is of perf's first format (before 2009.12), "
				 "which dwell can't read yet");
	if (n < PIPE_HEADER_SIZE || magic != ABI_FILE_MAGIC)
		return error_new("is not a perf.data file");
	if (header_size == PIPE_HEADER_SIZE) {
		begin_stream(reader, PIPE_HEADER_SIZE);
		return NULL;
	}
	if (n < sizeof(header))
		return error_new("is cut off inside its header");
	if (header_size != HEADER_SIZE && header_size != HEADER_SIZE_OLD)
		return error_new("has a header of %llu bytes, which no perf "
				 "writes",
			(unsigned long long)header_size);
	return read_file_header(reader, b, header_size);
}

/* Standard input can't be read twice: keep it in a file without a name. */
static struct error *spool(int *fd_ret)
{
	_cleanup_free_ uint8_t *buffer = xmalloc(WINDOW_SIZE);
	FILE *file = tmpfile();
	struct error *err = NULL;
	ssize_t n;

	if (!file)
		return error_errno(errno, "making a temporary file");
	while ((n = read(STDIN_FILENO, buffer, WINDOW_SIZE)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			err = error_errno(errno, "reading");
		else if (fwrite(buffer, 1, (size_t)n, file) != (size_t)n)
			err = error_errno(errno, "writing a temporary file");
		if (err)
			break;
	}
	if (!err && fflush(file))
		err = error_errno(errno, "writing a temporary file");
	*fd_ret = err ? -1 : fcntl(fileno(file), F_DUPFD_CLOEXEC, 3);
	fclose(file);
	return err;
}

static struct error *open_file(struct reader *reader)
{
	struct stat status;
	struct error *err;

	if (string_is(reader->path, "-")) {
		err = spool(&reader->fd);
		if (err)
			return err;
	} else {
		reader->fd =
			open(reader->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	}
	if (reader->fd < 0)
		return error_errno(errno, "can't be opened");
	if (fstat(reader->fd, &status) < 0)
		return error_errno(errno, "can't be examined");
	if (S_ISDIR(status.st_mode))
		return error_new("is a directory; name a file with -i");
	if (!S_ISREG(status.st_mode))
		return error_new("is not a regular file; pipe it into '-i -'");
	reader->size = (uint64_t)status.st_size;
	return NULL;
}

struct error *reader_open(const char *path, struct reader **ret)
{
	struct reader *reader = xcalloc(1, sizeof(*reader));
	struct error *err;

	reader->path = xstrdup(path);
	reader->fd = -1;
	err = open_file(reader);
	if (!err)
		err = read_header(reader);
	if (err) {
		reader_close(reader);
		return error_wrap(err, "%s", path);
	}
	reader->cursor = cursor_create(reader);
	*ret = reader;
	return NULL;
}

void reader_close(struct reader *reader)
{
	if (!reader)
		return;
	cursor_destroy(reader->cursor);
	features_deinit(&reader->features);
	array_each(&reader->events, event)
		event_deinit(event);
	array_free(&reader->events);
	array_free(&reader->layouts);
	array_free(&reader->ids);
	array_free(&reader->extents);
	hash_free(&reader->by_id);
	if (reader->fd >= 0)
		close(reader->fd);
	free(reader->damage);
	free(reader->path);
	free(reader);
}

/* --- walking -------------------------------------------------------------- */

static bool is_compressed(uint32_t type)
{
	return type == RECORD_COMPRESSED || type == RECORD_COMPRESSED2;
}

/*
 * The record at OFFSET, whole. Returns false at the end of the data, having
 * said what is wrong if they end too early.
 */
static bool whole_record(
	struct cursor *cursor, uint64_t offset, struct record *ret)
{
	struct reader *reader = cursor->reader;
	const uint8_t *data = peek(cursor, offset, RECORD_HEADER_SIZE);
	struct perf_event_header header;

	if (!data) {
		if (offset != reader->end)
			damaged(reader, offset, "the last record is cut off");
		return false;
	}
	memcpy(&header, data, sizeof(header));
	if (header.size < RECORD_HEADER_SIZE) {
		damaged(reader, offset, "there is no record");
		return false;
	}
	data = peek(cursor, offset, header.size);
	if (!data) {
		damaged(reader, offset, "the last record is cut off");
		return false;
	}
	return record_at(data, header.size, false, ret);
}

/* A record that is followed by bytes that its size doesn't count. */
static bool take_extra(
	struct reader *reader, const struct record *record, uint64_t *end)
{
	uint64_t extra = record_extra_size(record);

	if (record->type == RECORD_HEADER_TRACING_DATA)
		take_tracing_data(reader, *end, extra);
	if (extra > reader->end - *end) {
		damaged(reader, *end, "the file is cut off");
		return false;
	}
	*end += extra;
	return true;
}

static void remember(struct reader *reader, uint64_t offset, uint64_t end,
	enum extent_coding coding, const struct block_info *info)
{
	struct extent *extent = array_push(&reader->extents);

	extent->offset = offset;
	extent->size = (uint32_t)(end - offset);
	extent->coding = coding;
	extent->position = offset + reader->expansion;
	if (coding != EXTENT_PLAIN)
		reader->expansion -= extent->size;
	if (info) {
		extent->info = *info;
		reader->expansion += info->raw_size;
	}
}

/*
 * Plain records from reader->at on, as many as the window holds. Gives what
 * lies before the first compressed record or one with bytes behind it.
 */
static int next_plain(struct reader *reader, struct chunk *ret)
{
	struct cursor *cursor = reader->cursor;
	uint64_t start = reader->at, end = start, limit;
	struct record record;

	/* One window, so that the chunk lies in one piece. */
	if (!whole_record(cursor, start, &record))
		return 1;
	if (start + WINDOW_SIZE > cursor->window_at + cursor->window_size &&
		cursor->window_at != start) {
		cursor->window_size = 0;
		whole_record(cursor, start, &record);
	}
	limit = cursor->window_at + cursor->window_size;
	for (;;) {
		uint64_t next = end + record.size;

		if (reader->is_pipe)
			take_description(reader, &record);
		if (record.type == RECORD_HEADER_TRACING_DATA ||
			record.type == RECORD_AUXTRACE) {
			end = next;
			if (!take_extra(reader, &record, &next))
				next = reader->end;
			reader->at = next;
			break;
		}
		reader->at = end = next;
		if (limit - end < RECORD_HEADER_SIZE)
			break;
		if (!record_at(cursor->window + (end - cursor->window_at),
			    limit - end, false, &record) ||
			is_compressed(record.type))
			break;
	}
	remember(reader, start, end, EXTENT_PLAIN, NULL);
	ret->data = cursor->window + (start - cursor->window_at);
	ret->size = end - start;
	ret->position = start + reader->expansion;
	ret->offset = start;
	return 0;
}

int reader_next(struct reader *reader, enum block_kind wanted,
	struct chunk *ret)
{
	struct cursor *cursor = reader->cursor;

	for (;;) {
		struct block_info info;
		struct record record;
		const uint8_t *frame;
		uint64_t start = reader->at;
		int result;

		if (cursor->extent.size &&
			cursor->extent.coding != EXTENT_PLAIN) {
			result = cursor_next(cursor, ret);
			if (result < 0)
				damaged(reader, cursor->extent.offset,
					"compressed data are damaged");
			if (result == 0 &&
				cursor->extent.coding == EXTENT_STREAM)
				reader->expansion += ret->size;
			if (result == 0)
				return 0;
		}
		cursor->extent.size = 0;
		if (!whole_record(cursor, start, &record))
			return 1;
		if (!is_compressed(record.type))
			return next_plain(reader, ret);
		reader->at += record.size;
		if (block_describe(&record, &info, &frame)) {
			remember(reader, start, reader->at, EXTENT_BLOCK,
				&info);
			if (!(info.kind & wanted))
				continue;
		} else {
			remember(reader, start, reader->at, EXTENT_STREAM,
				NULL);
			reader->is_ordered = true;
		}
		cursor_load(cursor, &reader->extents.at[reader->extents.n - 1]);
	}
}

/* --- cursors -------------------------------------------------------------- */

struct cursor *cursor_create(struct reader *reader)
{
	struct cursor *cursor = xcalloc(1, sizeof(*cursor));

	cursor->reader = reader;
	cursor->window = xmalloc(WINDOW_ROOM);
	return cursor;
}

void cursor_destroy(struct cursor *cursor)
{
	if (!cursor)
		return;
	free(cursor->window);
	free(cursor->block);
	free(cursor->stream);
	ZSTD_freeDCtx(cursor->dctx);
	ZSTD_freeDStream(cursor->dstream);
	free(cursor);
}

void cursor_load(struct cursor *cursor, const struct extent *extent)
{
	cursor->extent = *extent;
	cursor->is_done = false;
	cursor->given = 0;
	cursor->input = (ZSTD_inBuffer){ 0 };
}

static int next_block(
	struct cursor *cursor, const uint8_t *data, struct chunk *ret)
{
	struct record record;
	struct block_info info;
	const uint8_t *frame;

	cursor->is_done = true;
	if (!cursor->block)
		cursor->block = xmalloc(BLOCK_RAW_MAX);
	if (!cursor->dctx)
		cursor->dctx = ZSTD_createDCtx();
	if (!record_at(data, cursor->extent.size, false, &record) ||
		!block_describe(&record, &info, &frame) ||
		!block_decode(cursor->dctx, &info, frame, cursor->block))
		return -1;
	ret->data = cursor->block;
	ret->size = info.raw_size;
	return 0;
}

static void begin_input(struct cursor *cursor, const uint8_t *data)
{
	struct record record;
	struct bytes b;
	size_t size;

	if (!record_at(data, cursor->extent.size, false, &record))
		return;
	b = record_payload(&record);
	size = bytes_left(&b);
	if (record.type == RECORD_COMPRESSED2) {
		size = MIN(bytes_u64(&b), bytes_left(&b));
		data += COMPRESSED2_HEADER - RECORD_HEADER_SIZE;
	}
	cursor->input.src = data + RECORD_HEADER_SIZE;
	cursor->input.size = size;
}

/* How many of SIZE bytes are whole records; SIZE_MAX if they are none. */
static size_t whole_records(const uint8_t *data, size_t size)
{
	size_t done = 0;

	while (size - done >= RECORD_HEADER_SIZE) {
		struct perf_event_header header;

		memcpy(&header, data + done, sizeof(header));
		if (header.size < RECORD_HEADER_SIZE)
			return SIZE_MAX;
		if (header.size > size - done)
			break;
		done += header.size;
	}
	return done;
}

/*
 * perf's compressed data: records straddle the pieces, so what is left behind
 * the last whole record stays in front of the next piece.
 */
static int next_stream(
	struct cursor *cursor, const uint8_t *data, struct chunk *ret)
{
	ZSTD_outBuffer output;
	size_t whole;

	if (!cursor->dstream) {
		cursor->dstream = ZSTD_createDStream();
		cursor->stream = xmalloc(STREAM_ROOM);
	}
	if (!cursor->input.src)
		begin_input(cursor, data);
	cursor->stream_size -= cursor->stream_given;
	memmove(cursor->stream, cursor->stream + cursor->stream_given,
		cursor->stream_size);
	cursor->stream_given = 0;
	output = (ZSTD_outBuffer){ cursor->stream, STREAM_ROOM,
		cursor->stream_size };
	while (output.pos < output.size) {
		size_t before = output.pos, read = cursor->input.pos;

		if (ZSTD_isError(ZSTD_decompressStream(
			    cursor->dstream, &output, &cursor->input)))
			return -1;
		if (output.pos == before && cursor->input.pos == read)
			break;
	}
	cursor->is_done = output.pos < output.size;
	cursor->stream_size = output.pos;
	whole = whole_records(cursor->stream, cursor->stream_size);
	if (whole == SIZE_MAX)
		return -1;
	if (!whole)
		return cursor->is_done ? 1 : -1;
	cursor->stream_given = whole;
	ret->data = cursor->stream;
	ret->size = whole;
	return 0;
}

static int next_chunk(struct cursor *cursor, struct chunk *ret)
{
	const struct extent *extent = &cursor->extent;
	const uint8_t *data = peek(cursor, extent->offset, extent->size);

	if (!data)
		return -1;
	if (extent->coding == EXTENT_BLOCK)
		return next_block(cursor, data, ret);
	if (extent->coding == EXTENT_STREAM)
		return next_stream(cursor, data, ret);
	cursor->is_done = true;
	ret->data = data;
	ret->size = extent->size;
	return 0;
}

int cursor_next(struct cursor *cursor, struct chunk *ret)
{
	int result = cursor->is_done ? 1 : next_chunk(cursor, ret);

	if (result)
		return result;
	ret->position = cursor->extent.position + cursor->given;
	ret->offset = cursor->extent.offset;
	cursor->given += ret->size;
	return 0;
}

/* --- asking --------------------------------------------------------------- */

size_t reader_n_extents(const struct reader *reader)
{
	return reader->extents.n;
}

const struct extent *reader_extent(const struct reader *reader, size_t i)
{
	return &reader->extents.at[i];
}

bool reader_is_ordered(const struct reader *reader)
{
	return reader->is_ordered;
}

const char *reader_damage(const struct reader *reader)
{
	return reader->damage;
}

const char *reader_path(const struct reader *reader)
{
	return reader->path;
}

uint64_t reader_size(const struct reader *reader)
{
	return reader->size;
}

bool reader_is_pipe(const struct reader *reader)
{
	return reader->is_pipe;
}

const struct features *reader_features(const struct reader *reader)
{
	return &reader->features;
}

size_t reader_n_events(const struct reader *reader)
{
	return reader->events.n;
}

const struct event *reader_event(const struct reader *reader, size_t i)
{
	return &reader->events.at[i];
}

const struct sample_layout *reader_layout(
	const struct reader *reader, size_t i)
{
	return &reader->layouts.at[i];
}

size_t reader_event_of(
	const struct reader *reader, const struct record *record)
{
	size_t event = 0;
	uint64_t id;

	if (reader->events.n > 1 &&
		sample_peek_id(&reader->layouts.at[0], record, &id))
		find_id(reader, id, &event);
	return event;
}

bool reader_section(struct reader *reader, const char *name, uint32_t version,
	struct strbuf *ret)
{
	_cleanup_free_ uint8_t *data = NULL;
	const struct section *section = NULL;
	uint64_t span;
	int i;

	for (i = 0; i < reader->n_sections; i++)
		if (string_is(reader->sections[i].name, name) &&
			reader->sections[i].version == version)
			section = &reader->sections[i];
	span = section ? section_span(section) : 0;
	if (!span || section->offset > reader->size ||
		span > reader->size - section->offset)
		return false;
	data = xmalloc(span);
	return read_at(reader, section->offset, data, span) == span &&
		section_read(section, data, span, ret);
}
