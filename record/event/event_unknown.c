/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/event_unknown.h"

#include "common/util/spell_suggest.h"
#include "record/event/event_cache.h"
#include "record/event/event_name.h"

static void suggest_event_name(void *data, const char *name)
{
	spell_suggest_offer(data, name);
}

static void suggest_cache_event(
	void *data, const char *name, uint64_t config _unused_)
{
	spell_suggest_offer(data, name);
}

static void suggest_event_names(struct spell_suggest *nearest)
{
	const struct event_name *row;

	for (row = event_name_table(); row->name; row++)
		spell_suggest_offer(nearest, row->name);
}

struct error *event_unknown(const char *name, const struct pmus *pmus)
{
	struct error *err = error_usage("-e: there is no event '%s'", name);
	struct spell_suggest nearest;

	spell_suggest_init(&nearest, name);
	suggest_event_names(&nearest);
	event_cache_each(suggest_cache_event, &nearest);
	array_each(&pmus->list, pmu)
		pmu_each_event(pmus, pmu, suggest_event_name, &nearest);
	if (nearest.best[0])
		return spell_suggest_hint(&nearest, err);
	return error_hint(err, "see: dwell list");
}

struct error *event_unknown_pmu(const char *name, const struct pmus *pmus)
{
	struct error *err =
		error_usage("-e: there is no event or PMU '%s'", name);
	struct spell_suggest nearest;

	spell_suggest_init(&nearest, name);
	array_each(&pmus->list, pmu)
		spell_suggest_offer(&nearest, pmu->name);
	suggest_event_names(&nearest);
	if (string_starts(name, "cpu") && !nearest.best[0])
		return error_hint(err,
			"this machine has no PMU of its CPUs (a virtual "
			"machine?)");
	return spell_suggest_hint(&nearest, err);
}
