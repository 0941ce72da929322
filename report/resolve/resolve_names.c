/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locations that stand for joined frames of one DSO, and the other names of functions.
 */
#include "config.h"

#include "report/resolve/resolve.h"

#include <inttypes.h>

#include "report/resolve/resolve_private.h"
#include "report/util/string_table.h"

/* Number of other names that resolver_put_other_names() lists. */
#define LISTED_NAMES 10u

/* Returns the one copy of NAME, which identifies joined frames. */
static const char *intern_collapsed_name(
	struct resolver *resolver, const char *name)
{
	uint64_t hash = hash_string(name);
	uint32_t n = (uint32_t)resolver->collapsed_names.n;

	hash_each_match(&resolver->by_collapsed_name, hash, i)
		if (string_is(resolver->collapsed_names.at[i], name))
			return resolver->collapsed_names.at[i];
	hash_insert(&resolver->by_collapsed_name, hash, n);
	*array_push(&resolver->collapsed_names) = xstrdup(name);
	return resolver->collapsed_names.at[n];
}

uint32_t resolver_collapse_dso(struct resolver *resolver, uint32_t location)
{
	struct location joined = resolver->locations.at[location];
	const char *dso = joined.dso
		? joined.dso->name
		: resolver_dso_name(resolver, joined.dso_name);
	_cleanup_free_ char *name = xasprintf(*dso == '[' ? "%s" : "[%s]", dso);

	joined.symbol = intern_collapsed_name(resolver, name);
	joined.start = joined.end = joined.place = 0;
	joined.back = joined.depth = 0;
	joined.is_inlined = joined.is_nowhere = joined.is_guessed = false;
	joined.inlined = 0;
	joined.is_collapsed = true;
	return resolver_intern(resolver, &joined);
}

uint32_t resolver_mark(struct resolver *resolver, const char *name)
{
	const struct location mark = {
		.symbol = intern_collapsed_name(resolver, name),
		.is_collapsed = true,
		.level = resolver_level(MISC_USER),
		.dso_name = resolver_intern_dso_name(resolver, "[unknown]"),
	};

	return resolver_intern(resolver, &mark);
}

/* Returns SYMBOL without its version, demangled; owned by the caller. */
static char *demangle_bare(const char *symbol)
{
	const char *at = strchr(symbol, '@');
	_cleanup_free_ char *bare = at && at > symbol
		? xstrndup(symbol, (size_t)(at - symbol))
		: xstrdup(symbol);

	return resolver_demangle(bare);
}

void resolver_other_names(
	struct resolver *resolver, uint32_t location, struct string_table *ret)
{
	const struct location *at = resolver_location(resolver, location);
	_cleanup_free_ char *shown = NULL;
	const char *other;
	size_t i;

	if (!at->dso || !at->symbol || at->is_inlined || at->is_collapsed ||
		at->is_guessed)
		return;
	shown = demangle_bare(at->symbol);
	for (i = 0; (other = symbols_other_name(
			     resolver->sources.at[at->input].symbols,
			     at->number, at->start, i));
		i++) {
		_cleanup_free_ char *plain = demangle_bare(other);

		if (!string_is(plain, shown))
			string_table_intern(ret, plain);
	}
}

void resolver_put_other_names(
	struct resolver *resolver, uint32_t location, struct strbuf *out)
{
	struct string_table names = { 0 };
	size_t i;

	resolver_other_names(resolver, location, &names);
	if (names.at.n)
		strbuf_printf(out, "and %zu more name%s: ", names.at.n,
			names.at.n == 1 ? "" : "s");
	for (i = 0; i < MIN(names.at.n, (size_t)LISTED_NAMES); i++)
		strbuf_printf(out, "%s%s", i ? ", " : "", names.at.at[i]);
	if (names.at.n > LISTED_NAMES)
		strbuf_puts(out, ", ...");
	string_table_deinit(&names);
}
