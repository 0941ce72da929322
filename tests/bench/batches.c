/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures how many samples per second the recorder unwinds: `batches FILE
 * [MIB]` reads at most MIB MiB of the stack copies in FILE (`dwell record
 * --call-graph dwarf --keep-stacks`), puts them into blocks as the drain does,
 * and unwinds them with 1, 2, 4 ... threads, up to the number of CPUs. It
 * prints the best of three rounds.
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
	struct sampled_code *sampled;
	ARRAY(struct queue_block *) blocks;
	struct strbuf sideband;
	size_t n_samples, size, size_max;
};

static void add_sample(struct bench *bench, const struct record *record)
{
	struct queue_block *block =
		bench->blocks.n ? bench->blocks.at[bench->blocks.n - 1] : NULL;

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
	struct selection_event *event = &bench->selection.events.at[0];

	if (record->type != RECORD_SAMPLE) {
		if (maps_wants_record(record->type) &&
			!(record->misc & MISC_MMAP_DATA))
			strbuf_put(
				&bench->sideband, record->data, record->size);
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
	struct reader_chunk chunk;
	size_t i, at;

	while (reader_next(bench->reader, BLOCK_SIDEBAND, &chunk) == 0)
		;
	for (i = 0; i < reader_n_extents(bench->reader); i++) {
		cursor_load(cursor, reader_extent(bench->reader, i));
		while (cursor_next(cursor, &chunk) == 0)
			for (at = 0; record_at(chunk.data + at, chunk.size - at,
				     false, &record);
				at += record.size)
				take(bench, &record);
	}
	cursor_destroy(cursor);
}

static void open_recording(struct bench *bench, const char *path)
{
	struct error *err = reader_open(path, &bench->reader);
	struct sampled_event events[2];
	struct selection_event *event;

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
	/* All events have the same sideband trailer. */
	events[1] = events[0];
	bench->sampled = sampled_code_create(events, 2);
	sampled_code_add_sideband(bench->sampled,
		(const uint8_t *)bench->sideband.at, bench->sideband.n,
		UINT64_MAX);
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
	const struct batch_output taker = { ignore, NULL };
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
		.sampled = bench->sampled,
		.n_threads = n_threads,
	};
	struct batch *batch = batch_create(&setup);
	uint64_t best = UINT64_MAX;
	struct stack_counts stacks;
	int i;

	/* Warm up: compile the unwind rules and start the threads. */
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
	sampled_code_destroy(bench.sampled);
	selection_deinit(&bench.selection);
	reader_close(bench.reader);
	return 0;
}
