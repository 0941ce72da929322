/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/transform/refine.h"

#include "common/util/alloc.h"
#include "common/util/hash.h"
#include "common/util/pattern.h"
#include "report/transform/cut_stacks.h"
#include "report/transform/transform.h"
#include "report/transform/waits_in.h"

/* The default of perf for -s parent without -p: entries of the kernel. */
#define DEFAULT_PARENT "^sys_|^do_page_fault"

/* Properties of a location, found once per location. */
enum trait {
	TRAIT_WANTED = 1, /* DSO and symbol pass the filter */
	TRAIT_NAMED = 2,
	TRAIT_PARENT = 4,
	TRAIT_WITHOUT_CALLEES = 8,
};

struct refined_context {
	uint32_t of, parent;
	bool is_filtered;
	uint32_t context;
};

struct refinement {
	struct scan *scan;
	const struct refine_request *request;
	struct resolver *resolver;
	struct cut_stacks cut;
	uint8_t *traits; /* enum trait of each location */
	ARRAY(struct refined_context) refined;
	struct hash_index by_refined;
	struct transformer *transformer; /* NULL: no transforms */
	struct transform_path path;	 /* buffer for one stack */
};

/*
 * Sets TRAIT of all locations whose symbol name matches the regex TEXT. If TEXT
 * is NULL, sets nothing.
 */
static struct error *match_trait(
	struct refinement *refinement, const char *text, enum trait trait)
{
	struct resolver *resolver = refinement->resolver;
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

static struct error *find_location_traits(struct refinement *refinement)
{
	const struct refine_request *request = refinement->request;
	struct resolver *resolver = refinement->resolver;
	uint32_t n = resolver_n_locations(resolver), i;
	struct error *err = NULL;

	refinement->traits = xcalloc(n, sizeof(*refinement->traits));
	for (i = 0; i < n; i++) {
		const struct location *at = resolver_location(resolver, i);

		if (at->symbol && !at->is_guessed)
			refinement->traits[i] |= TRAIT_NAMED;
		if (resolver_passes(resolver, request->filter, i))
			refinement->traits[i] |= TRAIT_WANTED;
	}
	if (request->wants_parent)
		err = match_trait(refinement, request->parent ?: DEFAULT_PARENT,
			TRAIT_PARENT);
	if (!err)
		err = match_trait(refinement, request->ignored_callees,
			TRAIT_WITHOUT_CALLEES);
	return err;
}

/* Returns the location + 1 of the parent function in CHAIN, or 0. */
static uint32_t find_parent_location(
	const struct refinement *refinement, struct chain chain)
{
	if (!refinement->request->wants_parent)
		return 0;
	/* The chain begins with a second copy of the sampled frame. */
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

/*
 * Returns the number of a copy of context OF that has PARENT and IS_FILTERED.
 * Adds the copy if there is none.
 */
static uint32_t find_refined_context(struct refinement *refinement, uint32_t of,
	bool is_filtered, uint32_t parent)
{
	struct stacks *stacks = &refinement->scan->stacks;
	uint64_t hash = hash_words(of, (uint64_t)parent << 1 | is_filtered);
	struct context context = stacks->contexts.at[of];
	struct context_functions functions = stacks_functions(stacks, of);

	hash_each_match(&refinement->by_refined, hash, i) {
		const struct refined_context *copy = &refinement->refined.at[i];

		if (copy->of == of && copy->parent == parent &&
			copy->is_filtered == is_filtered)
			return copy->context;
	}
	hash_insert(
		&refinement->by_refined, hash, (uint32_t)refinement->refined.n);
	*array_push(&refinement->refined) = (struct refined_context){ of,
		parent, is_filtered, (uint32_t)stacks->contexts.n };
	context.is_filtered |= is_filtered;
	functions.parent = parent;
	return stacks_add_context(stacks, &context, functions);
}

/* Subtracts STACK from the totals of its event. */
static void subtract_stack(
	struct refinement *refinement, const struct stack *stack)
{
	struct scan *scan = refinement->scan;
	uint32_t event = scan->stacks.contexts.at[stack->context].event;

	scan->by_event.at[event].samples -= stack->samples;
	scan->by_event.at[event].period -= stack->period;
}

/*
 * Filters stack NUMBER and stores its parent function. A stack that stands for
 * samples beyond the memory limit (.is_rest) has no names, so it is neither
 * filtered nor changed.
 */
static void refine_stack(struct refinement *refinement, uint32_t number)
{
	const struct refine_request *request = refinement->request;
	const struct stacks *stacks = &refinement->scan->stacks;
	struct stack *stack = stacks_at(stacks, number);
	struct chain chain = stacks_chain(stacks, number);
	uint32_t parent = find_parent_location(refinement, chain);
	uint8_t traits = refinement->traits[chain_next(&chain)];
	bool is_removed = request->hides_unresolved && !(traits & TRAIT_NAMED);
	bool is_filtered = is_removed || !(traits & TRAIT_WANTED) ||
		(request->needs_parent && !parent);

	if (stacks->contexts.at[stack->context].is_rest)
		return;
	if (is_removed)
		subtract_stack(refinement, stack);
	if (is_filtered || parent)
		stack->context = find_refined_context(
			refinement, stack->context, is_filtered, parent);
}

static void put_location(struct strbuf *out, uint32_t location)
{
	uint8_t number[CHAIN_NUMBER_SIZE];

	strbuf_put(out, number, (size_t)(chain_put(number, location) - number));
}

/*
 * Appends CHAIN to OUT, without the frames that --ignore-callees and
 * --hide-unresolved remove. Returns true: no stack is left out.
 */
static bool cut_chain(
	struct refinement *refinement, struct chain chain, struct strbuf *out)
{
	uint32_t location = chain_next(&chain);

	put_location(out, location);
	while (!chain_is_empty(&chain)) {
		location = chain_next(&chain);
		if (refinement->request->hides_unresolved &&
			!(refinement->traits[location] & TRAIT_NAMED))
			continue;
		/* The stack continues as if this function had been sampled. */
		if (refinement->traits[location] & TRAIT_WITHOUT_CALLEES) {
			strbuf_clear(out);
			put_location(out, location);
		}
		put_location(out, location);
	}
	return true;
}

static void read_path(struct transform_path *path, struct chain chain)
{
	array_clear(&path->frames);
	path->sampled = chain_next(&chain);
	while (!chain_is_empty(&chain))
		*array_push(&path->frames) = chain_next(&chain);
}

static void put_path(const struct transform_path *path, struct strbuf *out)
{
	put_location(out, path->sampled);
	array_each(&path->frames, location)
		put_location(out, *location);
}

/*
 * Appends CHAIN to OUT, as the transforms change it. Returns false if the stack
 * must be left out.
 */
static bool transform_chain(
	struct refinement *refinement, struct chain chain, struct strbuf *out)
{
	struct transform_path *path = &refinement->path;

	read_path(path, chain);
	if (!transformer_apply(refinement->transformer, path))
		return false;
	put_path(path, out);
	return true;
}

typedef bool change_chain(
	struct refinement *refinement, struct chain chain, struct strbuf *out);

/*
 * Builds all stacks again with the chains that CHANGE writes. Stacks that are
 * equal then become one. If CHANGE returns false, subtracts the stack from the
 * totals.
 */
static void change_all_chains(
	struct refinement *refinement, change_chain *change)
{
	struct stacks *stacks = &refinement->scan->stacks;
	_cleanup_strbuf_ struct strbuf chain = { 0 };
	struct stacks old = *stacks;
	_cleanup_free_ uint32_t *moved =
		xcalloc(stacks_n(&old) + 1, sizeof(*moved));
	uint32_t i;

	*stacks = (struct stacks){ .contexts = old.contexts,
		.values = old.values,
		.functions = old.functions };
	memset(&old.contexts, 0, sizeof(old.contexts));
	memset(&old.values, 0, sizeof(old.values));
	memset(&old.functions, 0, sizeof(old.functions));
	for (i = 0; i < stacks_n(&old); i++) {
		const struct stack *stack = stacks_at(&old, i);
		struct chain before = stacks_chain(&old, i);

		strbuf_clear(&chain);
		/* Stacks beyond the limit of memory have no names. */
		if (stacks->contexts.at[stack->context].is_rest)
			strbuf_put(&chain, before.at,
				(size_t)(before.end - before.at));
		else if (!change(refinement, before, &chain)) {
			subtract_stack(refinement, stack);
			moved[i] = HASH_NONE;
			continue;
		}
		moved[i] = stacks_put(stacks, stack, stack->context,
			(const uint8_t *)chain.at, chain.n);
	}
	stacks_move_times(stacks, &old, moved);
	stacks_deinit(&old);
}

/*
 * Reads CHAIN into the buffer for one stack, and changes it if the stack is cut. Returns
 * false if the chain stays as it is.
 */
static bool change_cut_path(
	struct refinement *refinement, const struct chain *chain)
{
	struct transform_path *path = &refinement->path;
	struct chain rest = *chain;
	size_t kept;
	bool is_cut;

	/* Nearly all stacks of most recordings are complete. */
	if (cut_stacks_start_at(&refinement->cut, chain_last(&rest)))
		return false;
	read_path(path, *chain);
	if (!cut_stacks_find(&refinement->cut, path->frames.at, path->frames.n,
		    &kept, &is_cut))
		return false;
	path->frames.n = kept;
	if (is_cut)
		*array_push(&path->frames) = resolver_mark(
			refinement->cut.resolver, CUT_STACKS_NAME);
	return true;
}

/* Appends CHAIN to OUT, changed if the stack is cut. Returns true. */
static bool group_cut_chain(
	struct refinement *refinement, struct chain chain, struct strbuf *out)
{
	if (change_cut_path(refinement, &chain))
		put_path(&refinement->path, out);
	else
		strbuf_put(out, chain.at, (size_t)(chain.end - chain.at));
	return true;
}

struct error *refine_stacks(struct scan *scan,
	const struct refine_request *request, struct resolver *resolver)
{
	struct refinement refinement = { .scan = scan,
		.request = request,
		.resolver = resolver,
		.cut = { .resolver = resolver } };
	bool changes_chains =
		request->ignored_callees || request->hides_unresolved;
	bool is_inline_self = false;
	struct error *err;
	uint32_t i;

	if (request->wants_waits_in)
		waits_in_store(scan, resolver);
	/* The other changes see the changed stacks. */
	if (request->groups_cut_stacks) {
		uint32_t n = stacks_n(&scan->stacks);
		struct chain chain;
		bool is_cut = false;

		for (i = 0; !is_cut && i < n; i++) {
			chain = stacks_chain(&scan->stacks, i);
			is_cut = change_cut_path(&refinement, &chain);
		}
		if (is_cut)
			change_all_chains(&refinement, group_cut_chain);
		cut_stacks_deinit(&refinement.cut);
	}
	for (i = 0; request->moves_own_time && !is_inline_self &&
		i < resolver_n_locations(resolver);
		i++)
		is_inline_self = resolver_location(resolver, i)->is_inlined;
	if (request->transforms->at.n || is_inline_self) {
		refinement.transformer = transformer_create(
			resolver, request->transforms, is_inline_self);
		change_all_chains(&refinement, transform_chain);
		transformer_destroy(refinement.transformer);
	}
	array_free(&refinement.path.frames);
	if (!filter_needs_code(request->filter) && !changes_chains &&
		!request->wants_parent)
		return NULL;
	err = find_location_traits(&refinement);
	for (i = 0; !err && i < stacks_n(&scan->stacks); i++)
		refine_stack(&refinement, i);
	if (!err && changes_chains)
		change_all_chains(&refinement, cut_chain);
	free(refinement.traits);
	array_free(&refinement.refined);
	hash_free(&refinement.by_refined);
	return err;
}
