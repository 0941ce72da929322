/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack/pack_data.h"

#include <elf.h>

#include "common/file/symbols_section.h"
#include "common/util/alloc.h"
#include "common/util/log.h"
#include "report/code/data_names.h"
#include "report/pack/pack_functions.h"
#include "report/symbols/code_bytes.h"

/* Limit of references: each byte of hostile code may look like one. */
#define DATA_MAX (UINT32_C(1) << 20)

struct data_search {
	struct symbols *symbols;
	struct files *files;
	struct code_bytes *codes;
	struct data_names *names;
	uint8_t *room; /* CODE_BYTES_MAX */
	uint32_t left; /* references of DATA_MAX */
	bool has_omitted;
	/* The current DSO: */
	uint32_t dso;
	const struct symbol *last;
	ARRAY(struct datum {
		const struct symbol *symbol;
		const char *name;
	})
	found;
};

static void add_data_reference(struct data_search *g, uint64_t address)
{
	struct datum datum;

	datum.symbol = data_names_symbol(
		g->names, g->files, g->dso, address, &datum.name);
	if (!datum.symbol || datum.symbol == g->last)
		return;
	g->last = datum.symbol;
	if (!g->left) {
		g->has_omitted = true;
		return;
	}
	g->left--;
	*array_push(&g->found) = datum;
}

/*
 * Finds RIP-relative operands: a ModRM byte and a 32-bit displacement, which
 * counts from the end of the instruction. An immediate operand may follow the
 * displacement.
 */
static void scan_x86_data(
	struct data_search *g, uint64_t address, const uint8_t *at, size_t n)
{
	static const uint8_t immediates[] = { 0, 1, 2, 4 };
	size_t i, k;

	for (i = 1; i + 5 <= n; i++) {
		int32_t distance;
		uint64_t end = address + i + 5;

		if ((at[i] & 0xc7) != 0x05)
			continue;
		memcpy(&distance, at + i + 1, sizeof(distance));
		for (k = 0; k < ARRAY_SIZE(immediates); k++)
			add_data_reference(g,
				end + immediates[k] +
					(uint64_t)(int64_t)distance);
	}
}

/* Finds ADR instructions. */
static void scan_aarch64_data(
	struct data_search *g, uint64_t address, const uint8_t *at, size_t n)
{
	size_t i;

	for (i = 0; i + 4 <= n; i += 4) {
		uint32_t word, far;

		memcpy(&word, at + i, sizeof(word));
		if ((word & 0x9f000000) != 0x10000000)
			continue;
		/* immhi of 19 bits, then immlo of 2 bits. */
		far = (word >> 5 & 0x7ffff) << 13 | (word >> 29 & 3) << 11;
		add_data_reference(g,
			address + i + (uint64_t)((int64_t)(int32_t)far >> 11));
	}
}

static void scan_function_data(
	struct data_search *g, const struct symbol *symbol)
{
	const struct code_query query = { g->dso, symbol->start,
		MIN(symbol->end - symbol->start, (uint64_t)CODE_BYTES_MAX) };
	struct code_facts facts;
	size_t n = code_bytes_read(g->codes, &query, g->room, &facts);

	if (n && facts.kind.machine == EM_X86_64)
		scan_x86_data(g, facts.address, g->room, n);
	else if (n && facts.kind.machine == EM_AARCH64)
		scan_aarch64_data(g, facts.address, g->room, n);
}

static int compare_data(const void *a, const void *b)
{
	const struct datum *left = a, *right = b;

	return COMPARE(left->symbol->start, right->symbol->start);
}

static void add_data_symbols(struct data_search *g, struct symtab *ret)
{
	const struct symbol *last = NULL;

	array_sort(&g->found, compare_data);
	array_each(&g->found, datum) {
		if (datum->symbol == last)
			continue;
		last = datum->symbol;
		symtab_add(ret, last->start, last->end, last->binding,
			datum->name);
	}
	symtab_finish(ret);
}

static void add_dso_data(struct data_search *g, const struct pack_hit *hits,
	size_t n, struct symbols_section *bundle)
{
	const struct build_id id = files_build_id(g->files, hits->dso);
	const struct dso *dso = files_dso(g->files, hits->dso);
	struct pack_functions functions = { 0 };
	struct symbols_dso *new;

	symbols_load(g->symbols, hits->dso, hits[n - 1].place);
	g->dso = hits->dso;
	g->last = NULL;
	g->found.n = 0;
	pack_functions_find(hits, n, g->symbols, &functions);
	array_each(&functions.at, function)
		scan_function_data(g, function->symbol);
	pack_functions_deinit(&functions);
	if (!g->found.n)
		return;
	new = array_push(&bundle->dsos);
	add_data_symbols(g, &new->symbols);
	symbols_dso_identify(dso, &id, new);
	new->path = xstrdup(dso->path);
}

void pack_data_put(const struct pack_hits *hits, struct symbols *symbols,
	struct files *files, struct strbuf *out)
{
	struct data_search g = {
		.symbols = symbols,
		.files = files,
		.codes = code_bytes_create(files),
		.names = data_names_create(),
		.room = xmalloc(CODE_BYTES_MAX),
		.left = DATA_MAX,
	};
	struct symbols_section bundle = { 0 };
	size_t i, n;

	for (i = 0; i < hits->at.n; i += n) {
		n = pack_hits_run(hits, i);
		add_dso_data(&g, &hits->at.at[i], n, &bundle);
	}
	if (bundle.dsos.n)
		symbols_section_write(&bundle, out);
	symbols_section_deinit(&bundle);
	if (g.has_omitted)
		log_note("%s: some names of data are not packed: the limit is "
			 "%u references in code",
			reader_path(files_reader(files)), DATA_MAX);
	array_free(&g.found);
	free(g.room);
	data_names_destroy(g.names);
	code_bytes_destroy(g.codes);
}
