/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests PMUs and their events with simulated sysfs files. */
#include "config.h"

#include "tests/unit/testing.h"

#include <stdio.h>

#include "tests/unit/make_folder.h"
#include "record/event/event.h"

struct fixture {
	struct folder root;
	struct pmus pmus;
};

/*
 * Writes an Intel core PMU, two memory controller PMUs and an artificial PMU.
 */
static void put_all(const struct fixture *f)
{
	static const char *const files[][2] = {
		{ "cpu/type", "4\n" },
		{ "cpu/caps/max_precise", "2\n" },
		{ "cpu/format/event", "config:0-7\n" },
		{ "cpu/format/umask", "config:8-15\n" },
		{ "cpu/format/edge", "config:18\n" },
		{ "cpu/format/inv", "config:23\n" },
		{ "cpu/format/cmask", "config:24-31\n" },
		{ "cpu/format/ldlat", "config1:0-15\n" },
		{ "cpu/format/split", "config:0-7,32-35\n" },
		{ "cpu/format/wide", "config2:0-63\n" },
		{ "cpu/format/broken", "config9:0-63\n" },
		{ "cpu/events/cache-misses", "event=0x2e,umask=0x41\n" },
		{ "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n" },
		{ "cpu/events/slow", "event=0x3c,period=200003\n" },
		{ "cpu/events/topdown.scale", "2\n" },
		{ "cpu/events/wrong", "nofield=1\n" },
		{ "cpu/events/asks", "event=0x1,umask=?\n" },
		{ "uncore_imc_0/type", "21\n" },
		{ "uncore_imc_0/cpumask", "0,4\n" },
		{ "uncore_imc_0/format/event", "config:0-7\n" },
		{ "uncore_imc_0/events/cas_count_read", "event=0x04\n" },
		{ "uncore_imc_0/events/cas_count_read.unit", "MiB\n" },
		{ "uncore_imc_0/events/cas_count_read.scale",
			"6.103515625e-5\n" },
		{ "uncore_imc_0/events/odd", "event=0x05\n" },
		{ "uncore_imc_0/events/odd.scale", "nan\n" },
		{ "uncore_imc_0/events/odd.unit",
			"a unit of more than thirty-one letters\n" },
		{ "uncore_imc_0/events/odd.snapshot", "1\n" },
		{ "uncore_imc_1/type", "22\n" },
		{ "uncore_imc_1/cpumask", "0,4\n" },
		{ "uncore_imc_1/format/event", "config:0-7\n" },
		{ "uncore_imc_1/events/cas_count_read", "event=0x04\n" },
		{ "uncore_imc_1/events/cas_count_read.scale", "1e300\n" },
		{ "kprobe/type", "6\n" },
		{ "kprobe/format/retprobe", "config:0\n" },
		{ "broken/type", "many\n" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++)
		folder_put(&f->root, files[i][0], files[i][1]);
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	folder_make(&f->root);
	put_all(f);
	pmus_read(f->root.path, &f->pmus);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	pmus_deinit(&f->pmus);
	folder_remove(&f->root);
	free(f);
	return 0;
}

static void pmus_are_read_from_sysfs(void **state)
{
	struct fixture *f = *state;
	const struct pmu *cpu = pmus_find(&f->pmus, "cpu");

	assert_int_equal(f->pmus.list.n, 4);
	assert_int_equal(cpu->type, 4);
	assert_int_equal(cpu->max_precise, 2);
	assert_false(cpu->is_core); /* hybrid machines only */
	assert_true(cpus_has(&pmus_find(&f->pmus, "uncore_imc_1")->cpus, 4));
	assert_null(pmus_find(&f->pmus, "broken"));
	assert_false(pmus_is_hybrid(&f->pmus));
}

static void named_events_have_unit_scale_and_snapshot_of_sysfs(void **state)
{
	struct fixture *f = *state;
	struct selection selection = { 0 };
	const struct pmu_unit *unit;

	assert_no_error(event_select(&selection,
		"uncore_imc_0/CAS_count_read/,uncore_imc_0/event=5/,"
		"uncore_imc_0/odd/,uncore_imc_1/cas_count_read/",
		&f->pmus));
	unit = &selection.events.at[0].unit;
	assert_string_equal(unit->text, "MiB");
	assert_true(unit->scale == 6.103515625e-5);
	assert_false(unit->is_snapshot);
	unit = &selection.events.at[1].unit;
	assert_true(!unit->text[0] && unit->scale == 0);
	unit = &selection.events.at[2].unit;
	assert_string_equal(unit->text, "a unit of more than thirty-one ");
	assert_true(unit->scale == 0);
	assert_true(unit->is_snapshot);
	unit = &selection.events.at[3].unit;
	assert_true(!unit->text[0] && unit->scale == 0);
	selection_deinit(&selection);
}

static void pmu_formats_are_parsed_as_bits_of_a_config_word(void **state)
{
	static const struct {
		const char *text;
		unsigned config;
		uint64_t bits;
	} good[] = {
		{ "config:0-7", 0, 0xff },
		{ "config1:63\n", 1, 1ull << 63 },
		{ "config2:0-63", 2, UINT64_MAX },
		{ "config3:4", 3, 16 },
		{ "config:0-7,32-35\n", 0, 0xf000000ffull },
	};
	static const char *const bad[] = { "", "config", "config:", "config:64",
		"config:5-3", "config4:0", "config:0-", "config:0,", "conf:0",
		"config:0-7x", "config:-1", "config:18446744073709551616" };
	struct pmu_format format;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		assert_true(pmu_format_parse(good[i].text, &format));
		assert_int_equal(format.config, good[i].config);
		assert_int_equal(format.bits, good[i].bits);
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(pmu_format_parse(bad[i], &format));
	assert_true(pmu_format_parse("config:0-7,32-35", &format));
	assert_int_equal(pmu_format_max(&format), 0xfff);
	assert_int_equal(pmu_format_place(&format, 0xa5f), 0xa0000005full);
}

static void pmu_terms_and_named_events_become_attributes(void **state)
{
	static const struct {
		const char *text, *name;
		uint32_t type;
		uint64_t config, config1, config2;
		bool no_kernel;
	} rows[] = {
		{ "cpu/event=0x2,inv,ldlat=3/", NULL, 4, 0x800002, 3, 0,
			false },
		{ "cpu/event=0x2,umask=0x10,cmask=7/u", NULL, 4, 0x7001002, 0,
			0, true },
		{ "cpu/split=0xa5f/:u", NULL, 4, 0xa0000005full, 0, 0, true },
		{ "cpu/wide=0xffffffffffffffff/", NULL, 4, 0, 0, UINT64_MAX,
			false },
		{ "cpu/config=0x1a8,config1=5/", NULL, 4, 0x1a8, 5, 0, false },
		{ "cpu/r1a8,name=raw/", "raw", 4, 0x1a8, 0, 0, false },
		{ "cpu/cache-misses/", NULL, 4, 0x412e, 0, 0, false },
		{ "cpu/event=cache-misses,edge/", NULL, 4, 0x4412e, 0, 0,
			false },
		{ "cpu/MEM-LOADS/", NULL, 4, 0x1cd, 3, 0, false },
		{ "mem-loads:u", NULL, 4, 0x1cd, 3, 0, true },
		{ "cpu/asks,umask=0x7/", NULL, 4, 0x701, 0, 0, false },
		{ "cpu/cycles/", NULL, 0, 0, 0, 0, false },
		{ "cpu/LLC-load-misses/", NULL, 3, 0x10002, 0, 0, false },
		{ "kprobe:vfs_read+4", NULL, 6, 0, 1, 4, false },
		{ "kprobe:vfs_read%return/name=r/", "r", 6, 1, 1, 0, false },
		{ "kprobe:0xffffffff81000000", NULL, 6, 0, 0,
			0xffffffff81000000ull, false },
	};
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct selection selection = { 0 };
		const struct selection_event *event;

		assert_no_error(
			event_select(&selection, rows[i].text, &f->pmus));
		assert_int_equal(selection.events.n, 1);
		event = &selection.events.at[0];
		assert_string_equal(event->name,
			rows[i].name ? rows[i].name : rows[i].text);
		assert_int_equal(event->attr.type, rows[i].type);
		assert_int_equal(event->attr.config, rows[i].config);
		/* A 1 in the table means an address in this process. */
		if (event->probed)
			assert_ptr_equal(
				event->attr.config1, (uintptr_t)event->probed);
		else
			assert_int_equal(event->attr.config1, rows[i].config1);
		assert_int_equal(event->attr.config2, rows[i].config2);
		assert_int_equal(event->attr.exclude_kernel, rows[i].no_kernel);
		selection_deinit(&selection);
	}
}

static void a_named_event_can_have_its_own_period(void **state)
{
	struct fixture *f = *state;
	struct selection selection = { 0 };

	assert_no_error(event_select(&selection, "cpu/slow/", &f->pmus));
	assert_int_equal(selection.events.at[0].period, 200003);
	selection_deinit(&selection);
}

static void a_name_of_several_pmus_makes_one_event_per_pmu(void **state)
{
	static const char *const texts[] = { "uncore_imc/cas_count_read/",
		"imc/cas_count_read/", "uncore_*/cas_count_read/" };
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		struct selection selection = { 0 };

		assert_no_error(event_select(&selection, texts[i], &f->pmus));
		assert_int_equal(selection.events.n, 2);
		assert_int_equal(selection.events.at[0].attr.type, 21);
		assert_int_equal(selection.events.at[1].attr.type, 22);
		assert_int_equal(selection.events.at[1].attr.config, 4);
		assert_string_equal(selection.events.at[1].name,
			"uncore_imc_1/cas_count_read/");
		assert_true(cpus_has(&selection.events.at[1].cpus, 4));
		assert_false(cpus_has(&selection.events.at[1].cpus, 1));
		selection_deinit(&selection);
	}
}

static void invalid_pmu_events_are_refused_with_their_position(void **state)
{
	static const struct {
		const char *text, *wanted;
		size_t at, length;
	} rows[] = {
		{ "cpu/evnt=0x2/u",
			"-e: PMU 'cpu' has no term or event "
			"'evnt'; did you mean 'event'?",
			4, 4 },
		{ "cpu/cache-mises/",
			"-e: PMU 'cpu' has no term or event "
			"'cache-mises'; did you mean "
			"'cache-misses'?",
			4, 11 },
		{ "cpu/event=0x100/",
			"-e: event: 0x100 is above the maximum of PMU 'cpu', "
			"0xff",
			10, 5 },
		{ "cpu/umask/",
			"-e: umask of PMU 'cpu' needs a value: "
			"umask=...",
			4, 5 },
		{ "cpu/event=-1/", "-e: event: '-1' is not a number", 10, 2 },
		{ "cpu/broken=1/",
			"-e: cannot parse 'broken' of PMU 'cpu' in sysfs", 11,
			1 },
		{ "cpu/wrong/",
			"-e: 'wrong' of PMU 'cpu' in sysfs has the unknown "
			"term 'nofield'",
			4, 5 },
		{ "cpu/../", "-e: PMU 'cpu' has no term or event '..'", 4, 2 },
		{ "uncore_inc/x/",
			"-e: there is no event or PMU 'uncore_inc'; "
			"did you mean 'uncore_imc_0'?",
			0, 10 },
		{ "uprobe:/bin/sh:0x10",
			"-e: this kernel has no uprobe PMU; it needs a kernel "
			"with CONFIG_UPROBE_EVENTS=y",
			0, 6 },
		{ "kprobe:vfs_read%exit",
			"-e: '%exit' is unknown; only %return can follow the "
			"symbol",
			7, 13 },
	};
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct selection selection = { 0 };
		struct error *err =
			event_select(&selection, rows[i].text, &f->pmus);

		assert_non_null(err);
		assert_int_equal(err->at, rows[i].at);
		assert_int_equal(err->length, rows[i].length);
		assert_error(err, rows[i].wanted);
		selection_deinit(&selection);
	}
}

/* With two core types, each core event becomes two events. */
static void a_core_event_becomes_one_event_per_core_type(void **state)
{
	static const struct {
		const char *text, *name;
		uint32_t type;
		uint64_t config;
	} rows[] = {
		{ "cycles:u", "cpu_atom/cycles/u", 0, 10ull << 32 },
		{ "LLC-loads", "cpu_atom/LLC-loads/", 3, 10ull << 32 | 2 },
		{ "r3c", "cpu_atom/r3c/", 10, 0x3c },
		{ "cycles/period=9/", "cpu_atom/cycles,period=9/", 0,
			10ull << 32 },
	};
	struct fixture *f = *state;
	struct selection selection = { 0 };
	struct pmus pmus;
	char root[80];
	size_t i;

	folder_put(&f->root, "hybrid/cpu_core/type", "4\n");
	folder_put(&f->root, "hybrid/cpu_core/cpus", "0-3\n");
	folder_put(&f->root, "hybrid/cpu_core/events/topdown", "event=0xc\n");
	folder_put(&f->root, "hybrid/cpu_core/format/event", "config:0-7\n");
	folder_put(&f->root, "hybrid/cpu_atom/type", "10\n");
	folder_put(&f->root, "hybrid/cpu_atom/cpus", "4-5\n");
	snprintf(root, sizeof(root), "%s/hybrid", f->root.path);
	pmus_read(root, &pmus);
	assert_true(pmus_is_hybrid(&pmus));
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct selection both = { 0 };
		const struct selection_event *atom;

		assert_no_error(event_select(&both, rows[i].text, &pmus));
		assert_int_equal(both.events.n, 2);
		atom = &both.events.at[1];
		assert_string_equal(atom->name, rows[i].name);
		assert_int_equal(atom->attr.type, rows[i].type);
		assert_int_equal(atom->attr.config, rows[i].config);
		assert_true(cpus_has(&atom->cpus, 5));
		assert_false(cpus_has(&atom->cpus, 3));
		selection_deinit(&both);
	}
	assert_no_error(event_select(&selection, "cpu_core/cycles/u", &pmus));
	assert_int_equal(selection.events.n, 1);
	assert_int_equal(selection.events.at[0].attr.config, 4ull << 32);
	selection_deinit(&selection);
	pmus_deinit(&pmus);
}

static void modifier_p_requests_the_highest_precision_of_the_pmu(void **state)
{
	struct fixture *f = *state;
	struct selection selection = { 0 };

	assert_no_error(event_select(&selection, "cycles:P", &f->pmus));
	assert_no_error(event_select(&selection, "cpu/slow/P", &f->pmus));
	assert_no_error(event_select(&selection, "cycles:ppp", &f->pmus));
	assert_int_equal(selection.events.at[0].attr.precise_ip, 2);
	assert_int_equal(selection.events.at[1].attr.precise_ip, 2);
	assert_int_equal(selection.events.at[2].attr.precise_ip, 3);
	selection_deinit(&selection);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pmus_are_read_from_sysfs),
		cmocka_unit_test(
			named_events_have_unit_scale_and_snapshot_of_sysfs),
		cmocka_unit_test(
			pmu_formats_are_parsed_as_bits_of_a_config_word),
		cmocka_unit_test(pmu_terms_and_named_events_become_attributes),
		cmocka_unit_test(a_named_event_can_have_its_own_period),
		cmocka_unit_test(
			a_name_of_several_pmus_makes_one_event_per_pmu),
		cmocka_unit_test(
			invalid_pmu_events_are_refused_with_their_position),
		cmocka_unit_test(a_core_event_becomes_one_event_per_core_type),
		cmocka_unit_test(
			modifier_p_requests_the_highest_precision_of_the_pmu),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
