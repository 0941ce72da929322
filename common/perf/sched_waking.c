/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/perf/sched_waking.h"

#include "common/util/alloc.h"

static const char *find(const char *text, const char *end, const char *what)
{
	size_t n = strlen(what);
	const char *at = memmem(text, (size_t)(end - text), what, n);

	return at ? at + n : NULL;
}

/* "field:pid_t pid;<tab>offset:24;..." */
size_t tracepoint_place(const char *format, size_t size, const char *field)
{
	_cleanup_free_ char *wanted = xasprintf("field:%s;", field);
	const char *end = format + size;
	const char *at = find(format, end, wanted);
	size_t place = 0;

	if (at)
		at = find(at, end, "offset:");
	for (; at && at < end && *at >= '0' && *at <= '9'; at++) {
		place = place * 10 + (size_t)(*at - '0');
		if (place > RECORD_SIZE_MAX)
			return 0;
	}
	return place;
}

/* linux/include/trace/events/sched.h, sched_wakeup_template */
size_t waking_place(const char *format, size_t size)
{
	return tracepoint_place(format, size, "pid_t pid");
}

bool waking_read(
	const struct sample *sample, size_t place, bool swap, uint32_t *tid_ret)
{
	struct bytes b = bytes_of(sample->raw, sample->raw_size, swap);

	bytes_take(&b, place);
	*tid_ret = bytes_u32(&b);
	return b.ok;
}
