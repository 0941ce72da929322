/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/sys/hardware_memory.h"

#include <dirent.h>
#include <inttypes.h>

#include "record/sys/sysfile.h"

#define NODES "%s/sys/devices/system/node"
#define LIST_MAX 4096u
/* 512 TiB in blocks of 128 MiB, the smallest on x86. */
#define BLOCKS_MAX (UINT32_C(1) << 22)

#define MEMORY_VERSION 1u

/* Returns the KiB after KEY ("MemTotal:"), or 0. */
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

static void describe_nodes(
	const char *root, const struct cpus *nodes, struct features *ret)
{
	_cleanup_strbuf_ struct strbuf body = { 0 }, each = { 0 };
	uint32_t n = 0;

	array_each(&nodes->list, node)
		n += put_memory_node(root, *node, &each);
	if (!n)
		return;
	strbuf_put_u32(&body, n);
	strbuf_put(&body, each.at, each.n);
	feature_read(
		ret, FEATURE_NUMA_TOPOLOGY, bytes_of(body.at, body.n, false));
}

/* Returns 17 for "memory17", or BLOCKS_MAX for other names. */
static uint32_t block_number(const char *name)
{
	const char *digits = name + strlen("memory");
	unsigned long value;
	char *end;

	if (!string_starts(name, "memory") || *digits < '0' || *digits > '9')
		return BLOCKS_MAX;
	value = strtoul(digits, &end, 10);
	return *end || value > BLOCKS_MAX ? BLOCKS_MAX : (uint32_t)value;
}

/* Sets the bits of existing blocks in BITS. Returns the highest block + 1. */
static uint64_t read_blocks(const char *path, uint64_t *bits)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	uint32_t block, highest = 0;

	while (dir && (entry = readdir(dir))) {
		block = block_number(entry->d_name);
		if (block == BLOCKS_MAX)
			continue;
		bits[block / 64] |= UINT64_C(1) << block % 64;
		highest = MAX(highest, block);
	}
	if (dir)
		closedir(dir);
	return (uint64_t)highest + 1;
}

static void put_memory_blocks(
	const char *root, uint32_t node, struct strbuf *out)
{
	_cleanup_free_ char *path =
		xasprintf(NODES "/node%" PRIu32, root, node);
	_cleanup_free_ uint64_t *bits = xcalloc(BLOCKS_MAX / 64, sizeof(*bits));
	uint64_t n = read_blocks(path, bits);

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
	describe_nodes(root, &nodes, ret);
	read_memory_blocks(root, &nodes, ret);
	cpus_deinit(&nodes);
}
