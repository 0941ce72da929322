/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads, writes, names and prints perf_event_attr, in any published size and
 * either byte order. An event is an attr, its name, and the IDs in its records.
 */
#ifndef DWELL_COMMON_PERF_ATTR_H
#define DWELL_COMMON_PERF_ATTR_H

#include "common/perf/abi.h"
#include "common/util/array.h"
#include "common/util/bytes.h"
#include "common/util/strbuf.h"

/* Limit of a stored attr; bytes behind struct perf_event_attr are ignored. */
#define ATTR_SIZE_MAX 4096u
/* Limits of events per file and IDs per event, far above those of any tool. */
#define ATTR_EVENTS_MAX 65536u
#define ATTR_IDS_MAX (1u << 24)

struct event {
	struct perf_event_attr attr;
	char *name; /* owned */
	ARRAY(uint64_t) ids;
};

void event_deinit(struct event *event);

/*
 * Reads an attr of SIZE bytes from a file. SIZE is from the file's structure,
 * because attr.size can be 0 in old files, which means 64. Returns false if
 * SIZE is not a valid size.
 */
bool attr_read(struct bytes *b, size_t size, struct perf_event_attr *ret);

/* Converts a stored attr of SIZE bytes from the other byte order, in place. */
void attr_swap(uint8_t *raw, size_t size);

/*
 * Returns the smallest published size that holds every nonzero field, at least
 * 112. Older readers reject an attr that is larger than their own struct.
 */
size_t attr_stored_size(const struct perf_event_attr *attr);
/*
 * Return and set the flags of ATTR. Bit N of FLAGS is flag N, also if the
 * system's headers do not have its name.
 */
uint64_t attr_flags(const struct perf_event_attr *attr);
void attr_set_flags(struct perf_event_attr *attr, uint64_t flags);
/* Appends ATTR in attr_stored_size() bytes and with that size as attr.size. */
void attr_write(const struct perf_event_attr *attr, struct strbuf *out);

/* Returns true if the periods of the event are nanoseconds of CPU time. */
static inline bool attr_counts_ns(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
		(attr->config == PERF_COUNT_SW_CPU_CLOCK ||
			attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

/*
 * Returns the name of the event with its modifiers, "cpu-clock", "cycles:u",
 * "raw 0x1a8", owned by the caller. A tracepoint is "tracepoint N".
 */
char *attr_name(const struct perf_event_attr *attr);
/* Appends the nonzero fields, named as in perf_event.h, in one line. */
void attr_print(const struct perf_event_attr *attr, struct strbuf *out);

#endif
