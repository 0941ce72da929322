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

/*
 * Desired size in bytes of a compressed block. Larger blocks compress better,
 * but must fit in one record.
 */
#define FRAME_SIZE_TARGET 54000u
/*
 * zstd levels while the queue is more than a quarter, and more than half full.
 */
#define LEVEL_FAST (-5)
#define LEVEL_FASTEST (-50)
/* Maximum number of waiting blocks that are unwound together. */
#define UNWOUND_BLOCKS_MAX 8u

struct blocks {
	struct blocks_setup setup;
	struct sample_order *order;
	struct unwound *unwound; /* NULL: samples are not unwound */
	struct block_encoder *encoder;
	int realtime, notice_fd;
	unsigned notice; /* bits of enum blocks_notice; atomic */
	uint64_t size;	 /* bytes of the closed files */
	unsigned noticed;
	uint32_t sequence;
	struct error *err; /* the first error */
	pthread_t thread;
	bool is_running;
	uint8_t out[RECORD_SIZE_ALIGNED];
};

static void write_samples(
	void *data, const struct block_info *info, const uint8_t *raw);

struct error *blocks_create(
	const struct blocks_setup *setup, struct blocks **ret)
{
	int notice_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	struct blocks *blocks;

	if (notice_fd < 0)
		return error_errno(errno, "cannot create an eventfd");
	*ret = blocks = xcalloc(1, sizeof(*blocks));
	blocks->notice_fd = notice_fd;
	blocks->setup = *setup;
	blocks->order = sample_order_create(setup->sampled);
	blocks->encoder = block_encoder_create();
	if (setup->batch)
		blocks->unwound =
			unwound_create(setup->batch, write_samples, blocks);
	return NULL;
}

void blocks_destroy(struct blocks *blocks)
{
	if (!blocks)
		return;
	sample_order_destroy(blocks->order);
	unwound_destroy(blocks->unwound);
	close(blocks->notice_fd);
	block_encoder_destroy(blocks->encoder);
	error_free(blocks->err);
	free(blocks);
}

/*
 * Returns the description of the records in RAW from AT to AT + SIZE, which are
 * a part of the block of INFO.
 */
static struct block_info describe_records(const struct block_info *info,
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

static struct error *write_compressed(struct blocks *blocks,
	const struct block_info *whole, const uint8_t *raw)
{
	unsigned fill = queue_fill_percent(blocks->setup.queue);
	int level = fill > 50 ? MIN(blocks->setup.level, LEVEL_FASTEST)
		: fill > 25   ? MIN(blocks->setup.level, LEVEL_FAST)
			      : blocks->setup.level;
	struct block_info info = *whole;
	size_t size, middle;
	struct error *err;

	info.sequence = blocks->sequence;
	size = block_encode(blocks->encoder, level, &info, raw, blocks->out);
	if (size) {
		blocks->sequence++;
		/*
		 * Adapt the size of the next blocks to the compression ratio,
		 * so that a block fits in one record without being compressed
		 * twice.
		 */
		uint64_t fits = (uint64_t)info.raw_size * FRAME_SIZE_TARGET /
			MAX(info.frame_size, 1u);

		fits = MIN(fits, (uint64_t)BLOCK_RAW_MAX);
		fits = MAX(fits, (uint64_t)BLOCK_RAW_SAFE);
		if (info.kind == BLOCK_SAMPLES &&
			info.raw_size > BLOCK_RAW_SAFE / 2) {
			if (blocks->unwound)
				unwound_set_block_size(blocks->unwound, fits);
			else
				queue_set_block_size(blocks->setup.queue, fits);
		}
		return writer_put_block(
			blocks->setup.file->writer, blocks->out, size, &info);
	}
	/* The block does not fit in one record: write its halves. */
	struct record record;
	size_t at = 0;

	while (at < info.raw_size / 2 &&
		record_at(raw + at, info.raw_size - at, false, &record))
		at += record.size;
	middle = at;
	if (middle == 0 || middle == info.raw_size)
		return writer_put(
			blocks->setup.file->writer, raw, info.raw_size);
	info = describe_records(whole, raw, 0, middle);
	err = write_compressed(blocks, &info, raw);
	if (err)
		return err;
	info = describe_records(whole, raw, middle, whole->raw_size - middle);
	return write_compressed(blocks, &info, raw + middle);
}

static void give_writer_notice(struct blocks *blocks, enum blocks_notice notice)
{
	const uint64_t one = 1;
	ssize_t n;

	__atomic_fetch_or(&blocks->notice, notice, __ATOMIC_RELEASE);
	do
		n = write(blocks->notice_fd, &one, sizeof(one));
	while (n < 0 && errno == EINTR);
}

static void write_block(struct blocks *blocks, const struct block_info *info,
	const uint8_t *raw)
{
	if (blocks->err)
		return;
	blocks->err = blocks->setup.level
		? write_compressed(blocks, info, raw)
		: writer_put(blocks->setup.file->writer, raw, info->raw_size);
	output_file_count(blocks->setup.file, info);
	if (blocks->err)
		give_writer_notice(blocks, BLOCKS_FAILED);
	else {
		/*
		 * Give the notices BLOCKS_LARGE and BLOCKS_FULL when the size
		 * limits are reached, each notice once per file.
		 */
		uint64_t size = writer_size(blocks->setup.file->writer);
		unsigned notice = 0;

		if (blocks->setup.file_limit &&
			size >= blocks->setup.file_limit)
			notice |= BLOCKS_LARGE;
		if (blocks->setup.limit &&
			blocks->size + size >= blocks->setup.limit)
			notice |= BLOCKS_FULL;
		if (notice & ~blocks->noticed)
			give_writer_notice(blocks, notice);
		blocks->noticed |= notice;
	}
}

static void set_block_times(
	struct blocks *blocks, struct block_info *info, const uint8_t *raw)
{
	const struct sampled_event *event =
		sampled_code_sideband_event(blocks->setup.sampled);
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

static void switch_to_next_file(struct blocks *blocks, uint64_t until)
{
	_cleanup_strbuf_ struct strbuf state = { 0 };

	if (blocks->err)
		return;
	blocks->size += writer_size(blocks->setup.file->writer);
	blocks->err =
		blocks->setup.switch_file(blocks->setup.switch_data, &state);
	if (blocks->err) {
		give_writer_notice(blocks, BLOCKS_FAILED);
		return;
	}
	blocks->sequence = 0;
	blocks->noticed = 0;
	/* Write the complete records of STATE, in as many blocks as needed. */
	const uint8_t *raw = (const uint8_t *)state.at;
	const struct block_info sideband = { .kind = BLOCK_SIDEBAND };
	struct block_info info;
	struct record record;
	size_t at = 0, size = 0;

	while (at < state.n) {
		while (record_at(raw + at + size, state.n - at - size, false,
			       &record) &&
			size + record.size <= BLOCK_RAW_MAX)
			size += record.size;
		if (!size)
			return;
		info = describe_records(&sideband, raw + at, 0, size);
		set_block_times(blocks, &info, raw + at);
		write_block(blocks, &info, raw + at);
		sampled_code_add_sideband(
			blocks->setup.sampled, raw + at, size, until);
		at += size;
		size = 0;
	}
}

static void write_samples(
	void *data, const struct block_info *info, const uint8_t *raw)
{
	struct blocks *blocks = data;

	if (blocks->setup.level)
		raw = sample_order_sort(blocks->order, raw, info->raw_size);
	write_block(blocks, info, raw);
	sampled_code_add_samples(blocks->setup.sampled, raw, info->raw_size);
}

static void flush_unwound(struct blocks *blocks)
{
	if (blocks->unwound)
		unwound_flush(blocks->unwound);
}

static void write_queue_block(struct blocks *blocks, struct queue_block *block)
{
	if (block->info.kind == BLOCK_SAMPLES && blocks->unwound) {
		/*
		 * Unwind the samples of BLOCK together with the sample blocks
		 * that wait behind BLOCK in the queue, up to a block that must
		 * be written at once (is_due).
		 */
		struct queue_block *together[UNWOUND_BLOCKS_MAX];
		size_t n = 0, i;

		do
			together[n++] = block;
		while (n < UNWOUND_BLOCKS_MAX && !block->is_due &&
			(block = queue_take_samples(blocks->setup.queue)));
		unwound_take(blocks->unwound, together, n);
		if (together[n - 1]->is_due)
			flush_unwound(blocks);
		for (i = 0; i < n; i++)
			queue_give_back(blocks->setup.queue, together[i]);
		return;
	}
	if (block->info.kind == BLOCK_SIDEBAND) {
		write_block(blocks, &block->info, block->raw);
		sampled_code_add_sideband(blocks->setup.sampled, block->raw,
			block->info.raw_size, block->until);
	} else {
		write_samples(blocks, &block->info, block->raw);
	}
	if (block->is_due)
		flush_unwound(blocks);
	queue_give_back(blocks->setup.queue, block);
}

static void *run_writer(void *data)
{
	struct blocks *blocks = data;
	struct queue_block *block;

	priority_raise(blocks->realtime, -19);
	while ((block = queue_take(blocks->setup.queue))) {
		if (block->ends_file) {
			flush_unwound(blocks);
			switch_to_next_file(blocks, block->until);
			queue_give_back(blocks->setup.queue, block);
		} else
			write_queue_block(blocks, block);
	}
	flush_unwound(blocks);
	return NULL;
}

struct error *blocks_start(struct blocks *blocks, int realtime)
{
	int errnum;

	blocks->realtime = realtime;
	errnum = pthread_create(&blocks->thread, NULL, run_writer, blocks);
	if (errnum)
		return error_errno(errnum, "cannot start the writing thread");
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
