/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/export/pprof.h"

#include "common/util/escape.h"
#include "report/export/protobuf.h"

/* Field numbers of the messages Mapping, Location, Line and Function. */
enum mapping_field {
	MAPPING_ID = 1,
	MAPPING_END = 3,
	MAPPING_PATH = 5,
	MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILES = 8,
	MAPPING_HAS_LINES = 9,
	MAPPING_HAS_INLINES = 10,
};

enum location_field {
	LOCATION_ID = 1,
	LOCATION_MAPPING = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,
};

enum line_field {
	LINE_FUNCTION = 1,
	LINE_NUMBER = 2,
};

enum function_field {
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILE = 4,
	FUNCTION_LINE = 5,
};

/*
 * First ID of pseudo-locations (pprof_mark()); IDs of code locations and
 * functions are smaller.
 */
#define FIRST_MARK_ID (UINT64_C(1) << 32)

void pprof_init(struct pprof *pprof, const struct inputs *inputs,
	struct resolver *resolver, struct strbuf *out)
{
	*pprof = (struct pprof){ .inputs = inputs,
		.out = out,
		.functions = { .resolver = resolver, .names_builds = true } };
	/* The pprof format requires that the first text is empty. */
	pprof_text(pprof, "");
}

void pprof_deinit(struct pprof *pprof)
{
	function_numbers_deinit(&pprof->functions);
	string_table_deinit(&pprof->texts);
	array_free(&pprof->places);
	array_free(&pprof->mappings);
	hash_free(&pprof->by_dso);
}

uint64_t pprof_text(struct pprof *pprof, const char *text)
{
	_cleanup_strbuf_ struct strbuf safe = { 0 };
	size_t n = pprof->texts.at.n;
	uint32_t number;

	strbuf_puts(&safe, "");
	escape_text(&safe, text);
	number = string_table_intern(&pprof->texts, safe.at);
	if (number == n)
		protobuf_text(pprof->out, PPROF_TEXT, safe.at);
	return number;
}

struct pprof_function {
	uint64_t id;
	const char *name, *file;
	uint32_t line;
};

static void put_pprof_function(
	struct pprof *pprof, const struct pprof_function *function)
{
	uint64_t name = pprof_text(pprof, function->name);
	uint64_t file = function->file ? pprof_text(pprof, function->file) : 0;
	_cleanup_strbuf_ struct strbuf text = { 0 };

	protobuf_number(&text, FUNCTION_ID, function->id);
	protobuf_number(&text, FUNCTION_NAME, name);
	protobuf_number(&text, FUNCTION_SYSTEM_NAME, name);
	protobuf_number(&text, FUNCTION_FILE, file);
	protobuf_number(&text, FUNCTION_LINE, function->line);
	protobuf_part(pprof->out, PPROF_FUNCTION, &text);
}

static uint64_t pprof_function_id(struct pprof *pprof, uint32_t location)
{
	uint32_t number = function_numbers_find(&pprof->functions, location);
	const struct numbered_function *function =
		function_numbers_at(&pprof->functions, number);
	uint64_t id = number + UINT64_C(1);

	if (number == pprof->n_functions) {
		put_pprof_function(pprof,
			&(struct pprof_function){ id, function->name,
				function->at.file, function->at.line });
		pprof->n_functions++;
	}
	return id;
}

static uint64_t file_address(const struct location *at)
{
	return at->start + at->place - at->back;
}

/*
 * Returns the number of the mapping of AT's DSO. Addresses are file offsets, so
 * each DSO is one mapping from 0 on.
 */
static uint32_t find_pprof_mapping(
	struct pprof *pprof, const struct location *at)
{
	uint64_t hash = hash_words((uintptr_t)at->dso, 0);

	hash_each_match(&pprof->by_dso, hash, i)
		if (pprof->mappings.at[i].dso == at->dso)
			return i + 1;
	hash_insert(&pprof->by_dso, hash, (uint32_t)pprof->mappings.n);
	*array_push(&pprof->mappings) = (struct pprof_mapping){
		.dso = at->dso,
		.input = at->input,
		.number = at->number,
	};
	return (uint32_t)pprof->mappings.n;
}

static uint32_t location_mapping(struct pprof *pprof, const struct location *at)
{
	struct pprof_mapping *mapping;
	uint32_t number;

	if (!at->dso)
		return 0;
	number = find_pprof_mapping(pprof, at);
	mapping = &pprof->mappings.at[number - 1];
	mapping->end = MAX(mapping->end, file_address(at) + 1);
	return number;
}

static void put_location_line(
	struct pprof *pprof, uint32_t location, struct strbuf *out)
{
	struct resolver *resolver = pprof->functions.resolver;
	_cleanup_strbuf_ struct strbuf line = { 0 };

	protobuf_number(
		&line, LINE_FUNCTION, pprof_function_id(pprof, location));
	protobuf_number(
		&line, LINE_NUMBER, resolver_line(resolver, location).line);
	protobuf_part(out, LOCATION_LINE, &line);
}

static void put_pprof_location(
	struct pprof *pprof, uint64_t id, const uint32_t *frame, size_t n)
{
	struct resolver *resolver = pprof->functions.resolver;
	const struct location *at = resolver_location(resolver, frame[n - 1]);
	_cleanup_strbuf_ struct strbuf text = { 0 };
	size_t i;

	protobuf_number(&text, LOCATION_ID, id);
	protobuf_number(&text, LOCATION_MAPPING,
		pprof->places.at[frame[n - 1]].mapping);
	protobuf_number(&text, LOCATION_ADDRESS, file_address(at));
	for (i = 0; i < n; i++)
		put_location_line(pprof, frame[i], &text);
	protobuf_part(pprof->out, PPROF_LOCATION, &text);
}

uint64_t pprof_location(struct pprof *pprof, const uint32_t *frame, size_t n)
{
	uint32_t number = frame[n - 1];

	while (pprof->places.n <= number)
		array_push(&pprof->places);
	if (!pprof->places.at[number].id) {
		pprof->places.at[number] = (struct pprof_place){
			++pprof->n_places,
			location_mapping(pprof,
				resolver_location(
					pprof->functions.resolver, number))
		};
		put_pprof_location(pprof, pprof->n_places, frame, n);
	}
	return pprof->places.at[number].id;
}

uint64_t pprof_mark(struct pprof *pprof, unsigned mark, const char *name)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	_cleanup_strbuf_ struct strbuf line = { 0 };
	uint64_t id = FIRST_MARK_ID + mark;

	if (pprof->has_mark[mark])
		return id;
	pprof->has_mark[mark] = true;
	put_pprof_function(
		pprof, &(struct pprof_function){ .id = id, .name = name });
	protobuf_number(&line, LINE_FUNCTION, id);
	protobuf_number(&text, LOCATION_ID, id);
	protobuf_part(&text, LOCATION_LINE, &line);
	protobuf_part(pprof->out, PPROF_LOCATION, &text);
	return id;
}

void pprof_count(struct pprof *pprof, uint32_t location, uint64_t weight)
{
	uint32_t mapping = pprof->places.at[location].mapping;

	if (mapping)
		pprof->mappings.at[mapping - 1].weight += weight;
}

static void put_pprof_mapping(struct pprof *pprof, size_t number)
{
	const struct pprof_mapping *mapping = &pprof->mappings.at[number];
	const struct build_id id = files_build_id(
		pprof->inputs->at.at[mapping->input].files, mapping->number);
	uint64_t path = pprof_text(pprof, mapping->dso->path);
	_cleanup_strbuf_ struct strbuf text = { 0 };
	char id_text[BUILD_ID_TEXT];

	protobuf_number(&text, MAPPING_ID, number + 1);
	protobuf_number(&text, MAPPING_END, mapping->end);
	protobuf_number(&text, MAPPING_PATH, path);
	protobuf_number(&text, MAPPING_BUILD_ID,
		pprof_text(pprof, build_id_text(&id, id_text)));
	/*
	 * Set the MAPPING_HAS_* fields so that pprof does not symbolize again.
	 */
	protobuf_number(&text, MAPPING_HAS_FUNCTIONS, true);
	protobuf_number(&text, MAPPING_HAS_FILES, true);
	protobuf_number(&text, MAPPING_HAS_LINES, true);
	protobuf_number(&text, MAPPING_HAS_INLINES, true);
	protobuf_part(pprof->out, PPROF_MAPPING, &text);
}

enum mapping_kind { MAPPING_KERNEL, MAPPING_LIBRARY, MAPPING_PROGRAM };

static enum mapping_kind mapping_kind_of(const struct pprof_mapping *mapping)
{
	const struct dso_view *dso = mapping->dso;

	if (dso->is_kernel || dso->name[0] == '[')
		return MAPPING_KERNEL;
	return strstr(dso->name, ".so") ? MAPPING_LIBRARY : MAPPING_PROGRAM;
}

static bool is_more_likely_program(
	const struct pprof_mapping *a, const struct pprof_mapping *b)
{
	enum mapping_kind kind = mapping_kind_of(a), other = mapping_kind_of(b);

	return kind != other ? kind > other : a->weight > b->weight;
}

void pprof_put_mappings(struct pprof *pprof)
{
	const struct pprof_mapping *mappings = pprof->mappings.at;
	size_t program = 0, i;

	for (i = 1; i < pprof->mappings.n; i++)
		if (is_more_likely_program(&mappings[i], &mappings[program]))
			program = i;
	if (pprof->mappings.n)
		put_pprof_mapping(pprof, program);
	for (i = 0; i < pprof->mappings.n; i++)
		if (i != program)
			put_pprof_mapping(pprof, i);
}
