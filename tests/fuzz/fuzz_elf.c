/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target of ELF files: reads build ID, sections, segments, symbols and
 * compressed sections of any bytes, and compiles and interprets the unwind
 * rules.
 */
#include "config.h"

#include <sys/mman.h>

#include "common/elf/elf.h"
#include "common/unwind/cfi.h"
#include "common/unwind/cfi_program.h"
#include "common/util/alloc.h"

#define INPUT_MAX KIB(256)
#define SEGMENTS 8u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct elf_file *open_bytes(const uint8_t *data, size_t size)
{
	struct elf_file *file = NULL;
	int fd = memfd_create("elf", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	error_free(elf_file_open(fd, "elf", &file));
	return file;
}

static void read_symbols(struct elf_file *file)
{
	struct symtab table = { 0 };
	struct elf_symbol symbol;

	elf_file_own_symbols(file, &table);
	elf_file_plt(file, &table);
	symtab_finish(&table);
	symtab_find(&table, 0x1000);
	symtab_deinit(&table);
	elf_file_find(file, "main", &symbol);
}

static void read_rules(struct elf_file *file)
{
	const struct cfi_section *expressions;
	struct cfi *cfi = NULL;
	struct cfi_row row;
	uint64_t start, end;

	error_free(cfi_create(file, NULL, &cfi));
	if (!cfi)
		return;
	if (elf_file_code(file, &start, &end)) {
		cfi_rule(cfi, start);
		cfi_rule(cfi, end - 1);
		cfi_row(cfi, start, &row, &expressions);
	}
	cfi_destroy(cfi);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_segment segments[SEGMENTS];
	struct elf_section section;
	struct elf_file *file;
	struct build_id id;
	uint64_t number;
	uint32_t crc;

	if (size > INPUT_MAX)
		return 0;
	file = open_bytes(data, size);
	if (!file)
		return 0;
	elf_file_build_id(file, &id);
	elf_file_debuglink(file, &crc);
	elf_file_is_relocated(file, &number);
	elf_file_segments(file, segments, SEGMENTS);
	elf_file_all_segments(file, segments, SEGMENTS);
	elf_file_address(file, 0x1000);
	elf_file_section(file, ".text", MIB(1), &section);
	elf_file_frames(file, CFI_SECTION_MAX, &section, &number);
	read_symbols(file);
	read_rules(file);
	elf_file_close(file);
	return 0;
}
