/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/live_code.h"

#include <errno.h>
#include <sys/uio.h>

#include "common/util/alloc.h"
#include "common/util/clock.h"
#include "common/util/hash.h"
#include "record/sys/timed_worker.h"

#define PIECES 512u
#define PIECE_STEP LIVECODE_MAX
/* Whatever begins in the first half is whole. */
#define PIECE_SIZE (2 * PIECE_STEP)
/* JIT compilers put new code where old code was. */
#define PIECE_LIFE_NS (NSEC_PER_SEC / 2)
#define PATIENCE_MS 1000u

struct piece {
	uint32_t pid;
	uint64_t address; /* of the first byte */
	uint64_t read_ns; /* 0: empty */
	size_t size;
	uint8_t *bytes;   /* owned; of PIECE_SIZE */
};

struct livecode {
	struct patience *patience;
	struct piece pieces[PIECES];
};

struct reading {
	struct patience_job job;
	uint32_t pid;
	uint64_t address;
	size_t size;
	bool is_gone; /* the process */
	uint8_t bytes[PIECE_SIZE];
};

struct livecode *livecode_create(void)
{
	struct livecode *livecode = xcalloc(1, sizeof(*livecode));

	livecode->patience = patience_create(PATIENCE_MS);
	return livecode;
}

void livecode_destroy(struct livecode *livecode)
{
	size_t i;

	if (!livecode)
		return;
	for (i = 0; i < PIECES; i++)
		free(livecode->pieces[i].bytes);
	patience_destroy(livecode->patience);
	free(livecode);
}

/* What follows the first half may not be mapped. */
static void work(struct patience_job *job)
{
	struct reading *own = (struct reading *)job;
	struct iovec ours = { own->bytes, PIECE_SIZE };
	const struct iovec theirs[] = {
		{ (void *)(uintptr_t)own->address, PIECE_STEP },
		{ (void *)(uintptr_t)(own->address + PIECE_STEP), PIECE_STEP },
	};
	ssize_t n = process_vm_readv((pid_t)own->pid, &ours, 1, theirs,
		ARRAY_SIZE(theirs), 0);

	own->size = n > 0 ? (size_t)n : 0;
	own->is_gone = n < 0 && errno == ESRCH;
}

static void drop(struct patience_job *job)
{
	free(job);
}

/* Samples come late: of a process that has ended, what was read last counts. */
static void fill(struct livecode *livecode, struct piece *piece)
{
	struct reading *reading = xcalloc(1, sizeof(*reading));
	size_t last = piece->size;

	piece->size = 0;
	piece->read_ns = clock_now_ns();
	reading->job = (struct patience_job){ work, drop };
	reading->pid = piece->pid;
	reading->address = piece->address;
	if (!patience_run(livecode->patience, &reading->job))
		return;
	if (!piece->bytes)
		piece->bytes = xmalloc(PIECE_SIZE);
	memcpy(piece->bytes, reading->bytes, reading->size);
	piece->size = reading->is_gone ? last : reading->size;
	drop(&reading->job);
}

static const struct piece *find(
	struct livecode *livecode, uint32_t pid, uint64_t address)
{
	struct piece *piece =
		&livecode->pieces[hash_words(address, pid) % PIECES];
	bool is_known = piece->pid == pid && piece->address == address;

	if (is_known && piece->read_ns &&
		clock_now_ns() - piece->read_ns < PIECE_LIFE_NS)
		return piece;
	if (!is_known)
		piece->size = 0;
	piece->pid = pid;
	piece->address = address;
	fill(livecode, piece);
	return piece;
}

size_t livecode_read(struct livecode *livecode, uint32_t pid,
	uint64_t address, uint8_t *bytes, size_t size)
{
	uint64_t start = address / PIECE_STEP * PIECE_STEP;
	size_t at = address - start;
	const struct piece *piece = find(livecode, pid, start);

	if (piece->size <= at)
		return 0;
	size = MIN(size, (size_t)LIVECODE_MAX);
	size = MIN(size, piece->size - at);
	memcpy(bytes, piece->bytes + at, size);
	return size;
}
