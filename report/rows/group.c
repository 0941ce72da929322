/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/rows/group.h"

#include "common/util/alloc.h"

/* So many from FIRST on stand one after the other in their recording, too. */
static size_t count_neighbours(const struct inputs *inputs, size_t first)
{
	const struct input_event *events = inputs->events.at;
	size_t i = first + 1;

	while (i < inputs->events.n &&
		events[i].input == events[first].input &&
		events[i].own == events[i - 1].own + 1)
		i++;
	return i - first;
}

size_t group_size(const struct inputs *inputs, size_t first, bool is_forced,
	const char **name_ret)
{
	const struct input_event *event = &inputs->events.at[first];
	const struct features *features =
		reader_features(inputs->at.at[event->input].reader);
	size_t n = count_neighbours(inputs, first);

	*name_ret = "";
	array_each(&features->groups, group) {
		if (group->leader != event->own)
			continue;
		/* So perf writes that it has none. */
		if (!string_is(group->name, "{anon_group}"))
			*name_ret = group->name;
		return MAX(MIN((size_t)group->n, n), (size_t)1);
	}
	return is_forced && !features->groups.n && first == 0
		? inputs->events.n
		: 1;
}

struct joining {
	struct hist *leader;
	const struct hist_request *request;
	struct hash_index by_key;
	ARRAY(const struct row *) others; /* one per row and member */
};

static uint64_t hash_key(
	const struct joining *joining, const struct row *row)
{
	uint64_t hash = 0;
	size_t i;

	for (i = 0; i < joining->request->n_fields; i++)
		hash = hash_words(hash, row->key[i]);
	return hash;
}

static void add_row(struct joining *joining, uint32_t number)
{
	const struct row *row = &joining->leader->rows.at[number];
	size_t i;

	hash_insert(&joining->by_key, hash_key(joining, row), number);
	for (i = 0; i < joining->leader->members.n; i++)
		array_push(&joining->others);
}

/* The leader's row with the keys of ROW, which only a member may have. */
static uint32_t row_like(struct joining *joining, const struct row *row)
{
	uint64_t hash = hash_key(joining, row);
	uint32_t i, probe = hash_start(hash);
	struct row *new;

	while ((i = hash_next(&joining->by_key, hash, &probe)) != HASH_NONE)
		if (!memcmp(joining->leader->rows.at[i].key, row->key,
			    sizeof(row->key)) &&
			joining->leader->rows.at[i].is_rest == row->is_rest)
			return i;
	i = (uint32_t)joining->leader->rows.n;
	new = array_push(&joining->leader->rows);
	new->number = i; /* nowhere in the leader's stacks */
	memcpy(new->key, row->key, sizeof(row->key));
	new->location = row->location;
	new->is_rest = row->is_rest;
	/* A limit is for what the leader has there, as in perf. */
	new->is_hidden = row->is_hidden || joining->request->percent_limit > 0;
	add_row(joining, i);
	return i;
}

void group_join(struct hist *leader, const struct hist_request *request,
	const struct field_names *names)
{
	struct joining joining = { .leader = leader, .request = request };
	size_t n = leader->members.n, i;
	uint32_t number;

	for (number = 0; number < leader->rows.n; number++)
		add_row(&joining, number);
	for (i = 0; i < n; i++)
		array_each(&leader->members.at[i].rows, row) {
			number = row_like(&joining, row);
			joining.others.at[number * n + i] = row;
		}
	leader->others = joining.others.at;
	for (number = 0; number < leader->rows.n; number++)
		leader->rows.at[number].others =
			leader->others + number * n;
	hash_free(&joining.by_key);
	hist_sort(leader, request, names);
}
