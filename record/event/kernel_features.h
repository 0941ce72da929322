/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Optional fields of perf_event_attr that only newer kernels support, the
 * newest first. open_fallback.c removes them in this order. Fields that change
 * the meaning of a recording (config of an event, write_backward) are not in
 * the table: a kernel without them refuses the event.
 */
#ifndef DWELL_RECORD_EVENT_KERNEL_FEATURES_H
#define DWELL_RECORD_EVENT_KERNEL_FEATURES_H

#include "common/perf/abi.h"
#include "common/util/base.h"

/* A flag bit of perf_event_attr by number, in this machine's byte order. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define ATTR_FLAG(bit) (UINT64_C(1) << (63 - (bit)))
#else
#define ATTR_FLAG(bit) (UINT64_C(1) << (bit))
#endif

enum kernel_feature_field {
	KERNEL_FEATURE_IN_FLAGS,
	KERNEL_FEATURE_IN_SAMPLE_TYPE,
	KERNEL_FEATURE_IN_READ_FORMAT,
	KERNEL_FEATURE_IN_MAX_STACK, /* sample_max_stack */
};

enum kernel_feature_trait {
	KERNEL_FEATURE_REQUESTED =
		1, /* the user requested it: its removal is reported */
	KERNEL_FEATURE_PRIVILEGED = 2, /* unprivileged users get EACCES */
	KERNEL_FEATURE_PER_PMU =
		4, /* PMUs of one machine can differ in support */
};

struct kernel_feature {
	const char *name;  /* for messages: "build IDs of mappings" */
	const char *since; /* "5.12" */
	enum kernel_feature_field place;
	uint64_t bits;
	unsigned traits;  /* enum kernel_feature_trait */
	uint64_t beside;  /* flags: the feature is new only if these are set */
	uint64_t instead; /* bits that replace .bits in older kernels */
};

/* The index of a feature that decides which events are opened. */
#define KERNEL_FEATURE_INHERITED_COUNTS 1

/* At most 32 rows: sets of features are uint32_t. */
extern const struct kernel_feature kernel_features[];
extern const size_t n_kernel_features;

bool kernel_feature_is_in(
	const struct kernel_feature *offer, const struct perf_event_attr *attr);
void kernel_feature_add(
	const struct kernel_feature *offer, struct perf_event_attr *attr);
void kernel_feature_remove(
	const struct kernel_feature *offer, struct perf_event_attr *attr);

/*
 * Access to flags of perf_event_attr by bit number: the headers of some systems
 * lack the names of newer flags.
 */
bool kernel_feature_flag_is_set(
	const struct perf_event_attr *attr, unsigned bit);
void kernel_feature_set_flag(struct perf_event_attr *attr, unsigned bit);
void kernel_feature_clear_flag(struct perf_event_attr *attr, unsigned bit);

#endif
