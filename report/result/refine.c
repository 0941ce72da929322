/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/result/refine.h"

#include "common/util/alloc.h"
#include "common/util/hash.h"
#include "report/util/pattern.h"

/* perf's, for -s parent without -p: the kernel's entries. */
#define USUAL_PARENT "^sys_|^do_page_fault"

/* What there is to know of a location, found out once. */
enum trait {
	TRAIT_WANTED = 1,        /* by its library and name */
	TRAIT_NAMED = 2,
	TRAIT_PARENT = 4,
	TRAIT_WITHOUT_CALLEES = 8,
};

struct twin {
	uint32_t of, parent;
	bool is_filtered;
	uint32_t context;
};

struct refinement {
	struct scan *scan;
	const struct options *options;
	const struct hist_request *request;
	uint8_t *traits; /* by location */
	ARRAY(struct twin) twins;
	struct hash_index by_twin;
};

/* Gives TRAIT to all locations whose name TEXT matches; NULL matches none. */
static struct error *match(struct refinement *refinement, const char *text,
	struct resolver *resolver, enum trait trait)
{
	uint32_t n = resolver_n_locations(resolver), i;
	struct error *err;
	regex_t regex;

	if (!text)
		return NULL;
	err = pattern_compile("a name", text, &regex);
	if (err)
		return err;
	for (i = 0; i < n; i++)
		if (resolver_location(resolver, i)->symbol &&
			!regexec(&regex, resolver_symbol_name(resolver, i), 0,
				NULL, 0))
			refinement->traits[i] |= (uint8_t)trait;
	regfree(&regex);
	return NULL;
}

static struct error *find_traits(
	struct refinement *refinement, struct resolver *resolver)
{
	const struct options *options = refinement->options;
	const struct filter *filter = &options->filter;
	uint32_t n = resolver_n_locations(resolver), i;
	struct error *err = NULL;

	refinement->traits = xcalloc(n, sizeof(*refinement->traits));
	for (i = 0; i < n; i++) {
		if (resolver_location(resolver, i)->symbol)
			refinement->traits[i] |= TRAIT_NAMED;
		if (resolver_passes(resolver, filter, i))
			refinement->traits[i] |= TRAIT_WANTED;
	}
	if (refinement->request->wants_parent)
		err = match(refinement, options->parent ?: USUAL_PARENT,
			resolver, TRAIT_PARENT);
	if (!err)
		err = match(refinement, options->ignored_callees, resolver,
			TRAIT_WITHOUT_CALLEES);
	return err;
}

/* The location of a chain's parent, + 1; 0 if it has none. */
static uint32_t find_parent(
	const struct refinement *refinement, struct chain chain)
{
	if (!refinement->request->wants_parent)
		return 0;
	/* The sampled place stands once more before its chain. */
	chain_next(&chain);
	while (!chain_is_empty(&chain)) {
		uint32_t location = refinement->request->is_inverted
			? chain_last(&chain)
			: chain_next(&chain);

		if (refinement->traits[location] & TRAIT_PARENT)
			return location + 1;
	}
	return 0;
}

/* The context like OF, but filtered or with a parent. */
static uint32_t twin_of(struct refinement *refinement, uint32_t of,
	bool is_filtered, uint32_t parent)
{
	struct stacks *stacks = &refinement->scan->stacks;
	uint64_t hash = hash_words(of, (uint64_t)parent << 1 | is_filtered);
	uint32_t i, probe = hash_start(hash);
	struct context context = stacks->contexts.at[of];

	while ((i = hash_next(&refinement->by_twin, hash, &probe)) !=
		HASH_NONE) {
		const struct twin *twin = &refinement->twins.at[i];

		if (twin->of == of && twin->parent == parent &&
			twin->is_filtered == is_filtered)
			return twin->context;
	}
	hash_insert(&refinement->by_twin, hash, (uint32_t)refinement->twins.n);
	*array_push(&refinement->twins) = (struct twin){ of, parent,
		is_filtered, (uint32_t)stacks->contexts.n };
	context.is_filtered |= is_filtered;
	context.parent = parent;
	*array_push(&stacks->contexts) = context;
	return (uint32_t)stacks->contexts.n - 1;
}

/* What is left out from the totals, too. */
static void forget(struct refinement *refinement, const struct stack *stack)
{
	struct scan *scan = refinement->scan;
	uint32_t event = scan->stacks.contexts.at[stack->context].event;

	scan->by_event.at[event].samples -= stack->samples;
	scan->by_event.at[event].period -= stack->period;
}

/* Nobody knows what is in the rest: it stays, and is shown as such. */
static void sort_out(struct refinement *refinement, uint32_t number)
{
	const struct options *options = refinement->options;
	const struct stacks *stacks = &refinement->scan->stacks;
	struct stack *stack = stacks_at(stacks, number);
	struct chain chain = stacks_chain(stacks, number);
	uint32_t parent = find_parent(refinement, chain);
	uint8_t traits = refinement->traits[chain_next(&chain)];
	bool is_forgotten =
		options->hides_unresolved && !(traits & TRAIT_NAMED);
	bool is_filtered = is_forgotten || !(traits & TRAIT_WANTED) ||
		(options->parent && options->excludes_other && !parent);

	if (stacks->contexts.at[stack->context].is_rest)
		return;
	if (is_forgotten)
		forget(refinement, stack);
	if (is_filtered || parent)
		stack->context = twin_of(
			refinement, stack->context, is_filtered, parent);
}

/* What is kept of CHAIN, into OUT. */
static void cut(struct refinement *refinement, struct chain chain,
	struct strbuf *out)
{
	uint8_t number[CHAIN_NUMBER_SIZE];
	uint32_t location = chain_next(&chain);

	strbuf_put(out, number,
		(size_t)(chain_put(number, location) - number));
	while (!chain_is_empty(&chain)) {
		location = chain_next(&chain);
		if (refinement->options->hides_unresolved &&
			!(refinement->traits[location] & TRAIT_NAMED))
			continue;
		/* As if it had been sampled itself. */
		if (refinement->traits[location] & TRAIT_WITHOUT_CALLEES) {
			strbuf_clear(out);
			strbuf_put(out, number,
				(size_t)(chain_put(number, location) -
					number));
		}
		strbuf_put(out, number,
			(size_t)(chain_put(number, location) - number));
	}
}

/* All stacks anew, their chains cut; those that are equal then are one. */
static void cut_all(struct refinement *refinement)
{
	struct stacks *stacks = &refinement->scan->stacks;
	_cleanup_strbuf_ struct strbuf chain = { 0 };
	struct stacks old = *stacks;
	uint32_t i;

	*stacks = (struct stacks){ .contexts = old.contexts,
		.values = old.values };
	memset(&old.contexts, 0, sizeof(old.contexts));
	memset(&old.values, 0, sizeof(old.values));
	for (i = 0; i < stacks_n(&old); i++) {
		const struct stack *stack = stacks_at(&old, i);

		strbuf_clear(&chain);
		cut(refinement, stacks_chain(&old, i), &chain);
		stacks_put(stacks, stack, stack->context,
			(const uint8_t *)chain.at, chain.n);
	}
	stacks_deinit(&old);
}

static bool has_wishes(
	const struct options *options, const struct hist_request *request)
{
	return filter_asks_code(&options->filter) ||
		options->ignored_callees || options->hides_unresolved ||
		request->wants_parent;
}

struct error *refine(struct scan *scan, const struct options *options,
	const struct hist_request *request, const struct field_names *names)
{
	struct refinement refinement = { .scan = scan,
		.options = options,
		.request = request };
	struct error *err;
	uint32_t i;

	if (!has_wishes(options, request))
		return NULL;
	err = find_traits(&refinement, names->resolver);
	for (i = 0; !err && i < stacks_n(&scan->stacks); i++)
		sort_out(&refinement, i);
	if (!err && (options->ignored_callees || options->hides_unresolved))
		cut_all(&refinement);
	free(refinement.traits);
	array_free(&refinement.twins);
	hash_free(&refinement.by_twin);
	return err;
}
