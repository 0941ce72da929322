/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack/pack_code.h"

#include "common/util/log.h"
#include "report/pack/pack_hits.h"
#include "report/symbols/code_bytes.h"

struct packing {
	struct code_bytes *codes;
	struct symbols *symbols;
	struct files *files;
	uint8_t *room;    /* buffer of CODE_BYTES_MAX bytes; owned */
	uint64_t left;	  /* bytes that may still be added */
	size_t n_omitted; /* functions left out: beyond PACK_CODE_MAX */
	uint32_t n_units;
	struct strbuf units;
};

/*
 * Adds the code of DSO from PLACE to END, at most CODE_BYTES_MAX bytes. PLACE
 * and END are file offsets; for the kernel and JIT code, addresses. Returns the
 * end of the added code, or PLACE if no code was added.
 */
static uint64_t add_function_code(struct packing *packing,
	struct code_builder *builder, uint32_t dso, uint64_t place,
	uint64_t end)
{
	const struct code_query query = { dso, place,
		MIN(end - place, (uint64_t)CODE_BYTES_MAX) };
	struct code_facts facts;
	size_t n;

	if (query.size > packing->left) {
		packing->n_omitted++;
		return place;
	}
	n = code_bytes_read(packing->codes, &query, packing->room, &facts);
	if (!n)
		return place;
	if (!builder->ranges.n)
		builder->kind = facts.kind;
	packing->left -= n;
	code_builder_add(builder, place, facts.address, packing->room, n);
	return place + n;
}

/*
 * Adds the code of the functions at the N HITS of one DSO. Code that several
 * symbols cover is added once, for the first symbol.
 */
static void add_dso_code(
	struct packing *packing, const struct pack_hit *hits, size_t n)
{
	const struct build_id id = files_build_id(packing->files, hits->dso);
	_cleanup_strbuf_ struct strbuf unit = { 0 };
	struct pack_functions functions = { 0 };
	struct code_builder builder = { 0 };
	uint64_t done = 0;

	symbols_load(packing->symbols, hits->dso, hits[n - 1].place);
	pack_functions_find(hits, n, packing->symbols, &functions);
	array_each(&functions.at, function) {
		const struct symbol *symbol = function->symbol;
		uint64_t start = MAX(symbol->start, done);

		if (symbol->end > start)
			done = add_function_code(packing, &builder, hits->dso,
				start, symbol->end);
	}
	pack_functions_deinit(&functions);
	if (!builder.ranges.n)
		return;
	code_builder_finish(&builder, &unit);
	packed_dsos_put(files_dso(packing->files, hits->dso), &id, unit.at,
		unit.n, &packing->units);
	packing->n_units++;
}

static void report_omitted_code(const struct packing *packing)
{
	if (packing->n_omitted)
		log_note("%s: did not pack the code of %zu function%s: the "
			 "limit is %lu MiB",
			reader_path(files_reader(packing->files)),
			packing->n_omitted, plural(packing->n_omitted),
			PACK_CODE_MAX / MIB(1));
}

void pack_code_put(const struct pack_hits *hits, struct symbols *symbols,
	struct files *files, struct strbuf *out)
{
	struct packing packing = {
		.codes = code_bytes_create(files),
		.symbols = symbols,
		.files = files,
		.room = xmalloc(CODE_BYTES_MAX),
		.left = PACK_CODE_MAX,
	};
	size_t i, n;

	for (i = 0; i < hits->at.n; i += n) {
		n = pack_hits_run(hits, i);
		add_dso_code(&packing, &hits->at.at[i], n);
	}
	if (packing.n_units) {
		packed_dsos_begin(packing.n_units, out);
		strbuf_put(out, packing.units.at, packing.units.n);
	}
	report_omitted_code(&packing);
	strbuf_free(&packing.units);
	free(packing.room);
	code_bytes_destroy(packing.codes);
}
