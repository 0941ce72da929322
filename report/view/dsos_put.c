/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of --dsos, for people and for programs. */
#include "config.h"

#include <elfutils/libdwfl.h>
#include <inttypes.h>

#include "common/util/escape.h"
#include "report/view/dsos.h"
#include "report/view/table.h"

static const char *source_name(const struct dsos_row *row)
{
	static const char *const names[] = {
		[SYMBOLS_NONE] = "no",
		[SYMBOLS_RECORDED] = "recorded",
		[SYMBOLS_FILE] = "file",
		[SYMBOLS_DEBUG] = "debug file",
		[SYMBOLS_DYNSYM] = "dynsym",
		[SYMBOLS_KALLSYMS] = "kallsyms",
		[SYMBOLS_VMLINUX] = "vmlinux",
		[SYMBOLS_MADE] = "made",
	};

	return row->dso ? names[row->dso->source] : "no";
}

static const char *path_of(const struct dsos_row *row)
{
	return row->dso ? row->dso->path : "[unknown]";
}

static const char *yes_or_no(const struct dsos_row *row, bool is_yes)
{
	return !row->is_file ? "-" : is_yes ? "yes" : "no";
}

static const char *cfi_of(const struct dsos_row *row)
{
	return row->has_rules ? "packed" : yes_or_no(row, row->has_cfi);
}

/* libdw can't read what it has. */
static bool is_unreadable(const struct dsos_row *row)
{
	return row->has_dwarf && !row->missing.is_readable;
}

static const char *dwarf_of(const struct dsos_row *row)
{
	if (row->has_lines)
		return "packed";
	return is_unreadable(row) ? "unread" : yes_or_no(row, row->has_dwarf);
}

/* Where what .symbols names is. */
static const char *found_of(const struct dsos_row *row)
{
	return row->dso && row->dso->is_kernel ? row->dso->found
					       : row->places.file;
}

static double percent(uint64_t part, uint64_t all)
{
	return 100.0 * (double)part / (double)MAX(all, UINT64_C(1));
}

/* Lines below a row begin where its path does not. */
static void put_line(struct strbuf *out, const char *what, const char *text)
{
	if (!text)
		return;
	strbuf_printf(out, "%12s", "");
	strbuf_puts(out, what);
	escape_text(out, text);
	strbuf_putc(out, '\n');
}

static void put_missing(const struct dsos_row *row, struct strbuf *out)
{
	if (!row->missing.unread) {
		put_line(out, "inlined functions are unknown without ",
			row->missing.name);
		return;
	}
	strbuf_printf(out, "%12sinlined functions may be in ", "");
	escape_text(out, row->missing.unread);
	strbuf_puts(out, ", which can't be read\n");
}

static void put_unreadable(const struct dsos_row *row, struct strbuf *out)
{
	if (is_unreadable(row) && !row->has_lines)
		strbuf_printf(out,
			"%12slibdw %s can't read its DWARF; if that is "
			"compressed with zstd, 0.189 can, or use objcopy "
			"--decompress-debug-sections\n",
			"", dwfl_version(NULL));
}

static void put_servers(const struct dsos_row *row, struct strbuf *out)
{
	if (row->has_dwarf || row->has_lines || !row->build_id.size)
		return;
	if (row->places.is_missed)
		put_line(out, "", "no server for debug files has more");
	else if (!row->asks_servers && !row->package)
		put_line(out, "for more, try ", "--debuginfod");
}

static void put_places(const struct dsos_row *row, struct strbuf *out)
{
	const struct files_places *places = &row->places;

	if (!row->is_file) {
		put_line(out, "found at ", found_of(row));
		return;
	}
	if (places->file && !string_is(places->file, path_of(row)))
		put_line(out, "found at ", places->file);
	if (!places->file && path_of(row)[0] == '/')
		put_line(out, "",
			places->has_changed
				? "another file is there now"
				: "not found");
	if (places->is_doubtful)
		put_line(out, "",
			"without a build ID nothing proves that it is the "
			"recorded file: no lines");
	put_line(out, "debug file ", places->debug);
	put_missing(row, out);
	put_unreadable(row, out);
	put_line(out, "for more, install ", row->package);
	put_servers(row, out);
}

static void put_row(const struct dsos *dsos, const struct dsos_row *row,
	struct strbuf *out)
{
	char id[BUILD_ID_TEXT] = "-";

	if (row->build_id.size)
		build_id_text(&row->build_id, id);
	strbuf_printf(out,
		"  %6.2f%%  %6.2f%%  %7.2f%%  %-10s  %-6s  %-6s  %-40s  ",
		percent(row->samples, dsos->samples),
		percent(row->callers, dsos->samples),
		percent(row->unnamed, row->samples), source_name(row),
		cfi_of(row), dwarf_of(row), id);
	escape_text(out, path_of(row));
	strbuf_putc(out, '\n');
	put_places(row, out);
}

void dsos_print(const struct dsos *dsos, struct strbuf *out)
{
	strbuf_printf(out, "# %" PRIu64 " samples\n#\n", dsos->samples);
	strbuf_printf(out, "#%7s  %7s  %8s  %-10s  %-6s  %-6s  %-40s  %s\n",
		"Samples", "Callers", "Unnamed", "Symbols", "CFI", "DWARF",
		"Build ID", "Path");
	strbuf_puts(out, "#\n");
	array_each(&dsos->rows, row)
		put_row(dsos, row, out);
}

static void put_cells(struct table *table, const struct dsos_row *row)
{
	char id[BUILD_ID_TEXT];

	if (row->build_id.size)
		build_id_text(&row->build_id, id);
	table_text(table, path_of(row));
	table_text(table, row->build_id.size ? id : NULL);
	table_number(table, row->samples);
	table_number(table, row->callers);
	table_number(table, row->unnamed);
	table_text(table, source_name(row));
	table_text(
		table, row->is_file || row->has_rules ? cfi_of(row) : NULL);
	table_text(
		table, row->is_file || row->has_lines ? dwarf_of(row) : NULL);
	table_text(table, found_of(row));
	table_text(table, row->places.debug);
	table_text(table,
		row->is_file ? yes_or_no(row, row->places.has_changed) : NULL);
	table_text(table, row->package);
	table_text(table, row->missing.name);
	table_text(table, row->missing.unread);
}

void dsos_put_table(
	const struct dsos *dsos, const char *view, struct strbuf *out)
{
	static const char *const columns[] = { "path", "build_id", "samples",
		"callers", "unnamed", "symbols", "cfi", "dwarf", "found",
		"debug_file", "changed", "install", "missing", "unread",
		NULL };
	struct table table;

	table_begin(&table, view, "dsos", columns, out);
	array_each(&dsos->rows, row)
		put_cells(&table, row);
	table_end(&table);
}
