/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack_symbols.h"

#include "common/alloc.h"
#include "common/bundle.h"

/* Not what the recorder wrote, nor what is made up of it. */
static bool is_news(const struct dso_view *view)
{
	switch (view->source) {
	case SYMBOLS_NONE:
	case SYMBOLS_MADE:
		return false;
	case SYMBOLS_RECORDED:
		return view->is_packed;
	default:
		return !view->is_doubtful;
	}
}

/* A caller's address is where it goes on, which may be the next function's. */
static void take_symbols(struct symbols *symbols, const struct pack_hit *hits,
	size_t n, struct symtab *ret)
{
	const struct symbol *last = NULL;
	size_t i;
	int back;

	for (i = 0; i < n; i++)
		for (back = 1; back >= 0; back--) {
			const char *name;
			const struct symbol *symbol = symbols_find(symbols,
				hits[i].dso, hits[i].place - (uint64_t)back,
				&name);

			if (symbol && symbol != last)
				symtab_add(ret, symbol->start, symbol->end,
					symbol->binding, name);
			last = symbol ?: last;
		}
	symtab_finish(ret);
}

static void add_dso(const struct pack_hit *hits, size_t n,
	struct symbols *symbols, struct files *files, struct bundle *bundle)
{
	const struct dso_view *view =
		symbols_of(symbols, hits->dso, hits[n - 1].place);
	const struct build_id id = files_build_id(files, hits->dso);
	struct bundle_dso new = { 0 };

	if (!is_news(view))
		return;
	take_symbols(symbols, hits, n, &new.symbols);
	if (!new.symbols.symbols.n) {
		symtab_deinit(&new.symbols);
		return;
	}
	bundle_identify(files_dso(files, hits->dso), &id, &new);
	if (view->source == SYMBOLS_DYNSYM || view->is_partial)
		new.flags |= BUNDLE_DYNSYM_ONLY;
	new.path = xstrdup(view->is_kernel ? view->name : view->path);
	*array_push(&bundle->dsos) = new;
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
