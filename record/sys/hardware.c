/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/sys/hardware.h"

#include <dirent.h>
#include <inttypes.h>

#include "record/sys/sysfile.h"

#define CPU_FOLDER "%s/sys/devices/system/cpu/cpu%" PRIu32
#define LIST_MAX 4096u
#define WORD_MAX 64u
/*
 * Upper bounds: sysfs numbers the caches of a CPU from 0 and their levels from
 * 1. Machines have four or five caches per CPU.
 */
#define INDEX_MAX 8u
#define LEVEL_MAX 8u

#define CACHE_VERSION 1u

/*
 * Names of a sysfs file with a list of CPUs: NOW since Linux 5.3, BEFORE in
 * older kernels (NULL: none).
 */
struct cpu_list_names {
	const char *now, *before;
};

struct caches {
	uint32_t n;
	struct strbuf levels[LEVEL_MAX];
};

static bool read_line(
	const char *folder, const char *name, char *text, size_t size)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", folder, name);

	return sysfile_line(path, text, size);
}

static void put_cpu_number(const char *folder, const char *name,
	int64_t otherwise, struct strbuf *out)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", folder, name);

	sysfile_number(path, &otherwise);
	strbuf_put_u32(out, (uint32_t)otherwise);
}

/*
 * Returns true if TEXT is a list of CPUs that starts with CPU. sysfs has the
 * same list for each CPU in it; only the list of the first CPU is used.
 */
static bool is_list_of(const char *text, uint32_t cpu)
{
	char *end;
	unsigned long first = strtoul(text, &end, 10);

	return end != text && first == cpu &&
		text[strspn(text, "0123456789,-")] == '\0';
}

/*
 * Appends to OUT the number of distinct lists in the topology files NAMES, and
 * each list, which contains the CPUs of one socket, core or die. Returns the
 * number of lists.
 */
static uint32_t put_lists(const char *root, const struct cpu_list_names *names,
	uint32_t n_cpus, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf lists = { 0 };
	uint32_t n = 0, cpu;

	for (cpu = 0; cpu < n_cpus; cpu++) {
		_cleanup_free_ char *folder =
			xasprintf(CPU_FOLDER "/topology", root, cpu);

		char text[LIST_MAX];

		if (!read_line(folder, names->now, text, sizeof(text)) &&
			!(names->before &&
				read_line(folder, names->before, text,
					sizeof(text))))
			continue;
		if (!is_list_of(text, cpu))
			continue;
		feature_put_text(&lists, text);
		n++;
	}
	strbuf_put_u32(out, n);
	strbuf_put(out, lists.at ? lists.at : "", lists.n);
	return n;
}

/*
 * Dies are always written: without dies, readers of a stream would parse the
 * padding of the section as dies.
 */
static void describe_topology(const char *root, struct features *ret)
{
	static const struct cpu_list_names sockets = { "package_cpus_list",
		"core_siblings_list" };
	static const struct cpu_list_names cores = { "core_cpus_list",
		"thread_siblings_list" };
	static const struct cpu_list_names dies = { "die_cpus_list", NULL };
	_cleanup_strbuf_ struct strbuf body = { 0 }, die_ids = { 0 };
	uint32_t n = ret->cpus_available, cpu, n_sockets;

	n_sockets = put_lists(root, &sockets, n, &body);
	if (!n_sockets)
		return;
	put_lists(root, &cores, n, &body);
	for (cpu = 0; cpu < n; cpu++) {
		_cleanup_free_ char *folder =
			xasprintf(CPU_FOLDER "/topology", root, cpu);

		put_cpu_number(folder, "core_id", -1, &body);
		put_cpu_number(folder, "physical_package_id", -1, &body);
		put_cpu_number(folder, "die_id", -1, &die_ids);
	}
	put_lists(root, &dies, n, &body);
	strbuf_put(&body, die_ids.at, die_ids.n);
	feature_read(
		ret, FEATURE_CPU_TOPOLOGY, bytes_of(body.at, body.n, false));
}

static bool is_word(const char *text)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"0123456789";

	return *text && text[strspn(text, letters)] == '\0';
}

static void put_cpu_cache(
	const char *folder, const char *list, struct caches *caches)
{
	char type[WORD_MAX], size[WORD_MAX], text[WORD_MAX];
	unsigned long level;
	struct strbuf *out;

	if (!read_line(folder, "type", type, sizeof(type)) ||
		!read_line(folder, "size", size, sizeof(size)) ||
		!read_line(folder, "level", text, sizeof(text)))
		return;
	level = strtoul(text, NULL, 10);
	if (!is_word(type) || !is_word(size) || level >= LEVEL_MAX)
		return;
	out = &caches->levels[level];
	strbuf_put_u32(out, (uint32_t)level);
	put_cpu_number(folder, "coherency_line_size", 0, out);
	put_cpu_number(folder, "number_of_sets", 0, out);
	put_cpu_number(folder, "ways_of_associativity", 0, out);
	feature_put_text(out, type);
	feature_put_text(out, size);
	feature_put_text(out, list);
	caches->n++;
}

static void put_caches(const char *root, uint32_t cpu, struct caches *caches)
{
	char list[LIST_MAX];
	unsigned index;

	for (index = 0; index < INDEX_MAX; index++) {
		_cleanup_free_ char *folder = xasprintf(
			CPU_FOLDER "/cache/index%u", root, cpu, index);

		if (!read_line(folder, "shared_cpu_list", list, sizeof(list)))
			return;
		if (is_list_of(list, cpu))
			put_cpu_cache(folder, list, caches);
	}
}

void hardware_cpu_read(const char *root, struct features *ret)
{
	describe_topology(root, ret);
	_cleanup_strbuf_ struct strbuf body = { 0 };
	struct caches caches = { 0 };
	uint32_t cpu, level;

	for (cpu = 0; cpu < ret->cpus_available; cpu++)
		put_caches(root, cpu, &caches);
	strbuf_put_u32(&body, CACHE_VERSION);
	strbuf_put_u32(&body, caches.n);
	for (level = 0; level < LEVEL_MAX; level++) {
		struct strbuf *of = &caches.levels[level];

		strbuf_put(&body, of->at ? of->at : "", of->n);
		strbuf_free(of);
	}
	if (caches.n)
		feature_read(
			ret, FEATURE_CACHE, bytes_of(body.at, body.n, false));
}

#define NODES "%s/sys/devices/system/node"
#define LIST_MAX 4096u
/*
 * Limit of the number of memory blocks: 512 TiB in blocks of 128 MiB, the
 * smallest block size on x86.
 */
#define BLOCKS_MAX (UINT32_C(1) << 22)

#define MEMORY_VERSION 1u

/* Returns the KiB after KEY ("MemTotal:") in the meminfo file TEXT, or 0. */
static uint64_t meminfo_value(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

static bool put_memory_node(const char *root, uint32_t node, struct strbuf *out)
{
	_cleanup_free_ char *list =
		xasprintf(NODES "/node%" PRIu32 "/cpulist", root, node);
	_cleanup_free_ char *meminfo =
		xasprintf(NODES "/node%" PRIu32 "/meminfo", root, node);
	_cleanup_strbuf_ struct strbuf memory = { 0 };
	char cpus[LIST_MAX];

	/* A node without CPUs has an empty list. */
	if (!sysfile_line(list, cpus, sizeof(cpus)) ||
		cpus[strspn(cpus, "0123456789,-")] != '\0')
		return false;
	sysfile_slurp(AT_FDCWD, meminfo, &memory);
	strbuf_putc(&memory, '\0');
	strbuf_put_u32(out, node);
	strbuf_put_u64(out, meminfo_value(memory.at, "MemTotal:"));
	strbuf_put_u64(out, meminfo_value(memory.at, "MemFree:"));
	feature_put_text(out, cpus);
	return true;
}

static void put_memory_blocks(
	const char *root, uint32_t node, struct strbuf *out)
{
	_cleanup_free_ char *path =
		xasprintf(NODES "/node%" PRIu32, root, node);
	_cleanup_free_ uint64_t *bits = xcalloc(BLOCKS_MAX / 64, sizeof(*bits));
	/*
	 * Set the bit of each memory block of the node. The directory
	 * "memory17" is that of block 17.
	 */
	DIR *dir = opendir(path);
	const struct dirent *entry;
	uint32_t block, highest = 0;

	while (dir && (entry = readdir(dir))) {
		const char *digits = entry->d_name + strlen("memory");
		unsigned long value;
		char *end;

		block = BLOCKS_MAX;
		if (string_starts(entry->d_name, "memory") && *digits >= '0' &&
			*digits <= '9') {
			value = strtoul(digits, &end, 10);
			block = *end || value > BLOCKS_MAX ? BLOCKS_MAX
							   : (uint32_t)value;
		}
		if (block == BLOCKS_MAX)
			continue;
		bits[block / 64] |= UINT64_C(1) << block % 64;
		highest = MAX(highest, block);
	}
	if (dir)
		closedir(dir);
	uint64_t n = (uint64_t)highest + 1;

	strbuf_put_u64(out, node);
	strbuf_put_u64(out, n);
	strbuf_put_u64(out, n); /* length of the bitmap */
	strbuf_put(out, bits, (n + 63) / 64 * sizeof(*bits));
}

static void read_memory_blocks(
	const char *root, const struct cpus *nodes, struct features *ret)
{
	_cleanup_free_ char *path = xasprintf(
		"%s/sys/devices/system/memory/block_size_bytes", root);
	_cleanup_strbuf_ struct strbuf body = { 0 };
	uint64_t size;
	char text[32];

	if (!sysfile_line(path, text, sizeof(text)))
		return;
	size = strtoull(text, NULL, 16);
	if (!size)
		return;
	strbuf_put_u64(&body, MEMORY_VERSION);
	strbuf_put_u64(&body, size);
	strbuf_put_u64(&body, nodes->list.n);
	array_each(&nodes->list, node)
		put_memory_blocks(root, *node, &body);
	feature_read(
		ret, FEATURE_MEM_TOPOLOGY, bytes_of(body.at, body.n, false));
}

void hardware_memory_read(const char *root, struct features *ret)
{
	_cleanup_free_ char *path = xasprintf(NODES "/online", root);
	struct cpus nodes = { 0 };
	char text[LIST_MAX];

	if (!sysfile_line(path, text, sizeof(text)) ||
		!cpus_parse(text, &nodes))
		return;
	_cleanup_strbuf_ struct strbuf body = { 0 }, each = { 0 };
	uint32_t n = 0;

	array_each(&nodes.list, node)
		n += put_memory_node(root, *node, &each);
	if (n) {
		strbuf_put_u32(&body, n);
		strbuf_put(&body, each.at, each.n);
		feature_read(ret, FEATURE_NUMA_TOPOLOGY,
			bytes_of(body.at, body.n, false));
	}
	read_memory_blocks(root, &nodes, ret);
	cpus_deinit(&nodes);
}
