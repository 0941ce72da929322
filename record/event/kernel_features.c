/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/kernel_features.h"

/* linux/perf_event.h: the flags are the u64 behind read_format. */
#define FLAGS_OFFSET (offsetof(struct perf_event_attr, read_format) + 8)
#define FLAG_INHERIT 1

/* Versions: the kernel's history of include/uapi/linux/perf_event.h. */
const struct offer offers[] = {
	{ "deferred user call chains", "6.19", OFFER_FLAGS,
		OFFER_FLAG(ABI_FLAG_DEFER_CALLCHAIN) |
			OFFER_FLAG(ABI_FLAG_DEFER_OUTPUT),
		0, 0 },
	{ "counters of children beside samples", "6.13", OFFER_SAMPLE_TYPE,
		PERF_SAMPLE_READ, OFFER_WISH, OFFER_FLAG(FLAG_INHERIT) },
	{ "exact counts of lost samples", "6.0", OFFER_READ_FORMAT,
		ABI_FORMAT_LOST, 0, 0 },
	{ "weights in three parts", "5.12", OFFER_SAMPLE_TYPE,
		PERF_SAMPLE_WEIGHT_STRUCT, .instead = PERF_SAMPLE_WEIGHT },
	{ "following threads but not processes", "5.13", OFFER_FLAGS,
		OFFER_FLAG(35), OFFER_WISH, OFFER_FLAG(FLAG_INHERIT) },
	{ "build IDs of mappings", "5.12", OFFER_FLAGS, OFFER_FLAG(34), 0, 0 },
	{ "sizes of pages", "5.11", OFFER_SAMPLE_TYPE,
		PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE,
		OFFER_WISH },
	{ "changes of the kernel's code", "5.8", OFFER_FLAGS, OFFER_FLAG(33), 0,
		0 },
	{ "cgroups", "5.7", OFFER_FLAGS, OFFER_FLAG(32), OFFER_WISH, 0 },
	{ "the cgroup of a sample", "5.7", OFFER_SAMPLE_TYPE, ABI_SAMPLE_CGROUP,
		OFFER_WISH, 0 },
	{ "names of BPF programs", "5.1", OFFER_FLAGS,
		OFFER_FLAG(29) | OFFER_FLAG(30), 0, 0 },
	{ "physical addresses", "4.14", OFFER_SAMPLE_TYPE,
		PERF_SAMPLE_PHYS_ADDR, OFFER_WISH | OFFER_RIGHT },
	{ "namespaces", "4.12", OFFER_FLAGS, OFFER_FLAG(28),
		OFFER_WISH | OFFER_RIGHT, 0 },
	{ "a limit for the depth of call chains", "4.8", OFFER_MAX_STACK, 0,
		OFFER_WISH, 0 },
	{ "context switches", "4.3", OFFER_FLAGS, OFFER_FLAG(26), OFFER_WISH,
		0 },
	{ "times of a clock that can be named", "4.1", OFFER_FLAGS,
		OFFER_FLAG(25), OFFER_WISH, 0 },
	{ "names that come from exec", "3.16", OFFER_FLAGS, OFFER_FLAG(24), 0,
		0 },
	{ "inodes of mappings", "3.16", OFFER_FLAGS, OFFER_FLAG(23), 0, 0 },
	{ "leaving out guests", "3.2", OFFER_FLAGS, OFFER_FLAG(20),
		OFFER_OF_PMU, 0 },
};
const size_t n_offers = ARRAY_SIZE(offers);

static uint64_t load_flags(const struct perf_event_attr *attr)
{
	uint64_t flags;

	memcpy(&flags, (const char *)attr + FLAGS_OFFSET, sizeof(flags));
	return flags;
}

static void store_flags(struct perf_event_attr *attr, uint64_t flags)
{
	memcpy((char *)attr + FLAGS_OFFSET, &flags, sizeof(flags));
}

bool offer_is_in(const struct offer *offer, const struct perf_event_attr *attr)
{
	uint64_t flags = load_flags(attr);

	if ((flags & offer->beside) != offer->beside)
		return false;
	switch (offer->place) {
	case OFFER_FLAGS: return flags & offer->bits;
	case OFFER_SAMPLE_TYPE: return attr->sample_type & offer->bits;
	case OFFER_READ_FORMAT: return attr->read_format & offer->bits;
	case OFFER_MAX_STACK: return attr->sample_max_stack;
	}
	return false;
}

void offer_put(const struct offer *offer, struct perf_event_attr *attr)
{
	store_flags(attr, load_flags(attr) | offer->beside);
	if (offer->place == OFFER_FLAGS)
		store_flags(attr, load_flags(attr) | offer->bits);
	else if (offer->place == OFFER_SAMPLE_TYPE)
		attr->sample_type |= offer->bits;
	else if (offer->place == OFFER_READ_FORMAT)
		attr->read_format |= offer->bits;
	else
		attr->sample_max_stack = 1;
}

static void take_out_fields(
	const struct offer *offer, struct perf_event_attr *attr)
{
	if (!(attr->sample_type & offer->bits))
		return;
	attr->sample_type &= ~offer->bits;
	attr->sample_type |= offer->instead;
}

void offer_take_out(const struct offer *offer, struct perf_event_attr *attr)
{
	if (offer->place == OFFER_FLAGS)
		store_flags(attr, load_flags(attr) & ~offer->bits);
	else if (offer->place == OFFER_SAMPLE_TYPE)
		take_out_fields(offer, attr);
	else if (offer->place == OFFER_READ_FORMAT)
		attr->read_format &= ~offer->bits;
	else
		attr->sample_max_stack = 0;
	/* A clock without use_clockid is an error of its own. */
	if (!attr->use_clockid)
		attr->clockid = 0;
}

bool offer_flag_is_set(const struct perf_event_attr *attr, unsigned bit)
{
	return load_flags(attr) & OFFER_FLAG(bit);
}

void offer_set_flag(struct perf_event_attr *attr, unsigned bit)
{
	store_flags(attr, load_flags(attr) | OFFER_FLAG(bit));
}

void offer_clear_flag(struct perf_event_attr *attr, unsigned bit)
{
	store_flags(attr, load_flags(attr) & ~OFFER_FLAG(bit));
}
