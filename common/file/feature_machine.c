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

/* Who writes a recording has kept bytes of this machine's order only. */
void feature_put_kept(const struct feature_bytes *kept, struct strbuf *out)
{
	strbuf_put(out, kept->at ? (const char *)kept->at : "", kept->n);
}

struct bytes feature_kept(const struct feature_bytes *kept)
{
	return bytes_of(kept->at, kept->n, kept->swap);
}

/*
 * How the machine was built is kept, and read when it is printed; where its
 * CPUs are counts for reports, too. CPU_TOPOLOGY stands behind NRCPUS.
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

void feature_write_cpus(const struct features *f, struct strbuf *out)
{
	feature_put_kept(&f->cpus, out);
}

void feature_write_numa(const struct features *f, struct strbuf *out)
{
	feature_put_kept(&f->numa, out);
}

void feature_print_cpus(const struct features *f, struct strbuf *out)
{
	machine_print_cpus(feature_kept(&f->cpus), f->cpus_available, out);
}

void feature_print_numa(const struct features *f, struct strbuf *out)
{
	machine_print_nodes(feature_kept(&f->numa), out);
}

/* The sections that are only ever printed. */
#define DEFINE_KEPT_FEATURE(field)                                             \
	bool feature_read_##field(struct features *f, struct bytes *b)         \
	{                                                                      \
		feature_keep(&f->field, b);                                    \
		return true;                                                   \
	}                                                                      \
	void feature_write_##field(const struct features *f, struct strbuf *o) \
	{                                                                      \
		feature_put_kept(&f->field, o);                                \
	}                                                                      \
	void feature_print_##field(const struct features *f, struct strbuf *o) \
	{                                                                      \
		machine_print_##field(feature_kept(&f->field), o);             \
	}

DEFINE_KEPT_FEATURE(caches)
DEFINE_KEPT_FEATURE(memory)
DEFINE_KEPT_FEATURE(cpu_caps)
DEFINE_KEPT_FEATURE(pmu_caps)
DEFINE_KEPT_FEATURE(hybrid)
DEFINE_KEPT_FEATURE(domains)
DEFINE_KEPT_FEATURE(elf_machine)
DEFINE_KEPT_FEATURE(cacheline)
