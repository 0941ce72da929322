/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/export/folded.h"

#include "common/util/escape.h"
#include "report/resolve/function_numbers.h"
#include "report/rows/hist.h"

/* Bytes of names that are kept; only hostile recordings have more. */
#define KEPT_NAMES_MAX MIB(4)

/* Semicolons separate frames; one in a name becomes a colon. */
void folded_put_name(const char *name, struct strbuf *out)
{
	size_t at = out->n;

	escape_text(out, name);
	for (; at < out->n; at++)
		if (out->at[at] == ';')
			out->at[at] = ':';
}

static void make_folded_name(
	struct resolver *resolver, uint32_t number, struct strbuf *out)
{
	const struct location *at = resolver_location(resolver, number);
	_cleanup_strbuf_ struct strbuf dso = { 0 };

	if (!at->symbol)
		function_numbers_put_unknown(
			resolver_dso_name(resolver, at->dso_name), &dso);
	folded_put_name(
		at->symbol ? resolver_symbol_name(resolver, number) : dso.at,
		out);
	if (at->symbol)
		folded_put_name(resolver_build_mark(resolver, at), out);
}

static void put_folded_location(
	struct folded *folded, uint32_t number, struct strbuf *out)
{
	struct folded_name *name;
	size_t before = out->n;

	while (folded->by_location.n <= number)
		array_push(&folded->by_location);
	name = &folded->by_location.at[number];
	if (name->size) {
		strbuf_put(out, folded->names.at + name->at, name->size);
		return;
	}
	make_folded_name(folded->resolver, number, out);
	if (folded->names.n + (out->n - before) > KEPT_NAMES_MAX)
		return;
	*name = (struct folded_name){ folded->names.n, out->n - before };
	strbuf_put(&folded->names, out->at + before, name->size);
}

void folded_put_stack(
	struct folded *folded, struct chain chain, struct strbuf *out)
{
	if (chain_is_empty(&chain)) {
		strbuf_puts(out, HIST_REST);
		return;
	}
	put_folded_location(folded, chain_last(&chain), out);
	while (!chain_is_empty(&chain)) {
		strbuf_putc(out, ';');
		put_folded_location(folded, chain_last(&chain), out);
	}
}

void folded_put_state(enum thread_state state, struct strbuf *out)
{
	if (state != STATE_ON)
		strbuf_printf(out, ";[%s]", thread_state_name(state));
}

void folded_deinit(struct folded *folded)
{
	strbuf_free(&folded->names);
	array_free(&folded->by_location);
}
