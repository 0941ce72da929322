/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/event_unknown.h"

#include "common/util/spell_suggest.h"
#include "record/event/event_cache.h"
#include "record/event/event_name.h"

static void offer(void *data, const char *name)
{
	nearest_offer(data, name);
}

static void offer_cache(void *data, const char *name, uint64_t config _unused_)
{
	nearest_offer(data, name);
}

static void offer_names(struct nearest *nearest)
{
	const struct event_name *row;

	for (row = event_name_table(); row->name; row++)
		nearest_offer(nearest, row->name);
}

struct error *event_unknown(const char *name, const struct pmus *pmus)
{
	struct error *err = error_usage("-e: there is no event '%s'", name);
	struct nearest nearest;

	nearest_init(&nearest, name);
	offer_names(&nearest);
	event_cache_each(offer_cache, &nearest);
	array_each(&pmus->list, pmu)
		pmu_each_event(pmus, pmu, offer, &nearest);
	if (nearest.best[0])
		return nearest_hint(&nearest, err);
	return error_hint(err, "see: dwell list");
}

struct error *event_unknown_pmu(const char *name, const struct pmus *pmus)
{
	struct error *err =
		error_usage("-e: there is no event or PMU '%s'", name);
	struct nearest nearest;

	nearest_init(&nearest, name);
	array_each(&pmus->list, pmu)
		nearest_offer(&nearest, pmu->name);
	offer_names(&nearest);
	if (string_starts(name, "cpu") && !nearest.best[0])
		return error_hint(err, "this machine shows no counters of its "
				       "CPUs (a virtual machine?)");
	return nearest_hint(&nearest, err);
}
