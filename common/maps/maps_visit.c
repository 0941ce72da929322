/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Everything as it is now. */
#include "config.h"

#include "common/maps/maps.h"
#include "common/maps/maps_private.h"
#include "common/util/alloc.h"

bool *maps_living(const struct maps *maps, uint64_t since)
{
	size_t n = maps->processes.n, i;
	bool *living = xcalloc(n, sizeof(*living));
	_cleanup_free_ bool *ended = xcalloc(n, sizeof(*ended));

	array_each(&maps->threads, thread) {
		const struct process *process =
			maps_process(maps, thread->pid);

		if (!process)
			continue;
		i = (size_t)(process - maps->processes.at);
		if (maps_has_ended(thread, since))
			ended[i] = true;
		else
			living[i] = true;
	}
	for (i = 0; i < n; i++)
		living[i] |= !ended[i];
	return living;
}

static void visit_node(const struct maps *maps, uint32_t at, uint32_t pid,
	const struct maps_visitor *visitor)
{
	const struct node *node = &maps->nodes.at[at];
	struct mapping seen;

	if (at == NO_NODE)
		return;
	visit_node(maps, node->left, pid, visitor);
	seen = maps->mappings.at[node->mapping];
	seen.offset += node->start - seen.start;
	seen.start = node->start;
	seen.end = node->end;
	visitor->mapping(visitor->data, pid, &seen);
	visit_node(maps, node->right, pid, visitor);
}

static void visit_thread(const struct maps *maps, const struct thread *thread,
	const struct maps_visitor *visitor)
{
	size_t n = thread->comms.n;

	if (n)
		visitor->comm(visitor->data, thread->pid, thread->tid,
			maps_comm(maps, thread->comms.at[n - 1].comm));
	if (thread->ended)
		visitor->end(visitor->data, thread->pid, thread->tid,
			thread->ended);
}

void maps_visit(const struct maps *maps, uint64_t since,
	const struct maps_visitor *visitor)
{
	_cleanup_free_ bool *living = maps_living(maps, since);
	const struct process *process = maps->processes.at;
	size_t i;

	array_each(&maps->threads, thread)
		if (!maps_has_ended(thread, since))
			visit_thread(maps, thread, visitor);
	for (i = 0; i < maps->processes.n; i++, process++) {
		uint32_t space = maps_newest_space(process);

		if (living[i] && process->pid != MAPS_KERNEL_PID)
			visit_node(maps, maps->spaces.at[space].root,
				process->pid, visitor);
	}
}
