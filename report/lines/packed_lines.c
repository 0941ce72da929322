/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/packed_lines.h"

static bool is_line_unit(const void *piece, size_t size)
{
	return line_unit_is_sound(piece, size);
}

struct packed_dsos *packed_lines_read(struct strbuf *section)
{
	return packed_dsos_read(section, is_line_unit);
}

struct packed_dsos *packed_lines_create(struct reader *reader)
{
	return packed_dsos_create(
		reader, SECTION_LINES, PACKED_LINES_VERSION, is_line_unit);
}
