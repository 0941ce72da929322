/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/line_check.h"

#include <dwarf.h>

#include "common/util/leb.h"

/* Fields of an entry: path, folder, time, size, checksum. */
#define FORMS_MAX 16u

static void skip_entry_text(struct bytes *b)
{
	while (b->ok && bytes_u8(b))
		;
}

/* Returns false for a form that entries cannot have. */
static bool skip_entry_form(struct bytes *b, uint64_t form, bool is_wide)
{
	switch (form) {
	case DW_FORM_string: skip_entry_text(b); break;
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

/* Checks the format of entries, their number, and the entries. */
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

static bool check_line_unit(struct bytes *unit, bool is_wide)
{
	uint16_t version = bytes_u16(unit);
	uint8_t n_opcodes;

	if (!unit->ok || version < 5)
		return unit->ok;
	/* Skip the sizes of addresses, segments, header and instructions. */
	bytes_take(unit, 2 + (is_wide ? 8 : 4) + 5);
	n_opcodes = bytes_u8(unit);
	bytes_take(unit, n_opcodes ? n_opcodes - 1u : 0);
	return check_table_entries(unit, is_wide) &&
		check_table_entries(unit, is_wide);
}

bool line_check(struct bytes section)
{
	while (bytes_left(&section)) {
		uint64_t size = bytes_u32(&section);
		bool is_wide = size == UINT32_MAX;
		struct bytes unit;

		if (is_wide)
			size = bytes_u64(&section);
		if (!section.ok || size > bytes_left(&section))
			return false;
		unit = bytes_of(bytes_take(&section, size), size, section.swap);
		if (!check_line_unit(&unit, is_wide))
			return false;
	}
	return true;
}
