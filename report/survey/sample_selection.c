/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/survey/sample_selection.h"

static bool all_have(const struct reader *reader, uint64_t sample_type)
{
	size_t i;

	for (i = 0; i < reader_n_events(reader); i++)
		if (!(reader_event(reader, i)->attr.sample_type & sample_type))
			return false;
	return true;
}

static struct error *set_times(struct pick *pick, const char *text,
	const struct reader *reader, const struct survey *survey)
{
	const struct features *features = reader_features(reader);
	struct time_range whole = { features->first_time,
		features->last_time };

	if (!all_have(reader, PERF_SAMPLE_TIME))
		return error_new("%s: --time: its samples have no times",
			reader_path(reader));
	if (!whole.last)
		whole = (struct time_range){ survey->first_time,
			survey->last_time };
	return times_parse(text, &whole, &pick->times);
}

static void set_events(struct pick *pick, const struct name_list *wanted,
	const struct reader *reader)
{
	size_t i;

	for (i = 0; i < reader_n_events(reader); i++)
		*array_push(&pick->events) = filter_matches(
			wanted, reader_event(reader, i)->name);
}

/* An event of nothing but sideband, as recorders open, has none. */
static bool some_have(const struct reader *reader, uint64_t bit)
{
	size_t i;

	for (i = 0; i < reader_n_events(reader); i++)
		if (reader_event(reader, i)->attr.sample_type & bit)
			return true;
	return false;
}

static struct error *set_cgroups(struct pick *pick,
	const struct name_list *wanted, const struct reader *reader,
	const struct survey *survey)
{
	if (!some_have(reader, ABI_SAMPLE_CGROUP))
		return error_hint(
			error_new("%s: --cgroup: its samples don't tell their "
				  "control groups",
				reader_path(reader)),
			"'dwell record --all-cgroups' records them");
	pick->has_cgroups = true;
	array_each(&survey->cgroups.at, cgroup)
		if (filter_matches(wanted, cgroup->path))
			*array_push(&pick->cgroups) = cgroup->id;
	return NULL;
}

struct error *pick_init(struct pick *pick, const struct filter *filter,
	const struct reader *reader, const struct survey *survey)
{
	struct error *err = NULL;

	*pick = (struct pick){ .cpus = &filter->cpus };
	if (filter->times)
		err = set_times(pick, filter->times, reader, survey);
	if (!err && filter->events.names.n)
		set_events(pick, &filter->events, reader);
	if (!err && filter->cpus.list.n && !all_have(reader, PERF_SAMPLE_CPU))
		err = error_new("%s: --cpu: its samples don't tell their CPUs",
			reader_path(reader));
	if (!err && filter->cgroups.names.n)
		err = set_cgroups(pick, &filter->cgroups, reader, survey);
	pick->is_all = filter_has_all(filter);
	return err;
}

void pick_deinit(struct pick *pick)
{
	times_deinit(&pick->times);
	array_free(&pick->events);
	array_free(&pick->cgroups);
}

bool pick_has_extent(const struct pick *pick, const struct extent *extent)
{
	if (extent->coding != EXTENT_BLOCK)
		return true;
	if (extent->info.kind == BLOCK_SIDEBAND)
		return false;
	return !pick || times_meet(&pick->times, extent->info.first_time,
				extent->info.last_time);
}

static bool has_cgroup(const struct pick *pick, uint64_t id)
{
	array_each(&pick->cgroups, cgroup)
		if (*cgroup == id)
			return true;
	return false;
}

bool pick_checks_sample(const struct pick *pick, size_t event,
	const struct sample *sample)
{
	if (event < pick->events.n && !pick->events.at[event])
		return false;
	if (pick->cpus->list.n && !cpus_has(pick->cpus, sample->cpu))
		return false;
	if (pick->has_cgroups && !has_cgroup(pick, sample->cgroup))
		return false;
	return times_have(&pick->times, sample->time);
}
