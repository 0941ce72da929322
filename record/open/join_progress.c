/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/open/join_progress.h"

/*
 * Maximum duration of a clone(2), which inherits events before it writes the
 * FORK record at its end. If the FORK record is later than the opening of the
 * events by more than this, the clone started after the opening.
 */
#define CLONE_NS (10 * NSEC_PER_MSEC)

struct join *joins_get(struct joins *joins, pid_t tid)
{
	uint64_t hash = hash_words((uint64_t)tid, 0);
	struct join *new;

	hash_each_match(&joins->by_tid, hash, i)
		if (joins->list.at[i].tid == tid)
			return &joins->list.at[i];
	hash_insert(&joins->by_tid, hash, (uint32_t)joins->list.n);
	new = array_push(&joins->list);
	new->tid = tid;
	return new;
}

void joins_add_fork(struct joins *joins, const struct record_task *fork)
{
	struct join *parent = joins_get(joins, (pid_t)fork->ptid);
	uint64_t before = parent->last_fork;
	struct join *child;

	/* Two sideband events of the parent can write the same FORK record. */
	if (parent->last_child == (pid_t)fork->tid)
		return;
	parent->last_child = (pid_t)fork->tid;
	parent->last_fork = MAX(before, fork->time);
	child = joins_get(joins, (pid_t)fork->tid);
	child->parent = (pid_t)fork->ptid;
	child->born = fork->time;
	/*
	 * Earlier FORK records of the parent can be read later, from the ring
	 * buffers of other CPUs.
	 */
	child->parent_free = before < fork->time ? before : 0;
}

enum join_relation joins_relation(struct joins *joins, pid_t tid)
{
	struct join child = *joins_get(joins, tid);
	const struct join *parent;

	if (!joins->inherits || !child.parent)
		return JOIN_APART;
	parent = joins_get(joins, child.parent);
	if (!parent->root)
		return JOIN_APART;
	if (parent->root != parent->tid)
		return JOIN_INHERITS;
	if (child.born < parent->begin)
		return JOIN_APART;
	/*
	 * A thread creates one child at a time: this clone started after the
	 * parent's previous FORK record.
	 */
	if (child.parent_free > parent->end ||
		child.born > parent->end + CLONE_NS)
		return JOIN_INHERITS;
	return JOIN_UNSURE;
}

pid_t joins_parent_root(struct joins *joins, pid_t tid)
{
	pid_t parent = joins_get(joins, tid)->parent;

	return parent ? joins_get(joins, parent)->root : 0;
}

void joins_inherit_roots(struct joins *joins)
{
	bool has_adopted;
	size_t i;

	/* A child can precede its parent in the list. */
	do {
		has_adopted = false;
		for (i = 0; i < joins->list.n; i++) {
			pid_t tid = joins->list.at[i].tid;

			if (joins_get(joins, tid)->root ||
				joins_relation(joins, tid) == JOIN_APART)
				continue;
			joins_get(joins, tid)->root =
				joins_parent_root(joins, tid);
			has_adopted = true;
		}
	} while (has_adopted);
}

void joins_replace_root(struct joins *joins, pid_t from, pid_t to)
{
	array_each(&joins->list, join)
		if (join->root == from)
			join->root = to;
}

void joins_remove_root(struct joins *joins, pid_t root)
{
	joins_replace_root(joins, root, 0);
}

void joins_free(struct joins *joins)
{
	array_free(&joins->list);
	hash_free(&joins->by_tid);
}
