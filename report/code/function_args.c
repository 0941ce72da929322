/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/code/function_args.h"

#include <ctype.h>
#include <errno.h>

#include "common/util/alloc.h"
#include "common/util/strbuf.h"
#include "report/symbols/code_bytes.h"
#include "report/util/suggestions.h"

/* --- addresses ------------------------------------------------------------ */

struct address_place {
	uint32_t input, dso;
	uint64_t place; /* file offset; for the kernel, the address */
};

struct address_search {
	const struct result *result;
	uint64_t address;
	struct code_bytes **codes; /* by input; owned; NULL until needed */
	/* DSO and file offset of .address in each address space; sorted. */
	ARRAY(struct address_place) places;
};

/* Returns whether TEXT is an address: "0x" and digits. */
static bool read_address_arg(const char *text, uint64_t *ret)
{
	char *end;

	if (text[0] != '0' || (text[1] != 'x' && text[1] != 'X') ||
		!isxdigit((unsigned char)text[2]))
		return false;
	errno = 0;
	*ret = strtoull(text, &end, 16);
	return !*end && !errno;
}

static int compare_address_places(const void *a, const void *b)
{
	const struct address_place *left = a, *right = b;
	int order = COMPARE(left->input, right->input);

	if (!order)
		order = COMPARE(left->dso, right->dso);
	return order ? order : COMPARE(left->place, right->place);
}

/*
 * Returns whether the function AT was mapped at the searched address. A
 * function that is identified by its name alone can be at several addresses, so
 * only the DSO is compared.
 */
static bool was_at_address(
	const struct address_search *search, const struct location *at)
{
	bool is_anywhere = location_is_identified_by_name(at);
	const struct address_place first = { at->input, at->number,
		is_anywhere ? 0 : at->start };
	size_t i = array_count_before(&search->places, place,
		compare_address_places(place, &first) < 0);
	const struct address_place *found;

	if (i == search->places.n)
		return false;
	found = &search->places.at[i];
	return found->input == first.input && found->dso == first.dso &&
		(is_anywhere || found->place < at->end);
}

static bool contains_address(
	struct address_search *search, const struct function *function)
{
	const struct location *at =
		resolver_location(search->result->resolver, function->location);
	uint64_t start;

	if (was_at_address(search, at))
		return true;
	if (at->dso->is_kernel)
		return false;
	struct code_bytes **codes = &search->codes[at->input];
	const struct code_query query = { at->number, at->start, 1 };
	struct code_facts facts;
	uint8_t byte;

	if (!*codes)
		*codes = code_bytes_create(
			search->result->inputs.at.at[at->input].files);
	start = code_bytes_read(*codes, &query, &byte, &facts) ? facts.address
							       : at->start;
	return search->address >= start &&
		search->address - start < at->end - at->start;
}

/*
 * Selects the functions in BY_EVENT, an array of N events, that contain
 * ADDRESS: a linked address, which dwell annotate prints, or an address in a
 * process, which dwell script prints. Returns false if no function contains
 * ADDRESS.
 */
static bool mark_address_arg(struct result *result, uint64_t address,
	struct functions *by_event, size_t n)
{
	struct address_search search = { .result = result, .address = address };
	bool has_any = false;
	uint32_t i;

	search.codes = xcalloc(result->inputs.at.n, sizeof(*search.codes));
	for (i = 0; i < result->inputs.at.n; i++) {
		const struct maps *maps = result->inputs.at.at[i].survey.maps;
		uint32_t space;

		for (space = 0; space < maps_n_spaces(maps); space++) {
			const struct mapping *mapping =
				maps_find(maps, space, address);

			if (mapping)
				*array_push(&search.places) =
					(struct address_place){
						i, mapping->dso,
						space == MAPS_KERNEL ? address
								     : address -
								mapping->start +
								mapping->offset
					};
		}
	}
	array_sort(&search.places, compare_address_places);
	for (i = 0; i < n; i++)
		array_each(&by_event[i].at, function)
			if (contains_address(&search, function))
				has_any = function->is_selected = true;
	for (i = 0; i < result->inputs.at.n; i++)
		code_bytes_destroy(search.codes[i]);
	free(search.codes);
	array_free(&search.places);
	return has_any;
}

/* --- names ---------------------------------------------------------------- */

/*
 * Returns the length of the printed name SHOWN without " (?)", the mark of
 * files that can have changed.
 */
static size_t printed_name_size(const char *shown)
{
	static const char mark[] = " (?)";
	size_t size = strlen(shown), end = sizeof(mark) - 1;

	return size > end && string_is(shown + size - end, mark) ? size - end
								 : size;
}

/* --- errors -------------------------------------------------------------- */

/* Returns the name of a DSO that has sampled code without symbols, or NULL. */
static const char *find_nameless_dso(struct resolver *resolver)
{
	uint32_t i;

	for (i = 0; i < resolver_n_locations(resolver); i++) {
		const struct location *at = resolver_location(resolver, i);

		if (at->dso && !at->symbol)
			return resolver_dso_name(resolver, at->dso_name);
	}
	return NULL;
}

static bool is_inlined_at(struct resolver *resolver,
	const struct function *function, uint64_t place, const char *name)
{
	struct line_frame frames[LINE_DEPTH_MAX];
	size_t n = resolver_frames(
		resolver, function->location, function->start + place, frames);
	size_t i;

	for (i = 0; i + 1 < n; i++)
		if (frames[i].name && string_is(frames[i].name, name))
			return true;
	return false;
}

/*
 * Returns whether samples of FUNCTION are in the function NAME, which is
 * inlined into FUNCTION.
 */
static bool has_inlined(const struct result *result,
	const struct function *function, const char *name)
{
	struct resolver *resolver = result->resolver;
	uint32_t i;

	array_each(&function->places, place)
		if (is_inlined_at(resolver, function, place->place, name))
			return true;
	array_each(&function->visits, visit)
		for (i = 0; i < (*visit)->n; i++)
			if (is_inlined_at(resolver, function,
				    result->hits.places.at[(*visit)->first + i],
				    name))
				return true;
	return false;
}

static char *copy_plain_name(
	struct resolver *resolver, const struct function *function)
{
	const char *shown = resolver_symbol_name(resolver, function->location);

	return xstrndup(shown, printed_name_size(shown));
}

/*
 * Adds the functions into which NAME is inlined to RET: event by event, the
 * hottest function first.
 */
static void find_inlining_functions(const char *name,
	const struct result *result, const struct functions *by_event, size_t n,
	struct suggestions *ret)
{
	struct resolver *resolver = result->resolver;
	size_t i;

	for (i = 0; i < n; i++)
		array_each(&by_event[i].at, function) {
			_cleanup_free_ char *plain = NULL;

			if (ret->n == SUGGESTIONS_MAX)
				return;
			if (!has_inlined(result, function, name))
				continue;
			plain = copy_plain_name(resolver, function);
			suggestions_add(ret, plain);
		}
}

static struct error *unknown_function_error(const char *text,
	const struct result *result, const struct functions *by_event, size_t n)
{
	struct resolver *resolver = result->resolver;
	const char *nameless = find_nameless_dso(resolver);
	struct error *err = error_new(nameless
			? "no sample is known to be in a function '%s'"
			: "no sample is in a function '%s'",
		text);
	static const char mark[] = " (inlined)";
	size_t size = strlen(text), end = sizeof(mark) - 1;

	if (size > end && string_is(text + size - end, mark))
		size -= end;
	_cleanup_free_ char *name = xstrndup(text, size);
	_cleanup_free_ char *listed = NULL;
	struct suggestions suggestions;

	suggestions_begin(&suggestions, name);
	find_inlining_functions(name, result, by_event, n, &suggestions);
	listed = suggestions_end(&suggestions);
	if (listed)
		return error_hint(err,
			"it was inlined into %s; annotate that function "
			"instead",
			listed);
	suggestions_begin(&suggestions, name);
	size_t i;

	for (i = 0; i < n; i++)
		array_each(&by_event[i].at, function) {
			_cleanup_free_ char *plain =
				copy_plain_name(resolver, function);

			suggestions_offer(&suggestions, plain);
		}
	listed = suggestions_end(&suggestions);
	if (listed)
		return error_hint(err, "did you mean %s?", listed);
	if (access(text, R_OK) == 0)
		return error_hint(err, "to name a recording, use -i");
	return nameless
		? error_hint(err, "the code of %s has no symbols", nameless)
		: err;
}

/*
 * Selects the functions in BY_EVENT, an array of N events, that are named NAME.
 * Returns false if there is no such function.
 */
static bool mark_named_functions(const char *name, struct resolver *resolver,
	struct functions *by_event, size_t n)
{
	bool has_any = false;
	size_t i;

	for (i = 0; i < n; i++)
		array_each(&by_event[i].at, function) {
			const char *shown = resolver_symbol_name(
				resolver, function->location);
			size_t size = printed_name_size(shown);

			if (string_is(function->symbol, name) ||
				(strlen(name) == size &&
					!memcmp(shown, name, size)))
				has_any = function->is_selected = true;
		}
	return has_any;
}

/*
 * Returns the only function name that consists of namespaces or classes and
 * NAME, owned by the caller. Returns NULL if there is no such name or several.
 */
static char *find_qualified(const char *name, struct resolver *resolver,
	const struct functions *by_event, size_t n)
{
	_cleanup_free_ char *found = NULL;
	size_t i;

	for (i = 0; i < n; i++)
		array_each(&by_event[i].at, function) {
			_cleanup_free_ char *plain =
				copy_plain_name(resolver, function);

			size_t size = strlen(plain), end = strlen(name);

			/*
			 * The name is the end of plain after a "::", without
			 * some namespaces or classes.
			 */
			if (!(end && size > end + 2 &&
				    string_is(plain + size - end, name) &&
				    !memcmp(plain + size - end - 2, "::", 2)))
				continue;
			if (found && !string_is(found, plain))
				return NULL;
			free(found);
			found = take_pointer(plain);
		}
	return take_pointer(found);
}

static struct error *mark_function_arg(const char *text, struct result *result,
	struct functions *by_event, size_t n)
{
	struct resolver *resolver = result->resolver;
	_cleanup_free_ char *qualified = NULL;
	uint64_t address;

	if (read_address_arg(text, &address)) {
		if (mark_address_arg(result, address, by_event, n))
			return NULL;
		const char *nameless = find_nameless_dso(resolver);

		if (!nameless)
			return error_new(
				"no sample is in a function that contains "
				"address %s",
				text);
		return error_hint(
			error_new("no sample is known to be in a function that "
				  "contains address %s",
				text),
			"the code of %s has no symbols", nameless);
	}
	if (mark_named_functions(text, resolver, by_event, n))
		return NULL;
	qualified = find_qualified(text, resolver, by_event, n);
	if (qualified && mark_named_functions(qualified, resolver, by_event, n))
		return NULL;
	return unknown_function_error(text, result, by_event, n);
}

struct error *function_args_mark(const struct filter_names *names,
	struct result *result, struct functions *by_event, size_t n)
{
	struct error *err = NULL;
	size_t i;

	for (i = 0; i < n && !names->names.n; i++)
		array_each(&by_event[i].at, function)
			function->is_selected = true;
	for (i = 0; i < names->names.n && !err; i++)
		err = mark_function_arg(
			names->names.at[i], result, by_event, n);
	return err;
}
