/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack/pack_code.h"

#include "common/util/log.h"
#include "report/pack/pack_functions.h"
#include "report/symbols/code_bytes.h"
#include "report/symbols/packed_code.h"

struct packing {
	struct code_bytes *codes;
	struct symbols *symbols;
	struct files *files;
	uint8_t *room;    /* CODE_BYTES_MAX */
	uint64_t left;    /* of PACK_CODE_MAX */
	size_t n_omitted; /* functions that there was no room for */
	uint32_t n_units;
	struct strbuf units;
};

/*
 * Its bytes at [PLACE, END), and no more of it than is asked for; gives where
 * what was added ends.
 */
static uint64_t add_function(struct packing *packing,
	struct code_builder *builder, uint32_t dso, uint64_t place,
	uint64_t end)
{
	const struct code_wish wish = { dso, place,
		MIN(end - place, (uint64_t)CODE_BYTES_MAX) };
	struct code_facts facts;
	size_t n;

	if (wish.size > packing->left) {
		packing->n_omitted++;
		return place;
	}
	n = code_bytes_read(packing->codes, &wish, packing->room, &facts);
	if (!n)
		return place;
	if (!builder->ranges.n)
		builder->kind = facts.kind;
	packing->left -= n;
	code_builder_add(builder, place, facts.address, packing->room, n);
	return place + n;
}

/* What several symbols have is the first one's. */
static void add_dso(
	struct packing *packing, const struct pack_hit *hits, size_t n)
{
	const struct build_id id = files_build_id(packing->files, hits->dso);
	_cleanup_strbuf_ struct strbuf unit = { 0 };
	struct pack_functions functions = { 0 };
	struct code_builder builder = { 0 };
	uint64_t done = 0;

	symbols_of(packing->symbols, hits->dso, hits[n - 1].place);
	pack_functions_find(hits, n, packing->symbols, &functions);
	array_each(&functions.at, function) {
		const struct symbol *symbol = function->symbol;
		uint64_t start = MAX(symbol->start, done);

		if (symbol->end > start)
			done = add_function(packing, &builder, hits->dso,
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

static void tell_omitted(const struct packing *packing)
{
	if (packing->n_omitted)
		log_note("%s: the code of %zu function%s hit is left "
			 "out: there is more than %lu MiB of it",
			reader_path(files_reader(packing->files)),
			packing->n_omitted,
			packing->n_omitted == 1 ? " that was" : "s that were",
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
		add_dso(&packing, &hits->at.at[i], n);
	}
	if (packing.n_units) {
		packed_dsos_begin(packing.n_units, out);
		strbuf_put(out, packing.units.at, packing.units.n);
	}
	tell_omitted(&packing);
	strbuf_free(&packing.units);
	free(packing.room);
	code_bytes_destroy(packing.codes);
}
