/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/file/resync.h"

#include "common/perf/record.h"

/* Number of consecutive plausible record headers that are taken for records. */
#define ENOUGH 3

static bool is_record_chain(const uint8_t *data, size_t size, bool swap)
{
	struct record record;
	int n;

	for (n = 0; n < ENOUGH && size; n++) {
		if (!record_at(data, size, swap, &record) ||
			record.type >= RECORD_END ||
			string_is(record_name(record.type), "UNKNOWN"))
			return false;
		data += record.size;
		size -= record.size;
	}
	return true;
}

size_t resync_find(const uint8_t *data, size_t size, bool swap)
{
	size_t at;

	for (at = 1; at < size; at++)
		if (is_record_chain(data + at, size - at, swap))
			return at;
	return size;
}
