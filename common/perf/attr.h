/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_event_attr as files store it: any published size, either byte order.
 * An event is an attr, its name and the ids that its records carry.
 */
#ifndef DWELL_COMMON_PERF_ATTR_H
#define DWELL_COMMON_PERF_ATTR_H

#include "common/perf/abi.h"
#include "common/util/array.h"
#include "common/util/bytes.h"
#include "common/util/strbuf.h"

/* A stored attr may be larger than ours; what is behind is ignored. */
#define ATTR_SIZE_MAX 4096u
/* Events per file, ids per event: far above what any tool writes. */
#define ATTR_EVENTS_MAX 65536u
#define ATTR_IDS_MAX (1u << 24)

struct event {
	struct perf_event_attr attr;
	char *name; /* owned */
	ARRAY(uint64_t) ids;
};

void event_deinit(struct event *event);

/*
 * Reads an attr of SIZE bytes as a file stores it (SIZE as told by whoever
 * holds it; attr.size itself may be 0 in old files, which means 64).
 * Returns false when SIZE is no attr's.
 */
bool attr_read(struct bytes *b, size_t size, struct perf_event_attr *ret);

/* Turns an attr of SIZE bytes, as it is stored, into the other byte order. */
void attr_swap(uint8_t *raw, size_t size);

/*
 * The smallest published size that holds every field in use, at least 112:
 * readers refuse attrs larger than they know.
 */
size_t attr_stored_size(const struct perf_event_attr *attr);
/* Appends attr_stored_size() bytes, attr.size set to that. */
void attr_write(const struct perf_event_attr *attr, struct strbuf *out);

/* Whether its periods are nanoseconds of CPU time. */
static inline bool attr_counts_ns(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
		(attr->config == PERF_COUNT_SW_CPU_CLOCK ||
			attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

/*
 * What users call the event: "cpu-clock", "cycles:u", "raw 0x1a8". Owned by
 * the caller. Tracepoints have no name here, they are "tracepoint N".
 */
char *attr_name(const struct perf_event_attr *attr);
/* One line with every field that is not 0, in perf_event.h's words. */
void attr_print(const struct perf_event_attr *attr, struct strbuf *out);

#endif
