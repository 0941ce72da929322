/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/data_source.h"

/* First bit and number of bits of each field of union perf_mem_data_src. */
enum {
	OPERATION = 0,
	OPERATION_BITS = 5,
	LEVEL = 5,
	LEVEL_BITS = 14,
	SNOOP = 19,
	SNOOP_BITS = 5,
	LOCK = 24,
	LOCK_BITS = 2,
	TLB = 26,
	TLB_BITS = 7,
	LEVEL_NUMBER = 33,
	LEVEL_NUMBER_BITS = 4,
	REMOTE = 37,
	REMOTE_BITS = 1,
	SNOOP_MORE = 38,
	SNOOP_MORE_BITS = 2,
	BLOCK = 40,
	BLOCK_BITS = 3,
	HOPS = 43,
	HOPS_BITS = 3,
};

#define PART(value, name) \
	((value) >> (name) & ((UINT64_C(1) << name##_BITS) - 1))

static const char *const operations[] = { "N/A", "LOAD", "STORE", "PFETCH",
	"EXEC" };
static const char *const levels[] = { "N/A", NULL, NULL, "L1", "LFB/MAB", "L2",
	"L3", "Local RAM", "Remote RAM (1 hop)", "Remote RAM (2 hops)",
	"Remote Cache (1 hop)", "Remote Cache (2 hops)", "I/O", "Uncached" };
static const char *const level_numbers[1 << LEVEL_NUMBER_BITS] = {
	[0x9] = "CXL",
	[0xa] = "I/O",
	[0xb] = "Any cache",
	[0xc] = "LFB/MAB",
	[0xd] = "RAM",
	[0xe] = "PMEM",
	[0xf] = "N/A"
};
static const char *const hops[1 << HOPS_BITS] = { NULL, "core, same node",
	"node, same socket", "socket, same board", "board" };
static const char *const snoops[] = { "N/A", "None", "Hit", "Miss", "HitM" };
static const char *const more_snoops[] = { "Fwd", "Peer" };
static const char *const tlbs[] = { "N/A", NULL, NULL, "L1", "L2", "Walker",
	"Fault" };

/*
 * Bits for hit and miss in the level and TLB fields; hit and miss are printed
 * last.
 */
#define IS_HIT 2u
#define IS_MISS 4u

/*
 * Appends the names of the bits that are set in PART, separated by " or ".
 * BEFORE is the size of OUT before the first name of the field.
 */
static void put_part_names(uint64_t part, const char *const *names, size_t n,
	size_t before, struct strbuf *out)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (part >> i & 1 && names[i])
			strbuf_printf(out, "%s%s",
				out->n > before ? " or " : "", names[i]);
}

static void put_hit_or_miss(uint64_t part, size_t before, struct strbuf *out)
{
	if (out->n == before)
		strbuf_puts(out, "N/A");
	if (part & IS_HIT)
		strbuf_puts(out, " hit");
	if (part & IS_MISS)
		strbuf_puts(out, " miss");
}

void data_source_level(uint64_t value, struct strbuf *out)
{
	uint64_t part = PART(value, LEVEL), hop = PART(value, HOPS);
	uint64_t number = PART(value, LEVEL_NUMBER);
	size_t before = out->n, first;

	if (PART(value, REMOTE))
		strbuf_puts(out, "Remote ");
	first = out->n;
	if (hop)
		strbuf_printf(out, "%s ", hops[hop] ? hops[hop] : "hops");
	else
		put_part_names(part, levels, ARRAY_SIZE(levels), first, out);
	if (number) {
		if (!hop && out->n > first)
			strbuf_puts(out, " or ");
		if (level_numbers[number])
			strbuf_puts(out, level_numbers[number]);
		else
			strbuf_printf(out, "L%u", (unsigned)number);
	}
	put_hit_or_miss(part, before, out);
}

void data_source_snoop(uint64_t value, struct strbuf *out)
{
	size_t before = out->n;

	put_part_names(
		PART(value, SNOOP), snoops, ARRAY_SIZE(snoops), before, out);
	put_part_names(PART(value, SNOOP_MORE), more_snoops,
		ARRAY_SIZE(more_snoops), before, out);
	if (out->n == before)
		strbuf_puts(out, "N/A");
}

void data_source_tlb(uint64_t value, struct strbuf *out)
{
	uint64_t part = PART(value, TLB);
	size_t before = out->n;

	put_part_names(part, tlbs, ARRAY_SIZE(tlbs), before, out);
	put_hit_or_miss(part, before, out);
}

void data_source_lock(uint64_t value, struct strbuf *out)
{
	uint64_t part = PART(value, LOCK);

	if (part & 1)
		strbuf_puts(out, "N/A");
	else
		strbuf_puts(out, part & 2 ? "Yes" : "No");
}

void data_source_block(uint64_t value, struct strbuf *out)
{
	uint64_t part = PART(value, BLOCK);

	/* Each text of this field begins with a blank, as in perf. */
	if (part & 1 || !part) {
		strbuf_puts(out, " N/A");
		return;
	}
	if (part & 2)
		strbuf_puts(out, " Data");
	if (part & 4)
		strbuf_puts(out, " Addr");
}

void data_source_print(uint64_t value, struct strbuf *out)
{
	const char *operation = "No";
	size_t i;

	for (i = ARRAY_SIZE(operations); i-- > 0;)
		if (PART(value, OPERATION) >> i & 1)
			operation = operations[i];
	strbuf_printf(out, "|OP %s|LVL ", operation);
	data_source_level(value, out);
	strbuf_puts(out, "|SNP ");
	data_source_snoop(value, out);
	strbuf_puts(out, "|TLB ");
	data_source_tlb(value, out);
	strbuf_puts(out, "|LCK ");
	data_source_lock(value, out);
	strbuf_puts(out, "|BLK ");
	data_source_block(value, out);
}
