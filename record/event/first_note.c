/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/first_note.h"

#include <sys/utsname.h>

#include "common/elf/cache.h"
#include "common/util/log.h"

#define NOTE_MAGIC UINT64_C(0x2e65746f6e772e64)

/*
 * Returns the identity of the note NAME on this machine. Several machines can
 * share one home directory.
 */
static struct cache_place place_of_note(const char *name)
{
	struct cache_place place = { .magic = NOTE_MAGIC };
	struct utsname machine;

	place.key = cache_checksum(NOTE_MAGIC, name, strlen(name));
	if (uname(&machine) == 0)
		place.key = cache_checksum(
			place.key, machine.nodename, strlen(machine.nodename));
	place.id.size = sizeof(place.key);
	memcpy(place.id.bytes, &place.key, sizeof(place.key));
	return place;
}

bool first_note_is_due(const char *name)
{
	const struct cache_place place = place_of_note(name);
	_cleanup_free_ uint8_t *stored = NULL;
	const uint8_t mark = 1;
	struct cache *cache;
	size_t size;

	if (log_get_level() == LOG_QUIET)
		return false;
	cache = cache_open("notes", NULL);
	if (cache)
		stored = cache_load(cache, &place, sizeof(mark), &size);
	if (cache && !stored)
		cache_store(cache, &place, &mark, sizeof(mark));
	cache_close(cache);
	return !stored || log_get_level() == LOG_VERBOSE;
}
