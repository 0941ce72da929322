/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/elf/elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <zstd.h>

#include "common/util/alloc.h"
#include "tests/unit/testing.h"

/* --- files ---------------------------------------------------------------- */

static int memory_file(const void *data, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), size);
	return fd;
}

static struct elf_file *open_bytes(const void *data, size_t size)
{
	struct elf_file *file = NULL;
	struct error *err =
		elf_file_open(memory_file(data, size), "bytes", &file);

	error_free(err);
	return err ? NULL : file;
}

static struct elf_file *open_self(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct elf_file *file = NULL;

	assert_true(fd >= 0);
	assert_no_error(elf_file_open(fd, "self", &file));
	return file;
}

static void read_self(struct strbuf *out)
{
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	char buffer[65536];
	ssize_t n;

	while ((n = read(fd, buffer, sizeof(buffer))) > 0)
		strbuf_put(out, buffer, (size_t)n);
}

/* --- this program --------------------------------------------------------- */

__attribute__((noinline)) static int a_function_of_this_test(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

struct self {
	uint64_t wanted, offset; /* an address, and its file offset */
	struct build_id build_id;
};

/* The main program is the first object. */
static int find_in_self(
	struct dl_phdr_info *info, size_t size _unused_, void *data)
{
	struct self *self = data;
	int i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + header->p_vaddr;

		if (header->p_type == PT_LOAD && self->wanted >= start &&
			self->wanted < start + header->p_memsz)
			self->offset = self->wanted - start + header->p_offset;
		if (header->p_type == PT_NOTE && !self->build_id.size)
			elf_notes_build_id((const uint8_t *)start,
				header->p_memsz, &self->build_id);
	}
	return 1;
}

static void the_build_id_of_this_program_is_read(void **state _unused_)
{
	struct elf_file *file = open_self();
	struct self self = { 0 };
	struct build_id found;
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	bool has_one;

	dl_iterate_phdr(find_in_self, &self);
	GARBAGE(found);
	has_one = elf_file_build_id(file, &found);
	elf_file_close(file);
	if (!self.build_id.size)
		skip_without("build-id");
	assert_true(has_one);
	assert_in_range(found.size, 8, 20);
	assert_true(build_id_equal(&found, &self.build_id));
	GARBAGE(found);
	assert_true(elf_read_build_id(fd, &found));
	assert_true(build_id_equal(&found, &self.build_id));
}

static void a_function_of_this_program_has_its_file_offset(
	void **state _unused_)
{
	struct self self = { .wanted = (uintptr_t)a_function_of_this_test };
	struct elf_file *file = open_self();
	struct symtab table = { 0 };
	const struct symbol *symbol;

	assert_int_equal(a_function_of_this_test(1), 2);
	dl_iterate_phdr(find_in_self, &self);
	if (!elf_file_symbols(file, file, ELF_SYMTAB, &table)) {
		elf_file_close(file);
		skip_without("unstripped");
	}
	symtab_finish(&table);
	symbol = symtab_find(&table, self.offset);
	assert_non_null(symbol);
	assert_string_equal(
		symtab_name(&table, symbol), "a_function_of_this_test");
	assert_int_equal(symbol->start, self.offset);
	symtab_deinit(&table);
	elf_file_close(file);
}

/* --- notes ---------------------------------------------------------------- */

static const uint32_t notes[] = {
	4, 5, 7, 0x00554e47, 0x11111111, 0x00000011,   /* another GNU note */
	8, 0, NT_GNU_BUILD_ID, 0x656d6f73, 0x656e6f00, /* of another vendor */
	4, 6, NT_GNU_BUILD_ID, 0x00554e47, 0x44332211, 0x00006655, 4, 4,
	NT_GNU_BUILD_ID, 0x00554e47, 0x99999999, /* not the first one */
};

static void the_first_build_id_note_is_used(void **state _unused_)
{
	char text[BUILD_ID_TEXT];
	struct build_id id;

	GARBAGE(id);
	assert_true(
		elf_notes_build_id((const uint8_t *)notes, sizeof(notes), &id));
	assert_string_equal(build_id_text(&id, text), "112233445566");
}

static void the_last_elf_note_may_lack_its_padding(void **state _unused_)
{
	uint8_t *copy = exact_copy(notes, 66);
	char text[BUILD_ID_TEXT];
	struct build_id id;

	assert_true(elf_notes_build_id(copy, 66, &id));
	assert_string_equal(build_id_text(&id, text), "112233445566");
	free(copy);
}

static void truncated_elf_notes_have_no_build_id(void **state _unused_)
{
	struct build_id id;
	size_t size;

	for (size = 0; size < 66; size++) {
		uint8_t *copy = exact_copy(notes, size);

		GARBAGE(id);
		assert_false(elf_notes_build_id(copy, size, &id));
		assert_int_equal(id.size, 0);
		free(copy);
	}
}

static void elf_notes_of_invalid_sizes_have_no_build_id(void **state _unused_)
{
	static const uint32_t bad[][6] = {
		{ UINT32_MAX, 4, NT_GNU_BUILD_ID, 0x00554e47, 1, 1 },
		{ 4, UINT32_MAX, NT_GNU_BUILD_ID, 0x00554e47, 1, 1 },
		{ 4, 0, NT_GNU_BUILD_ID, 0x00554e47, 1, 1 },
		{ 0, 0, 0, 0, 0, 0 },
	};
	struct build_id id;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		uint8_t *copy = exact_copy(bad[i], sizeof(bad[i]));

		assert_false(elf_notes_build_id(copy, sizeof(bad[i]), &id));
		free(copy);
	}
}

static void a_long_build_id_is_truncated_to_20_bytes(void **state _unused_)
{
	uint8_t bytes[16 + 32] = { 4, 0, 0, 0, 32, 0, 0, 0, NT_GNU_BUILD_ID, 0,
		0, 0, 'G', 'N', 'U', 0 };
	struct build_id id;

	memset(bytes + 16, 0xab, 32);
	assert_true(elf_notes_build_id(bytes, sizeof(bytes), &id));
	assert_int_equal(id.size, 20);
	assert_int_equal(id.bytes[19], 0xab);
}

/* --- files made by hand --------------------------------------------------- */

struct made_section {
	const char *name;
	uint32_t type, link;
	uint64_t flags, address, entry_size;
	const void *data;
	size_t size;
};

#define MADE_TEXT 0x1000u /* the segment's offset in the file */
#define MADE_BASE 0x400000u

/*
 * Writes an ELF file of one segment and SECTIONS; the last section is
 * .shstrtab.
 */
static void make_elf(
	const struct made_section *sections, size_t n, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf names = { 0 };
	Elf64_Shdr headers[16] = { 0 };
	Elf64_Ehdr start = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB,
			EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(start),
		.e_ehsize = sizeof(start),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (uint16_t)(n + 2),
		.e_shstrndx = (uint16_t)(n + 1),
	};
	Elf64_Phdr segment = {
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_offset = MADE_TEXT,
		.p_vaddr = MADE_BASE,
		.p_filesz = 0x1000,
		.p_memsz = 0x1000,
	};
	size_t i;

	strbuf_put(out, &start, sizeof(start));
	strbuf_put(out, &segment, sizeof(segment));
	strbuf_putc(&names, '\0');
	for (i = 0; i < n; i++) {
		strbuf_align(out, 16);
		headers[i + 1] = (Elf64_Shdr){
			.sh_name = (uint32_t)names.n,
			.sh_type = sections[i].type,
			.sh_flags = sections[i].flags,
			.sh_addr = sections[i].address,
			.sh_offset = out->n,
			.sh_size = sections[i].size,
			.sh_link = sections[i].link,
			.sh_addralign = 1,
			.sh_entsize = sections[i].entry_size,
		};
		strbuf_put(
			&names, sections[i].name, strlen(sections[i].name) + 1);
		if (sections[i].type != SHT_NOBITS)
			strbuf_put(out, sections[i].data, sections[i].size);
	}
	headers[n + 1] = (Elf64_Shdr){ .sh_name = 0,
		.sh_type = SHT_STRTAB,
		.sh_offset = out->n,
		.sh_size = names.n,
		.sh_addralign = 1 };
	strbuf_put(out, names.at, names.n);
	strbuf_align(out, 16);
	start.e_shoff = out->n;
	memcpy(out->at, &start, sizeof(start));
	strbuf_put(out, headers, (n + 2) * sizeof(headers[0]));
}

static const char strings[] = "\0function\0label\0hidden\0object\0undefined\0"
			      "indirect\0weak\0outside\0absolute";
enum {
	AT_FUNCTION = 1,
	AT_LABEL = 10,
	AT_HIDDEN = 16,
	AT_OBJECT = 23,
	AT_UNDEFINED = 30,
	AT_INDIRECT = 40,
	AT_WEAK = 49,
	AT_OUTSIDE = 54,
	AT_ABSOLUTE = 62,
};

#define SYMBOL(name, binding, type, visibility, section, value, size)    \
	{                                                                \
		name, ELF64_ST_INFO(binding, type), visibility, section, \
			value, size                                      \
	}

static const Elf64_Sym symbols[] = {
	{ 0 },
	SYMBOL(AT_FUNCTION, STB_GLOBAL, STT_FUNC, STV_DEFAULT, 1,
		MADE_BASE + 0x10, 0x10),
	SYMBOL(AT_LABEL, STB_LOCAL, STT_NOTYPE, STV_DEFAULT, 1,
		MADE_BASE + 0x20, 0),
	SYMBOL(AT_HIDDEN, STB_LOCAL, STT_NOTYPE, STV_HIDDEN, 1,
		MADE_BASE + 0x30, 0),
	SYMBOL(AT_OBJECT, STB_GLOBAL, STT_OBJECT, STV_DEFAULT, 1,
		MADE_BASE + 0x40, 0x10),
	SYMBOL(AT_UNDEFINED, STB_GLOBAL, STT_FUNC, STV_DEFAULT, SHN_UNDEF,
		MADE_BASE + 0x50, 0x10),
	SYMBOL(AT_INDIRECT, STB_GLOBAL, STT_GNU_IFUNC, STV_DEFAULT, 1,
		MADE_BASE + 0x60, 0x10),
	SYMBOL(AT_WEAK, STB_WEAK, STT_FUNC, STV_DEFAULT, 1, MADE_BASE + 0x70,
		0x10),
	SYMBOL(AT_OUTSIDE, STB_GLOBAL, STT_FUNC, STV_DEFAULT, 1,
		MADE_BASE + 0x1000, 0x10),
	SYMBOL(AT_ABSOLUTE, STB_GLOBAL, STT_NOTYPE, STV_DEFAULT, SHN_ABS,
		MADE_BASE + 0x80, 0),
};

static const uint8_t code[0x100];

#define TEXT_SECTION                                                      \
	{                                                                 \
		.name = ".text", .type = SHT_PROGBITS,                    \
		.flags = SHF_ALLOC | SHF_EXECINSTR, .address = MADE_BASE, \
		.data = code, .size = sizeof(code)                        \
	}
#define STRINGS_SECTION                                                 \
	{                                                               \
		.name = ".strtab", .type = SHT_STRTAB, .data = strings, \
		.size = sizeof(strings)                                 \
	}
#define SYMBOLS_SECTION(its_name, its_type)                    \
	{                                                      \
		.name = its_name, .type = its_type, .link = 2, \
		.data = symbols, .size = sizeof(symbols),      \
		.entry_size = sizeof(symbols[0])               \
	}

static void make_elf_with_symbols(struct strbuf *out)
{
	const struct made_section sections[] = { TEXT_SECTION, STRINGS_SECTION,
		SYMBOLS_SECTION(".symtab", SHT_SYMTAB) };

	make_elf(sections, ARRAY_SIZE(sections), out);
}

/* Lists symbols as "10:function 20:label", by file offset in the segment. */
static void list_symbols(struct symtab *table, struct strbuf *out)
{
	symtab_finish(table);
	array_each(&table->symbols, symbol)
		strbuf_printf(out, "%s%x:%s", out->n ? " " : "",
			(unsigned)(symbol->start - MADE_TEXT),
			symtab_name(table, symbol));
}

static void functions_variables_and_labels_are_read_as_symbols(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 }, found = { 0 };
	struct symtab table = { 0 };
	struct elf_file *file;

	make_elf_with_symbols(&out);
	file = open_bytes(out.at, out.n);
	assert_non_null(file);
	assert_true(elf_file_symbols(file, file, ELF_SYMTAB, &table));
	list_symbols(&table, &found);
	assert_text(
		&found, "10:function 20:label 40:object 60:indirect 70:weak");
	assert_int_equal(table.symbols.at[0].binding, STB_GLOBAL);
	assert_int_equal(table.symbols.at[0].end, MADE_TEXT + 0x20);
	assert_int_equal(table.symbols.at[4].binding, STB_WEAK);
	symtab_deinit(&table);
	elf_file_close(file);
}

/* Returns the size of the only symbol of a table of TYPE, which has no size in the file. */
static uint64_t size_in_table(const char *name, uint32_t type)
{
	/* xor %eax, %eax; ret; then a function without a symbol */
	static const uint8_t text[] = { 0x31, 0xc0, 0xc3, 0x90, 0x48, 0xc7,
		0xc0, 15, 0, 0, 0, 0x0f, 0x05 };
	const Elf64_Sym one[] = { { 0 },
		SYMBOL(AT_FUNCTION, STB_GLOBAL, STT_FUNC, STV_DEFAULT, 1,
			MADE_BASE, 0) };
	const struct made_section sections[] = {
		{ .name = ".text",
			.type = SHT_PROGBITS,
			.flags = SHF_ALLOC | SHF_EXECINSTR,
			.address = MADE_BASE,
			.data = text,
			.size = sizeof(text) },
		STRINGS_SECTION,
		{ .name = name,
			.type = type,
			.link = 2,
			.data = one,
			.size = sizeof(one),
			.entry_size = sizeof(one[0]) },
	};
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct symtab table = { 0 };
	struct elf_file *file;
	uint64_t size;

	make_elf(sections, ARRAY_SIZE(sections), &out);
	file = open_bytes(out.at, out.n);
	elf_file_own_symbols(file, &table);
	symtab_finish(&table);
	assert_int_equal(table.symbols.n, 1);
	size = table.symbols.at[0].end - table.symbols.at[0].start;
	symtab_deinit(&table);
	elf_file_close(file);
	return size;
}

static void a_dynsym_symbol_without_size_ends_where_its_code_ends(
	void **state _unused_)
{
	assert_int_equal(size_in_table(".dynsym", SHT_DYNSYM), 3);
	/* .symtab has all functions: the next symbol is the end. */
	assert_int_equal(size_in_table(".symtab", SHT_SYMTAB), 0x1000);
}

/*
 * Mapping symbols exist on some machines only; on others the names are valid.
 */
static void mapping_symbols_of_arm_and_riscv_are_skipped(void **state _unused_)
{
	static const char marks[] =
		"\0$x\0$d.7\0$a\0$t\0$xrv64\0$dollar\0function";
	const Elf64_Sym some[] = { { 0 },
		SYMBOL(1, STB_LOCAL, STT_NOTYPE, 0, 1, MADE_BASE + 0x10, 0),
		SYMBOL(4, STB_LOCAL, STT_NOTYPE, 0, 1, MADE_BASE + 0x20, 0),
		SYMBOL(9, STB_LOCAL, STT_NOTYPE, 0, 1, MADE_BASE + 0x30, 0),
		SYMBOL(12, STB_LOCAL, STT_NOTYPE, 0, 1, MADE_BASE + 0x40, 0),
		SYMBOL(15, STB_LOCAL, STT_NOTYPE, 0, 1, MADE_BASE + 0x50, 0),
		SYMBOL(22, STB_LOCAL, STT_NOTYPE, 0, 1, MADE_BASE + 0x60, 0),
		SYMBOL(1, STB_LOCAL, STT_FUNC, 0, 1, MADE_BASE + 0x70, 0),
		SYMBOL(30, STB_GLOBAL, STT_FUNC, 0, 1, MADE_BASE + 0x81, 4) };
	const struct made_section sections[] = { TEXT_SECTION,
		{ .name = ".strtab",
			.type = SHT_STRTAB,
			.data = marks,
			.size = sizeof(marks) },
		{ .name = ".symtab",
			.type = SHT_SYMTAB,
			.link = 2,
			.data = some,
			.size = sizeof(some),
			.entry_size = sizeof(some[0]) } };
	static const struct {
		uint16_t machine;
		const char *names;
	} wanted[] = {
		{ EM_X86_64,
			"10:$x 20:$d.7 30:$a 40:$t 50:$xrv64 60:$dollar "
			"70:$x 81:function" },
		{ EM_AARCH64,
			"30:$a 40:$t 50:$xrv64 60:$dollar 70:$x "
			"81:function" },
		{ EM_ARM, "10:$x 50:$xrv64 60:$dollar 70:$x 80:function" },
		{ EM_RISCV, "30:$a 40:$t 60:$dollar 70:$x 81:function" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		_cleanup_strbuf_ struct strbuf out = { 0 }, found = { 0 };
		struct symtab table = { 0 };
		struct elf_symbol one;
		struct elf_file *file;

		make_elf(sections, ARRAY_SIZE(sections), &out);
		((Elf64_Ehdr *)(void *)out.at)->e_machine = wanted[i].machine;
		file = open_bytes(out.at, out.n);
		assert_non_null(file);
		assert_true(elf_file_symbols(file, file, ELF_SYMTAB, &table));
		list_symbols(&table, &found);
		assert_text(&found, wanted[i].names);
		assert_true(elf_file_find(file, "function", &one));
		assert_int_equal(one.address & 1, wanted[i].machine != EM_ARM);
		symtab_deinit(&table);
		elf_file_close(file);
	}
}

/*
 * Writes N symbols. Their names are suffixes, of END bytes or more, of one name
 * of SIZE bytes.
 */
static void make_elf_with_names(
	size_t size, size_t n, size_t end, struct strbuf *out)
{
	_cleanup_free_ char *name = xmalloc(size + 2);
	_cleanup_free_ Elf64_Sym *table = xcalloc(n + 1, sizeof(*table));
	const struct made_section sections[] = { TEXT_SECTION,
		{ .name = ".strtab",
			.type = SHT_STRTAB,
			.data = name,
			.size = size + 2 },
		{ .name = ".symtab",
			.type = SHT_SYMTAB,
			.link = 2,
			.data = table,
			.size = (n + 1) * sizeof(*table),
			.entry_size = sizeof(*table) } };
	size_t i;

	memset(name, 'x', size + 1);
	name[0] = name[size + 1] = '\0';
	for (i = 1; i <= n; i++)
		table[i] = (Elf64_Sym)SYMBOL((uint32_t)MIN(i, size + 1 - end),
			STB_GLOBAL, STT_FUNC, STV_DEFAULT, 1,
			MADE_BASE + i % sizeof(code), 1);
	make_elf(sections, ARRAY_SIZE(sections), out);
}

static void a_symbol_name_of_a_megabyte_is_read(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct symtab table = { 0 };
	struct elf_file *file;

	make_elf_with_names(MIB(1), 1, 1, &out);
	file = open_bytes(out.at, out.n);
	assert_true(elf_file_symbols(file, file, ELF_SYMTAB, &table));
	symtab_finish(&table);
	assert_int_equal(table.symbols.n, 1);
	assert_int_equal(strlen(symtab_name(&table, table.symbols.at)), MIB(1));
	symtab_deinit(&table);
	elf_file_close(file);
}

static void symbols_that_share_one_long_name_use_limited_memory(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct symtab table = { 0 };
	struct elf_file *file;

	make_elf_with_names(MIB(1), 1000, 1, &out);
	file = open_bytes(out.at, out.n);
	assert_true(elf_file_symbols(file, file, ELF_SYMTAB, &table));
	assert_in_range(table.names.n, MIB(1), MIB(5));
	symtab_deinit(&table);
	assert_true(elf_file_addresses(file, 0, &table));
	assert_in_range(table.names.n, MIB(1), MIB(5));
	symtab_deinit(&table);
	elf_file_close(file);
}

/* Local functions of many units have the same name. */
static void the_names_of_10000_symbols_are_read(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct symtab table = { 0 };
	struct elf_file *file;

	make_elf_with_names(100, 10000, 100, &out);
	file = open_bytes(out.at, out.n);
	assert_true(elf_file_symbols(file, file, ELF_SYMTAB, &table));
	assert_int_equal(table.symbols.n, 10000);
	assert_int_equal(table.names.n, 10000 * 101);
	symtab_deinit(&table);
	elf_file_close(file);
}

/* Returns the section header NUMBER, counted from 1, of make_elf(). */
static Elf64_Shdr *header_in(struct strbuf *out, size_t number)
{
	Elf64_Ehdr start;

	memcpy(&start, out->at, sizeof(start));
	return (Elf64_Shdr *)(void *)(out->at + start.e_shoff) + number;
}

/*
 * Reads six symbols; those from FIRST_SHORT on have names of five bytes.
 * Returns the number of symbols read.
 */
static size_t count_named_symbols(size_t first_short)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct symtab table = { 0 };
	struct elf_file *file;
	Elf64_Sym *made;
	size_t n, i;

	make_elf_with_names(MIB(1), 6, 1, &out);
	made = (Elf64_Sym *)(void *)(out.at + header_in(&out, 3)->sh_offset);
	for (i = first_short; i <= 6; i++)
		made[i].st_name = MIB(1) + 1 - 5;
	file = open_bytes(out.at, out.n);
	assert_true(elf_file_symbols(file, file, ELF_SYMTAB, &table));
	n = table.symbols.n;
	symtab_deinit(&table);
	elf_file_close(file);
	return n;
}

/* Long names are read again for each symbol that shares them. */
static void symbols_whose_names_exceed_the_size_limit_are_skipped(
	void **state _unused_)
{
	assert_int_equal(count_named_symbols(5), 6);
	assert_int_equal(count_named_symbols(6), 4);
}

static void symbol_names_without_a_nul_are_skipped(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct symtab table = { 0 };
	struct elf_file *file;
	const Elf64_Shdr *header;

	make_elf_with_symbols(&out);
	header = header_in(&out, 2);
	out.at[header->sh_offset + header->sh_size - 1] = 'x';
	file = open_bytes(out.at, out.n);
	assert_true(elf_file_has_section(file, ".text"));
	assert_false(elf_file_symbols(file, file, ELF_SYMTAB, &table));
	symtab_deinit(&table);
	elf_file_close(file);
	header = header_in(&out, 4);
	out.at[header->sh_offset + header->sh_size - 1] = 'x';
	file = open_bytes(out.at, out.n);
	assert_false(elf_file_has_section(file, ".text"));
	elf_file_close(file);
}

/* Returns the peak memory of this program so far, in bytes. */
static size_t peak_memory(void)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	return (size_t)usage.ru_maxrss * KIB(1);
}

#define HOLE_SIZE GIB(4)

/* Moves section NUMBER to the end of BYTES and claims that HOLE_SIZE follow. */
static struct elf_file *open_with_hole(struct strbuf *bytes, size_t number)
{
	Elf64_Shdr *header = header_in(bytes, number);
	struct elf_file *file = NULL;
	uint64_t size = header->sh_size, offset = header->sh_offset;
	struct error *err;
	int fd;

	header->sh_offset = bytes->n;
	header->sh_size = HOLE_SIZE;
	fd = memfd_create("hole", 0);
	assert_int_equal(write(fd, bytes->at, bytes->n), bytes->n);
	assert_int_equal(write(fd, bytes->at + offset, size), size);
	assert_int_equal(ftruncate(fd, (off_t)(bytes->n + HOLE_SIZE)), 0);
	err = elf_file_open(fd, "hole", &file);
	error_free(err);
	return file;
}

static void symbol_names_next_to_a_file_hole_are_read_in_little_memory(
	void **state _unused_)
{
	size_t number;

	/* .strtab and .symtab */
	for (number = 2; number <= 3; number++) {
		_cleanup_strbuf_ struct strbuf out = { 0 };
		struct symtab table = { 0 };
		size_t before = peak_memory();
		struct elf_file *file;

		make_elf_with_symbols(&out);
		file = open_with_hole(&out, number);
		assert_non_null(file);
		assert_true(elf_file_symbols(file, file, ELF_SYMTAB, &table));
		assert_in_range(table.symbols.n, 5, 10);
		assert_true(peak_memory() - before < MIB(64));
		symtab_deinit(&table);
		elf_file_close(file);
	}
}

static void an_elf_file_with_huge_section_names_is_rejected(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };

	make_elf_with_symbols(&out);
	assert_null(open_with_hole(&out, 4));
}

static void an_elf_file_with_60_million_sections_is_rejected(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct elf_file *file = NULL;
	Elf64_Ehdr start;
	int fd;

	make_elf_with_symbols(&out);
	memcpy(&start, out.at, sizeof(start));
	start.e_shnum = 0;
	memcpy(out.at, &start, sizeof(start));
	header_in(&out, 0)->sh_size = 60000000;
	fd = memfd_create("sections", 0);
	assert_int_equal(write(fd, out.at, out.n), out.n);
	assert_int_equal(ftruncate(fd, (off_t)HOLE_SIZE), 0);
	error_free(elf_file_open(fd, "sections", &file));
	assert_null(file);
}

static void sections_of_a_sparse_elf_file_are_zero_until_they_are_read(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct elf_section section;
	struct elf_file *file, *sparse;
	const Elf64_Shdr *headers;

	make_elf_with_symbols(&out);
	file = open_bytes(out.at, out.n);
	sparse = elf_file_sparse(file, MIB(1));
	assert_non_null(sparse);
	headers = (const Elf64_Shdr *)(out.at +
		((const Elf64_Ehdr *)out.at)->e_shoff);
	assert_true(elf_file_section(sparse, ".strtab", MIB(1), &section));
	assert_int_equal(section.size, sizeof(strings));
	assert_int_equal(section.at[1], 0);
	assert_true(elf_sparse_read(
		sparse, headers[2].sh_offset, headers[2].sh_size));
	assert_memory_equal(section.at, strings, sizeof(strings));
	assert_true(elf_file_section(sparse, ".symtab", MIB(1), &section));
	assert_int_equal(section.at[sizeof(Elf64_Sym)], 0);
	elf_file_close(file);
	elf_file_close(sparse);
}

/* Appends an ELF file with the section ".debug_str", which is TEXT, compressed
 * with zstd, of which the header claims SIZE bytes. */
static void make_packed_elf(struct strbuf *out, const char *text, uint64_t size)
{
	static const char section_names[] = "\0.debug_str\0.shstrtab";
	char packed[256];
	size_t n = ZSTD_compress(packed, sizeof(packed), text, strlen(text), 3);
	Elf64_Chdr head = { .ch_type = 2, .ch_size = size, .ch_addralign = 1 };
	Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(header),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 3,
		.e_shstrndx = 2,
	};
	Elf64_Shdr sections[3] = { { 0 } };

	assert_false(ZSTD_isError(n));
	strbuf_put(out, &header, sizeof(header));
	sections[1] = (Elf64_Shdr){ .sh_name = 1,
		.sh_type = SHT_PROGBITS,
		.sh_flags = SHF_COMPRESSED,
		.sh_offset = out->n,
		.sh_size = sizeof(head) + n,
		.sh_addralign = 8 };
	strbuf_put(out, &head, sizeof(head));
	strbuf_put(out, packed, n);
	sections[2] = (Elf64_Shdr){ .sh_name = 12,
		.sh_type = SHT_STRTAB,
		.sh_offset = out->n,
		.sh_size = sizeof(section_names) };
	strbuf_put(out, section_names, sizeof(section_names));
	strbuf_align(out, 8);
	header.e_shoff = out->n;
	strbuf_put(out, sections, sizeof(sections));
	memcpy(out->at, &header, sizeof(header));
}

#define PACKED_TEXT \
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static void a_sparse_elf_file_has_decompressed_sections(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct elf_section section;
	struct elf_file *file, *sparse;
	uint64_t at;

	make_packed_elf(&out, PACKED_TEXT, strlen(PACKED_TEXT));
	file = open_bytes(out.at, out.n);
	sparse = elf_file_sparse(file, strlen(PACKED_TEXT));
	assert_non_null(sparse);
	at = ALIGN_UP(out.n, 16);
	assert_true(elf_file_section(sparse, ".debug_str", KIB(1), &section));
	assert_int_equal(section.size, strlen(PACKED_TEXT));
	assert_int_equal(section.at[0], 0);
	assert_true(elf_sparse_read(sparse, at, 1));
	assert_memory_equal(section.at, PACKED_TEXT, section.size);
	assert_false(elf_sparse_read(sparse, at, 1));
	assert_true(elf_sparse_read(sparse, at + 1, section.size - 1));
	elf_file_close(sparse);
	assert_null(elf_file_sparse(file, strlen(PACKED_TEXT) - 1));
	elf_file_close(file);
}

static void a_sparse_elf_file_refuses_wrong_sizes_of_decompressed_sections(
	void **state _unused_)
{
	static const uint64_t sizes[] = { 10, 67, 69, KIB(64), UINT64_MAX - 8,
		UINT64_MAX };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		_cleanup_strbuf_ struct strbuf out = { 0 };
		struct elf_file *file, *sparse;

		make_packed_elf(&out, PACKED_TEXT, sizes[i]);
		file = open_bytes(out.at, out.n);
		sparse = elf_file_sparse(file, MIB(1));
		if (sizes[i] > MIB(1))
			assert_null(sparse);
		else
			assert_false(elf_sparse_read(
				sparse, ALIGN_UP(out.n, 16), 1));
		elf_file_close(sparse);
		elf_file_close(file);
	}
}

/* The file can change after it was checked. */
static void each_byte_of_a_sparse_elf_file_can_be_read_once(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct elf_file *file, *sparse;
	uint64_t at;

	make_elf_with_symbols(&out);
	file = open_bytes(out.at, out.n);
	sparse = elf_file_sparse(file, MIB(1));
	assert_false(elf_sparse_read(sparse, 0, 4));
	at = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
	assert_true(elf_sparse_read(sparse, at + 16, 8));
	assert_true(elf_sparse_read(sparse, at + 32, 8));
	assert_true(elf_sparse_read(sparse, at + 24, 8));
	assert_true(elf_sparse_read(sparse, at, 16));
	assert_false(elf_sparse_read(sparse, at + 39, 8));
	assert_false(elf_sparse_read(sparse, at + 20, 1));
	assert_false(elf_sparse_read(sparse, sizeof(Elf64_Ehdr) - 1, 1));
	assert_true(elf_sparse_read(sparse, at + 40, 0));
	assert_false(elf_sparse_read(sparse, out.n - 1, 2));
	assert_false(elf_sparse_read(sparse, UINT64_MAX - 1, 4));
	elf_file_close(file);
	elf_file_close(sparse);
}

static void reading_symbols_fails_if_the_symbol_table_is_missing(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct symtab table = { 0 };
	struct elf_file *file;

	make_elf_with_symbols(&out);
	file = open_bytes(out.at, out.n);
	assert_false(elf_file_symbols(file, file, ELF_DYNSYM, &table));
	assert_int_equal(table.symbols.n, 0);
	elf_file_close(file);
}

/* The debug file has the symbols; the stripped file has the code offsets. */
static void symbols_of_a_debug_file_have_offsets_in_the_stripped_file(
	void **state _unused_)
{
	const struct made_section mapped[] = { TEXT_SECTION };
	_cleanup_strbuf_ struct strbuf debug = { 0 }, stripped = { 0 };
	struct elf_file *debug_file, *file;
	struct symtab table = { 0 };
	Elf64_Phdr segment;

	make_elf_with_symbols(&debug);
	make_elf(mapped, ARRAY_SIZE(mapped), &stripped);
	memcpy(&segment, debug.at + sizeof(Elf64_Ehdr), sizeof(segment));
	segment.p_offset = 0x777000; /* as written by strip: not valid */
	memcpy(debug.at + sizeof(Elf64_Ehdr), &segment, sizeof(segment));
	debug_file = open_bytes(debug.at, debug.n);
	file = open_bytes(stripped.at, stripped.n);
	assert_true(elf_file_symbols(debug_file, file, ELF_SYMTAB, &table));
	symtab_finish(&table);
	assert_int_equal(table.symbols.at[0].start, MADE_TEXT + 0x10);
	symtab_deinit(&table);
	elf_file_close(debug_file);
	elf_file_close(file);
}

#define PLT_BASE 0x2000u
#define SLOT(i) (0x3000u + 8u * (i))
/* "jmp *slot(%rip)", which ends BACK bytes behind the start of the section. */
#define JUMP(slot, back)                                     \
	0xff, 0x25, (SLOT(slot) - PLT_BASE - (back)) & 0xff, \
		(SLOT(slot) - PLT_BASE - (back)) >> 8, 0, 0

static void plt_entries_are_named_after_their_targets(void **state _unused_)
{
	static const Elf64_Rela relocations[] = {
		{ SLOT(1), ELF64_R_INFO(1, R_X86_64_JUMP_SLOT), 0 },
		{ SLOT(0), ELF64_R_INFO(7, R_X86_64_JUMP_SLOT), 0 },
		{ SLOT(2), ELF64_R_INFO(0, R_X86_64_IRELATIVE),
			MADE_BASE + 0x60 },
		{ SLOT(3), ELF64_R_INFO(0, R_X86_64_IRELATIVE), 0x1234 },
		{ SLOT(4), ELF64_R_INFO(5, R_X86_64_RELATIVE), 0 },
	};
	static const uint8_t ways[] = { /* PLT header: not a function. */
		0xff, 0x35, 0, 0, 0, 0, JUMP(9, 12), 0, 0, 0, 0,
		/* Traditional entry. */
		JUMP(0, 22), 0x68, 0, 0, 0, 0, 0xe9, 0, 0, 0, 0,
		/* IBT entry for lazy binding. */
		0xf3, 0x0f, 0x1e, 0xfa, 0x68, 0, 0, 0, 0, 0xf2, 0xe9, 0, 0, 0,
		0, 0x90,
		/* IBT entry in .plt.sec. */
		0xf3, 0x0f, 0x1e, 0xfa, 0xf2, JUMP(1, 59), 0, 0, 0, 0, 0,
		/* Entries of eight bytes. */
		JUMP(2, 70), 0x66, 0x90, JUMP(3, 78), 0x66, 0x90,
		/* A slot without a function relocation; truncated entry. */
		JUMP(4, 86), 0x66, 0x90, 0xff, 0x25, 0
	};
	const struct made_section sections[] = { TEXT_SECTION, STRINGS_SECTION,
		SYMBOLS_SECTION(".dynsym", SHT_DYNSYM),
		{ .name = ".rela.plt",
			.type = SHT_RELA,
			.data = relocations,
			.size = sizeof(relocations),
			.entry_size = sizeof(relocations[0]) },
		{ .name = ".plt",
			.type = SHT_PROGBITS,
			.data = ways,
			.size = sizeof(ways),
			.address = PLT_BASE,
			.flags = SHF_EXECINSTR } };
	static const char *const names[] = { "weak@plt", "function@plt",
		"function@plt", "indirect@plt", "*ABS*+0x1234@plt" };
	static const unsigned starts[] = { 16, 32, 48, 64, 72, 88 };
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct symtab table = { 0 };
	struct elf_file *file;
	uint64_t first;
	size_t i;

	make_elf(sections, ARRAY_SIZE(sections), &out);
	file = open_bytes(out.at, out.n);
	assert_non_null(file);
	elf_file_plt(file, &table);
	assert_int_equal(table.symbols.n, ARRAY_SIZE(names));
	first = table.symbols.at[0].start - starts[0];
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		const struct symbol *symbol = &table.symbols.at[i];

		assert_string_equal(symtab_name(&table, symbol), names[i]);
		assert_int_equal(symbol->start, first + starts[i]);
	}
	assert_int_equal(table.symbols.at[1].end, first + 48);
	assert_int_equal(table.symbols.at[3].end, first + 72);
	symtab_deinit(&table);
	elf_file_close(file);
}

static void the_debuglink_section_is_read_as_name_and_checksum(
	void **state _unused_)
{
	const struct made_section sections[] = { TEXT_SECTION,
		{ .name = ".gnu_debuglink",
			.type = SHT_PROGBITS,
			.data = "a.debug\0\x44\x33\x22\x11",
			.size = 12 } };
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct elf_file *file;
	uint32_t crc = 0;

	make_elf(sections, ARRAY_SIZE(sections), &out);
	file = open_bytes(out.at, out.n);
	assert_string_equal(elf_file_debuglink(file, &crc), "a.debug");
	assert_int_equal(crc, 0x11223344);
	elf_file_close(file);
}

static void a_truncated_debuglink_is_rejected(void **state _unused_)
{
	size_t size;

	for (size = 0; size < 12; size++) {
		const struct made_section sections[] = { TEXT_SECTION,
			{ .name = ".gnu_debuglink",
				.type = SHT_PROGBITS,
				.data = "a.debug\0\x44\x33\x22\x11",
				.size = size } };
		_cleanup_strbuf_ struct strbuf out = { 0 };
		struct elf_file *file;
		uint32_t crc;

		make_elf(sections, ARRAY_SIZE(sections), &out);
		file = open_bytes(out.at, out.n);
		assert_null(elf_file_debuglink(file, &crc));
		elf_file_close(file);
	}
}

static void a_build_id_is_found_in_a_note_section(void **state _unused_)
{
	const struct made_section sections[] = { TEXT_SECTION,
		{ .name = ".note.gnu.build-id",
			.type = SHT_NOTE,
			.data = notes,
			.size = sizeof(notes) } };
	_cleanup_strbuf_ struct strbuf out = { 0 };
	char text[BUILD_ID_TEXT];
	struct elf_file *file;
	struct build_id id;

	make_elf(sections, ARRAY_SIZE(sections), &out);
	file = open_bytes(out.at, out.n);
	GARBAGE(id);
	assert_true(elf_file_build_id(file, &id));
	assert_string_equal(build_id_text(&id, text), "112233445566");
	elf_file_close(file);
}

static void a_file_without_a_build_id_note_has_no_build_id(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct elf_file *file;
	struct build_id id;

	make_elf_with_symbols(&out);
	file = open_bytes(out.at, out.n);
	GARBAGE(id);
	assert_false(elf_file_build_id(file, &id));
	assert_int_equal(id.size, 0);
	elf_file_close(file);
}

/* --- invalid ELF files ---------------------------------------------------- */

static void files_that_are_not_elf_are_rejected_with_a_reason(
	void **state _unused_)
{
	struct elf_file *file;

	assert_error(elf_file_open(memory_file("text", 4), "a.txt", &file),
		"a.txt: not an ELF file");
	assert_error(elf_file_open(memory_file("", 0), "empty", &file),
		"empty: not an ELF file");
	assert_error(elf_file_open(open("/", O_RDONLY | O_CLOEXEC), "/", &file),
		"/: not a regular file of at most 64 GiB");
	assert_error(elf_file_open(-1, "none", &file),
		"none: not a regular file of at most 64 GiB");
}

static void elf_file_open_closes_the_descriptor_if_it_fails(
	void **state _unused_)
{
	int fd = memory_file("text", 4);
	struct elf_file *file;

	error_free(elf_file_open(fd, "a.txt", &file));
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	assert_int_equal(errno, EBADF);
}

/* --- files without section headers ---------------------------------------- */

/* Writes a library without section headers, whose symbols only PT_DYNAMIC leads to. */
static void make_elf_with_dynamic(bool is_gnu_hash, struct strbuf *out)
{
	static const uint32_t hash[] = { 1, ARRAY_SIZE(symbols), 1 };
	/* 2 lists from symbol 1 on, a filter of 1 word; the ends of lists are odd. */
	static const uint32_t gnu_hash[] = { 2, 1, 1, 0, 0, 0, 1, 5, 2, 2, 2, 3,
		8, 8, 8, 9 };
	Elf64_Ehdr start = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64,
				     ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(start),
		.e_ehsize = sizeof(start),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 2 };
	Elf64_Phdr headers[2] = { { .p_type = PT_LOAD,
					  .p_flags = PF_R | PF_X,
					  .p_vaddr = MADE_BASE },
		{ .p_type = PT_DYNAMIC } };
	Elf64_Dyn dynamic[] = { { DT_SYMTAB, { 0 } },
		{ DT_SYMENT, { sizeof(Elf64_Sym) } }, { DT_STRTAB, { 0 } },
		{ DT_STRSZ, { sizeof(strings) } },
		{ is_gnu_hash ? DT_GNU_HASH : DT_HASH, { 0 } },
		{ DT_NULL, { 0 } } };

	strbuf_put(out, &start, sizeof(start));
	strbuf_put(out, headers, sizeof(headers));
	dynamic[0].d_un.d_ptr = MADE_BASE + out->n;
	strbuf_put(out, symbols, sizeof(symbols));
	dynamic[2].d_un.d_ptr = MADE_BASE + out->n;
	strbuf_put(out, strings, sizeof(strings));
	strbuf_align(out, 16);
	dynamic[4].d_un.d_ptr = MADE_BASE + out->n;
	if (is_gnu_hash)
		strbuf_put(out, gnu_hash, sizeof(gnu_hash));
	else
		strbuf_put(out, hash, sizeof(hash));
	strbuf_align(out, 16);
	headers[1].p_offset = out->n;
	headers[1].p_filesz = headers[1].p_memsz = sizeof(dynamic);
	strbuf_put(out, dynamic, sizeof(dynamic));
	headers[0].p_filesz = headers[0].p_memsz = out->n;
	memcpy(out->at + sizeof(start), headers, sizeof(headers));
}

static void a_file_without_sections_has_the_symbols_of_the_dynamic_linker(
	void **state _unused_)
{
	size_t i;

	for (i = 0; i < 2; i++) {
		_cleanup_strbuf_ struct strbuf out = { 0 };
		struct symtab table = { 0 };
		struct elf_symbol one;
		struct elf_file *file;

		make_elf_with_dynamic(i, &out);
		file = open_bytes(out.at, out.n);
		assert_non_null(file);
		assert_true(elf_file_symbols(file, file, ELF_DYNSYM, &table));
		symtab_finish(&table);
		assert_int_equal(table.symbols.n, 4);
		assert_string_equal(
			symtab_name(&table, symtab_find(&table, 0x10)),
			"function");
		assert_string_equal(
			symtab_name(&table, symtab_find(&table, 0x7f)), "weak");
		assert_true(elf_file_find(file, "indirect", &one));
		assert_int_equal(one.address, MADE_BASE + 0x60);
		symtab_deinit(&table);
		assert_false(elf_file_symbols(file, file, ELF_SYMTAB, &table));
		symtab_deinit(&table);
		elf_file_close(file);
	}
}

/* Calls all functions that read a file. */
static void call_all_functions(const void *data, size_t size)
{
	struct elf_file *file = open_bytes(data, size);
	_cleanup_close_ int fd = memory_file(data, size);
	struct symtab table = { 0 };
	struct build_id id;
	uint32_t crc;

	elf_read_build_id(fd, &id);
	if (!file)
		return;
	elf_file_build_id(file, &id);
	elf_file_symbols(file, file, ELF_SYMTAB, &table);
	elf_file_symbols(file, file, ELF_DYNSYM, &table);
	elf_file_plt(file, &table);
	elf_file_debuglink(file, &crc);
	elf_file_close(elf_file_sparse(file, MIB(1)));
	symtab_finish(&table);
	symtab_deinit(&table);
	elf_file_close(file);
}

static void reading_truncated_elf_files_never_crashes(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf made = { 0 }, self = { 0 };
	size_t size, step;

	make_elf_with_symbols(&made);
	for (size = 0; size <= made.n; size++)
		call_all_functions(made.at, size);
	read_self(&self);
	for (size = 0, step = 1; size <= self.n; size += step) {
		call_all_functions(self.at, size);
		step = size < 128 ? 1 : self.n / 97;
	}
	/* The section headers, which all functions read, are at the end. */
	for (size = self.n - 4096; size <= self.n; size += 61)
		call_all_functions(self.at, size);
}

/* Calls all functions with each byte of OUT changed. */
static void damage_each_byte(struct strbuf *out)
{
	static const uint8_t values[] = { 0x00, 0x7f, 0x80, 0xff };
	size_t at, i;

	for (at = 4; at < out->n; at++) {
		for (i = 0; i < ARRAY_SIZE(values); i++) {
			char was = out->at[at];

			out->at[at] = (char)values[i];
			call_all_functions(out->at, out->n);
			out->at[at] = was;
		}
	}
}

static void reading_damaged_elf_files_never_crashes(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };

	make_elf_with_symbols(&out);
	damage_each_byte(&out);
}

static void reading_damaged_files_without_sections_never_crashes(
	void **state _unused_)
{
	size_t i, size;

	for (i = 0; i < 2; i++) {
		_cleanup_strbuf_ struct strbuf out = { 0 };

		make_elf_with_dynamic(i, &out);
		for (size = 0; size <= out.n; size++)
			call_all_functions(out.at, size);
		damage_each_byte(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_build_id_of_this_program_is_read),
		cmocka_unit_test(
			a_function_of_this_program_has_its_file_offset),
		cmocka_unit_test(the_first_build_id_note_is_used),
		cmocka_unit_test(the_last_elf_note_may_lack_its_padding),
		cmocka_unit_test(truncated_elf_notes_have_no_build_id),
		cmocka_unit_test(elf_notes_of_invalid_sizes_have_no_build_id),
		cmocka_unit_test(a_long_build_id_is_truncated_to_20_bytes),
		cmocka_unit_test(
			functions_variables_and_labels_are_read_as_symbols),
		cmocka_unit_test(
			a_dynsym_symbol_without_size_ends_where_its_code_ends),
		cmocka_unit_test(mapping_symbols_of_arm_and_riscv_are_skipped),
		cmocka_unit_test(a_symbol_name_of_a_megabyte_is_read),
		cmocka_unit_test(
			symbols_that_share_one_long_name_use_limited_memory),
		cmocka_unit_test(the_names_of_10000_symbols_are_read),
		cmocka_unit_test(
			symbols_whose_names_exceed_the_size_limit_are_skipped),
		cmocka_unit_test(symbol_names_without_a_nul_are_skipped),
		cmocka_unit_test(
			symbol_names_next_to_a_file_hole_are_read_in_little_memory),
		cmocka_unit_test(
			an_elf_file_with_huge_section_names_is_rejected),
		cmocka_unit_test(
			an_elf_file_with_60_million_sections_is_rejected),
		cmocka_unit_test(
			sections_of_a_sparse_elf_file_are_zero_until_they_are_read),
		cmocka_unit_test(a_sparse_elf_file_has_decompressed_sections),
		cmocka_unit_test(
			a_sparse_elf_file_refuses_wrong_sizes_of_decompressed_sections),
		cmocka_unit_test(
			each_byte_of_a_sparse_elf_file_can_be_read_once),
		cmocka_unit_test(
			reading_symbols_fails_if_the_symbol_table_is_missing),
		cmocka_unit_test(
			symbols_of_a_debug_file_have_offsets_in_the_stripped_file),
		cmocka_unit_test(plt_entries_are_named_after_their_targets),
		cmocka_unit_test(
			the_debuglink_section_is_read_as_name_and_checksum),
		cmocka_unit_test(a_truncated_debuglink_is_rejected),
		cmocka_unit_test(a_build_id_is_found_in_a_note_section),
		cmocka_unit_test(
			a_file_without_a_build_id_note_has_no_build_id),
		cmocka_unit_test(
			files_that_are_not_elf_are_rejected_with_a_reason),
		cmocka_unit_test(
			elf_file_open_closes_the_descriptor_if_it_fails),
		cmocka_unit_test(reading_truncated_elf_files_never_crashes),
		cmocka_unit_test(reading_damaged_elf_files_never_crashes),
		cmocka_unit_test(
			a_file_without_sections_has_the_symbols_of_the_dynamic_linker),
		cmocka_unit_test(
			reading_damaged_files_without_sections_never_crashes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
