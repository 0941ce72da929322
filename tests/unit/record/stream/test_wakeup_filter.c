/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wakings are kept of those whose samples were. */
#include "config.h"

#include "record/stream/wakeup_filter.h"

#include "tests/unit/testing.h"

#define PLACE 24u

/* As the kernel writes it: IDENTIFIER, IP, TID, TIME, CPU and RAW. */
struct waking {
	struct perf_event_header header;
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time, cpu;
	uint32_t size;
	uint8_t raw[44];
};

static bool has(const struct leavers *leavers, uint32_t woken, uint32_t size)
{
	const struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
			PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			PERF_SAMPLE_RAW,
	};
	struct waking waking = {
		.header = { RECORD_SAMPLE, 0, sizeof(waking) },
		.pid = 1,
		.tid = 1,
		.size = size,
	};
	struct sample_layout layout;

	sample_layout_init(&layout, &attr);
	memcpy(waking.raw + PLACE, &woken, sizeof(woken));
	return leavers_have(leavers, &layout, &waking.header);
}

static void who_was_sampled_is_followed(void **state _unused_)
{
	struct leavers *leavers = leavers_create(PLACE);

	assert_false(has(leavers, 7, 44));
	leavers_add(leavers, 7);
	assert_true(has(leavers, 7, 44));
	assert_false(has(leavers, 6, 44));
	assert_false(has(leavers, 8, 44));
	/* Whoever wakes makes no difference. */
	assert_false(has(leavers, 1, 44));
	leavers_destroy(leavers);
}

static void ids_of_other_namespaces_are_one(void **state _unused_)
{
	struct leavers *leavers = leavers_create(PLACE);

	leavers_add(leavers, UINT32_MAX);
	assert_true(has(leavers, UINT32_MAX, 44));
	assert_false(has(leavers, 4 * 1024 * 1024 - 1, 44));
	leavers_destroy(leavers);
}

static void what_ends_too_early_is_left_out(void **state _unused_)
{
	struct leavers *leavers = leavers_create(PLACE);

	leavers_add(leavers, 7);
	assert_false(has(leavers, 7, PLACE));
	assert_false(has(leavers, 7, 4000));
	leavers_destroy(leavers);
	leavers_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_was_sampled_is_followed),
		cmocka_unit_test(ids_of_other_namespaces_are_one),
		cmocka_unit_test(what_ends_too_early_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
