/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/survey/control_groups.h"

#include "common/util/alloc.h"

#define GROUPS_MAX ((size_t)1 << 20)

/* PERF_RECORD_CGROUP: u64 id, then its path. */
bool control_groups_add(
	struct control_groups *groups, const struct record *record)
{
	struct bytes b = record_payload(record);
	uint64_t id = bytes_u64(&b);
	size_t room = bytes_left(&b);
	const char *path = bytes_take(&b, room);

	if (!b.ok || groups->at.n == GROUPS_MAX)
		return false;
	*array_push(&groups->at) =
		(struct control_group){ id, xstrndup(path, room) };
	return true;
}

static int compare_control_groups(const void *a, const void *b)
{
	const struct control_group *left = a, *right = b;

	return COMPARE(left->id, right->id);
}

void control_groups_sort(struct control_groups *groups)
{
	array_sort(&groups->at, compare_control_groups);
}

const char *control_groups_path(
	const struct control_groups *groups, uint64_t id)
{
	size_t i = array_count_before(&groups->at, group, group->id < id);

	return i < groups->at.n && groups->at.at[i].id == id
		? groups->at.at[i].path
		: NULL;
}

void control_groups_deinit(struct control_groups *groups)
{
	array_each(&groups->at, group)
		free(group->path);
	array_free(&groups->at);
}
