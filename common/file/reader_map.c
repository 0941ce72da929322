/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps windows of a recording instead of copying them, if most bytes of the
 * windows are not read. If the file is truncated while it is mapped, a SIGBUS
 * handler replaces the lost pages by zeros, which are not records; without the
 * handler, SIGBUS would end the program. Also reads windows with only the
 * headers of samples.
 */
#include "config.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "common/file/reader.h"
#include "common/file/reader_private.h"

#define PAGE UINT64_C(4096)
#define MAP_ROOM MIB(4)
/*
 * Bytes that are read at once to find record headers. Records about mappings
 * and names are usually shorter.
 */
#define HEADERS_SIZE 1024u
/*
 * Limit of windows that are mapped at the same time; more than threads that
 * read.
 */
#define MAPS_MAX 128u

static struct {
	_Atomic uintptr_t start; /* address of a mapped window; 0: no window */
	_Atomic uintptr_t end;
} maps[MAPS_MAX];

/*
 * SIGBUS handler: maps a page of zeros if the faulting address is in a window.
 * Async-signal-safe: mmap(2) is a plain system call.
 */
static void handle_sigbus(int signal_, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr;
	size_t i;

	(void)context;
	for (i = 0; i < MAPS_MAX; i++)
		if (at >= atomic_load(&maps[i].start) &&
			at < atomic_load(&maps[i].end) &&
			mmap((void *)(at & ~(uintptr_t)(PAGE - 1)), PAGE,
				PROT_READ,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
				0) != MAP_FAILED)
			return;
	/*
	 * The faulting address is not in a window: restore the default action;
	 * the access faults again.
	 */
	signal(signal_, SIG_DFL);
}

void reader_map_free(struct cursor *cursor)
{
	if (!cursor->map)
		return;
	if (cursor->map_slot < MAPS_MAX) {
		atomic_store(&maps[cursor->map_slot].end, 0);
		atomic_store(&maps[cursor->map_slot].start, 0);
	}
	munmap(cursor->map, cursor->map_size);
	cursor->map = NULL;
}

/* Maps at least SIZE bytes of the file PART from offset AT on. */
static bool map_part_at(struct cursor *cursor, const struct reader_part *part,
	uint64_t at, size_t size)
{
	static _Atomic bool is_ready;
	struct sigaction action = { .sa_sigaction = handle_sigbus,
		.sa_flags = SA_SIGINFO | SA_NODEFER };
	uint64_t start = at & ~(PAGE - 1);
	uintptr_t none;
	void *map;
	size_t i;

	reader_map_free(cursor);
	cursor->map_size =
		MIN((uint64_t)MAP_ROOM, part->end - part->start - start);
	if (cursor->map_size < at - start + size)
		return false;
	map = mmap(NULL, cursor->map_size, PROT_READ, MAP_PRIVATE, part->fd,
		(off_t)start);
	if (map == MAP_FAILED)
		return false;
	cursor->map = map;
	cursor->map_at = part->start + start;
	cursor->map_slot = MAPS_MAX;
	/* Guard the window against SIGBUS. */
	if (!atomic_exchange(&is_ready, true))
		sigaction(SIGBUS, &action, NULL);
	for (i = 0; i < MAPS_MAX; i++) {
		none = 0;
		if (!atomic_compare_exchange_strong(
			    &maps[i].start, &none, (uintptr_t)map))
			continue;
		atomic_store(&maps[i].end, (uintptr_t)map + cursor->map_size);
		cursor->map_slot = i;
		return true;
	}
	reader_map_free(cursor);
	return false;
}

uint8_t *reader_map(struct cursor *cursor, uint64_t offset, size_t size)
{
	const struct reader_part *part = reader_part(cursor->reader, offset);

	if ((!cursor->map || offset < cursor->map_at ||
		    offset + size > cursor->map_at + cursor->map_size) &&
		!map_part_at(cursor, part, offset - part->start, size))
		return NULL;
	return cursor->map + (offset - cursor->map_at);
}

/* --- headers alone -------------------------------------------------------- */

/*
 * Returns the end of the last record that begins in the N bytes at DATA, as an
 * offset from DATA. *WHOLE_RET is the end of the last record that is not a
 * sample; all bytes before it are needed. Stops at a record that may be
 * followed by other data.
 */
static size_t records_span(const uint8_t *data, size_t n, size_t *whole_ret)
{
	struct record record;
	size_t at = 0;

	*whole_ret = 0;
	while (at < n && n - at >= RECORD_HEADER_SIZE) {
		record_at(data + at, n - at, false, &record);
		if (record.size < RECORD_HEADER_SIZE ||
			(record.type >= RECORD_USER_FIRST &&
				record.type != RECORD_FINISHED_ROUND))
			break;
		at += record.size;
		if (record.type != RECORD_SAMPLE)
			*whole_ret = at;
	}
	return at;
}

size_t reader_read_headers(struct cursor *cursor, uint64_t offset, size_t size)
{
	const struct reader *reader = cursor->reader;
	uint8_t *out = cursor->buffer;
	size_t at = 0, n, wanted, whole, span;

	while (at < size) {
		wanted = MIN(size - at, (size_t)HEADERS_SIZE);
		n = reader_read_at(reader, offset + at, out + at, wanted);
		if (n < wanted)
			return at + n;
		span = records_span(out + at, n, &whole);
		if (!span)
			break;
		whole = MIN(whole, size - at);
		if (whole > n &&
			reader_read_at(reader, offset + at + n, out + at + n,
				whole - n) < whole - n)
			return at + n;
		at += span;
	}
	return at ? MIN(at, size) : reader_read_at(reader, offset, out, size);
}
