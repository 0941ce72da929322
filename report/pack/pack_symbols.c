/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack/pack_symbols.h"

#include "common/file/symbols_section.h"
#include "common/util/alloc.h"
#include "report/pack/pack_functions.h"

/* Whether there are more than the recorder wrote. */
static bool has_more(struct symbols *symbols, uint32_t dso,
	const struct pack_functions *functions)
{
	const char *name;

	array_each(&functions->at, function)
		if (!symbols_find(symbols, dso, function->symbol->start, &name))
			return true;
	return false;
}

/* Not what the recorder wrote, nor what is made up of it. */
static bool are_news(struct symbols *symbols, uint32_t dso,
	const struct dso_view *view, const struct pack_functions *functions)
{
	switch (view->source) {
	case SYMBOLS_NONE:
	case SYMBOLS_MADE:
		return false;
	case SYMBOLS_RECORDED:
		return view->is_packed || has_more(symbols, dso, functions);
	default:
		return !view->is_doubtful;
	}
}

static void take_symbols(
	const struct pack_functions *functions, struct symtab *ret)
{
	array_each(&functions->at, function) {
		const struct symbol *symbol = function->symbol;

		symtab_add(ret, symbol->start, symbol->end, symbol->binding,
			function->name);
	}
	symtab_finish(ret);
}

static void add_dso(const struct pack_hit *hits, size_t n,
	struct symbols *symbols, struct files *files, struct bundle *bundle)
{
	const struct dso_view *view =
		symbols_of(symbols, hits->dso, hits[n - 1].place);
	const struct build_id id = files_build_id(files, hits->dso);
	struct pack_functions functions = { 0 };
	struct bundle_dso *new;

	pack_functions_find(hits, n, symbols, &functions);
	if (functions.at.n && are_news(symbols, hits->dso, view, &functions)) {
		new = array_push(&bundle->dsos);
		take_symbols(&functions, &new->symbols);
		bundle_identify(files_dso(files, hits->dso), &id, new);
		if (view->source == SYMBOLS_DYNSYM || view->is_partial)
			new->flags |= BUNDLE_DYNSYM_ONLY;
		new->path = xstrdup(view->is_kernel ? view->name : view->path);
	}
	pack_functions_deinit(&functions);
}

void pack_symbols_put(const struct pack_hits *hits, struct symbols *symbols,
	struct files *files, struct strbuf *out)
{
	struct bundle bundle = { 0 };
	size_t i, n;

	for (i = 0; i < hits->at.n; i += n) {
		n = pack_hits_run(hits, i);
		add_dso(&hits->at.at[i], n, symbols, files, &bundle);
	}
	if (bundle.dsos.n)
		bundle_write(&bundle, out);
	bundle_deinit(&bundle);
}
