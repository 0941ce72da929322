/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of all feature sections; feature_*.c read, write and print them. */
#include "config.h"

#include "common/file/feature.h"

#include "common/file/feature_private.h"
#include "common/perf/machine.h"

/* Sets the functions of a section that has a format of its own. */
#define OWN(section)                                                      \
	.read = feature_read_##section, .write = feature_write_##section, \
	.print = feature_print_##section
/* Describes a section that is one text, which --header prints after LABEL. */
#define TEXT(field, label_) \
	.text = offsetof(struct features, field), .label = label_
/*
 * Describes a section that is kept as bytes, which are parsed only for
 * printing.
 */
#define KEPT(field) .kept = offsetof(struct features, field)

static const struct feature_kind {
	const char *name;
	/*
	 * Functions of the section. NULL: .text or .kept is used instead, or
	 * dwell does not read, write or print the section.
	 */
	feature_reader *read;
	feature_writer *write, *print;
	void (*print_kept)(struct bytes b, struct strbuf *out);
	size_t text, kept; /* offset in struct features; 0: none */
	const char *label;
	bool is_long;
	bool is_read_only; /* dwell does not write the section */
} kinds[FEATURE_BITS] = {
	[FEATURE_TRACING_DATA] = { "TRACING_DATA",
		.read = feature_read_tracing_data,
		.write = feature_write_tracing_data },
	[FEATURE_BUILD_ID] = { "BUILD_ID", .read = feature_read_build_ids,
		.write = feature_write_build_ids },
	[FEATURE_HOSTNAME] = { "HOSTNAME", TEXT(hostname, "hostname") },
	[FEATURE_OSRELEASE] = { "OSRELEASE", TEXT(osrelease, "os release") },
	[FEATURE_VERSION] = { "VERSION", TEXT(version, "recorded by") },
	[FEATURE_ARCH] = { "ARCH", TEXT(arch, "arch") },
	[FEATURE_NRCPUS] = { "NRCPUS", OWN(nrcpus) },
	[FEATURE_CPUDESC] = { "CPUDESC", TEXT(cpudesc, "cpudesc") },
	[FEATURE_CPUID] = { "CPUID", TEXT(cpuid, "cpuid") },
	[FEATURE_TOTAL_MEM] = { "TOTAL_MEM", OWN(total_mem) },
	[FEATURE_CMDLINE] = { "CMDLINE", OWN(cmdline) },
	[FEATURE_EVENT_DESC] = { "EVENT_DESC", OWN(event_desc) },
	[FEATURE_CPU_TOPOLOGY] = { "CPU_TOPOLOGY", KEPT(cpus),
		.read = feature_read_cpus, .print = feature_print_cpus,
		.is_long = true },
	[FEATURE_NUMA_TOPOLOGY] = { "NUMA_TOPOLOGY", KEPT(numa),
		.read = feature_read_numa, .print_kept = machine_print_nodes,
		.is_long = true },
	[FEATURE_BRANCH_STACK] = { "BRANCH_STACK",
		.write = feature_write_branches,
		.print = feature_print_branches },
	[FEATURE_PMU_MAPPINGS] = { "PMU_MAPPINGS", OWN(pmu_mappings) },
	[FEATURE_GROUP_DESC] = { "GROUP_DESC", OWN(group_desc) },
	[FEATURE_AUXTRACE] = { "AUXTRACE", .print = feature_print_auxtrace },
	[FEATURE_STAT] = { "STAT", .print = feature_print_stat },
	[FEATURE_CACHE] = { "CACHE", KEPT(caches),
		.print_kept = machine_print_caches, .is_long = true },
	[FEATURE_SAMPLE_TIME] = { "SAMPLE_TIME", OWN(sample_time) },
	[FEATURE_MEM_TOPOLOGY] = { "MEM_TOPOLOGY", KEPT(memory),
		.print_kept = machine_print_memory, .is_long = true },
	[FEATURE_CLOCKID] = { "CLOCKID", OWN(clockid) },
	[FEATURE_DIR_FORMAT] = { "DIR_FORMAT", .read = feature_read_dir_format,
		.print = feature_print_dir_format },
	[FEATURE_BPF_PROG_INFO] = { "BPF_PROG_INFO", KEPT(bpf_programs),
		.print = feature_print_bpf_programs },
	[FEATURE_BPF_BTF] = { "BPF_BTF", KEPT(bpf_types),
		.print = feature_print_bpf_types },
	[FEATURE_COMPRESSED] = { "COMPRESSED", OWN(compressed) },
	[FEATURE_CPU_PMU_CAPS] = { "CPU_PMU_CAPS", KEPT(cpu_caps),
		.print_kept = machine_print_cpu_caps },
	[FEATURE_CLOCK_DATA] = { "CLOCK_DATA", OWN(clock_data) },
	[FEATURE_HYBRID_TOPOLOGY] = { "HYBRID_TOPOLOGY", KEPT(hybrid),
		.print_kept = machine_print_hybrid, .is_long = true },
	[FEATURE_PMU_CAPS] = { "PMU_CAPS", KEPT(pmu_caps),
		.print_kept = machine_print_pmu_caps },
	[FEATURE_CPU_DOMAIN_INFO] = { "CPU_DOMAIN_INFO", KEPT(domains),
		.print_kept = machine_print_domains, .is_long = true },
	[FEATURE_E_MACHINE] = { "E_MACHINE", KEPT(elf_machine),
		.print_kept = machine_print_elf_machine },
	[FEATURE_CLN_SIZE] = { "CLN_SIZE", KEPT(cacheline),
		.print_kept = machine_print_cacheline },
	[FEATURE_META_INFO] = { "META_INFO", KEPT(meta_info),
		.print = feature_print_meta_info, .is_read_only = true },
	[FEATURE_FILE2] = { "FILE2", KEPT(simpleperf_files),
		.is_read_only = true },
};

static const struct feature_kind *find_feature_kind(unsigned bit)
{
	return bit < FEATURE_BITS ? &kinds[bit] : NULL;
}

/*
 * feature_text() and feature_bytes() return the member of F that contains the
 * section KIND.
 */
static char **feature_text(
	const struct features *f, const struct feature_kind *kind)
{
	return (char **)((uintptr_t)f + kind->text);
}

static struct feature_bytes *feature_bytes(
	const struct features *f, const struct feature_kind *kind)
{
	return (struct feature_bytes *)((uintptr_t)f + kind->kept);
}

const char *feature_name(unsigned bit)
{
	return bit < FEATURE_BITS ? kinds[bit].name : NULL;
}

static bool read_text_feature(char **text, struct bytes *b)
{
	char *new = feature_take_text(b);

	if (!new)
		return false;
	free(*text);
	*text = new;
	return true;
}

bool feature_read(struct features *features, unsigned bit, struct bytes b)
{
	const struct feature_kind *kind = find_feature_kind(bit);

	if (!kind)
		return false;
	if (kind->read && !kind->read(features, &b))
		return false;
	if (kind->text && !read_text_feature(feature_text(features, kind), &b))
		return false;
	if (kind->kept && !kind->read)
		feature_keep(feature_bytes(features, kind), &b);
	features_mark(features, bit);
	return true;
}

bool feature_write(
	const struct features *features, unsigned bit, struct strbuf *out)
{
	const struct feature_kind *kind = find_feature_kind(bit);
	const struct feature_bytes *kept;

	if (!kind || kind->is_read_only)
		return false;
	if (kind->write) {
		kind->write(features, out);
		return true;
	}
	if (kind->text)
		feature_put_text(out, *feature_text(features, kind));
	/*
	 * Kept bytes can be written as they are: in a recording that dwell
	 * writes, they have this machine's byte order.
	 */
	kept = kind->kept ? feature_bytes(features, kind) : NULL;
	if (kept && kept->n)
		strbuf_put(out, kept->at, kept->n);
	return kind->text || kept;
}

bool feature_is_long(unsigned bit)
{
	return bit < FEATURE_BITS && kinds[bit].is_long;
}

void feature_print(
	const struct features *features, unsigned bit, struct strbuf *out)
{
	const struct feature_kind *kind = find_feature_kind(bit);

	if (!kind || !feature_is_present(features, bit))
		return;
	if (kind->print)
		kind->print(features, out);
	else if (kind->text)
		strbuf_printf(out, "# %s : %s\n", kind->label,
			*feature_text(features, kind));
	else if (kind->print_kept)
		kind->print_kept(
			feature_kept(feature_bytes(features, kind)), out);
}

void features_deinit(struct features *f)
{
	const struct feature_kind *kind;

	for (kind = kinds; kind < kinds + FEATURE_BITS; kind++) {
		if (kind->text)
			free(*feature_text(f, kind));
		if (kind->kept)
			free(feature_bytes(f, kind)->at);
	}
	array_each(&f->cmdline, word)
		free(*word);
	array_free(&f->cmdline);
	array_each(&f->events, event)
		event_deinit(event);
	array_free(&f->events);
	array_each(&f->pmus, pmu)
		free(pmu->name);
	array_free(&f->pmus);
	array_each(&f->groups, group)
		free(group->name);
	array_free(&f->groups);
	array_each(&f->build_ids, entry)
		free(entry->path);
	array_free(&f->build_ids);
	machine_topology_deinit(&f->topology);
	free(f->tracing_data);
	*f = (struct features){ 0 };
}
