/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/kernel_features.h"

#include "common/perf/abi.h"
#include "common/perf/attr.h"

#define FLAG_INHERIT 1 /* the number of the flag in linux/perf_event.h */

/*
 * The Linux versions are from the history of include/uapi/linux/perf_event.h.
 */
const struct kernel_feature kernel_features[] = {
	{ "deferred user call chains", "6.19", KERNEL_FEATURE_IN_FLAGS,
		ATTR_FLAG(ABI_FLAG_DEFER_CALLCHAIN) |
			ATTR_FLAG(ABI_FLAG_DEFER_OUTPUT),
		0, 0 },
	[KERNEL_FEATURE_INHERITED_COUNTS] = { "counter values of inherited "
					      "events",
		"6.13", KERNEL_FEATURE_IN_SAMPLE_TYPE, PERF_SAMPLE_READ,
		KERNEL_FEATURE_REQUESTED, ATTR_FLAG(FLAG_INHERIT) },
	{ "exact counts of lost samples", "6.0", KERNEL_FEATURE_IN_READ_FORMAT,
		ABI_FORMAT_LOST, 0, 0 },
	{ "inheritance by threads only", "5.13", KERNEL_FEATURE_IN_FLAGS,
		ATTR_FLAG(35), KERNEL_FEATURE_REQUESTED,
		ATTR_FLAG(FLAG_INHERIT) },
	{ "three-part weights", "5.12", KERNEL_FEATURE_IN_SAMPLE_TYPE,
		ABI_SAMPLE_WEIGHT_STRUCT, .instead = PERF_SAMPLE_WEIGHT },
	{ "build IDs of mappings", "5.12", KERNEL_FEATURE_IN_FLAGS,
		ATTR_FLAG(34), 0, 0 },
	{ "page sizes", "5.11", KERNEL_FEATURE_IN_SAMPLE_TYPE,
		ABI_SAMPLE_DATA_PAGE_SIZE | ABI_SAMPLE_CODE_PAGE_SIZE,
		KERNEL_FEATURE_REQUESTED },
	{ "kernel code changes", "5.8", KERNEL_FEATURE_IN_FLAGS, ATTR_FLAG(33),
		0, 0 },
	{ "cgroups", "5.7", KERNEL_FEATURE_IN_FLAGS, ATTR_FLAG(32),
		KERNEL_FEATURE_REQUESTED, 0 },
	{ "cgroups of samples", "5.7", KERNEL_FEATURE_IN_SAMPLE_TYPE,
		ABI_SAMPLE_CGROUP, KERNEL_FEATURE_REQUESTED, 0 },
	{ "names of BPF programs", "5.1", KERNEL_FEATURE_IN_FLAGS,
		ATTR_FLAG(29) | ATTR_FLAG(30), 0, 0 },
	{ "physical addresses", "4.14", KERNEL_FEATURE_IN_SAMPLE_TYPE,
		PERF_SAMPLE_PHYS_ADDR,
		KERNEL_FEATURE_REQUESTED | KERNEL_FEATURE_PRIVILEGED },
	{ "groups of inherited counters that are read at once", "4.13",
		KERNEL_FEATURE_IN_READ_FORMAT, PERF_FORMAT_GROUP, 0,
		ATTR_FLAG(FLAG_INHERIT) },
	{ "namespaces", "4.12", KERNEL_FEATURE_IN_FLAGS, ATTR_FLAG(28),
		KERNEL_FEATURE_REQUESTED | KERNEL_FEATURE_PRIVILEGED, 0 },
	{ "a limit of call chain depth", "4.8", KERNEL_FEATURE_IN_MAX_STACK, 0,
		KERNEL_FEATURE_REQUESTED, 0 },
	{ "context switches", "4.3", KERNEL_FEATURE_IN_FLAGS, ATTR_FLAG(26),
		KERNEL_FEATURE_REQUESTED, 0 },
	{ "timestamps of a selected clock", "4.1", KERNEL_FEATURE_IN_FLAGS,
		ATTR_FLAG(25), KERNEL_FEATURE_REQUESTED, 0 },
	{ "thread names set by exec", "3.16", KERNEL_FEATURE_IN_FLAGS,
		ATTR_FLAG(24), 0, 0 },
	{ "inodes of mappings", "3.16", KERNEL_FEATURE_IN_FLAGS, ATTR_FLAG(23),
		0, 0 },
	{ "excluding guests", "3.2", KERNEL_FEATURE_IN_FLAGS, ATTR_FLAG(20),
		KERNEL_FEATURE_PER_PMU, 0 },
};
const size_t n_kernel_features = ARRAY_SIZE(kernel_features);

bool kernel_feature_is_in(const struct kernel_feature *feature,
	const struct perf_event_attr *attr)
{
	uint64_t flags = attr_flags(attr);

	if ((flags & feature->beside) != feature->beside)
		return false;
	switch (feature->place) {
	case KERNEL_FEATURE_IN_FLAGS: return flags & feature->bits;
	case KERNEL_FEATURE_IN_SAMPLE_TYPE:
		return attr->sample_type & feature->bits;
	case KERNEL_FEATURE_IN_READ_FORMAT:
		return attr->read_format & feature->bits;
	case KERNEL_FEATURE_IN_MAX_STACK: return attr->sample_max_stack;
	}
	return false;
}

void kernel_feature_add(
	const struct kernel_feature *feature, struct perf_event_attr *attr)
{
	attr_set_flags(attr, attr_flags(attr) | feature->beside);
	if (feature->place == KERNEL_FEATURE_IN_FLAGS)
		attr_set_flags(attr, attr_flags(attr) | feature->bits);
	else if (feature->place == KERNEL_FEATURE_IN_SAMPLE_TYPE)
		attr->sample_type |= feature->bits;
	else if (feature->place == KERNEL_FEATURE_IN_READ_FORMAT)
		attr->read_format |= feature->bits;
	else
		attr->sample_max_stack = 1;
}

void kernel_feature_remove(
	const struct kernel_feature *feature, struct perf_event_attr *attr)
{
	if (feature->place == KERNEL_FEATURE_IN_FLAGS)
		attr_set_flags(attr, attr_flags(attr) & ~feature->bits);
	else if (feature->place == KERNEL_FEATURE_IN_SAMPLE_TYPE) {
		if (attr->sample_type & feature->bits) {
			attr->sample_type &= ~feature->bits;
			attr->sample_type |= feature->instead;
		}
	} else if (feature->place == KERNEL_FEATURE_IN_READ_FORMAT)
		attr->read_format &= ~feature->bits;
	else
		attr->sample_max_stack = 0;
	/* clockid without use_clockid is an error. */
	if (!attr->use_clockid)
		attr->clockid = 0;
}

bool kernel_feature_flag_is_set(
	const struct perf_event_attr *attr, unsigned bit)
{
	return attr_flags(attr) & ATTR_FLAG(bit);
}

void kernel_feature_set_flag(struct perf_event_attr *attr, unsigned bit)
{
	attr_set_flags(attr, attr_flags(attr) | ATTR_FLAG(bit));
}

void kernel_feature_clear_flag(struct perf_event_attr *attr, unsigned bit)
{
	attr_set_flags(attr, attr_flags(attr) & ~ATTR_FLAG(bit));
}
