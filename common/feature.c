/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/feature.h"

#include <inttypes.h>
#include <time.h>

#include "common/machine.h"

/* perf pads every text of a section to a multiple of this. */
#define TEXT_ALIGN 64u
#define CMDLINE_MAX 65536u
/* Padded to TEXT_ALIGN and with 36 bytes before it, it fits a u16. */
#define BUILD_ID_PATH_MAX ((size_t)65471)

static char *read_text(struct bytes *b)
{
	uint32_t size = bytes_u32(b);
	const char *text = bytes_take(b, size);

	return text ? xstrndup(text, size) : NULL;
}

void feature_put_text(struct strbuf *out, const char *text)
{
	size_t length = strlen(text ? text : "");
	size_t room = ALIGN_UP(length + 1, TEXT_ALIGN);

	strbuf_put_u32(out, (uint32_t)room);
	strbuf_put(out, text ? text : "", length);
	strbuf_fill(out, 0, room - length);
}

static void replace(char **old, char *new)
{
	free(*old);
	*old = new;
}

/* The sections that are one text each. */
#define DEFINE_TEXT_FEATURE(field, label)                                      \
	static bool read_##field(struct features *f, struct bytes *b)          \
	{                                                                      \
		char *text = read_text(b);                                     \
                                                                               \
		if (text)                                                      \
			replace(&f->field, text);                              \
		return text;                                                   \
	}                                                                      \
	static void write_##field(const struct features *f, struct strbuf *o)  \
	{                                                                      \
		feature_put_text(o, f->field);                                 \
	}                                                                      \
	static void print_##field(const struct features *f, struct strbuf *o)  \
	{                                                                      \
		strbuf_printf(o, "# " label " : %s\n", f->field);              \
	}

DEFINE_TEXT_FEATURE(hostname, "hostname")
DEFINE_TEXT_FEATURE(osrelease, "os release")
DEFINE_TEXT_FEATURE(version, "recorded by")
DEFINE_TEXT_FEATURE(arch, "arch")
DEFINE_TEXT_FEATURE(cpudesc, "cpudesc")
DEFINE_TEXT_FEATURE(cpuid, "cpuid")

static bool read_nrcpus(struct features *f, struct bytes *b)
{
	f->cpus_available = bytes_u32(b);
	f->cpus_online = bytes_u32(b);
	return b->ok;
}

static void write_nrcpus(const struct features *f, struct strbuf *out)
{
	strbuf_put_u32(out, f->cpus_available);
	strbuf_put_u32(out, f->cpus_online);
}

static void print_nrcpus(const struct features *f, struct strbuf *out)
{
	strbuf_printf(out, "# nrcpus online : %u\n# nrcpus avail : %u\n",
		f->cpus_online, f->cpus_available);
}

static bool read_total_mem(struct features *f, struct bytes *b)
{
	f->total_memory = bytes_u64(b);
	return b->ok;
}

static void write_total_mem(const struct features *f, struct strbuf *out)
{
	strbuf_put_u64(out, f->total_memory);
}

static void print_total_mem(const struct features *f, struct strbuf *out)
{
	strbuf_printf(out, "# total memory : %" PRIu64 " kB\n",
		f->total_memory);
}

static bool read_cmdline(struct features *f, struct bytes *b)
{
	uint32_t n = bytes_u32(b), i;

	if (n > CMDLINE_MAX)
		return false;
	for (i = 0; i < n && b->ok; i++) {
		char *word = read_text(b);

		if (word)
			*array_push(&f->cmdline) = word;
	}
	return b->ok;
}

static void write_cmdline(const struct features *f, struct strbuf *out)
{
	strbuf_put_u32(out, (uint32_t)f->cmdline.n);
	array_each(&f->cmdline, word)
		feature_put_text(out, *word);
}

static void print_cmdline(const struct features *f, struct strbuf *out)
{
	strbuf_puts(out, "# cmdline :");
	array_each(&f->cmdline, word)
		strbuf_printf(out, " %s", *word);
	strbuf_putc(out, '\n');
}

static bool read_event(
	struct bytes *b, size_t attr_size, struct event *ret)
{
	uint32_t n_ids, i;

	if (!attr_read(b, attr_size, &ret->attr))
		return false;
	n_ids = bytes_u32(b);
	ret->name = read_text(b);
	if (n_ids > bytes_left(b) / 8)
		return false;
	for (i = 0; i < n_ids; i++)
		*array_push(&ret->ids) = bytes_u64(b);
	return b->ok;
}

static bool read_event_desc(struct features *f, struct bytes *b)
{
	uint32_t n = bytes_u32(b), attr_size = bytes_u32(b), i;

	if (n > ATTR_EVENTS_MAX || f->events.n)
		return false;
	for (i = 0; i < n; i++)
		if (!read_event(b, attr_size, array_push(&f->events)))
			return false;
	return b->ok;
}

static void write_event_desc(const struct features *f, struct strbuf *out)
{
	size_t size = 0, before;

	array_each(&f->events, event)
		size = MAX(size, attr_stored_size(&event->attr));
	strbuf_put_u32(out, (uint32_t)f->events.n);
	strbuf_put_u32(out, (uint32_t)size);
	array_each(&f->events, event) {
		before = out->n;
		attr_write(&event->attr, out);
		strbuf_fill(out, 0, before + size - out->n);
		strbuf_put_u32(out, (uint32_t)event->ids.n);
		feature_put_text(out, event->name);
		array_each(&event->ids, id)
			strbuf_put_u64(out, *id);
	}
}

static void print_event_desc(const struct features *f, struct strbuf *out)
{
	array_each(&f->events, event) {
		strbuf_printf(out, "# event : name = %s, ", event->name);
		attr_print(&event->attr, out);
		strbuf_putc(out, '\n');
	}
}

static bool read_pmu_mappings(struct features *f, struct bytes *b)
{
	uint32_t n = bytes_u32(b), i;

	for (i = 0; i < n && b->ok; i++) {
		uint32_t type = bytes_u32(b);
		char *name = read_text(b);

		if (name)
			*array_push(&f->pmus) =
				(struct feature_pmu){ type, name };
	}
	return b->ok;
}

static void write_pmu_mappings(const struct features *f, struct strbuf *out)
{
	strbuf_put_u32(out, (uint32_t)f->pmus.n);
	array_each(&f->pmus, pmu) {
		strbuf_put_u32(out, pmu->type);
		feature_put_text(out, pmu->name);
	}
}

static void print_pmu_mappings(const struct features *f, struct strbuf *out)
{
	const char *separator = "";

	strbuf_puts(out, "# pmu mappings: ");
	array_each(&f->pmus, pmu) {
		strbuf_printf(out, "%s%s = %u", separator, pmu->name,
			pmu->type);
		separator = ", ";
	}
	strbuf_putc(out, '\n');
}

static bool read_group_desc(struct features *f, struct bytes *b)
{
	uint32_t n = bytes_u32(b), i;

	for (i = 0; i < n && b->ok; i++) {
		struct feature_group group = { .name = read_text(b) };

		group.leader = bytes_u32(b);
		group.n = bytes_u32(b);
		if (b->ok)
			*array_push(&f->groups) = group;
		else
			free(group.name);
	}
	return b->ok;
}

static void write_group_desc(const struct features *f, struct strbuf *out)
{
	strbuf_put_u32(out, (uint32_t)f->groups.n);
	array_each(&f->groups, group) {
		feature_put_text(out, group->name);
		strbuf_put_u32(out, group->leader);
		strbuf_put_u32(out, group->n);
	}
}

static void print_group_desc(const struct features *f, struct strbuf *out)
{
	array_each(&f->groups, group) {
		const char *separator = "";
		size_t i, end = (size_t)group->leader + group->n;

		/* perf's own name for those that have none. */
		bool is_named = !string_is(group->name, "{anon_group}");

		strbuf_printf(out, "# group: %s{",
			is_named ? group->name : "");
		for (i = group->leader; i < MIN(end, f->events.n); i++) {
			strbuf_printf(out, "%s%s", separator,
				f->events.at[i].name);
			separator = ",";
		}
		strbuf_puts(out, "}\n");
	}
}

/* A sequence of records like type 67, their header.type being 0 or 67. */
static bool read_build_ids(struct features *f, struct bytes *b)
{
	const size_t fixed = RECORD_HEADER_SIZE + 4 + 24;

	while (b->ok && bytes_left(b) >= fixed) {
		struct feature_build_id *entry;
		uint16_t misc, size;
		const uint8_t *id;
		const char *path;
		uint32_t pid;

		bytes_u32(b);
		misc = bytes_u16(b);
		size = bytes_u16(b);
		pid = bytes_u32(b);
		id = bytes_take(b, 24);
		if (size < fixed)
			return false;
		path = bytes_take(b, size - fixed);
		if (!path)
			return false;
		entry = array_push(&f->build_ids);
		entry->pid = pid;
		entry->cpumode = misc & MISC_CPUMODE;
		entry->id.size = BUILD_ID_MAX;
		if (misc & MISC_BUILD_ID_SIZE)
			entry->id.size = MIN(id[20], (uint8_t)BUILD_ID_MAX);
		memcpy(entry->id.bytes, id, BUILD_ID_MAX);
		entry->path = xstrndup(path, size - fixed);
	}
	return b->ok;
}

static void write_build_ids(const struct features *f, struct strbuf *out)
{
	array_each(&f->build_ids, entry) {
		size_t length = MIN(strlen(entry->path), BUILD_ID_PATH_MAX);
		size_t room = ALIGN_UP(length + 1, TEXT_ALIGN);

		strbuf_put_u32(out, 0);
		strbuf_put_u16(out, entry->cpumode | MISC_BUILD_ID_SIZE);
		strbuf_put_u16(out, (uint16_t)(36 + room));
		strbuf_put_u32(out, entry->pid);
		strbuf_put(out, entry->id.bytes, BUILD_ID_MAX);
		strbuf_put_u32(out, 0);
		out->at[out->n - 4] = (char)entry->id.size;
		strbuf_put(out, entry->path, length);
		strbuf_fill(out, 0, room - length);
	}
}

static bool read_sample_time(struct features *f, struct bytes *b)
{
	f->first_time = bytes_u64(b);
	f->last_time = bytes_u64(b);
	return b->ok;
}

static void write_sample_time(const struct features *f, struct strbuf *out)
{
	strbuf_put_u64(out, f->first_time);
	strbuf_put_u64(out, f->last_time);
}

static void print_sample_time(const struct features *f, struct strbuf *out)
{
	uint64_t first = f->first_time / 1000, last = f->last_time / 1000;

	strbuf_printf(out,
		"# time of first sample : %" PRIu64 ".%06" PRIu64 "\n",
		first / 1000000, first % 1000000);
	strbuf_printf(out,
		"# time of last sample : %" PRIu64 ".%06" PRIu64 "\n",
		last / 1000000, last % 1000000);
	strbuf_printf(out, "# sample duration : %10.3f ms\n",
		(double)(f->last_time - f->first_time) / 1e6);
}

static bool read_clockid(struct features *f, struct bytes *b)
{
	f->clock_resolution = bytes_u64(b);
	return b->ok;
}

static void write_clockid(const struct features *f, struct strbuf *out)
{
	strbuf_put_u64(out, f->clock_resolution);
}

static bool read_clock_data(struct features *f, struct bytes *b)
{
	if (bytes_u32(b) != 1)
		return false;
	f->clockid = (int32_t)bytes_u32(b);
	f->clock_wall = bytes_u64(b);
	f->clock_time = bytes_u64(b);
	return b->ok;
}

static void write_clock_data(const struct features *f, struct strbuf *out)
{
	strbuf_put_u32(out, 1);
	strbuf_put_u32(out, (uint32_t)f->clockid);
	strbuf_put_u64(out, f->clock_wall);
	strbuf_put_u64(out, f->clock_time);
}

static void print_clock_data(const struct features *f, struct strbuf *out)
{
	time_t seconds = (time_t)(f->clock_wall / NSEC_PER_SEC);
	char text[64];
	struct tm tm;

	if (!gmtime_r(&seconds, &tm) ||
		!strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		return;
	strbuf_printf(out, "# captured on : %s UTC\n", text);
}

static bool read_compressed(struct features *f, struct bytes *b)
{
	if (bytes_u32(b) != 0 || bytes_u32(b) != 1)
		return false;
	f->compression_level = bytes_u32(b);
	f->compression_ratio = bytes_u32(b);
	f->mmap_len = bytes_u32(b);
	return b->ok;
}

static void write_compressed(const struct features *f, struct strbuf *out)
{
	strbuf_put_u32(out, 0); /* version */
	strbuf_put_u32(out, 1); /* zstd */
	strbuf_put_u32(out, f->compression_level);
	strbuf_put_u32(out, f->compression_ratio);
	strbuf_put_u32(out, f->mmap_len);
}

static void print_compressed(const struct features *f, struct strbuf *out)
{
	strbuf_printf(out, "# compressed : Zstd, level = %u, ratio = %u\n",
		f->compression_level, f->compression_ratio);
}

static bool read_tracing_data(struct features *f, struct bytes *b)
{
	size_t size = bytes_left(b);

	free(f->tracing_data);
	f->tracing_data = xmemdup(bytes_take(b, size), size);
	f->tracing_data_size = size;
	return true;
}

static void write_tracing_data(const struct features *f, struct strbuf *out)
{
	strbuf_put(out, f->tracing_data, f->tracing_data_size);
}

static void keep_bytes(struct feature_bytes *into, struct bytes *b)
{
	size_t size = bytes_left(b);

	free(into->at);
	into->at = xmemdup(bytes_take(b, size), size);
	into->n = size;
	into->swap = b->swap;
}

/* Who writes a recording has kept bytes of this machine's order only. */
static void put_kept(const struct feature_bytes *kept, struct strbuf *out)
{
	strbuf_put(out, kept->at ? (const char *)kept->at : "", kept->n);
}

static struct bytes kept_bytes(const struct feature_bytes *kept)
{
	return bytes_of(kept->at, kept->n, kept->swap);
}

/*
 * How the machine was built is kept, and read when it is printed; where its
 * CPUs are counts for reports, too. CPU_TOPOLOGY stands behind NRCPUS.
 */
static bool read_cpus(struct features *f, struct bytes *b)
{
	struct bytes whole = *b;

	keep_bytes(&f->cpus, &whole);
	return topology_read_cpus(&f->topology, b, f->cpus_available);
}

static bool read_numa(struct features *f, struct bytes *b)
{
	struct bytes whole = *b;

	keep_bytes(&f->numa, &whole);
	return topology_read_nodes(&f->topology, b);
}

static void write_cpus(const struct features *f, struct strbuf *out)
{
	put_kept(&f->cpus, out);
}

static void write_numa(const struct features *f, struct strbuf *out)
{
	put_kept(&f->numa, out);
}

static void print_cpus(const struct features *f, struct strbuf *out)
{
	machine_print_cpus(kept_bytes(&f->cpus), f->cpus_available, out);
}

static void print_numa(const struct features *f, struct strbuf *out)
{
	machine_print_nodes(kept_bytes(&f->numa), out);
}

/* The sections that are only ever printed. */
#define DEFINE_KEPT_FEATURE(field)                                             \
	static bool read_##field(struct features *f, struct bytes *b)          \
	{                                                                      \
		keep_bytes(&f->field, b);                                      \
		return true;                                                   \
	}                                                                      \
	static void write_##field(const struct features *f, struct strbuf *o)  \
	{                                                                      \
		put_kept(&f->field, o);                                        \
	}                                                                      \
	static void print_##field(const struct features *f, struct strbuf *o)  \
	{                                                                      \
		machine_print_##field(kept_bytes(&f->field), o);               \
	}

DEFINE_KEPT_FEATURE(caches)
DEFINE_KEPT_FEATURE(memory)
DEFINE_KEPT_FEATURE(cpu_caps)
DEFINE_KEPT_FEATURE(pmu_caps)
DEFINE_KEPT_FEATURE(hybrid)

static bool read_dir_format(struct features *f, struct bytes *b)
{
	f->dir_version = bytes_u64(b);
	return b->ok;
}

static void print_dir_format(const struct features *f, struct strbuf *out)
{
	strbuf_printf(out, "# directory data version : %" PRIu64 "\n",
		f->dir_version);
}

/* The sections that are empty: that they are there says all. */
static void write_branches(
	const struct features *f _unused_, struct strbuf *out _unused_)
{
}

static void print_branches(const struct features *f _unused_, struct strbuf *o)
{
	strbuf_puts(o, "# contains samples with branch stack\n");
}

static void print_auxtrace(const struct features *f _unused_, struct strbuf *o)
{
	strbuf_puts(o, "# contains AUX area data (e.g. instruction trace)\n");
}

static void print_stat(const struct features *f _unused_, struct strbuf *o)
{
	strbuf_puts(o, "# contains stat data\n");
}

static void print_clockid(const struct features *f, struct strbuf *out)
{
	static const char *const names[] = { "CLOCK_REALTIME",
		"CLOCK_MONOTONIC", NULL, NULL, "CLOCK_MONOTONIC_RAW", NULL,
		NULL, "CLOCK_BOOTTIME", NULL, NULL, NULL, "CLOCK_TAI" };
	size_t id = (size_t)f->clockid;

	strbuf_printf(out, "# clockid frequency: %" PRIu64 " MHz\n",
		f->clock_resolution ? 1000 / f->clock_resolution : 0);
	if (feature_is_present(f, FEATURE_CLOCK_DATA))
		strbuf_printf(out, "# clockid: %s (%d)\n",
			id < ARRAY_SIZE(names) && names[id] ? names[id]
							    : "unknown",
			f->clockid);
}

static const struct feature_kind {
	const char *name;
	bool (*read)(struct features *, struct bytes *);
	void (*write)(const struct features *, struct strbuf *);
	void (*print)(const struct features *, struct strbuf *);
	bool is_long;
} kinds[FEATURE_BITS] = {
	[FEATURE_TRACING_DATA] = { "TRACING_DATA", read_tracing_data,
		write_tracing_data, NULL },
	[FEATURE_BUILD_ID] = { "BUILD_ID", read_build_ids, write_build_ids,
		NULL },
	[FEATURE_HOSTNAME] = { "HOSTNAME", read_hostname, write_hostname,
		print_hostname },
	[FEATURE_OSRELEASE] = { "OSRELEASE", read_osrelease, write_osrelease,
		print_osrelease },
	[FEATURE_VERSION] = { "VERSION", read_version, write_version,
		print_version },
	[FEATURE_ARCH] = { "ARCH", read_arch, write_arch, print_arch },
	[FEATURE_NRCPUS] = { "NRCPUS", read_nrcpus, write_nrcpus,
		print_nrcpus },
	[FEATURE_CPUDESC] = { "CPUDESC", read_cpudesc, write_cpudesc,
		print_cpudesc },
	[FEATURE_CPUID] = { "CPUID", read_cpuid, write_cpuid, print_cpuid },
	[FEATURE_TOTAL_MEM] = { "TOTAL_MEM", read_total_mem, write_total_mem,
		print_total_mem },
	[FEATURE_CMDLINE] = { "CMDLINE", read_cmdline, write_cmdline,
		print_cmdline },
	[FEATURE_EVENT_DESC] = { "EVENT_DESC", read_event_desc,
		write_event_desc, print_event_desc },
	[FEATURE_CPU_TOPOLOGY] = { "CPU_TOPOLOGY", read_cpus, write_cpus,
		print_cpus, true },
	[FEATURE_NUMA_TOPOLOGY] = { "NUMA_TOPOLOGY", read_numa, write_numa,
		print_numa, true },
	[FEATURE_BRANCH_STACK] = { "BRANCH_STACK", NULL, write_branches,
		print_branches },
	[FEATURE_PMU_MAPPINGS] = { "PMU_MAPPINGS", read_pmu_mappings,
		write_pmu_mappings, print_pmu_mappings },
	[FEATURE_GROUP_DESC] = { "GROUP_DESC", read_group_desc,
		write_group_desc, print_group_desc },
	[18] = { "AUXTRACE", NULL, NULL, print_auxtrace },
	[19] = { "STAT", NULL, NULL, print_stat },
	[FEATURE_CACHE] = { "CACHE", read_caches, write_caches, print_caches,
		true },
	[FEATURE_SAMPLE_TIME] = { "SAMPLE_TIME", read_sample_time,
		write_sample_time, print_sample_time },
	[FEATURE_MEM_TOPOLOGY] = { "MEM_TOPOLOGY", read_memory, write_memory,
		print_memory, true },
	[FEATURE_CLOCKID] = { "CLOCKID", read_clockid, write_clockid, print_clockid },
	[FEATURE_DIR_FORMAT] = { "DIR_FORMAT", read_dir_format, NULL,
		print_dir_format },
	[25] = { "BPF_PROG_INFO" },
	[26] = { "BPF_BTF" },
	[FEATURE_COMPRESSED] = { "COMPRESSED", read_compressed,
		write_compressed, print_compressed },
	[28] = { "CPU_PMU_CAPS", read_cpu_caps, write_cpu_caps,
		print_cpu_caps },
	[FEATURE_CLOCK_DATA] = { "CLOCK_DATA", read_clock_data,
		write_clock_data, print_clock_data },
	[30] = { "HYBRID_TOPOLOGY", read_hybrid, write_hybrid, print_hybrid,
		true },
	[31] = { "PMU_CAPS", read_pmu_caps, write_pmu_caps, print_pmu_caps },
	[32] = { "CPU_DOMAIN_INFO" },
	[33] = { "E_MACHINE" },
	[34] = { "CLN_SIZE" },
};

const char *feature_name(unsigned bit)
{
	return bit < FEATURE_BITS ? kinds[bit].name : NULL;
}

bool feature_read(struct features *features, unsigned bit, struct bytes b)
{
	if (bit >= FEATURE_BITS)
		return false;
	if (kinds[bit].read && !kinds[bit].read(features, &b))
		return false;
	features_mark(features, bit);
	return true;
}

bool feature_write(
	const struct features *features, unsigned bit, struct strbuf *out)
{
	if (bit >= FEATURE_BITS || !kinds[bit].write)
		return false;
	kinds[bit].write(features, out);
	return true;
}

bool feature_is_long(unsigned bit)
{
	return bit < FEATURE_BITS && kinds[bit].is_long;
}

void feature_print(
	const struct features *features, unsigned bit, struct strbuf *out)
{
	if (bit < FEATURE_BITS && kinds[bit].print &&
		feature_is_present(features, bit))
		kinds[bit].print(features, out);
}

void features_deinit(struct features *f)
{
	free(f->hostname);
	free(f->osrelease);
	free(f->version);
	free(f->arch);
	free(f->cpudesc);
	free(f->cpuid);
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
	topology_deinit(&f->topology);
	free(f->tracing_data);
	free(f->cpus.at);
	free(f->numa.at);
	free(f->caches.at);
	free(f->memory.at);
	free(f->cpu_caps.at);
	free(f->pmu_caps.at);
	free(f->hybrid.at);
	*f = (struct features){ 0 };
}
