/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/transform/transform.h"

#include "common/maps/runtime_dso.h"
#include "common/util/alloc.h"
#include "report/util/glue.h"

enum match {
	MATCH_UNKNOWN, /* not compared yet */
	MATCH_NO,
	MATCH_YES,
};

/* The locations that a transform names, found once per location. */
struct transform_matches {
	ARRAY(uint8_t) by_location; /* enum match */
};

struct transformer {
	struct resolver *resolver;
	const struct transform_list *list;
	bool is_inline_self;
	struct transform_matches *matches; /* of each transform */
	ARRAY(bool) marks;		   /* of each frame: remove the frame */
};

/* A stack while it is changed. */
struct changing_stack {
	struct transform_path *path;
	size_t self; /* index in .frames of the frame with the own time */
	/*
	 * The first frame is the sampled function, which is not part of the
	 * call chain.
	 */
	bool has_extra;
};

/* --- names -----------------------------------------------------------------
 */

/* Returns a list with one name, borrowed. Nothing may be added to the list. */
static struct filter_names borrow_one_name(char **name)
{
	return (struct filter_names){ .names = {
					      .at = name, .n = 1, .room = 1 } };
}

bool transform_matches(struct resolver *resolver,
	const struct transform *transform, uint32_t location)
{
	const struct location *at = resolver_location(resolver, location);
	char *name = transform->name;
	struct filter filter = { 0 };

	switch (transform->kind) {
	case TRANSFORM_HIDE_GLUE:
		return at->symbol && !at->is_collapsed &&
			glue_is_name(
				resolver_function_name(resolver, location));
	case TRANSFORM_LANG_ONLY:
	case TRANSFORM_LANG_NATIVE:
		return at->dso && runtime_dso_is(at->dso->path);
	case TRANSFORM_LANG_FOLD:
		/*
		 * Native code in a file that contains an interpreter, or the
		 * function of the dynamic linker that finds its thread-local
		 * variables.
		 */
		return (at->symbol && !at->is_collapsed &&
			       string_is(resolver_function_name(
						 resolver, location),
				       "__tls_get_addr")) ||
			(at->dso && runtime_dso_has_interpreter(at->dso->path));
	case TRANSFORM_LANG_BOTH: return false;
	case TRANSFORM_COLLAPSE_DSO:
		filter.dsos = borrow_one_name(&name);
		break;
	default: filter.symbols = borrow_one_name(&name); break;
	}
	return resolver_passes(resolver, &filter, location);
}

/* Returns whether the transform with index NUMBER names LOCATION. */
static bool is_named(
	struct transformer *transformer, size_t number, uint32_t location)
{
	struct transform_matches *matches = &transformer->matches[number];

	while (matches->by_location.n <= location)
		array_push(&matches->by_location);
	if (matches->by_location.at[location] == MATCH_UNKNOWN)
		matches->by_location.at[location] =
			transform_matches(transformer->resolver,
				&transformer->list->at.at[number], location)
			? MATCH_YES
			: MATCH_NO;
	return matches->by_location.at[location] == MATCH_YES;
}

/*
 * Searches STACK from the outermost frame for one that the transform with index
 * NUMBER names. Returns the index of the frame, or SIZE_MAX.
 */
static size_t find_outermost_named(struct transformer *transformer,
	size_t number, const struct changing_stack *stack)
{
	size_t i = stack->path->frames.n;

	while (i-- > 0)
		if (is_named(transformer, number, stack->path->frames.at[i]))
			return i;
	return SIZE_MAX;
}

/* --- removing frames -------------------------------------------------------
 */

static void clear_marks(
	struct transformer *transformer, const struct changing_stack *stack)
{
	array_clear(&transformer->marks);
	while (transformer->marks.n < stack->path->frames.n)
		array_push(&transformer->marks);
}

/*
 * Removes the marked frames. The own time of a removed frame becomes that of
 * the next frame on the way to the callers, or of the last frame that stays.
 */
static void remove_marked(
	struct transformer *transformer, struct changing_stack *stack)
{
	bool *marks = transformer->marks.at;
	struct transform_path *path = stack->path;
	size_t n = 0, self = SIZE_MAX, first, i;

	/* If all frames of the call chain are marked, keep the innermost one. */
	first = stack->has_extra && path->frames.n > 1 ? 1 : 0;
	for (i = first; i < path->frames.n && marks[i];)
		i++;
	if (i == path->frames.n)
		marks[first] = false;
	for (i = 0; i < path->frames.n; i++) {
		if (marks[i])
			continue;
		if (i >= stack->self && self == SIZE_MAX)
			self = n;
		path->frames.at[n++] = path->frames.at[i];
	}
	path->frames.n = n;
	if (self == SIZE_MAX)
		self = n - 1;
	if (marks[stack->self])
		path->sampled = path->frames.at[self];
	stack->self = self;
	stack->has_extra &= !marks[0];
}

/* --- the transforms --------------------------------------------------------
 */

static bool focus_on_function(struct transformer *transformer, size_t number,
	struct changing_stack *stack)
{
	size_t outermost = find_outermost_named(transformer, number, stack);
	struct transform_path *path = stack->path;

	if (outermost == SIZE_MAX)
		return false;
	path->frames.n = outermost + 1;
	if (stack->self > outermost) {
		stack->self = outermost;
		path->sampled = path->frames.at[outermost];
	}
	return true;
}

/* Removes all named frames among the N innermost ones. */
static void merge_named(struct transformer *transformer, size_t number,
	struct changing_stack *stack, size_t n)
{
	size_t i;

	clear_marks(transformer, stack);
	for (i = 0; i < n; i++)
		transformer->marks.at[i] = is_named(
			transformer, number, stack->path->frames.at[i]);
	remove_marked(transformer, stack);
}

static void collapse_recursion(struct transformer *transformer, size_t number,
	struct changing_stack *stack)
{
	size_t outermost = find_outermost_named(transformer, number, stack);
	bool is_inside = false;
	size_t i;

	if (outermost == SIZE_MAX)
		return;
	clear_marks(transformer, stack);
	for (i = 0; i < outermost; i++) {
		is_inside |= is_named(
			transformer, number, stack->path->frames.at[i]);
		transformer->marks.at[i] = is_inside;
	}
	remove_marked(transformer, stack);
}

/* The outermost frame of each run stands for the run. */
static void collapse_dso(struct transformer *transformer, size_t number,
	struct changing_stack *stack)
{
	uint32_t *frames = stack->path->frames.at;
	size_t n = stack->path->frames.n, i;

	clear_marks(transformer, stack);
	for (i = 0; i < n; i++) {
		if (!is_named(transformer, number, frames[i]))
			continue;
		transformer->marks.at[i] = i + 1 < n &&
			is_named(transformer, number, frames[i + 1]) &&
			resolver_location(transformer->resolver, frames[i])
					->dso_name ==
				resolver_location(
					transformer->resolver, frames[i + 1])
					->dso_name;
		frames[i] =
			resolver_collapse_dso(transformer->resolver, frames[i]);
		if (i == stack->self)
			stack->path->sampled = frames[i];
	}
	remove_marked(transformer, stack);
}

/* Returns false if the sample of STACK must be left out. */
static bool apply_one_transform(struct transformer *transformer, size_t number,
	struct changing_stack *stack)
{
	switch (transformer->list->at.at[number].kind) {
	case TRANSFORM_FOCUS:
		return focus_on_function(transformer, number, stack);
	case TRANSFORM_DROP:
		return find_outermost_named(transformer, number, stack) ==
			SIZE_MAX;
	case TRANSFORM_COLLAPSE_RECURSION:
		collapse_recursion(transformer, number, stack);
		return true;
	case TRANSFORM_COLLAPSE_DSO:
		collapse_dso(transformer, number, stack);
		return true;
	case TRANSFORM_LANG_ONLY:
		/*
		 * Remove all frames except functions of language runtimes. A
		 * stack without such a function is not changed.
		 */
		if (find_outermost_named(transformer, number, stack) ==
			SIZE_MAX)
			return true;
		clear_marks(transformer, stack);
		for (size_t i = 0; i < stack->path->frames.n; i++)
			transformer->marks.at[i] = !is_named(
				transformer, number, stack->path->frames.at[i]);
		remove_marked(transformer, stack);
		return true;
	case TRANSFORM_LANG_FOLD:
		/*
		 * Remove the frames of the interpreter. A stack without an
		 * interpreted function is not changed. The outermost frame
		 * stays, so that all stacks of a program have the same root.
		 */
		array_each(&stack->path->frames, frame) {
			const struct symbols_source_dso *dso =
				resolver_location(transformer->resolver, *frame)
					->dso;
			enum runtime_number runtime =
				dso ? runtime_dso_find(dso->path) : RUNTIMES;

			if (runtime != RUNTIMES &&
				runtime_dso_is_interpreted(runtime)) {
				merge_named(transformer, number, stack,
					stack->path->frames.n - 1);
				break;
			}
		}
		return true;
	case TRANSFORM_LANG_BOTH: return true;
	default:
		merge_named(transformer, number, stack, stack->path->frames.n);
		return true;
	}
}

/* --- a stack ---------------------------------------------------------------
 */

bool transformer_apply(
	struct transformer *transformer, struct transform_path *path)
{
	const struct resolver *resolver = transformer->resolver;
	struct changing_stack stack = { .path = path, .has_extra = true };
	const struct location *sampled =
		resolver_location(resolver, path->sampled);
	size_t i;

	/*
	 * Find the frame of the sampled function: the first one that is not
	 * inlined, if the call chain begins with the sampled code.
	 */
	for (; stack.has_extra && stack.self < path->frames.n; stack.self++) {
		const struct location *at = resolver_location(
			resolver, path->frames.at[stack.self]);

		if (at->is_inlined)
			continue;
		stack.has_extra = at->dso != sampled->dso ||
			at->start != sampled->start ||
			at->level != sampled->level;
		break;
	}
	if (stack.has_extra) {
		array_push(&path->frames);
		memmove(path->frames.at + 1, path->frames.at,
			(path->frames.n - 1) * sizeof(*path->frames.at));
		path->frames.at[0] = path->sampled;
		stack.self = 0;
	} else if (transformer->is_inline_self && stack.self) {
		stack.self = 0;
		path->sampled = path->frames.at[0];
	}
	for (i = 0; i < transformer->list->at.n; i++)
		if (!apply_one_transform(transformer, i, &stack))
			return false;
	if (stack.has_extra) {
		path->frames.n--;
		memmove(path->frames.at, path->frames.at + 1,
			path->frames.n * sizeof(*path->frames.at));
	}
	return true;
}

struct transformer *transformer_create(struct resolver *resolver,
	const struct transform_list *list, bool is_inline_self)
{
	struct transformer *transformer = xcalloc(1, sizeof(*transformer));

	transformer->resolver = resolver;
	transformer->list = list;
	transformer->is_inline_self = is_inline_self;
	transformer->matches =
		xcalloc(list->at.n + 1, sizeof(*transformer->matches));
	return transformer;
}

void transformer_destroy(struct transformer *transformer)
{
	size_t i;

	if (!transformer)
		return;
	for (i = 0; i < transformer->list->at.n; i++)
		array_free(&transformer->matches[i].by_location);
	free(transformer->matches);
	array_free(&transformer->marks);
	free(transformer);
}
