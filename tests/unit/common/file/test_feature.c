/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/file/feature.h"

#include "common/util/alloc.h"
#include "tests/unit/testing.h"

/* Writes BIT of FEATURES and reads it into RET, which is empty before. */
static void pass_on(
	const struct features *features, unsigned bit, struct features *ret)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	uint8_t *copy;

	*ret = (struct features){ 0 };
	assert_true(feature_write(features, bit, &out));
	copy = exact_copy(out.at, out.n);
	assert_true(feature_read(ret, bit, bytes_of(copy, out.n, false)));
	assert_true(feature_is_present(ret, bit));
	free(copy);
}

#define assert_printed(features, bit, wanted)                   \
	({                                                      \
		_cleanup_strbuf_ struct strbuf printed = { 0 }; \
		feature_print(features, bit, &printed);         \
		assert_text(&printed, wanted);                  \
	})

static void event_groups_are_read_as_they_were_written(void **state _unused_)
{
	struct features f = { 0 }, found;

	*array_push(&f.groups) =
		(struct feature_group){ xstrdup("{anon_group}"), 1, 3 };
	*array_push(&f.groups) = (struct feature_group){ xstrdup("g"), 7, 2 };
	pass_on(&f, FEATURE_GROUP_DESC, &found);
	assert_int_equal(found.groups.n, 2);
	assert_string_equal(found.groups.at[0].name, "{anon_group}");
	assert_int_equal(found.groups.at[1].leader, 7);
	assert_int_equal(found.groups.at[1].n, 2);
	/* The group's events are in another section. */
	assert_printed(
		&found, FEATURE_GROUP_DESC, "# group: {}\n# group: g{}\n");
	features_deinit(&found);
	features_deinit(&f);
}

static void feature_dir_format_has_a_version_of_8_bytes(void **state _unused_)
{
	struct features f = { 0 };
	const uint64_t version = 1;

	assert_false(feature_read(
		&f, FEATURE_DIR_FORMAT, bytes_of(&version, 7, false)));
	assert_true(feature_read(
		&f, FEATURE_DIR_FORMAT, bytes_of(&version, 8, false)));
	assert_printed(
		&f, FEATURE_DIR_FORMAT, "# directory data version : 1\n");
	features_deinit(&f);
}

static void the_socket_of_a_cpu_is_unknown_if_an_old_file_lacks_it(
	void **state _unused_)
{
	struct features f = { .cpus_available = 2 };
	_cleanup_strbuf_ struct strbuf cut = { 0 };
	const uint32_t with[] = { 0, 0, 5, 1, 6, 2 };

	strbuf_put(&cut, with, sizeof(with));
	assert_true(feature_read(&f, FEATURE_CPU_TOPOLOGY,
		bytes_of((const uint8_t *)cut.at, cut.n, false)));
	assert_int_equal(machine_socket(&f.topology, 1), 2);
	assert_int_equal(machine_socket(&f.topology, 2), -1);
	assert_int_equal(machine_node(&f.topology, 0), -1);
	assert_true(feature_read(&f, FEATURE_CPU_TOPOLOGY,
		bytes_of((const uint8_t *)cut.at, 8, false)));
	assert_int_equal(machine_socket(&f.topology, 1), -1);
	assert_false(feature_read(&f, FEATURE_CPU_TOPOLOGY,
		bytes_of((const uint8_t *)cut.at, 6, false)));
	features_deinit(&f);
}

static void text_features_are_read_as_they_were_written(void **state _unused_)
{
	struct features f = { .hostname = (char *)"box",
		.osrelease = (char *)"6.1.0",
		.version = (char *)"7.2 (dwell 0.1)",
		.arch = (char *)"x86_64",
		.cpudesc = (char *)"A CPU",
		.cpuid = (char *)"GenuineIntel,6,167,1" };
	struct features found;

	pass_on(&f, FEATURE_HOSTNAME, &found);
	assert_string_equal(found.hostname, "box");
	assert_printed(&found, FEATURE_HOSTNAME, "# hostname : box\n");
	features_deinit(&found);
	pass_on(&f, FEATURE_OSRELEASE, &found);
	assert_string_equal(found.osrelease, "6.1.0");
	features_deinit(&found);
	pass_on(&f, FEATURE_VERSION, &found);
	assert_string_equal(found.version, "7.2 (dwell 0.1)");
	features_deinit(&found);
	pass_on(&f, FEATURE_ARCH, &found);
	assert_string_equal(found.arch, "x86_64");
	features_deinit(&found);
	pass_on(&f, FEATURE_CPUDESC, &found);
	assert_string_equal(found.cpudesc, "A CPU");
	features_deinit(&found);
	pass_on(&f, FEATURE_CPUID, &found);
	assert_string_equal(found.cpuid, "GenuineIntel,6,167,1");
	features_deinit(&found);
}

static void text_features_are_padded_to_64_bytes_as_in_perf(
	void **state _unused_)
{
	struct features f = { .hostname = (char *)"box" };
	_cleanup_strbuf_ struct strbuf out = { 0 };

	assert_true(feature_write(&f, FEATURE_HOSTNAME, &out));
	assert_int_equal(out.n, 4 + 64);
	assert_int_equal(out.at[0], 64);
	assert_string_equal(out.at + 4, "box");
}

static void a_text_feature_without_padding_and_nul_is_read(
	void **state _unused_)
{
	struct features found = { 0 };
	uint8_t *copy = exact_copy("\3\0\0\0box", 7);

	assert_true(feature_read(
		&found, FEATURE_HOSTNAME, bytes_of(copy, 7, false)));
	assert_string_equal(found.hostname, "box");
	features_deinit(&found);
	free(copy);
}

static void a_missing_text_feature_is_written_as_empty_text(
	void **state _unused_)
{
	struct features f = { 0 }, found;

	pass_on(&f, FEATURE_ARCH, &found);
	assert_string_equal(found.arch, "");
	features_deinit(&found);
}

static void number_features_are_read_as_they_were_written(void **state _unused_)
{
	struct features f = {
		.cpus_available = 8,
		.cpus_online = 6,
		.total_memory = UINT64_C(0x123456789a),
		.first_time = 1234567890123,
		.last_time = 1234569890123,
		.clock_resolution = 1,
		.clockid = -3,
		.clock_wall = UINT64_C(1700000000) * NSEC_PER_SEC,
		.clock_time = 42,
		.compression_level = 3,
		.compression_ratio = 9,
		.mmap_len = 393216,
	};
	struct features found;

	pass_on(&f, FEATURE_NRCPUS, &found);
	assert_int_equal(found.cpus_available, 8);
	assert_int_equal(found.cpus_online, 6);
	assert_printed(&found, FEATURE_NRCPUS,
		"# nrcpus online : 6\n# nrcpus avail : 8\n");
	pass_on(&f, FEATURE_TOTAL_MEM, &found);
	assert_int_equal(found.total_memory, 0x123456789a);
	pass_on(&f, FEATURE_SAMPLE_TIME, &found);
	assert_int_equal(found.first_time, 1234567890123);
	assert_int_equal(found.last_time, 1234569890123);
	assert_printed(&found, FEATURE_SAMPLE_TIME,
		"# time of first sample : 1234.567890\n"
		"# time of last sample : 1234.569890\n"
		"# sample duration :      2.000 ms\n");
	pass_on(&f, FEATURE_CLOCKID, &found);
	assert_int_equal(found.clock_resolution, 1);
	pass_on(&f, FEATURE_CLOCK_DATA, &found);
	assert_int_equal(found.clockid, -3);
	assert_true(found.clock_wall == f.clock_wall);
	assert_int_equal(found.clock_time, 42);
	assert_printed(&found, FEATURE_CLOCK_DATA,
		"# captured on : 2023-11-14 22:13:20 UTC\n");
	pass_on(&f, FEATURE_COMPRESSED, &found);
	assert_int_equal(found.compression_level, 3);
	assert_int_equal(found.compression_ratio, 9);
	assert_int_equal(found.mmap_len, 393216);
}

static void the_command_line_feature_keeps_each_argument(void **state _unused_)
{
	struct features f = { 0 }, found;

	*array_push(&f.cmdline) = (char *)"/usr/bin/dwell";
	*array_push(&f.cmdline) = (char *)"";
	*array_push(&f.cmdline) = (char *)"a b";
	pass_on(&f, FEATURE_CMDLINE, &found);
	assert_int_equal(found.cmdline.n, 3);
	assert_string_equal(found.cmdline.at[0], "/usr/bin/dwell");
	assert_string_equal(found.cmdline.at[1], "");
	assert_string_equal(found.cmdline.at[2], "a b");
	features_deinit(&found);
	array_free(&f.cmdline);
}

static void feature_pmu_mappings_keeps_numbers_and_names(void **state _unused_)
{
	struct features f = { 0 }, found;

	*array_push(&f.pmus) = (struct feature_pmu){ 4, (char *)"cpu" };
	*array_push(&f.pmus) = (struct feature_pmu){ 1, (char *)"software" };
	pass_on(&f, FEATURE_PMU_MAPPINGS, &found);
	assert_int_equal(found.pmus.n, 2);
	assert_int_equal(found.pmus.at[0].type, 4);
	assert_string_equal(found.pmus.at[1].name, "software");
	assert_printed(&found, FEATURE_PMU_MAPPINGS,
		"# pmu mappings: cpu = 4, software = 1\n");
	features_deinit(&found);
	array_free(&f.pmus);
}

static void add_event(
	struct features *f, const char *name, uint64_t sig_data, size_t n_ids)
{
	struct event *event = array_push(&f->events);

	event->attr.type = PERF_TYPE_SOFTWARE;
	event->attr.sample_period = 77;
	event->attr.sig_data = sig_data;
	event->name = xstrdup(name);
	while (event->ids.n < n_ids)
		*array_push(&event->ids) = 1000 + event->ids.n;
}

static void feature_event_desc_keeps_attributes_names_and_ids(
	void **state _unused_)
{
	struct features f = { 0 }, found;

	/* The attributes differ in size; both are stored in the larger size. */
	add_event(&f, "cpu-clock", 0, 3);
	add_event(&f, "sched:sched_switch", 5, 0);
	pass_on(&f, FEATURE_EVENT_DESC, &found);
	assert_int_equal(found.events.n, 2);
	assert_string_equal(found.events.at[0].name, "cpu-clock");
	assert_int_equal(found.events.at[0].ids.n, 3);
	assert_int_equal(found.events.at[0].ids.at[2], 1002);
	assert_int_equal(found.events.at[0].attr.sample_period, 77);
	assert_string_equal(found.events.at[1].name, "sched:sched_switch");
	assert_int_equal(found.events.at[1].ids.n, 0);
	assert_int_equal(found.events.at[1].attr.sig_data, 5);
	features_deinit(&found);
	features_deinit(&f);
}

static void add_build_id(struct features *f, uint32_t pid, uint8_t cpumode,
	uint8_t size, const char *path)
{
	struct feature_build_id *entry = array_push(&f->build_ids);
	uint8_t i;

	entry->pid = pid;
	entry->cpumode = cpumode;
	entry->id.size = size;
	for (i = 0; i < size; i++)
		entry->id.bytes[i] = i;
	entry->path = xstrdup(path);
}

static void feature_build_id_keeps_size_path_and_cpu_mode(void **state _unused_)
{
	char path[64 + 1], text[BUILD_ID_TEXT];
	struct features f = { 0 }, found;

	memset(path, 'x', 64);
	path[64] = '\0';
	add_build_id(&f, UINT32_MAX, MISC_KERNEL, 20, "[kernel.kallsyms]");
	add_build_id(&f, 7, MISC_USER, 8, path);
	pass_on(&f, FEATURE_BUILD_ID, &found);
	assert_int_equal(found.build_ids.n, 2);
	assert_int_equal(found.build_ids.at[0].pid, UINT32_MAX);
	assert_int_equal(found.build_ids.at[0].cpumode, MISC_KERNEL);
	assert_int_equal(found.build_ids.at[0].id.size, 20);
	assert_string_equal(found.build_ids.at[0].path, "[kernel.kallsyms]");
	assert_int_equal(found.build_ids.at[1].cpumode, MISC_USER);
	assert_string_equal(build_id_text(&found.build_ids.at[1].id, text),
		"0001020304050607");
	assert_string_equal(found.build_ids.at[1].path, path);
	features_deinit(&found);
	features_deinit(&f);
}

static void a_build_id_of_an_old_file_has_20_bytes(void **state _unused_)
{
	struct features f = { 0 }, found = { 0 };
	_cleanup_strbuf_ struct strbuf out = { 0 };

	add_build_id(&f, 0, MISC_USER, 8, "/bin/old");
	assert_true(feature_write(&f, FEATURE_BUILD_ID, &out));
	out.at[5] = 0; /* the upper half of misc */
	assert_true(feature_read(
		&found, FEATURE_BUILD_ID, bytes_of(out.at, out.n, false)));
	assert_int_equal(found.build_ids.at[0].id.size, 20);
	features_deinit(&found);
	features_deinit(&f);
}

static void a_build_id_entry_with_a_long_path_fits_its_size_field(
	void **state _unused_)
{
	_cleanup_free_ char *path = xmalloc(65536);
	struct features f = { 0 }, found;

	memset(path, 'x', 65500);
	path[65500] = '\0';
	add_build_id(&f, 0, MISC_USER, 20, path);
	add_build_id(&f, 0, MISC_USER, 20, "/bin/next");
	pass_on(&f, FEATURE_BUILD_ID, &found);
	assert_int_equal(found.build_ids.n, 2);
	assert_in_range(strlen(found.build_ids.at[0].path), 65000, 65500);
	assert_string_equal(found.build_ids.at[1].path, "/bin/next");
	features_deinit(&found);
	features_deinit(&f);
}

static void tracing_data_are_kept_unchanged(void **state _unused_)
{
	struct features f = { .tracing_data = (uint8_t *)"\x17\0tracing",
		.tracing_data_size = 9 };
	struct features found;

	pass_on(&f, FEATURE_TRACING_DATA, &found);
	assert_int_equal(found.tracing_data_size, 9);
	assert_memory_equal(found.tracing_data, "\x17\0tracing", 9);
	features_deinit(&found);
}

static void unknown_header_sections_are_only_marked_as_present(
	void **state _unused_)
{
	struct features found = { 0 };
	_cleanup_strbuf_ struct strbuf out = { 0 };

	assert_true(feature_read(&found, 200, bytes_of("x", 1, false)));
	assert_true(feature_is_present(&found, 200));
	assert_false(
		feature_read(&found, FEATURE_BITS, bytes_of("x", 1, false)));
	assert_false(feature_write(&found, 200, &out));
	assert_false(feature_write(&found, FEATURE_BITS, &out));
	assert_null(feature_name(200));
	assert_null(feature_name(FEATURE_BITS));
	assert_string_equal(feature_name(FEATURE_CMDLINE), "CMDLINE");
	assert_string_equal(feature_name(20), "CACHE");
	assert_printed(&found, 200, "");
}

static void absent_header_sections_are_not_printed(void **state _unused_)
{
	struct features f = { .hostname = (char *)"box" };

	assert_printed(&f, FEATURE_HOSTNAME, "");
}

/* --- damage --------------------------------------------------------------- */

static void fill_all(struct features *f)
{
	*f = (struct features){ .hostname = xstrdup("box"),
		.osrelease = xstrdup("6.1"),
		.version = xstrdup("7.2"),
		.arch = xstrdup("x86_64"),
		.cpudesc = xstrdup("A CPU"),
		.cpuid = xstrdup("1,2,3"),
		.cpus_online = 1 };
	*array_push(&f->cmdline) = xstrdup("dwell");
	*array_push(&f->cmdline) = xstrdup("record");
	*array_push(&f->pmus) = (struct feature_pmu){ 4, xstrdup("cpu") };
	add_event(f, "cpu-clock", 0, 2);
	add_event(f, "cycles", 0, 1);
	add_build_id(f, 7, MISC_USER, 8, "/bin/ls");
	add_build_id(f, 7, MISC_USER, 20, "/bin/cat");
}

static const unsigned written[] = { FEATURE_BUILD_ID, FEATURE_HOSTNAME,
	FEATURE_OSRELEASE, FEATURE_VERSION, FEATURE_ARCH, FEATURE_NRCPUS,
	FEATURE_CPUDESC, FEATURE_CPUID, FEATURE_TOTAL_MEM, FEATURE_CMDLINE,
	FEATURE_EVENT_DESC, FEATURE_PMU_MAPPINGS, FEATURE_SAMPLE_TIME,
	FEATURE_CLOCKID, FEATURE_CLOCK_DATA, FEATURE_COMPRESSED };

static void truncated_features_are_refused_at_every_length(
	void **state _unused_)
{
	struct features f;
	size_t i, size;

	fill_all(&f);
	for (i = 0; i < ARRAY_SIZE(written); i++) {
		_cleanup_strbuf_ struct strbuf out = { 0 };

		assert_true(feature_write(&f, written[i], &out));
		for (size = 0; size < out.n; size++) {
			uint8_t *copy = exact_copy(out.at, size);
			struct features found = { 0 };
			bool ok = feature_read(&found, written[i],
				bytes_of(copy, size, false));

			/* A list without its last elements is valid. */
			if (written[i] != FEATURE_BUILD_ID)
				assert_false(ok);
			assert_int_equal(
				ok, feature_is_present(&found, written[i]));
			features_deinit(&found);
			free(copy);
		}
	}
	features_deinit(&f);
}

static void reading_damaged_header_sections_never_crashes(void **state _unused_)
{
	struct features f;
	size_t i, at;

	fill_all(&f);
	for (i = 0; i < ARRAY_SIZE(written); i++) {
		_cleanup_strbuf_ struct strbuf out = { 0 };

		assert_true(feature_write(&f, written[i], &out));
		for (at = 0; at < out.n; at++) {
			uint8_t *copy = exact_copy(out.at, out.n);
			_cleanup_strbuf_ struct strbuf printed = { 0 };
			struct features found = { 0 };

			copy[at] ^= 0xff;
			feature_read(&found, written[i],
				bytes_of(copy, out.n, false));
			feature_print(&found, written[i], &printed);
			features_deinit(&found);
			free(copy);
		}
	}
	features_deinit(&f);
}

static void a_damaged_header_section_changes_no_feature(void **state _unused_)
{
	struct features f = { .hostname = (char *)"box" }, found;

	pass_on(&f, FEATURE_HOSTNAME, &found);
	assert_false(feature_read(
		&found, FEATURE_HOSTNAME, bytes_of("\xff\0\0\0box", 7, false)));
	assert_string_equal(found.hostname, "box");
	features_deinit(&found);
}

static void a_repeated_header_section_replaces_the_first(void **state _unused_)
{
	struct features f = { .hostname = (char *)"box" }, found;
	_cleanup_strbuf_ struct strbuf out = { 0 };

	pass_on(&f, FEATURE_HOSTNAME, &found);
	f.hostname = (char *)"other";
	assert_true(feature_write(&f, FEATURE_HOSTNAME, &out));
	assert_true(feature_read(
		&found, FEATURE_HOSTNAME, bytes_of(out.at, out.n, false)));
	assert_string_equal(found.hostname, "other");
	features_deinit(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(event_groups_are_read_as_they_were_written),
		cmocka_unit_test(feature_dir_format_has_a_version_of_8_bytes),
		cmocka_unit_test(
			the_socket_of_a_cpu_is_unknown_if_an_old_file_lacks_it),
		cmocka_unit_test(text_features_are_read_as_they_were_written),
		cmocka_unit_test(
			text_features_are_padded_to_64_bytes_as_in_perf),
		cmocka_unit_test(
			a_text_feature_without_padding_and_nul_is_read),
		cmocka_unit_test(
			a_missing_text_feature_is_written_as_empty_text),
		cmocka_unit_test(number_features_are_read_as_they_were_written),
		cmocka_unit_test(the_command_line_feature_keeps_each_argument),
		cmocka_unit_test(feature_pmu_mappings_keeps_numbers_and_names),
		cmocka_unit_test(
			feature_event_desc_keeps_attributes_names_and_ids),
		cmocka_unit_test(feature_build_id_keeps_size_path_and_cpu_mode),
		cmocka_unit_test(a_build_id_of_an_old_file_has_20_bytes),
		cmocka_unit_test(
			a_build_id_entry_with_a_long_path_fits_its_size_field),
		cmocka_unit_test(tracing_data_are_kept_unchanged),
		cmocka_unit_test(
			unknown_header_sections_are_only_marked_as_present),
		cmocka_unit_test(absent_header_sections_are_not_printed),
		cmocka_unit_test(
			truncated_features_are_refused_at_every_length),
		cmocka_unit_test(reading_damaged_header_sections_never_crashes),
		cmocka_unit_test(a_damaged_header_section_changes_no_feature),
		cmocka_unit_test(a_repeated_header_section_replaces_the_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
