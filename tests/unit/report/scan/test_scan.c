/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/scan/scan.h"

#include <inttypes.h>

#include "common/util/alloc.h"
#include "tests/unit/make_recording.h"
#include "tests/unit/testing.h"

#define OLD 0x1000u
#define NEW 0x1010u
#define EARLIER 500u
#define CHANGE 1000u
#define LATER 1500u

static const struct filter filter;
static const struct scan_request request = { .wants_chains = true,
	.filter = &filter };

/* Counts of one text. */
struct line {
	char *text; /* owned */
	uint64_t samples, period;
};
struct lines {
	ARRAY(struct line) at;
};

static void add_line(
	struct lines *lines, const char *text, const struct stack *stack)
{
	struct line *found = NULL;

	array_each(&lines->at, line)
		if (string_is(line->text, text))
			found = line;
	if (!found) {
		found = array_push(&lines->at);
		found->text = xstrdup(text);
	}
	found->samples += stack->samples;
	found->period += stack->period;
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(
		((const struct line *)a)->text, ((const struct line *)b)->text);
}

/* Returns "name(tid): path path ..." of a stack, outermost frame last. */
static void describe(const struct survey *survey,
	const struct stacks_raw *stacks, uint32_t i, struct strbuf *out)
{
	const struct context *context =
		&stacks->table.contexts
			 .at[stacks_at(&stacks->table, i)->context];
	struct chain_raw chain = stacks_raw_chain(stacks, i);

	strbuf_printf(out, "%s(%u):", maps_comm(survey->maps, context->comm),
		context->ids.tid);
	while (!chain_raw_is_empty(&chain)) {
		const struct frame *frame =
			&stacks->frames.at[chain_raw_next(&chain)];
		const struct mapping *mapping =
			maps_find(survey->maps, frame->space, frame->ip);

		strbuf_printf(out, " %s",
			mapping ? maps_dso(survey->maps, mapping->dso)->path
				: "-");
	}
}

static void print_scan(const struct survey *survey, const struct scan *scan,
	struct strbuf *out)
{
	struct lines lines = { 0 };
	uint32_t i;

	array_each(&scan->parts, part)
		for (i = 0; i < stacks_n(&part->table); i++) {
			_cleanup_strbuf_ struct strbuf text = { 0 };
			const struct stack *stack = stacks_at(&part->table, i);

			describe(survey, part, i, &text);
			add_line(&lines, text.at, stack);
		}
	array_sort(&lines.at, compare_lines);
	array_each(&lines.at, line) {
		strbuf_printf(out, "%" PRIu64 " %" PRIu64 " %s\n",
			line->samples, line->period, line->text);
		free(line->text);
	}
	array_free(&lines.at);
	strbuf_printf(out,
		"samples %" PRIu64 ", damaged %" PRIu64
		", missing_chains %" PRIu64 "\n",
		scan_samples(scan), scan->damaged.n, scan->missing_chains);
}

/* Appends the counted stacks of DATA to OUT. */
static void print_data(const struct strbuf *data, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf file = { 0 };
	struct reader *reader;
	struct survey survey;
	struct features host;
	struct scan scan;

	make_host(&host, 1);
	make_perf_file(&host, data, &file);
	assert_no_error(open_bytes(file.at, file.n, &reader));
	GARBAGE(survey);
	GARBAGE(scan);
	assert_no_error(survey_run(reader, SURVEY_SIDEBAND, &survey));
	scan_run(reader, &survey, &request, &scan);
	print_scan(&survey, &scan, out);
	scan_deinit(&scan);
	survey_deinit(&survey);
	reader_close(reader);
	features_deinit(&host);
}

static void assert_scan(const struct strbuf *data, const char *wanted)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	print_data(data, &text);
	assert_text(&text, wanted);
}

static void put_sample(struct strbuf *data, uint32_t pid, uint32_t tid,
	uint64_t ip, uint64_t time)
{
	make_sample(data,
		&(struct made_sample){ .id = 100,
			.ip = ip,
			.pid = pid,
			.tid = tid,
			.time = time,
			.period = 1 });
}

static void start(struct strbuf *data)
{
	make_comm(data, 1, 1, "one", true, 100);
	make_mmap(data, 1, 0x1000, 0x1000, 0, "/old", 110);
}

static void samples_of_an_unchanged_thread_are_counted_together(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf data = { 0 };

	start(&data);
	put_sample(&data, 1, 1, OLD, EARLIER);
	put_sample(&data, 1, 1, OLD, LATER);
	assert_scan(&data,
		"2 2 one(0): /old\n"
		"samples 2, damaged 0, missing_chains 0\n");
}

static void samples_have_the_thread_name_of_their_time(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf data = { 0 };

	start(&data);
	put_sample(&data, 1, 1, OLD, EARLIER);
	make_comm(&data, 1, 1, "two", false, CHANGE);
	put_sample(&data, 1, 1, OLD, LATER);
	put_sample(&data, 1, 2, OLD, LATER);
	assert_scan(&data,
		"1 1 (2): /old\n"
		"1 1 one(0): /old\n"
		"1 1 two(0): /old\n"
		"samples 3, damaged 0, missing_chains 0\n");
}

static void samples_after_an_exec_have_the_new_mappings(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf data = { 0 };

	start(&data);
	put_sample(&data, 1, 1, OLD, EARLIER);
	put_sample(&data, 1, 1, OLD, LATER);
	make_comm(&data, 1, 1, "two", true, CHANGE);
	make_mmap(&data, 1, 0x1000, 0x1000, 0, "/new", CHANGE + 1);
	assert_scan(&data,
		"1 1 one(0): /old\n"
		"1 1 two(0): /new\n"
		"samples 2, damaged 0, missing_chains 0\n");
}

static void a_fork_record_can_follow_samples_of_the_child(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf data = { 0 };

	start(&data);
	put_sample(&data, 2, 2, OLD, LATER);
	put_sample(&data, 2, 2, NEW, LATER + 1);
	make_fork(&data, 1, 1, 2, 2, CHANGE);
	assert_scan(&data,
		"2 2 one(0): /old\n"
		"samples 2, damaged 0, missing_chains 0\n");
}

/* Each thread was in one address space, but not in the same one. */
static void samples_of_each_thread_have_the_mapping_of_their_time(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf data = { 0 };

	start(&data);
	make_fork(&data, 1, 1, 1, 2, 200);
	put_sample(&data, 1, 1, OLD, EARLIER);
	put_sample(&data, 1, 2, OLD, LATER);
	make_mmap(&data, 1, 0x1000, 0x1000, 0, "/new", CHANGE);
	assert_scan(&data,
		"1 1 one(0): /new\n"
		"1 1 one(0): /old\n"
		"samples 2, damaged 0, missing_chains 0\n");
}

static void a_damaged_sample_is_counted_once(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf data = { 0 };

	start(&data);
	put_sample(&data, 1, 1, OLD, EARLIER);
	record_write(&data, RECORD_SAMPLE, MISC_USER, "short...", 8);
	make_comm(&data, 1, 1, "two", false, CHANGE);
	put_sample(&data, 1, 1, OLD, LATER);
	assert_scan(&data,
		"1 1 one(0): /old\n"
		"1 1 two(0): /old\n"
		"samples 2, damaged 1, missing_chains 0\n");
}

static void a_deferred_user_call_chain_is_joined(void **state _unused_)
{
	const uint64_t chain[] = { ABI_CONTEXT_USER_DEFERRED, 7 };
	_cleanup_strbuf_ struct strbuf data = { 0 };

	start(&data);
	put_sample(&data, 1, 1, OLD, EARLIER);
	make_sample(&data,
		&(struct made_sample){ .id = 100,
			.ip = OLD,
			.pid = 1,
			.tid = 1,
			.time = LATER,
			.period = 1,
			.chain = chain,
			.n_chain = ARRAY_SIZE(chain) });
	assert_scan(&data,
		"2 2 one(0): /old\n"
		"samples 2, damaged 0, missing_chains 1\n");
}

static void put_period(struct strbuf *data, uint64_t ip, uint64_t n_chain,
	uint64_t caller, uint64_t period)
{
	const uint64_t chain[] = { ip, caller };

	make_sample(data,
		&(struct made_sample){ .id = 100,
			.ip = ip,
			.pid = 1,
			.tid = 1,
			.time = LATER,
			.period = period,
			.chain = chain,
			.n_chain = n_chain });
}

/* Neighbours with equal stacks are joined before they are counted. */
static void all_adjacent_samples_with_equal_stacks_are_counted(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf data = { 0 };
	size_t i;

	start(&data);
	make_mmap(&data, 1, 0x2000, 0x1000, 0, "/new", 110);
	make_mmap(&data, 1, 0x3000, 0x1000, 0, "/third", 110);
	for (i = 0; i < 100; i++)
		put_period(&data, OLD, 2, 0x2000, 1 + i % 2);
	put_period(&data, OLD, 2, 0x3000, 10);
	put_period(&data, OLD, 1, 0, 20);
	put_period(&data, 0x3000, 1, 0, 30);
	put_period(&data, OLD, 2, 0x2000, 40);
	put_sample(&data, 1, 2, OLD, LATER);
	put_sample(&data, 1, 3, OLD, LATER);
	assert_scan(&data,
		"1 1 (2): /old\n"
		"1 1 (3): /old\n"
		"1 20 one(0): /old /old\n"
		"101 190 one(0): /old /old /new\n"
		"1 10 one(0): /old /old /third\n"
		"1 30 one(0): /third /third\n"
		"samples 106, damaged 0, missing_chains 0\n");
}

static void stacks_beyond_the_memory_limit_are_counted_together(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf data = { 0 }, text = { 0 };
	uint64_t chain[20], ip = 0x1000;
	size_t i, j;

	start(&data);
	for (i = 0; i < 40000; i++) {
		for (j = 0; j < ARRAY_SIZE(chain); j++)
			chain[j] = ip += 8;
		make_sample(&data,
			&(struct made_sample){ .id = 100,
				.ip = ip,
				.pid = 1,
				.tid = 1 + i % 2,
				.time = EARLIER,
				.period = 1,
				.chain = chain,
				.n_chain = ARRAY_SIZE(chain) });
	}
	print_data(&data, &text);
	/* The row of the rest has no name and no address. */
	assert_non_null(strstr(text.at, " (0): -\n"));
	assert_non_null(strstr(text.at, "samples 40000, damaged 0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			samples_of_an_unchanged_thread_are_counted_together),
		cmocka_unit_test(samples_have_the_thread_name_of_their_time),
		cmocka_unit_test(samples_after_an_exec_have_the_new_mappings),
		cmocka_unit_test(a_fork_record_can_follow_samples_of_the_child),
		cmocka_unit_test(
			samples_of_each_thread_have_the_mapping_of_their_time),
		cmocka_unit_test(a_damaged_sample_is_counted_once),
		cmocka_unit_test(a_deferred_user_call_chain_is_joined),
		cmocka_unit_test(
			all_adjacent_samples_with_equal_stacks_are_counted),
		cmocka_unit_test(
			stacks_beyond_the_memory_limit_are_counted_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
