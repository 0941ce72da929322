/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stands in for report/symbols.c in fuzz targets, so that the input can't name
 * files of this machine: symbols come from the recording alone.
 */
#include "config.h"

#include "report/symbols.h"

#include "common/alloc.h"
#include "common/bundle.h"

struct symbols {
	const struct survey *survey;
	struct bundle bundle;
	struct dso_view *views;
};

struct symbols *symbols_create(struct reader *reader,
	const struct survey *survey, struct files *files _unused_)
{
	struct symbols *symbols = xcalloc(1, sizeof(*symbols));
	_cleanup_strbuf_ struct strbuf section = { 0 };

	symbols->survey = survey;
	symbols->views =
		xcalloc(maps_n_dsos(survey->maps), sizeof(*symbols->views));
	/* What isn't dwell's own recording has the other one, if any. */
	if (reader_section(reader, SECTION_SYMBOLS, BUNDLE_VERSION, &section) ||
		reader_section(
			reader, SECTION_PACKED, BUNDLE_VERSION, &section))
		bundle_read(bytes_of(section.at, section.n, false),
			&symbols->bundle);
	return symbols;
}

void symbols_destroy(struct symbols *symbols)
{
	if (!symbols)
		return;
	bundle_deinit(&symbols->bundle);
	free(symbols->views);
	free(symbols);
}

const struct dso_view *symbols_of(
	struct symbols *symbols, uint32_t dso, uint64_t end _unused_)
{
	const struct dso *recorded = maps_dso(symbols->survey->maps, dso);
	struct dso_view *view = &symbols->views[dso];

	view->name = view->path = recorded->path;
	view->is_kernel = recorded->pid == MAPS_KERNEL_PID;
	view->is_doubtful = dso % 2;
	return view;
}

const struct dso_view *symbols_of_none(struct symbols *symbols, uint32_t dso)
{
	return symbols_of(symbols, dso, 0);
}

const struct symbol *symbols_find(struct symbols *symbols, uint32_t dso,
	uint64_t address, const char **name_ret)
{
	const struct dso *recorded = maps_dso(symbols->survey->maps, dso);
	const struct symbol *symbol = NULL;

	array_each(&symbols->bundle.dsos, bundled) {
		if (!string_is(bundled->path, recorded->path))
			continue;
		symbol = symtab_find(&bundled->symbols, address);
		if (symbol)
			*name_ret = symtab_name(&bundled->symbols, symbol);
	}
	return symbol;
}

const struct symbol *symbols_find_any(struct symbols *symbols, uint32_t dso,
	uint64_t address, const char **name_ret)
{
	return symbols_find(symbols, dso, address, name_ret);
}
