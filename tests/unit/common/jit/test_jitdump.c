/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a jitdump with unwinding information. */
#include "config.h"

#include "common/jit/jitdump.h"

#include <elf.h>
#include <sys/mman.h>

#include "common/unwind/cfi.h"
#include "tests/unit/testing.h"

#define CODE UINT64_C(0x7f0000001000)
#define CODE_SIZE 60u /* so .eh_frame is at 64 */

/* A CIE, and an FDE for CODE_SIZE bytes, relative to itself at code + 64. */
static const uint8_t eh_frame[] = { 20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1,
	0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0,
	/* FDE */
	20, 0, 0, 0, 28, 0, 0, 0, 0xa0, 0xff, 0xff, 0xff, CODE_SIZE, 0, 0, 0, 0,
	0x44, 0x0e, 48, 0, 0, 0, 0 };
static const uint8_t header[] = { 1, 2, 3, 4, 5, 6, 7, 8 };

static void put(int fd, const void *data, size_t size)
{
	assert_int_equal(write(fd, data, size), size);
}

static void put_prefix(int fd, uint32_t id, uint32_t size)
{
	uint32_t prefix[4] = { id, size, 1, 0 };

	put(fd, prefix, sizeof(prefix));
}

static void put_head(int fd)
{
	uint32_t head[10] = { 0x4a695444, 1, 40, EM_X86_64 };

	put(fd, head, sizeof(head));
}

/* UNWINDING is the size that the record states. */
static void put_unwinding(int fd, uint64_t unwinding)
{
	uint64_t sizes[3] = { unwinding, sizeof(header), 0 };

	put_prefix(
		fd, 4, 16 + sizeof(sizes) + sizeof(eh_frame) + sizeof(header));
	put(fd, sizes, sizeof(sizes));
	put(fd, eh_frame, sizeof(eh_frame));
	put(fd, header, sizeof(header));
}

static void put_load(int fd, const char *name)
{
	struct {
		uint32_t pid, tid;
		uint64_t vma, address, size, index;
	} load = { 1, 1, CODE, CODE, CODE_SIZE, 1 };

	put_prefix(fd, 0,
		(uint32_t)(16 + sizeof(load) + strlen(name) + 1 + CODE_SIZE));
	put(fd, &load, sizeof(load));
	put(fd, name, strlen(name) + 1);
	put(fd, (uint8_t[CODE_SIZE]){ 0 }, CODE_SIZE);
}

static void unwinding_information_belongs_to_the_next_loaded_code(void **state)
{
	int fd = memfd_create("jitdump", MFD_CLOEXEC);
	struct jitdump_code code;
	struct jitdump *dump;
	uint8_t *bytes;
	size_t size;

	(void)state;
	put_head(fd);
	put_unwinding(fd, sizeof(eh_frame) + sizeof(header));
	put_load(fd, "first");
	put_load(fd, "second");
	dump = jitdump_open(fd);
	assert_non_null(dump);
	assert_true(jitdump_next(dump, &code));
	assert_string_equal(code.name, "first");
	bytes = jitdump_unwinding(dump, &code.unwinding, &size);
	assert_int_equal(size, sizeof(eh_frame));
	assert_memory_equal(bytes, eh_frame, size);
	free(bytes);
	assert_true(jitdump_next(dump, &code));
	assert_string_equal(code.name, "second");
	assert_null(jitdump_unwinding(dump, &code.unwinding, &size));
	assert_false(jitdump_next(dump, &code));
	jitdump_close(dump);
	close(fd);
}

static void unwinding_information_of_a_wrong_size_is_ignored(void **state)
{
	static const uint64_t sizes[] = { 0, 4, UINT64_MAX,
		sizeof(eh_frame) + sizeof(header) + 1 };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		int fd = memfd_create("jitdump", MFD_CLOEXEC);
		struct jitdump_code code;
		struct jitdump *dump;
		size_t size;

		put_head(fd);
		put_unwinding(fd, sizes[i]);
		put_load(fd, "name");
		dump = jitdump_open(fd);
		assert_true(jitdump_next(dump, &code));
		assert_null(jitdump_unwinding(dump, &code.unwinding, &size));
		jitdump_close(dump);
		close(fd);
	}
}

static void unwind_rules_are_compiled_from_the_eh_frame_of_a_jitdump(
	void **state)
{
	const struct cfi_bytes bytes = { .arch = UNWIND_X86_64,
		.eh_frame = eh_frame,
		.eh_frame_size = sizeof(eh_frame),
		.eh_frame_address = CODE + 64,
		.eh_frame_hdr_address = CODE + 64 + sizeof(eh_frame),
		.start = CODE,
		.end = CODE + CODE_SIZE };
	struct cfi *cfi = cfi_create_from_bytes(&bytes);

	(void)state;
	assert_non_null(cfi);
	assert_int_equal(cfi_rule(cfi, CODE - 1), CFI_NONE);
	assert_int_equal(cfi_kind(cfi_rule(cfi, CODE)), CFI_SP);
	assert_int_equal(cfi_x86_offset(cfi_rule(cfi, CODE + 3)), 8);
	assert_int_equal(cfi_x86_offset(cfi_rule(cfi, CODE + 4)), 48);
	assert_int_equal(
		cfi_x86_offset(cfi_rule(cfi, CODE + CODE_SIZE - 1)), 48);
	assert_int_equal(cfi_rule(cfi, CODE + CODE_SIZE), CFI_NONE);
	cfi_destroy(cfi);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			unwinding_information_belongs_to_the_next_loaded_code),
		cmocka_unit_test(
			unwinding_information_of_a_wrong_size_is_ignored),
		cmocka_unit_test(
			unwind_rules_are_compiled_from_the_eh_frame_of_a_jitdump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
