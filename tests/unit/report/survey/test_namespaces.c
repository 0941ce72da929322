/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include "report/survey/control_groups.h"

/* Returns a record of TYPE with this payload, borrowed until the next call. */
static struct record record_of(uint32_t type, const struct strbuf *payload)
{
	static struct strbuf data;
	struct record record;

	strbuf_clear(&data);
	strbuf_put_u32(&data, type);
	strbuf_put_u16(&data, 0);
	strbuf_put_u16(&data, (uint16_t)(8 + payload->n));
	strbuf_put(&data, payload->at, payload->n);
	assert_true(
		record_at((const uint8_t *)data.at, data.n, false, &record));
	return record;
}

/* PERF_RECORD_NAMESPACES with N pairs, the last of which has INODE. */
static bool add(struct control_namespaces *namespaces, uint32_t tid, uint64_t n,
	uint64_t inode, uint64_t time)
{
	_cleanup_strbuf_ struct strbuf payload = { 0 };
	struct record record;
	uint64_t i;

	strbuf_put_u32(&payload, 7);
	strbuf_put_u32(&payload, tid);
	strbuf_put_u64(&payload, n);
	for (i = 1; i <= n && i < 9; i++) {
		strbuf_put_u64(&payload, 4);
		strbuf_put_u64(&payload, i == n ? inode : i);
	}
	record = record_of(RECORD_NAMESPACES, &payload);
	return control_namespaces_add(namespaces, &record, time);
}

static uint64_t inode_at(const struct control_namespaces *namespaces,
	uint32_t tid, uint64_t time)
{
	const struct control_namespace *at =
		control_namespaces_find(namespaces, tid, time);

	return at ? at->inode : 0;
}

static void the_namespace_of_a_thread_changes_over_time(void **state _unused_)
{
	struct control_namespaces namespaces = { 0 };

	/* Ring buffers are drained one by one, so times are not in order. */
	assert_true(add(&namespaces, 8, 7, 0x83, 300));
	assert_true(add(&namespaces, 7, 7, 0x71, 100));
	assert_true(add(&namespaces, 7, 7, 0x72, 200));
	assert_true(add(&namespaces, 7, 7, 0x73, 200));
	control_namespaces_sort(&namespaces);
	assert_int_equal(inode_at(&namespaces, 7, 99), 0);
	assert_int_equal(inode_at(&namespaces, 7, 100), 0x71);
	assert_int_equal(inode_at(&namespaces, 7, 199), 0x71);
	/* Of two records at the same time, the later one in the file counts. */
	assert_int_equal(inode_at(&namespaces, 7, 200), 0x73);
	assert_int_equal(inode_at(&namespaces, 7, UINT64_MAX), 0x73);
	assert_int_equal(inode_at(&namespaces, 8, 299), 0);
	assert_int_equal(inode_at(&namespaces, 8, 300), 0x83);
	assert_int_equal(inode_at(&namespaces, 6, 300), 0);
	assert_int_equal(inode_at(&namespaces, 9, 300), 0);
	control_namespaces_deinit(&namespaces);
}

static void namespace_records_without_a_cgroup_namespace_are_ignored(
	void **state _unused_)
{
	struct control_namespaces namespaces = { 0 };

	assert_true(add(&namespaces, 7, 6, 0x71, 100));
	assert_true(add(&namespaces, 7, 0, 0, 100));
	control_namespaces_sort(&namespaces);
	assert_null(control_namespaces_find(&namespaces, 7, 100));
	control_namespaces_deinit(&namespaces);
}

static void truncated_namespace_and_cgroup_records_are_rejected(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf payload = { 0 };
	struct control_namespaces namespaces = { 0 };
	struct control_groups groups = { 0 };
	struct record record;

	strbuf_put_u32(&payload, 7);
	record = record_of(RECORD_NAMESPACES, &payload);
	assert_false(control_namespaces_add(&namespaces, &record, 1));
	assert_false(control_groups_add(&groups, &record));
	strbuf_put_u32(&payload, 7);
	strbuf_put_u64(&payload, 7);
	strbuf_fill(&payload, 0, 6 * 16 + 8);
	record = record_of(RECORD_NAMESPACES, &payload);
	assert_false(control_namespaces_add(&namespaces, &record, 1));
	assert_int_equal(namespaces.at.n, 0);
	control_namespaces_deinit(&namespaces);
	control_groups_deinit(&groups);
}

static void add_group(
	struct control_groups *groups, uint64_t id, const char *path)
{
	_cleanup_strbuf_ struct strbuf payload = { 0 };
	struct record record;

	strbuf_put_u64(&payload, id);
	strbuf_put(&payload, path, strlen(path) + 1);
	record = record_of(RECORD_CGROUP, &payload);
	assert_true(control_groups_add(groups, &record));
}

static void control_groups_have_the_paths_of_their_records(
	void **state _unused_)
{
	struct control_groups groups = { 0 };

	assert_null(control_groups_path(&groups, 1));
	add_group(&groups, 900, "/made/group");
	add_group(&groups, 1, "/");
	control_groups_sort(&groups);
	assert_string_equal(control_groups_path(&groups, 1), "/");
	assert_string_equal(control_groups_path(&groups, 900), "/made/group");
	assert_null(control_groups_path(&groups, 0));
	assert_null(control_groups_path(&groups, 2));
	assert_null(control_groups_path(&groups, UINT64_MAX));
	control_groups_deinit(&groups);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_namespace_of_a_thread_changes_over_time),
		cmocka_unit_test(
			namespace_records_without_a_cgroup_namespace_are_ignored),
		cmocka_unit_test(
			truncated_namespace_and_cgroup_records_are_rejected),
		cmocka_unit_test(
			control_groups_have_the_paths_of_their_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
