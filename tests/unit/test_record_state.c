/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one file has seen is told to the next one, and understood there. */
#include "config.h"

#include "testing.h"

#include "record/selected.h"
#include "record/state.h"

#define SIDEBAND_ID 200u
#define SECONDS(n) ((uint64_t)(n) * NSEC_PER_SEC)

struct fixture {
	struct hits *hits;
	struct sample_layout layout;
	struct strbuf records, state;
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct perf_event_attr sideband = event_sideband(false, true);
	struct hits_event events[2];

	assert_non_null(f);
	sample_layout_init(&f->layout, &sideband);
	events[0] = (struct hits_event){ 100, f->layout };
	events[1] = (struct hits_event){ SIDEBAND_ID, f->layout };
	f->hits = hits_create(events, 2);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	hits_destroy(f->hits);
	strbuf_free(&f->records);
	strbuf_free(&f->state);
	free(f);
	return 0;
}

static const uint8_t *trailer(struct fixture *f, uint64_t time)
{
	struct sample_id id = { .id = SIDEBAND_ID, .time = time };

	sample_id_write(&f->layout, &id, f->trailer);
	return f->trailer;
}

static void name(struct fixture *f, uint64_t time, uint32_t pid, uint32_t tid,
	const char *comm)
{
	const struct record_comm record = { pid, tid, true, comm };

	record_write_comm(&f->records, &record, trailer(f, time),
		f->layout.trailer_size);
}

static void map(struct fixture *f, uint64_t time, uint32_t pid, uint64_t start,
	const char *path)
{
	const struct record_mmap record = { .pid = pid, .tid = pid,
		.start = start, .size = 0x2000, .offset = 0x3000,
		.build_id = { 20, "0123456789012345678" }, .path = path };

	record_write_mmap2(&f->records, MISC_USER, &record, trailer(f, time),
		f->layout.trailer_size);
}

static void task(struct fixture *f, uint64_t time, uint32_t type, uint32_t pid,
	uint32_t ppid)
{
	const struct record_task record = { pid, ppid, pid, ppid, time };

	record_write_task(&f->records, type, &record, trailer(f, time),
		f->layout.trailer_size);
}

/* As at the end of a file: what is told is all that the next one has. */
static void turn(struct fixture *f, uint64_t until)
{
	hits_add_sideband(f->hits, (const uint8_t *)f->records.at,
		f->records.n, until);
	state_write(f->hits, &f->state);
	hits_restart(f->hits);
	hits_add_sideband(f->hits, (const uint8_t *)f->state.at, f->state.n,
		until);
}

/* PATH is what PID has at ADDRESS; NULL: nothing. */
static void assert_at(struct fixture *f, uint64_t time, uint32_t pid,
	uint64_t address, const char *path)
{
	const struct maps *maps = hits_maps(f->hits);
	struct maps_context context = maps_context(maps, pid, pid, time);
	const struct mapping *found =
		maps_find(maps, context.space, address);

	if (!path) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_string_equal(maps_dso(maps, found->dso)->path, path);
	assert_int_equal(maps_dso(maps, found->dso)->build_id.size, 20);
	assert_int_equal(address - found->start + found->offset,
		(address & 0xfff) + 0x3000 + (address & 0x1000));
}

static void assert_name(
	struct fixture *f, uint64_t time, uint32_t pid, const char *comm)
{
	const struct maps *maps = hits_maps(f->hits);

	assert_string_equal(
		maps_comm(maps, maps_context(maps, pid, pid, time).comm),
		comm);
}

static void names_and_mappings_go_over(void **state)
{
	struct fixture *f = *state;

	name(f, SECONDS(1), 5, 5, "parent");
	map(f, SECONDS(1), 5, 0x10000, "/bin/parent");
	task(f, SECONDS(2), RECORD_FORK, 6, 5);
	map(f, SECONDS(3), 6, 0x20000, "/lib/plugin");
	turn(f, SECONDS(9));
	assert_name(f, SECONDS(9), 5, "parent");
	assert_name(f, SECONDS(9), 6, "parent");
	assert_at(f, SECONDS(9), 5, 0x11234, "/bin/parent");
	assert_at(f, SECONDS(9), 6, 0x11234, "/bin/parent");
	assert_at(f, SECONDS(9), 6, 0x20008, "/lib/plugin");
	assert_at(f, SECONDS(9), 5, 0x20008, NULL);
	/* And once more. */
	strbuf_clear(&f->records);
	strbuf_clear(&f->state);
	turn(f, SECONDS(10));
	assert_at(f, SECONDS(10), 6, 0x20008, "/lib/plugin");
	assert_name(f, SECONDS(10), 6, "parent");
}

static void what_exec_replaced_stays_behind(void **state)
{
	struct fixture *f = *state;

	name(f, SECONDS(1), 5, 5, "before");
	map(f, SECONDS(1), 5, 0x10000, "/bin/before");
	name(f, SECONDS(2), 5, 5, "after");
	map(f, SECONDS(2), 5, 0x20000, "/bin/after");
	turn(f, SECONDS(9));
	assert_name(f, SECONDS(9), 5, "after");
	assert_at(f, SECONDS(9), 5, 0x20000, "/bin/after");
	assert_at(f, SECONDS(9), 5, 0x10000, NULL);
}

static void who_ended_long_ago_stays_behind(void **state)
{
	struct fixture *f = *state;

	name(f, SECONDS(1), 5, 5, "long");
	map(f, SECONDS(1), 5, 0x10000, "/bin/long");
	name(f, SECONDS(1), 6, 6, "just");
	map(f, SECONDS(1), 6, 0x10000, "/bin/just");
	task(f, SECONDS(2), RECORD_EXIT, 5, 1);
	task(f, SECONDS(9), RECORD_EXIT, 6, 1);
	turn(f, SECONDS(9) + 1);
	assert_name(f, SECONDS(9), 5, "");
	assert_at(f, SECONDS(9), 5, 0x10000, NULL);
	/* Its tear-down is still sampled. */
	assert_name(f, SECONDS(9), 6, "just");
	assert_at(f, SECONDS(9), 6, 0x10000, "/bin/just");
}

/* Not only into the first of the files after it, or they would grow and grow. */
static void who_has_ended_goes_over_once(void **state)
{
	struct fixture *f = *state;

	name(f, SECONDS(1), 5, 5, "just");
	map(f, SECONDS(1), 5, 0x10000, "/bin/just");
	task(f, SECONDS(9), RECORD_EXIT, 5, 1);
	turn(f, SECONDS(9) + 1);
	assert_name(f, SECONDS(9), 5, "just");
	strbuf_clear(&f->records);
	strbuf_clear(&f->state);
	turn(f, SECONDS(12));
	assert_name(f, SECONDS(12), 5, "");
	assert_at(f, SECONDS(12), 5, 0x10000, NULL);
	assert_int_equal(f->state.n, 0);
}

/* Something earlier may still come: it is kept as it was, time and all. */
static void what_is_too_new_goes_over_as_it_came(void **state)
{
	struct fixture *f = *state;

	name(f, SECONDS(1), 5, 5, "now");
	name(f, SECONDS(8), 5, 5, "later");
	map(f, SECONDS(8), 5, 0x20000, "/bin/later");
	turn(f, SECONDS(7));
	assert_name(f, SECONDS(7), 5, "now");
	hits_add_sideband(f->hits, NULL, 0, SECONDS(9));
	assert_name(f, SECONDS(7), 5, "now");
	assert_name(f, SECONDS(8), 5, "later");
	assert_at(f, SECONDS(8), 5, 0x20000, "/bin/later");
}

static void the_kernel_goes_over(void **state)
{
	struct fixture *f = *state;
	_cleanup_strbuf_ struct strbuf payload = { 0 };
	const struct maps *maps;
	const struct mapping *found;

	/* KSYMBOL (linux/perf_event.h): address, length, type, flags, name. */
	strbuf_put_u64(&payload, UINT64_C(0xffffffffc0100000));
	strbuf_put_u32(&payload, 0x100);
	strbuf_put_u32(&payload, 1);
	strbuf_put(&payload, "program", 8);
	strbuf_put(&payload, trailer(f, SECONDS(1)), f->layout.trailer_size);
	record_write(&f->records, RECORD_KSYMBOL, 0, payload.at, payload.n);
	turn(f, SECONDS(9));
	maps = hits_maps(f->hits);
	found = maps_find(
		maps, MAPS_KERNEL, UINT64_C(0xffffffffc0100080));
	assert_non_null(found);
	assert_string_equal(maps_dso(maps, found->dso)->path, "program");
	/* It isn't told as a mapping of a process. */
	assert_int_equal(f->state.n, f->records.n);
}

#define state_test(name)                                                       \
	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		state_test(names_and_mappings_go_over),
		state_test(what_exec_replaced_stays_behind),
		state_test(who_ended_long_ago_stays_behind),
		state_test(who_has_ended_goes_over_once),
		state_test(what_is_too_new_goes_over_as_it_came),
		state_test(the_kernel_goes_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
