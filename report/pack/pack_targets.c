/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack/pack_targets.h"

#include <elf.h>

#include "common/file/symbols_section.h"
#include "common/util/alloc.h"
#include "common/util/log.h"
#include "report/code/data_names.h"
#include "report/pack/pack_hits.h"
#include "report/symbols/code_bytes.h"

/*
 * Limit of calls that are resolved: each byte of hostile code may look like a
 * call.
 */
#define TARGETS_MAX (UINT32_C(1) << 20)
/*
 * Limit of references to data: each byte of hostile code may look like a
 * reference.
 */
#define DATA_MAX (UINT32_C(1) << 20)

/* --- calls --------------------------------------------------------------- */

struct target_search {
	struct symbols *symbols;
	struct code_bytes *codes;
	uint8_t *room; /* buffer of CODE_BYTES_MAX bytes; owned */
	struct pack_hits *ret;
	uint32_t left; /* calls that may still be resolved */
	bool has_omitted;
	/* The DSO, file offset and size of the scanned function: */
	uint32_t dso;
	uint64_t place, size;
};

/*
 * Adds the function at OFFSET from the start of the scanned function, modulo
 * 2^64, unless OFFSET is inside of the scanned function.
 */
static void add_call_target(struct target_search *g, uint64_t offset)
{
	uint64_t place = g->place + offset;
	const struct symbol *symbol;
	const char *name;

	if (offset < g->size)
		return;
	if (!g->left) {
		g->has_omitted = true;
		return;
	}
	g->left--;
	symbol = symbols_find_any(g->symbols, g->dso, place, &name)
		?: symbols_guess(g->symbols, g->dso, place, &name);
	if (symbol)
		*array_push(&g->ret->at) =
			(struct pack_hit){ g->dso, symbol->start };
}

/*
 * Finds call, jmp and jcc with 32-bit displacements. Jumps with 8-bit
 * displacements rarely leave a function.
 */
static void scan_x86_calls(struct target_search *g, const uint8_t *at, size_t n)
{
	size_t i;

	for (i = 0; i + 5 <= n; i++) {
		bool is_long = at[i] == 0x0f && (at[i + 1] & 0xf0) == 0x80 &&
			i + 6 <= n;
		int32_t distance;

		if (!is_long && at[i] != 0xe8 && at[i] != 0xe9)
			continue;
		memcpy(&distance, at + i + 1 + is_long, sizeof(distance));
		add_call_target(
			g, i + 5 + is_long + (uint64_t)(int64_t)distance);
	}
}

/* Finds B and BL instructions. */
static void scan_aarch64_calls(
	struct target_search *g, const uint8_t *at, size_t n)
{
	size_t i;

	for (i = 0; i + 4 <= n; i += 4) {
		uint32_t word;

		memcpy(&word, at + i, sizeof(word));
		if ((word & 0x7c000000) == 0x14000000)
			add_call_target(g,
				i +
					(uint64_t)((int64_t)(int32_t)(word
							   << 6) >>
						4));
	}
}

static void scan_function_calls(
	struct target_search *g, const struct symbol *symbol)
{
	const struct code_query query = { g->dso, symbol->start,
		MIN(symbol->end - symbol->start, (uint64_t)CODE_BYTES_MAX) };
	struct code_facts facts;
	size_t n = code_bytes_read(g->codes, &query, g->room, &facts);

	g->place = symbol->start;
	g->size = symbol->end - symbol->start;
	switch (n ? facts.kind.machine : EM_NONE) {
	case EM_X86_64:
	case EM_386: scan_x86_calls(g, g->room, n); break;
	case EM_AARCH64: scan_aarch64_calls(g, g->room, n); break;
	default: break;
	}
}

static void scan_dso_calls(
	struct target_search *g, const struct pack_hit *hits, size_t n)
{
	const struct symbols_source_dso *view =
		symbols_load(g->symbols, hits->dso, hits[n - 1].place);
	struct pack_functions functions = { 0 };

	if (view->source == SYMBOLS_JIT || view->is_doubtful)
		return;
	g->dso = hits->dso;
	pack_functions_find(hits, n, g->symbols, &functions);
	array_each(&functions.at, function)
		scan_function_calls(g, function->symbol);
	pack_functions_deinit(&functions);
}

void pack_targets_find(const struct pack_hits *hits, struct symbols *symbols,
	struct files *files, struct pack_hits *ret)
{
	struct target_search g = {
		.symbols = symbols,
		.codes = code_bytes_create(files),
		.room = xmalloc(CODE_BYTES_MAX),
		.ret = ret,
		.left = TARGETS_MAX,
	};
	size_t i, n;

	for (i = 0; i < hits->at.n; i += n) {
		n = pack_hits_run(hits, i);
		scan_dso_calls(&g, &hits->at.at[i], n);
	}
	if (g.has_omitted)
		log_note("%s: the code has too many call instructions: the "
			 "names of the functions that %u of them call are "
			 "packed, and the code shows addresses for the others",
			reader_path(files_reader(files)), TARGETS_MAX);
	free(g.room);
	code_bytes_destroy(g.codes);
}

/* --- data ---------------------------------------------------------------- */

struct data_search {
	struct symbols *symbols;
	struct files *files;
	struct code_bytes *codes;
	struct data_names *names;
	uint8_t *room; /* buffer of CODE_BYTES_MAX bytes; owned */
	uint32_t left; /* references that may still be added */
	bool has_omitted;
	/*
	 * The scanned DSO, the data symbol found last, and all found symbols:
	 */
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

static void scan_function_data(
	struct data_search *g, const struct symbol *symbol)
{
	const struct code_query query = { g->dso, symbol->start,
		MIN(symbol->end - symbol->start, (uint64_t)CODE_BYTES_MAX) };
	struct code_facts facts;
	size_t n = code_bytes_read(g->codes, &query, g->room, &facts);

	if (n && facts.kind.machine == EM_X86_64)
		scan_x86_data(g, facts.address, g->room, n);
	else if (n && facts.kind.machine == EM_AARCH64) {
		/* Find ADR instructions. */
		size_t i;

		for (i = 0; i + 4 <= n; i += 4) {
			uint32_t word, far;

			memcpy(&word, g->room + i, sizeof(word));
			if ((word & 0x9f000000) != 0x10000000)
				continue;
			/* immhi of 19 bits, then immlo of 2 bits. */
			far = (word >> 5 & 0x7ffff) << 13 |
				(word >> 29 & 3) << 11;
			add_data_reference(g,
				facts.address + i +
					(uint64_t)((int64_t)(int32_t)far >>
						11));
		}
	}
}

static int compare_data(const void *a, const void *b)
{
	const struct datum *left = a, *right = b;

	return COMPARE(left->symbol->start, right->symbol->start);
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
	const struct symbol *last = NULL;

	array_sort(&g->found, compare_data);
	array_each(&g->found, datum) {
		if (datum->symbol == last)
			continue;
		last = datum->symbol;
		symtab_add(&new->symbols, last->start, last->end, last->binding,
			datum->name);
	}
	symtab_finish(&new->symbols);
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
		log_note("%s: some variables that annotated code uses have no "
			 "name in the packed recording: the limit is %u "
			 "references",
			reader_path(files_reader(files)), DATA_MAX);
	array_free(&g.found);
	free(g.room);
	data_names_destroy(g.names);
	code_bytes_destroy(g.codes);
}
