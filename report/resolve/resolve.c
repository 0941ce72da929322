/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/resolve/resolve.h"

#include <inttypes.h>

#include "report/resolve/resolve_private.h"
#include "report/util/demangle.h"

struct resolver *resolver_create(unsigned grain)
{
	struct resolver *resolver = xcalloc(1, sizeof(*resolver));

	resolver->grain = grain;
	return resolver;
}

void resolver_add(struct resolver *resolver, struct reader *reader,
	const struct survey *survey, struct files *files)
{
	*array_push(&resolver->sources) = (struct resolver_source){
		.survey = survey,
		.files = files,
		.symbols = symbols_create(reader, survey, files),
		.has_calls = reader_has_stack_copies(reader),
	};
	if (resolver->grain & RESOLVE_BUILDS)
		dso_builds_add(&resolver->builds, survey->maps);
}

void resolver_destroy(struct resolver *resolver)
{
	if (!resolver)
		return;
	array_each(&resolver->sources, source) {
		symbols_destroy(source->symbols);
		lines_destroy(source->lines);
	}
	array_free(&resolver->sources);
	dso_builds_deinit(&resolver->builds);
	array_each(&resolver->shown, text)
		free(*text);
	array_each(&resolver->dso_names, name)
		free(*name);
	inlined_functions_deinit(&resolver->inlined);
	array_each(&resolver->collapsed_names, name)
		free(*name);
	array_free(&resolver->collapsed_names);
	hash_free(&resolver->by_collapsed_name);
	array_free(&resolver->locations);
	array_free(&resolver->shown);
	array_free(&resolver->dso_names);
	array_free(&resolver->frames);
	hash_free(&resolver->by_frame);
	hash_free(&resolver->by_location);
	hash_free(&resolver->by_shown);
	hash_free(&resolver->by_dso_name);
	free(resolver);
}

uint32_t resolver_intern_dso_name(struct resolver *resolver, const char *name)
{
	uint64_t hash = hash_string(name);
	uint32_t n = (uint32_t)resolver->dso_names.n;

	hash_each_match(&resolver->by_dso_name, hash, i)
		if (string_is(resolver->dso_names.at[i], name))
			return i;
	hash_insert(&resolver->by_dso_name, hash, n);
	*array_push(&resolver->dso_names) = xstrdup(name);
	return n;
}

static bool is_displayed_alike(
	const struct location *a, const struct location *b)
{
	if (a->dso_name != b->dso_name || a->level != b->level ||
		!a->symbol != !b->symbol || a->is_inlined != b->is_inlined ||
		a->is_collapsed != b->is_collapsed ||
		a->is_nowhere != b->is_nowhere)
		return false;
	if (a->is_inlined)
		return a->inlined == b->inlined;
	if (location_is_identified_by_name(a))
		return location_is_identified_by_name(b) &&
			string_is(a->symbol, b->symbol);
	return a->start == b->start && a->end == b->end &&
		(!a->symbol || string_is(a->symbol, b->symbol));
}

/*
 * Returns the unique pointer to its name that identifies an inlined function or
 * joined frames, or NULL for other locations, which .start identifies.
 */
static const char *identifying_name(const struct location *location)
{
	return location->is_inlined || location->is_collapsed ? location->symbol
							      : NULL;
}

uint32_t resolver_intern(
	struct resolver *resolver, const struct location *location)
{
	const char *name = identifying_name(location);
	uint64_t how = (uint64_t)location->is_guessed << 16 |
		(uint64_t)location->back << 8 | location->depth;
	uint64_t hash = hash_words(
		location->start + location->place + location->map_size,
		(uintptr_t)location->dso << 8 | (uint8_t)location->level);
	uint32_t n = (uint32_t)resolver->locations.n;
	struct location *new;

	if (name || how)
		hash = hash_words(hash ^ how, (uintptr_t)name);
	hash_each_match(&resolver->by_location, hash, i) {
		struct location *known = &resolver->locations.at[i];

		if (known->start == location->start &&
			known->place == location->place &&
			known->map_size == location->map_size &&
			known->dso == location->dso &&
			known->level == location->level &&
			known->back == location->back &&
			known->depth == location->depth &&
			known->is_nowhere == location->is_nowhere &&
			known->is_guessed == location->is_guessed &&
			known->is_collapsed == location->is_collapsed &&
			identifying_name(known) == name &&
			!known->symbol == !location->symbol)
			return i;
	}
	hash_insert(&resolver->by_location, hash, n);
	new = array_push(&resolver->locations);
	*new = *location;
	array_push(&resolver->shown);
	hash = hash_words(location_is_identified_by_name(location)
			? hash_string(location->symbol)
			: location->start,
		(uint64_t)location->dso_name << 8 | (uint8_t)location->level);
	hash_each_match(&resolver->by_shown, hash, i)
		if (is_displayed_alike(&resolver->locations.at[i], location)) {
			new->shown_as = i;
			return n;
		}
	new->shown_as = n;
	hash_insert(&resolver->by_shown, hash, n);
	return n;
}

char resolver_level(uint8_t cpumode)
{
	switch (cpumode) {
	case MISC_KERNEL: return 'k';
	case MISC_HYPERVISOR: return 'H';
	case MISC_GUEST_KERNEL: return 'g';
	case MISC_GUEST_USER: return 'u';
	default: return '.';
	}
}

static struct resolver_frame resolve_frame(
	struct resolver *resolver, const struct frame *frame)
{
	const struct resolver_source *source =
		&resolver->sources.at[frame->input];
	bool is_nowhere = frame->cpumode == STACKS_NOWHERE;
	const struct mapping *mapping = is_nowhere
		? NULL
		: maps_find(source->survey->maps, frame->space, frame->ip);
	struct location location = { .level = resolver_level(frame->cpumode),
		.input = frame->input,
		.is_nowhere = is_nowhere };
	struct resolver_frame resolved = { .address = frame->ip };
	const struct symbol *symbol = NULL;
	_cleanup_free_ char *mark = NULL, *name = NULL;

	if (mapping) {
		resolved.address = frame->ip - mapping->start + mapping->offset;
		location.dso = resolver->grain & RESOLVE_FILES
			? symbols_load_none(source->symbols, mapping->dso)
			: symbols_load(source->symbols, mapping->dso,
				  resolved.address);
		location.number = mapping->dso;
		if (location.dso->is_kernel)
			resolved.address = frame->ip;
		symbol = symbols_find(source->symbols, mapping->dso,
			resolved.address, &location.symbol);
		if (!symbol && resolver->grain & RESOLVE_GUESSES &&
			!(resolver->grain & RESOLVE_FILES)) {
			symbol = symbols_guess(source->symbols, mapping->dso,
				resolved.address, &location.symbol);
			location.is_guessed = symbol;
		}
		mark = dso_builds_mark(&resolver->builds,
			maps_dso(source->survey->maps, mapping->dso));
		name = xasprintf("%s%s", location.dso->name, mark);
	}
	location.start = symbol ? symbol->start : resolved.address;
	location.end = symbol ? symbol->end : resolved.address;
	if (symbol && symbols_is_ksymbol(location.dso)) {
		location.start = mapping->start;
		location.end = mapping->end;
	}
	if (resolver->grain & RESOLVE_FILES)
		location.start = location.end = 0;
	if (resolver->grain & RESOLVE_ADDRESSES)
		location.place = resolved.address - location.start;
	if (mapping && resolver->grain & RESOLVE_MAPPINGS)
		location.map_size = mapping->end - mapping->start;
	location.dso_name =
		resolver_intern_dso_name(resolver, name ?: "[unknown]");
	resolved.location = resolver_intern(resolver, &location);
	return resolved;
}

struct resolver_frame resolver_find(
	struct resolver *resolver, const struct frame *frame)
{
	uint64_t hash = hash_words(frame->ip,
		(uint64_t)frame->input << 40 | (uint64_t)frame->space << 8 |
			frame->cpumode);
	uint32_t n = (uint32_t)resolver->frames.n;
	struct resolver_known_frame *known;
	struct frame settled;

	hash_each_match(&resolver->by_frame, hash, i) {
		known = &resolver->frames.at[i];
		if (known->frame.ip == frame->ip &&
			known->frame.space == frame->space &&
			known->frame.input == frame->input &&
			known->frame.cpumode == frame->cpumode)
			return known->resolved;
	}
	/*
	 * If the CPU mode was not recorded, it is that of the mapping that
	 * contains the address.
	 */
	settled = *frame;
	if (frame->cpumode == STACKS_ANY_MODE) {
		const struct maps *maps =
			resolver->sources.at[frame->input].survey->maps;

		settled.cpumode = MISC_USER;
		if (!maps_find(maps, frame->space, frame->ip)) {
			settled.space = MAPS_KERNEL;
			settled.cpumode =
				maps_find(maps, MAPS_KERNEL, frame->ip)
				? MISC_KERNEL
				: MISC_HYPERVISOR; /* as in perf */
		}
	}
	hash_insert(&resolver->by_frame, hash, n);
	known = array_push(&resolver->frames);
	known->frame = *frame;
	known->resolved = resolve_frame(resolver, &settled);
	known->resolved.number = n;
	return known->resolved;
}

const struct location *resolver_location(
	const struct resolver *resolver, uint32_t location)
{
	return &resolver->locations.at[location];
}

uint32_t resolver_n_locations(const struct resolver *resolver)
{
	return (uint32_t)resolver->locations.n;
}

const char *resolver_dso_name(const struct resolver *resolver, uint32_t name)
{
	return resolver->dso_names.at[name];
}

const char *resolver_build_mark(
	const struct resolver *resolver, const struct location *at)
{
	return at->dso ? resolver_dso_name(resolver, at->dso_name) +
			strlen(at->dso->name)
		       : "";
}

uint64_t resolver_build(
	const struct resolver *resolver, const struct location *at)
{
	const struct build_id id = files_build_id(
		resolver->sources.at[at->input].files, at->number);

	return id.size ? hash_bytes(id.bytes, id.size) : 0;
}

/* "f@plt" is a stub that calls f: only f may be mangled. */
char *resolver_demangle(const char *symbol)
{
	const char *at = strchr(symbol, '@');
	_cleanup_free_ char *base =
		xstrndup(symbol, at ? (size_t)(at - symbol) : SIZE_MAX);
	_cleanup_free_ char *plain = demangle(base);

	return plain ? xasprintf("%s%s", plain, at ? at : "") : xstrdup(symbol);
}

char *resolver_name_at(struct resolver *resolver, uint32_t location,
	uint64_t address, uint64_t *start_ret)
{
	const struct location *at = &resolver->locations.at[location];
	struct symbols *symbols = resolver->sources.at[at->input].symbols;
	const struct symbol *symbol;
	const char *name;

	symbol = symbols_find_any(symbols, at->number, address, &name);
	if (!symbol && resolver->grain & RESOLVE_GUESSES)
		symbol = symbols_guess(symbols, at->number, address, &name);
	if (!symbol)
		return NULL;
	*start_ret = symbol->start;
	return resolver_demangle(name);
}

bool resolver_passes_dso(const struct resolver *resolver,
	const struct filter *filter, uint32_t location)
{
	const struct location *at = &resolver->locations.at[location];
	const char *dso = resolver_dso_name(resolver, at->dso_name);

	return filter_passes_name(&filter->dsos, dso) ||
		(at->dso &&
			(filter_passes_name(&filter->dsos, at->dso->name) ||
				filter_passes_name(
					&filter->dsos, at->dso->path)));
}

bool resolver_passes(struct resolver *resolver, const struct filter *filter,
	uint32_t location)
{
	const struct location *at = &resolver->locations.at[location];
	_cleanup_free_ char *name = NULL;

	if (!resolver_passes_dso(resolver, filter, location) ||
		!resolver_has_text(resolver, location, filter->symbol_part))
		return false;
	if (!filter->symbols.names.n ||
		(at->is_inlined &&
			filter_passes_name(&filter->symbols,
				resolver_function_name(resolver, location))))
		return true;
	name = at->symbol ? resolver_demangle(at->symbol) : NULL;
	return filter_passes_name(&filter->symbols,
		name ? name : resolver_symbol_name(resolver, location));
}

bool resolver_has_text(
	struct resolver *resolver, uint32_t location, const char *text)
{
	const struct location *at = &resolver->locations.at[location];
	_cleanup_free_ char *name = NULL;

	if (!text ||
		(at->is_inlined &&
			strstr(resolver_function_name(resolver, location),
				text)))
		return true;
	name = at->symbol ? resolver_demangle(at->symbol) : NULL;
	return name && strstr(name, text);
}

const char *resolver_symbol_name(struct resolver *resolver, uint32_t location)
{
	const struct location *at = &resolver->locations.at[location];
	char **shown = &resolver->shown.at[location];
	_cleanup_free_ char *plain = NULL;

	if (at->is_inlined)
		return inlined_functions_marked(
			&resolver->inlined, at->inlined);
	if (*shown)
		return *shown;
	if (at->is_nowhere) {
		*shown = xstrdup("[not recorded where]");
		return *shown;
	}
	if (!at->symbol) {
		*shown = xasprintf("0x%016" PRIx64, at->start);
		return *shown;
	}
	if (at->is_collapsed) {
		*shown = xstrdup(at->symbol);
		return *shown;
	}
	plain = resolver_demangle(at->symbol);
	*shown = at->dso->is_doubtful ? xasprintf("%s (?)", plain)
				      : take_pointer(plain);
	return *shown;
}

const char *resolver_function_name(struct resolver *resolver, uint32_t location)
{
	const struct location *at = &resolver->locations.at[location];

	return at->is_inlined
		? inlined_functions_shown(&resolver->inlined, at->inlined)
		: resolver_symbol_name(resolver, location);
}

const char *resolver_peer_name(struct resolver *resolver, uint32_t location)
{
	const struct location *at = &resolver->locations.at[location];

	return at->is_inlined ? at->symbol
			      : resolver_symbol_name(resolver, location);
}
