/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/rows/group.h"

#include "common/util/alloc.h"

size_t group_size(const struct inputs *inputs, size_t first, bool is_forced,
	const char **name_ret)
{
	const struct input_event *event = &inputs->events.at[first];
	const struct features *features =
		reader_features(inputs->at.at[event->input].reader);
	/* the events that are also consecutive in the recording */
	size_t n = 1;

	while (first + n < inputs->events.n && event[n].input == event->input &&
		event[n].own == event[n - 1].own + 1)
		n++;
	*name_ret = "";
	array_each(&features->groups, group) {
		if (group->leader != event->own)
			continue;
		/* perf writes this name for a group without a name. */
		if (!string_is(group->name, "{anon_group}"))
			*name_ret = group->name;
		return MAX(MIN((size_t)group->n, n), (size_t)1);
	}
	return is_forced && !features->groups.n && first == 0 ? inputs->events.n
							      : 1;
}

struct group_join {
	struct hist *leader;
	const struct hist_request *request;
	struct hash_index by_key;
	ARRAY(const struct row *)
	others; /* index: row number * members + number of member */
};

static uint64_t hash_row_key(
	const struct group_join *join, const struct row *row)
{
	uint64_t hash = 0;
	size_t i;

	for (i = 0; i < join->request->n_fields; i++)
		hash = hash_words(hash, row->key[i]);
	return hash;
}

static void index_leader_row(struct group_join *join, uint32_t number)
{
	const struct row *row = &join->leader->rows.at[number];
	size_t i;

	hash_insert(&join->by_key, hash_row_key(join, row), number);
	for (i = 0; i < join->leader->members.n; i++)
		array_push(&join->others);
}

void group_join(struct hist *leader, const struct hist_request *request,
	const struct field_names *names)
{
	struct group_join join = { .leader = leader, .request = request };
	size_t n = leader->members.n, i;
	uint32_t number;
	struct row *new;

	for (number = 0; number < leader->rows.n; number++)
		index_leader_row(&join, number);
	for (i = 0; i < n; i++)
		array_each(&leader->members.at[i].rows, row) {
			uint64_t hash = hash_row_key(&join, row);

			number = HASH_NONE;
			hash_each_match(&join.by_key, hash, at) {
				const struct row *known = &leader->rows.at[at];

				if (memcmp(known->key, row->key,
					    sizeof(row->key)) ||
					known->is_rest != row->is_rest)
					continue;
				number = at;
				break;
			}
			if (number != HASH_NONE) {
				join.others.at[number * n + i] = row;
				continue;
			}
			/* Only other group members have these keys. */
			number = (uint32_t)leader->rows.n;
			new = array_push(&leader->rows);
			/* no stack of the leader has this row */
			new->number = number;
			memcpy(new->key, row->key, sizeof(row->key));
			new->location = row->location;
			new->is_rest = row->is_rest;
			/* As in perf, the limit applies to the leader's share. */
			new->is_hidden =
				row->is_hidden || request->percent_limit > 0;
			index_leader_row(&join, number);
			join.others.at[number * n + i] = row;
		}
	leader->others = join.others.at;
	for (number = 0; number < leader->rows.n; number++)
		leader->rows.at[number].others = leader->others + number * n;
	hash_free(&join.by_key);
	hist_sort(leader, request, names);
}
