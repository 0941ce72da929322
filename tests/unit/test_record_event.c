/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "testing.h"

#include "record/event.h"

static const struct pmus no_pmus;

static void test_table(void **state)
{
	static const struct {
		const char *text;
		uint32_t type;
		uint64_t config;
		bool no_user, no_kernel;
		unsigned precise;
		bool seeks;
	} rows[] = {
		{ "cycles", 0, 0, false, false, 0, false },
		{ "cycles:u", 0, 0, false, true, 0, false },
		{ "cycles:k", 0, 0, true, false, 0, false },
		{ "cycles:uk", 0, 0, false, false, 0, false },
		{ "cycles:pp", 0, 0, false, false, 2, false },
		{ "cycles:ppu", 0, 0, false, true, 2, false },
		{ "cycles:P", 0, 0, false, false, 3, true },
		{ "instructions", 0, 1, false, false, 0, false },
		{ "cache-references", 0, 2, false, false, 0, false },
		{ "cache-misses", 0, 3, false, false, 0, false },
		{ "branches", 0, 4, false, false, 0, false },
		{ "branch-misses", 0, 5, false, false, 0, false },
		{ "bus-cycles", 0, 6, false, false, 0, false },
		{ "ref-cycles", 0, 9, false, false, 0, false },
		{ "cpu-clock", 1, 0, false, false, 0, false },
		{ "task-clock:u", 1, 1, false, true, 0, false },
		{ "page-faults", 1, 2, false, false, 0, false },
		{ "faults", 1, 2, false, false, 0, false },
		{ "context-switches", 1, 3, false, false, 0, false },
		{ "cs", 1, 3, false, false, 0, false },
		{ "cpu-migrations", 1, 4, false, false, 0, false },
		{ "minor-faults", 1, 5, false, false, 0, false },
		{ "major-faults", 1, 6, false, false, 0, false },
		{ "dummy", 1, 9, false, false, 0, false },
		{ "r1a8", 4, 0x1a8, false, false, 0, false },
		{ "rC0FFEE:u", 4, 0xc0ffee, false, true, 0, false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct selection selection = { 0 };
		struct selected *event;

		assert_no_error(
			selection_add(&selection, rows[i].text, &no_pmus));
		assert_int_equal(selection.events.n, 1);
		event = &selection.events.at[0];
		assert_string_equal(event->name, rows[i].text);
		assert_int_equal(event->attr.type, rows[i].type);
		assert_int_equal(event->attr.config, rows[i].config);
		assert_int_equal(event->attr.exclude_user, rows[i].no_user);
		assert_int_equal(
			event->attr.exclude_kernel, rows[i].no_kernel);
		assert_int_equal(event->attr.precise_ip, rows[i].precise);
		assert_int_equal(event->seeks_precise, rows[i].seeks);
		selection_deinit(&selection);
	}
}

static void test_list(void **state)
{
	struct selection selection = { 0 };

	(void)state;
	assert_no_error(selection_add(
		&selection, "cpu-clock:u,page-faults,r1", &no_pmus));
	assert_no_error(selection_add(&selection, "cs", &no_pmus));
	assert_int_equal(selection.events.n, 4);
	assert_string_equal(selection.events.at[0].name, "cpu-clock:u");
	assert_string_equal(selection.events.at[2].name, "r1");
	assert_string_equal(selection.events.at[3].name, "cs");
	selection_deinit(&selection);
}

static void refuse(const char *text, const char *wanted)
{
	struct selection selection = { 0 };
	struct error *err = selection_add(&selection, text, &no_pmus);

	assert_non_null(err);
	assert_int_equal(err->kind, ERROR_USAGE);
	assert_error(err, wanted);
	selection_deinit(&selection);
}

static void test_refused(void **state)
{
	(void)state;
	refuse("cycels", "-e: there is no event 'cycels'; "
			 "did you mean 'cycles'?");
	refuse("cycels:u", "-e: there is no event 'cycels'; "
			   "did you mean 'cycles'?");
	refuse("cpu-clock,pagefaults", "-e: there is no event 'pagefaults'; "
				       "did you mean 'page-faults'?");
	refuse("", "-e: there is no event ''; it can be cycles, instructions, "
		   "..., GROUP:TRACEPOINT or rHEX");
	refuse("quux", "-e: there is no event 'quux'; it can be cycles, "
		       "instructions, ..., GROUP:TRACEPOINT or rHEX");
	refuse("cycles:x", "-e: 'cycles:x' has unknown modifiers 'x'; they "
			   "can be u, k, h, p and P");
	refuse("cycles:pppp", "-e: 'cycles:pppp' has unknown modifiers "
			      "'pppp'; they can be u, k, h, p and P");
	refuse("r11112222333344445", "-e: there is no event "
				     "'r11112222333344445'; it can be cycles, "
				     "instructions, ..., GROUP:TRACEPOINT or "
				     "rHEX");
}

static void add_core(struct pmus *pmus, const char *name, uint32_t type,
	const char *cpus)
{
	struct pmu *pmu = array_push(&pmus->list);

	pmu->name = xstrdup(name);
	pmu->type = type;
	pmu->is_core = cpus_parse(cpus, &pmu->cpus);
}

static void test_hybrid(void **state)
{
	struct selection selection = { 0 };
	struct pmus pmus = { 0 };

	(void)state;
	add_core(&pmus, "cpu_core", 4, "0-3");
	add_core(&pmus, "cpu_atom", 10, "4-5");
	selection_add_default(&selection, &pmus);
	assert_int_equal(selection.events.n, 2);
	assert_string_equal(selection.events.at[0].name, "cpu_core/cycles/P");
	assert_int_equal(selection.events.at[1].attr.config, 10ull << 32);
	assert_true(cpus_has(&selection.events.at[1].cpus, 5));
	assert_false(cpus_has(&selection.events.at[1].cpus, 3));
	assert_no_error(selection_add(&selection, "cpu-clock", &pmus));
	assert_int_equal(selection.events.n, 3);
	selection_deinit(&selection);
	pmus_deinit(&pmus);
}

static struct perf_event_attr configured(
	const char *text, struct sampling sampling)
{
	struct selection selection = { 0 };
	struct perf_event_attr attr;

	assert_no_error(selection_add(&selection, text, &no_pmus));
	selection_configure(&selection, &sampling);
	attr = selection.events.at[0].attr;
	selection_deinit(&selection);
	return attr;
}

static void test_configured(void **state)
{
	struct perf_event_attr attr;

	(void)state;
	attr = configured("cycles",
		(struct sampling){ .frequency = 99, .inherits = true });
	assert_true(attr.freq);
	assert_int_equal(attr.sample_freq, 99);
	assert_true(attr.sample_type & PERF_SAMPLE_PERIOD);
	assert_false(attr.sample_type & PERF_SAMPLE_CALLCHAIN);
	assert_true(attr.inherit && attr.disabled && attr.sample_id_all);
	assert_false(attr.mmap || attr.comm || attr.task);

	attr = configured("cycles",
		(struct sampling){ .period = 7, .is_explicit = true,
			.has_callchains = true, .starts_at_exec = true });
	assert_false(attr.freq);
	assert_int_equal(attr.sample_period, 7);
	assert_false(attr.sample_type & PERF_SAMPLE_PERIOD);
	assert_true(attr.sample_type & PERF_SAMPLE_CALLCHAIN);
	assert_true(attr.enable_on_exec);
}

static void test_sideband(void **state)
{
	struct perf_event_attr wide = event_sideband(false, true);
	struct perf_event_attr task = event_sideband(true, false);

	(void)state;
	assert_false(wide.disabled || task.disabled);
	assert_true(wide.mmap && wide.mmap2 && wide.comm && wide.task);
	assert_true(wide.comm_exec && wide.build_id && wide.ksymbol);
	assert_true(task.inherit && task.exclude_kernel && !task.ksymbol);
	assert_true(task.sample_type & PERF_SAMPLE_IDENTIFIER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_hybrid),
		cmocka_unit_test(test_configured),
		cmocka_unit_test(test_sideband),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
