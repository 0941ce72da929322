/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/code/function_args.h"

#include "common/util/alloc.h"
#include "common/util/strbuf.h"
#include "report/code/function_address_args.h"
#include "report/util/suggestions.h"

/* As it is shown, without the mark that its file may have changed. */
static size_t name_size(const char *shown)
{
	static const char mark[] = " (?)";
	size_t size = strlen(shown), end = sizeof(mark) - 1;

	return size > end && string_is(shown + size - end, mark) ? size - end
								  : size;
}

static bool is_named(struct resolver *resolver,
	const struct function *function, const char *name)
{
	const char *shown = resolver_symbol_name(resolver, function->location);
	size_t size = name_size(shown);

	return string_is(function->symbol, name) ||
		(strlen(name) == size && !memcmp(shown, name, size));
}

/* --- what there is -------------------------------------------------------- */

/* What has code without a symbol, or NULL. */
static const char *nameless_dso(struct resolver *resolver)
{
	uint32_t i;

	for (i = 0; i < resolver_n_locations(resolver); i++) {
		const struct location *at = resolver_location(resolver, i);

		if (at->dso && !at->symbol)
			return resolver_dso_name(resolver, at->dso_name);
	}
	return NULL;
}

/* Without " (inlined)", as a report shows it. */
static char *bare_name(const char *name)
{
	static const char mark[] = " (inlined)";
	size_t size = strlen(name), end = sizeof(mark) - 1;

	if (size > end && string_is(name + size - end, mark))
		size -= end;
	return xstrndup(name, size);
}

static bool is_inlined_at(struct resolver *resolver,
	const struct function *function, uint64_t place, const char *name)
{
	struct line_frame frames[LINE_DEPTH_MAX];
	size_t n = resolver_frames(resolver, function->location,
		function->start + place, frames);
	size_t i;

	for (i = 0; i + 1 < n; i++)
		if (frames[i].name && string_is(frames[i].name, name))
			return true;
	return false;
}

/* Whether samples of FUNCTION were taken in NAME, which has no code of its own. */
static bool has_inlined(struct resolver *resolver,
	const struct function *function, const char *name)
{
	array_each(&function->places, place)
		if (is_inlined_at(resolver, function, place->place, name))
			return true;
	return false;
}

static char *plain_name(
	struct resolver *resolver, const struct function *function)
{
	const char *shown = resolver_symbol_name(resolver, function->location);

	return xstrndup(shown, name_size(shown));
}

/* The hottest functions of the first events first. */
static void find_outer(const char *name, struct resolver *resolver,
	const struct functions *by_event, size_t n, struct suggestions *ret)
{
	size_t i;

	for (i = 0; i < n; i++)
		array_each(&by_event[i].at, function) {
			_cleanup_free_ char *plain = NULL;

			if (ret->n == SUGGESTIONS_MAX)
				return;
			if (!has_inlined(resolver, function, name))
				continue;
			plain = plain_name(resolver, function);
			suggestions_add(ret, plain);
		}
}

static void find_near(struct resolver *resolver,
	const struct functions *by_event, size_t n, struct suggestions *ret)
{
	size_t i;

	for (i = 0; i < n; i++)
		array_each(&by_event[i].at, function) {
			_cleanup_free_ char *plain =
				plain_name(resolver, function);

			suggestions_offer(ret, plain);
		}
}

static struct error *tell_no_code(
	const char *address, struct resolver *resolver)
{
	const char *nameless = nameless_dso(resolver);

	if (!nameless)
		return error_new("no sample was taken in a function that "
				 "holds %s", address);
	return error_hint(error_new("no sample is known to be of a function "
				    "that holds %s", address),
		"code of %s has no names here", nameless);
}

static struct error *tell_unknown(const char *asked, struct resolver *resolver,
	const struct functions *by_event, size_t n)
{
	const char *nameless = nameless_dso(resolver);
	struct error *err = error_new(nameless
			? "no sample is known to be of a function '%s'"
			: "no sample was taken in a function '%s'", asked);
	_cleanup_free_ char *name = bare_name(asked);
	_cleanup_free_ char *listed = NULL;
	struct suggestions suggestions;

	suggestions_begin(&suggestions, name);
	find_outer(name, resolver, by_event, n, &suggestions);
	listed = suggestions_end(&suggestions);
	if (listed)
		return error_hint(err,
			"it was inlined into %s: 'dwell annotate' of that "
			"shows it",
			listed);
	suggestions_begin(&suggestions, name);
	find_near(resolver, by_event, n, &suggestions);
	listed = suggestions_end(&suggestions);
	if (listed)
		return error_hint(err, "did you mean %s?", listed);
	if (access(asked, R_OK) == 0)
		return error_hint(err, "a recording is named by -i");
	return nameless
		? error_hint(err, "code of %s has no names here", nameless)
		: err;
}

/* False: NAME means none. */
static bool mark_named(const char *name, struct resolver *resolver,
	struct functions *by_event, size_t n)
{
	bool has_any = false;
	size_t i;

	for (i = 0; i < n; i++)
		array_each(&by_event[i].at, function)
			if (is_named(resolver, function, name))
				has_any = function->is_asked = true;
	return has_any;
}

/* Whether NAME is PLAIN without some of its namespaces and classes. */
static bool is_qualified(const char *plain, const char *name)
{
	size_t size = strlen(plain), end = strlen(name);

	return end && size > end + 2 && string_is(plain + size - end, name) &&
		!memcmp(plain + size - end - 2, "::", 2);
}

/* The one name that is NAME with namespaces or classes before it; owned; NULL:
 * there is none, or several are. */
static char *find_qualified(const char *name, struct resolver *resolver,
	const struct functions *by_event, size_t n)
{
	_cleanup_free_ char *found = NULL;
	size_t i;

	for (i = 0; i < n; i++)
		array_each(&by_event[i].at, function) {
			_cleanup_free_ char *plain =
				plain_name(resolver, function);

			if (!is_qualified(plain, name))
				continue;
			if (found && !string_is(found, plain))
				return NULL;
			free(found);
			found = take_pointer(plain);
		}
	return take_pointer(found);
}

static struct error *mark(const char *asked, struct result *result,
	struct functions *by_event, size_t n)
{
	struct resolver *resolver = result->resolver;
	_cleanup_free_ char *qualified = NULL;
	uint64_t address;

	if (asked_address_read(asked, &address))
		return asked_address_mark(result, address, by_event, n)
			? NULL
			: tell_no_code(asked, resolver);
	if (mark_named(asked, resolver, by_event, n))
		return NULL;
	qualified = find_qualified(asked, resolver, by_event, n);
	if (qualified && mark_named(qualified, resolver, by_event, n))
		return NULL;
	return tell_unknown(asked, resolver, by_event, n);
}

struct error *asked_mark(const struct name_list *names, struct result *result,
	struct functions *by_event, size_t n)
{
	struct error *err = NULL;
	size_t i;

	for (i = 0; i < n && !names->names.n; i++)
		array_each(&by_event[i].at, function)
			function->is_asked = true;
	for (i = 0; i < names->names.n && !err; i++)
		err = mark(names->names.at[i], result, by_event, n);
	return err;
}
