/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Query functions, which only read the struct maps. */
#include "config.h"

#include "common/maps/maps.h"
#include "common/maps/maps_private.h"
#include "common/util/alloc.h"

struct maps_process *maps_process(const struct maps *maps, uint32_t pid)
{
	uint64_t hash = hash_words(pid, 0);

	hash_each_match(&maps->by_pid, hash, i)
		if (maps->processes.at[i].pid == pid)
			return &maps->processes.at[i];
	return NULL;
}

struct maps_thread *maps_thread(
	const struct maps *maps, uint32_t pid, uint32_t tid)
{
	uint64_t hash = hash_words(pid, tid);

	hash_each_match(&maps->by_tid, hash, i)
		if (maps->threads.at[i].pid == pid &&
			maps->threads.at[i].tid == tid)
			return &maps->threads.at[i];
	return NULL;
}

struct maps_context maps_context(
	const struct maps *maps, uint32_t pid, uint32_t tid, uint64_t time)
{
	const struct maps_process *process = maps_process(maps, pid);
	const struct maps_thread *thread = maps_thread(maps, pid, tid);
	const struct maps_thread *main =
		tid == pid ? thread : maps_thread(maps, pid, pid);
	struct maps_context context = { .space = MAPS_NO_SPACE,
		.valid_until = UINT64_MAX };
	size_t n;

	if (process) {
		n = VERSIONS_BEFORE(&process->versions, time);
		if (n) {
			context.space = process->versions.at[n - 1].space;
			context.valid_from = process->versions.at[n - 1].time;
		}
		if (n < process->versions.n)
			context.valid_until = process->versions.at[n].time;
	}
	if (thread) {
		n = VERSIONS_BEFORE(&thread->comms, time);
		if (n) {
			const struct maps_comm *version =
				&thread->comms.at[n - 1];

			context.comm = version->comm;
			context.tid_use = version->use;
			context.valid_from =
				MAX(context.valid_from, version->time);
		}
		if (n < thread->comms.n)
			context.valid_until = MIN(
				context.valid_until, thread->comms.at[n].time);
	}
	/* A new use of the PID begins with a new space, a limit already. */
	if (main) {
		n = VERSIONS_BEFORE(&main->comms, time);
		context.pid_use = n ? main->comms.at[n - 1].use : 0;
	}
	return context;
}

uint32_t maps_process_comm(
	const struct maps *maps, uint32_t pid, uint32_t pid_use)
{
	const struct maps_thread *main = maps_thread(maps, pid, pid);
	size_t n;

	if (!main)
		return 0;
	n = array_count_before(&main->comms, version, version->use <= pid_use);
	return n && main->comms.at[n - 1].use == pid_use
		? main->comms.at[n - 1].comm
		: 0;
}

const struct mapping *maps_find_part(const struct maps *maps, uint32_t number,
	uint64_t address, struct maps_part *ret)
{
	const struct maps_node *node;
	struct space space;
	uint32_t found;

	if (number >= maps->spaces.n)
		return NULL;
	space = maps->spaces.at[number];
	found = maps_tree_find(maps, space.root, address);
	if (found != NO_NODE) {
		node = &maps->nodes.at[found];
		*ret = (struct maps_part){ node->start, node->end };
		return &maps->mappings.at[node->mapping];
	}
	if (space.before_exec == MAPS_NO_SPACE)
		return NULL;
	found = maps_tree_find(
		maps, maps->spaces.at[space.before_exec].root, address);
	if (found == NO_NODE)
		return NULL;
	*ret = (struct maps_part){ address, address + 1 };
	return &maps->mappings.at[maps->nodes.at[found].mapping];
}

const struct mapping *maps_find(
	const struct maps *maps, uint32_t number, uint64_t address)
{
	struct maps_part part;

	return maps_find_part(maps, number, address, &part);
}

uint32_t maps_program(const struct maps *maps, uint32_t space)
{
	return space < maps->spaces.n ? maps->spaces.at[space].program : 0;
}

const char *maps_comm(const struct maps *maps, uint32_t comm)
{
	return comm < maps->comms.n ? maps->comms.at[comm] : "";
}

const struct dso *maps_dso(const struct maps *maps, uint32_t dso)
{
	return &maps->dsos.at[dso];
}

uint32_t maps_n_dsos(const struct maps *maps)
{
	return (uint32_t)maps->dsos.n;
}

const struct mapping *maps_mapping(const struct maps *maps, uint32_t number)
{
	return &maps->mappings.at[number];
}

uint32_t maps_n_mappings(const struct maps *maps)
{
	return (uint32_t)maps->mappings.n;
}

uint32_t maps_n_spaces(const struct maps *maps)
{
	return (uint32_t)maps->spaces.n;
}

bool *maps_living(const struct maps *maps, uint64_t since)
{
	size_t n = maps->processes.n, i;
	bool *living = xcalloc(n, sizeof(*living));
	_cleanup_free_ bool *ended = xcalloc(n, sizeof(*ended));

	array_each(&maps->threads, thread) {
		const struct maps_process *process =
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
	const struct maps_node *node = &maps->nodes.at[at];
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

void maps_visit(const struct maps *maps, uint64_t since,
	const struct maps_visitor *visitor)
{
	_cleanup_free_ bool *living = maps_living(maps, since);
	const struct maps_process *process = maps->processes.at;
	size_t i;

	array_each(&maps->threads, thread)
		if (!maps_has_ended(thread, since)) {
			size_t n = thread->comms.n;
			uint32_t comm = n ? thread->comms.at[n - 1].comm : 0;

			if (comm && visitor->comm)
				visitor->comm(visitor->data, thread->pid,
					thread->tid, maps_comm(maps, comm));
			if (thread->ended && visitor->end)
				visitor->end(visitor->data, thread->pid,
					thread->tid, thread->ended);
		}
	for (i = 0; visitor->mapping && i < maps->processes.n; i++, process++) {
		uint32_t space = maps_newest_space(process);

		if (living[i] && process->pid != MAPS_KERNEL_PID)
			visit_node(maps, maps->spaces.at[space].root,
				process->pid, visitor);
	}
}

void maps_visit_space(const struct maps *maps, uint32_t space,
	const struct maps_visitor *visitor)
{
	if (space < maps->spaces.n)
		visit_node(maps, maps->spaces.at[space].root, 0, visitor);
}
