/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target of JIT code. The first byte selects the format of the rest: a
 * jitdump, which is read in two steps, or a perf map. Code that is found must
 * contain the address.
 */
#include "config.h"

#include <sys/mman.h>

#include "common/jit/jitcodes.h"
#include "common/jit/perfmap.h"
#include "common/util/address_ranges.h"
#include "common/util/alloc.h"

#define INPUT_MAX KIB(64)
#define CODES_LOOKED_AT 64u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put(int fd, const uint8_t *data, size_t size)
{
	if (size && write(fd, data, size) != (ssize_t)size)
		abort();
}

/* --- a jitdump ------------------------------------------------------------ */

static void check_part(struct jitcodes *codes, uint64_t address, uint64_t time)
{
	struct jitcodes_part part = jitcodes_find(codes, address, time);
	struct strbuf file = { 0 };
	char name[JITDUMP_NAME_MAX];
	uint32_t line;

	/* A part cannot contain the highest address, UINT64_MAX. */
	if (address < part.start || (address >= part.end && address + 1))
		abort();
	if (!part.code)
		return;
	if (address < part.code->start || address >= part.code->end ||
		part.code->since > time)
		abort();
	jitcodes_name(codes, part.code, name);
	if (strlen(name) >= sizeof(name))
		abort();
	if (jitcodes_rules(codes, part.code))
		cfi_rule(jitcodes_rules(codes, part.code), address);
	jitcodes_line(
		codes, part.code, address - part.code->start, &file, &line);
	strbuf_free(&file);
}

static void check_codes(struct jitcodes *codes)
{
	ARRAY(struct jitcode) some = { 0 };
	const struct jitcode *all;
	size_t n, i;

	all = jitcodes_all(codes, &n);
	for (i = 0; i < n && i < CODES_LOOKED_AT; i++)
		*array_push(&some) = all[i];
	array_each(&some, code) {
		check_part(codes, code->start, code->since);
		check_part(codes, code->end - 1, UINT64_MAX);
		check_part(codes, code->end, code->since);
		if (jitcodes_count(codes, code->since) > n)
			abort();
	}
	check_part(codes, 0, 0);
	check_part(codes, UINT64_MAX, UINT64_MAX);
	array_free(&some);
}

static void read_dump(int fd, const uint8_t *data, size_t size)
{
	const struct jitdump_clock clock = { .is_monotonic = true,
		.ticks = { { 1, 3 }, { 5, 4 } } };
	struct jitcodes *codes;

	put(fd, data, size / 2);
	codes = jitcodes_create(fd);
	if (!codes)
		return;
	jitcodes_update(codes, &clock);
	check_codes(codes);
	put(fd, data + size / 2, size - size / 2);
	jitcodes_update(codes, &clock);
	check_codes(codes);
	jitcodes_destroy(codes);
}

/* --- a perf map ----------------------------------------------------------- */

static void read_map(int fd, const uint8_t *data, size_t size)
{
	struct perfmap *map;
	struct perfmap_entry entry;
	struct address_ranges parts = { 0 };
	uint64_t before = 0;
	size_t n = 0;

	put(fd, data, size);
	map = perfmap_open(fd);
	while (perfmap_next(map, &entry)) {
		if (!entry.size || entry.start + entry.size < entry.start ||
			!*entry.name || strlen(entry.name) >= PERFMAP_NAME_MAX)
			abort();
		*array_push(&parts.ranges) =
			(struct address_range){ entry.start,
				entry.start + entry.size, n++ };
	}
	perfmap_close(map);
	close(fd);
	address_ranges_flatten(&parts);
	if (parts.ranges.n > 2 * n)
		abort();
	array_each(&parts.ranges, part) {
		if (part->start < before || part->start >= part->end)
			abort();
		before = part->end;
	}
	address_ranges_free(&parts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd;

	if (!size || size > INPUT_MAX)
		return 0;
	fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0)
		abort();
	if (*data & 1)
		read_map(fd, data + 1, size - 1);
	else
		read_dump(fd, data + 1, size - 1);
	return 0;
}
