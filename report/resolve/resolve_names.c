/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that identify locations, and locations that have only a name. */
#include "config.h"

#include "report/resolve/resolve.h"

#include "report/resolve/resolve_private.h"

const char *resolver_intern_name(struct resolver *resolver, const char *name)
{
	uint64_t hash = hash_string(name);
	uint32_t n = (uint32_t)resolver->inlined_names.n;

	hash_each_match(&resolver->by_inlined_name, hash, i)
		if (string_is(resolver->inlined_names.at[i], name))
			return resolver->inlined_names.at[i];
	hash_insert(&resolver->by_inlined_name, hash, n);
	*array_push(&resolver->inlined_names) = xstrdup(name);
	return resolver->inlined_names.at[n];
}

uint32_t resolver_collapse_dso(struct resolver *resolver, uint32_t location)
{
	struct location joined = resolver->locations.at[location];
	const char *dso = joined.dso
		? joined.dso->name
		: resolver_dso_name(resolver, joined.dso_name);
	_cleanup_free_ char *name = xasprintf(*dso == '[' ? "%s" : "[%s]", dso);

	joined.symbol = resolver_intern_name(resolver, name);
	joined.start = joined.end = joined.place = 0;
	joined.back = joined.depth = 0;
	joined.is_inlined = joined.is_nowhere = false;
	joined.is_collapsed = true;
	return resolver_intern(resolver, &joined);
}
