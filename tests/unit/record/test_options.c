/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include <stdio.h>

#include "common/util/array.h"
#include "record/options.h"

/* Splits TEXT at blanks into the arguments of dwell-record. */
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
	return options_parse_record(argc, argv, ret);
}

static void option_values_are_parsed_as_in_perf(void **state)
{
	struct options options;

	(void)state;
	assert_no_error(parse("-ag -F99 -z1 -o x.data", &options));
	assert_true(options.target.is_system_wide && options.has_callchains);
	assert_int_equal(options.frequency, 99);
	assert_int_equal(options.level, 1);
	assert_string_equal(options.output, "x.data");
	assert_null(options.command);
	options_deinit_record(&options);

	assert_no_error(parse(
		"--freq=max --call-g fp --dur 0.5 -m 8 -- ls -a", &options));
	assert_true(options.frequency == OPTIONS_FREQUENCY_MAX);
	assert_true(options.has_callchains);
	assert_int_equal(options.duration_ns, NSEC_PER_SEC / 2);
	assert_int_equal(options.ring_size, 8 * (size_t)sysconf(_SC_PAGESIZE));
	assert_string_equal(options.command[0], "ls");
	assert_string_equal(options.command[1], "-a");
	assert_false(options.target.is_system_wide);
	options_deinit_record(&options);

	assert_no_error(
		parse("-e cycles -e cs -m 500K ls -F nonsense", &options));
	assert_int_equal(options.events.texts.n, 2);
	assert_int_equal(options.ring_size, KIB(512));
	assert_string_equal(options.command[2], "nonsense");
	options_deinit_record(&options);
}

static enum callgraph_kind kind_of(const char *text)
{
	struct options options;
	enum callgraph_kind kind;

	assert_no_error(parse(text, &options));
	assert_true(options.has_callchains);
	kind = options.callgraph.kind;
	options_deinit_record(&options);
	return kind;
}

static void option_g_selects_the_best_call_chains(void **state)
{
	(void)state;
	assert_int_equal(kind_of("-g true"), CALLGRAPH_AUTO);
	assert_int_equal(kind_of("-a -g"), CALLGRAPH_AUTO);
	assert_int_equal(kind_of("--max-stack 3 true"), CALLGRAPH_AUTO);
	assert_int_equal(kind_of("-g --keep-stacks true"), CALLGRAPH_DWARF);
	assert_int_equal(kind_of("-g --overwrite true"), CALLGRAPH_FP);
	assert_int_equal(kind_of("-g --kernel-callchains true"), CALLGRAPH_FP);
	assert_int_equal(kind_of("--call-graph fp -g true"), CALLGRAPH_FP);
	assert_int_equal(kind_of("-g --call-graph fp true"), CALLGRAPH_FP);
}

static void options_that_are_not_given_have_defaults(void **state)
{
	struct options options;

	(void)state;
	assert_no_error(parse("true", &options));
	assert_string_equal(options.output, "dwell.data");
	assert_int_equal(options.level, OPTIONS_LEVEL_DEFAULT);
	assert_int_equal(options.queue_size, MIB(64));
	assert_false(options.target.is_system_wide);
	options_deinit_record(&options);
	/* Without a target, the whole system is recorded. */
	assert_no_error(parse("-q", &options));
	assert_true(options.target.is_system_wide);
	options_deinit_record(&options);
	assert_no_error(parse("-z0 true", &options));
	assert_int_equal(options.level, 0);
	options_deinit_record(&options);
}

static void expect_option_error(const char *text, const char *wanted)
{
	struct options options;
	struct error *err = parse(text, &options);

	assert_non_null(err);
	assert_int_equal(err->kind, ERROR_USAGE);
	assert_error(err, wanted);
	options_deinit_record(&options);
}

/* Accepts options that are similar to refused ones. */
static void expect_accepted(const char *text)
{
	struct options options;

	assert_no_error(parse(text, &options));
	options_deinit_record(&options);
}

static void valid_combinations_of_options_are_accepted(void **state)
{
	(void)state;
	expect_accepted("-D -1 --control fd:0 true");
	expect_accepted("-D 499 --duration 0.5 true");
	expect_accepted("-D 100-200,600-700 --duration 0.5 true");
	expect_accepted("-D 500 --duration 0.5 --control fd:0 true");
	expect_accepted("--switch-output=10M --switch-max-files 3 true");
	expect_accepted("--timestamp-filename true");
}

static void options_for_sample_fields_are_parsed(void **state)
{
	const uint64_t any = PERF_SAMPLE_BRANCH_ANY;
	struct options options;

	(void)state;
	assert_no_error(parse("-dWRPTI --phys-data --data-page-size "
			      "--code-page-size --sample-cpu "
			      "--sample-identifier --switch-events true",
		&options));
	assert_true(options.sample_fields.data &&
		options.sample_fields.weights && options.sample_fields.raw &&
		options.sample_fields.periods &&
		options.sample_fields.physical &&
		options.sample_fields.data_page &&
		options.sample_fields.code_page && options.has_switches);
	assert_true(options.sample_fields.registers_intr);
	assert_false(options.sample_fields.registers_user);
	assert_false(options.sample_fields.branches);
	options_deinit_record(&options);

	assert_no_error(parse("-b --user-regs --no-user-regs true", &options));
	assert_true(options.sample_fields.branches == any);
	assert_false(options.sample_fields.registers_user);
	options_deinit_record(&options);
	/* "u" alone means any branch in user space, as in perf. */
	assert_no_error(parse("-j u,save_type true", &options));
	assert_true(options.sample_fields.branches ==
		(any | PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_TYPE_SAVE));
	options_deinit_record(&options);
	assert_no_error(parse("-j stack,k true", &options));
	assert_true(options.sample_fields.branches ==
		(PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_KERNEL));
	options_deinit_record(&options);
}

static void call_graph_options_are_parsed(void **state)
{
	struct options options;

	(void)state;
	assert_no_error(parse("--call-graph dwarf true", &options));
	assert_int_equal(options.callgraph.kind, CALLGRAPH_DWARF);
	assert_int_equal(options.callgraph.copy_size, 0);
	assert_true(options.has_callchains && !options.keeps_stacks);
	options_deinit_record(&options);
	/* perf accepts hexadecimal numbers and rounds up. */
	assert_no_error(parse(
		"--call-graph dwarf,0x1ffd -g --keep-stacks true", &options));
	assert_int_equal(options.callgraph.kind, CALLGRAPH_DWARF);
	assert_int_equal(options.callgraph.copy_size, 8192);
	assert_true(options.keeps_stacks);
	options_deinit_record(&options);
	assert_no_error(parse("--call-graph lbr true", &options));
	assert_int_equal(options.callgraph.kind, CALLGRAPH_LBR);
	options_deinit_record(&options);
}

static void invalid_combinations_of_options_are_errors(void **state)
{
	const char *exclude = "-p, -t, --name (or -u) and -a (or -C, -G) "
			      "exclude each other. Use one of them";

	(void)state;
	expect_option_error("-F 99 -c 1000 true",
		"-F and -c exclude each other. Use -F for a rate or -c for a "
		"count of events");
	expect_option_error("--call-graph dwarf,65529 true",
		"--call-graph: '65529' is not a size; a stack copy has 1 to 65528 bytes");
	expect_option_error("--call-graph dwarf,0 true",
		"--call-graph: '0' is not a size; a stack copy has 1 to 65528 bytes");
	expect_option_error("--call-graph dwarf,4k true",
		"--call-graph: '4k' is not a size; a stack copy has 1 to 65528 bytes");
	expect_option_error("--call-graph fp,8 true",
		"--call-graph: fp takes no value, but '8' follows it");
	expect_option_error("--call-graph dwarf --kernel-callchains true",
		"--kernel-callchains and --call-graph dwarf (or auto) exclude "
		"each other: only user space stacks are unwound. Use -g");
	expect_option_error("--call-graph auto --keep-stacks true",
		"--call-graph auto and --keep-stacks exclude each other: auto "
		"needs unwound stacks. Use --call-graph dwarf --keep-stacks");
	expect_option_error("--call-graph lbr -b true",
		"--call-graph lbr excludes -b and -j: it uses the branch "
		"records of the CPU itself");
	expect_option_error("-p 1 -t 2", exclude);
	expect_option_error("-p 1 -a", exclude);
	expect_option_error("-u 1 -a", exclude);
	expect_option_error("-p 1 --name x", exclude);
	expect_option_error("--wait true",
		"--wait needs --name or -u, which select the process to wait "
		"for");
	expect_option_error("--per-thread -C 0",
		"--per-thread and -a (or -C) exclude each other. Use "
		"--per-thread with a command, -p or -t");
	expect_option_error("-o - --timestamp-filename true",
		"--switch-output and --timestamp-filename exclude -o - and -o "
		"/dev/null: they need a file name");
	expect_option_error("--all-user --all-kernel true",
		"--all-user and --all-kernel exclude each other. Without both, "
		"user space and kernel are sampled");
	expect_option_error("--user-callchains --kernel-callchains true",
		"--user-callchains and --kernel-callchains exclude each other. "
		"Without both, call chains contain both parts");
	expect_option_error("--overwrite --switch-output=1M true",
		"--overwrite and --switch-output=SIZE exclude each other: "
		"without a snapshot the file does not grow. Use "
		"--switch-output=30s or --switch-output=signal");
	expect_option_error("--switch-max-files 3 true",
		"--switch-max-files needs --switch-output");
	expect_option_error("-b -j any true",
		"-b and -j exclude each other. -b is the same as -j any");
	expect_option_error("-D -1 true",
		"-D -1 needs --control, whose command \"enable\" starts "
		"sampling");
	expect_option_error("-D 500 --duration 0.5 true",
		"--duration ends before -D starts sampling. Use a longer "
		"--duration");
	expect_option_error("-D 700-800,900-950 --duration 0.5 true",
		"--duration ends before -D starts sampling. Use a longer "
		"--duration");
	expect_option_error("-F zap true", "-F: 'zap' is not a number");
	expect_option_error("--duration 0 true",
		"--duration: '0' is not a positive number of seconds");
	expect_option_error("--duration=-1 true",
		"--duration: '-1' is not a positive number of seconds");
	expect_option_error("--call-graph dwarff true",
		"--call-graph: 'dwarff' is unknown; use fp, dwarf, bpf, lbr or auto; did you mean 'dwarf'?");
	expect_option_error("-o  true", "--output: the name is empty");
	expect_option_error("-z23 true", "-z: 23 is not between 0 and 22");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(option_values_are_parsed_as_in_perf),
		cmocka_unit_test(option_g_selects_the_best_call_chains),
		cmocka_unit_test(options_that_are_not_given_have_defaults),
		cmocka_unit_test(options_for_sample_fields_are_parsed),
		cmocka_unit_test(call_graph_options_are_parsed),
		cmocka_unit_test(invalid_combinations_of_options_are_errors),
		cmocka_unit_test(valid_combinations_of_options_are_accepted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
