/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include <stdio.h>

#include "common/util/array.h"
#include "record/options.h"

/* Splits TEXT at blanks into an argv whose first word is the program's. */
static struct error *parse(const char *text, struct options *ret)
{
	static char copy[256];
	static char *argv[32];
	char *rest = copy;
	int argc = 0;

	snprintf(copy, sizeof(copy), "dwell-record %s", text);
	while (rest && argc < 31)
		argv[argc++] = strsep(&rest, " ");
	argv[argc] = NULL;
	return options_parse(argc, argv, ret);
}

static void test_habits(void **state)
{
	struct options options;

	(void)state;
	assert_no_error(parse("-ag -F99 -z1 -o x.data", &options));
	assert_true(options.is_system_wide && options.has_callchains);
	assert_int_equal(options.frequency, 99);
	assert_int_equal(options.level, 1);
	assert_string_equal(options.output, "x.data");
	assert_null(options.command);
	options_deinit(&options);

	assert_no_error(parse("--freq=max --call-g fp --dur 0.5 -m 8 -- ls -a",
		&options));
	assert_true(options.frequency == OPTIONS_FREQUENCY_MAX);
	assert_true(options.has_callchains);
	assert_int_equal(options.duration_ns, NSEC_PER_SEC / 2);
	assert_int_equal(
		options.ring_size, 8 * (size_t)sysconf(_SC_PAGESIZE));
	assert_string_equal(options.command[0], "ls");
	assert_string_equal(options.command[1], "-a");
	assert_false(options.is_system_wide);
	options_deinit(&options);

	assert_no_error(parse("-e cycles -e cs -m 500K ls -F nonsense",
		&options));
	assert_int_equal(options.events.n, 2);
	assert_int_equal(options.ring_size, KIB(512));
	assert_string_equal(options.command[2], "nonsense");
	options_deinit(&options);
}

static void test_defaults(void **state)
{
	struct options options;

	(void)state;
	assert_no_error(parse("true", &options));
	assert_string_equal(options.output, "dwell.data");
	assert_int_equal(options.level, OPTIONS_LEVEL_DEFAULT);
	assert_int_equal(options.queue_size, MIB(64));
	assert_false(options.is_system_wide);
	options_deinit(&options);
	/* Nothing to record: everything is. */
	assert_no_error(parse("-q", &options));
	assert_true(options.is_system_wide);
	options_deinit(&options);
	assert_no_error(parse("-z0 true", &options));
	assert_int_equal(options.level, 0);
	options_deinit(&options);
}

static void refuse(const char *text, const char *wanted)
{
	struct options options;
	struct error *err = parse(text, &options);

	assert_non_null(err);
	assert_int_equal(err->kind, ERROR_USAGE);
	assert_error(err, wanted);
	options_deinit(&options);
}

/* What is next to the refused is not refused. */
static void accept(const char *text)
{
	struct options options;

	assert_no_error(parse(text, &options));
	options_deinit(&options);
}

static void test_accepted(void **state)
{
	(void)state;
	accept("-D -1 --control fd:0 true");
	accept("-D 499 --duration 0.5 true");
	accept("-D 100-200,600-700 --duration 0.5 true");
	accept("-D 500 --duration 0.5 --control fd:0 true");
	accept("--switch-output=10M --switch-max-files 3 true");
	accept("--timestamp-filename true");
}

static void test_what_samples_carry(void **state)
{
	const uint64_t any = PERF_SAMPLE_BRANCH_ANY;
	struct options options;

	(void)state;
	assert_no_error(parse("-dWRPTI --phys-data --data-page-size "
			      "--code-page-size --sample-cpu "
			      "--sample-identifier --switch-events true",
		&options));
	assert_true(options.carried.data && options.carried.weights &&
		options.carried.raw && options.carried.periods &&
		options.carried.physical && options.carried.data_page &&
		options.carried.code_page && options.has_switches);
	assert_true(options.carried.registers_intr);
	assert_false(options.carried.registers_user);
	assert_false(options.carried.branches);
	options_deinit(&options);

	assert_no_error(parse("-b --user-regs --no-user-regs true", &options));
	assert_true(options.carried.branches == any);
	assert_false(options.carried.registers_user);
	options_deinit(&options);
	/* Where alone means any, as in perf. */
	assert_no_error(parse("-j u,save_type true", &options));
	assert_true(options.carried.branches ==
		(any | PERF_SAMPLE_BRANCH_USER |
			PERF_SAMPLE_BRANCH_TYPE_SAVE));
	options_deinit(&options);
	assert_no_error(parse("-j stack,k true", &options));
	assert_true(options.carried.branches ==
		(PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_KERNEL));
	options_deinit(&options);
}

static void test_callers(void **state)
{
	struct options options;

	(void)state;
	assert_no_error(parse("--call-graph dwarf true", &options));
	assert_int_equal(options.callgraph.kind, CALLGRAPH_DWARF);
	assert_int_equal(options.callgraph.dump_size, 0);
	assert_true(options.has_callchains && !options.keeps_stacks);
	options_deinit(&options);
	/* As perf takes numbers: hexadecimal, and rounded up. */
	assert_no_error(parse(
		"--call-graph dwarf,0x1ffd -g --keep-stacks true", &options));
	assert_int_equal(options.callgraph.kind, CALLGRAPH_DWARF);
	assert_int_equal(options.callgraph.dump_size, 8192);
	assert_true(options.keeps_stacks);
	options_deinit(&options);
	assert_no_error(parse("--call-graph lbr true", &options));
	assert_int_equal(options.callgraph.kind, CALLGRAPH_LBR);
	options_deinit(&options);
}

static void test_refused(void **state)
{
	const char *exclude = "-p, -t, --name (or -u) and -a (or -C, -G) "
			      "exclude each other";

	(void)state;
	refuse("-F 99 -c 1000 true", "-F and -c exclude each other");
	refuse("--call-graph dwarf,65529 true",
		"--call-graph: '65529' is no size; a copy of a stack has 1 "
		"to 65528 bytes");
	refuse("--call-graph dwarf,0 true",
		"--call-graph: '0' is no size; a copy of a stack has 1 "
		"to 65528 bytes");
	refuse("--call-graph dwarf,4k true",
		"--call-graph: '4k' is no size; a copy of a stack has 1 "
		"to 65528 bytes");
	refuse("--call-graph fp,8 true",
		"--call-graph: nothing may stand behind fp: '8'");
	refuse("--call-graph dwarf --kernel-callchains true",
		"--kernel-callchains and --call-graph dwarf (or auto) exclude "
		"each other: stacks are the user's part");
	refuse("--call-graph auto --keep-stacks true",
		"--call-graph auto chooses what --keep-stacks leaves to the "
		"report: they exclude each other");
	refuse("--call-graph lbr -b true",
		"--call-graph lbr takes the branches for itself: without -b "
		"and -j");
	refuse("-p 1 -t 2", exclude);
	refuse("-p 1 -a", exclude);
	refuse("-u 1 -a", exclude);
	refuse("-p 1 --name x", exclude);
	refuse("--wait true", "--wait needs a --name or -u to wait for");
	refuse("--per-thread -C 0",
		"--per-thread and -a (or -C) exclude each other");
	refuse("-o - --timestamp-filename true",
		"-o - is one stream, as is /dev/null: --switch-output and --timestamp-filename "
		"need a file");
	refuse("--all-user --all-kernel true",
		"--all-user and --all-kernel exclude each other");
	refuse("--user-callchains --kernel-callchains true",
		"--user-callchains and --kernel-callchains exclude each other");
	refuse("--overwrite --switch-output=1M true",
		"--overwrite writes nothing by itself: --switch-output takes "
		"a time or signal, and no size, then");
	refuse("--switch-max-files 3 true",
		"--switch-max-files needs --switch-output");
	refuse("-b -j any true", "-b and -j exclude each other");
	refuse("-D -1 true", "-D -1 samples nothing without --control");
	refuse("-D 500 --duration 0.5 true",
		"--duration ends before -D begins: nothing would be sampled");
	refuse("-D 700-800,900-950 --duration 0.5 true",
		"--duration ends before -D begins: nothing would be sampled");
	refuse("-F zap true", "-F: 'zap' is not a number");
	refuse("--duration 0 true",
		"--duration: '0' is not a number of seconds");
	refuse("--duration=-1 true",
		"--duration: '-1' is not a number of seconds");
	refuse("--call-graph dwarff true",
		"--call-graph: 'dwarff' is not known; it can be fp, dwarf, lbr "
		"or auto; did you mean 'dwarf'?");
	refuse("-o  true", "--output: it names no file");
	refuse("-z23 true", "-z: 23 is not between 0 and 22");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_habits),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_what_samples_carry),
		cmocka_unit_test(test_callers),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_accepted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
