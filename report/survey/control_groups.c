/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/survey/control_groups.h"

#include "common/util/alloc.h"

#define GROUPS_MAX ((size_t)1 << 20)

/*
 * PERF_RECORD_CGROUP contains the cgroup ID (u64) and the path of the cgroup.
 */
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

void control_groups_sort(struct control_groups *groups)
{
	array_sort(&groups->at, array_compare_u64);
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

/* --- cgroup namespaces ------------------------------------------------- */

/*
 * Index of the cgroup namespace among the device and inode pairs of a
 * NAMESPACES record (linux/perf_event.h).
 */
#define CGROUP_NAMESPACE 6u

bool control_namespaces_add(struct control_namespaces *namespaces,
	const struct record *record, uint64_t time)
{
	struct bytes b = record_payload(record);
	struct control_namespace new = { .since = time,
		.order = namespaces->at.n };
	uint64_t n;

	bytes_u32(&b); /* pid */
	new.tid = bytes_u32(&b);
	n = bytes_u64(&b);
	if (!b.ok || n <= CGROUP_NAMESPACE)
		return b.ok;
	bytes_take(&b, CGROUP_NAMESPACE * 2 * sizeof(uint64_t));
	new.device = bytes_u64(&b);
	new.inode = bytes_u64(&b);
	if (b.ok)
		*array_push(&namespaces->at) = new;
	return b.ok;
}

/*
 * Of two records of a thread with the same time, the later record in the file
 * is sorted last and is used.
 */
static int compare_namespaces(const void *a, const void *b)
{
	const struct control_namespace *left = a, *right = b;

	if (left->tid != right->tid)
		return COMPARE(left->tid, right->tid);
	if (left->since != right->since)
		return COMPARE(left->since, right->since);
	return COMPARE(left->order, right->order);
}

void control_namespaces_sort(struct control_namespaces *namespaces)
{
	array_sort(&namespaces->at, compare_namespaces);
}

const struct control_namespace *control_namespaces_find(
	const struct control_namespaces *namespaces, uint32_t tid,
	uint64_t time)
{
	size_t after = array_count_before(&namespaces->at, at,
		at->tid < tid || (at->tid == tid && at->since <= time));

	if (!after || namespaces->at.at[after - 1].tid != tid)
		return NULL;
	return &namespaces->at.at[after - 1];
}

void control_namespaces_deinit(struct control_namespaces *namespaces)
{
	array_free(&namespaces->at);
}
