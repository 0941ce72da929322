/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns of the values that samples contain: weights, transactions, control
 * groups, page sizes, and memory accesses (perf_mem_data_src of
 * linux/perf_event.h).
 */
#include "config.h"

#include "report/rows/field.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>

#include "common/perf/abi.h"
#include "report/util/data_source.h"

/*
 * ABI_SAMPLE_WEIGHT_STRUCT has three parts: u32 weight, u16 latency, u16
 * stage.
 */
static uint64_t take_latency(const struct sample_key_source *source)
{
	return source->type & ABI_SAMPLE_WEIGHT_STRUCT
		? source->sample->weight >> 32 & UINT16_MAX
		: 0;
}

static uint64_t take_stage(const struct sample_key_source *source)
{
	return source->type & ABI_SAMPLE_WEIGHT_STRUCT
		? source->sample->weight >> 48
		: 0;
}

FIELD_TAKE(take_transaction, source->sample->transaction)
FIELD_TAKE(take_cgroup_id, source->sample->cgroup)

/*
 * Returns the index + 1 of the sample's cgroup namespace in survey->namespaces,
 * or 0 if the namespace is not known.
 */
static uint64_t take_namespace(const struct sample_key_source *source)
{
	const struct control_namespaces *all = &source->survey->namespaces;
	const struct control_namespace *own =
		control_namespaces_find(all, source->sample->tid, source->time);

	return own ? (uint64_t)(own - all->at.at) + 1 : 0;
}

FIELD_TAKE(take_code_page_size, source->sample->code_page_size)

static FIELD_TEXT_HEAD(transaction_text)
{
	static const struct {
		uint64_t bit;
		const char *name;
	} bits[] = {
		{ PERF_TXN_ELISION, "EL" },
		{ PERF_TXN_TRANSACTION, "TX" },
		{ PERF_TXN_SYNC, "SYNC" },
		{ PERF_TXN_ASYNC, "ASYNC" },
		{ PERF_TXN_RETRY, "RETRY" },
		{ PERF_TXN_CONFLICT, "CON" },
		{ PERF_TXN_CAPACITY_WRITE, "CAP-WRITE" },
		{ PERF_TXN_CAPACITY_READ, "CAP-READ" },
	};
	uint64_t abort_code = value >> PERF_TXN_ABORT_SHIFT;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bits); i++)
		if (value & bits[i].bit)
			strbuf_printf(out, "%s ", bits[i].name);
	if (value && !(value & (PERF_TXN_SYNC | PERF_TXN_ASYNC)))
		strbuf_puts(out, "NEITHER ");
	if (abort_code)
		strbuf_printf(out, ":%" PRIx64, abort_code);
}

/*
 * The IDs of control groups differ between machines and boots, so the key is
 * the path.
 */
static FIELD_VALUE_HEAD(cgroup_value)
{
	const struct input *input = &names->inputs->at.at[context->input];
	const char *path = control_groups_path(&input->survey.cgroups, *taken);

	return string_table_intern(names->texts,
		path		 ? path
			: *taken ? "unknown"
				 : "N/A");
}

static FIELD_VALUE_HEAD(namespace_value)
{
	const struct input *input = &names->inputs->at.at[context->input];
	struct control_namespace own = { 0 };
	char text[64];

	if (*taken)
		own = input->survey.namespaces.at.at[*taken - 1];
	snprintf(text, sizeof(text), "%" PRIu64 "/0x%" PRIx64, own.device,
		own.inode);
	return string_table_intern(names->texts, text);
}

FIELD_TEXT_HEAD(field_size_text)
{
	const char *units = "BKMG";

	while (value >= KIB(1) && units[1]) {
		value /= KIB(1);
		units++;
	}
	if (value)
		strbuf_printf(out, "%" PRIu64 "%c", value, *units);
	else
		strbuf_puts(out, "N/A");
}

const struct field field_sample[] = {
	{ "local_weight", "Local Weight", .needs = FIELD_NEEDS_WEIGHT,
		.is_number = true, .is_descending = true,
		.take = { sample_key_weight }, .text = field_number_text },
	{ "weight", "Weight", .needs = FIELD_NEEDS_WEIGHT, .is_number = true,
		.is_descending = true, .is_per_sample = true,
		.take = { sample_key_weight }, .text = field_number_text },
	{ "local_ins_lat", "Local INSTR Latency", .needs = FIELD_NEEDS_LATENCY,
		.is_number = true, .is_descending = true,
		.take = { take_latency }, .text = field_number_text },
	{ "ins_lat", "INSTR Latency", .needs = FIELD_NEEDS_LATENCY,
		.is_number = true, .is_descending = true, .is_per_sample = true,
		.take = { take_latency }, .text = field_number_text },
	{ "local_p_stage_cyc", "Local Pipeline Stage Cycle",
		.needs = FIELD_NEEDS_LATENCY, .is_number = true,
		.is_descending = true, .take = { take_stage },
		.text = field_number_text },
	{ "p_stage_cyc", "Pipeline Stage Cycle", .needs = FIELD_NEEDS_LATENCY,
		.is_number = true, .is_descending = true, .is_per_sample = true,
		.take = { take_stage }, .text = field_number_text },
	{ "transaction", "Transaction", .needs = FIELD_NEEDS_TRANSACTION,
		.take = { take_transaction }, .text = transaction_text },
	{ "cgroup", "Cgroup", .needs = FIELD_NEEDS_CGROUP,
		.take = { take_cgroup_id }, .value = cgroup_value,
		.text = field_text_text },
	{ "cgroup_id", "cgroup id (dev/inode)", .needs = FIELD_NEEDS_NAMESPACES,
		.take = { take_namespace }, .value = namespace_value,
		.text = field_text_text },
	{ "code_page_size", "Code Page Size",
		.needs = FIELD_NEEDS_CODE_PAGE_SIZE,
		.take = { take_code_page_size }, .text = field_size_text },
	{ 0 },
};

/* --- memory accesses ------------------------------------------------------ */

#define CACHE_LINE UINT64_C(64)
/* The key of a physical address is the address, with the CPU mode above. */
#define MODE_SHIFT 56

#define LEVEL_BITS (UINT64_C(0x3fff) << PERF_MEM_LVL_SHIFT)
#define SNOOP_BITS (UINT64_C(0x1f) << PERF_MEM_SNOOP_SHIFT)
#define SNOOPX_BITS (UINT64_C(3) << PERF_MEM_SNOOPX_SHIFT)
#define LOCK_BITS (UINT64_C(3) << PERF_MEM_LOCK_SHIFT)
#define TLB_BITS (UINT64_C(0x7f) << PERF_MEM_TLB_SHIFT)
#define NUMBER_BITS (UINT64_C(0xf) << PERF_MEM_LVLNUM_SHIFT)
#define REMOTE_BITS (UINT64_C(1) << PERF_MEM_REMOTE_SHIFT)
#define BLOCK_BITS (UINT64_C(7) << ABI_MEM_BLK_SHIFT)
#define HOPS_BITS (UINT64_C(7) << ABI_MEM_HOPS_SHIFT)

FIELD_TAKE(take_level,
	(source->sample->data_src &
		(LEVEL_BITS | NUMBER_BITS | REMOTE_BITS | HOPS_BITS)))
FIELD_TAKE(take_snoop, (source->sample->data_src & (SNOOP_BITS | SNOOPX_BITS)))
FIELD_TAKE(take_lock, (source->sample->data_src & LOCK_BITS))
FIELD_TAKE(take_tlb, (source->sample->data_src & TLB_BITS))
FIELD_TAKE(take_block, (source->sample->data_src & BLOCK_BITS))
FIELD_TAKE(take_data_address, source->sample->addr)
FIELD_TAKE(take_code_address, source->sample->ip)
FIELD_TAKE(count_mode, source->cpumode)
FIELD_TAKE(take_physical,
	source->sample->phys_addr | (uint64_t)source->cpumode << MODE_SHIFT)
FIELD_TAKE(take_page_size, source->sample->data_page_size)

FIELD_TEXT(level_text, data_source_level(value, out))
FIELD_TEXT(snoop_text, data_source_snoop(value, out))
FIELD_TEXT(tlb_text, data_source_tlb(value, out))
FIELD_TEXT(lock_text, data_source_lock(value, out))

static FIELD_TEXT_HEAD(block_text)
{
	_cleanup_strbuf_ struct strbuf words = { 0 };

	data_source_block(value, &words);
	strbuf_puts(out, words.at + (*words.at == ' '));
}

/*
 * Returns the frame of a data address. Most data is in the address space of the
 * code that accesses the data, but the kernel also accesses data of processes.
 */
static struct frame data_frame(const struct field_names *names,
	const struct context *context, const uint64_t *taken)
{
	struct frame own =
		stacks_frame_in(context, taken[0], (uint8_t)taken[1]);
	struct frame any = stacks_frame_in(context, taken[0], STACKS_ANY_MODE);
	uint32_t location = resolver_find(names->resolver, &own).location;

	if (resolver_location(names->resolver, location)->dso)
		return own;
	location = resolver_find(names->resolver, &any).location;
	return resolver_location(names->resolver, location)->dso ? any : own;
}

static FIELD_VALUE_HEAD(data_symbol_value)
{
	struct frame frame = data_frame(names, context, taken);

	return data_addresses_find(
		names->addresses, names->resolver, &frame, true, 0);
}

/*
 * Returns perf's mark of the memory at FRAME: 's' is file memory that processes
 * share, 'X' is unmapped, else the CPU mode.
 */
static char cache_line_level(const struct field_names *names,
	const struct frame *frame, uint8_t cpumode)
{
	const struct maps *maps =
		names->inputs->at.at[frame->input].survey.maps;
	const struct mapping *mapping =
		maps_find(maps, frame->space, frame->ip);
	const struct dso *dso = mapping ? maps_dso(maps, mapping->dso) : NULL;

	if (!mapping)
		return 'X';
	if (cpumode == MISC_KERNEL || mapping->prot & PROT_EXEC ||
		!(mapping->flags & MAP_SHARED) ||
		!(dso->major || dso->minor || dso->inode || dso->generation))
		return resolver_level(cpumode);
	return 's';
}

static FIELD_VALUE_HEAD(cache_line_value)
{
	const uint64_t line[] = { taken[0] & ~(CACHE_LINE - 1), taken[1] };
	struct frame frame = data_frame(names, context, line);

	return data_addresses_find(names->addresses, names->resolver, &frame,
		false, cache_line_level(names, &frame, (uint8_t)taken[1]));
}

static FIELD_VALUE_HEAD(data_dso_value)
{
	struct frame frame = data_frame(names, context, taken);

	location = resolver_find(names->resolver, &frame).location;
	return resolver_location(names->resolver, location)->dso_name;
}

static FIELD_VALUE_HEAD(code_symbol_value)
{
	struct frame frame =
		stacks_frame_in(context, taken[0], STACKS_ANY_MODE);

	location = resolver_find(names->resolver, &frame).location;
	return resolver_location(names->resolver, location)->shown_as;
}

static FIELD_TEXT_HEAD(physical_text)
{
	strbuf_printf(
		out, "[%c] ", resolver_level((uint8_t)(value >> MODE_SHIFT)));
	data_addresses_put(out, value & ((UINT64_C(1) << MODE_SHIFT) - 1));
}

const struct field field_memory[] = {
	{ "mem", "Memory access", .needs = FIELD_NEEDS_DATA_SRC,
		.take = { take_level }, .text = level_text },
	{ "snoop", "Snoop", .needs = FIELD_NEEDS_DATA_SRC,
		.take = { take_snoop }, .text = snoop_text },
	{ "tlb", "TLB access", .needs = FIELD_NEEDS_DATA_SRC,
		.take = { take_tlb }, .text = tlb_text },
	{ "locked", "Locked", .needs = FIELD_NEEDS_DATA_SRC,
		.take = { take_lock }, .text = lock_text },
	{ "blocked", "Blocked", .needs = FIELD_NEEDS_DATA_SRC,
		.take = { take_block }, .text = block_text },
	{ "symbol_daddr", "Data Symbol", .needs = FIELD_NEEDS_ADDR,
		.take = { take_data_address, count_mode },
		.value = data_symbol_value, .text = field_data_address_text },
	{ "dso_daddr", "Data Object", .needs = FIELD_NEEDS_ADDR,
		.take = { take_data_address, count_mode },
		.value = data_dso_value, .text = field_dso_text },
	{ "symbol_iaddr", "Code Symbol", .take = { take_code_address },
		.value = code_symbol_value, .text = field_symbol_text },
	{ "dcacheline", "Data Cacheline", .needs = FIELD_NEEDS_ADDR,
		.take = { take_data_address, count_mode },
		.value = cache_line_value, .text = field_data_address_text },
	{ "phys_daddr", "Data Physical Address", .needs = FIELD_NEEDS_PHYS_ADDR,
		.take = { take_physical }, .text = physical_text },
	{ "data_page_size", "Data Page Size",
		.needs = FIELD_NEEDS_DATA_PAGE_SIZE, .take = { take_page_size },
		.text = field_size_text },
	{ 0 },
};
