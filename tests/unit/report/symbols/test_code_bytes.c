/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the code bytes of a file, a jitdump and the recording itself. */
#include "config.h"

#include "report/symbols/code_bytes.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <time.h>

#include "common/elf/elf.h"
#include "tests/unit/make_folder.h"
#include "tests/unit/make_jitdump.h"
#include "tests/unit/make_recording.h"
#include "tests/unit/testing.h"

#define PID MADE_PID

struct fixture {
	struct folder folder;
	struct features host;
	struct strbuf data, file;
	struct reader *reader;
	struct survey survey;
	struct search_paths places;
	struct buildid_cache *store;
	struct files *files;
	struct code_bytes *codes;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct utsname here;

	assert_non_null(f);
	folder_make(&f->folder);
	make_host(&f->host, 1);
	uname(&here);
	free(f->host.hostname);
	f->host.hostname = strdup(here.nodename);
	f->host.events.at[0].attr.use_clockid = 1;
	f->host.events.at[0].attr.clockid = CLOCK_MONOTONIC;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	code_bytes_destroy(f->codes);
	files_destroy(f->files);
	buildid_cache_destroy(f->store);
	if (f->reader) {
		survey_deinit(&f->survey);
		reader_close(f->reader);
	}
	features_deinit(&f->host);
	strbuf_free(&f->data);
	strbuf_free(&f->file);
	folder_remove(&f->folder);
	free(f);
	return 0;
}

static void open_file(struct fixture *f)
{
	assert_no_error(open_bytes(f->file.at, f->file.n, &f->reader));
	assert_no_error(survey_run(f->reader, SURVEY_SIDEBAND, &f->survey));
	f->store = buildid_cache_create(&f->places);
	f->files = files_create(f->reader, &f->survey, f->store);
	f->codes = code_bytes_create(f->files);
}

static void open_data(struct fixture *f)
{
	make_perf_file(&f->host, &f->data, &f->file);
	open_file(f);
}

/*
 * Returns how many of SIZE bytes there are at ADDRESS of the process at TIME.
 */
static size_t read_at(struct fixture *f, uint64_t address, uint64_t time,
	uint8_t *out, size_t size, struct code_facts *facts)
{
	const struct maps *maps = f->survey.maps;
	struct maps_context context = maps_context(maps, PID, PID, time);
	const struct mapping *mapping = maps_find(maps, context.space, address);

	assert_non_null(mapping);
	return code_bytes_read(f->codes,
		&(struct code_query){ mapping->dso,
			address - mapping->start + mapping->offset, size },
		out, facts);
}

/* --- this program -----------------------------------------------------------
 */

__attribute__((noinline)) static int a_function_of_this_test(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

struct self {
	uint64_t start, size, offset, bias; /* of the segment with it */
};

/* The first object is the main program. */
static int look_at_self(
	struct dl_phdr_info *info, size_t size _unused_, void *data)
{
	uint64_t wanted = (uintptr_t)a_function_of_this_test;
	struct self *self = data;
	int i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + header->p_vaddr;

		if (header->p_type == PT_LOAD && wanted >= start &&
			wanted < start + header->p_memsz)
			*self = (struct self){ start, header->p_memsz,
				header->p_offset, info->dlpi_addr };
	}
	return 1;
}

/* Maps this program as it runs; CHANGE modifies the recorded build ID. */
static void map_self(struct fixture *f, uint8_t change)
{
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct feature_build_id *entry;
	struct self self = { 0 };
	char path[4096] = "";

	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	dl_iterate_phdr(look_at_self, &self);
	make_mmap(&f->data, PID, self.start, self.size, self.offset, path, 10);
	entry = array_push(&f->host.build_ids);
	*entry = (struct feature_build_id){
		.pid = UINT32_MAX, .cpumode = MISC_USER, .path = strdup(path)
	};
	if (!elf_read_build_id(fd, &entry->id))
		skip_without("build-id");
	entry->id.bytes[0] ^= change;
	features_mark(&f->host, FEATURE_BUILD_ID);
	open_data(f);
}

static void code_bytes_of_a_file_equal_the_code_in_memory(void **state)
{
	uint64_t address = (uintptr_t)a_function_of_this_test;
	struct self self = { 0 };
	struct fixture *f = *state;
	struct code_facts facts;
	uint8_t bytes[16];

	assert_int_equal(a_function_of_this_test(1), 2);
	map_self(f, 0);
	dl_iterate_phdr(look_at_self, &self);
	GARBAGE(bytes);
	assert_int_equal(read_at(f, address, 20, bytes, 8, &facts), 8);
	assert_memory_equal(bytes, (const void *)address, 8);
	assert_int_equal(bytes[8], 0xa5);
	assert_int_equal(facts.address, address - self.bias);
	assert_false(facts.is_recorded);
	assert_int_equal(facts.kind.class,
		sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32);
	assert_int_not_equal(facts.kind.machine, 0);
}

static void code_bytes_of_another_build_are_not_used(void **state)
{
	struct fixture *f = *state;
	struct code_facts facts;
	uint8_t bytes[8];

	map_self(f, 1);
	assert_int_equal(read_at(f, (uintptr_t)a_function_of_this_test, 20,
				 bytes, sizeof(bytes), &facts),
		0);
}

/* --- JIT code ---------------------------------------------------------------
 */

/* Two codes at one address at different times, and one beside them. */
static void map_made(struct fixture *f)
{
	_cleanup_strbuf_ struct strbuf dump = { 0 };
	char name[32], path[80];

	make_jitdump_head(&dump, 0);
	make_jitdump_load(
		&dump, &(struct made_code){ 100, 0x2000, 0x100, 1, "early" });
	make_jitdump_load(
		&dump, &(struct made_code){ 100, 0x3000, 0x100, 2, "beside" });
	make_jitdump_load(
		&dump, &(struct made_code){ 200, 0x2080, 0x100, 3, "late" });
	snprintf(name, sizeof(name), "jit-%u.dump", PID);
	snprintf(path, sizeof(path), "%s/%s", f->folder.path, name);
	folder_put_bytes(&f->folder, name, dump.at, dump.n);
	make_mmap(&f->data, PID, 0x1000, 0x10000, 0, "//anon", 10);
	make_mmap(&f->data, PID, 0x90000, 0x1000, 0, path, 20);
	open_data(f);
}

/* Returns "NUMBER of BYTE at ADDRESS": up to 0x400 bytes, which are equal. */
static const char *made_at(struct fixture *f, uint64_t address, uint64_t time)
{
	static char text[64];
	struct code_facts facts;
	uint8_t bytes[0x400];
	size_t n = read_at(f, address, time, bytes, sizeof(bytes), &facts), i;

	for (i = 1; i < n; i++)
		assert_int_equal(bytes[i], bytes[0]);
	snprintf(text, sizeof(text), "%x of %x at %x", (unsigned)n,
		n ? bytes[0] : 0, (unsigned)facts.address);
	return text;
}

static void code_bytes_of_a_jitdump_are_those_of_the_samples_time(void **state)
{
	struct fixture *f = *state;
	struct code_facts facts;
	uint8_t byte;

	map_made(f);
	assert_string_equal(made_at(f, 0x2000, 150), "100 of 91 at 2000");
	assert_string_equal(made_at(f, 0x2090, 150), "70 of 91 at 2090");
	assert_string_equal(made_at(f, 0x2090, 250), "f0 of 93 at 2090");
	assert_string_equal(made_at(f, 0x3010, 250), "f0 of 92 at 3010");
	assert_string_equal(made_at(f, 0x4000, 250), "0 of 0 at 4000");
	assert_int_equal(read_at(f, 0x3010, 250, &byte, 1, &facts), 1);
	assert_int_equal(facts.kind.machine, EM_X86_64);
}

/* --- the recording ----------------------------------------------------------
 */

static void put_packed(struct strbuf *out)
{
	const struct dso made = { .path = (char *)MADE_PATH };
	const struct build_id none = { 0 };
	struct code_builder builder = { .kind = { EM_AARCH64 } };
	_cleanup_strbuf_ struct strbuf unit = { 0 };

	code_builder_add(&builder, 0x10, 0x7010, "one", 3);
	code_builder_add(&builder, 0x13, 0x7013, "two", 3);
	code_builder_finish(&builder, &unit);
	packed_dsos_begin(1, out);
	packed_dsos_put(&made, &none, unit.at, unit.n, out);
}

static void code_bytes_in_the_recording_are_used_first(void **state)
{
	struct fixture *f = *state;
	struct recording recording = { .n_samples = 1,
		.n_events = 1,
		.section = { SECTION_CODE, PACKED_CODE_VERSION, { 0 } } };
	struct memory memory = { 0 };
	struct code_facts facts;
	char bytes[16] = "";

	put_packed(&recording.section.raw);
	assert_no_error(make_recording(&recording, &memory));
	strbuf_put(&f->file, memory.file.at, memory.file.n);
	memory_deinit(&memory);
	strbuf_free(&recording.section.raw);
	open_file(f);
	assert_int_equal(read_at(f, MADE_START + 0x11, MADE_TIME(1),
				 (uint8_t *)bytes, sizeof(bytes), &facts),
		5);
	assert_string_equal(bytes, "netwo");
	assert_true(facts.is_recorded);
	assert_int_equal(facts.address, 0x7011);
	assert_int_equal(facts.kind.machine, EM_AARCH64);
	assert_int_equal(read_at(f, MADE_START + 0x20, MADE_TIME(1),
				 (uint8_t *)bytes, sizeof(bytes), &facts),
		0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(code_bytes_of_a_file_equal_the_code_in_memory),
		TEST(code_bytes_of_another_build_are_not_used),
		TEST(code_bytes_of_a_jitdump_are_those_of_the_samples_time),
		TEST(code_bytes_in_the_recording_are_used_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
