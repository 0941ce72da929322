/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a sample accessed: perf_mem_data_src of linux/perf_event.h. */
#include "config.h"

#include "report/rows/field.h"
#include "report/util/data_source.h"

#include <sys/mman.h>

#define CACHE_LINE UINT64_C(64)
/* A physical address and how it was sampled, in one key. */
#define MODE_SHIFT 56

#define LEVEL_BITS (UINT64_C(0x3fff) << PERF_MEM_LVL_SHIFT)
#define SNOOP_BITS (UINT64_C(0x1f) << PERF_MEM_SNOOP_SHIFT)
#define SNOOPX_BITS (UINT64_C(3) << PERF_MEM_SNOOPX_SHIFT)
#define LOCK_BITS (UINT64_C(3) << PERF_MEM_LOCK_SHIFT)
#define TLB_BITS (UINT64_C(0x7f) << PERF_MEM_TLB_SHIFT)
#define NUMBER_BITS (UINT64_C(0xf) << PERF_MEM_LVLNUM_SHIFT)
#define REMOTE_BITS (UINT64_C(1) << PERF_MEM_REMOTE_SHIFT)
#define BLOCK_BITS (UINT64_C(7) << PERF_MEM_BLK_SHIFT)
#define HOPS_BITS (UINT64_C(7) << PERF_MEM_HOPS_SHIFT)

#define DEFINE_TAKE(name, bits)                                                \
	static uint64_t name(const struct take_source *source)                 \
	{                                                                      \
		return source->sample->data_src & (bits);                      \
	}

DEFINE_TAKE(take_level, LEVEL_BITS | NUMBER_BITS | REMOTE_BITS | HOPS_BITS)
DEFINE_TAKE(take_snoop, SNOOP_BITS | SNOOPX_BITS)
DEFINE_TAKE(take_lock, LOCK_BITS)
DEFINE_TAKE(take_tlb, TLB_BITS)
DEFINE_TAKE(take_block, BLOCK_BITS)

static uint64_t take_data_address(const struct take_source *source)
{
	return source->sample->addr;
}

static uint64_t take_code_address(const struct take_source *source)
{
	return source->sample->ip;
}

static uint64_t take_mode(const struct take_source *source)
{
	return source->cpumode;
}

static uint64_t take_physical(const struct take_source *source)
{
	return source->sample->phys_addr |
		(uint64_t)source->cpumode << MODE_SHIFT;
}

static uint64_t take_page_size(const struct take_source *source)
{
	return source->sample->data_page_size;
}

#define DEFINE_TEXT(name, put)                                                 \
	static void name(const struct field_names *names _unused_,             \
		uint64_t value, struct strbuf *out)                            \
	{                                                                      \
		put(value, out);                                               \
	}

DEFINE_TEXT(level_text, data_source_level)
DEFINE_TEXT(snoop_text, data_source_snoop)
DEFINE_TEXT(tlb_text, data_source_tlb)
DEFINE_TEXT(lock_text, data_source_lock)

static void block_text(const struct field_names *names _unused_,
	uint64_t value, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf words = { 0 };

	data_source_block(value, &words);
	strbuf_puts(out, words.at + (*words.at == ' '));
}

/*
 * Data lies where the code that touches it belongs, mostly; but the kernel
 * touches a process's, too.
 */
static struct frame data_frame(const struct field_names *names,
	const struct context *context, const uint64_t *taken)
{
	struct frame own = stacks_frame_in(context, taken[0], (uint8_t)taken[1]);
	struct frame any =
		stacks_frame_in(context, taken[0], STACKS_ANY_MODE);
	uint32_t location = resolver_find(names->resolver, &own).location;

	if (resolver_location(names->resolver, location)->dso)
		return own;
	location = resolver_find(names->resolver, &any).location;
	return resolver_location(names->resolver, location)->dso ? any : own;
}

static uint64_t data_value(const struct field_names *names,
	const struct context *context, uint32_t location _unused_,
	const uint64_t *taken)
{
	struct frame frame = data_frame(names, context, taken);

	return points_find_address(names->points, names->resolver, &frame);
}

/* perf's marks: 's' is a file's memory that processes share, 'X' is unmapped. */
static char line_level(const struct field_names *names,
	const struct frame *frame, uint8_t cpumode)
{
	const struct maps *maps =
		names->inputs->at.at[frame->input].survey.maps;
	const struct mapping *mapping =
		maps_find(maps, frame->space, frame->ip);
	const struct dso *dso =
		mapping ? maps_dso(maps, mapping->dso) : NULL;

	if (!mapping)
		return 'X';
	if (cpumode == MISC_KERNEL || mapping->prot & PROT_EXEC ||
		!(mapping->flags & MAP_SHARED) ||
		!(dso->major || dso->minor || dso->inode || dso->generation))
		return resolver_level(cpumode);
	return 's';
}

static uint64_t line_value(const struct field_names *names,
	const struct context *context, uint32_t location _unused_,
	const uint64_t *taken)
{
	const uint64_t line[] = { taken[0] & ~(CACHE_LINE - 1), taken[1] };
	struct frame frame = data_frame(names, context, line);

	return points_find_marked(names->points, names->resolver, &frame,
		line_level(names, &frame, (uint8_t)taken[1]));
}

static uint64_t data_dso_value(const struct field_names *names,
	const struct context *context, uint32_t location,
	const uint64_t *taken)
{
	struct frame frame = data_frame(names, context, taken);

	location = resolver_find(names->resolver, &frame).location;
	return resolver_location(names->resolver, location)->dso_name;
}

static uint64_t code_value(const struct field_names *names,
	const struct context *context, uint32_t location,
	const uint64_t *taken)
{
	struct frame frame =
		stacks_frame_in(context, taken[0], STACKS_ANY_MODE);

	location = resolver_find(names->resolver, &frame).location;
	return resolver_location(names->resolver, location)->shown_as;
}

static void point_text(
	const struct field_names *names, uint64_t value, struct strbuf *out)
{
	points_text(names->points, names->resolver, value, out);
}

static void physical_text(const struct field_names *names _unused_,
	uint64_t value, struct strbuf *out)
{
	strbuf_printf(out, "[%c] ",
		resolver_level((uint8_t)(value >> MODE_SHIFT)));
	points_put_address(
		out, value & ((UINT64_C(1) << MODE_SHIFT) - 1));
}

const struct field field_memory[] = {
	{ "mem", "Memory access", .needs = NEEDS_DATA_SRC,
		.take = { take_level }, .text = level_text },
	{ "snoop", "Snoop", .needs = NEEDS_DATA_SRC, .take = { take_snoop },
		.text = snoop_text },
	{ "tlb", "TLB access", .needs = NEEDS_DATA_SRC, .take = { take_tlb },
		.text = tlb_text },
	{ "locked", "Locked", .needs = NEEDS_DATA_SRC, .take = { take_lock },
		.text = lock_text },
	{ "blocked", "Blocked", .needs = NEEDS_DATA_SRC,
		.take = { take_block }, .text = block_text },
	{ "symbol_daddr", "Data Symbol", .needs = NEEDS_ADDR,
		.take = { take_data_address, take_mode },
		.value = data_value, .text = point_text },
	{ "dso_daddr", "Data Object", .needs = NEEDS_ADDR,
		.take = { take_data_address, take_mode },
		.value = data_dso_value, .text = field_dso_text },
	{ "symbol_iaddr", "Code Symbol", .take = { take_code_address },
		.value = code_value, .text = field_symbol_text },
	{ "dcacheline", "Data Cacheline", .needs = NEEDS_ADDR,
		.take = { take_data_address, take_mode },
		.value = line_value, .text = point_text },
	{ "phys_daddr", "Data Physical Address", .needs = NEEDS_PHYS_ADDR,
		.take = { take_physical }, .text = physical_text },
	{ "data_page_size", "Data Page Size", .needs = NEEDS_DATA_PAGE_SIZE,
		.take = { take_page_size }, .text = field_size_text },
	{ 0 },
};
