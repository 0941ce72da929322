/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a sample accessed: perf_mem_data_src of linux/perf_event.h, taken apart
 * by shifts since bit fields are laid out as the compiler likes; the words for
 * its bits are perf's.
 */
#include "config.h"

#include "report/field.h"

#include <inttypes.h>

#define CACHE_LINE UINT64_C(64)
/* A physical address and how it was sampled, in one key. */
#define MODE_SHIFT 56

#define LEVEL_BITS (UINT64_C(0x3fff) << PERF_MEM_LVL_SHIFT)
#define HIT_OR_MISS_SHIFT 1 /* in mem_lvl and mem_dtlb: bits 1 and 2 */
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

/*
 * The words for the bits of VALUE, with " or " between; has begun with SOME
 * before them.
 */
static bool put_words(struct strbuf *out, uint64_t value,
	const char *const *words, size_t n, bool some)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (!(value >> i & 1) || !words[i])
			continue;
		strbuf_printf(out, "%s%s", some ? " or " : "", words[i]);
		some = true;
	}
	return some;
}

static void put_hit_or_miss(struct strbuf *out, uint64_t value)
{
	if (value >> HIT_OR_MISS_SHIFT & 1)
		strbuf_puts(out, " hit");
	if (value >> HIT_OR_MISS_SHIFT & 2)
		strbuf_puts(out, " miss");
}

static void put_level_number(struct strbuf *out, uint64_t number)
{
	static const char *const names[] = {
		[PERF_MEM_LVLNUM_ANY_CACHE] = "Any cache",
		[PERF_MEM_LVLNUM_LFB] = "LFB",
		[PERF_MEM_LVLNUM_RAM] = "RAM",
		[PERF_MEM_LVLNUM_PMEM] = "PMEM",
		[PERF_MEM_LVLNUM_NA] = "N/A",
	};

	if (names[number])
		strbuf_puts(out, names[number]);
	else
		strbuf_printf(out, "L%" PRIu64, number);
}

static void level_text(const struct field_names *names _unused_,
	uint64_t value, struct strbuf *out)
{
	static const char *const levels[] = { "N/A", NULL, NULL, "L1", "LFB",
		"L2", "L3", "Local RAM", "Remote RAM (1 hop)",
		"Remote RAM (2 hops)", "Remote Cache (1 hop)",
		"Remote Cache (2 hops)", "I/O", "Uncached" };
	static const char *const hops[8] = { NULL, "core, same node",
		"node, same socket", "socket, same board", "board" };
	uint64_t level = (value & LEVEL_BITS) >> PERF_MEM_LVL_SHIFT;
	uint64_t number = (value & NUMBER_BITS) >> PERF_MEM_LVLNUM_SHIFT;
	const char *far = hops[(value & HOPS_BITS) >> PERF_MEM_HOPS_SHIFT];
	bool some = false;

	if (value & REMOTE_BITS)
		strbuf_puts(out, "Remote ");
	if (far)
		strbuf_printf(out, "%s ", far);
	else
		some = put_words(
			out, level, levels, ARRAY_SIZE(levels), false);
	if (number) {
		strbuf_puts(out, some ? " or " : "");
		put_level_number(out, number);
	}
	if (!some && !number && !far && !(value & REMOTE_BITS))
		strbuf_puts(out, "N/A");
	put_hit_or_miss(out, level);
}

static void snoop_text(const struct field_names *names _unused_,
	uint64_t value, struct strbuf *out)
{
	static const char *const snoops[] = {
		"N/A", "None", "Hit", "Miss", "HitM"
	};
	static const char *const more[] = { "Fwd", "Peer" };
	bool some = put_words(out,
		(value & SNOOP_BITS) >> PERF_MEM_SNOOP_SHIFT, snoops,
		ARRAY_SIZE(snoops), false);

	some = put_words(out, (value & SNOOPX_BITS) >> PERF_MEM_SNOOPX_SHIFT,
		more, ARRAY_SIZE(more), some);
	if (!some)
		strbuf_puts(out, "N/A");
}

static void tlb_text(const struct field_names *names _unused_, uint64_t value,
	struct strbuf *out)
{
	static const char *const places[] = {
		"N/A", NULL, NULL, "L1", "L2", "Walker", "Fault"
	};
	uint64_t bits = (value & TLB_BITS) >> PERF_MEM_TLB_SHIFT;

	if (!put_words(out, bits, places, ARRAY_SIZE(places), false))
		strbuf_puts(out, "N/A");
	put_hit_or_miss(out, bits);
}

static void lock_text(const struct field_names *names _unused_, uint64_t value,
	struct strbuf *out)
{
	uint64_t bits = (value & LOCK_BITS) >> PERF_MEM_LOCK_SHIFT;

	strbuf_puts(out,
		bits & PERF_MEM_LOCK_NA		    ? "N/A"
			: bits & PERF_MEM_LOCK_LOCKED ? "Yes"
						    : "No");
}

static void block_text(const struct field_names *names _unused_,
	uint64_t value, struct strbuf *out)
{
	uint64_t bits = (value & BLOCK_BITS) >> PERF_MEM_BLK_SHIFT;

	if (!bits || bits & PERF_MEM_BLK_NA) {
		strbuf_puts(out, "N/A");
		return;
	}
	if (bits & PERF_MEM_BLK_DATA)
		strbuf_puts(out, "Data");
	if (bits & PERF_MEM_BLK_ADDR)
		strbuf_puts(out, bits & PERF_MEM_BLK_DATA ? " Addr" : "Addr");
}

/*
 * Data lies where the code that touches it belongs, mostly; but the kernel
 * touches a process's, too.
 */
static struct frame data_frame(const struct field_names *names,
	const struct context *context, const uint64_t *taken)
{
	struct frame own = stacks_frame(
		context->space, taken[0], (uint8_t)taken[1]);
	struct frame any =
		stacks_frame(context->space, taken[0], STACKS_ANY_MODE);
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

static uint64_t line_value(const struct field_names *names,
	const struct context *context, uint32_t location _unused_,
	const uint64_t *taken)
{
	const uint64_t line[] = { taken[0] & ~(CACHE_LINE - 1), taken[1] };
	struct frame frame = data_frame(names, context, line);

	return points_find(names->points, names->resolver, &frame);
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
		stacks_frame(context->space, taken[0], STACKS_ANY_MODE);

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
