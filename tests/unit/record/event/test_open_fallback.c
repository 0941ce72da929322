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
#define CORE_P 4u  /* PMU type of the first core type */
#define CORE_E 10u /* of the second core type */

/*
 * Limits of kernel versions: the number of attribute flags, of bits of
 * sample_type and of read_format, and the size of the attribute (the history of
 * linux/perf_event.h).
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

/* A machine and user, for a simulated perf_event_open(). */
struct machine {
	const struct kernel *kernel;
	int64_t paranoid;	  /* 3 and above: Debian kernels */
	bool has_perfmon;	  /* CAP_PERFMON */
	bool has_counters;	  /* hardware events, or ENOENT */
	unsigned max_precise[2];  /* per core type */
	int precise_errno;	  /* EOPNOTSUPP if 0 */
	bool refuses_guest;	  /* EINVAL for exclude_guest */
	bool has_no_free_counter; /* EBUSY */
	unsigned calls;
};

static const struct kernel *kernel_of_version(const char *version)
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
		if (kernel_feature_flag_is_set(attr, bit))
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

static int check_privileges(const struct machine *machine,
	const struct perf_event_attr *attr, pid_t pid)
{
	if (machine->has_perfmon)
		return 0;
	if (machine->paranoid > 2 ||
		(machine->paranoid > 1 && !attr->exclude_kernel) ||
		(machine->paranoid > 0 && pid < 0) ||
		attr->sample_type & PERF_SAMPLE_PHYS_ADDR ||
		kernel_feature_flag_is_set(attr, 28 /* namespaces */))
		return EACCES;
	return 0;
}

static int check_pmu(
	const struct machine *machine, const struct perf_event_attr *attr)
{
	unsigned core = attr->config >> 32 == CORE_E;

	if (attr->type == PERF_TYPE_SOFTWARE)
		return attr->sample_type & PERF_SAMPLE_BRANCH_STACK ? EOPNOTSUPP
								    : 0;
	if (!machine->has_counters)
		return ENOENT;
	if (machine->refuses_guest && attr->exclude_guest)
		return EINVAL;
	if (attr->precise_ip > machine->max_precise[core])
		return machine->precise_errno ? machine->precise_errno
					      : EOPNOTSUPP;
	return machine->has_no_free_counter ? EBUSY : 0;
}

static int open_fake(const struct opener *opener,
	const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	struct machine *machine = opener->data;

	(void)cpu;
	machine->calls++;
	/* The kernel writes only the size of the attribute. */
	errno = check_attr(machine->kernel, (struct perf_event_attr *)attr);
	if (!errno)
		errno = check_privileges(machine, attr, pid);
	if (!errno)
		errno = check_pmu(machine, attr);
	return errno ? -1 : OPENED;
}

static struct machine machine_of(const char *version)
{
	return (struct machine){
		.kernel = kernel_of_version(version),
		.has_perfmon = true,
		.has_counters = true,
		.max_precise = { 3, 3 },
	};
}

static const struct pmus no_pmus;

/*
 * Returns the events of TEXT (NULL: default events), as configured for the
 * first attempt.
 */
static struct selection configured_selection(
	const char *text, const struct pmus *pmus)
{
	struct selection selection = { 0 };
	struct selection_sampling sampling = { .frequency = 100 };

	if (text)
		assert_no_error(event_select(&selection, text, pmus));
	else
		event_select_default(&selection, pmus);
	selection_configure(&selection, &sampling);
	return selection;
}

/* Opens the event TEXT (NULL: default event) on MACHINE. */
static int probe_named(
	struct machine *machine, const char *text, struct selection *selection)
{
	struct opener opener = { .open = open_fake, .data = machine };
	struct open_fallback limits = { 0 };

	*selection = configured_selection(text, &no_pmus);
	return open_fallback_event(
		&opener, &selection->events.at[0], 0, 0, &limits);
}

static void assert_opens_as(struct machine machine, const char *text,
	const char *name, unsigned precise)
{
	struct selection selection;

	assert_int_equal(probe_named(&machine, text, &selection), OPENED);
	assert_string_equal(selection.events.at[0].name, name);
	assert_int_equal(selection.events.at[0].attr.precise_ip, precise);
	selection_deinit(&selection);
}

static void assert_open_fails(
	struct machine machine, const char *text, int errnum)
{
	struct selection selection;

	assert_int_equal(probe_named(&machine, text, &selection), -1);
	assert_int_equal(errno, errnum);
	selection_deinit(&selection);
}

static void precision_is_reduced_until_the_event_opens(void **state)
{
	struct machine machine = machine_of("6.1");
	unsigned precise;

	(void)state;
	for (precise = 4; precise-- > 0;) {
		machine.max_precise[0] = precise;
		machine.precise_errno = 0;
		assert_opens_as(machine, NULL, "cycles:P", precise);
		assert_opens_as(
			machine, "instructions:P", "instructions:P", precise);
		machine.precise_errno = EINVAL;
		assert_opens_as(machine, NULL, "cycles:P", precise);
	}
	/* An explicit precision is not reduced. */
	machine.max_precise[0] = 1;
	assert_opens_as(machine, "cycles:p", "cycles:p", 1);
	assert_open_fails(machine, "cycles:pp", EINVAL);
}

static void cycles_falls_back_to_cpu_clock_without_a_pmu(void **state)
{
	struct machine machine = machine_of("6.1");

	(void)state;
	machine.has_counters = false;
	assert_opens_as(machine, NULL, "cpu-clock", 0);
	assert_opens_as(machine, "cycles", "cpu-clock", 0);
	/* Only cycles is replaced by another event. */
	assert_open_fails(machine, "instructions", ENOENT);
	assert_open_fails(machine, "cycles:pp", ENOENT);
	machine.has_perfmon = false;
	machine.paranoid = 2;
	assert_opens_as(machine, NULL, "cpu-clock:u", 0);
}

static void an_unprivileged_user_samples_user_space_only(void **state)
{
	struct machine machine = machine_of("6.1");

	(void)state;
	machine.has_perfmon = false;
	machine.paranoid = 2;
	machine.max_precise[0] = 1;
	assert_opens_as(machine, NULL, "cycles:Pu", 1);
	assert_opens_as(machine, "cycles", "cycles:u", 0);
	assert_opens_as(machine, "cycles:u", "cycles:u", 0);
	assert_open_fails(machine, "cycles:k", EACCES);
	machine.paranoid = 1;
	assert_opens_as(machine, NULL, "cycles:P", 1);
}

/* Debian and Ubuntu: no event can be opened, and no fallback helps. */
static void perf_event_paranoid_3_refuses_all_events(void **state)
{
	struct machine machine = machine_of("6.1");
	struct selection selection;

	(void)state;
	machine.has_perfmon = false;
	machine.paranoid = 3;
	assert_int_equal(probe_named(&machine, NULL, &selection), -1);
	assert_int_equal(errno, EACCES);
	/* The attribute is that of the last attempt: user space only. */
	assert_true(selection.events.at[0].attr.exclude_kernel);
	assert_int_equal(selection.events.at[0].attr.type, PERF_TYPE_HARDWARE);
	assert_true(machine.calls < 10);
	selection_deinit(&selection);
}

static void an_event_that_cannot_be_opened_keeps_its_attribute(void **state)
{
	struct machine machine = machine_of("5.4");
	struct selection selection;
	const struct selection_event *event;

	(void)state;
	machine.has_no_free_counter = true;
	assert_int_equal(
		probe_named(&machine, "instructions:P", &selection), -1);
	assert_int_equal(errno, EBUSY);
	event = &selection.events.at[0];
	assert_int_equal(event->attr.precise_ip, 3);
	assert_true(event->seeks_precise);
	assert_string_equal(event->name, "instructions:P");
	selection_deinit(&selection);
}

static void exclude_guest_is_removed_for_a_pmu_that_refuses_it(void **state)
{
	struct machine machine = machine_of("6.1");
	struct opener opener = { .open = open_fake, .data = &machine };
	struct selection selection = configured_selection(NULL, &no_pmus);
	struct perf_event_attr attr = selection_sideband(false, true);
	struct open_fallback limits = { 0 };
	const struct perf_event_attr *found = &selection.events.at[0].attr;

	(void)state;
	machine.refuses_guest = true;
	machine.max_precise[0] = 2;
	/* A software event accepts exclude_guest, but the PMU may not. */
	open_fallback_sideband(&opener, &attr, -1, 0, &limits);
	assert_true(attr.exclude_guest);
	machine.calls = 0;
	assert_int_equal(open_fallback_event(&opener, &selection.events.at[0],
				 -1, 0, &limits),
		OPENED);
	/* The features of the sideband event are not removed again. */
	assert_int_equal(machine.calls, 3);
	assert_int_equal(found->precise_ip, 2);
	assert_false(found->exclude_guest);
	assert_int_equal(found->type, PERF_TYPE_HARDWARE);
	selection_deinit(&selection);
}

/*
 * EINVAL for the precision leaves features that were removed before unresolved:
 * they are added again.
 */
static void fields_removed_without_effect_are_restored(void **state)
{
	struct machine machine = machine_of("6.1");
	struct opener opener = { .open = open_fake, .data = &machine };
	struct selection selection = configured_selection(NULL, &no_pmus);
	const struct perf_event_attr *found = &selection.events.at[0].attr;
	struct open_fallback limits = { 0 };

	(void)state;
	machine.max_precise[0] = 2;
	machine.precise_errno = EINVAL;
	assert_int_equal(open_fallback_event(&opener, &selection.events.at[0],
				 -1, 0, &limits),
		OPENED);
	assert_int_equal(found->precise_ip, 2);
	assert_true(found->exclude_guest && found->use_clockid);
	assert_int_equal(limits.lacking, 0);
	selection_deinit(&selection);
}

/*
 * Checks which requested kernel features VERSION keeps. Features newer than
 * OLDEST_LACKING are lost.
 */
static void assert_kept_features(
	const char *version, const char *oldest_lacking)
{
	struct machine machine = machine_of(version);
	struct opener opener = { .open = open_fake, .data = &machine };
	struct perf_event_attr attr = selection_sideband(false, true);
	struct open_fallback limits = { 0 };
	bool is_lacking = oldest_lacking;
	size_t i;

	for (i = 0; i < n_kernel_features; i++)
		kernel_feature_add(&kernel_features[i], &attr);
	assert_int_equal(
		open_fallback_sideband(&opener, &attr, -1, 0, &limits), OPENED);
	for (i = 0; i < n_kernel_features; i++) {
		bool is_kept = kernel_feature_is_in(&kernel_features[i], &attr);

		if (is_kept == is_lacking)
			fail_msg("Linux %s: %s is %s", version,
				kernel_features[i].name,
				is_kept ? "kept" : "lost");
		if (is_lacking &&
			string_is(kernel_features[i].name, oldest_lacking))
			is_lacking = false;
	}
	assert_false(is_lacking);
	assert_true(attr.mmap && attr.comm && attr.task);
	/*
	 * At most one attempt per feature. Known results are not tried again.
	 */
	assert_in_range(machine.calls, 1, n_kernel_features + 2);
	machine.calls = 0;
	for (i = 0; i < n_kernel_features; i++)
		kernel_feature_add(&kernel_features[i], &attr);
	assert_int_equal(
		open_fallback_sideband(&opener, &attr, -1, 0, &limits), OPENED);
	assert_int_equal(machine.calls, 1);
}

static void old_kernels_get_only_the_features_that_they_support(void **state)
{
	(void)state;
	assert_kept_features("3.16", "timestamps of a selected clock");
	assert_kept_features("4.4", "a limit of call chain depth");
	assert_kept_features("4.19", "names of BPF programs");
	assert_kept_features("5.4", "cgroups of samples");
	assert_kept_features("5.15", "exact counts of lost samples");
	assert_kept_features("6.1", "counter values of inherited events");
	assert_kept_features("6.19", NULL);
}

/* All kernels from 3.16 on accept the attributes, sideband and event. */
static void all_kernels_from_3_16_on_open_the_default_event(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct machine machine = machine_of(kernels[i].version);
		struct opener opener = { .open = open_fake, .data = &machine };
		struct perf_event_attr attr = selection_sideband(true, true);
		struct selection selection =
			configured_selection(NULL, &no_pmus);
		struct open_fallback limits = { 0 };

		assert_int_equal(
			open_fallback_sideband(&opener, &attr, -1, 0, &limits),
			OPENED);
		machine.calls = 0;
		assert_int_equal(
			open_fallback_event(&opener, &selection.events.at[0],
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

/*
 * Settings behind the end of the kernel's struct are removed if they are
 * optional.
 */
static void optional_fields_behind_the_kernels_attribute_are_removed(
	void **state)
{
	struct machine machine = machine_of("3.16");
	struct opener opener = { .open = open_fake, .data = &machine };
	struct open_fallback limits = { 0 };
	struct selection selection =
		configured_selection("cpu-clock", &no_pmus);
	struct perf_event_attr *attr = &selection.events.at[0].attr;

	(void)state;
	attr->sample_max_stack = 64;
	assert_int_equal(open_fallback_event(&opener, &selection.events.at[0],
				 0, 0, &limits),
		OPENED);
	assert_int_equal(attr->sample_max_stack, 0);
	assert_int_equal(attr->size, 96);
	/* Registers are not optional. */
	attr->size = sizeof(*attr);
	attr->sample_regs_intr = 1;
	assert_int_equal(open_fallback_event(&opener, &selection.events.at[0],
				 0, 0, &limits),
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

static void e2big_without_a_size_fails_and_keeps_the_attribute(void **state)
{
	unsigned calls = 0;
	struct opener opener = { .open = open_too_big, .data = &calls };
	struct perf_event_attr attr = selection_sideband(false, true);
	struct open_fallback limits = { 0 };

	(void)state;
	assert_int_equal(
		open_fallback_sideband(&opener, &attr, -1, 0, &limits), -1);
	assert_int_equal(errno, E2BIG);
	assert_true(attr.build_id);
}

static void counter_values_of_children_need_linux_6_13(void **state)
{
	struct machine machine = machine_of("6.1");
	struct opener opener = { .open = open_fake, .data = &machine };
	struct selection selection =
		configured_selection("cpu-clock", &no_pmus);
	struct perf_event_attr *attr = &selection.events.at[0].attr;
	struct open_fallback limits = { 0 };
	const struct kernel_feature *feature =
		&kernel_features[KERNEL_FEATURE_INHERITED_COUNTS];

	(void)state;
	assert_true(open_fallback_lacks(&opener, feature));
	attr->sample_type |= PERF_SAMPLE_READ;
	attr->inherit = 1;
	assert_int_equal(open_fallback_event(&opener, &selection.events.at[0],
				 0, 0, &limits),
		OPENED);
	assert_false(attr->sample_type & PERF_SAMPLE_READ);
	assert_true(attr->inherit);
	/*
	 * Without inheritance old kernels support it, also after the failure.
	 */
	attr->sample_type |= PERF_SAMPLE_READ;
	attr->inherit = 0;
	open_fallback_event(&opener, &selection.events.at[0], 0, 0, &limits);
	assert_true(attr->sample_type & PERF_SAMPLE_READ);
	selection_deinit(&selection);
	machine = machine_of("6.19");
	assert_false(open_fallback_lacks(&opener, feature));
}

/* Opens cycles with FIELDS on MACHINE. */
static int open_with_fields(struct machine *machine,
	const struct sample_fields *fields, struct selection *selection)
{
	struct opener opener = { .open = open_fake, .data = machine };
	struct open_fallback limits = { 0 };

	*selection = configured_selection("cycles", &no_pmus);
	sample_fields_apply(fields, &selection->events.at[0].attr);
	return open_fallback_event(
		&opener, &selection->events.at[0], 0, 0, &limits);
}

static void the_weight_field_that_the_kernel_supports_is_used(void **state)
{
	const struct sample_fields fields = { .weights = true,
		.data_page = true };
	struct machine machine = machine_of("6.1");
	struct selection selection;
	uint64_t type;

	(void)state;
	assert_int_equal(
		open_with_fields(&machine, &fields, &selection), OPENED);
	type = selection.events.at[0].attr.sample_type;
	assert_true(type & PERF_SAMPLE_WEIGHT_STRUCT);
	assert_false(type & PERF_SAMPLE_WEIGHT);
	assert_true(type & PERF_SAMPLE_DATA_PAGE_SIZE);
	selection_deinit(&selection);

	machine = machine_of("5.4");
	assert_int_equal(
		open_with_fields(&machine, &fields, &selection), OPENED);
	type = selection.events.at[0].attr.sample_type;
	assert_false(type & PERF_SAMPLE_WEIGHT_STRUCT);
	assert_true(type & PERF_SAMPLE_WEIGHT);
	assert_false(type & PERF_SAMPLE_DATA_PAGE_SIZE);
	selection_deinit(&selection);
}

static void physical_addresses_are_left_out_without_privilege(void **state)
{
	const struct sample_fields fields = { .data = true, .physical = true };
	struct machine machine = machine_of("6.1");
	struct selection selection;

	(void)state;
	machine.has_perfmon = false;
	assert_int_equal(
		open_with_fields(&machine, &fields, &selection), OPENED);
	assert_true(selection.events.at[0].attr.sample_type & PERF_SAMPLE_ADDR);
	assert_false(selection.events.at[0].attr.sample_type &
		PERF_SAMPLE_PHYS_ADDR);
	/* Kernel samples are not excluded. */
	assert_false(selection.events.at[0].attr.exclude_kernel);
	selection_deinit(&selection);
}

/* An event with branches does not fall back to the timer, which has none. */
static void an_event_with_branches_does_not_fall_back_to_the_timer(void **state)
{
	struct sample_fields fields = { 0 };
	struct machine machine = machine_of("6.1");
	struct selection selection;
	const struct perf_event_attr *attr;

	(void)state;
	assert_no_error(
		sample_fields_parse_branches("any_call,u", &fields.branches));
	assert_int_equal(
		open_with_fields(&machine, &fields, &selection), OPENED);
	attr = &selection.events.at[0].attr;
	assert_true(attr->sample_type & PERF_SAMPLE_BRANCH_STACK);
	assert_true(attr->branch_sample_type ==
		(PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_USER));
	selection_deinit(&selection);

	machine.has_counters = false;
	assert_int_equal(open_with_fields(&machine, &fields, &selection), -1);
	assert_int_equal(errno, EOPNOTSUPP);
	assert_string_equal(selection.events.at[0].name, "cycles");
	assert_int_equal(selection.events.at[0].attr.type, PERF_TYPE_HARDWARE);
	selection_deinit(&selection);
}

static void namespace_records_are_left_out_without_privilege(void **state)
{
	struct machine machine = machine_of("6.1");
	struct opener opener = { .open = open_fake, .data = &machine };
	struct perf_event_attr attr = selection_sideband(true, false);
	struct open_fallback limits = { 0 };

	(void)state;
	machine.has_perfmon = false;
	machine.paranoid = 2;
	kernel_feature_set_flag(&attr, 28);
	assert_int_equal(
		open_fallback_sideband(&opener, &attr, 7, 0, &limits), OPENED);
	assert_false(kernel_feature_flag_is_set(&attr, 28));
	assert_true(attr.build_id && attr.mmap2);
}

/* Uses a folder like /sys/bus/event_source/devices. */
static void each_core_type_has_its_own_precision(void **state)
{
	struct machine machine = machine_of("6.1");
	struct opener opener = { .open = open_fake, .data = &machine };
	struct open_fallback limits = { 0 };
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
	selection = configured_selection(NULL, &pmus);
	assert_int_equal(selection.events.n, 2);
	machine.max_precise[0] = 3;
	machine.max_precise[1] = 1;
	array_each(&selection.events, event)
		assert_int_equal(
			open_fallback_event(&opener, event, -1, 0, &limits),
			OPENED);
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
		cmocka_unit_test(precision_is_reduced_until_the_event_opens),
		cmocka_unit_test(cycles_falls_back_to_cpu_clock_without_a_pmu),
		cmocka_unit_test(an_unprivileged_user_samples_user_space_only),
		cmocka_unit_test(perf_event_paranoid_3_refuses_all_events),
		cmocka_unit_test(
			an_event_that_cannot_be_opened_keeps_its_attribute),
		cmocka_unit_test(
			exclude_guest_is_removed_for_a_pmu_that_refuses_it),
		cmocka_unit_test(fields_removed_without_effect_are_restored),
		cmocka_unit_test(
			old_kernels_get_only_the_features_that_they_support),
		cmocka_unit_test(
			all_kernels_from_3_16_on_open_the_default_event),
		cmocka_unit_test(
			optional_fields_behind_the_kernels_attribute_are_removed),
		cmocka_unit_test(
			e2big_without_a_size_fails_and_keeps_the_attribute),
		cmocka_unit_test(counter_values_of_children_need_linux_6_13),
		cmocka_unit_test(
			the_weight_field_that_the_kernel_supports_is_used),
		cmocka_unit_test(
			physical_addresses_are_left_out_without_privilege),
		cmocka_unit_test(
			an_event_with_branches_does_not_fall_back_to_the_timer),
		cmocka_unit_test(
			namespace_records_are_left_out_without_privilege),
		cmocka_unit_test(each_core_type_has_its_own_precision),
	};

	log_set_level(LOG_QUIET);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
