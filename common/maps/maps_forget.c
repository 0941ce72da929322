/* SPDX-License-Identifier: GPL-2.0-or-later */
/* maps_forget() copies the data that are still needed and frees the rest. */
#include "config.h"

#include "common/maps/maps.h"
#include "common/maps/maps_private.h"
#include "common/util/alloc.h"

struct forget_copy {
	struct maps *from, *to;
	/*
	 * For each index in FROM, the index of the copy in TO; for mappings,
	 * plus 1. 0: not copied.
	 */
	uint32_t *nodes, *mappings, *spaces;
};

static uint32_t copy_tree(struct forget_copy *copy, uint32_t tree)
{
	struct maps_node node = copy->from->nodes.at[tree];

	if (tree == NO_NODE || copy->nodes[tree])
		return copy->nodes[tree];
	node.left = copy_tree(copy, node.left);
	node.right = copy_tree(copy, node.right);
	uint32_t *found = &copy->mappings[node.mapping];

	if (!*found) {
		*array_push(&copy->to->mappings) =
			copy->from->mappings.at[node.mapping];
		*found = (uint32_t)copy->to->mappings.n;
	}
	node.mapping = *found - 1;
	copy->nodes[tree] = (uint32_t)copy->to->nodes.n;
	*array_push(&copy->to->nodes) = node;
	return copy->nodes[tree];
}

static uint32_t copy_space(struct forget_copy *copy, uint32_t number)
{
	const struct space *space = &copy->from->spaces.at[number];

	if (number == MAPS_NO_SPACE || copy->spaces[number])
		return copy->spaces[number];
	copy->spaces[number] = (uint32_t)copy->to->spaces.n;
	*array_push(&copy->to->spaces) =
		(struct space){ .root = copy_tree(copy, space->root),
			.program = space->program };
	return copy->spaces[number];
}

static void copy_process(struct forget_copy *copy,
	const struct maps_process *process, uint64_t before)
{
	size_t first = VERSIONS_BEFORE(&process->versions, before), i;
	struct maps_process *new;

	hash_insert(&copy->to->by_pid, hash_words(process->pid, 0),
		(uint32_t)copy->to->processes.n);
	new = array_push(&copy->to->processes);
	new->pid = process->pid;
	new->epoch = process->epoch;
	for (i = first ? first - 1 : 0; i < process->versions.n; i++) {
		const struct space_version *version = &process->versions.at[i];

		uint32_t number = copy_space(copy, version->space), replaced;

		/* Also copy the space that an exec replaced since BEFORE. */
		if (version->time >= before) {
			replaced = copy->from->spaces.at[version->space]
					   .before_exec;
			replaced = copy_space(copy, replaced);
			copy->to->spaces.at[number].before_exec = replaced;
		}
		*array_push(&new->versions) =
			(struct space_version){ version->time, number };
	}
}

void maps_forget(struct maps *maps, uint64_t before)
{
	/* DSOs and names move to TO; the other members are rebuilt. */
	struct maps to = {
		.dsos.at = maps->dsos.at,
		.dsos.n = maps->dsos.n,
		.dsos.room = maps->dsos.room,
		.comms.at = maps->comms.at,
		.comms.n = maps->comms.n,
		.comms.room = maps->comms.room,
		.by_dso = maps->by_dso,
		.by_comm = maps->by_comm,
		.epochs = maps->epochs,
		.programs = maps->programs,
		.random = maps->random,
	};
	struct forget_copy copy = {
		.from = maps,
		.to = &to,
		.nodes = xcalloc(maps->nodes.n, sizeof(uint32_t)),
		.mappings = xcalloc(maps->mappings.n + 1, sizeof(uint32_t)),
		.spaces = xcalloc(maps->spaces.n, sizeof(uint32_t)),
	};

	array_push(&to.nodes);
	array_push(&to.spaces);
	array_each(&copy.from->threads, thread)
		if (!maps_has_ended(thread, before)) {
			size_t first = VERSIONS_BEFORE(&thread->comms, before),
			       i;
			struct maps_thread *new;

			hash_insert(&copy.to->by_tid,
				hash_words(thread->pid, thread->tid),
				(uint32_t)copy.to->threads.n);
			new = array_push(&copy.to->threads);
			*new = *thread;
			new->comms = (typeof(new->comms)){ 0 };
			for (i = first ? first - 1 : 0; i < thread->comms.n;
				i++)
				*array_push(&new->comms) = thread->comms.at[i];
		}
	_cleanup_free_ bool *living = maps_living(copy.from, before);
	size_t i;

	for (i = 0; i < copy.from->processes.n; i++)
		if (living[i])
			copy_process(
				&copy, &copy.from->processes.at[i], before);
	array_each(&maps->processes, process)
		array_free(&process->versions);
	array_each(&maps->threads, thread)
		array_free(&thread->comms);
	array_free(&maps->nodes);
	array_free(&maps->mappings);
	array_free(&maps->spaces);
	array_free(&maps->processes);
	array_free(&maps->threads);
	hash_free(&maps->by_pid);
	hash_free(&maps->by_tid);
	*maps = to;
	free(copy.nodes);
	free(copy.mappings);
	free(copy.spaces);
}

size_t maps_weight(const struct maps *maps)
{
	return maps->nodes.n + maps->mappings.n + maps->spaces.n +
		2 * (maps->processes.n + maps->threads.n);
}
