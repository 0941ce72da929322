/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jitdumps that a recording's processes had mapped, and the survey of them. */
#include "config.h"

#include "report/survey/jitdumps.h"

#include <stdio.h>
#include <sys/utsname.h>
#include <time.h>

#include "report/lines/line_source.h"
#include "report/survey/survey.h"
#include "report/unwind/dso_rules.h"
#include "tests/unit/make_folder.h"
#include "tests/unit/make_jitdump.h"
#include "tests/unit/make_recording.h"
#include "tests/unit/testing.h"

#define PID 77

struct fixture {
	struct folder folder;
	char path[64];
	struct features host;
	struct strbuf data;
	struct reader *reader;
	struct survey survey;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct utsname here;

	assert_non_null(f);
	folder_make(&f->folder);
	snprintf(f->path, sizeof(f->path), "%s/jit-%d.dump", f->folder.path,
		PID);
	make_host(&f->host, 1);
	uname(&here);
	free(f->host.hostname);
	f->host.hostname = strdup(here.nodename);
	f->host.events.at[0].attr.use_clockid = 1;
	f->host.events.at[0].attr.clockid = CLOCK_MONOTONIC;
	make_mmap(&f->data, PID, 0x1000, 0x10000, 0, "//anon", 10);
	make_mmap(&f->data, PID, 0x90000, 0x1000, 0, f->path, 20);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	if (f->reader) {
		survey_deinit(&f->survey);
		reader_close(f->reader);
	}
	features_deinit(&f->host);
	strbuf_free(&f->data);
	folder_remove(&f->folder);
	free(f);
	return 0;
}

static void put_dump(struct fixture *f, const struct strbuf *dump)
{
	char name[32];

	snprintf(name, sizeof(name), "jit-%d.dump", PID);
	folder_put_bytes(&f->folder, name, dump->at, dump->n);
}

/* Two codes at one address at different times, and one beside them. */
static void put_codes(struct fixture *f, uint64_t flags, uint64_t scale)
{
	static const struct made_line early[] = { { 0x2000, 5, "early.js" },
		{ 0x2080, 6, "\xff" } };
	static const struct made_line beside[] = { { 0x3000, 7, "beside.js" } };
	_cleanup_strbuf_ struct strbuf dump = { 0 };

	make_jitdump_head(&dump, flags);
	make_jitdump_rules(&dump, 0x100, 3);
	make_jitdump_lines(&dump, early, ARRAY_SIZE(early));
	make_jitdump_load(&dump,
		&(struct made_code){ 100 * scale, 0x2000, 0x100, 1, "early" });
	make_jitdump_lines(&dump, beside, ARRAY_SIZE(beside));
	make_jitdump_load(&dump,
		&(struct made_code){ 100 * scale, 0x3000, 0x100, 2, "beside" });
	make_jitdump_rules(&dump, 0x100, 5);
	make_jitdump_load(&dump,
		&(struct made_code){ 200 * scale, 0x2080, 0x100, 3, "late" });
	put_dump(f, &dump);
}

static void survey(struct fixture *f)
{
	_cleanup_strbuf_ struct strbuf file = { 0 };

	make_perf_file(&f->host, &f->data, &file);
	assert_no_error(open_bytes(file.at, file.n, &f->reader));
	assert_no_error(survey_run(f->reader, SURVEY_SIDEBAND, &f->survey));
}

/* Returns "NAME OFFSET": the symbol that a report finds at ADDRESS at TIME. */
static const char *name_at(
	const struct fixture *f, uint64_t address, uint64_t time)
{
	static char text[256];
	const struct maps *maps = f->survey.maps;
	struct maps_context context = maps_context(maps, PID, PID, time);
	const struct mapping *mapping = maps_find(maps, context.space, address);
	const struct jit_process *process =
		jit_section_find(&f->survey.jit, PID);
	const struct dso *dso;
	uint64_t place;
	uint32_t pid;
	bool is_timed;

	if (!mapping || !process)
		return "-";
	dso = maps_dso(maps, mapping->dso);
	is_timed = survey_is_timed_jit(dso->path, &pid);
	place = address - mapping->start + mapping->offset;
	array_each(&process->symbols, symbol) {
		uint64_t start = is_timed ? symbol->place : symbol->start;

		if ((symbol->since > 0) != is_timed || place < start ||
			place - start >= symbol->size)
			continue;
		snprintf(text, sizeof(text), "%s %x",
			jit_symbol_name(process, symbol),
			(unsigned)(place - start));
		return text;
	}
	return "-";
}

/* Returns the path mapped at ADDRESS at TIME, and the offset. */
static struct jitdumps_code code_at(const struct fixture *f, uint64_t address,
	uint64_t time, uint64_t *offset_ret)
{
	const struct maps *maps = f->survey.maps;
	struct maps_context context = maps_context(maps, PID, PID, time);
	const struct mapping *mapping = maps_find(maps, context.space, address);
	struct jitdumps_code code = { .dump = jitdumps_find(
					      &f->survey.dumps, PID) };
	uint32_t pid;

	code.is_timed =
		survey_is_timed_jit(maps_dso(maps, mapping->dso)->path, &pid);
	*offset_ret = address - mapping->start + mapping->offset;
	return code;
}

/* Returns the distance of sp from the CFA. */
static int64_t rule_at(const struct fixture *f, uint64_t address, uint64_t time)
{
	uint64_t offset;
	struct jitdumps_code code = code_at(f, address, time, &offset);
	struct jitcodes_part part = jitdumps_code_find(&code, offset);
	struct cfi *cfi =
		part.code ? jitcodes_rules(code.dump->codes, part.code) : NULL;

	if (cfi)
		cfi_lookups_start(cfi);
	return cfi ? cfi_x86_offset(cfi_rule(cfi, address)) : -1;
}

/* Returns the same by the rules that were kept by earlier lookups. */
static int64_t kept_rule_at(
	const struct fixture *f, uint64_t address, uint64_t time)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	struct dso_rules rules = { 0 };
	struct dso_rules_answer answer;
	uint64_t offset;
	int64_t found = -1;
	const struct jitdumps_code code = code_at(f, address, time, &offset);

	dso_rules_put_jit(&code, &bytes);
	assert_true(dso_rules_take(bytes.at, NULL, &rules));
	answer = dso_rules_find(&rules, offset);
	if (answer.cfi)
		found = cfi_x86_offset(
			cfi_rule(answer.cfi, offset + answer.delta));
	dso_rules_deinit(&rules);
	return found;
}

/* Returns "FILE:LINE" of the code mapped at ADDRESS at TIME. */
static const char *line_at(
	const struct fixture *f, uint64_t address, uint64_t time)
{
	static char text[256];
	uint64_t offset;
	const struct jitdumps_code code = code_at(f, address, time, &offset);
	struct line_jit *made = line_jit_create(&code);
	struct line_frame frame;

	if (line_jit_frames(made, offset, 0, &frame))
		snprintf(text, sizeof(text), "%s:%u", frame.file,
			(unsigned)frame.line);
	else
		snprintf(text, sizeof(text), "-");
	line_jit_destroy(made);
	return text;
}

static void an_address_has_the_source_line_of_the_samples_time(void **state)
{
	struct fixture *f = *state;

	put_codes(f, 0, 1);
	survey(f);
	assert_string_equal(line_at(f, 0x2070, 150), "early.js:5");
	assert_string_equal(line_at(f, 0x2090, 150), "early.js:6");
	assert_string_equal(line_at(f, 0x2090, 250), "-");
	assert_string_equal(line_at(f, 0x2070, 250), "early.js:5");
	assert_string_equal(line_at(f, 0x3010, 250), "beside.js:7");
}

static void an_address_has_the_code_of_the_samples_time(void **state)
{
	struct fixture *f = *state;

	put_codes(f, 0, 1);
	survey(f);
	assert_string_equal(name_at(f, 0x2090, 150), "early 90");
	assert_string_equal(name_at(f, 0x2090, 250), "late 10");
	assert_string_equal(name_at(f, 0x2070, 250), "early 70");
	assert_string_equal(name_at(f, 0x3010, 50), "beside 10");
	assert_string_equal(name_at(f, 0x2090, 50), "-");
	assert_int_equal(rule_at(f, 0x2090, 150), 24);
	assert_int_equal(rule_at(f, 0x2090, 250), 40);
	assert_int_equal(rule_at(f, 0x2070, 250), 24);
	assert_int_equal(rule_at(f, 0x3010, 250), -1);
}

/* Only rules of addresses and times that were looked up are kept. */
static void only_looked_up_unwind_rules_are_kept(void **state)
{
	struct fixture *f = *state;

	put_codes(f, 0, 1);
	survey(f);
	rule_at(f, 0x2090, 150);
	assert_int_equal(kept_rule_at(f, 0x2090, 150), 24);
	assert_int_equal(kept_rule_at(f, 0x2070, 250), 24);
	assert_int_equal(kept_rule_at(f, 0x2090, 250), -1);
	rule_at(f, 0x2090, 250);
	assert_int_equal(kept_rule_at(f, 0x2090, 150), 24);
	assert_int_equal(kept_rule_at(f, 0x2090, 250), 40);
	assert_int_equal(kept_rule_at(f, 0x3010, 250), -1);
}

/* A code that overlaps an older one hides a part of it. */
static void looked_up_unwind_rules_without_times_are_kept(void **state)
{
	struct fixture *f = *state;

	f->host.events.at[0].attr.use_clockid = 0;
	put_codes(f, 0, 1);
	survey(f);
	rule_at(f, 0x2070, 150);
	rule_at(f, 0x2090, 150);
	assert_int_equal(kept_rule_at(f, 0x2070, 150), 24);
	assert_int_equal(kept_rule_at(f, 0x2090, 150), 40);
	assert_int_equal(kept_rule_at(f, 0x2170, 150), 40);
}

static void a_jitdump_without_clock_conversion_has_no_times(void **state)
{
	struct fixture *f = *state;

	f->host.events.at[0].attr.use_clockid = 0;
	put_codes(f, 0, 1);
	survey(f);
	assert_string_equal(name_at(f, 0x2090, 150), "late 10");
	assert_string_equal(name_at(f, 0x2070, 150), "early 70");
	assert_int_equal(rule_at(f, 0x2090, 150), 40);
	assert_int_equal(rule_at(f, 0x2070, 150), 24);
}

/* A tick is 3/2 ns, starting at 10. */
static void put_time_conv(struct strbuf *out)
{
	static const uint64_t conversion[3] = { 1, 3, 10 };

	record_write(out, RECORD_TIME_CONV, 0, conversion, sizeof(conversion));
}

static void tsc_times_of_a_jitdump_are_converted_to_perfs_clock(void **state)
{
	struct fixture *f = *state;

	f->host.events.at[0].attr.use_clockid = 0;
	put_time_conv(&f->data);
	put_codes(f, 1, 10);
	survey(f);
	/* 1000 and 2000 ticks. */
	assert_string_equal(name_at(f, 0x2090, 1509), "-");
	assert_string_equal(name_at(f, 0x2090, 1510), "early 90");
	assert_string_equal(name_at(f, 0x2090, 3009), "early 90");
	assert_string_equal(name_at(f, 0x2090, 3010), "late 10");
}

static void tsc_times_are_not_used_if_events_have_another_clock(void **state)
{
	struct fixture *f = *state;

	put_time_conv(&f->data);
	put_codes(f, 1, 10);
	survey(f);
	assert_string_equal(name_at(f, 0x2090, 15), "late 10");
}

static void a_jitdump_of_another_host_is_not_opened(void **state)
{
	struct fixture *f = *state;

	free(f->host.hostname);
	f->host.hostname = strdup("somewhere-else");
	put_codes(f, 0, 1);
	survey(f);
	assert_null(jitdumps_find(&f->survey.dumps, PID));
}

static void files_with_other_names_are_not_jitdumps(void **state)
{
	static const char *const names[] = { "jit-77.dump2", "jit-x.dump",
		"77.dump" };
	struct fixture *f = *state;
	const struct jitdump_clock clock = { .is_monotonic = true };
	struct record_mmap map = { .pid = PID };
	struct jitdumps dumps = { 0 };
	struct jit_section jit = { 0 };
	size_t i;

	folder_put(&f->folder, "jit-77.dump", "JiTD but cut");
	map.path = f->path;
	jitdumps_add_names(&dumps, &map, &clock, &jit);
	put_codes(f, 0, 1);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		char path[80];

		snprintf(path, sizeof(path), "%s/%s", f->folder.path, names[i]);
		assert_int_equal(rename(f->path, path), 0);
		map.path = path;
		jitdumps_add_names(&dumps, &map, &clock, &jit);
		assert_int_equal(rename(path, f->path), 0);
	}
	/* Another file has the same path. */
	map.path = f->path;
	map.inode = 1;
	jitdumps_add_names(&dumps, &map, &clock, &jit);
	assert_int_equal(dumps.list.n, 0);
	map.inode = 0;
	jitdumps_add_names(&dumps, &map, &clock, &jit);
	assert_int_equal(dumps.list.n, 1);
	jitdumps_deinit(&dumps);
	jit_section_deinit(&jit);
}

/* Recorded names have places of their own. */
static void names_and_places_of_the_jit_section_are_kept(void **state)
{
	static const struct jit_symbol symbols[] = {
		{ .start = 0x2080,
			.size = 0x100,
			.since = 200,
			.place = 0x700 },
		{ .start = 0x2000,
			.size = 0x100,
			.since = 100,
			.place = 0x500 },
	};
	const struct jitdump_clock clock = { .is_monotonic = true };
	struct fixture *f = *state;
	struct record_mmap map = { .pid = PID, .path = f->path };
	_cleanup_strbuf_ struct strbuf file = { 0 };
	struct jitdumps_code code = { .is_timed = true };
	struct jitdumps dumps = { 0 };
	struct jit_section jit = { 0 };
	uint64_t address;
	uint32_t line;
	uint8_t byte;

	array_push(&jit.processes)->pid = PID;
	jit_process_add(&jit.processes.at[0], &symbols[0], "late");
	jit_process_add(&jit.processes.at[0], &symbols[1], "early");
	jitdumps_add(&dumps, &map, &clock);
	assert_null(jitdumps_open(&dumps, &jit, PID));
	jitdumps_deinit(&dumps);
	dumps = (struct jitdumps){ 0 };
	put_codes(f, 0, 1);
	jitdumps_add(&dumps, &map, &clock);
	assert_null(jitdumps_find(&dumps, PID)->codes);
	code.dump = jitdumps_open(&dumps, &jit, PID);
	assert_non_null(code.dump);
	assert_ptr_equal(jitdumps_open(&dumps, &jit, PID), code.dump);
	assert_null(jitdumps_open(&dumps, &jit, PID + 1));
	assert_string_equal(jit_symbol_name(&jit.processes.at[0],
				    jit.processes.at[0].symbols.at),
		"late");
	assert_true(jitdumps_code_line(&code, 0x590, &file, &line));
	assert_int_equal(line, 6);
	assert_int_equal(
		jitdumps_code_read(&code, 0x590, &byte, 1, &address), 1);
	assert_int_equal(byte, 0x91);
	assert_int_equal(address, 0x2090);
	assert_int_equal(
		jitdumps_code_read(&code, 0x710, &byte, 1, &address), 1);
	assert_int_equal(byte, 0x93);
	assert_int_equal(address, 0x2090);
	jitdumps_deinit(&dumps);
	jit_section_deinit(&jit);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_address_has_the_code_of_the_samples_time),
		TEST(an_address_has_the_source_line_of_the_samples_time),
		TEST(only_looked_up_unwind_rules_are_kept),
		TEST(looked_up_unwind_rules_without_times_are_kept),
		TEST(a_jitdump_without_clock_conversion_has_no_times),
		TEST(tsc_times_of_a_jitdump_are_converted_to_perfs_clock),
		TEST(tsc_times_are_not_used_if_events_have_another_clock),
		TEST(a_jitdump_of_another_host_is_not_opened),
		TEST(files_with_other_names_are_not_jitdumps),
		TEST(names_and_places_of_the_jit_section_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
