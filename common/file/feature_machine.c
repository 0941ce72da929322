/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sections about the machine: its CPUs, memory and PMUs. */
#include "config.h"

#include "common/file/feature_private.h"

#include <inttypes.h>

#include "common/perf/machine.h"

bool feature_read_nrcpus(struct features *f, struct bytes *b)
{
	f->cpus_available = bytes_u32(b);
	f->cpus_online = bytes_u32(b);
	return b->ok;
}

void feature_write_nrcpus(const struct features *f, struct strbuf *out)
{
	strbuf_put_u32(out, f->cpus_available);
	strbuf_put_u32(out, f->cpus_online);
}

void feature_print_nrcpus(const struct features *f, struct strbuf *out)
{
	strbuf_printf(out, "# nrcpus online : %u\n# nrcpus avail : %u\n",
		f->cpus_online, f->cpus_available);
}

bool feature_read_total_mem(struct features *f, struct bytes *b)
{
	f->total_memory = bytes_u64(b);
	return b->ok;
}

void feature_write_total_mem(const struct features *f, struct strbuf *out)
{
	strbuf_put_u64(out, f->total_memory);
}

void feature_print_total_mem(const struct features *f, struct strbuf *out)
{
	strbuf_printf(
		out, "# total memory : %" PRIu64 " kB\n", f->total_memory);
}

void feature_keep(struct feature_bytes *into, struct bytes *b)
{
	size_t size = bytes_left(b);

	free(into->at);
	into->at = xmemdup(bytes_take(b, size), size);
	into->n = size;
	into->swap = b->swap;
}

struct bytes feature_kept(const struct feature_bytes *kept)
{
	return bytes_of(kept->at, kept->n, kept->swap);
}

/*
 * The topology is kept as bytes, which are parsed for printing. Reports also
 * need the CPUs' place in it. CPU_TOPOLOGY comes after NRCPUS.
 */
bool feature_read_cpus(struct features *f, struct bytes *b)
{
	struct bytes whole = *b;

	feature_keep(&f->cpus, &whole);
	return topology_read_cpus(&f->topology, b, f->cpus_available);
}

bool feature_read_numa(struct features *f, struct bytes *b)
{
	struct bytes whole = *b;

	feature_keep(&f->numa, &whole);
	return topology_read_nodes(&f->topology, b);
}

void feature_print_cpus(const struct features *f, struct strbuf *out)
{
	machine_print_cpus(feature_kept(&f->cpus), f->cpus_available, out);
}
