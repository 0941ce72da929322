/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack/pack_code.h"

#include <inttypes.h>

#include "common/util/address_ranges.h"
#include "common/util/log.h"
#include "report/pack/pack_hits.h"
#include "report/symbols/code_bytes.h"

struct code_packing {
	struct code_bytes *codes;
	struct address_rules *rules; /* NULL: no stack was unwound */
	struct symbols *symbols;
	struct files *files;
	uint8_t *room;	    /* buffer of CODE_BYTES_MAX bytes; owned */
	uint64_t left;	    /* bytes that may still be added */
	uint64_t n_omitted; /* bytes left out: beyond PACK_CODE_MAX */
	uint32_t n_units;
	struct strbuf units;
};

/*
 * Adds the code of DSO from PLACE to END to BUILDER. Stops at the first byte that
 * cannot be read. PLACE and END are file offsets; for the kernel and JIT code, addresses.
 */
static void add_code_range(struct code_packing *packing,
	struct code_builder *builder, uint32_t dso, uint64_t place,
	uint64_t end)
{
	while (place < end) {
		const struct code_query query = { dso, place,
			MIN(end - place, (uint64_t)CODE_BYTES_MAX) };
		struct code_facts facts;
		size_t n;

		if (query.size > packing->left) {
			packing->n_omitted += end - place;
			return;
		}
		n = code_bytes_read(
			packing->codes, &query, packing->room, &facts);
		if (!n)
			return;
		if (!builder->ranges.n)
			builder->kind = facts.kind;
		packing->left -= n;
		code_builder_add(
			builder, place, facts.address, packing->room, n);
		place += n;
	}
}

/*
 * Adds a unit with the code of DSO: the functions at the N HITS, and the code
 * that stacks were unwound with.
 */
static void add_dso_code(struct code_packing *packing, uint32_t dso,
	const struct pack_hit *hits, size_t n)
{
	const struct build_id id = files_build_id(packing->files, dso);
	_cleanup_strbuf_ struct strbuf unit = { 0 };
	struct address_ranges ranges = { 0 };
	struct code_builder builder = { 0 };

	/* Find the places of the functions at the hits. */
	struct pack_functions functions = { 0 };
	if (n) {
		symbols_load(packing->symbols, hits->dso, hits[n - 1].place);
		pack_functions_find(hits, n, packing->symbols, &functions);
		array_each(&functions.at, function) {
			const struct symbol *symbol = function->symbol;
			uint64_t size = symbol->end - symbol->start;

			if (symbol->end > symbol->start)
				*array_push(&ranges.ranges) =
					(struct address_range){ symbol->start,
						symbol->start +
							MIN(size,
								CODE_BYTES_MAX),
						0 };
		}
		pack_functions_deinit(&functions);
	}
	if (packing->rules) {
		const struct address_ranges *used =
			address_rules_used_code(packing->rules, dso);

		array_each(&used->ranges, range)
			*array_push(&ranges.ranges) = *range;
	}
	/*
	 * Each range has its own number, so that touching ranges stay apart: code
	 * that cannot be read ends only its own range.
	 */
	array_each(&ranges.ranges, range)
		range->number = (size_t)(range - ranges.ranges.at);
	address_ranges_flatten(&ranges);
	array_each(&ranges.ranges, range)
		add_code_range(
			packing, &builder, dso, range->start, range->end);
	address_ranges_free(&ranges);
	if (!builder.ranges.n)
		return;
	code_builder_finish(&builder, &unit);
	packed_dsos_put(files_dso(packing->files, dso), &id, unit.at, unit.n,
		&packing->units);
	packing->n_units++;
}

void pack_code_put(const struct pack_hits *hits, struct address_rules *rules,
	struct symbols *symbols, struct files *files, struct strbuf *out)
{
	struct code_packing packing = {
		.codes = code_bytes_create(files),
		.rules = rules,
		.symbols = symbols,
		.files = files,
		.room = xmalloc(CODE_BYTES_MAX),
		.left = PACK_CODE_MAX,
	};
	size_t at = 0;
	uint32_t dso;

	for (dso = 0; dso < maps_n_dsos(files_maps(files)); dso++) {
		size_t n = at < hits->at.n && hits->at.at[at].dso == dso
			? pack_hits_run(hits, at)
			: 0;

		add_dso_code(&packing, dso, n ? &hits->at.at[at] : NULL, n);
		at += n;
	}
	if (packing.n_units) {
		packed_dsos_begin(packing.n_units, out);
		strbuf_put(out, packing.units.at, packing.units.n);
	}
	if (packing.n_omitted)
		log_note("%s: did not pack %" PRIu64
			 " bytes of code: the limit is %lu MiB",
			reader_path(files_reader(packing.files)),
			packing.n_omitted, PACK_CODE_MAX / MIB(1));
	strbuf_free(&packing.units);
	free(packing.room);
	code_bytes_destroy(packing.codes);
}
