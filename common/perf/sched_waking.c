/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/perf/sched_waking.h"

#include "common/util/alloc.h"

/* Returns the end of the first WHAT between TEXT and END, or NULL. */
static const char *find_format_text(
	const char *text, const char *end, const char *what)
{
	size_t n = strlen(what);
	const char *at = memmem(text, (size_t)(end - text), what, n);

	return at ? at + n : NULL;
}

/* A line of the format file is "field:pid_t pid;<tab>offset:24;...". */
size_t sched_waking_field_offset(
	const char *format, size_t size, const char *field)
{
	_cleanup_free_ char *wanted = xasprintf("field:%s;", field);
	const char *end = format + size;
	const char *at = find_format_text(format, end, wanted);
	size_t offset = 0;

	if (at)
		at = find_format_text(at, end, "offset:");
	for (; at && at < end && *at >= '0' && *at <= '9'; at++) {
		offset = offset * 10 + (size_t)(*at - '0');
		if (offset > RECORD_SIZE_MAX)
			return 0;
	}
	return offset;
}

/* Source: linux/include/trace/events/sched.h, sched_wakeup_template. */
size_t sched_waking_offset(const char *format, size_t size)
{
	return sched_waking_field_offset(format, size, "pid_t pid");
}

bool sched_waking_read(const struct sample *sample, size_t offset, bool swap,
	uint32_t *tid_ret)
{
	struct bytes b = bytes_of(sample->raw, sample->raw_size, swap);

	bytes_take(&b, offset);
	*tid_ret = bytes_u32(&b);
	return b.ok;
}
