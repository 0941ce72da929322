/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What perf_event_attr can ask of newer kernels only, the newest first. It is
 * the fixed order in which a refused attr is made older, and the list of what
 * a kernel is known to have. What changes the meaning of a recording (an
 * event's config, write_backward) is not among it: that is refused, not
 * dropped.
 */
#ifndef DWELL_RECORD_EVENT_KERNEL_FEATURES_H
#define DWELL_RECORD_EVENT_KERNEL_FEATURES_H

#include "common/perf/abi.h"
#include "common/util/base.h"

/* perf_event_attr's flag bits by number, as this machine stores them. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define OFFER_FLAG(bit) (UINT64_C(1) << (63 - (bit)))
#else
#define OFFER_FLAG(bit) (UINT64_C(1) << (bit))
#endif

enum offer_place {
	OFFER_FLAGS,
	OFFER_SAMPLE_TYPE,
	OFFER_READ_FORMAT,
	OFFER_MAX_STACK, /* sample_max_stack */
};

enum offer_trait {
	OFFER_WISH = 1,	  /* a user asks for it: its loss is told */
	OFFER_RIGHT = 2,  /* ordinary users don't get it: EACCES */
	OFFER_OF_PMU = 4, /* one PMU may take it, another not */
};

struct offer {
	const char *name;  /* for users: "build IDs of mappings" */
	const char *since; /* "5.12" */
	enum offer_place place;
	uint64_t bits;
	unsigned traits; /* enum offer_trait */
	uint64_t beside; /* flags that must be set for it to be new */
	uint64_t instead; /* what older ones have in its place */
};

/* At most 32 of them, so that a set of them is a uint32_t. */
extern const struct offer offers[];
extern const size_t n_offers;

bool offer_is_in(const struct offer *offer, const struct perf_event_attr *attr);
void offer_put(const struct offer *offer, struct perf_event_attr *attr);
void offer_take_out(const struct offer *offer, struct perf_event_attr *attr);

/* Flag bits that the system's header may not name. */
bool offer_flag_is_set(const struct perf_event_attr *attr, unsigned bit);
void offer_set_flag(struct perf_event_attr *attr, unsigned bit);
void offer_clear_flag(struct perf_event_attr *attr, unsigned bit);

#endif
