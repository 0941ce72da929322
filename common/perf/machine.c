/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/perf/machine.h"

#include <inttypes.h>

#include "common/util/alloc.h"

#define NODES_MAX 4096u

/*
 * Reads a u32 size and a text of that size. Returns a copy of the text, owned
 * by the caller, or NULL on failure.
 */
static char *take_text(struct bytes *b)
{
	uint32_t size = bytes_u32(b);
	const char *text = bytes_take(b, size);

	return text ? xstrndup(text, size) : NULL;
}

void machine_topology_deinit(struct machine_topology *topology)
{
	array_free(&topology->cpus);
	array_each(&topology->nodes, node)
		cpus_deinit(&node->cpus);
	array_free(&topology->nodes);
}

/* Skips a u32 n and n texts, each with a u32 size before its padded bytes. */
static void skip_texts(struct bytes *b)
{
	uint32_t n = bytes_u32(b), i;

	for (i = 0; i < n && b->ok; i++)
		bytes_take(b, bytes_u32(b));
}

bool machine_read_cpus(
	struct machine_topology *topology, struct bytes *b, uint32_t n_cpus)
{
	uint32_t i;

	/* Skip the lists of CPUs per socket and per core. */
	skip_texts(b);
	skip_texts(b);
	if (!b->ok || n_cpus > CPUS_MAX)
		return false;
	array_clear(&topology->cpus);
	if (bytes_left(b) < n_cpus * sizeof(struct machine_cpu))
		return true;
	for (i = 0; i < n_cpus; i++) {
		struct machine_cpu *cpu = array_push(&topology->cpus);

		cpu->core = bytes_u32(b);
		cpu->socket = bytes_u32(b);
	}
	return true;
}

bool machine_read_nodes(struct machine_topology *topology, struct bytes *b)
{
	uint32_t n = bytes_u32(b), i;

	for (i = 0; i < n && i < NODES_MAX && b->ok; i++) {
		struct machine_node node = { .number = bytes_u32(b) };
		char *text;

		bytes_u64(b); /* total and free memory in KiB */
		bytes_u64(b);
		text = take_text(b);
		if (!text)
			break;
		if (cpus_parse(text, &node.cpus))
			*array_push(&topology->nodes) = node;
		free(text);
	}
	return b->ok;
}

int64_t machine_socket(const struct machine_topology *topology, uint32_t cpu)
{
	return cpu < topology->cpus.n
		? (int64_t)(int32_t)topology->cpus.at[cpu].socket
		: -1;
}

int64_t machine_node(const struct machine_topology *topology, uint32_t cpu)
{
	array_each(&topology->nodes, node)
		if (cpus_has(&node->cpus, cpu))
			return node->number;
	return -1;
}

/* Reads a u32 n and n texts, and prints a line for each text. Returns n. */
static uint32_t put_texts(
	struct bytes *b, const char *label, struct strbuf *out)
{
	uint32_t n = bytes_u32(b), i;

	for (i = 0; i < n && b->ok; i++) {
		_cleanup_free_ char *text = take_text(b);

		if (text)
			strbuf_printf(out, "# %s : %s\n", label, text);
	}
	return n;
}

/*
 * Later perf versions append core and socket IDs to the section, then die IDs.
 */
void machine_print_cpus(struct bytes b, uint32_t n_cpus, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf threads = { 0 };
	struct bytes ids, dies;
	uint32_t cpu, n_dies = 0;

	put_texts(&b, "sibling sockets", out);
	put_texts(&b, "sibling threads", &threads);
	ids = dies = b;
	if (n_cpus <= bytes_left(&b) / 8 && bytes_take(&b, 8 * (size_t)n_cpus))
		n_dies = put_texts(&b, "sibling dies   ", out);
	if (threads.n)
		strbuf_put(out, threads.at, threads.n);
	dies = b;
	if (!n_dies || !b.ok || bytes_left(&b) / 4 < n_cpus)
		dies.at = dies.end;
	for (cpu = 0; cpu < n_cpus && bytes_left(&ids) >= 8; cpu++) {
		uint32_t core = bytes_u32(&ids), socket = bytes_u32(&ids);

		strbuf_printf(
			out, "# CPU %u: Core ID %d, ", cpu, (int32_t)core);
		if (bytes_left(&dies))
			strbuf_printf(
				out, "Die ID %d, ", (int32_t)bytes_u32(&dies));
		strbuf_printf(out, "Socket ID %d\n", (int32_t)socket);
	}
}

void machine_print_nodes(struct bytes b, struct strbuf *out)
{
	uint32_t n = bytes_u32(&b), i;

	for (i = 0; i < n && b.ok; i++) {
		uint32_t node = bytes_u32(&b);
		uint64_t total = bytes_u64(&b), unused = bytes_u64(&b);
		_cleanup_free_ char *cpus = take_text(&b);

		if (cpus)
			strbuf_printf(out,
				"# node%u meminfo  : total = %" PRIu64
				" kB, free = %" PRIu64
				" kB\n# node%u cpu list : %s\n",
				node, total, unused, node, cpus);
	}
}

void machine_print_caches(struct bytes b, struct strbuf *out)
{
	uint32_t version = bytes_u32(&b), n = bytes_u32(&b), i;

	if (!b.ok || version != 1)
		return;
	strbuf_puts(out, "# CPU cache info:\n");
	for (i = 0; i < n && b.ok; i++) {
		uint32_t level = bytes_u32(&b);
		_cleanup_free_ char *type = NULL, *size = NULL, *cpus = NULL;

		bytes_take(&b, 12); /* line size, sets, ways */
		type = take_text(&b);
		size = take_text(&b);
		cpus = take_text(&b);
		if (cpus)
			strbuf_printf(out, "#  L%u %-15s %8s [%s]\n", level,
				type, size, cpus);
	}
}

/* Appends the numbers of the bits that are set in the u64s of B: "0-23,32". */
static void put_bits(struct bytes b, struct strbuf *out)
{
	uint64_t bit, first = 0, word = 0, n = bytes_left(&b) * 8;
	bool was_on = false, is_more = false;

	for (bit = 0; bit <= n; bit++) {
		bool is_on;

		if (bit % 64 == 0)
			word = bit < n ? bytes_u64(&b) : 0;
		is_on = word >> bit % 64 & 1;
		if (is_on && !was_on)
			first = bit;
		if (!is_on && was_on) {
			uint64_t last = bit - 1;

			strbuf_printf(
				out, "%s%" PRIu64, is_more ? "," : "", first);
			if (last > first)
				strbuf_printf(out, "-%" PRIu64, last);
			is_more = true;
		}
		was_on = is_on;
	}
}

void machine_print_memory(struct bytes b, struct strbuf *out)
{
	uint64_t version = bytes_u64(&b), block = bytes_u64(&b);
	uint64_t n = bytes_u64(&b), i;

	if (!b.ok || version != 1)
		return;
	strbuf_printf(out,
		"# memory nodes (nr %" PRIu64 ", block size %#" PRIx64 "):\n",
		n, block);
	for (i = 0; i < n && b.ok; i++) {
		uint64_t node = bytes_u64(&b), words;
		struct bytes bits;
		const void *at;

		bytes_u64(&b); /* number of bits; the bitmap repeats it */
		words = (bytes_u64(&b) + 63) / 64;
		if (words > bytes_left(&b) / 8)
			return;
		at = bytes_take(&b, words * 8);
		bits = bytes_of(at, words * 8, b.swap);
		strbuf_printf(out, "#   %2" PRIu64 " [", node);
		uint64_t size = 0;
		struct bytes left = bits;
		static const char units[] = "BKMGTPE";
		size_t unit = 0;

		while (bytes_left(&left) >= 8)
			size += block *
				(uint64_t)__builtin_popcountll(
					bytes_u64(&left));
		while (size >= 1024) {
			size /= 1024;
			unit++;
		}
		strbuf_printf(out, "%" PRIu64 "%c]: ", size, units[unit]);
		put_bits(bits, out);
		strbuf_putc(out, '\n');
	}
}

/* Prints the CPUs of each core type. */
void machine_print_hybrid(struct bytes b, struct strbuf *out)
{
	uint32_t n = bytes_u32(&b), i;

	strbuf_puts(out, "# hybrid cpu system:\n");
	for (i = 0; i < n && b.ok; i++) {
		_cleanup_free_ char *pmu = take_text(&b);
		_cleanup_free_ char *cpus = take_text(&b);

		if (pmu && cpus)
			strbuf_printf(out, "# %s cpu list : %s\n", pmu, cpus);
	}
}

/* Reads a u32 n and n pairs of name and value. Appends "name=value, ...". */
static void put_caps(struct bytes *b, struct strbuf *out)
{
	uint32_t n = bytes_u32(b), i;

	if (!n)
		strbuf_puts(out, "not available");
	for (i = 0; i < n && b->ok; i++) {
		_cleanup_free_ char *name = take_text(b);
		_cleanup_free_ char *value = take_text(b);

		if (name && value)
			strbuf_printf(
				out, "%s%s=%s", i ? ", " : "", name, value);
	}
}

static void put_caps_of(
	const char *pmu, const struct strbuf *caps, struct strbuf *out)
{
	strbuf_printf(out, "# %s pmu capabilities: %s\n", pmu, caps->at);
}

void machine_print_cpu_caps(struct bytes b, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf caps = { 0 };

	put_caps(&b, &caps);
	if (b.ok)
		put_caps_of("cpu", &caps, out);
}

/* The name of each PMU is stored behind its capabilities. */
void machine_print_pmu_caps(struct bytes b, struct strbuf *out)
{
	uint32_t n = bytes_u32(&b), i;

	for (i = 0; i < n && b.ok; i++) {
		_cleanup_strbuf_ struct strbuf caps = { 0 };
		_cleanup_free_ char *pmu = NULL;

		put_caps(&b, &caps);
		pmu = take_text(&b);
		if (pmu)
			put_caps_of(pmu, &caps, out);
	}
}

/* CPU_DOMAIN_INFO (perf 7): the first schedstat version with domain names. */
#define DOMAIN_NAMES_SINCE 17u

void machine_print_domains(struct bytes b, struct strbuf *out)
{
	uint32_t version = bytes_u32(&b), most = bytes_u32(&b);

	if (!b.ok)
		return;
	strbuf_printf(out,
		"# schedstat version\t: %u\n# Maximum sched domains\t: %u\n",
		version, most);
	while (b.ok && bytes_left(&b)) {
		uint32_t cpu = bytes_u32(&b), n = bytes_u32(&b), i;

		if (!b.ok)
			return;
		strbuf_printf(
			out, "# cpu\t\t: %u\n# nr_domains\t: %u\n", cpu, n);
		for (i = 0; i < n && b.ok; i++) {
			uint32_t number = bytes_u32(&b);
			_cleanup_free_ char *name =
				version >= DOMAIN_NAMES_SINCE ? take_text(&b)
							      : NULL;
			_cleanup_free_ char *mask = take_text(&b);
			_cleanup_free_ char *list = take_text(&b);

			if (!b.ok)
				return;
			strbuf_printf(out, "# Domain\t\t: %u\n", number);
			if (name)
				strbuf_printf(
					out, "# Domain name      : %s\n", name);
			strbuf_printf(out,
				"# Domain cpu map   : %s\n"
				"# Domain cpu list  : %s\n",
				mask, list);
		}
	}
}

void machine_print_elf_machine(struct bytes b, struct strbuf *out)
{
	uint32_t machine = bytes_u32(&b), flags = bytes_u32(&b);

	if (b.ok)
		strbuf_printf(out, "# e_machine : %u\n#   e_flags : %u\n",
			machine, flags);
}

void machine_print_cacheline(struct bytes b, struct strbuf *out)
{
	uint32_t size = bytes_u32(&b);

	if (b.ok)
		strbuf_printf(out, "# cacheline size: %u\n", size);
}
