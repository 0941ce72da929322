/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/view/dsos_put.h"

#include <elfutils/libdwfl.h>
#include <inttypes.h>

#include "common/util/escape.h"
#include "report/view/table.h"

static const char *symbol_source_name(const struct dsos_row *row)
{
	static const char *const names[] = {
		[SYMBOLS_NONE] = "no",
		[SYMBOLS_RECORDED] = "recorded",
		[SYMBOLS_FILE] = "file",
		[SYMBOLS_DEBUG] = "debug file",
		[SYMBOLS_DYNSYM] = "dynsym",
		[SYMBOLS_KALLSYMS] = "kallsyms",
		[SYMBOLS_VMLINUX] = "vmlinux",
		[SYMBOLS_JIT] = "made",
	};

	return row->dso ? names[row->dso->source] : "no";
}

static const char *dso_path_of(const struct dsos_row *row)
{
	return row->dso ? row->dso->path : "[unknown]";
}

static const char *answer_for_file(const struct dsos_row *row, bool is_yes)
{
	return !row->is_file ? "-" : is_yes ? "yes" : "no";
}

static const char *cfi_answer(const struct dsos_row *row)
{
	return row->has_rules ? "packed" : answer_for_file(row, row->has_cfi);
}

/* Returns whether the file has DWARF that libdw cannot read. */
static bool has_unreadable_dwarf(const struct dsos_row *row)
{
	return row->has_dwarf && !row->missing.is_readable;
}

static const char *dwarf_answer(const struct dsos_row *row)
{
	if (row->has_lines)
		return "packed";
	if (row->has_go_table)
		return "Go";
	return has_unreadable_dwarf(row) ? "unread"
					 : answer_for_file(row, row->has_dwarf);
}

/* Returns the path of the file that contains the symbols of ROW; NULL: none. */
static const char *symbol_file_of(const struct dsos_row *row)
{
	return row->dso && row->dso->is_kernel ? row->dso->found
					       : row->places.file;
}

static double percent_of_samples(uint64_t part, uint64_t all)
{
	return 100.0 * (double)part / (double)MAX(all, UINT64_C(1));
}

/*
 * Writes a line with WHAT and TEXT below a row, indented further than the row;
 * nothing if TEXT is NULL.
 */
static void put_dso_line(struct strbuf *out, const char *what, const char *text)
{
	if (!text)
		return;
	strbuf_printf(out, "%12s", "");
	strbuf_puts(out, what);
	escape_text(out, text);
	strbuf_putc(out, '\n');
}

static void put_missing_debug(const struct dsos_row *row, struct strbuf *out)
{
	if (!row->missing.unread) {
		put_dso_line(out, "inlined functions need the missing file ",
			row->missing.name);
		return;
	}
	strbuf_printf(out, "%12sinlined functions may be in ", "");
	escape_text(out, row->missing.unread);
	strbuf_puts(out, ", which cannot be read\n");
}

static void put_dso_places(const struct dsos_row *row, struct strbuf *out)
{
	const struct files_status *places = &row->places;

	if (!row->is_file) {
		put_dso_line(out, "found at ", symbol_file_of(row));
		return;
	}
	if (places->file && !string_is(places->file, dso_path_of(row)))
		put_dso_line(out, "found at ", places->file);
	if (!places->file && dso_path_of(row)[0] == '/')
		put_dso_line(out, "",
			places->has_changed
				? "the file was replaced after the recording"
				: places->is_other
				? "the file here has another build ID than "
				  "the recorded file"
				: "not found");
	if (places->is_doubtful)
		put_dso_line(out, "",
			"no build ID was recorded: its source lines are not "
			"used, because the file may be another one");
	put_dso_line(out, "debug file ", places->debug);
	put_missing_debug(row, out);
	if (has_unreadable_dwarf(row) && !row->has_lines)
		strbuf_printf(out,
			"%12slibdw %s cannot read its DWARF, which is damaged "
			"or compressed: build the file again, or use objcopy "
			"--decompress-debug-sections\n",
			"", dwfl_version(NULL));
	put_dso_line(out, "for debug information, install ", row->package);
	if (row->has_dwarf || row->has_go_table || row->has_lines ||
		!row->build_id.size)
		return;
	if (row->places.is_missed)
		put_dso_line(out, "",
			"no debuginfod server has its debug information");
	else if (!row->uses_servers && !row->package)
		put_dso_line(
			out, "for debug information, try ", "--debuginfod");
}

void dsos_print(const struct dsos *dsos, struct strbuf *out)
{
	strbuf_printf(out, "# %" PRIu64 " samples\n#\n", dsos->samples);
	strbuf_printf(out, "#%7s  %7s  %8s  %-10s  %-6s  %-6s  %-40s  %s\n",
		"Samples", "Callers", "Unnamed", "Symbols", "CFI", "DWARF",
		"Build ID", "Path");
	strbuf_puts(out, "#\n");
	array_each(&dsos->rows, row) {
		char id[BUILD_ID_TEXT] = "-";

		if (row->build_id.size)
			build_id_text(&row->build_id, id);
		strbuf_printf(out,
			"  %6.2f%%  %6.2f%%  %7.2f%%  %-10s  %-6s  %-6s  %-40s  ",
			percent_of_samples(row->samples, dsos->samples),
			percent_of_samples(row->callers, dsos->samples),
			percent_of_samples(row->unnamed, row->samples),
			symbol_source_name(row), cfi_answer(row),
			dwarf_answer(row), id);
		escape_text(out, dso_path_of(row));
		strbuf_putc(out, '\n');
		put_dso_places(row, out);
	}
}

void dsos_put_table(
	const struct dsos *dsos, const char *view, struct strbuf *out)
{
	static const char *const columns[] = { "path", "build_id", "samples",
		"callers", "unnamed", "symbols", "cfi", "dwarf", "found",
		"debug_file", "changed", "install", "missing", "unread", NULL };
	struct table table;

	table_begin(&table, view, "dsos", columns, out);
	array_each(&dsos->rows, row) {
		char id[BUILD_ID_TEXT];

		if (row->build_id.size)
			build_id_text(&row->build_id, id);
		table_text(&table, dso_path_of(row));
		table_text(&table, row->build_id.size ? id : NULL);
		table_number(&table, row->samples);
		table_number(&table, row->callers);
		table_number(&table, row->unnamed);
		table_text(&table, symbol_source_name(row));
		table_text(&table,
			row->is_file || row->has_rules ? cfi_answer(row)
						       : NULL);
		table_text(&table,
			row->is_file || row->has_lines ? dwarf_answer(row)
						       : NULL);
		table_text(&table, symbol_file_of(row));
		table_text(&table, row->places.debug);
		table_text(&table,
			row->is_file
				? answer_for_file(row, row->places.is_other)
				: NULL);
		table_text(&table, row->package);
		table_text(&table, row->missing.name);
		table_text(&table, row->missing.unread);
	}
	table_end(&table);
}
