/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/survey/sample_selection.h"

static bool all_events_have(const struct reader *reader, uint64_t sample_type)
{
	size_t i;

	for (i = 0; i < reader_n_events(reader); i++)
		if (!(reader_event(reader, i)->attr.sample_type & sample_type))
			return false;
	return true;
}

struct error *sample_selection_init(struct sample_selection *selection,
	const struct filter *filter, const struct reader *reader,
	const struct survey *survey)
{
	const struct features *features = reader_features(reader);
	struct time_range whole = { features->first_time, features->last_time };
	bool has_cgroups = false;
	struct error *err = NULL;
	size_t i;

	*selection = (struct sample_selection){ .cpus = &filter->cpus,
		.is_all = filter_has_all(filter) };
	if (filter->times && !all_events_have(reader, PERF_SAMPLE_TIME))
		return error_new("%s: --time: samples have no timestamps",
			reader_path(reader));
	if (!whole.last)
		whole = (struct time_range){ survey->first_time,
			survey->last_time };
	if (filter->times)
		err = times_parse(filter->times, &whole, &selection->times);
	if (err)
		return err;
	for (i = 0; i < reader_n_events(reader); i++) {
		const struct event *event = reader_event(reader, i);

		if (filter->events.names.n)
			*array_push(&selection->events) =
				filter_matches(&filter->events, event->name);
		/* Events that are open only for sideband do not have the bit. */
		has_cgroups |= event->attr.sample_type & ABI_SAMPLE_CGROUP;
	}
	if (filter->cpus.list.n && !all_events_have(reader, PERF_SAMPLE_CPU))
		return error_new("%s: --cpu: samples have no CPU numbers",
			reader_path(reader));
	if (!filter->cgroups.names.n)
		return NULL;
	if (!has_cgroups)
		return error_hint(
			error_new(
				"%s: --cgroup: samples have no control groups",
				reader_path(reader)),
			"'dwell record --all-cgroups' records them");
	selection->has_cgroups = true;
	array_each(&survey->cgroups.at, cgroup)
		if (filter_matches(&filter->cgroups, cgroup->path))
			*array_push(&selection->cgroups) = cgroup->id;
	return NULL;
}

void sample_selection_deinit(struct sample_selection *selection)
{
	times_deinit(&selection->times);
	array_free(&selection->events);
	array_free(&selection->cgroups);
}

bool sample_selection_has_extent(
	const struct sample_selection *selection, const struct extent *extent)
{
	if (extent->coding != EXTENT_BLOCK)
		return true;
	if (extent->info.kind == BLOCK_SIDEBAND)
		return false;
	return !selection ||
		times_meet(&selection->times,
			selection->waits == SAMPLE_SELECTION_WAITS_BEFORE
				? 0
				: extent->info.first_time,
			selection->waits == SAMPLE_SELECTION_WAITS_AFTER
				? UINT64_MAX
				: extent->info.last_time);
}

static bool selects_cgroup(
	const struct sample_selection *selection, uint64_t id)
{
	array_each(&selection->cgroups, cgroup)
		if (*cgroup == id)
			return true;
	return false;
}

bool sample_selection_checks_sample(const struct sample_selection *selection,
	size_t event, const struct sample *sample)
{
	if (event < selection->events.n && !selection->events.at[event])
		return false;
	if (selection->cpus->list.n && !cpus_has(selection->cpus, sample->cpu))
		return false;
	if (selection->has_cgroups &&
		!selects_cgroup(selection, sample->cgroup))
		return false;
	return selection->waits != SAMPLE_SELECTION_MOMENTS ||
		times_have(&selection->times, sample->time);
}
