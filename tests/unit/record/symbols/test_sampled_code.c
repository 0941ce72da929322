/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include "record/event/event.h"
#include "record/symbols/sampled_code.h"

#define ID 100u
#define SIDEBAND_ID 200u

struct fixture {
	struct sampled_code *sampled;
	struct sample_layout layout; /* of the sideband */
	struct strbuf sideband, samples;
	struct sampled_code
		*faults; /* of an event with data addresses; or NULL */
	uint16_t misc;	 /* of mappings to come */
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct selection_sampling sampling = { .period = 1,
		.has_callchains = true };
	struct perf_event_attr sideband = selection_sideband(false, true);
	struct selection selection = { 0 };
	const struct pmus no_pmus = { 0 };
	struct sampled_event events[2];

	assert_non_null(f);
	assert_no_error(event_select(&selection, "cpu-clock", &no_pmus));
	selection_configure(&selection, &sampling);
	sample_layout_init(&events[0].layout, &selection.events.at[0].attr);
	selection_deinit(&selection);
	sample_layout_init(&f->layout, &sideband);
	events[0].id = ID;
	events[1] = (struct sampled_event){ SIDEBAND_ID, f->layout };
	f->sampled = sampled_code_create(events, 2);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	sampled_code_destroy(f->sampled);
	sampled_code_destroy(f->faults);
	strbuf_free(&f->sideband);
	strbuf_free(&f->samples);
	free(f);
	return 0;
}

static void add_map(struct fixture *f, uint32_t pid, uint64_t start,
	const char *path, uint64_t time)
{
	struct sample_id id = { .id = SIDEBAND_ID, .time = time };
	struct record_mmap map = { .pid = pid,
		.tid = pid,
		.start = start,
		.size = 0x1000,
		.offset = 0x5000,
		.path = path,
		.is_data = f->misc };
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];

	sample_id_write(&f->layout, &id, trailer);
	record_write_mmap2(&f->sideband, MISC_USER | f->misc, &map, trailer,
		f->layout.trailer_size);
}

static void give_sideband(struct fixture *f, uint64_t until)
{
	sampled_code_add_sideband(f->sampled, (const uint8_t *)f->sideband.at,
		f->sideband.n, until);
	strbuf_clear(&f->sideband);
}

/* Adds a user sample with one caller. */
static void give_sample(struct fixture *f, uint32_t pid, uint64_t ip,
	uint64_t caller, uint64_t time)
{
	const uint64_t fields[] = { ID, ip, (uint64_t)pid << 32 | pid, time, 0,
		3, (uint64_t)PERF_CONTEXT_USER, ip, caller };
	struct perf_event_header header = { RECORD_SAMPLE, MISC_USER,
		sizeof(header) + sizeof(fields) };

	strbuf_clear(&f->samples);
	strbuf_put(&f->samples, &header, sizeof(header));
	strbuf_put(&f->samples, fields, sizeof(fields));
	sampled_code_add_samples(
		f->sampled, (const uint8_t *)f->samples.at, f->samples.n);
}

static void assert_hit(
	struct fixture *f, size_t i, const char *path, uint64_t place)
{
	size_t n;
	const struct hit *sampled = sampled_code_sorted(f->sampled, &n);

	assert_true(i < n);
	assert_string_equal(
		maps_dso(sampled_code_maps(f->sampled), sampled[i].dso)->path,
		path);
	assert_int_equal(sampled[i].place, place);
}

static size_t n_sampled(struct fixture *f)
{
	size_t n;

	sampled_code_sorted(f->sampled, &n);
	return n;
}

static void each_sampled_place_is_stored_once(void **state)
{
	struct fixture *f = *state;

	add_map(f, 7, 0x10000, "/a", 1);
	give_sideband(f, 100);
	give_sample(f, 7, 0x10010, 0x10020, 50);
	give_sample(f, 7, 0x10010, 0x10020, 60);
	give_sample(f, 7, 0x99999, 0x10020, 70);
	assert_int_equal(n_sampled(f), 2);
	assert_hit(f, 0, "/a", 0x5010);
	assert_hit(f, 1, "/a", 0x5020);
	/* Only the sampled address counts for a DSO. */
	assert_int_equal(sampled_code_samples(f->sampled, 0), 2);
}

static void processes_have_separate_mappings(void **state)
{
	struct fixture *f = *state;

	add_map(f, 7, 0x10000, "/a", 1);
	add_map(f, 8, 0x10000, "/b", 2);
	give_sideband(f, 100);
	give_sample(f, 7, 0x10010, 0x10010, 50);
	give_sample(f, 8, 0x10010, 0x10010, 51);
	assert_int_equal(n_sampled(f), 2);
	assert_hit(f, 0, "/a", 0x5010);
	assert_hit(f, 1, "/b", 0x5010);
}

/*
 * Ring buffers are drained one after the other: older records can arrive later.
 */
static void sideband_is_applied_in_the_order_of_time(void **state)
{
	struct fixture *f = *state;

	add_map(f, 7, 0x10000, "/new", 120);
	give_sideband(f, 100);
	add_map(f, 7, 0x10000, "/old", 90);
	give_sideband(f, 200);
	give_sample(f, 7, 0x10010, 0x10010, 150);
	assert_hit(f, 0, "/new", 0x5010);
}

static void the_time_of_a_sample_selects_its_mapping(void **state)
{
	struct fixture *f = *state;

	add_map(f, 7, 0x10000, "/first", 10);
	add_map(f, 7, 0x10000, "/second", 20);
	give_sideband(f, 100);
	give_sample(f, 7, 0x10010, 0x10010, 15);
	give_sample(f, 7, 0x10010, 0x10010, 25);
	assert_int_equal(n_sampled(f), 2);
	assert_int_equal(sampled_code_samples(f->sampled, 0), 1);
	assert_int_equal(sampled_code_samples(f->sampled, 1), 1);
}

static void add_task(
	struct fixture *f, uint32_t type, uint32_t pid, uint64_t time)
{
	struct perf_event_header header = { type, 0,
		(uint16_t)(sizeof(header) + 24 + f->layout.trailer_size) };
	const uint32_t task[] = { pid, 1, pid, 1 };
	struct sample_id id = { .id = SIDEBAND_ID, .time = time };
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];

	sample_id_write(&f->layout, &id, trailer);
	strbuf_put(&f->sideband, &header, sizeof(header));
	strbuf_put(&f->sideband, task, sizeof(task));
	strbuf_put(&f->sideband, &time, sizeof(time));
	strbuf_put(&f->sideband, trailer, f->layout.trailer_size);
}

/*
 * Adds ten processes per second with three mappings each, for almost three
 * hours.
 */
static void memory_use_depends_on_running_processes_only(void **state)
{
	struct fixture *f = *state;
	uint64_t time = 0;
	size_t most = 0;
	uint32_t pid;

	add_map(f, 1, 0x10000, "/one", 1);
	for (pid = 100; pid < 100100; pid++) {
		time += NSEC_PER_SEC / 10;
		add_task(f, RECORD_FORK, pid, time);
		add_map(f, pid, 0x10000, "/a", time + 1);
		add_map(f, pid, 0x20000, "/b", time + 2);
		add_map(f, pid, 0x20000, "/c", time + 3);
		add_task(f, RECORD_EXIT, pid, time + 4);
		if (pid % 10 == 0)
			give_sideband(f, time + 5);
		most = MAX(most, maps_weight(sampled_code_maps(f->sampled)));
	}
	give_sideband(f, time + 5);
	assert_true(most < 100000);
	/* Running and recently ended processes are known. */
	give_sample(f, 1, 0x10010, 0x10010, time);
	give_sample(f, pid - 1, 0x20010, 0x20010, time + 4);
	assert_int_equal(n_sampled(f), 2);
	assert_hit(f, 0, "/one", 0x5010);
	assert_hit(f, 1, "/c", 0x5010);
}

/* A page fault at IP with ADDRESS. */
static void give_fault(
	struct fixture *f, uint32_t pid, uint64_t address, uint64_t time)
{
	const struct perf_event_attr attr = { .sample_type =
						      PERF_SAMPLE_IDENTIFIER |
			PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU };
	const uint64_t fields[] = { ID, 0x10500, (uint64_t)pid << 32 | pid,
		time, address, 0 };
	struct perf_event_header header = { RECORD_SAMPLE, MISC_USER,
		sizeof(header) + sizeof(fields) };
	struct sampled_event events[2] = { { .id = ID },
		{ SIDEBAND_ID, f->layout } };

	sample_layout_init(&events[0].layout, &attr);
	if (!f->faults) {
		f->faults = sampled_code_create(events, 2);
		sampled_code_track_data(f->faults);
	}
	strbuf_clear(&f->samples);
	strbuf_put(&f->samples, &header, sizeof(header));
	strbuf_put(&f->samples, fields, sizeof(fields));
	sampled_code_add_samples(
		f->faults, (const uint8_t *)f->samples.at, f->samples.n);
}

static void sampled_data_addresses_have_places_in_files(void **state)
{
	struct fixture *f = *state;
	const struct hit *sampled;
	size_t n;

	give_fault(f, 5, 0, 1);
	add_map(f, 5, 0x10000, "/bin/a", 2);
	f->misc = MISC_MMAP_DATA;
	add_map(f, 5, 0x20000, "/bin/a", 3);
	add_map(f, 5, 0x30000, "//anon", 3);
	sampled_code_add_sideband(
		f->faults, (const uint8_t *)f->sideband.at, f->sideband.n, 4);
	give_fault(f, 5, 0x20040, 5);
	give_fault(f, 5, 0x20040, 5);
	/* Memory without a file has no symbols; constants are in the code. */
	give_fault(f, 5, 0x30040, 5);
	give_fault(f, 5, 0x10080, 5);
	give_fault(f, 5, 0x40000, 5);
	sampled = sampled_code_sorted(f->faults, &n);
	assert_int_equal(n, 3);
	assert_int_equal(sampled[0].place, 0x5040);
	assert_int_equal(sampled[1].place, 0x5080);
	assert_int_equal(sampled[2].place, 0x5500);
	assert_int_equal(sampled[0].dso, sampled[2].dso);
	/* The sampled address is in its code. */
	assert_int_equal(sampled_code_samples(f->faults, sampled[0].dso), 5);
}

/* Adds a user sample with one branch. */
static void give_branch(struct fixture *f, struct sampled_code *sampled,
	uint64_t from, uint64_t to, uint64_t time)
{
	const uint64_t fields[] = { ID, 0x10500, UINT64_C(7) << 32 | 7, time, 0,
		1, from, to, 0 };
	struct perf_event_header header = { RECORD_SAMPLE, MISC_USER,
		sizeof(header) + sizeof(fields) };

	strbuf_clear(&f->samples);
	strbuf_put(&f->samples, &header, sizeof(header));
	strbuf_put(&f->samples, fields, sizeof(fields));
	sampled_code_add_samples(
		sampled, (const uint8_t *)f->samples.at, f->samples.n);
}

static void both_ends_of_sampled_branches_are_places(void **state)
{
	const struct perf_event_attr attr = { .sample_type =
						      PERF_SAMPLE_IDENTIFIER |
			PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			PERF_SAMPLE_CPU | PERF_SAMPLE_BRANCH_STACK };
	struct fixture *f = *state;
	struct sampled_event events[2] = { { .id = ID },
		{ SIDEBAND_ID, f->layout } };
	struct sampled_code *branches;

	sample_layout_init(&events[0].layout, &attr);
	branches = sampled_code_create(events, 2);
	add_map(f, 7, 0x10000, "/bin/a", 1);
	add_map(f, 7, 0x20000, "/lib/b", 2);
	sampled_code_add_sideband(
		branches, (const uint8_t *)f->sideband.at, f->sideband.n, 3);
	give_branch(f, branches, 0x10040, 0x20080, 4);
	give_branch(f, branches, 0x10040, 0x90000, 5);
	sampled_code_destroy(f->sampled);
	f->sampled = branches;
	assert_int_equal(n_sampled(f), 3);
	assert_hit(f, 0, "/bin/a", 0x5040);
	assert_hit(f, 1, "/bin/a", 0x5500);
	assert_hit(f, 2, "/lib/b", 0x5080);
	/* Its samples are at the branch. */
	assert_int_equal(sampled_code_samples(branches, 1), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_sampled_place_is_stored_once),
		TEST(processes_have_separate_mappings),
		TEST(sideband_is_applied_in_the_order_of_time),
		TEST(the_time_of_a_sample_selects_its_mapping),
		TEST(memory_use_depends_on_running_processes_only),
		TEST(sampled_data_addresses_have_places_in_files),
		TEST(both_ends_of_sampled_branches_are_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
