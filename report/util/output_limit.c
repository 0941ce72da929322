/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/output_limit.h"

#include <errno.h>

#include "common/util/alloc.h"

/* Of the default. */
#define LIMIT_MIN 1000000000u
#define LIMIT_TIMES 1000u

static struct {
	uint64_t size;    /* 0: no limit */
	uint64_t inputs;  /* bytes of the recordings */
	uint64_t written;
	bool is_exceeded;
} output_limit;

void output_limit_begin(uint64_t size)
{
	memset(&output_limit, 0, sizeof(output_limit));
	output_limit.size = size;
}

void output_limit_add_input(uint64_t size)
{
	output_limit.inputs += MIN(size, UINT64_MAX - output_limit.inputs);
}

static uint64_t limit_size(void)
{
	uint64_t inputs = output_limit.inputs;

	if (output_limit.size != OUTPUT_LIMIT_BY_INPUT)
		return output_limit.size ?: UINT64_MAX;
	if (inputs > UINT64_MAX / LIMIT_TIMES)
		return UINT64_MAX;
	return MAX(inputs * LIMIT_TIMES, LIMIT_MIN);
}

bool output_limit_has_room(uint64_t size)
{
	uint64_t limit = limit_size(), written = output_limit.written;

	if (written > limit || size > limit - written)
		output_limit.is_exceeded = true;
	return !output_limit.is_exceeded;
}

bool output_limit_take(uint64_t size)
{
	if (!output_limit_has_room(size))
		return false;
	output_limit.written += size;
	return true;
}

/* SIZE in bytes as text, with an error of at most 5 %. */
static char *size_text(uint64_t size)
{
	static const char *const units[] = { "bytes", "kB", "MB", "GB" };
	double number = (double)size;
	size_t i;

	for (i = 0; i + 1 < ARRAY_SIZE(units) && number >= 1000; i++)
		number /= 1000;
	return xasprintf("%.*f %s", i && number < 10 ? 1 : 0, number, units[i]);
}

struct error *output_limit_error(const char *path)
{
	bool is_default = output_limit.size == OUTPUT_LIMIT_BY_INPUT;
	_cleanup_free_ char *size = size_text(limit_size());

	if (!output_limit.is_exceeded)
		return NULL;
	return error_hint(
		error_new("%s %s: the output exceeds %s, %s",
			path ?: "standard output",
			path ? "was not written" : "is incomplete", size,
			is_default ? "the default limit for this recording"
				   : "the limit of --max-output"),
		"use --max-output SIZE for another limit, or 0 for none");
}

static int append_limited(void *data, const void *bytes, size_t size)
{
	if (!output_limit_take(size))
		return EFBIG;
	return sink_write(*(int *)data, bytes, size);
}

struct sink output_limit_sink(int *fd)
{
	struct sink sink = sink_of_file(fd);

	sink.append = append_limited;
	return sink;
}
