/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locations that stand for joined frames of one DSO. */
#include "config.h"

#include "report/resolve/resolve.h"

#include "report/resolve/resolve_private.h"

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
	joined.is_inlined = joined.is_nowhere = false;
	joined.inlined = 0;
	joined.is_collapsed = true;
	return resolver_intern(resolver, &joined);
}
