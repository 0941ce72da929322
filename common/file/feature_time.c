/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sections about time: times of the first and last sample, and the clock. */
#include "config.h"

#include "common/file/feature_private.h"

#include <inttypes.h>
#include <time.h>

bool feature_read_sample_time(struct features *f, struct bytes *b)
{
	f->first_time = bytes_u64(b);
	f->last_time = bytes_u64(b);
	return b->ok;
}

void feature_write_sample_time(const struct features *f, struct strbuf *out)
{
	strbuf_put_u64(out, f->first_time);
	strbuf_put_u64(out, f->last_time);
}

void feature_print_sample_time(const struct features *f, struct strbuf *out)
{
	uint64_t first = f->first_time / 1000, last = f->last_time / 1000;

	strbuf_printf(out,
		"# time of first sample : %" PRIu64 ".%06" PRIu64 "\n",
		first / 1000000, first % 1000000);
	strbuf_printf(out,
		"# time of last sample : %" PRIu64 ".%06" PRIu64 "\n",
		last / 1000000, last % 1000000);
	strbuf_printf(out, "# sample duration : %10.3f ms\n",
		(double)(f->last_time - f->first_time) / 1e6);
}

bool feature_read_clockid(struct features *f, struct bytes *b)
{
	f->clock_resolution = bytes_u64(b);
	return b->ok;
}

void feature_write_clockid(const struct features *f, struct strbuf *out)
{
	strbuf_put_u64(out, f->clock_resolution);
}

bool feature_read_clock_data(struct features *f, struct bytes *b)
{
	if (bytes_u32(b) != 1)
		return false;
	f->clockid = (int32_t)bytes_u32(b);
	f->clock_wall = bytes_u64(b);
	f->clock_time = bytes_u64(b);
	return b->ok;
}

void feature_write_clock_data(const struct features *f, struct strbuf *out)
{
	strbuf_put_u32(out, 1);
	strbuf_put_u32(out, (uint32_t)f->clockid);
	strbuf_put_u64(out, f->clock_wall);
	strbuf_put_u64(out, f->clock_time);
}

void feature_print_clock_data(const struct features *f, struct strbuf *out)
{
	time_t seconds = (time_t)(f->clock_wall / NSEC_PER_SEC);
	char text[64];
	struct tm tm;

	if (!gmtime_r(&seconds, &tm) ||
		!strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		return;
	strbuf_printf(out, "# captured on : %s UTC\n", text);
}

void feature_print_clockid(const struct features *f, struct strbuf *out)
{
	static const char *const names[] = { "CLOCK_REALTIME",
		"CLOCK_MONOTONIC", NULL, NULL, "CLOCK_MONOTONIC_RAW", NULL,
		NULL, "CLOCK_BOOTTIME", NULL, NULL, NULL, "CLOCK_TAI" };
	size_t id = (size_t)f->clockid;

	strbuf_printf(out, "# clockid frequency: %" PRIu64 " MHz\n",
		f->clock_resolution ? 1000 / f->clock_resolution : 0);
	if (feature_is_present(f, FEATURE_CLOCK_DATA))
		strbuf_printf(out, "# clockid: %s (%d)\n",
			id < ARRAY_SIZE(names) && names[id] ? names[id]
							    : "unknown",
			f->clockid);
}
