/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a row adds up to. */
#include "config.h"

#include "report/rows/field.h"

static uint64_t take_cpumode(const struct take_source *source)
{
	return source->cpumode;
}

const struct field field_numbers[] = {
	{ "overhead", "Overhead", FIELD_SHARE, NUMBER_SELF },
	{ "overhead_children", "Children", FIELD_SHARE, NUMBER_CHILDREN },
	{ "overhead_sys", "sys", FIELD_SHARE, NUMBER_KERNEL,
		.take = { take_cpumode } },
	{ "overhead_us", "usr", FIELD_SHARE, NUMBER_USER,
		.take = { take_cpumode } },
	{ "overhead_guest_sys", "guest sys", FIELD_SHARE, NUMBER_GUEST_KERNEL,
		.take = { take_cpumode } },
	{ "overhead_guest_us", "guest usr", FIELD_SHARE, NUMBER_GUEST_USER,
		.take = { take_cpumode } },
	{ "sample", "Samples", FIELD_COUNT, NUMBER_SAMPLES },
	{ "period", "Period", FIELD_COUNT, NUMBER_SELF },
	{ 0 },
};
