/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include <inttypes.h>
#include <sys/mman.h>

#include "record/symbols/jitnames.h"

struct fixture {
	struct timed_worker *worker;
	struct jit_process process;
	struct jitnames_request wish;
	struct hit sampled[16];
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->worker = timed_worker_create(10000);
	f->wish.sampled = f->sampled;
	f->wish.clock.is_monotonic = true;
	f->wish.files = (struct jit_files){ -1, -1, geteuid() };
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	timed_worker_destroy(f->worker);
	jit_process_deinit(&f->process);
	free(f);
	return 0;
}

static void hit(struct fixture *f, uint64_t address)
{
	f->sampled[f->wish.n_sampled++].place = address;
}

static int file_of(const char *data, size_t size)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), size);
	return fd;
}

static int map_of(const char *text)
{
	return file_of(text, strlen(text));
}

static void put_load(
	struct strbuf *out, uint64_t time, uint64_t start, const char *name)
{
	strbuf_put_u32(out, 0);
	strbuf_put_u32(out, (uint32_t)(56 + strlen(name) + 1));
	strbuf_put_u64(out, time);
	strbuf_fill(out, 0, 16);
	strbuf_put_u64(out, start);
	strbuf_put_u64(out, 0x100);
	strbuf_put_u64(out, time); /* code's index */
	strbuf_put(out, name, strlen(name) + 1);
}

static void put_move(
	struct strbuf *out, uint64_t time, uint64_t index, uint64_t start)
{
	strbuf_put_u32(out, 1);
	strbuf_put_u32(out, 64);
	strbuf_put_u64(out, time);
	strbuf_fill(out, 0, 24);
	strbuf_put_u64(out, start);
	strbuf_put_u64(out, 0x100);
	strbuf_put_u64(out, index);
}

static void put_header(struct strbuf *out)
{
	strbuf_put_u32(out, 0x4a695444);
	strbuf_put_u32(out, 1);
	strbuf_put_u32(out, 40);
	strbuf_fill(out, 0, 28);
}

/* Adds code of 0x100 bytes at A_START twice, and at another place once. */
static int made_dump(void)
{
	struct strbuf raw = { 0 };
	int fd;

	put_header(&raw);
	put_load(&raw, 10, 0x1000, "old");
	put_load(&raw, 15, 0x9000, "alone");
	put_load(&raw, 20, 0x1080, "new");
	put_load(&raw, 30, 0x5000, "unhit");
	fd = file_of(raw.at, raw.n);
	strbuf_free(&raw);
	return fd;
}

/*
 * Expects each symbol as "START+SIZE NAME|", or "START+SIZE @SINCE PLACE
 * NAME|".
 */
static void assert_names(struct fixture *f, const char *wanted)
{
	struct strbuf found = { 0 };

	jitnames_read(f->worker, &f->wish, &f->process);
	array_each(&f->process.symbols, symbol) {
		strbuf_printf(&found, "%" PRIx64 "+%" PRIx64, symbol->start,
			symbol->size);
		if (symbol->since)
			strbuf_printf(&found, " @%" PRIu64 " %" PRIx64,
				symbol->since, symbol->place);
		strbuf_printf(
			&found, " %s|", jit_symbol_name(&f->process, symbol));
	}
	assert_text(&found, wanted);
	strbuf_free(&found);
	if (f->wish.files.perfmap >= 0)
		close(f->wish.files.perfmap);
	if (f->wish.files.dump >= 0)
		close(f->wish.files.dump);
}

static void only_sampled_code_is_named(void **state)
{
	struct fixture *f = *state;

	hit(f, 0x1000);
	hit(f, 0x3fff);
	f->wish.files.perfmap = map_of("1000 10 first\n2000 10 unhit\n"
				       "3000 1000 last\n");
	assert_names(f, "1000+10 first|3000+1000 last|");
}

static void code_before_a_return_address_is_named(void **state)
{
	struct fixture *f = *state;

	hit(f, 0x1010);
	f->wish.files.perfmap = map_of("1000 10 caller\n1010 10 next\n");
	assert_names(f, "1000+10 caller|1010+10 next|");
}

static void the_last_perf_map_line_of_an_address_is_used(void **state)
{
	struct fixture *f = *state;

	hit(f, 0x1008);
	hit(f, 0x1018);
	hit(f, 0x1028);
	f->wish.files.perfmap = map_of("1000 30 old\n1010 10 new\n");
	assert_names(f, "1000+10 old|1010+10 new|1020+10 old|");
}

static void newer_perf_map_code_cuts_overlapping_older_code(void **state)
{
	struct fixture *f = *state;

	hit(f, 0x1008);
	hit(f, 0x1028);
	f->wish.files.perfmap = map_of("1010 30 old\n1000 18 new\n");
	assert_names(f, "1000+18 new|1018+28 old|");
}

static void jitdump_codes_at_shared_addresses_have_times(void **state)
{
	struct fixture *f = *state;

	hit(f, 0x1090);
	hit(f, 0x9000);
	f->wish.files.dump = made_dump();
	assert_names(f,
		"1000+100 @10 0 old|1080+100 @20 100 new|"
		"9000+100 alone|");
}

/* The places of a second DSO of the process follow those of the first. */
static void places_of_jit_codes_of_one_process_are_distinct(void **state)
{
	struct fixture *f = *state;
	const struct jit_symbol before = {
		.start = 1, .size = 0x20, .since = 5, .place = 0x40
	};

	jit_process_add(&f->process, &before, "before");
	hit(f, 0x1090);
	f->wish.files.dump = made_dump();
	assert_names(f,
		"1+20 @5 40 before|1000+100 @10 60 old|"
		"1080+100 @20 160 new|");
}

static void without_a_common_clock_the_last_code_is_used(void **state)
{
	struct fixture *f = *state;

	hit(f, 0x1090);
	f->wish.files.dump = made_dump();
	f->wish.clock.is_monotonic = false;
	assert_names(f, "1080+100 new|");
}

static void processor_ticks_become_times_of_the_recordings_clock(void **state)
{
	struct fixture *f = *state;
	const uint64_t own = 1;

	hit(f, 0x1090);
	f->wish.files.dump = made_dump();
	assert_int_equal(pwrite(f->wish.files.dump, &own, 8, 32), 8);
	f->wish.clock.ticks =
		(struct jitdump_ticks){ { 0, 10 }, { 1000, 2000 } };
	assert_names(f, "1000+100 @2000 0 old|1080+100 @3000 100 new|");
}

static void code_moved_by_a_jitdump_record_keeps_its_name(void **state)
{
	struct strbuf raw = { 0 };
	struct fixture *f = *state;

	hit(f, 0x5010);
	hit(f, 0x6010);
	put_header(&raw);
	put_load(&raw, 10, 0x1000, "moved"); /* the index is used as time */
	put_load(&raw, 11, 0x2000, "other");
	put_move(&raw, 20, 10, 0x5000);
	put_move(&raw, 30, 10, 0x6000);
	f->wish.files.dump = file_of(raw.at, raw.n);
	f->wish.clock.is_monotonic = false;
	strbuf_free(&raw);
	assert_names(f, "5000+100 moved|6000+100 moved|");
}

static void a_perf_map_names_code_missing_in_the_jitdump(void **state)
{
	struct fixture *f = *state;

	hit(f, 0x4000);
	hit(f, 0x9010);
	f->wish.files.dump = made_dump();
	f->wish.files.perfmap = map_of("9000 100 other\n4000 10 more\n");
	assert_names(f, "9000+100 alone|4000+10 more|");
}

static void assert_ending(struct fixture *f, enum jitdump_ending ending,
	uint64_t at, uint64_t n_names)
{
	struct jitnames_flaws flaws =
		jitnames_read(f->worker, &f->wish, &f->process);

	assert_int_equal(flaws.dump.ending, ending);
	assert_int_equal(flaws.dump.at, at);
	assert_int_equal(flaws.dump.n_names, n_names);
}

/* The owner of an open file can change, also after the file is deleted. */
static void perf_maps_and_jitdumps_of_another_user_are_not_read(void **state)
{
	struct fixture *f = *state;
	struct jitnames_flaws flaws;

	hit(f, 0x1000);
	hit(f, 0x4000);
	f->wish.files.dump = made_dump();
	f->wish.files.perfmap = map_of("4000 10 more\n");
	f->wish.files.user++;
	flaws = jitnames_read(f->worker, &f->wish, &f->process);
	assert_true(flaws.is_dump_foreign && flaws.is_perfmap_foreign);
	assert_int_equal(flaws.dump.ending, JITDUMP_WHOLE);
	assert_names(f, "");
}

static void an_incomplete_jitdump_is_reported(void **state)
{
	struct fixture *f = *state;
	struct strbuf raw = { 0 };
	size_t whole;

	hit(f, 0x1000);
	put_header(&raw);
	put_load(&raw, 10, 0x1000, "first");
	whole = raw.n;
	put_load(&raw, 20, 0x2000, "second");
	f->wish.files.dump = file_of(raw.at, raw.n);
	assert_ending(f, JITDUMP_WHOLE, raw.n, 2);
	assert_int_equal(ftruncate(f->wish.files.dump, (off_t)whole + 7), 0);
	assert_ending(f, JITDUMP_CUT, whole, 1);
	assert_int_equal(ftruncate(f->wish.files.dump, (off_t)raw.n - 1), 0);
	assert_ending(f, JITDUMP_CUT, whole, 1);
	/* A hole is a record of size 0. */
	assert_int_equal(ftruncate(f->wish.files.dump, (off_t)whole), 0);
	assert_int_equal(ftruncate(f->wish.files.dump, (off_t)1 << 30), 0);
	assert_ending(f, JITDUMP_DAMAGED, whole, 1);
	assert_int_equal(ftruncate(f->wish.files.dump, 40), 0);
	assert_ending(f, JITDUMP_EMPTY, 40, 0);
	f->wish.files.perfmap = map_of("1000 100 mapped\n");
	assert_ending(f, JITDUMP_WHOLE, 40, 0);
	close(f->wish.files.perfmap);
	f->wish.files.perfmap = -1;
	assert_int_equal(ftruncate(f->wish.files.dump, 0), 0);
	assert_int_equal(ftruncate(f->wish.files.dump, 100), 0);
	assert_ending(f, JITDUMP_NO_HEADER, 0, 0);
	close(f->wish.files.dump);
	strbuf_free(&raw);
}

static void without_perf_map_and_jitdump_no_code_is_named(void **state)
{
	struct fixture *f = *state;

	hit(f, 0x1000);
	assert_names(f, "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(only_sampled_code_is_named),
		TEST(code_before_a_return_address_is_named),
		TEST(the_last_perf_map_line_of_an_address_is_used),
		TEST(newer_perf_map_code_cuts_overlapping_older_code),
		TEST(jitdump_codes_at_shared_addresses_have_times),
		TEST(places_of_jit_codes_of_one_process_are_distinct),
		TEST(without_a_common_clock_the_last_code_is_used),
		TEST(processor_ticks_become_times_of_the_recordings_clock),
		TEST(code_moved_by_a_jitdump_record_keeps_its_name),
		TEST(a_perf_map_names_code_missing_in_the_jitdump),
		TEST(perf_maps_and_jitdumps_of_another_user_are_not_read),
		TEST(an_incomplete_jitdump_is_reported),
		TEST(without_perf_map_and_jitdump_no_code_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
