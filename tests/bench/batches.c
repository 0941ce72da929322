/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many samples a second the recorder unwinds: `batches FILE [MIB]` takes the
 * copies of stacks in FILE (`dwell record --call-graph dwarf --keep-stacks`), of
 * at most so many MiB, in blocks as the drain would put them, and unwinds them
 * by 1, 2, 4 ... threads, as many as there are CPUs. Three times each; the best
 * one counts.
 */
#include "config.h"

#include <stdio.h>

#include "common/file/reader.h"
#include "common/util/alloc.h"
#include "common/util/clock.h"
#include "common/util/cpus.h"
#include "record/unwind/batch.h"

#define ROUNDS 3
#define TOGETHER 8u
#define MIB_USUAL 1000u

struct bench {
	struct reader *reader;
	struct selection selection;
	struct hits *hits;
	ARRAY(struct queue_block *) blocks;
	struct strbuf sideband;
	size_t n_samples, size, size_max;
};

static void add_sample(struct bench *bench, const struct record *record)
{
	struct queue_block *block = bench->blocks.n
		? bench->blocks.at[bench->blocks.n - 1]
		: NULL;

	if (bench->size + record->size > bench->size_max)
		return;
	if (!block || block->info.raw_size + record->size > BLOCK_RAW_MAX) {
		block = xcalloc(1, sizeof(*block) + BLOCK_RAW_MAX);
		block->info.kind = BLOCK_SAMPLES;
		*array_push(&bench->blocks) = block;
	}
	memcpy(block->raw + block->info.raw_size, record->data, record->size);
	block->info.raw_size += record->size;
	bench->size += record->size;
	bench->n_samples++;
}

static void take(struct bench *bench, const struct record *record)
{
	struct selected *event = &bench->selection.events.at[0];

	if (record->type != RECORD_SAMPLE) {
		if (maps_wants_record(record->type) &&
			!(record->misc & MISC_MMAP_DATA))
			strbuf_put(&bench->sideband, record->data,
				record->size);
		return;
	}
	if (!event->id)
		memcpy(&event->id, record->data + RECORD_HEADER_SIZE,
			sizeof(event->id));
	add_sample(bench, record);
}

static void load(struct bench *bench)
{
	struct cursor *cursor = cursor_create(bench->reader);
	struct record record;
	struct chunk chunk;
	size_t i, at;

	while (reader_next(bench->reader, BLOCK_SIDEBAND, &chunk) == 0)
		;
	for (i = 0; i < reader_n_extents(bench->reader); i++) {
		cursor_load(cursor, reader_extent(bench->reader, i));
		while (cursor_next(cursor, &chunk) == 0)
			for (at = 0; record_at(chunk.data + at,
				     chunk.size - at, false, &record);
				at += record.size)
				take(bench, &record);
	}
	cursor_destroy(cursor);
}

static void open_recording(struct bench *bench, const char *path)
{
	struct error *err = reader_open(path, &bench->reader);
	struct hits_event events[2];
	struct selected *event;

	if (err) {
		fprintf(stderr, "batches: %s\n", err->text);
		exit(1);
	}
	event = array_push(&bench->selection.events);
	memset(event, 0, sizeof(*event));
	load(bench);
	event->attr = reader_event(bench->reader, 0)->attr;
	event->callgraph.kind = CALLGRAPH_DWARF;
	events[0].id = event->id;
	events[0].layout = *reader_layout(bench->reader, 0);
	/* All events have the same trailer. */
	events[1] = events[0];
	bench->hits = hits_create(events, 2);
	hits_add_sideband(bench->hits, (const uint8_t *)bench->sideband.at,
		bench->sideband.n, UINT64_MAX);
}

static void ignore(void *data, const struct block_info *info,
	const uint8_t *sample, size_t size)
{
	(void)data;
	(void)info;
	(void)sample;
	(void)size;
}

static void unwind_all(struct bench *bench, struct batch *batch)
{
	const struct batch_taker taker = { ignore, NULL };
	size_t i, n;

	for (i = 0; i < bench->blocks.n; i += n) {
		n = MIN((size_t)TOGETHER, bench->blocks.n - i);
		batch_unwind(batch, &bench->blocks.at[i], n, &taker);
	}
}

static void measure(struct bench *bench, size_t n_threads)
{
	const struct batch_setup setup = {
		.selection = &bench->selection,
		.hits = bench->hits,
		.n_threads = n_threads,
	};
	struct batch *batch = batch_create(&setup);
	uint64_t best = UINT64_MAX;
	struct stacks stacks;
	int i;

	/* With all rules at hand, and all threads. */
	unwind_all(bench, batch);
	stacks = batch_stacks(batch);
	for (i = 0; i < ROUNDS; i++) {
		uint64_t start = clock_now_ns();

		unwind_all(bench, batch);
		best = MIN(best, clock_now_ns() - start);
	}
	printf("%zu threads: %.0f samples/s, %.2f us each, %.2f %% whole\n",
		n_threads, (double)bench->n_samples * 1e9 / (double)best,
		(double)best / 1e3 / (double)bench->n_samples,
		(double)stacks.whole * 100 / (double)MAX(stacks.all, 1u));
	batch_destroy(batch);
}

int main(int argc, char **argv)
{
	struct bench bench = { 0 };
	size_t n;

	if (argc < 2) {
		fprintf(stderr, "usage: batches FILE [MIB]\n");
		return 2;
	}
	bench.size_max = MIB(argc > 2 ? strtoul(argv[2], NULL, 10) : MIB_USUAL);
	open_recording(&bench, argv[1]);
	printf("%zu samples of %zu bytes\n", bench.n_samples,
		bench.size / MAX(bench.n_samples, (size_t)1));
	for (n = 1; n <= cpus_usable(); n *= 2)
		measure(&bench, n);
	array_each(&bench.blocks, block)
		free(*block);
	array_free(&bench.blocks);
	strbuf_free(&bench.sideband);
	hits_destroy(bench.hits);
	selection_deinit(&bench.selection);
	reader_close(bench.reader);
	return 0;
}
