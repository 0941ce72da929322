/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include "record/event/event.h"
#include "record/event/event_filter.h"
#include "record/event/group.h"

static const struct pmus no_pmus;

static void event_names_and_modifiers_become_attributes(void **state)
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
		{ "stalled-cycles-frontend", 0, 7, false, false, 0, false },
		{ "idle-cycles-backend", 0, 8, false, false, 0, false },
		{ "migrations", 1, 4, false, false, 0, false },
		{ "alignment-faults", 1, 7, false, false, 0, false },
		{ "emulation-faults", 1, 8, false, false, 0, false },
		{ "bpf-output", 1, 10, false, false, 0, false },
		{ "cgroup-switches", 1, 11, false, false, 0, false },
		{ "L1-dcache-loads", 3, 0, false, false, 0, false },
		{ "L1-dcache-load-misses", 3, 0x10000, false, false, 0, false },
		{ "l1d-misses-write:k", 3, 0x10100, true, false, 0, false },
		{ "L1-icache-prefetches", 3, 0x201, false, false, 0, false },
		{ "LLC", 3, 2, false, false, 0, false },
		{ "LLC-speculative-read-miss", 3, 0x10202, false, false, 0,
			false },
		{ "dTLB-store-misses", 3, 0x10103, false, false, 0, false },
		{ "branch-loads", 3, 5, false, false, 0, false },
		{ "node-prefetch-misses", 3, 0x10206, false, false, 0, false },
		{ "2:0x7b", 2, 0x7b, false, false, 0, false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct selection selection = { 0 };
		struct selection_event *event;

		assert_no_error(
			event_select(&selection, rows[i].text, &no_pmus));
		assert_int_equal(selection.events.n, 1);
		event = &selection.events.at[0];
		assert_string_equal(event->name, rows[i].text);
		assert_int_equal(event->attr.type, rows[i].type);
		assert_int_equal(event->attr.config, rows[i].config);
		assert_int_equal(event->attr.exclude_user, rows[i].no_user);
		assert_int_equal(event->attr.exclude_kernel, rows[i].no_kernel);
		assert_int_equal(event->attr.precise_ip, rows[i].precise);
		assert_int_equal(event->seeks_precise, rows[i].seeks);
		selection_deinit(&selection);
	}
}

static void a_list_with_commas_adds_each_event(void **state)
{
	struct selection selection = { 0 };

	(void)state;
	assert_no_error(event_select(
		&selection, "cpu-clock:u,page-faults,r1", &no_pmus));
	assert_no_error(event_select(&selection, "cs", &no_pmus));
	assert_int_equal(selection.events.n, 4);
	assert_string_equal(selection.events.at[0].name, "cpu-clock:u");
	assert_string_equal(selection.events.at[2].name, "r1");
	assert_string_equal(selection.events.at[3].name, "cs");
	selection_deinit(&selection);
}

static void add_first(const char *text, struct selection *selection)
{
	*selection = (struct selection){ 0 };
	assert_no_error(event_select(selection, text, &no_pmus));
}

static void modifiers_set_exclusions_and_pinning_of_the_attribute(void **state)
{
	static const struct {
		const char *text;
		bool no_user, no_kernel, no_hv, no_host, no_guest;
		bool no_idle, pinned, exclusive;
	} rows[] = {
		{ "cycles", .no_guest = true },
		{ "cycles:h", .no_user = true, .no_kernel = true },
		{ "cycles:k", .no_user = true, .no_hv = true },
		{ "cycles:kp", .no_user = true, .no_hv = true,
			.no_guest = true },
		{ "cycles:G", .no_host = true },
		{ "cycles:H", .no_guest = true },
		{ "cycles:GH", .no_idle = false },
		{ "cycles:uG", .no_kernel = true, .no_hv = true,
			.no_host = true },
		{ "cycles:I", .no_idle = true },
		{ "cycles:D", .pinned = true },
		{ "cycles:e", .exclusive = true },
		{ "cycles:P", .no_guest = true },
		{ "{cycles:u}:kD", .no_hv = true, .no_guest = true,
			.pinned = true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct perf_event_attr *attr;
		struct selection selection;

		add_first(rows[i].text, &selection);
		attr = &selection.events.at[0].attr;
		assert_int_equal(attr->exclude_user, rows[i].no_user);
		assert_int_equal(attr->exclude_kernel, rows[i].no_kernel);
		assert_int_equal(attr->exclude_hv, rows[i].no_hv);
		assert_int_equal(attr->exclude_host, rows[i].no_host);
		assert_int_equal(attr->exclude_guest, rows[i].no_guest);
		assert_int_equal(attr->exclude_idle, rows[i].no_idle);
		assert_int_equal(attr->pinned, rows[i].pinned);
		assert_int_equal(attr->exclusive, rows[i].exclusive);
		selection_deinit(&selection);
	}
}

static const struct selection_sampling usual = {
	.frequency = 4000,
	.has_callchains = true,
	.inherits = true,
};

static struct perf_event_attr configured_as(
	const char *text, const struct selection_sampling *sampling)
{
	struct selection selection;
	struct perf_event_attr attr;

	add_first(text, &selection);
	selection_configure(&selection, sampling);
	attr = selection.events.at[0].attr;
	selection_deinit(&selection);
	return attr;
}

static void probes_follow_children_without_inherited_events(void **state)
{
	char name[] = "f";
	struct selection_event probe = { .probed = name,
		.inherits = SELECTION_CHOICE_YES };
	struct selection selection = { .events = { .at = &probe, .n = 1 } };

	(void)state;
	selection_configure(&selection, &usual);
	assert_false(probe.attr.inherit);
	assert_true(probe.follows && probe.is_wide);
	probe.inherits = SELECTION_CHOICE_NO;
	probe.is_wide = false;
	selection_configure(&selection, &usual);
	assert_false(probe.follows || probe.is_wide);
	probe.inherits = SELECTION_CHOICE_YES;
	probe.probed = NULL;
	selection_configure(&selection, &usual);
	assert_true(probe.attr.inherit);
}

static void terms_between_slashes_set_fields_of_the_event(void **state)
{
	struct selection_sampling count = usual;
	struct selection selection;
	struct perf_event_attr attr;

	(void)state;
	add_first("cycles/period=1000,name=foo/u", &selection);
	assert_string_equal(selection.events.at[0].name, "foo");
	assert_true(selection.events.at[0].attr.exclude_kernel);
	selection_event_restrict_to_user(&selection.events.at[0]);
	assert_string_equal(selection.events.at[0].name, "foo");
	selection_deinit(&selection);

	add_first("cs/name='a,b/c'/,cs//", &selection);
	assert_string_equal(selection.events.at[0].name, "a,b/c");
	assert_string_equal(selection.events.at[1].name, "cs//");
	selection_event_restrict_to_user(&selection.events.at[1]);
	assert_string_equal(selection.events.at[1].name, "cs//u");
	selection_deinit(&selection);

	attr = configured_as("cpu-clock/freq=99,max-stack=7/", &usual);
	assert_true(attr.freq && attr.sample_type & PERF_SAMPLE_PERIOD);
	assert_int_equal(attr.sample_freq, 99);
	assert_int_equal(attr.sample_max_stack, 7);
	assert_true(attr.inherit);
	count.frequency = 0;
	count.period = 5;
	attr = configured_as("cycles/freq=99/", &count);
	assert_true(attr.freq && attr.sample_freq == 99);
	attr = configured_as("cycles/freq=99,period=0x10/", &usual);
	assert_false(attr.freq || attr.sample_type & PERF_SAMPLE_PERIOD);
	assert_int_equal(attr.sample_period, 16);
	attr = configured_as("cycles/no-inherit,call-graph=no/", &usual);
	assert_false(attr.inherit || attr.sample_type & PERF_SAMPLE_CALLCHAIN);
	attr = configured_as("r1/config1=0x20,config2=3,inherit=0/", &usual);
	assert_int_equal(attr.config1, 0x20);
	assert_int_equal(attr.config2, 3);
	assert_false(attr.inherit);
	count.has_callchains = false;
	attr = configured_as("cycles/call-graph=fp/", &count);
	assert_true(attr.sample_type & PERF_SAMPLE_CALLCHAIN);
}

#define STACK_TYPE (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

static void terms_call_graph_and_stack_size_request_stack_copies(void **state)
{
	struct selection_sampling dwarf = usual;
	struct perf_event_attr attr;

	(void)state;
	attr = configured_as("cycles/call-graph=dwarf/", &usual);
	assert_int_equal(attr.sample_type & STACK_TYPE, STACK_TYPE);
	assert_int_equal(attr.sample_stack_user, 65528);
	assert_true(attr.sample_regs_user);
	/* Call chains by frame pointers are always recorded, too. */
	assert_true(attr.sample_type & PERF_SAMPLE_CALLCHAIN);
	assert_false(attr.exclude_callchain_user);
	attr = configured_as(
		"cycles/call-graph=dwarf,stack-size=4090/", &usual);
	assert_int_equal(attr.sample_stack_user, 4096);

	dwarf.has_callchains = true;
	dwarf.callgraph = (struct callgraph){ CALLGRAPH_DWARF, 8192 };
	attr = configured_as("cycles", &dwarf);
	assert_int_equal(attr.sample_stack_user, 8192);
	attr = configured_as("cycles/stack-size=1024/", &dwarf);
	assert_int_equal(attr.sample_stack_user, 1024);
	attr = configured_as("cycles/call-graph=fp/", &dwarf);
	assert_true(attr.sample_type & PERF_SAMPLE_CALLCHAIN);
	assert_false(attr.sample_type & STACK_TYPE);
	attr = configured_as("cycles/call-graph=no/", &dwarf);
	assert_false(attr.sample_type & (STACK_TYPE | PERF_SAMPLE_CALLCHAIN));
}

static void term_call_graph_lbr_requests_branch_stacks(void **state)
{
	struct perf_event_attr attr =
		configured_as("cycles/call-graph=lbr/", &usual);

	(void)state;
	assert_true(attr.sample_type & PERF_SAMPLE_BRANCH_STACK);
	assert_int_equal(attr.branch_sample_type,
		PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
			PERF_SAMPLE_BRANCH_NO_CYCLES |
			PERF_SAMPLE_BRANCH_NO_FLAGS);
}

static void braces_make_a_group_with_common_modifiers(void **state)
{
	struct selection selection;

	(void)state;
	add_first(
		"cs, {cycles:k , instructions/period=9/}:u,faults", &selection);
	assert_int_equal(selection.events.n, 4);
	assert_string_equal(selection.events.at[1].name, "cycles:k");
	assert_false(selection.events.at[1].attr.exclude_user ||
		selection.events.at[1].attr.exclude_kernel);
	assert_true(selection.events.at[2].attr.exclude_kernel);
	assert_int_equal(selection.events.at[2].period, 9);
	assert_string_equal(selection.events.at[3].name, "faults");
	assert_false(selection.events.at[3].attr.exclude_kernel);
	selection_deinit(&selection);
}

/* Returns the events of TEXT, with the attributes to open. */
static struct selection sampled_as(const char *text)
{
	const struct selection_sampling sampling = { .frequency = 100,
		.inherits = true };
	struct selection selection = { 0 };
	struct pmus pmus = { 0 };

	assert_no_error(event_select(&selection, text, &pmus));
	selection_configure(&selection, &sampling);
	groups_configure(&selection);
	return selection;
}

static void the_first_event_of_a_group_is_its_leader(void **state)
{
	struct selection selection =
		sampled_as("cs,{cycles,cs,faults}:De,{cs,cycles}");
	const struct selection_event *events = selection.events.at;
	static const size_t leaders[] = { 0, 1, 1, 1, 4, 4 };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(leaders); i++) {
		bool leads = leaders[i] == i;

		assert_int_equal(group_leader(&selection, i), leaders[i]);
		assert_int_equal(events[i].attr.disabled, leads);
		assert_int_equal(events[i].attr.pinned, i == 1);
		assert_int_equal(events[i].attr.exclusive, i == 1);
		assert_true(events[i].attr.sample_freq == 100);
		assert_false(events[i].attr.sample_type & PERF_SAMPLE_READ);
	}
	assert_int_equal(group_count_members(&selection, 3), 3);
	group_dissolve(&selection, 2);
	assert_int_equal(group_count_members(&selection, 2), 1);
	assert_int_equal(group_count_members(&selection, 5), 2);
	assert_true(events[2].attr.disabled);
	selection_deinit(&selection);
}

static void modifier_s_makes_the_leader_sample_for_its_group(void **state)
{
	struct selection selection =
		sampled_as("{cycles/call-graph=fp/,cs,faults/period=7/}:S");
	const struct selection_event *events = selection.events.at;
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		assert_true(events[i].attr.sample_type & PERF_SAMPLE_READ);
		assert_true(events[i].attr.sample_type & PERF_SAMPLE_CALLCHAIN);
		assert_true(events[i].attr.read_format & PERF_FORMAT_GROUP);
		assert_true(events[i].attr.read_format & PERF_FORMAT_ID);
		assert_true(events[i].attr.inherit);
	}
	assert_true(events[0].attr.freq && events[0].attr.sample_freq == 100);
	assert_false(events[1].attr.freq || events[1].attr.sample_freq);
	/* A member with its own period samples. */
	assert_true(!events[2].attr.freq && events[2].attr.sample_period == 7);
	selection_deinit(&selection);

	selection = sampled_as("cs:S,{cs/no-inherit/,faults}:S");
	events = selection.events.at;
	assert_true(events[0].attr.sample_type & PERF_SAMPLE_READ);
	assert_false(events[0].attr.read_format & PERF_FORMAT_GROUP);
	assert_true(events[0].attr.inherit);
	assert_false(events[1].attr.inherit || events[2].attr.inherit);
	selection_deinit(&selection);
}

static void breakpoints_have_address_length_and_access_type(void **state)
{
	static const struct {
		const char *text;
		uint64_t address, length;
		uint32_t type;
		bool no_kernel;
	} rows[] = {
		{ "mem:0x1000", 0x1000, 4, 3, false },
		{ "mem:4096:w", 0x1000, 4, 2, false },
		{ "mem:0x1000:x", 0x1000, sizeof(long), 4, false },
		{ "mem:0x1000/1:r:u", 0x1000, 1, 1, true },
		{ "mem:0x1000/8:rw/name=x/u", 0x1000, 8, 3, true },
		{ "mem:0x1000:u", 0x1000, 4, 3, true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct perf_event_attr attr =
			configured_as(rows[i].text, &usual);

		assert_int_equal(attr.type, PERF_TYPE_BREAKPOINT);
		assert_int_equal(attr.bp_addr, rows[i].address);
		assert_int_equal(attr.bp_len, rows[i].length);
		assert_int_equal(attr.bp_type, rows[i].type);
		assert_int_equal(attr.exclude_kernel, rows[i].no_kernel);
		assert_int_equal(attr.sample_period, 1);
	}
}

/* WANTED_CARETS is '^' below the invalid part of TEXT, blanks before. */
static void refuse(
	const char *text, const char *wanted, const char *wanted_carets)
{
	_cleanup_strbuf_ struct strbuf carets = { 0 };
	struct selection selection = { 0 };
	struct error *err = event_select(&selection, text, &no_pmus);

	assert_non_null(err);
	assert_int_equal(err->kind, ERROR_USAGE);
	assert_non_null(err->source);
	strbuf_fill(&carets, ' ', err->at);
	strbuf_fill(&carets, '^', err->length);
	assert_text(&carets, wanted_carets);
	assert_string_equal(err->source, text);
	assert_error(err, wanted);
	selection_deinit(&selection);
}

static void unknown_events_are_refused_with_a_suggestion(void **state)
{
	(void)state;
	refuse("cycels",
		"-e: there is no event 'cycels'; "
		"did you mean 'cycles'?",
		"^^^^^^");
	refuse("cycels:u",
		"-e: there is no event 'cycels'; "
		"did you mean 'cycles'?",
		"^^^^^^");
	refuse("cpu-clock,pagefaults",
		"-e: there is no event 'pagefaults'; "
		"did you mean 'page-faults'?",
		"          ^^^^^^^^^^");
	refuse("LLC-laods",
		"-e: there is no event 'LLC-laods'; "
		"did you mean 'LLC-loads'?",
		"^^^^^^^^^");
	refuse("quux", "-e: there is no event 'quux'; see: dwell list", "^^^^");
	refuse("r11112222333344445",
		"-e: there is no event "
		"'r11112222333344445'; see: dwell list",
		"^^^^^^^^^^^^^^^^^^");
	/* An operation that the cache cannot count is not an event. */
	refuse("iTLB-stores",
		"-e: there is no event 'iTLB-stores'; "
		"did you mean 'dTLB-stores'?",
		"^^^^^^^^^^^");
}

static void wrong_syntax_of_events_is_refused_with_its_position(void **state)
{
	(void)state;
	refuse("", "-e: an event is missing", "");
	refuse("cs,", "-e: an event is missing", "   ");
	refuse("cs,,cs", "-e: expected an event before ','", "   ^");
	refuse("cs cs", "-e: expected a comma before 'c'", "   ^");
	refuse("cs:", "-e: a name or a modifier is missing", "   ");
	refuse("{cs,cs", "-e: the closing '}' is missing", "^");
	refuse("{cs}}", "-e: expected a comma before '}'", "    ^");
	refuse("{cs/", "-e: the name of a term is missing", "    ");
	refuse("cs/period=", "-e: a value is missing", "          ");
	refuse("cs/period=3", "-e: the slash that ends the terms is missing",
		"  ^^^^^^^^^");
	refuse("cs/name='x/", "-e: the closing quote is missing", "        ^");
	refuse("mem:", "-e: an address is missing", "    ");
	refuse("uprobe:/bin/ls", "-e: ':' and a symbol is missing",
		"              ");
	refuse("uprobe::x", "-e: expected a path before ':'", "       ^");
}

static void unknown_and_repeated_modifiers_are_refused(void **state)
{
	(void)state;
	refuse("cycles:x",
		"-e: there is no modifier 'x'; use u, k, h, G, H, I, p, P, D, "
		"e, S or W",
		"       ^");
	refuse("cycles:ukz",
		"-e: there is no modifier 'z'; use u, k, h, G, H, I, p, P, D, "
		"e, S or W",
		"         ^");
	refuse("cycles:pppp", "-e: ppp is the highest precision",
		"          ^");
	refuse("cycles:uku", "-e: this modifier is repeated", "         ^");
	refuse("cycles:u:u",
		"-e: the event has modifiers twice; write them once, after the "
		"terms",
		"         ^");
	refuse("{cycles,cs}:uSS", "-e: this modifier is repeated",
		"              ^");
}

static void wrong_terms_are_refused_with_their_position(void **state)
{
	(void)state;
	refuse("cycles/perod=3/",
		"-e: there is no term 'perod'; "
		"did you mean 'period'?",
		"       ^^^^^");
	refuse("cycles/period/", "-e: period needs a value: period=...",
		"       ^^^^^^");
	refuse("cycles/period=0/",
		"-e: period: 0 is not between 1 and 9223372036854775807",
		"              ^");
	refuse("cycles/freq=09x/", "-e: freq: '09x' is not a number",
		"            ^^^");
	refuse("cycles/call-graph=dwrf/",
		"-e: call-graph: 'dwrf' is unknown; use fp, dwarf, bpf, lbr or "
		"auto; did you mean 'dwarf'?",
		"                  ^^^^");
	refuse("cycles/stack-size=70000/",
		"-e: stack-size: '70000' is not a size; a stack copy has 1 to "
		"65528 bytes",
		"                  ^^^^^");
	refuse("cycles/time=1/",
		"-e: dwell does not support perf's term 'time'",
		"            ^");
	refuse("nopmu/x=1/", "-e: there is no event or PMU 'nopmu'", "^^^^^");
}

static void wrong_breakpoints_are_refused_with_their_position(void **state)
{
	(void)state;
	refuse("mem:0x10/9",
		"-e: the length of a breakpoint is 1, 2, 4 or 8 bytes",
		"         ^");
	refuse("mem:0x10/3",
		"-e: the length of a breakpoint is 1, 2, 4 or 8 bytes",
		"         ^");
	refuse("mem:0x10:rr",
		"-e: a breakpoint has each access letter (r, w, x) once",
		"          ^");
	refuse("mem:0xzz", "-e: '0xzz' is not a number", "    ^^^^");
	refuse("mem:counter",
		"-e: 'counter' is not a number, and no command is given to "
		"look up a symbol in",
		"    ^^^^^^^");
}

static void unknown_fields_in_a_tracepoint_filter_are_found(void **state)
{
	static const char format[] =
		"\tfield:unsigned short common_type;\toffset:0;\n"
		"\tfield:char prev_comm[16];\toffset:8;\n"
		"\tfield:pid_t prev_pid;\toffset:24;\n"
		"\tfield:__data_loc char[] name;\toffset:32;\n";
	static const struct {
		const char *filter;
		size_t at, length; /* 0: nothing is wrong */
	} rows[] = {
		{ "prev_pid == 1", 0, 0 },
		{ "prev_pid==1&&prev_comm~\"foo && bar\"&&name!='x'", 0, 0 },
		{ "!(common_type & 3) || ((name == x))", 0, 0 },
		{ "comm == \"sh\" && cpu > 3", 0, 0 },
		{ "pid == 1", 0, 3 },
		{ "prev_pid == 1 && prev_pidd == 2", 17, 9 },
		{ "(prev_comm == \"a\") || (!bar)", 24, 3 },
		{ "name == \"open", 0, 0 },
		{ "", 0, 0 },
		{ "&&", 0, 0 },
		{ "prev_pid ==", 0, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t at = 0, length = 0;

		assert_int_equal(event_filter_find_fault(
					 rows[i].filter, format, &at, &length),
			rows[i].length > 0);
		assert_int_equal(at, rows[i].at);
		assert_int_equal(length, rows[i].length);
	}
}

static void add_core(
	struct pmus *pmus, const char *name, uint32_t type, const char *cpus)
{
	struct pmu *pmu = array_push(&pmus->list);

	pmu->name = xstrdup(name);
	pmu->type = type;
	pmu->is_core = cpus_parse(cpus, &pmu->cpus);
}

static void the_default_on_a_hybrid_machine_is_an_event_per_core_type(
	void **state)
{
	struct selection selection = { 0 };
	struct pmus pmus = { 0 };

	(void)state;
	add_core(&pmus, "cpu_core", 4, "0-3");
	add_core(&pmus, "cpu_atom", 10, "4-5");
	event_select_default(&selection, &pmus);
	assert_int_equal(selection.events.n, 2);
	assert_string_equal(selection.events.at[0].name, "cpu_core/cycles/P");
	assert_int_equal(selection.events.at[1].attr.config, 10ull << 32);
	assert_true(cpus_has(&selection.events.at[1].cpus, 5));
	assert_false(cpus_has(&selection.events.at[1].cpus, 3));
	assert_no_error(event_select(&selection, "cpu-clock", &pmus));
	assert_int_equal(selection.events.n, 3);
	selection_deinit(&selection);
	pmus_deinit(&pmus);
}

static struct perf_event_attr configured(
	const char *text, struct selection_sampling sampling)
{
	struct selection selection = { 0 };
	struct perf_event_attr attr;

	assert_no_error(event_select(&selection, text, &no_pmus));
	selection_configure(&selection, &sampling);
	attr = selection.events.at[0].attr;
	selection_deinit(&selection);
	return attr;
}

static void sampling_options_set_fields_of_the_attribute(void **state)
{
	struct perf_event_attr attr;

	(void)state;
	attr = configured("cycles",
		(struct selection_sampling){
			.frequency = 99, .inherits = true });
	assert_true(attr.freq);
	assert_int_equal(attr.sample_freq, 99);
	assert_true(attr.sample_type & PERF_SAMPLE_PERIOD);
	assert_false(attr.sample_type & PERF_SAMPLE_CALLCHAIN);
	assert_true(attr.inherit && attr.disabled && attr.sample_id_all);
	assert_false(attr.mmap || attr.comm || attr.task);

	attr = configured("cycles",
		(struct selection_sampling){ .period = 7,
			.is_explicit = true,
			.has_callchains = true,
			.starts_at_exec = true });
	assert_false(attr.freq);
	assert_int_equal(attr.sample_period, 7);
	assert_false(attr.sample_type & PERF_SAMPLE_PERIOD);
	assert_true(attr.sample_type & PERF_SAMPLE_CALLCHAIN);
	assert_true(attr.enable_on_exec);
}

static void the_sideband_event_requests_all_sideband_records(void **state)
{
	struct perf_event_attr wide = selection_sideband(false, true);
	struct perf_event_attr task = selection_sideband(true, false);

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
		cmocka_unit_test(event_names_and_modifiers_become_attributes),
		cmocka_unit_test(a_list_with_commas_adds_each_event),
		cmocka_unit_test(
			modifiers_set_exclusions_and_pinning_of_the_attribute),
		cmocka_unit_test(terms_between_slashes_set_fields_of_the_event),
		cmocka_unit_test(
			probes_follow_children_without_inherited_events),
		cmocka_unit_test(
			terms_call_graph_and_stack_size_request_stack_copies),
		cmocka_unit_test(term_call_graph_lbr_requests_branch_stacks),
		cmocka_unit_test(braces_make_a_group_with_common_modifiers),
		cmocka_unit_test(the_first_event_of_a_group_is_its_leader),
		cmocka_unit_test(
			modifier_s_makes_the_leader_sample_for_its_group),
		cmocka_unit_test(
			breakpoints_have_address_length_and_access_type),
		cmocka_unit_test(unknown_events_are_refused_with_a_suggestion),
		cmocka_unit_test(
			wrong_syntax_of_events_is_refused_with_its_position),
		cmocka_unit_test(unknown_and_repeated_modifiers_are_refused),
		cmocka_unit_test(wrong_terms_are_refused_with_their_position),
		cmocka_unit_test(
			wrong_breakpoints_are_refused_with_their_position),
		cmocka_unit_test(
			unknown_fields_in_a_tracepoint_filter_are_found),
		cmocka_unit_test(
			the_default_on_a_hybrid_machine_is_an_event_per_core_type),
		cmocka_unit_test(sampling_options_set_fields_of_the_attribute),
		cmocka_unit_test(
			the_sideband_event_requests_all_sideband_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
