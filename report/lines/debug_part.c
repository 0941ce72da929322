/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/debug_part.h"

#include <dwarf.h>
#include <gelf.h>

#include "common/util/alloc.h"
#include "common/util/bytes.h"
#include "report/lines/debug_check.h"

#define UNITS ".debug_info"
#define ABBREVIATIONS ".debug_abbrev"
#define ALTERNATIVE ".gnu_debugaltlink"
#define UNITS_MAX (UINT32_C(1) << 22)
/*
 * Bytes at the start of each unit that are read at first. They contain the
 * unit's first DIE with address ranges and paths.
 */
#define HEAD_SIZE KIB(8)
/* Bytes of the largest size field of a unit, in 64-bit DWARF. */
#define SIZE_SIZE 12u
/* Limit of the abbreviations of a unit; no unit has so many kinds of DIEs. */
#define ABBREVIATIONS_MAX 1000000u

struct debug_part {
	struct elf_file *file; /* partial copy of the file (elf_file_sparse());
				  owned */
	uint64_t offset, size; /* position of .debug_info in the file; .size 0:
				  .debug_info was read completely */
	ARRAY(struct part_unit {
		uint64_t start, end; /* offsets in .debug_info */
		bool is_read;	     /* the bytes behind the first HEAD_SIZE are
					read, too */
	})
	units;
};

static bool is_debug_section(const char *name)
{
	return string_starts(name, ".debug_") ||
		string_starts(name, ".zdebug_");
}

/*
 * Returns whether libdw needs the section for names, lines and address ranges.
 */
static bool is_needed_section(const char *name)
{
	static const char *const needed[] = { "abbrev", "str", "line",
		"line_str", "str_offsets", "addr", "ranges", "rnglists",
		"info" };
	size_t i;

	name += string_starts(name, ".zdebug_") ? strlen(".zdebug_")
						: strlen(".debug_");
	for (i = 0; i < ARRAY_SIZE(needed); i++)
		if (string_is(name, needed[i]))
			return true;
	return false;
}

/* --- units --------------------------------------------------------------- */

/*
 * Reads .debug_info from offset *READ_UNITS_TO to END, and sets *READ_UNITS_TO
 * to END. Returns false on an error.
 */
static bool read_units_to(
	struct debug_part *part, uint64_t *read_units_to, uint64_t end)
{
	uint64_t start = *read_units_to;

	end = MIN(end, part->size);
	if (end <= start)
		return true;
	*read_units_to = end;
	return elf_sparse_read(part->file, part->offset + start, end - start);
}

static struct bytes section_bytes_at(
	const struct debug_part *part, const char *name, uint64_t offset)
{
	struct bytes b = debug_check_section(part->file, name);

	bytes_take(&b, offset);
	return b;
}

static bool read_unit_rest(struct debug_part *part, struct part_unit *unit)
{
	uint64_t from = unit->start + HEAD_SIZE;

	if (unit->is_read || unit->end <= from)
		return true;
	unit->is_read = true;
	return elf_sparse_read(
		part->file, part->offset + from, unit->end - from);
}

/* --- sections ------------------------------------------------------------ */

static bool read_part_section(
	struct debug_part *part, Elf_Scn *section, const char *name)
{
	GElf_Shdr header;

	if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
		return true;
	if (string_is(name, ALTERNATIVE))
		return elf_sparse_read(
			part->file, header.sh_offset, header.sh_size);
	if (!is_debug_section(name))
		return true;
	if (!is_needed_section(name)) {
		elf_sparse_hide(section);
		return true;
	}
	if (!string_is(name, UNITS) || header.sh_flags & SHF_COMPRESSED ||
		part->size)
		return elf_sparse_read(
			part->file, header.sh_offset, header.sh_size);
	part->offset = header.sh_offset;
	part->size = header.sh_size;
	const struct bytes all = debug_check_section(part->file, UNITS);
	uint64_t at = 0, so_far = 0;

	while (at < part->size && part->units.n < UNITS_MAX) {
		so_far = MAX(so_far, at);
		if (!read_units_to(part, &so_far, at + SIZE_SIZE))
			return false;
		struct bytes b = all;
		bytes_take(&b, at);
		uint64_t size = bytes_u32(&b), from, end;

		if (size == UINT32_MAX)
			size = bytes_u64(&b);
		from = part->size - bytes_left(&b);
		if (!b.ok || size > part->size - from)
			return false;
		end = from + size;
		*array_push(&part->units) =
			(struct part_unit){ .start = at, .end = end };
		if (!read_units_to(part, &so_far, MIN(end, at + HEAD_SIZE)))
			return false;
		at = end;
	}
	return at == part->size;
}

/*
 * Checks sizes before sections are read: a sparse file needs its full size in
 * memory.
 */
static bool section_sizes_fit(struct elf_file *file, size_t names)
{
	Elf *elf = elf_file_handle(file);
	Elf_Scn *section = NULL;
	uint64_t total = 0;

	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name = gelf_getshdr(section, &header)
			? elf_strptr(elf, names, header.sh_name)
			: NULL;

		if (!name || header.sh_type == SHT_NOBITS ||
			!(is_debug_section(name)
					? is_needed_section(name)
					: string_is(name, ALTERNATIVE)))
			continue;
		if (__builtin_add_overflow(total, header.sh_size, &total) ||
			total > DEBUG_SIZE_MAX)
			return false;
	}
	return debug_budget_charge(file, total);
}

static bool read_part_sections(struct debug_part *part)
{
	Elf *elf = elf_file_handle(part->file);
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) < 0 ||
		!section_sizes_fit(part->file, names))
		return false;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr own;
		const char *name = gelf_getshdr(section, &own)
			? elf_strptr(elf, names, own.sh_name)
			: NULL;

		if (name && !read_part_section(part, section, name))
			return false;
	}
	return true;
}

void debug_part_close(struct debug_part *part)
{
	if (!part)
		return;
	elf_file_close(part->file);
	array_free(&part->units);
	free(part);
}

struct bytes debug_part_lines(struct debug_part *part, struct elf_file *file)
{
	return debug_check_section(part ? part->file : file, ".debug_line");
}

/* --- for libdw ----------------------------------------------------------- */

Dwarf *debug_whole_begin(struct elf_file *file)
{
	return debug_check_file(file)
		? dwarf_begin_elf(elf_file_handle(file), DWARF_C_READ, NULL)
		: NULL;
}

/* Returns whether DWARF, which may be NULL, has a unit. */
static bool dwarf_has_units(Dwarf *dwarf)
{
	Dwarf_CU *unit = NULL;

	return dwarf &&
		dwarf_get_units(dwarf, NULL, &unit, NULL, NULL, NULL, NULL) ==
		0;
}

/*
 * Returns DWARF, which may be NULL, after a note if FILE has debug information
 * of which DWARF has no unit.
 */
static Dwarf *note_if_unread(struct elf_file *file, Dwarf *dwarf)
{
	if (!dwarf_has_units(dwarf) &&
		elf_file_has_section(file, ".debug_info"))
		debug_check_note_unread(file);
	return dwarf;
}

/*
 * A file with skeleton units is read whole: libdw looks for .dwo files in the
 * folder of the file, and a partial copy has no folder. If libdw cannot
 * decompress the file, the partial copy remains: libdw then finds the .dwo files
 * only in the folder of the build.
 */
Dwarf *debug_part_begin(struct elf_file *file, struct debug_part **part_ret)
{
	struct debug_part *part = xcalloc(1, sizeof(*part));
	Dwarf_CU *unit = NULL;
	uint8_t type = 0;
	Dwarf *dwarf;

	*part_ret = NULL;
	part->file = elf_file_sparse(file, DEBUG_SIZE_MAX);
	if (!part->file || !read_part_sections(part)) {
		debug_part_close(part);
		return note_if_unread(file, debug_whole_begin(file));
	}
	*part_ret = part;
	dwarf = debug_whole_begin(part->file);
	while (dwarf && type != DW_UT_skeleton &&
		dwarf_get_units(dwarf, unit, &unit, NULL, &type, NULL, NULL) ==
			0)
		;
	if (dwarf && type != DW_UT_skeleton)
		return dwarf;
	Dwarf *whole = dwarf ? debug_whole_begin(file) : NULL;

	if (dwarf && !dwarf_has_units(whole)) {
		dwarf_end(whole);
		return dwarf;
	}
	dwarf_end(dwarf);
	debug_part_close(take_pointer(*part_ret));
	return note_if_unread(file, whole);
}

/* --- what units refer to ------------------------------------------------- */

/*
 * Reads one abbreviation. Returns true at the end of the table. Sets *IS_FAR if
 * the form of an attribute can refer to another unit.
 */
static bool is_last_abbreviation(struct bytes *b, bool *is_far)
{
	uint64_t attribute, form;

	if (!bytes_uleb(b) || !b->ok)
		return true;
	bytes_uleb(b); /* tag */
	bytes_u8(b);   /* has children */
	do {
		attribute = bytes_uleb(b);
		form = bytes_uleb(b);
		if (form == DW_FORM_implicit_const)
			bytes_sleb(b);
		*is_far |= form == DW_FORM_ref_addr || form == DW_FORM_indirect;
	} while (b->ok && (attribute || form));
	return !b->ok;
}

bool debug_part_read(struct debug_part *part, uint64_t offset)
{
	struct part_unit *unit;
	size_t i;

	if (!part || !part->size)
		return true;
	i = array_count_before(&part->units, one, one->start <= offset);
	if (!i)
		return false;
	unit = &part->units.at[i - 1];
	if (unit->is_read)
		return true;
	/* The header of the unit has the offset of its abbreviations. */
	struct bytes b = section_bytes_at(part, UNITS, unit->start);
	bool is_wide = bytes_u32(&b) == UINT32_MAX, is_far = false;
	uint32_t n = 0;

	if (is_wide)
		bytes_u64(&b);
	if (bytes_u16(&b) >= 5)
		bytes_take(&b, 2); /* type, size of addresses */
	b = section_bytes_at(
		part, ABBREVIATIONS, is_wide ? bytes_u64(&b) : bytes_u32(&b));

	while (!is_far && n++ < ABBREVIATIONS_MAX &&
		!is_last_abbreviation(&b, &is_far))
		;
	if (!is_far)
		return read_unit_rest(part, unit);
	array_each(&part->units, one)
		if (!read_unit_rest(part, one))
			return false;
	return true;
}
