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

static struct error *select_times(struct sample_selection *selection,
	const char *text, const struct reader *reader,
	const struct survey *survey)
{
	const struct features *features = reader_features(reader);
	struct time_range whole = { features->first_time, features->last_time };

	if (!all_events_have(reader, PERF_SAMPLE_TIME))
		return error_new("%s: --time: samples have no timestamps",
			reader_path(reader));
	if (!whole.last)
		whole = (struct time_range){ survey->first_time,
			survey->last_time };
	return times_parse(text, &whole, &selection->times);
}

/*
 * Returns whether an event has BIT in its sample_type. Events that recorders
 * open only for sideband do not have the bit.
 */
static bool some_event_has(const struct reader *reader, uint64_t bit)
{
	size_t i;

	for (i = 0; i < reader_n_events(reader); i++)
		if (reader_event(reader, i)->attr.sample_type & bit)
			return true;
	return false;
}

static struct error *select_cgroups(struct sample_selection *selection,
	const struct name_list *wanted, const struct reader *reader,
	const struct survey *survey)
{
	if (!some_event_has(reader, ABI_SAMPLE_CGROUP))
		return error_hint(
			error_new(
				"%s: --cgroup: samples have no control groups",
				reader_path(reader)),
			"'dwell record --all-cgroups' records them");
	selection->has_cgroups = true;
	array_each(&survey->cgroups.at, cgroup)
		if (filter_matches(wanted, cgroup->path))
			*array_push(&selection->cgroups) = cgroup->id;
	return NULL;
}

struct error *sample_selection_init(struct sample_selection *selection,
	const struct filter *filter, const struct reader *reader,
	const struct survey *survey)
{
	struct error *err = NULL;

	*selection = (struct sample_selection){ .cpus = &filter->cpus };
	if (filter->times)
		err = select_times(selection, filter->times, reader, survey);
	if (!err && filter->events.names.n) {
		size_t i;

		for (i = 0; i < reader_n_events(reader); i++)
			*array_push(&selection->events) = filter_matches(
				&filter->events, reader_event(reader, i)->name);
	}
	if (!err && filter->cpus.list.n &&
		!all_events_have(reader, PERF_SAMPLE_CPU))
		err = error_new("%s: --cpu: samples have no CPU numbers",
			reader_path(reader));
	if (!err && filter->cgroups.names.n)
		err = select_cgroups(
			selection, &filter->cgroups, reader, survey);
	selection->is_all = filter_has_all(filter);
	return err;
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
		times_meet(&selection->times, extent->info.first_time,
			extent->info.last_time);
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
	return times_have(&selection->times, sample->time);
}
