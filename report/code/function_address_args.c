/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/code/function_address_args.h"

#include <ctype.h>
#include <errno.h>

#include "common/util/alloc.h"
#include "report/symbols/code_bytes.h"

struct search_place {
	uint32_t input, dso;
	uint64_t place; /* as symbols have it */
};

struct search {
	const struct result *result;
	uint64_t address;
	struct code_bytes **codes; /* by input; owned; NULL until asked for */
	/* Where the address lay in some process; sorted. */
	ARRAY(struct search_place) places;
};

bool asked_address_read(const char *text, uint64_t *ret)
{
	char *end;

	if (text[0] != '0' || (text[1] != 'x' && text[1] != 'X') ||
		!isxdigit((unsigned char)text[2]))
		return false;
	errno = 0;
	*ret = strtoull(text, &end, 16);
	return !*end && !errno;
}

static int compare_places(const void *a, const void *b)
{
	const struct search_place *left = a, *right = b;
	int order = COMPARE(left->input, right->input);

	if (!order)
		order = COMPARE(left->dso, right->dso);
	return order ? order : COMPARE(left->place, right->place);
}

static void find_places(struct search *search, uint32_t input)
{
	const struct maps *maps =
		search->result->inputs.at.at[input].survey.maps;
	uint64_t address = search->address;
	uint32_t space;

	for (space = 0; space < maps_n_spaces(maps); space++) {
		const struct mapping *mapping =
			maps_find(maps, space, address);

		if (mapping)
			*array_push(&search->places) = (struct search_place){
				input, mapping->dso,
				space == MAPS_KERNEL ? address
						     : address - mapping->start +
						mapping->offset
			};
	}
}

/* Where it begins as annotate shows it. */
static uint64_t linked_start(struct search *search, const struct location *at)
{
	struct code_bytes **codes = &search->codes[at->input];
	const struct code_wish wish = { at->number, at->start, 1 };
	struct code_facts facts;
	uint8_t byte;

	if (!*codes)
		*codes = code_bytes_create(
			search->result->inputs.at.at[at->input].files);
	return code_bytes_read(*codes, &wish, &byte, &facts) ? facts.address
							     : at->start;
}

/* What is told by its name may have been elsewhere, too. */
static bool has_run_there(
	const struct search *search, const struct location *at)
{
	bool is_anywhere = location_is_told_by_name(at);
	const struct search_place first = { at->input, at->number,
		is_anywhere ? 0 : at->start };
	size_t i = array_count_before(&search->places, place,
		compare_places(place, &first) < 0);
	const struct search_place *found;

	if (i == search->places.n)
		return false;
	found = &search->places.at[i];
	return found->input == first.input && found->dso == first.dso &&
		(is_anywhere || found->place < at->end);
}

static bool holds(struct search *search, const struct function *function)
{
	const struct location *at = resolver_location(
		search->result->resolver, function->location);
	uint64_t start;

	if (has_run_there(search, at))
		return true;
	if (at->dso->is_kernel)
		return false;
	start = linked_start(search, at);
	return search->address >= start &&
		search->address - start < at->end - at->start;
}

bool asked_address_mark(struct result *result, uint64_t address,
	struct functions *by_event, size_t n)
{
	struct search search = { .result = result, .address = address };
	bool has_any = false;
	uint32_t i;

	search.codes = xcalloc(result->inputs.at.n, sizeof(*search.codes));
	for (i = 0; i < result->inputs.at.n; i++)
		find_places(&search, i);
	array_sort(&search.places, compare_places);
	for (i = 0; i < n; i++)
		array_each(&by_event[i].at, function)
			if (holds(&search, function))
				has_any = function->is_asked = true;
	for (i = 0; i < result->inputs.at.n; i++)
		code_bytes_destroy(search.codes[i]);
	free(search.codes);
	array_free(&search.places);
	return has_any;
}
