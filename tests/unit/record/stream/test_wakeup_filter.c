/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wakeups of sampled threads are kept. */
#include "config.h"

#include "record/stream/sample_filter.h"

#include "tests/unit/testing.h"

#define PLACE 24u

/* The layout of the kernel: IDENTIFIER, IP, TID, TIME, CPU and RAW. */
struct waking {
	struct perf_event_header header;
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time, cpu;
	uint32_t size;
	uint8_t raw[44];
};

static bool accepts_wakeup(const struct sample_filter_wakeups *wakeups,
	uint32_t woken, uint32_t size)
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
	return sample_filter_wakeups_accepts(wakeups, &layout, &waking.header);
}

static void only_wakeups_of_sampled_threads_are_kept(void **state _unused_)
{
	struct sample_filter_wakeups *wakeups =
		sample_filter_wakeups_create(PLACE);

	assert_false(accepts_wakeup(wakeups, 7, 44));
	sample_filter_wakeups_add(wakeups, 7);
	assert_true(accepts_wakeup(wakeups, 7, 44));
	assert_false(accepts_wakeup(wakeups, 6, 44));
	assert_false(accepts_wakeup(wakeups, 8, 44));
	/* The waking thread does not matter. */
	assert_false(accepts_wakeup(wakeups, 1, 44));
	sample_filter_wakeups_destroy(wakeups);
}

static void threads_of_other_pid_namespaces_share_one_id(void **state _unused_)
{
	struct sample_filter_wakeups *wakeups =
		sample_filter_wakeups_create(PLACE);

	sample_filter_wakeups_add(wakeups, UINT32_MAX);
	assert_true(accepts_wakeup(wakeups, UINT32_MAX, 44));
	assert_false(accepts_wakeup(wakeups, 4 * 1024 * 1024 - 1, 44));
	sample_filter_wakeups_destroy(wakeups);
}

static void truncated_wakeup_records_are_rejected(void **state _unused_)
{
	struct sample_filter_wakeups *wakeups =
		sample_filter_wakeups_create(PLACE);

	sample_filter_wakeups_add(wakeups, 7);
	assert_false(accepts_wakeup(wakeups, 7, PLACE));
	assert_false(accepts_wakeup(wakeups, 7, 4000));
	sample_filter_wakeups_destroy(wakeups);
	sample_filter_wakeups_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_wakeups_of_sampled_threads_are_kept),
		cmocka_unit_test(threads_of_other_pid_namespaces_share_one_id),
		cmocka_unit_test(truncated_wakeup_records_are_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
