/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/perf/topology.h"

#define NODES_MAX 4096u

void topology_deinit(struct topology *topology)
{
	array_free(&topology->cpus);
	array_each(&topology->nodes, node)
		cpus_deinit(&node->cpus);
	array_free(&topology->nodes);
}

/* Skips a u32 number of texts, each a u32 size and padded bytes. */
static void skip_texts(struct bytes *b)
{
	uint32_t n = bytes_u32(b), i;

	for (i = 0; i < n && b->ok; i++)
		bytes_take(b, bytes_u32(b));
}

bool topology_read_cpus(
	struct topology *topology, struct bytes *b, uint32_t n_cpus)
{
	uint32_t i;

	/* The lists of CPUs per socket and per core. */
	skip_texts(b);
	skip_texts(b);
	if (!b->ok || n_cpus > CPUS_MAX)
		return false;
	array_clear(&topology->cpus);
	if (bytes_left(b) < n_cpus * sizeof(struct topology_cpu))
		return true;
	for (i = 0; i < n_cpus; i++) {
		struct topology_cpu *cpu = array_push(&topology->cpus);

		cpu->core = bytes_u32(b);
		cpu->socket = bytes_u32(b);
	}
	return true;
}

bool topology_read_nodes(struct topology *topology, struct bytes *b)
{
	uint32_t n = bytes_u32(b), i;

	for (i = 0; i < n && i < NODES_MAX && b->ok; i++) {
		struct topology_node node = { .number = bytes_u32(b) };
		uint32_t size;
		const char *list;
		char *text;

		bytes_u64(b); /* total and free memory in KiB */
		bytes_u64(b);
		size = bytes_u32(b);
		list = bytes_take(b, size);
		if (!list)
			break;
		text = xstrndup(list, size);
		if (cpus_parse(text, &node.cpus))
			*array_push(&topology->nodes) = node;
		free(text);
	}
	return b->ok;
}

int64_t topology_socket(const struct topology *topology, uint32_t cpu)
{
	return cpu < topology->cpus.n
		? (int64_t)(int32_t)topology->cpus.at[cpu].socket
		: -1;
}

int64_t topology_node(const struct topology *topology, uint32_t cpu)
{
	array_each(&topology->nodes, node)
		if (cpus_has(&node->cpus, cpu))
			return node->number;
	return -1;
}
