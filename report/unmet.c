/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/unmet.h"

#include "common/log.h"
#include "common/nearest.h"

static void tell(const char *asked, struct resolver *resolver)
{
	struct nearest nearest;
	uint32_t i;

	nearest_init(&nearest, asked);
	for (i = 0; i < resolver_n_locations(resolver); i++) {
		const char *name = resolver_symbol_name(resolver, i);

		if (string_is(name, asked))
			return;
		nearest_offer(&nearest, name);
	}
	if (nearest.best[0])
		log_note("no function is called '%s'; did you mean '%s'?",
			asked, nearest.best);
}

void unmet_tell(const struct filter *filter, struct resolver *resolver)
{
	array_each(&filter->symbols.names, name)
		tell(*name, resolver);
}
