/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack/pack_symbols.h"

#include "common/file/symbols_section.h"
#include "common/util/alloc.h"
#include "report/pack/pack_functions.h"

/* Returns whether FUNCTIONS contain more symbols than the recorder wrote. */
static bool has_unrecorded_symbols(struct symbols *symbols, uint32_t dso,
	const struct pack_functions *functions)
{
	const char *name;

	array_each(&functions->at, function)
		if (!symbols_find(symbols, dso, function->symbol->start, &name))
			return true;
	return false;
}

/*
 * Returns whether FUNCTIONS have symbols from elsewhere than the recorder and
 * JIT symbols.
 */
static bool are_new_symbols(struct symbols *symbols, uint32_t dso,
	const struct dso_view *view, const struct pack_functions *functions)
{
	switch (view->source) {
	case SYMBOLS_NONE:
	case SYMBOLS_JIT: return false;
	case SYMBOLS_RECORDED:
		return view->is_packed ||
			has_unrecorded_symbols(symbols, dso, functions);
	default: return !view->is_doubtful;
	}
}

static void add_function_symbols(
	const struct pack_functions *functions, struct symtab *ret)
{
	array_each(&functions->at, function) {
		const struct symbol *symbol = function->symbol;

		symtab_add(ret, symbol->start, symbol->end, symbol->binding,
			function->name);
	}
	symtab_finish(ret);
}

static void add_dso_symbols(const struct pack_hit *hits, size_t n,
	struct symbols *symbols, struct files *files,
	struct symbols_section *bundle)
{
	const struct dso_view *view =
		symbols_load(symbols, hits->dso, hits[n - 1].place);
	const struct build_id id = files_build_id(files, hits->dso);
	struct pack_functions functions = { 0 };
	struct symbols_dso *new;

	pack_functions_find(hits, n, symbols, &functions);
	if (functions.at.n &&
		are_new_symbols(symbols, hits->dso, view, &functions)) {
		new = array_push(&bundle->dsos);
		add_function_symbols(&functions, &new->symbols);
		symbols_dso_identify(files_dso(files, hits->dso), &id, new);
		if (view->source == SYMBOLS_DYNSYM || view->is_partial)
			new->flags |= SYMBOLS_DSO_DYNSYM_ONLY;
		new->path = xstrdup(view->is_kernel ? view->name : view->path);
	}
	pack_functions_deinit(&functions);
}

void pack_symbols_put(const struct pack_hits *hits, struct symbols *symbols,
	struct files *files, struct strbuf *out)
{
	struct symbols_section bundle = { 0 };
	size_t i, n;

	for (i = 0; i < hits->at.n; i += n) {
		n = pack_hits_run(hits, i);
		add_dso_symbols(&hits->at.at[i], n, symbols, files, &bundle);
	}
	if (bundle.dsos.n)
		symbols_section_write(&bundle, out);
	symbols_section_deinit(&bundle);
}
