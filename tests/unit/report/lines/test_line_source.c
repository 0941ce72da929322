/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of this program itself: whole, truncated and damaged. */
#include "config.h"

#include "report/lines/line_source.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "common/util/alloc.h"
#include "tests/unit/testing.h"

#define CUTS 60u
#define DAMAGES 300u
#define ADDRESSES 32u

static int setup(void **state)
{
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct strbuf *self = xcalloc(1, sizeof(*self));
	char buffer[65536];
	ssize_t n;

	while ((n = read(fd, buffer, sizeof(buffer))) > 0)
		strbuf_put(self, buffer, (size_t)n);
	*state = self;
	return n < 0;
}

static int teardown(void **state)
{
	struct strbuf *self = *state;

	strbuf_free(self);
	free(self);
	return 0;
}

/* Returns NULL if the bytes are no ELF file. */
static struct line_source *open_bytes(
	const struct strbuf *bytes, size_t size, struct elf_file **file_ret)
{
	struct dwarf_line_files files = { 0 };
	int fd = memfd_create("lines", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes->at, size), size);
	error_free(elf_file_open(fd, "lines", &files.code));
	*file_ret = files.code;
	return files.code ? line_source_create(&files, NULL) : NULL;
}

/*
 * Returns how many of some evenly spread addresses have a line or a function.
 */
static unsigned count_known_addresses(const struct strbuf *bytes, size_t size)
{
	struct line_frame frames[LINE_DEPTH_MAX];
	struct elf_file *file;
	struct line_source *source = open_bytes(bytes, size, &file);
	uint64_t start, end;
	unsigned i, n = 0;

	if (!source)
		return 0;
	if (elf_file_code(file, &start, &end))
		for (i = 0; i < ADDRESSES; i++)
			n += line_source_frames(source,
				     start + (end - start) / ADDRESSES * i,
				     frames) > 0;
	line_source_destroy(source);
	return n;
}

static void skip_without_lines(const struct strbuf *self)
{
	if (!count_known_addresses(self, self->n))
		skip_without("debug-information");
}

static void a_truncated_program_has_no_source_lines(void **state)
{
	const struct strbuf *self = *state;
	unsigned i;

	skip_without_lines(self);
	/* The section headers are at the end. */
	for (i = 0; i < CUTS; i++)
		assert_int_equal(
			count_known_addresses(self, self->n / CUTS * i), 0);
}

/* Returns the bytes of the sections that libdw reads, as one range. */
struct debug {
	const Elf64_Shdr *parts[64];
	size_t n;
	uint64_t size;
};

static void find_debug(const struct strbuf *self, struct debug *ret)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)self->at;
	const Elf64_Shdr *sections =
		(const Elf64_Shdr *)(self->at + header->e_shoff);
	const char *names = self->at + sections[header->e_shstrndx].sh_offset;
	unsigned i;

	memset(ret, 0, sizeof(*ret));
	for (i = 1; i < header->e_shnum && ret->n < 64; i++) {
		if (!string_starts(names + sections[i].sh_name, ".debug_"))
			continue;
		ret->parts[ret->n++] = &sections[i];
		ret->size += sections[i].sh_size;
	}
}

static char *debug_byte(
	const struct strbuf *self, const struct debug *debug, uint64_t at)
{
	size_t i = 0;

	while (at >= debug->parts[i]->sh_size)
		at -= debug->parts[i++]->sh_size;
	return self->at + debug->parts[i]->sh_offset + at;
}

static void reading_damaged_debug_information_never_crashes(void **state)
{
	static const uint8_t values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	const struct strbuf *self = *state;
	uint64_t random = 1;
	struct debug debug;
	unsigned i;

	if (self->at[EI_CLASS] != ELFCLASS64)
		skip_without("64bit");
	skip_without_lines(self);
	find_debug(self, &debug);
	for (i = 0; i < DAMAGES; i++) {
		char *byte, was;

		random = random * UINT64_C(6364136223846793005) + 1;
		byte = debug_byte(self, &debug, (random >> 16) % debug.size);
		was = *byte;
		*byte = (char)values[i % ARRAY_SIZE(values)];
		count_known_addresses(self, self->n);
		*byte = was;
	}
	assert_true(count_known_addresses(self, self->n) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_truncated_program_has_no_source_lines),
		cmocka_unit_test(
			reading_damaged_debug_information_never_crashes),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
