/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/survey/sample_selection.h"

#include "report/scan/scan.h"
#include "tests/unit/make_recording.h"
#include "tests/unit/testing.h"

/* Twelve samples of two events, in blocks of five. */
struct picked {
	struct reader *reader;
	struct survey survey;
	struct filter filter;
	struct sample_selection selection;
};

static void open_picked(struct picked *p)
{
	const struct recording blocks = {
		.n_samples = 12, .n_events = 2, .per_block = 5
	};
	struct memory memory = { 0 };

	*p = (struct picked){ 0 };
	assert_no_error(make_recording(&blocks, &memory));
	assert_no_error(open_bytes(memory.file.at, memory.file.n, &p->reader));
	assert_no_error(survey_run(p->reader, SURVEY_TIMES, &p->survey));
	memory_deinit(&memory);
}

static void close_picked(struct picked *p)
{
	sample_selection_deinit(&p->selection);
	filter_deinit(&p->filter);
	survey_deinit(&p->survey);
	reader_close(p->reader);
}

/* Returns how many blocks are read, and samples of both events counted. */
static void assert_picked(
	struct picked *p, size_t n_blocks, uint64_t first, uint64_t second)
{
	struct scan_request request = { .filter = &p->filter,
		.selection = &p->selection };
	struct scan scan;
	size_t found = 0, i;

	assert_no_error(sample_selection_init(
		&p->selection, &p->filter, p->reader, &p->survey));
	for (i = 0; i < reader_n_extents(p->reader); i++)
		if (reader_extent(p->reader, i)->coding == EXTENT_BLOCK)
			found += sample_selection_has_extent(
				&p->selection, reader_extent(p->reader, i));
	assert_int_equal(found, n_blocks);
	scan_run(p->reader, &p->survey, &request, &scan);
	assert_int_equal(scan.by_event.at[0].samples, first);
	assert_int_equal(scan.by_event.at[1].samples, second);
	scan_deinit(&scan);
}

static void an_empty_filter_selects_all_blocks_and_samples(
	void **state _unused_)
{
	struct picked p;

	open_picked(&p);
	assert_int_equal(p.survey.first_time, MADE_TIME(0));
	assert_int_equal(p.survey.last_time, MADE_TIME(11));
	assert_picked(&p, 3, 6, 6);
	close_picked(&p);
}

static void only_blocks_of_the_selected_time_range_are_read(
	void **state _unused_)
{
	struct picked p;

	open_picked(&p);
	/* Samples 6, 7 and 8, which are 1 ms after the start. */
	p.filter.times = "0.001006,0.001008";
	assert_picked(&p, 1, 2, 1);
	close_picked(&p);
	open_picked(&p);
	p.filter.times = "0%-50%";
	assert_picked(&p, 2, 3, 3);
	close_picked(&p);
}

static void events_are_selected_by_name_and_pattern(void **state _unused_)
{
	struct picked p;

	open_picked(&p);
	filter_add_names(&p.filter.events, "event-1,nothing");
	assert_picked(&p, 3, 0, 6);
	close_picked(&p);
	open_picked(&p);
	filter_add_names(&p.filter.events, "ev*");
	assert_picked(&p, 3, 6, 6);
	close_picked(&p);
}

/* Another recording may have the event. */
static void an_event_that_is_missing_selects_no_sample(void **state _unused_)
{
	struct picked p;

	open_picked(&p);
	filter_add_names(&p.filter.events, "cycles");
	assert_picked(&p, 3, 0, 0);
	close_picked(&p);
}

static void only_samples_of_the_given_cpus_are_selected(void **state _unused_)
{
	struct picked p;

	/* Sample I has event I % 2 and CPU I % 2. */
	open_picked(&p);
	assert_true(cpus_parse("1,5", &p.filter.cpus));
	assert_picked(&p, 3, 0, 6);
	close_picked(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			an_empty_filter_selects_all_blocks_and_samples),
		cmocka_unit_test(
			only_blocks_of_the_selected_time_range_are_read),
		cmocka_unit_test(events_are_selected_by_name_and_pattern),
		cmocka_unit_test(an_event_that_is_missing_selects_no_sample),
		cmocka_unit_test(only_samples_of_the_given_cpus_are_selected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
