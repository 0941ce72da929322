/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/export/pprof.h"

#include "common/util/alloc.h"
#include "common/util/escape.h"
#include "report/export/protobuf.h"

/* Field numbers of the messages Mapping, Location, Line and Function. */
enum mapping_field {
	MAPPING_ID = 1,
	MAPPING_START = 2,
	MAPPING_END = 3,
	MAPPING_OFFSET = 4,
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
	code_segments_init(&pprof->segments, inputs);
	pprof->by_segment =
		xcalloc(pprof->segments.at.n + 1, sizeof(*pprof->by_segment));
	/* The pprof format requires that the first text is empty. */
	pprof_text(pprof, "");
}

void pprof_deinit(struct pprof *pprof)
{
	function_numbers_deinit(&pprof->functions);
	string_table_deinit(&pprof->texts);
	code_segments_deinit(&pprof->segments);
	array_free(&pprof->places);
	array_free(&pprof->mappings);
	free(pprof->by_segment);
}

static struct pprof_place *pprof_place_of(
	struct pprof *pprof, uint32_t location)
{
	while (pprof->places.n <= location)
		array_push(&pprof->places);
	return &pprof->places.at[location];
}

bool pprof_use(struct pprof *pprof, uint32_t location, uint64_t weight)
{
	const struct location *at =
		resolver_location(pprof->functions.resolver, location);
	struct pprof_place *place = pprof_place_of(pprof, location);

	if (!place->is_used) {
		uint64_t file_place = at->start + at->place;
		place->is_used = true;
		/*
		 * Joined frames have no place: their segment is the first one
		 * of their DSO.
		 */
		place->segment = !at->dso ? CODE_SEGMENT_NONE
			: at->is_collapsed
			? code_segments_first(
				  &pprof->segments, at->input, at->number)
			: code_segments_find(&pprof->segments, at->input,
				  at->number, at->start + at->place);
		if (place->segment != CODE_SEGMENT_NONE && !at->is_collapsed)
			code_segments_use(&pprof->segments,
				&(struct code_use){ place->segment, at->start,
					MAX(at->end, file_place + 1),
					file_place });
	}
	if (place->segment == CODE_SEGMENT_NONE || at->dso->is_kernel)
		return false;
	code_segments_weigh(&pprof->segments, place->segment, weight);
	return true;
}

void pprof_place(struct pprof *pprof)
{
	code_segments_place(&pprof->segments, pprof->inputs);
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

/*
 * Returns the address of AT in MAPPING, a number of a mapping. Without a
 * mapping, the address is the recorded one.
 */
static uint64_t location_address(
	const struct pprof *pprof, const struct location *at, uint32_t mapping)
{
	uint64_t place = at->start + at->place;

	if (at->is_collapsed)
		return 0;
	if (mapping)
		place = code_segment_address(
			&pprof->segments.at
				 .at[pprof->mappings.at[mapping - 1].segment],
			place);
	return place - at->back;
}

/*
 * Appends the function and line of LOCATION to OUT. MAPPING, the number of the
 * mapping of LOCATION, gets a flag for what LOCATION has.
 */
static void put_location_line(struct pprof *pprof, uint32_t location,
	uint32_t mapping, struct strbuf *out)
{
	struct resolver *resolver = pprof->functions.resolver;
	struct resolver_line at = resolver_line(resolver, location);
	_cleanup_strbuf_ struct strbuf line = { 0 };
	uint32_t number = function_numbers_find(&pprof->functions, location);
	const struct function_numbered *function =
		function_numbers_at(&pprof->functions, number);
	uint64_t id = number + UINT64_C(1);

	if (number == pprof->n_functions) {
		put_pprof_function(pprof,
			&(struct pprof_function){ id, function->name,
				function->at.file, function->at.line });
		pprof->n_functions++;
	}
	protobuf_number(&line, LINE_FUNCTION, id);
	protobuf_number(&line, LINE_NUMBER, at.line);
	protobuf_part(out, LOCATION_LINE, &line);
	if (mapping) {
		pprof->mappings.at[mapping - 1].has_files |= at.file != NULL;
		pprof->mappings.at[mapping - 1].has_lines |= at.line != 0;
	}
}

uint64_t pprof_location(struct pprof *pprof, const uint32_t *frame, size_t n)
{
	uint32_t number = frame[n - 1];
	struct pprof_place *place = pprof_place_of(pprof, number);

	if (!place->id) {
		place->id = ++pprof->n_places;
		size_t segment = place->segment;

		struct resolver *resolver = pprof->functions.resolver;

		if (segment != CODE_SEGMENT_NONE &&
			!pprof->by_segment[segment]) {
			*array_push(&pprof->mappings) = (struct pprof_mapping){
				.dso = resolver_location(resolver, number)->dso,
				.segment = segment,
			};
			pprof->by_segment[segment] =
				(uint32_t)pprof->mappings.n;
		}
		place->mapping = segment == CODE_SEGMENT_NONE
			? 0
			: pprof->by_segment[segment];
		const struct location *at =
			resolver_location(resolver, frame[n - 1]);
		uint32_t mapping = pprof->places.at[frame[n - 1]].mapping;
		_cleanup_strbuf_ struct strbuf text = { 0 };
		size_t i;
		protobuf_number(&text, LOCATION_ID, place->id);
		protobuf_number(&text, LOCATION_MAPPING, mapping);
		protobuf_number(&text, LOCATION_ADDRESS,
			location_address(pprof, at, mapping));
		for (i = 0; i < n; i++)
			put_location_line(pprof, frame[i], mapping, &text);
		if (mapping && n > 1)
			pprof->mappings.at[mapping - 1].has_inlines = true;
		protobuf_part(pprof->out, PPROF_LOCATION, &text);
	}
	return place->id;
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

/*
 * A mapping of all addresses is pprof's form of a mapping whose addresses are as
 * linked. `go tool pprof` has no other form for position-independent code.
 */
static void put_mapping_range(
	const struct code_segment *segment, struct strbuf *out)
{
	if (segment->is_linked) {
		protobuf_number(out, MAPPING_END, UINT64_MAX);
		return;
	}
	protobuf_number(out, MAPPING_START, segment->start);
	protobuf_number(
		out, MAPPING_END, code_segment_address(segment, segment->end));
	if (!segment->is_kernel)
		protobuf_number(out, MAPPING_OFFSET, segment->first);
}

static void put_pprof_mapping(struct pprof *pprof, size_t number)
{
	const struct pprof_mapping *mapping = &pprof->mappings.at[number];
	const struct code_segment *segment =
		&pprof->segments.at.at[mapping->segment];
	const struct build_id id = files_build_id(
		pprof->inputs->at.at[segment->input].files, segment->dso);
	uint64_t path = pprof_text(pprof, mapping->dso->path);
	_cleanup_strbuf_ struct strbuf text = { 0 };
	char id_text[BUILD_ID_TEXT];

	protobuf_number(&text, MAPPING_ID, number + 1);
	put_mapping_range(segment, &text);
	protobuf_number(&text, MAPPING_PATH, path);
	protobuf_number(&text, MAPPING_BUILD_ID,
		pprof_text(pprof, build_id_text(&id, id_text)));
	/*
	 * MAPPING_HAS_FUNCTIONS is set even if no location has a symbol, so
	 * that pprof does not symbolize again.
	 */
	protobuf_number(&text, MAPPING_HAS_FUNCTIONS, true);
	protobuf_number(&text, MAPPING_HAS_FILES, mapping->has_files);
	protobuf_number(&text, MAPPING_HAS_LINES, mapping->has_lines);
	protobuf_number(&text, MAPPING_HAS_INLINES, mapping->has_inlines);
	protobuf_part(pprof->out, PPROF_MAPPING, &text);
}

enum mapping_kind { MAPPING_KERNEL, MAPPING_LIBRARY, MAPPING_PROGRAM };

static enum mapping_kind mapping_kind_of(const struct pprof_mapping *mapping)
{
	const struct symbols_source_dso *dso = mapping->dso;

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
