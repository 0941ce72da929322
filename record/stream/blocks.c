/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/blocks.h"

#include <errno.h>
#include <pthread.h>
#include <sys/eventfd.h>

#include "common/util/alloc.h"
#include "record/stream/sample_order.h"
#include "record/sys/priority.h"
#include "record/unwind/unwound.h"

/* A frame should fill a record this far: the next ones compress worse. */
#define FRAME_WISH 54000u
/* Levels of zstd when the queue is a quarter and half full. */
#define LEVEL_FAST (-5)
#define LEVEL_FASTEST (-50)
/* Blocks whose stacks are unwound together, if so many wait. */
#define TOGETHER_MAX 8u

struct blocks {
	struct queue *queue;
	struct part *part;
	struct hits *hits;
	struct arrange *arrange;
	struct unwound *unwound; /* NULL: samples are written as they are */
	struct block_encoder *encoder;
	int level, realtime, notice_fd;
	unsigned notice; /* for the main thread; atomic */
	uint64_t file_limit, limit;
	uint64_t size; /* of the files that are closed */
	unsigned noticed;
	struct error *(*turn)(void *data, struct strbuf *state);
	void *turn_data;
	uint32_t sequence;
	struct error *err; /* the first one */
	pthread_t thread;
	bool is_running;
	uint8_t out[RECORD_SIZE_ALIGNED];
};

struct error *blocks_create(struct queue *queue, struct part *part,
	struct hits *hits, int level, struct blocks **ret)
{
	int notice_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	struct blocks *blocks;

	if (notice_fd < 0)
		return error_errno(errno, "eventfd");
	*ret = blocks = xcalloc(1, sizeof(*blocks));
	blocks->notice_fd = notice_fd;
	blocks->queue = queue;
	blocks->part = part;
	blocks->hits = hits;
	blocks->level = level;
	blocks->arrange = arrange_create(hits);
	blocks->encoder = block_encoder_create();
	return NULL;
}

void blocks_set_limits(struct blocks *blocks, uint64_t file, uint64_t all)
{
	blocks->file_limit = file;
	blocks->limit = all;
}

void blocks_on_turn(struct blocks *blocks,
	struct error *(*turn)(void *data, struct strbuf *state), void *data)
{
	blocks->turn = turn;
	blocks->turn_data = data;
}

void blocks_destroy(struct blocks *blocks)
{
	if (!blocks)
		return;
	arrange_destroy(blocks->arrange);
	unwound_destroy(blocks->unwound);
	close(blocks->notice_fd);
	block_encoder_destroy(blocks->encoder);
	error_free(blocks->err);
	free(blocks);
}

static int level_now(const struct blocks *blocks)
{
	unsigned fill = queue_fill_percent(blocks->queue);

	if (fill > 50)
		return MIN(blocks->level, LEVEL_FASTEST);
	if (fill > 25)
		return MIN(blocks->level, LEVEL_FAST);
	return blocks->level;
}

/* Blocks as large as one record takes, without compressing any twice. */
static void wish(struct blocks *blocks, const struct block_info *info)
{
	uint64_t fits = (uint64_t)info->raw_size * FRAME_WISH /
		MAX(info->frame_size, 1u);

	fits = MIN(fits, (uint64_t)BLOCK_RAW_MAX);
	fits = MAX(fits, (uint64_t)BLOCK_RAW_SAFE);
	if (info->kind != BLOCK_SAMPLES || info->raw_size <= BLOCK_RAW_SAFE / 2)
		return;
	if (blocks->unwound)
		unwound_wish(blocks->unwound, fits);
	else
		queue_set_wish(blocks->queue, fits);
}

/* The description of the records from AT on, SIZE bytes of INFO's block. */
static struct block_info describe_part(const struct block_info *info,
	const uint8_t *raw, size_t at, size_t size)
{
	struct block_info part = *info;
	struct record record;

	part.raw_size = (uint32_t)size;
	part.records = part.samples = 0;
	for (raw += at; size && record_at(raw, size, false, &record);
		raw += record.size, size -= record.size) {
		part.records++;
		part.samples += record.type == RECORD_SAMPLE;
	}
	return part;
}

/* The border between records that is next to the middle of SIZE bytes. */
static size_t find_middle(const uint8_t *raw, size_t size)
{
	struct record record;
	size_t at = 0;

	while (at < size / 2 && record_at(raw + at, size - at, false, &record))
		at += record.size;
	return at;
}

static struct error *put_compressed(struct blocks *blocks,
	const struct block_info *whole, const uint8_t *raw)
{
	struct block_info info = *whole;
	size_t size, middle;
	struct error *err;

	info.sequence = blocks->sequence;
	size = block_encode(
		blocks->encoder, level_now(blocks), &info, raw, blocks->out);
	if (size) {
		blocks->sequence++;
		wish(blocks, &info);
		return writer_put_block(
			blocks->part->writer, blocks->out, size, &info);
	}
	middle = find_middle(raw, info.raw_size);
	if (middle == 0 || middle == info.raw_size)
		return writer_put(blocks->part->writer, raw, info.raw_size);
	info = describe_part(whole, raw, 0, middle);
	err = put_compressed(blocks, &info, raw);
	if (err)
		return err;
	info = describe_part(whole, raw, middle, whole->raw_size - middle);
	return put_compressed(blocks, &info, raw + middle);
}

static void give_notice(struct blocks *blocks, enum blocks_notice notice)
{
	const uint64_t one = 1;
	ssize_t n;

	__atomic_fetch_or(&blocks->notice, notice, __ATOMIC_RELEASE);
	do
		n = write(blocks->notice_fd, &one, sizeof(one));
	while (n < 0 && errno == EINTR);
}

/* Each is noticed once a file. */
static void notice_size(struct blocks *blocks)
{
	uint64_t size = writer_size(blocks->part->writer);
	unsigned notice = 0;

	if (blocks->file_limit && size >= blocks->file_limit)
		notice |= BLOCKS_LARGE;
	if (blocks->limit && blocks->size + size >= blocks->limit)
		notice |= BLOCKS_FULL;
	if (notice & ~blocks->noticed)
		give_notice(blocks, notice);
	blocks->noticed |= notice;
}

static void put(
	struct blocks *blocks, const struct block_info *info, const uint8_t *raw)
{
	if (blocks->err)
		return;
	blocks->err = blocks->level
		? put_compressed(blocks, info, raw)
		: writer_put(blocks->part->writer, raw, info->raw_size);
	part_count(blocks->part, info);
	if (blocks->err)
		give_notice(blocks, BLOCKS_FAILED);
	else
		notice_size(blocks);
}

static void bound_times(
	struct blocks *blocks, struct block_info *info, const uint8_t *raw)
{
	const struct hits_event *event = hits_sideband(blocks->hits);
	struct record record;
	struct sample_id id;
	size_t at = 0;

	for (; record_at(raw + at, info->raw_size - at, false, &record);
		at += record.size) {
		if (!sample_id_read(&event->layout, &record, &id) || !id.time)
			continue;
		if (!info->first_time || id.time < info->first_time)
			info->first_time = id.time;
		info->last_time = MAX(info->last_time, id.time);
	}
}

/* Whole records, in as many blocks as they need. */
static void put_state(
	struct blocks *blocks, const struct strbuf *state, uint64_t until)
{
	const uint8_t *raw = (const uint8_t *)state->at;
	const struct block_info sideband = { .kind = BLOCK_SIDEBAND };
	struct block_info info;
	struct record record;
	size_t at = 0, size = 0;

	while (at < state->n) {
		while (record_at(raw + at + size, state->n - at - size, false,
			       &record) &&
			size + record.size <= BLOCK_RAW_MAX)
			size += record.size;
		if (!size)
			return;
		info = describe_part(&sideband, raw + at, 0, size);
		bound_times(blocks, &info, raw + at);
		put(blocks, &info, raw + at);
		hits_add_sideband(blocks->hits, raw + at, size, until);
		at += size;
		size = 0;
	}
}

static void turn(struct blocks *blocks, uint64_t until)
{
	_cleanup_strbuf_ struct strbuf state = { 0 };

	if (blocks->err)
		return;
	blocks->size += writer_size(blocks->part->writer);
	blocks->err = blocks->turn(blocks->turn_data, &state);
	if (blocks->err) {
		give_notice(blocks, BLOCKS_FAILED);
		return;
	}
	blocks->sequence = 0;
	blocks->noticed = 0;
	put_state(blocks, &state, until);
}

static void put_sideband(struct blocks *blocks, const struct queue_block *block)
{
	put(blocks, &block->info, block->raw);
	hits_add_sideband(blocks->hits, block->raw, block->info.raw_size,
		block->until);
}

static void put_samples(
	void *data, const struct block_info *info, const uint8_t *raw)
{
	struct blocks *blocks = data;

	if (blocks->level)
		raw = arrange_samples(blocks->arrange, raw, info->raw_size);
	put(blocks, info, raw);
	hits_add_samples(blocks->hits, raw, info->raw_size);
}

void blocks_unwind(struct blocks *blocks, struct batch *batch)
{
	blocks->unwound = unwound_create(batch, put_samples, blocks);
}

static void flush(struct blocks *blocks)
{
	if (blocks->unwound)
		unwound_flush(blocks->unwound);
}

/* With all that waits behind it, as far as nothing is due before. */
static void unwind_samples(struct blocks *blocks, struct queue_block *first)
{
	struct queue_block *together[TOGETHER_MAX], *block = first;
	size_t n = 0, i;

	do
		together[n++] = block;
	while (n < TOGETHER_MAX && !block->is_due &&
		(block = queue_take_samples(blocks->queue)));
	unwound_take(blocks->unwound, together, n);
	if (together[n - 1]->is_due)
		flush(blocks);
	for (i = 0; i < n; i++)
		queue_give_back(blocks->queue, together[i]);
}

static void take(struct blocks *blocks, struct queue_block *block)
{
	if (block->info.kind == BLOCK_SAMPLES && blocks->unwound) {
		unwind_samples(blocks, block);
		return;
	}
	if (block->info.kind == BLOCK_SIDEBAND)
		put_sideband(blocks, block);
	else
		put_samples(blocks, &block->info, block->raw);
	if (block->is_due)
		flush(blocks);
	queue_give_back(blocks->queue, block);
}

static void end_file(struct blocks *blocks, struct queue_block *block)
{
	flush(blocks);
	turn(blocks, block->until);
	queue_give_back(blocks->queue, block);
}

static void *run(void *data)
{
	struct blocks *blocks = data;
	struct queue_block *block;

	priority_raise(blocks->realtime, -19);
	while ((block = queue_take(blocks->queue))) {
		if (block->ends_file)
			end_file(blocks, block);
		else
			take(blocks, block);
	}
	flush(blocks);
	return NULL;
}

struct error *blocks_start(struct blocks *blocks, int realtime)
{
	int errnum;

	blocks->realtime = realtime;
	errnum = pthread_create(&blocks->thread, NULL, run, blocks);
	if (errnum)
		return error_errno(errnum, "starting the writing thread");
	blocks->is_running = true;
	return NULL;
}

int blocks_notice_fd(const struct blocks *blocks)
{
	return blocks->notice_fd;
}

unsigned blocks_take_notice(struct blocks *blocks)
{
	uint64_t count;
	ssize_t n;

	do
		n = read(blocks->notice_fd, &count, sizeof(count));
	while (n < 0 && errno == EINTR);
	return __atomic_exchange_n(&blocks->notice, 0, __ATOMIC_ACQUIRE);
}

struct error *blocks_join(struct blocks *blocks)
{
	if (blocks->is_running)
		pthread_join(blocks->thread, NULL);
	blocks->is_running = false;
	return take_pointer(blocks->err);
}
