/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "common/util/log.h"
#include "tests/unit/make_folder.h"
#include "record/event/kernel_features.h"
#include "record/event/open_fallback.h"

#define OPENED 1000
#define CORE_P 4u  /* type of the first kind of core */
#define CORE_E 10u /* and of the second */

/*
 * What kernels of several ages take: how many flags of the attr, bits of
 * sample_type and of read_format they know, and how long their attr is (the
 * history of linux/perf_event.h).
 */
static const struct kernel {
	const char *version;
	unsigned n_flags, n_sample_bits, n_read_bits;
	uint32_t attr_size;
	bool has_max_stack, reads_children;
} kernels[] = {
	{ "3.16", 25, 18, 4, 96, false, false },
	{ "4.4", 27, 19, 4, 112, false, false },
	{ "4.19", 29, 20, 4, 112, true, false },
	{ "5.4", 32, 20, 4, 112, true, false },
	{ "5.15", 38, 25, 4, 128, true, false },
	{ "6.1", 38, 25, 5, 128, true, false },
	{ "6.19", 40, 25, 5, 144, true, true },
};

/* A machine and who asks, for a made-up perf_event_open(). */
struct machine {
	const struct kernel *kernel;
	int64_t paranoid;	 /* 3 and above as Debian's kernels have it */
	bool is_free;		 /* CAP_PERFMON */
	bool has_counters;	 /* hardware events; else ENOENT */
	unsigned max_precise[2]; /* of the kinds of core */
	int precise_errno;	 /* EOPNOTSUPP if 0 */
	bool refuses_guest;	 /* exclude_guest: EINVAL */
	bool is_used_up;	 /* the counters: EBUSY */
	unsigned calls;
};

static const struct kernel *kernel_of(const char *version)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kernels); i++)
		if (string_is(kernels[i].version, version))
			return &kernels[i];
	fail();
	return NULL;
}

/* kernel/events/core.c, perf_copy_attr(). */
static int check_attr(const struct kernel *kernel, struct perf_event_attr *attr)
{
	const uint8_t *raw = (const uint8_t *)attr;
	unsigned bit;
	size_t i;

	for (i = kernel->attr_size; i < attr->size && i < sizeof(*attr); i++)
		if (raw[i]) {
			attr->size = kernel->attr_size;
			return E2BIG;
		}
	for (bit = kernel->n_flags; bit < 64; bit++)
		if (offer_flag_is_set(attr, bit))
			return EINVAL;
	if (attr->sample_type >> kernel->n_sample_bits ||
		attr->read_format >> kernel->n_read_bits ||
		(attr->sample_max_stack && !kernel->has_max_stack) ||
		(attr->clockid && !attr->use_clockid))
		return EINVAL;
	if (attr->inherit && attr->sample_type & PERF_SAMPLE_READ &&
		!kernel->reads_children)
		return EINVAL;
	return 0;
}

static int check_rights(const struct machine *machine,
	const struct perf_event_attr *attr, pid_t pid)
{
	if (machine->is_free)
		return 0;
	if (machine->paranoid > 2 ||
		(machine->paranoid > 1 && !attr->exclude_kernel) ||
		(machine->paranoid > 0 && pid < 0) ||
		attr->sample_type & PERF_SAMPLE_PHYS_ADDR ||
		offer_flag_is_set(attr, 28 /* namespaces */))
		return EACCES;
	return 0;
}

static int check_pmu(
	const struct machine *machine, const struct perf_event_attr *attr)
{
	unsigned core = attr->config >> 32 == CORE_E;

	if (attr->type == PERF_TYPE_SOFTWARE)
		return attr->sample_type & PERF_SAMPLE_BRANCH_STACK
			? EOPNOTSUPP
			: 0;
	if (!machine->has_counters)
		return ENOENT;
	if (machine->refuses_guest && attr->exclude_guest)
		return EINVAL;
	if (attr->precise_ip > machine->max_precise[core])
		return machine->precise_errno ? machine->precise_errno
					      : EOPNOTSUPP;
	return machine->is_used_up ? EBUSY : 0;
}

static int open_fake(const struct opener *opener,
	const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	struct machine *machine = opener->data;

	(void)cpu;
	machine->calls++;
	/* The one thing that the kernel writes to an attr is its size. */
	errno = check_attr(machine->kernel, (struct perf_event_attr *)attr);
	if (!errno)
		errno = check_rights(machine, attr, pid);
	if (!errno)
		errno = check_pmu(machine, attr);
	return errno ? -1 : OPENED;
}

static struct machine machine_of(const char *version)
{
	return (struct machine){
		.kernel = kernel_of(version),
		.is_free = true,
		.has_counters = true,
		.max_precise = { 3, 3 },
	};
}

static const struct pmus no_pmus;

/* The events of TEXT, or the default ones, as they are asked for at first. */
static struct selection selection_of(const char *text, const struct pmus *pmus)
{
	struct selection selection = { 0 };
	struct sampling sampling = { .frequency = 100 };

	if (text)
		assert_no_error(selection_add(&selection, text, pmus));
	else
		selection_add_default(&selection, pmus);
	selection_configure(&selection, &sampling);
	return selection;
}

/* What becomes of the event TEXT (NULL: the default) on MACHINE. */
static int probe_named(
	struct machine *machine, const char *text, struct selection *selection)
{
	struct opener opener = { .open = open_fake, .data = machine };
	struct probe_limits limits = { 0 };

	*selection = selection_of(text, &no_pmus);
	return probe_event(&opener, &selection->events.at[0], 0, 0, &limits);
}

static void becomes(struct machine machine, const char *text, const char *name,
	unsigned precise)
{
	struct selection selection;

	assert_int_equal(probe_named(&machine, text, &selection), OPENED);
	assert_string_equal(selection.events.at[0].name, name);
	assert_int_equal(selection.events.at[0].attr.precise_ip, precise);
	selection_deinit(&selection);
}

static void fails(struct machine machine, const char *text, int errnum)
{
	struct selection selection;

	assert_int_equal(probe_named(&machine, text, &selection), -1);
	assert_int_equal(errno, errnum);
	selection_deinit(&selection);
}

static void test_precision_goes_down_until_it_opens(void **state)
{
	struct machine machine = machine_of("6.1");
	unsigned precise;

	(void)state;
	for (precise = 4; precise-- > 0;) {
		machine.max_precise[0] = precise;
		machine.precise_errno = 0;
		becomes(machine, NULL, "cycles:P", precise);
		becomes(machine, "instructions:P", "instructions:P", precise);
		machine.precise_errno = EINVAL;
		becomes(machine, NULL, "cycles:P", precise);
	}
	/* Who named a precision keeps it, or nothing. */
	machine.max_precise[0] = 1;
	becomes(machine, "cycles:p", "cycles:p", 1);
	fails(machine, "cycles:pp", EINVAL);
}

static void test_machine_without_pmu(void **state)
{
	struct machine machine = machine_of("6.1");

	(void)state;
	machine.has_counters = false;
	becomes(machine, NULL, "cpu-clock", 0);
	becomes(machine, "cycles", "cpu-clock", 0);
	/* But for cycles, nobody gets another event than asked for. */
	fails(machine, "instructions", ENOENT);
	fails(machine, "cycles:pp", ENOENT);
	machine.is_free = false;
	machine.paranoid = 2;
	becomes(machine, NULL, "cpu-clock:u", 0);
}

static void test_user_gets_his_own_part(void **state)
{
	struct machine machine = machine_of("6.1");

	(void)state;
	machine.is_free = false;
	machine.paranoid = 2;
	machine.max_precise[0] = 1;
	becomes(machine, NULL, "cycles:Pu", 1);
	becomes(machine, "cycles", "cycles:u", 0);
	becomes(machine, "cycles:u", "cycles:u", 0);
	fails(machine, "cycles:k", EACCES);
	machine.paranoid = 1;
	becomes(machine, NULL, "cycles:P", 1);
}

/* Debian and Ubuntu: nothing for anybody, and no other event helps. */
static void test_paranoid_3_refuses_everything(void **state)
{
	struct machine machine = machine_of("6.1");
	struct selection selection;

	(void)state;
	machine.is_free = false;
	machine.paranoid = 3;
	assert_int_equal(probe_named(&machine, NULL, &selection), -1);
	assert_int_equal(errno, EACCES);
	/* It says what was tried last: user space alone. */
	assert_true(selection.events.at[0].attr.exclude_kernel);
	assert_int_equal(selection.events.at[0].attr.type, PERF_TYPE_HARDWARE);
	assert_true(machine.calls < 10);
	selection_deinit(&selection);
}

static void test_failure_leaves_the_event_as_asked(void **state)
{
	struct machine machine = machine_of("5.4");
	struct selection selection;
	const struct selected *event;

	(void)state;
	machine.is_used_up = true;
	assert_int_equal(
		probe_named(&machine, "instructions:P", &selection), -1);
	assert_int_equal(errno, EBUSY);
	event = &selection.events.at[0];
	assert_int_equal(event->attr.precise_ip, 3);
	assert_true(event->seeks_precise);
	assert_string_equal(event->name, "instructions:P");
	selection_deinit(&selection);
}

static void test_pmu_that_knows_no_guests(void **state)
{
	struct machine machine = machine_of("6.1");
	struct opener opener = { .open = open_fake, .data = &machine };
	struct selection selection = selection_of(NULL, &no_pmus);
	struct perf_event_attr attr = event_sideband(false, true);
	struct probe_limits limits = { 0 };
	const struct perf_event_attr *found = &selection.events.at[0].attr;

	(void)state;
	machine.refuses_guest = true;
	machine.max_precise[0] = 2;
	/* A software event takes it; that says nothing about the PMU. */
	probe_sideband(&opener, &attr, -1, 0, &limits);
	assert_true(attr.exclude_guest);
	machine.calls = 0;
	assert_int_equal(
		probe_event(&opener, &selection.events.at[0], -1, 0, &limits),
		OPENED);
	/* What the sideband event has is not at fault. */
	assert_int_equal(machine.calls, 3);
	assert_int_equal(found->precise_ip, 2);
	assert_false(found->exclude_guest);
	assert_int_equal(found->type, PERF_TYPE_HARDWARE);
	selection_deinit(&selection);
}

/* EINVAL for precision says nothing about what was tried before it. */
static void test_what_did_not_help_is_put_back(void **state)
{
	struct machine machine = machine_of("6.1");
	struct opener opener = { .open = open_fake, .data = &machine };
	struct selection selection = selection_of(NULL, &no_pmus);
	const struct perf_event_attr *found = &selection.events.at[0].attr;
	struct probe_limits limits = { 0 };

	(void)state;
	machine.max_precise[0] = 2;
	machine.precise_errno = EINVAL;
	assert_int_equal(
		probe_event(&opener, &selection.events.at[0], -1, 0, &limits),
		OPENED);
	assert_int_equal(found->precise_ip, 2);
	assert_true(found->exclude_guest && found->use_clockid);
	assert_int_equal(limits.lacking, 0);
	selection_deinit(&selection);
}

/* Which offers an attr that asks for all of them keeps on a kernel. */
static void kept_on(const char *version, const char *oldest_lacking)
{
	struct machine machine = machine_of(version);
	struct opener opener = { .open = open_fake, .data = &machine };
	struct perf_event_attr attr = event_sideband(false, true);
	struct probe_limits limits = { 0 };
	bool is_lacking = oldest_lacking;
	size_t i;

	for (i = 0; i < n_offers; i++)
		offer_put(&offers[i], &attr);
	assert_int_equal(
		probe_sideband(&opener, &attr, -1, 0, &limits), OPENED);
	for (i = 0; i < n_offers; i++) {
		bool is_kept = offer_is_in(&offers[i], &attr);

		if (is_kept == is_lacking)
			fail_msg("Linux %s: %s is %s", version, offers[i].name,
				is_kept ? "kept" : "lost");
		if (is_lacking && string_is(offers[i].name, oldest_lacking))
			is_lacking = false;
	}
	assert_false(is_lacking);
	assert_true(attr.mmap && attr.comm && attr.task);
	/* One step per offer, and what was learned is not tried again. */
	assert_in_range(machine.calls, 1, n_offers + 2);
	machine.calls = 0;
	for (i = 0; i < n_offers; i++)
		offer_put(&offers[i], &attr);
	assert_int_equal(
		probe_sideband(&opener, &attr, -1, 0, &limits), OPENED);
	assert_int_equal(machine.calls, 1);
}

static void test_old_kernels_get_what_they_know(void **state)
{
	(void)state;
	kept_on("3.16", "times of a clock that can be named");
	kept_on("4.4", "a limit for the depth of call chains");
	kept_on("4.19", "names of BPF programs");
	kept_on("5.4", "the cgroup of a sample");
	kept_on("5.15", "exact counts of lost samples");
	kept_on("6.1", "counters of children beside samples");
	kept_on("6.19", NULL);
}

/* A kernel of 3.16 gets an attr that it takes, sideband and event. */
static void test_sampling_on_old_kernels(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct machine machine = machine_of(kernels[i].version);
		struct opener opener = { .open = open_fake, .data = &machine };
		struct perf_event_attr attr = event_sideband(true, true);
		struct selection selection = selection_of(NULL, &no_pmus);
		struct probe_limits limits = { 0 };

		assert_int_equal(
			probe_sideband(&opener, &attr, -1, 0, &limits), OPENED);
		machine.calls = 0;
		assert_int_equal(probe_event(&opener, &selection.events.at[0],
					 -1, 0, &limits),
			OPENED);
		assert_int_equal(machine.calls, 1);
		assert_string_equal(selection.events.at[0].name, "cycles:P");
		assert_int_equal(attr.use_clockid,
			!string_is("3.16", kernels[i].version));
		assert_int_equal(
			attr.clockid, attr.use_clockid ? CLOCK_MONOTONIC : 0);
		selection_deinit(&selection);
	}
}

/* What stands behind the kernel's struct is cut if it can be done without. */
static void test_attr_larger_than_the_kernels(void **state)
{
	struct machine machine = machine_of("3.16");
	struct opener opener = { .open = open_fake, .data = &machine };
	struct probe_limits limits = { 0 };
	struct selection selection = selection_of("cpu-clock", &no_pmus);
	struct perf_event_attr *attr = &selection.events.at[0].attr;

	(void)state;
	attr->sample_max_stack = 64;
	assert_int_equal(
		probe_event(&opener, &selection.events.at[0], 0, 0, &limits),
		OPENED);
	assert_int_equal(attr->sample_max_stack, 0);
	assert_int_equal(attr->size, 96);
	/* Registers are no addition: without them it is another event. */
	attr->size = sizeof(*attr);
	attr->sample_regs_intr = 1;
	assert_int_equal(
		probe_event(&opener, &selection.events.at[0], 0, 0, &limits),
		-1);
	assert_int_equal(errno, E2BIG);
	assert_int_equal(attr->sample_regs_intr, 1);
	assert_int_equal(attr->size, sizeof(*attr));
	selection_deinit(&selection);
}

static int open_too_big(const struct opener *opener,
	const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	unsigned *calls = opener->data;

	(void)attr;
	(void)pid;
	(void)cpu;
	assert_true(++*calls < 10);
	errno = E2BIG;
	return -1;
}

static void test_kernel_that_names_no_size(void **state)
{
	unsigned calls = 0;
	struct opener opener = { .open = open_too_big, .data = &calls };
	struct perf_event_attr attr = event_sideband(false, true);
	struct probe_limits limits = { 0 };

	(void)state;
	assert_int_equal(probe_sideband(&opener, &attr, -1, 0, &limits), -1);
	assert_int_equal(errno, E2BIG);
	assert_true(attr.build_id);
}

static void test_counters_of_children_need_6_13(void **state)
{
	struct machine machine = machine_of("6.1");
	struct opener opener = { .open = open_fake, .data = &machine };
	struct selection selection = selection_of("cpu-clock", &no_pmus);
	struct perf_event_attr *attr = &selection.events.at[0].attr;
	struct probe_limits limits = { 0 };

	(void)state;
	attr->sample_type |= PERF_SAMPLE_READ;
	attr->inherit = 1;
	assert_int_equal(
		probe_event(&opener, &selection.events.at[0], 0, 0, &limits),
		OPENED);
	assert_false(attr->sample_type & PERF_SAMPLE_READ);
	assert_true(attr->inherit);
	/* Without children old kernels do it, also once that is known. */
	attr->sample_type |= PERF_SAMPLE_READ;
	attr->inherit = 0;
	probe_event(&opener, &selection.events.at[0], 0, 0, &limits);
	assert_true(attr->sample_type & PERF_SAMPLE_READ);
	selection_deinit(&selection);
}

/* The attr of cycles that carries what CARRIED says, on MACHINE. */
static int carry(struct machine *machine, const struct carried *carried,
	struct selection *selection)
{
	struct opener opener = { .open = open_fake, .data = machine };
	struct probe_limits limits = { 0 };

	*selection = selection_of("cycles", &no_pmus);
	carried_apply(carried, &selection->events.at[0].attr);
	return probe_event(&opener, &selection->events.at[0], 0, 0, &limits);
}

static void test_weights_are_what_the_kernel_has(void **state)
{
	const struct carried carried = { .weights = true, .data_page = true };
	struct machine machine = machine_of("6.1");
	struct selection selection;
	uint64_t type;

	(void)state;
	assert_int_equal(carry(&machine, &carried, &selection), OPENED);
	type = selection.events.at[0].attr.sample_type;
	assert_true(type & PERF_SAMPLE_WEIGHT_STRUCT);
	assert_false(type & PERF_SAMPLE_WEIGHT);
	assert_true(type & PERF_SAMPLE_DATA_PAGE_SIZE);
	selection_deinit(&selection);

	machine = machine_of("5.4");
	assert_int_equal(carry(&machine, &carried, &selection), OPENED);
	type = selection.events.at[0].attr.sample_type;
	assert_false(type & PERF_SAMPLE_WEIGHT_STRUCT);
	assert_true(type & PERF_SAMPLE_WEIGHT);
	assert_false(type & PERF_SAMPLE_DATA_PAGE_SIZE);
	selection_deinit(&selection);
}

static void test_physical_addresses_need_a_right(void **state)
{
	const struct carried carried = { .data = true, .physical = true };
	struct machine machine = machine_of("6.1");
	struct selection selection;

	(void)state;
	machine.is_free = false;
	assert_int_equal(carry(&machine, &carried, &selection), OPENED);
	assert_true(selection.events.at[0].attr.sample_type & PERF_SAMPLE_ADDR);
	assert_false(selection.events.at[0].attr.sample_type &
		PERF_SAMPLE_PHYS_ADDR);
	/* The kernel's part isn't at fault. */
	assert_false(selection.events.at[0].attr.exclude_kernel);
	selection_deinit(&selection);
}

/* Who asks for branches isn't given a timer, which has none. */
static void test_branches_need_a_counter(void **state)
{
	struct carried carried = { 0 };
	struct machine machine = machine_of("6.1");
	struct selection selection;
	const struct perf_event_attr *attr;

	(void)state;
	assert_no_error(carried_parse_branches("any_call,u", &carried.branches));
	assert_int_equal(carry(&machine, &carried, &selection), OPENED);
	attr = &selection.events.at[0].attr;
	assert_true(attr->sample_type & PERF_SAMPLE_BRANCH_STACK);
	assert_true(attr->branch_sample_type ==
		(PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_USER));
	selection_deinit(&selection);

	machine.has_counters = false;
	assert_int_equal(carry(&machine, &carried, &selection), -1);
	assert_int_equal(errno, EOPNOTSUPP);
	assert_string_equal(selection.events.at[0].name, "cycles");
	assert_int_equal(
		selection.events.at[0].attr.type, PERF_TYPE_HARDWARE);
	selection_deinit(&selection);
}

static void test_namespaces_need_a_right(void **state)
{
	struct machine machine = machine_of("6.1");
	struct opener opener = { .open = open_fake, .data = &machine };
	struct perf_event_attr attr = event_sideband(true, false);
	struct probe_limits limits = { 0 };

	(void)state;
	machine.is_free = false;
	machine.paranoid = 2;
	offer_set_flag(&attr, 28);
	assert_int_equal(probe_sideband(&opener, &attr, 7, 0, &limits), OPENED);
	assert_false(offer_flag_is_set(&attr, 28));
	assert_true(attr.build_id && attr.mmap2);
}

/* A folder as /sys/bus/event_source/devices. */
static void test_hybrid_cores_have_their_own_precision(void **state)
{
	struct machine machine = machine_of("6.1");
	struct opener opener = { .open = open_fake, .data = &machine };
	struct probe_limits limits = { 0 };
	struct selection selection;
	struct folder folder;
	struct pmus pmus;

	(void)state;
	folder_make(&folder);
	folder_put(&folder, "cpu_core/type", "4\n");
	folder_put(&folder, "cpu_core/cpus", "0-1\n");
	folder_put(&folder, "cpu_atom/type", "10\n");
	folder_put(&folder, "cpu_atom/cpus", "2-5\n");
	pmus_read(folder.path, &pmus);
	assert_true(pmus_is_hybrid(&pmus));
	selection = selection_of(NULL, &pmus);
	assert_int_equal(selection.events.n, 2);
	machine.max_precise[0] = 3;
	machine.max_precise[1] = 1;
	array_each (&selection.events, event)
		assert_int_equal(
			probe_event(&opener, event, -1, 0, &limits), OPENED);
	assert_string_equal(selection.events.at[0].name, "cpu_core/cycles/P");
	assert_int_equal(selection.events.at[0].attr.config >> 32, CORE_P);
	assert_int_equal(selection.events.at[0].attr.precise_ip, 3);
	assert_string_equal(selection.events.at[1].name, "cpu_atom/cycles/P");
	assert_int_equal(selection.events.at[1].attr.precise_ip, 1);
	selection_deinit(&selection);
	pmus_deinit(&pmus);
	folder_remove(&folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_precision_goes_down_until_it_opens),
		cmocka_unit_test(test_machine_without_pmu),
		cmocka_unit_test(test_user_gets_his_own_part),
		cmocka_unit_test(test_paranoid_3_refuses_everything),
		cmocka_unit_test(test_failure_leaves_the_event_as_asked),
		cmocka_unit_test(test_pmu_that_knows_no_guests),
		cmocka_unit_test(test_what_did_not_help_is_put_back),
		cmocka_unit_test(test_old_kernels_get_what_they_know),
		cmocka_unit_test(test_sampling_on_old_kernels),
		cmocka_unit_test(test_attr_larger_than_the_kernels),
		cmocka_unit_test(test_kernel_that_names_no_size),
		cmocka_unit_test(test_counters_of_children_need_6_13),
		cmocka_unit_test(test_weights_are_what_the_kernel_has),
		cmocka_unit_test(test_physical_addresses_need_a_right),
		cmocka_unit_test(test_branches_need_a_counter),
		cmocka_unit_test(test_namespaces_need_a_right),
		cmocka_unit_test(test_hybrid_cores_have_their_own_precision),
	};

	log_set_level(LOG_QUIET);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
