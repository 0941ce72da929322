/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of --dsos, for people and for programs. */
#include "config.h"

#include <inttypes.h>

#include "common/escape.h"
#include "report/dsos.h"
#include "report/table.h"

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

static void put_places(const struct dsos_row *row, struct strbuf *out)
{
	const struct files_places *places = &row->places;

	if (!row->is_file)
		return;
	if (places->file && !string_is(places->file, path_of(row)))
		put_line(out, "found at ", places->file);
	if (!places->file && path_of(row)[0] == '/')
		put_line(out, "",
			places->has_changed
				? "another file is there now"
				: "not found");
	put_line(out, "debug file ", places->debug);
	put_line(out, "inlined functions are unknown without ", row->missing);
	put_line(out, "for more, install ", row->package);
	if (!row->has_dwarf && !row->package && row->build_id.size)
		put_line(out, "for more, try ", "--debuginfod");
}

static void put_row(const struct dsos *dsos, const struct dsos_row *row,
	struct strbuf *out)
{
	char id[BUILD_ID_TEXT] = "-";

	if (row->build_id.size)
		build_id_text(&row->build_id, id);
	strbuf_printf(out,
		"  %6.2f%%  %6.2f%%  %7.2f%%  %-10s  %-3s  %-5s  %-40s  ",
		percent(row->samples, dsos->samples),
		percent(row->callers, dsos->samples),
		percent(row->unnamed, row->samples), source_name(row),
		yes_or_no(row, row->has_cfi), yes_or_no(row, row->has_dwarf),
		id);
	escape_text(out, path_of(row));
	strbuf_putc(out, '\n');
	put_places(row, out);
}

void dsos_print(const struct dsos *dsos, struct strbuf *out)
{
	strbuf_printf(out, "# %" PRIu64 " samples\n#\n", dsos->samples);
	strbuf_printf(out, "#%7s  %7s  %8s  %-10s  %-3s  %-5s  %-40s  %s\n",
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
	table_text(table, row->is_file ? yes_or_no(row, row->has_cfi) : NULL);
	table_text(table, row->is_file ? yes_or_no(row, row->has_dwarf) : NULL);
	table_text(table, row->places.file);
	table_text(table, row->places.debug);
	table_text(table,
		row->is_file ? yes_or_no(row, row->places.has_changed) : NULL);
	table_text(table, row->package);
	table_text(table, row->missing);
}

void dsos_put_table(
	const struct dsos *dsos, const char *view, struct strbuf *out)
{
	static const char *const columns[] = { "path", "build_id", "samples",
		"callers", "unnamed", "symbols", "cfi", "dwarf", "found",
		"debug_file", "changed", "install", "missing", NULL };
	struct table table;

	table_begin(&table, view, "dsos", columns, out);
	array_each(&dsos->rows, row)
		put_cells(&table, row);
	table_end(&table);
}
