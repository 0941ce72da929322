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
#define PIECE_STEP LIVE_CODE_MAX
/* A request that starts in the first half is complete. */
#define PIECE_SIZE (2 * PIECE_STEP)
/* JIT compilers reuse the addresses of old code. */
#define PIECE_LIFE_NS (NSEC_PER_SEC / 2)
#define READ_TIMEOUT_MS 1000u

struct piece {
	uint32_t pid;
	uint64_t address; /* of the first byte */
	uint64_t read_ns; /* 0: empty */
	size_t size;
	uint8_t *bytes; /* owned; PIECE_SIZE bytes */
};

struct live_code {
	struct timed_worker *worker;
	struct piece pieces[PIECES];
};

struct reading {
	struct timed_job job;
	uint32_t pid;
	uint64_t address;
	size_t size;
	bool is_gone; /* the process has ended */
	uint8_t bytes[PIECE_SIZE];
};

struct live_code *live_code_create(void)
{
	struct live_code *live_code = xcalloc(1, sizeof(*live_code));

	live_code->worker = timed_worker_create(READ_TIMEOUT_MS);
	return live_code;
}

void live_code_destroy(struct live_code *live_code)
{
	size_t i;

	if (!live_code)
		return;
	for (i = 0; i < PIECES; i++)
		free(live_code->pieces[i].bytes);
	timed_worker_destroy(live_code->worker);
	free(live_code);
}

/* The second half may not be mapped. */
static void read_code_piece(struct timed_job *job)
{
	struct reading *own = (struct reading *)job;
	struct iovec ours = { own->bytes, PIECE_SIZE };
	const struct iovec theirs[] = {
		{ (void *)(uintptr_t)own->address, PIECE_STEP },
		{ (void *)(uintptr_t)(own->address + PIECE_STEP), PIECE_STEP },
	};
	ssize_t n = process_vm_readv(
		(pid_t)own->pid, &ours, 1, theirs, ARRAY_SIZE(theirs), 0);

	own->size = n > 0 ? (size_t)n : 0;
	own->is_gone = n < 0 && errno == ESRCH;
}

static void free_reading(struct timed_job *job)
{
	free(job);
}

/* Samples are late: if the process has ended, the last contents are used. */
static void refresh_piece(struct live_code *live_code, struct piece *piece)
{
	struct reading *reading = xcalloc(1, sizeof(*reading));
	size_t last = piece->size;

	piece->size = 0;
	piece->read_ns = clock_now_ns();
	reading->job = (struct timed_job){ read_code_piece, free_reading };
	reading->pid = piece->pid;
	reading->address = piece->address;
	if (!timed_worker_run(live_code->worker, &reading->job))
		return;
	if (!piece->bytes)
		piece->bytes = xmalloc(PIECE_SIZE);
	memcpy(piece->bytes, reading->bytes, reading->size);
	piece->size = reading->is_gone ? last : reading->size;
	free_reading(&reading->job);
}

static const struct piece *find_code_piece(
	struct live_code *live_code, uint32_t pid, uint64_t address)
{
	struct piece *piece =
		&live_code->pieces[hash_words(address, pid) % PIECES];
	bool is_known = piece->pid == pid && piece->address == address;

	if (is_known && piece->read_ns &&
		clock_now_ns() - piece->read_ns < PIECE_LIFE_NS)
		return piece;
	if (!is_known)
		piece->size = 0;
	piece->pid = pid;
	piece->address = address;
	refresh_piece(live_code, piece);
	return piece;
}

size_t live_code_read(struct live_code *live_code, uint32_t pid,
	uint64_t address, uint8_t *bytes, size_t size)
{
	uint64_t start = address / PIECE_STEP * PIECE_STEP;
	size_t at = address - start;
	const struct piece *piece = find_code_piece(live_code, pid, start);

	if (piece->size <= at)
		return 0;
	size = MIN(size, (size_t)LIVE_CODE_MAX);
	size = MIN(size, piece->size - at);
	memcpy(bytes, piece->bytes + at, size);
	return size;
}
