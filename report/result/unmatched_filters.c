/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/result/unmatched_filters.h"

#include "common/maps/maps.h"
#include "common/util/alloc.h"
#include "common/util/log.h"
#include "report/util/suggestions.h"

/* One name of a filter, compared with all names that the recording has. */
struct search {
	struct suggestions suggestions;
	bool is_found;
};

static void compare_name(struct search *search, const char *name)
{
	if (string_is(search->suggestions.wanted, name))
		search->is_found = true;
	suggestions_offer(&search->suggestions, name);
}

static void compare_comm(void *data, uint32_t pid _unused_,
	uint32_t tid _unused_, const char *comm)
{
	compare_name(data, comm);
}

static void skip_end(void *data _unused_, uint32_t pid _unused_,
	uint32_t tid _unused_, uint64_t time _unused_)
{
}

static void skip_mapping(void *data _unused_, uint32_t pid _unused_,
	const struct mapping *mapping _unused_)
{
}

static void compare_comms(const struct result *result, struct search *search)
{
	const struct maps_visitor visitor = { compare_comm, skip_end,
		skip_mapping, search };

	array_each(&result->inputs.at, input)
		maps_visit(input->survey.maps, 0, &visitor);
}

static void compare_dsos(const struct result *result, struct search *search)
{
	const struct resolver *resolver = result->resolver;
	uint32_t i;

	for (i = 0; i < resolver_n_locations(resolver); i++) {
		const struct location *at = resolver_location(resolver, i);

		compare_name(search, resolver_dso_name(resolver, at->dso_name));
		search->is_found |= at->dso &&
			string_is(search->suggestions.wanted, at->dso->path);
	}
}

static void compare_functions(const struct result *result, struct search *search)
{
	struct resolver *resolver = result->resolver;
	uint32_t i;

	for (i = 0; i < resolver_n_locations(resolver); i++)
		compare_name(search, resolver_symbol_name(resolver, i));
}

static void tell_unmet(const char *what, const char *name, struct search *search)
{
	_cleanup_free_ char *listed = suggestions_end(&search->suggestions);

	if (search->is_found)
		return;
	if (listed)
		log_note("no %s is named '%s'; did you mean %s?", what, name,
			listed);
	else
		log_note("no %s is named '%s'", what, name);
}

static void tell_list(const struct result *result, const struct name_list *list,
	const char *what,
	void (*compare_all)(const struct result *result, struct search *search))
{
	array_each(&list->names, name) {
		struct search search = { .is_found = false };

		suggestions_begin(&search.suggestions, *name);
		compare_all(result, &search);
		tell_unmet(what, *name, &search);
	}
}

void unmet_tell(const struct result *result)
{
	const struct filter *filter = &result->options->filter;

	tell_list(result, &filter->comms, "thread", compare_comms);
	tell_list(result, &filter->dsos, "sampled program or library",
		compare_dsos);
	tell_list(result, &filter->symbols, "sampled function",
		compare_functions);
}
