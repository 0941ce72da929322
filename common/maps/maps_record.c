/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records as the events that maps are made of. */
#include "config.h"

#include "common/maps/maps.h"

bool maps_wants_record(uint32_t type)
{
	return type == RECORD_MMAP || type == RECORD_MMAP2 ||
		type == RECORD_COMM || type == RECORD_FORK ||
		type == RECORD_KSYMBOL;
}

static bool add_mmap_record(
	struct maps *maps, const struct record *record, uint64_t time)
{
	struct record_mmap map;

	if (!record_read_mmap(record, &map))
		return false;
	if (!(record->misc & MISC_MMAP_DATA))
		maps_add_mmap(maps, &map, time);
	return true;
}

bool maps_add_record(
	struct maps *maps, const struct record *record, uint64_t time)
{
	struct record_comm comm;
	struct record_task task;
	struct record_ksymbol symbol;

	switch (record->type) {
	case RECORD_MMAP:
	case RECORD_MMAP2: return add_mmap_record(maps, record, time);
	case RECORD_COMM:
		if (!record_read_comm(record, &comm))
			return false;
		maps_add_comm(maps, &comm, time);
		return true;
	case RECORD_FORK:
		if (!record_read_task(record, &task))
			return false;
		maps_add_fork(maps, &task, time);
		return true;
	case RECORD_KSYMBOL:
		if (!record_read_ksymbol(record, &symbol))
			return false;
		maps_add_ksymbol(maps, &symbol);
		return true;
	}
	return true;
}
