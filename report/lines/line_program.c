/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/line_program.h"

#include <dwarf.h>

#include "common/util/bytes.h"

/* Limit of the rows of a unit. */
#define ROWS_MAX (UINT32_C(1) << 24)

/* Parameters of the instructions in a line table. */
struct program_header {
	uint8_t step;	  /* size of the shortest machine instruction */
	int8_t line_base; /* smallest advance of the line by a special opcode */
	uint8_t line_range;
	uint8_t n_opcodes; /* number of the first special opcode */
	const uint8_t
		*operands; /* number of operands of each standard opcode */
};

struct line_machine {
	struct program_header header;
	struct bytes code;
	struct line_program *program;
	struct line_program_row row;
	size_t first; /* index of the first row of the current sequence */
};

/*
 * Reads the header of TABLE, the line table of a unit, and stores the
 * instructions behind the header in CODE_RET. Returns false if the header is
 * invalid.
 */
static bool read_program_header(
	struct bytes table, struct program_header *ret, struct bytes *code_ret)
{
	uint64_t size = bytes_u32(&table);
	bool is_wide = size == UINT32_MAX;
	struct bytes unit;
	uint16_t version;

	if (is_wide)
		size = bytes_u64(&table);
	if (!table.ok || size > bytes_left(&table))
		return false;
	unit = bytes_of(bytes_take(&table, size), size, table.swap);
	version = bytes_u16(&unit);
	if (version >= 5)
		bytes_take(&unit, 2); /* skip the sizes of addresses and
					 segments */
	size = is_wide ? bytes_u64(&unit) : bytes_u32(&unit);
	*code_ret = unit;
	bytes_take(code_ret, size);
	ret->step = bytes_u8(&unit);
	/* In VLIW code, an address does not identify an instruction. */
	if (version >= 4 && bytes_u8(&unit) > 1)
		return false;
	bytes_u8(&unit); /* skip default_is_stmt */
	ret->line_base = (int8_t)bytes_u8(&unit);
	ret->line_range = bytes_u8(&unit);
	ret->n_opcodes = bytes_u8(&unit);
	ret->operands = bytes_take(&unit, MAX(ret->n_opcodes, 1) - 1u);
	return unit.ok && code_ret->ok && version >= 2 && version <= 5 &&
		ret->line_range && ret->n_opcodes;
}

static void begin_program_sequence(struct line_machine *machine)
{
	machine->row = (struct line_program_row){ .file = 1, .line = 1 };
	machine->first = machine->program->rows.n;
}

static void add_program_row(struct line_machine *machine)
{
	if (machine->program->rows.n < ROWS_MAX)
		*array_push(&machine->program->rows) = machine->row;
}

static void end_program_sequence(struct line_machine *machine)
{
	struct line_program *program = machine->program;
	size_t n = program->rows.n - machine->first;

	if (n)
		*array_push(&program->sequences) = (struct line_sequence){
			.start = program->rows.at[machine->first].address,
			.end = machine->row.address,
			.first = machine->first,
			.n = n,
			.order = program->sequences.n,
		};
	begin_program_sequence(machine);
}

/* Advances the address by N machine instructions. */
static void advance_address(struct line_machine *machine, uint64_t n)
{
	machine->row.address += n * machine->header.step;
}

static void run_standard_opcode(struct line_machine *machine, uint8_t opcode)
{
	const struct program_header *header = &machine->header;
	struct bytes *code = &machine->code;
	uint8_t i;

	switch (opcode) {
	case DW_LNS_copy: add_program_row(machine); break;
	case DW_LNS_advance_pc:
		advance_address(machine, bytes_uleb(code));
		break;
	case DW_LNS_advance_line:
		machine->row.line += (uint32_t)bytes_sleb(code);
		break;
	case DW_LNS_set_file: machine->row.file = bytes_uleb(code); break;
	case DW_LNS_const_add_pc:
		advance_address(machine,
			(uint64_t)(UINT8_MAX - header->n_opcodes) /
				header->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		machine->row.address += bytes_u16(code);
		break;
	/* Columns, flags, and unknown opcodes. */
	default:
		for (i = 0; i < header->operands[opcode - 1]; i++)
			bytes_uleb(code);
	}
}

void line_program_read(struct bytes table, struct line_program *program)
{
	struct line_machine machine = { .program = program };

	if (!read_program_header(table, &machine.header, &machine.code))
		return;
	begin_program_sequence(&machine);
	while (machine.code.ok && bytes_left(&machine.code)) {
		uint8_t opcode = bytes_u8(&machine.code);

		if (opcode >= machine.header.n_opcodes) {
			const struct program_header *header = &machine.header;
			uint8_t by = opcode - header->n_opcodes;

			advance_address(&machine, by / header->line_range);
			machine.row.line += (uint32_t)(header->line_base +
				by % header->line_range);
			add_program_row(&machine);
		} else if (opcode)
			run_standard_opcode(&machine, opcode);
		else {
			uint64_t size = bytes_uleb(&machine.code);
			const void *at = bytes_take(&machine.code, size);
			struct bytes b =
				bytes_of(at, at ? size : 0, machine.code.swap);

			switch (bytes_u8(&b)) {
			case DW_LNE_end_sequence:
				end_program_sequence(&machine);
				break;
			case DW_LNE_set_address:
				machine.row.address =
					bytes_left(&b) == sizeof(uint32_t)
					? bytes_u32(&b)
					: bytes_u64(&b);
				break;
			default: break;
			}
		}
	}
}

void line_program_deinit(struct line_program *program)
{
	array_free(&program->rows);
	array_free(&program->sequences);
}

bool line_program_next_start(
	struct bytes *table, size_t address_size, uint64_t *address_ret)
{
	const uint8_t instruction[] = { 0, (uint8_t)(address_size + 1),
		DW_LNE_set_address };
	size_t left = bytes_left(table);
	const uint8_t *found = left
		? memmem(table->at, left, instruction, sizeof(instruction))
		: NULL;

	if (!found)
		return false;
	/*
	 * Bytes that only look like the instruction can be followed directly by
	 * an instruction.
	 */
	bytes_take(table, (size_t)(found - table->at) + sizeof(instruction));
	struct bytes b = *table;

	*address_ret = address_size == 4 ? bytes_u32(&b) : bytes_u64(&b);
	return true;
}

/* --- tables of folders and files ----------------------------------------- */

/*
 * Limit of the fields of a folder or file. DWARF 5 defines path, folder, time,
 * size and checksum.
 */
#define FORMS_MAX 16u

/*
 * Skips a field with FORM. Returns false for a form that fields of folders and
 * files cannot have.
 */
static bool skip_entry_form(struct bytes *b, uint64_t form, bool is_wide)
{
	switch (form) {
	case DW_FORM_string:
		while (b->ok && bytes_u8(b))
			;
		break;
	case DW_FORM_line_strp:
	case DW_FORM_strp: bytes_take(b, is_wide ? 8 : 4); break;
	case DW_FORM_udata:
	case DW_FORM_strx: bytes_uleb(b); break;
	case DW_FORM_data1:
	case DW_FORM_strx1: bytes_take(b, 1); break;
	case DW_FORM_data2:
	case DW_FORM_strx2: bytes_take(b, 2); break;
	case DW_FORM_strx3: bytes_take(b, 3); break;
	case DW_FORM_data4:
	case DW_FORM_strx4: bytes_take(b, 4); break;
	case DW_FORM_data8: bytes_take(b, 8); break;
	case DW_FORM_data16: bytes_take(b, 16); break;
	case DW_FORM_block: bytes_take(b, bytes_uleb(b)); break;
	default: return false;
	}
	return b->ok;
}

/*
 * Checks a table of folders or files: the format of the entries, the number of
 * entries, and each entry.
 */
static bool check_table_entries(struct bytes *b, bool is_wide)
{
	uint64_t forms[FORMS_MAX], n;
	uint8_t n_forms = bytes_u8(b), i;

	if (n_forms > FORMS_MAX)
		return false;
	for (i = 0; i < n_forms; i++) {
		bytes_uleb(b);
		forms[i] = bytes_uleb(b);
	}
	n = bytes_uleb(b);
	if (!b->ok || n > bytes_left(b))
		return false;
	while (n--)
		for (i = 0; i < n_forms; i++)
			if (!skip_entry_form(b, forms[i], is_wide))
				return false;
	return true;
}

bool line_check(struct bytes section)
{
	while (bytes_left(&section)) {
		uint64_t size = bytes_u32(&section);
		bool is_wide = size == UINT32_MAX;
		uint8_t n_opcodes;
		struct bytes unit;
		uint16_t version;

		if (is_wide)
			size = bytes_u64(&section);
		if (!section.ok || size > bytes_left(&section))
			return false;
		unit = bytes_of(bytes_take(&section, size), size, section.swap);
		version = bytes_u16(&unit);
		if (!unit.ok)
			return false;
		if (version < 5)
			continue;
		/* Skip the sizes of addresses, segments, header and instructions. */
		bytes_take(&unit, 2 + (is_wide ? 8 : 4) + 5);
		n_opcodes = bytes_u8(&unit);
		bytes_take(&unit, n_opcodes ? n_opcodes - 1u : 0);
		if (!check_table_entries(&unit, is_wide) ||
			!check_table_entries(&unit, is_wide))
			return false;
	}
	return true;
}
