/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/sys/hardware_cpu.h"

#include <inttypes.h>

#include "record/sys/sysfile.h"

#define CPU_FOLDER "%s/sys/devices/system/cpu/cpu%" PRIu32
#define LIST_MAX 4096u
#define WORD_MAX 64u
/*
 * Linux numbers caches from 0 and levels from 1. Machines have four or five
 * caches per CPU.
 */
#define INDEX_MAX 8u
#define LEVEL_MAX 8u

#define CACHE_VERSION 1u

/* Names of a list file; the second name is used before Linux 5.3. */
struct names {
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
 * Returns true if TEXT is a list of CPUs that starts with CPU. All CPUs of a
 * list have the same file; only the first one's is used.
 */
static bool is_list_of(const char *text, uint32_t cpu)
{
	char *end;
	unsigned long first = strtoul(text, &end, 10);

	return end != text && first == cpu &&
		text[strspn(text, "0123456789,-")] == '\0';
}

static void put_cpu_list(const char *folder, const struct names *names,
	uint32_t cpu, struct strbuf *out, uint32_t *n)
{
	char text[LIST_MAX];

	if (!read_line(folder, names->now, text, sizeof(text)) &&
		!(names->before &&
			read_line(folder, names->before, text, sizeof(text))))
		return;
	if (!is_list_of(text, cpu))
		return;
	feature_put_text(out, text);
	(*n)++;
}

/* Writes the number of lists and each list: CPUs that share something. */
static uint32_t put_lists(const char *root, const struct names *names,
	uint32_t n_cpus, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf lists = { 0 };
	uint32_t n = 0, cpu;

	for (cpu = 0; cpu < n_cpus; cpu++) {
		_cleanup_free_ char *folder =
			xasprintf(CPU_FOLDER "/topology", root, cpu);

		put_cpu_list(folder, names, cpu, &lists, &n);
	}
	strbuf_put_u32(out, n);
	strbuf_put(out, lists.at ? lists.at : "", lists.n);
	return n;
}

/*
 * Dies are always written: in a stream, readers would take the padding of the
 * section for dies.
 */
static void describe_topology(const char *root, struct features *ret)
{
	static const struct names sockets = { "package_cpus_list",
		"core_siblings_list" };
	static const struct names cores = { "core_cpus_list",
		"thread_siblings_list" };
	static const struct names dies = { "die_cpus_list", NULL };
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

static void describe_caches(const char *root, struct features *ret)
{
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

void hardware_cpu_read(const char *root, struct features *ret)
{
	describe_topology(root, ret);
	describe_caches(root, ret);
}
