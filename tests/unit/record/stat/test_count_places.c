/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sums of CPUs by their places in a simulated machine: two sockets, each a
 * node, with one die of two cores of two threads. CPU 5 has no topology.
 */
#include "config.h"

#include "record/stat/count_places.h"

#include "tests/unit/make_folder.h"
#include "tests/unit/testing.h"

#define N_CPUS 6u

static void put_cpu(const struct folder *root, unsigned cpu, const char *file,
	unsigned number)
{
	_cleanup_free_ char *name =
		xasprintf("sys/devices/system/cpu/cpu%u/%s", cpu, file);
	_cleanup_free_ char *text = xasprintf("%u\n", number);

	folder_put(root, name, text);
}

/* CPU 0 to 3 alternate between the sockets; CPU 4 is the sibling of CPU 0. */
static void make_machine(struct folder *ret)
{
	static const unsigned cores[] = { 0, 0, 1, 1, 0 };
	unsigned cpu;

	folder_make(ret);
	for (cpu = 0; cpu < ARRAY_SIZE(cores); cpu++) {
		put_cpu(ret, cpu, "topology/core_id", cores[cpu]);
		put_cpu(ret, cpu, "topology/physical_package_id", cpu % 2);
		put_cpu(ret, cpu, cpu % 2 ? "node12/online" : "node0/online",
			1);
	}
	put_cpu(ret, 1, "topology/die_id", 3);
	put_cpu(ret, 3, "topology/die_id", 3);
	put_cpu(ret, 5, "nodes", 1);
	put_cpu(ret, 5, "node7x", 1);
}

/* An event with the counts 1, 2, 4, ... on the CPUs 0, 1, 2, ... */
struct fixture {
	struct folder root;
	struct selection selection;
	struct target target;
	struct counters counters;
};

static void set_up_counters(struct fixture *f)
{
	struct counters_event *counted;
	uint32_t cpu;

	*f = (struct fixture){ .target.kind = TARGET_SYSTEM };
	make_machine(&f->root);
	array_push(&f->selection.events)->name = xstrdup("cs");
	f->counters = (struct counters){ .selection = &f->selection,
		.target = &f->target,
		.now = xcalloc(N_CPUS, sizeof(struct reading)),
		.marked = xcalloc(N_CPUS, sizeof(struct reading)) };
	counted = array_push(&f->counters.events);
	*counted = (struct counters_event){ .n = N_CPUS, .is_supported = true };
	for (cpu = 0; cpu < N_CPUS; cpu++) {
		*array_push(&f->target.sampled.list) = cpu;
		array_push(&f->counters.fds)->fd = 100;
		f->counters.now[cpu] = (struct reading){ 1u << cpu, 10, 10 };
	}
}

static void tear_down_counters(struct fixture *f)
{
	array_free(&f->counters.events);
	array_free(&f->counters.fds);
	free(f->counters.now);
	free(f->counters.marked);
	selection_deinit(&f->selection);
	target_deinit(&f->target);
	folder_remove(&f->root);
}

/* Compares the rows: "PLACE:CPUS=COUNT ...". */
static void assert_places(
	const struct fixture *f, enum count_by by, const char *expected)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct count_places places = { 0 };
	struct count_table table = { 0 };

	count_places_list(&f->counters, f->root.path, by, &places);
	count_places_fill(&places, &f->counters, &table);
	array_each(&table.rows, row) {
		if (row->place)
			count_place_put(by, row->place, 0, &out);
		strbuf_printf(&out, ":%u=%.0f%s ", row->n_counted, row->value,
			count_state_name(row->state));
	}
	assert_string_equal(out.at, expected);
	count_table_free(&table);
	count_places_free(&places);
}

static void counts_of_cpus_are_added_by_core_die_socket_and_node(void **state)
{
	struct fixture f;

	(void)state;
	set_up_counters(&f);
	assert_places(&f, COUNT_BY_ALL, ":0=63 ");
	assert_places(&f, COUNT_BY_CPU,
		"CPU0:1=1 CPU1:1=2 CPU2:1=4 CPU3:1=8 CPU4:1=16 CPU5:1=32 ");
	assert_places(&f, COUNT_BY_CORE,
		"S-1-D0-C-1:1=32 S0-D0-C0:2=17 S0-D0-C1:1=4 S1-D3-C0:1=2 "
		"S1-D3-C1:1=8 ");
	assert_places(&f, COUNT_BY_DIE, "S-1-D0:1=32 S0-D0:3=21 S1-D3:2=10 ");
	assert_places(&f, COUNT_BY_SOCKET, "S-1:1=32 S0:3=21 S1:2=10 ");
	assert_places(&f, COUNT_BY_NODE, "N-1:1=32 N0:3=21 N12:2=10 ");
	tear_down_counters(&f);
}

static void cpus_that_did_not_count_are_not_in_the_number_of_cpus(void **state)
{
	struct fixture f;

	(void)state;
	set_up_counters(&f);
	/*
	 * The PMU is not on CPU 5, and had no counter on the CPUs 0, 1 and 3.
	 * The count of S0 is estimated.
	 */
	f.counters.fds.at[5].fd = -1;
	f.counters.now[0].running = 0;
	f.counters.now[1].running = f.counters.now[3].running = 0;
	assert_places(
		&f, COUNT_BY_SOCKET, "S-1:0=0 S0:2=32 S1:0=0<not counted> ");
	f.counters.events.at[0].is_supported = false;
	f.counters.events.at[0].n = 0;
	assert_places(&f, COUNT_BY_NODE,
		"N-1:0=0<not supported> N0:0=0<not supported> "
		"N12:0=0<not supported> ");
	tear_down_counters(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			counts_of_cpus_are_added_by_core_die_socket_and_node),
		cmocka_unit_test(
			cpus_that_did_not_count_are_not_in_the_number_of_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
