/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/make_recording.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <zstd.h>

#include "common/util/alloc.h"

#define FIRST_ID 100u
#define LEVEL 1
#define HEADER_SIZE 104u

const uint64_t make_sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
	PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
	PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN;

/* --- a sink in memory ----------------------------------------------------- */

static int append(void *data, const void *bytes, size_t size)
{
	struct memory *memory = data;
	size_t fits = memory->has_limit ? MIN(size, memory->left) : size;

	strbuf_put(&memory->file, bytes, fits);
	memory->left -= fits;
	return fits == size ? 0 : ENOSPC;
}

/* Writes all or nothing: the header is within one disk sector. */
static int overwrite(
	void *data, uint64_t offset, const void *bytes, size_t size)
{
	struct memory *memory = data;

	if (memory->has_limit && memory->left < size)
		return EIO;
	memory->left -= size;
	if (offset > memory->file.n || size > memory->file.n - offset)
		return EINVAL;
	memcpy(memory->file.at + offset, bytes, size);
	return 0;
}

static int cut(void *data, uint64_t size)
{
	struct memory *memory = data;

	if (memory->can_not_cut)
		return EIO;
	if (size < memory->file.n) {
		memory->left += memory->file.n - size;
		memory->file.n = size;
	}
	return 0;
}

struct sink memory_sink(struct memory *memory)
{
	return (struct sink){ append, overwrite, cut, memory };
}

void memory_deinit(struct memory *memory)
{
	strbuf_free(&memory->file);
}

/* --- records -------------------------------------------------------------- */

struct perf_event_attr make_attr(void)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1,
		.sample_type = make_sample_type,
		.sample_id_all = 1,
	};
}

static void set_present(struct features *features, unsigned bit)
{
	features->present[bit / 64] |= UINT64_C(1) << bit % 64;
}

void make_host(struct features *host, size_t n_events)
{
	size_t i;

	*host = (struct features){
		.hostname = xstrdup("made"),
		.version = xstrdup("7.2 (dwell)"),
		.mmap_len = BLOCK_MMAP_LEN,
		.compression_level = LEVEL,
	};
	set_present(host, FEATURE_HOSTNAME);
	set_present(host, FEATURE_VERSION);
	set_present(host, FEATURE_COMPRESSED);
	for (i = 0; i < n_events; i++) {
		struct event *event = array_push(&host->events);

		event->attr = make_attr();
		event->name = xasprintf("event-%zu", i);
		*array_push(&event->ids) = FIRST_ID + i;
	}
}

void make_sample(struct strbuf *out, const struct made_sample *sample)
{
	_cleanup_strbuf_ struct strbuf payload = { 0 };

	strbuf_put_u64(&payload, sample->id);
	strbuf_put_u64(&payload, sample->ip);
	strbuf_put_u32(&payload, sample->pid);
	strbuf_put_u32(&payload, sample->tid);
	strbuf_put_u64(&payload, sample->time);
	strbuf_put_u32(&payload, sample->cpu);
	strbuf_put_u32(&payload, 0);
	strbuf_put_u64(&payload, sample->period);
	strbuf_put_u64(&payload, sample->n_chain);
	strbuf_put(&payload, sample->chain, 8 * sample->n_chain);
	record_write(out, RECORD_SAMPLE,
		sample->misc ? sample->misc : MISC_USER, payload.at, payload.n);
}

struct trailer_bytes {
	uint8_t at[SAMPLE_ID_SIZE_MAX];
	size_t size;
};

static struct trailer_bytes trailer_of(
	uint32_t pid, uint32_t tid, uint64_t time)
{
	struct sample_id id = {
		.pid = pid, .tid = tid, .time = time, .id = FIRST_ID
	};
	struct perf_event_attr attr = make_attr();
	struct sample_layout layout;
	struct trailer_bytes trailer;

	sample_layout_init(&layout, &attr);
	sample_id_write(&layout, &id, trailer.at);
	trailer.size = layout.trailer_size;
	return trailer;
}

void make_comm(struct strbuf *out, uint32_t pid, uint32_t tid, const char *comm,
	bool is_exec, uint64_t time)
{
	struct trailer_bytes trailer = trailer_of(pid, tid, time);
	struct record_comm record = {
		.pid = pid, .tid = tid, .comm = comm, .is_exec = is_exec
	};

	record_write_comm(out, &record, trailer.at, trailer.size);
}

void make_mmap(struct strbuf *out, uint32_t pid, uint64_t start, uint64_t size,
	uint64_t offset, const char *path, uint64_t time)
{
	struct trailer_bytes trailer = trailer_of(pid, pid, time);
	struct record_mmap record = {
		.pid = pid,
		.tid = pid,
		.start = start,
		.size = size,
		.offset = offset,
		.path = path,
		.prot = 5,
	};

	record_write_mmap2(out, MISC_USER, &record, trailer.at, trailer.size);
}

void make_fork(struct strbuf *out, uint32_t ppid, uint32_t ptid, uint32_t pid,
	uint32_t tid, uint64_t time)
{
	struct trailer_bytes trailer = trailer_of(ppid, ptid, time);
	struct record_task record = {
		.pid = pid,
		.tid = tid,
		.ppid = ppid,
		.ptid = ptid,
		.time = time,
	};

	record_write_task(out, RECORD_FORK, &record, trailer.at, trailer.size);
}

/* --- whole recordings ----------------------------------------------------- */

void make_sideband(struct strbuf *out)
{
	make_comm(out, MADE_PID, MADE_PID, "made", true, MADE_TIME(0) - 2);
	make_mmap(out, MADE_PID, MADE_START, 0x100000, 0, MADE_PATH,
		MADE_TIME(0) - 1);
}

void make_samples(
	struct strbuf *out, unsigned n_events, unsigned i, unsigned end)
{
	for (; i < end; i++) {
		const uint64_t chain[] = { PERF_CONTEXT_USER, MADE_IP(i),
			MADE_START + 0x8000, MADE_START + 0x9000 };

		make_sample(out,
			&(struct made_sample){
				.id = FIRST_ID + i % n_events,
				.ip = MADE_IP(i),
				.pid = MADE_PID,
				.tid = MADE_PID + i % 3,
				.time = MADE_TIME(i),
				.cpu = i % 2,
				.period = 10 + i,
				.chain = chain,
				.n_chain = ARRAY_SIZE(chain),
			});
	}
}

static struct error *put_block(struct writer *writer,
	struct block_encoder *encoder, struct strbuf *raw,
	struct block_info *info)
{
	_cleanup_free_ uint8_t *record = xmalloc(RECORD_SIZE_ALIGNED);
	struct error *err;
	size_t size;

	info->raw_size = (uint32_t)raw->n;
	size = block_encode(encoder, LEVEL, info, raw->at, record);
	if (!size)
		return error_new("%zu bytes do not fit in a block", raw->n);
	err = writer_put_block(writer, record, size, info);
	info->sequence++;
	strbuf_clear(raw);
	return err;
}

static struct error *put_blocks(
	const struct recording *recording, struct writer *writer)
{
	struct block_encoder *encoder = block_encoder_create();
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	struct block_info info = {
		.kind = BLOCK_SIDEBAND,
		.records = 2,
		.first_time = MADE_TIME(0) - 2,
		.last_time = MADE_TIME(0) - 1,
	};
	struct error *err;
	unsigned i;

	make_sideband(&raw);
	err = put_block(writer, encoder, &raw, &info);
	for (i = 0; !err && i < recording->n_samples;
		i += recording->per_block) {
		unsigned end =
			MIN(i + recording->per_block, recording->n_samples);

		make_samples(&raw, recording->n_events, i, end);
		info.kind = BLOCK_SAMPLES;
		info.records = info.samples = end - i;
		info.first_time = MADE_TIME(i);
		info.last_time = MADE_TIME(end - 1);
		err = put_block(writer, encoder, &raw, &info);
	}
	block_encoder_destroy(encoder);
	return err;
}

static struct error *put_plain(
	const struct recording *recording, struct writer *writer)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };

	make_sideband(&raw);
	make_samples(&raw, recording->n_events, 0, recording->n_samples);
	return writer_put(writer, raw.at, raw.n);
}

static struct error *close_recording(const struct recording *recording,
	struct writer *writer, const struct features *host)
{
	struct features closing = *host;

	memset(closing.present, 0, sizeof(closing.present));
	closing.first_time = MADE_TIME(0);
	closing.last_time = MADE_TIME(recording->n_samples - 1);
	set_present(&closing, FEATURE_HOSTNAME);
	set_present(&closing, FEATURE_EVENT_DESC);
	set_present(&closing, FEATURE_SAMPLE_TIME);
	return writer_close(writer, &closing, &recording->section,
		recording->section.name ? 1 : 0);
}

struct error *make_recording(
	const struct recording *recording, struct memory *memory)
{
	struct sink sink = memory_sink(memory);
	struct writer *writer = NULL;
	struct features host;
	struct error *err;

	make_host(&host, recording->n_events);
	if (recording->has_tracing_data) {
		host.tracing_data = xmemdup("\x17\x08\x44tracing0.6", 13);
		host.tracing_data_size = 13;
		set_present(&host, FEATURE_TRACING_DATA);
	}
	err = writer_create(&sink, &host, &writer);
	if (!err && recording->per_block)
		err = put_blocks(recording, writer);
	else if (!err)
		err = put_plain(recording, writer);
	if (!err && !recording->is_open)
		err = close_recording(recording, writer, &host);
	writer_destroy(writer);
	features_deinit(&host);
	return err;
}

static void put_attr(const struct event *event, struct strbuf *out)
{
	struct perf_event_attr attr = event->attr;

	attr.size = PERF_ATTR_SIZE_VER5;
	strbuf_put(out, &attr, attr.size);
}

static void put_features(
	const struct features *host, uint64_t offset, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf bodies = { 0 };
	unsigned bit, n = 0;

	for (bit = 0; bit < FEATURE_BITS; bit++)
		n += feature_is_present(host, bit);
	for (bit = 0; bit < FEATURE_BITS; bit++) {
		size_t before = bodies.n;

		if (!feature_is_present(host, bit))
			continue;
		feature_write(host, bit, &bodies);
		strbuf_put_u64(out, offset + 16 * n + before);
		strbuf_put_u64(out, bodies.n - before);
	}
	strbuf_put(out, bodies.at, bodies.n);
}

void make_perf_file(const struct features *host, const struct strbuf *data,
	struct strbuf *out)
{
	const size_t entry = PERF_ATTR_SIZE_VER5 + 16;
	uint64_t ids = HEADER_SIZE, attrs = HEADER_SIZE, at;

	array_each(&host->events, event)
		attrs += 8 * event->ids.n;
	at = attrs + entry * host->events.n;
	strbuf_puts(out, "PERFILE2");
	strbuf_put_u64(out, HEADER_SIZE);
	strbuf_put_u64(out, entry);
	strbuf_put_u64(out, attrs);
	strbuf_put_u64(out, entry * host->events.n);
	strbuf_put_u64(out, at);
	strbuf_put_u64(out, data->n);
	strbuf_fill(out, 0, 16);
	strbuf_put(out, host->present, sizeof(host->present));
	array_each(&host->events, event)
		array_each(&event->ids, id)
			strbuf_put_u64(out, *id);
	array_each(&host->events, event) {
		put_attr(event, out);
		strbuf_put_u64(out, ids);
		strbuf_put_u64(out, 8 * event->ids.n);
		ids += 8 * event->ids.n;
	}
	strbuf_put(out, data->at, data->n);
	put_features(host, at + data->n, out);
}

void make_perf_pipe(const struct features *host, const struct strbuf *data,
	struct strbuf *out)
{
	strbuf_puts(out, "PERFILE2");
	strbuf_put_u64(out, 16);
	array_each(&host->events, event) {
		_cleanup_strbuf_ struct strbuf payload = { 0 };

		put_attr(event, &payload);
		array_each(&event->ids, id)
			strbuf_put_u64(&payload, *id);
		record_write(out, RECORD_HEADER_ATTR, 0, payload.at, payload.n);
	}
	strbuf_put(out, data->at, data->n);
}

static void put_compressed(
	const void *data, size_t size, uint32_t type, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf payload = { 0 };

	if (type == RECORD_COMPRESSED2)
		strbuf_put_u64(&payload, size);
	strbuf_put(&payload, data, size);
	if (type == RECORD_COMPRESSED2)
		strbuf_align(&payload, 8);
	record_write(out, type, 0, payload.at, payload.n);
}

void make_perf_stream(const struct strbuf *raw, size_t piece, size_t cut_size,
	uint32_t type, struct strbuf *out)
{
	ZSTD_CStream *stream = ZSTD_createCStream();
	size_t room = ZSTD_compressBound(raw->n) + raw->n / piece * 32 + 64;
	_cleanup_free_ uint8_t *bytes = xmalloc(room);
	ZSTD_outBuffer output = { bytes, room, 0 };
	size_t at, size;

	ZSTD_initCStream(stream, LEVEL);
	for (at = 0; at < raw->n; at += piece) {
		ZSTD_inBuffer input = { raw->at + at, MIN(piece, raw->n - at),
			0 };

		while (input.pos < input.size)
			ZSTD_compressStream(stream, &output, &input);
		ZSTD_flushStream(stream, &output);
	}
	ZSTD_freeCStream(stream);
	for (at = 0; at < output.pos; at += size) {
		size = MIN(cut_size, output.pos - at);
		put_compressed(bytes + at, size, type, out);
	}
}

/* --- reading recordings --------------------------------------------------- */

struct error *open_bytes(const void *data, size_t size, struct reader **ret)
{
	_cleanup_close_ int fd = memfd_create("recording", MFD_CLOEXEC);
	char path[64];

	if (fd < 0)
		return error_errno(errno, "making a file in memory");
	if (size && write(fd, data, size) != (ssize_t)size)
		return error_errno(errno, "writing a file in memory");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return reader_open(path, ret);
}

static void look_at(
	struct reader *reader, const struct record *record, struct found *ret)
{
	struct found_sample found;

	ret->records++;
	if (record_is_sideband(record->type)) {
		ret->sideband++;
		ret->sideband_after += ret->samples.n != 0;
	}
	if (record->type != RECORD_SAMPLE || !reader_n_events(reader))
		return;
	found.event = reader_event_of(reader, record);
	if (sample_read(
		    reader_layout(reader, found.event), record, &found.sample))
		*array_push(&ret->samples) = found;
	else
		ret->damaged++;
}

static void look_through(struct reader *reader,
	const struct reader_chunk *chunk, struct found *ret)
{
	struct record record;
	size_t at = 0;

	while (record_at(chunk->data + at, chunk->size - at, false, &record)) {
		look_at(reader, &record, ret);
		at += record.size;
	}
}

void find_all(struct reader *reader, struct found *ret)
{
	struct reader_chunk chunk;

	*ret = (struct found){ 0 };
	while (reader_next(reader, BLOCK_MIXED, &chunk) == 0)
		look_through(reader, &chunk, ret);
}

void find_again(struct reader *reader, struct found *ret)
{
	struct cursor *cursor = cursor_create(reader);
	struct reader_chunk chunk;
	size_t i;

	*ret = (struct found){ 0 };
	for (i = 0; i < reader_n_extents(reader); i++) {
		cursor_load(cursor, reader_extent(reader, i));
		while (cursor_next(cursor, &chunk) == 0)
			look_through(reader, &chunk, ret);
	}
	cursor_destroy(cursor);
}

void found_deinit(struct found *found)
{
	array_free(&found->samples);
}
