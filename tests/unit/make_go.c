/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "make_go.h"

#include <elf.h>

#include "common/util/array.h"

#define NO_FUNCDATA UINT32_MAX
#define N_FUNCTIONS 2u
/* Words of the moduledata. */
#define MODULE_TEXT 22u
#define MODULE_WORDS 48u

struct made_code {
	const char *name;
	uint32_t size;
	/* Offsets of tables. */
	uint32_t files, lines, inlined, calls, line;
};

struct made_program {
	enum made_go_version version;
	enum made_go_layout layout;
	struct strbuf *out, relocations;
	uint64_t table, names, calls; /* addresses */
	ARRAY(Elf64_Shdr) headers;
	struct strbuf section_names;
};

/* --- bytes ---------------------------------------------------------------- */

static void put_number(struct strbuf *out, uint64_t number, unsigned size)
{
	for (; size; size--, number >>= 8)
		strbuf_putc(out, (char)number);
}

/* Puts an address into the program: at once, or by a relocation. */
static void put_linked(struct made_program *program, uint64_t address)
{
	if (program->layout != MADE_GO_FIXED) {
		put_number(&program->relocations,
			MADE_GO_BASE + program->out->n, 8);
		put_number(&program->relocations, R_X86_64_RELATIVE, 8);
		put_number(&program->relocations, address, 8);
		address = 0;
	}
	put_number(program->out, address, 8);
}

static void begin_section(struct made_program *program, const char *name)
{
	strbuf_align(program->out, 16);
	*array_push(&program->headers) = (Elf64_Shdr){
		.sh_name = (uint32_t)program->section_names.n,
		.sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC,
		.sh_addr = MADE_GO_BASE + program->out->n,
		.sh_offset = program->out->n,
		.sh_addralign = 1,
	};
	strbuf_put(&program->section_names, name, strlen(name) + 1);
}

static void end_section(struct made_program *program)
{
	Elf64_Shdr *header = &program->headers.at[program->headers.n - 1];

	header->sh_size = program->out->n - header->sh_offset;
}

/* --- parts of the table --------------------------------------------------- */

/* The names, at fixed offsets. */
static const char function_names[] =
	"main.main\0main.(*list).add\0main.inner\0main.leaf";
#define NAME_MAIN 0u
#define NAME_ADD 10u
#define NAME_INNER 27u
#define NAME_LEAF 38u
/* The names of files; each offset and number of a file in a unit. */
static const char file_names[] = "/src/inner.go\0/src/main.go";
#define FILE_MAIN 14u
enum { INNER_GO, MAIN_GO };

/* Values that hold for a number of bytes; .size 0 is the end. */
struct made_values {
	int32_t value;
	uint32_t size;
};

/* Puts VALUES and returns their offset in OUT. */
static uint32_t put_values(struct strbuf *out, const struct made_values *values)
{
	uint32_t at = (uint32_t)out->n;
	int32_t last = -1;

	for (; values->size; last = values++->value) {
		int32_t delta = values->value - last;
		uint32_t number =
			(uint32_t)delta << 1 ^ (uint32_t)(delta >> 31);

		strbuf_putc(out, (char)number);
		/* Sizes up to 16383 in two bytes. */
		strbuf_putc(out, (char)(values->size | 0x80));
		strbuf_putc(out, (char)(values->size >> 7));
	}
	strbuf_putc(out, '\0');
	return at;
}

static void put_all_values(struct strbuf *out, struct made_code codes[2])
{
	static const struct made_values main_files[] = { { MAIN_GO, 56 },
		{ 0, 0 } };
	static const struct made_values main_lines[] = { { 10, 16 }, { 11, 40 },
		{ 0, 0 } };
	static const struct made_values add_files[] = { { MAIN_GO, 32 },
		{ INNER_GO, 16 }, { MAIN_GO, 144 }, { 0, 0 } };
	static const struct made_values add_lines[] = { { 20, 31 }, { 21, 1 },
		{ 5, 7 }, { 6, 1 }, { 2, 8 }, { 22, 144 }, { 0, 0 } };
	static const struct made_values add_inlined[] = { { -1, 32 }, { 0, 8 },
		{ 1, 8 }, { -1, 144 }, { 0, 0 } };

	codes[0] = (struct made_code){ .size = MADE_GO_MAIN_SIZE,
		.files = put_values(out, main_files),
		.lines = put_values(out, main_lines),
		.calls = NO_FUNCDATA,
		.line = 9 };
	codes[1] = (struct made_code){ .size = MADE_GO_ADD_SIZE,
		.files = put_values(out, add_files),
		.lines = put_values(out, add_lines),
		.inlined = put_values(out, add_inlined),
		.calls = 16,
		.line = 19 };
}

/* Puts the calls of inlined functions, behind 16 other bytes. */
static void put_calls(const struct made_program *program, struct strbuf *out)
{
	static const uint32_t names[] = { NAME_INNER, NAME_LEAF };
	static const uint32_t places[] = { 31, 39 }, lines[] = { 4, 1 };
	unsigned i;

	put_number(out, 0, 16);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		put_number(out, 0, 4);
		if (program->version < MADE_GO_1_20)
			put_number(out, 0, 8);
		put_number(out, names[i], 4);
		put_number(out, places[i], 4);
		if (program->version >= MADE_GO_1_20)
			put_number(out, lines[i], 4);
	}
}

static unsigned made_word(const struct made_program *program)
{
	return program->version >= MADE_GO_1_18 ? 4 : 8;
}

static uint32_t made_data_size(const struct made_program *program)
{
	return made_word(program) + 4 * 17;
}

/* Puts the data of function CODE; offsets are MOVED. */
static void put_function_data(struct made_program *program, uint64_t address,
	const struct made_code *code, uint32_t name, uint32_t moved)
{
	struct strbuf *out = program->out;
	uint64_t start = out->n;

	if (made_word(program) == 8)
		put_linked(program, address);
	else
		put_number(out, address - MADE_GO_CODE, 4);
	put_number(out, name, 4);
	put_number(out, 0, 12); /* args, deferreturn, pcsp */
	put_number(out, code->files + moved, 4);
	put_number(out, code->lines + moved, 4);
	put_number(out, 3, 4);
	if (program->version >= MADE_GO_1_16)
		put_number(out, 0, 4); /* the first file of the unit */
	if (program->version >= MADE_GO_1_20)
		put_number(out, code->line, 4);
	put_number(out, 0, 3);
	put_number(out, program->version >= MADE_GO_1_18 ? 4 : 0, 1);
	put_number(out, 0, 8);
	put_number(out, code->inlined ? code->inlined + moved : 0, 4);
	if (program->version >= MADE_GO_1_18) {
		put_number(out, UINT64_MAX, 8);
		put_number(out, NO_FUNCDATA, 4);
		put_number(out, code->calls, 4);
	}
	while (out->n < start + made_data_size(program))
		strbuf_putc(out, '\0');
}

/* Puts functions and their data; offsets of data begin at FIRST. */
static void put_functions(struct made_program *program, uint64_t first)
{
	uint64_t address = MADE_GO_CODE;
	unsigned i;

	for (i = 0; i <= N_FUNCTIONS; i++) {
		if (made_word(program) == 8)
			put_linked(program, address);
		else
			put_number(program->out, address - MADE_GO_CODE, 4);
		if (i < N_FUNCTIONS)
			put_number(program->out,
				first + i * made_data_size(program),
				made_word(program));
		address += i ? MADE_GO_ADD_SIZE : MADE_GO_MAIN_SIZE;
	}
}

static void put_functions_data(struct made_program *program,
	const struct made_code *codes, uint32_t names, uint32_t values)
{
	put_function_data(
		program, MADE_GO_CODE, &codes[0], names + NAME_MAIN, values);
	put_function_data(program, MADE_GO_CODE + MADE_GO_MAIN_SIZE, &codes[1],
		names + NAME_ADD, values);
}

/* --- the table ------------------------------------------------------------ */

static void put_magic(struct made_program *program, unsigned functions)
{
	static const uint32_t magics[] = { 0xfffffffb, 0xfffffffa, 0xfffffff0,
		0xfffffff1, 0xfffffff1 };

	put_number(program->out, magics[program->version], 4);
	put_number(program->out, 0x08010000, 4);
	put_number(program->out, functions, 8);
}

/* All offsets begin at the table. */
static void put_old_table(struct made_program *program,
	const struct strbuf *values, const struct made_code *codes)
{
	uint32_t data = 16 + (2 * N_FUNCTIONS + 1) * 8 + 4;
	uint32_t names = data + N_FUNCTIONS * made_data_size(program);
	uint32_t lines = names + sizeof(function_names);
	uint32_t files = lines + (uint32_t)values->n;
	uint32_t texts = files + 12;

	put_magic(program, N_FUNCTIONS);
	put_functions(program, data);
	put_number(program->out, files, 4);
	put_functions_data(program, codes, names, lines);
	strbuf_put(program->out, function_names, sizeof(function_names));
	strbuf_put(program->out, values->at, values->n);
	/* File number 0 is the place of the number of files. */
	put_number(program->out, texts, 4);
	put_number(program->out, texts + FILE_MAIN, 4);
	put_number(program->out, 0, 4);
	strbuf_put(program->out, file_names, sizeof(file_names));
}

/* Puts the header before parts of these sizes. */
static void put_new_header(struct made_program *program, unsigned n,
	uint64_t names_size, uint64_t files_size, uint64_t values_size)
{
	uint64_t names = program->version >= MADE_GO_1_18 ? 72 : 64;
	uint64_t units = names + names_size;
	uint64_t files = units + 8, lines = files + files_size;
	uint64_t functions = lines + values_size;

	program->names = program->table + names;
	put_magic(program, n);
	put_number(program->out, 2, 8);
	if (program->version >= MADE_GO_1_26)
		put_number(program->out, 0, 8);
	else if (program->version >= MADE_GO_1_18)
		put_linked(program, MADE_GO_CODE);
	put_number(program->out, names, 8);
	put_number(program->out, units, 8);
	put_number(program->out, files, 8);
	put_number(program->out, lines, 8);
	put_number(program->out, functions, 8);
}

static void put_new_table(struct made_program *program,
	const struct strbuf *values, const struct made_code *codes)
{
	uint64_t first = (2 * N_FUNCTIONS + 1) * made_word(program);

	put_new_header(program, N_FUNCTIONS, sizeof(function_names),
		sizeof(file_names), values->n);
	strbuf_put(program->out, function_names, sizeof(function_names));
	put_number(program->out, 0, 4);
	put_number(program->out, FILE_MAIN, 4);
	strbuf_put(program->out, file_names, sizeof(file_names));
	strbuf_put(program->out, values->at, values->n);
	put_functions(program, first);
	put_functions_data(program, codes, 0, 0);
}

static void put_table(struct made_program *program)
{
	_cleanup_strbuf_ struct strbuf values = { 0 };
	struct made_code codes[2];

	strbuf_putc(&values, '\0'); /* offset 0: no values */
	put_all_values(&values, codes);
	if (program->layout == MADE_GO_MERGED) {
		begin_section(program, ".go.buildinfo");
		put_number(program->out, 0, 16);
		end_section(program);
		begin_section(program, ".data.rel.ro");
		put_number(program->out, 0, 32);
	} else {
		begin_section(program, ".gopclntab");
	}
	program->table = MADE_GO_BASE + program->out->n;
	if (program->version == MADE_GO_1_2)
		put_old_table(program, &values, codes);
	else
		put_new_table(program, &values, codes);
	if (program->version >= MADE_GO_1_26) {
		program->calls = MADE_GO_BASE + program->out->n;
		put_calls(program, program->out);
	}
	end_section(program);
}

/* --- the program ---------------------------------------------------------- */

static void put_module(struct made_program *program)
{
	unsigned calls = program->version < MADE_GO_1_20 ? 38 : 40, i;

	begin_section(program,
		program->version < MADE_GO_1_26 ? ".noptrdata" : ".go.module");
	for (i = 0; i < MODULE_WORDS; i++) {
		uint64_t word = i == 0	   ? program->table
			: i == 1	   ? program->names
			: i == MODULE_TEXT ? MADE_GO_CODE
			: i == calls	   ? program->calls
					   : 0;

		if (word)
			put_linked(program, word);
		else
			put_number(program->out, 0, 8);
	}
	end_section(program);
}

static void put_sections(struct made_program *program)
{
	begin_section(program, ".text");
	program->headers.at[0].sh_flags |= SHF_EXECINSTR;
	put_number(program->out, 0, MADE_GO_MAIN_SIZE + MADE_GO_ADD_SIZE);
	end_section(program);
	if (program->version < MADE_GO_1_26) {
		begin_section(program, ".rodata");
		program->calls = MADE_GO_BASE + program->out->n;
		put_calls(program, program->out);
		end_section(program);
	}
	put_table(program);
	put_module(program);
	if (program->layout != MADE_GO_FIXED) {
		begin_section(program, ".rela.dyn");
		strbuf_put(program->out, program->relocations.at,
			program->relocations.n);
		end_section(program);
	}
}

static void put_headers(struct made_program *program)
{
	Elf64_Ehdr start = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB,
			EV_CURRENT },
		.e_type = program->layout == MADE_GO_FIXED ? ET_EXEC : ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(start),
		.e_ehsize = sizeof(start),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
	};
	Elf64_Phdr segment = { .p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_vaddr = MADE_GO_BASE,
		.p_filesz = program->out->n,
		.p_memsz = program->out->n };
	Elf64_Shdr none = { 0 };

	begin_section(program, ".shstrtab");
	program->headers.at[program->headers.n - 1].sh_type = SHT_STRTAB;
	strbuf_put(program->out, program->section_names.at,
		program->section_names.n);
	end_section(program);
	strbuf_align(program->out, 16);
	start.e_shoff = program->out->n;
	start.e_shnum = (uint16_t)(program->headers.n + 1);
	start.e_shstrndx = (uint16_t)program->headers.n;
	strbuf_put(program->out, &none, sizeof(none));
	strbuf_put(program->out, program->headers.at,
		program->headers.n * sizeof(none));
	memcpy(program->out->at, &start, sizeof(start));
	memcpy(program->out->at + sizeof(start), &segment, sizeof(segment));
}

/* Puts the headers, and frees PROGRAM. */
static void finish_program(struct made_program *program)
{
	put_headers(program);
	array_free(&program->headers);
	strbuf_free(&program->section_names);
	strbuf_free(&program->relocations);
}

void made_go_program(enum made_go_version version, enum made_go_layout layout,
	struct strbuf *out)
{
	struct made_program program = {
		.version = version, .layout = layout, .out = out
	};

	put_number(out, 0, MADE_GO_CODE - MADE_GO_BASE);
	strbuf_putc(&program.section_names, '\0');
	put_sections(&program);
	finish_program(&program);
}

/* --- many functions ------------------------------------------------------- */

/* Puts a name of SIZE bytes C. */
static void put_name(struct strbuf *out, unsigned size, char c)
{
	unsigned i;

	for (i = 0; i < size; i++)
		strbuf_putc(out, c);
	strbuf_putc(out, '\0');
}

/* Puts values 0 and 1 in turn, and returns their offset. */
static uint32_t put_changes(struct strbuf *out, unsigned n)
{
	ARRAY(struct made_values) values = { 0 };
	unsigned i;
	uint32_t at;

	for (i = 0; i < n; i++)
		*array_push(&values) =
			(struct made_values){ (int32_t)(i % 2), 1 };
	array_push(&values);
	at = put_values(out, values.at);
	array_free(&values);
	return at;
}

static void put_many_functions(struct made_program *program,
	const struct made_go_many *many, const struct made_code *code)
{
	uint32_t first = (2 * many->functions + 1) * 4, i;

	for (i = 0; i <= many->functions; i++) {
		put_number(program->out, (uint64_t)i * many->size, 4);
		if (i + 1 < many->functions)
			put_number(program->out, first, 4);
		else if (i < many->functions)
			put_number(program->out,
				first + made_data_size(program), 4);
	}
	put_function_data(program, MADE_GO_CODE, code, 0, 0);
	put_function_data(program, MADE_GO_CODE, code, many->name_size + 1, 0);
}

static void put_many_table(
	struct made_program *program, const struct made_go_many *many)
{
	_cleanup_strbuf_ struct strbuf values = { 0 }, names = { 0 },
				       files = { 0 };
	struct made_code code = { .calls = NO_FUNCDATA };

	strbuf_putc(&values, '\0'); /* offset 0: no values */
	code.files = code.lines = put_changes(&values, many->changes);
	put_name(&names, many->name_size, 'n');
	strbuf_put(&names, "main.last", sizeof("main.last"));
	put_name(&files, many->name_size, 'a');
	put_name(&files, many->name_size, 'b');
	put_new_header(program, many->functions, names.n, files.n, values.n);
	strbuf_put(program->out, names.at, names.n);
	put_number(program->out, 0, 4);
	put_number(program->out, many->name_size + 1, 4);
	strbuf_put(program->out, files.at, files.n);
	strbuf_put(program->out, values.at, values.n);
	put_many_functions(program, many, &code);
}

void made_go_many(const struct made_go_many *many, struct strbuf *out)
{
	struct made_program program = {
		.version = MADE_GO_1_20, .layout = MADE_GO_FIXED, .out = out
	};

	put_number(out, 0, MADE_GO_CODE - MADE_GO_BASE);
	strbuf_putc(&program.section_names, '\0');
	begin_section(&program, ".text");
	end_section(&program);
	begin_section(&program, ".gopclntab");
	put_many_table(&program, many);
	end_section(&program);
	finish_program(&program);
}
