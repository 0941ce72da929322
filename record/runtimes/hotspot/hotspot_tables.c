/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds and reads the tables of a compiled method. Their place depends on the version
 * of HotSpot (nmethod.hpp).
 */
#include "config.h"

#include "common/util/alloc.h"
#include "record/runtimes/hotspot/hotspot_private.h"

/* Limit of the size of one table. */
#define TABLE_MAX MIB(2)

struct table_range {
	uint64_t address, size;
};

struct table_ranges {
	struct table_range metadata, scopes, pcs;
};

/*
 * Finds the tables inside of the nmethod at the address AT, up to JDK 22. Their order
 * is metadata, scopes, PcDescs, dependencies. The nmethod has the offsets of the tables
 * from AT. In JDK 9 to 22, it has the address of the scopes instead of an offset.
 */
static bool find_inner_tables(
	const struct hotspot_view *view, uint64_t at, struct table_ranges *ret)
{
	const struct hotspot_layout *layout = &view->hotspot->layout;
	struct process_memory *memory = view->memory;
	uint32_t metadata, offset = 0, pcs, dependencies;
	uint64_t scopes;

	if (!process_memory_u32(
		    memory, at + layout->nmethod_metadata, &metadata) ||
		!process_memory_u32(memory, at + layout->nmethod_pcs, &pcs) ||
		!process_memory_u32(memory, at + layout->nmethod_dependencies,
			&dependencies))
		return false;
	if (hotspot_has_field(layout->nmethod_scopes)) {
		if (!process_memory_u64(
			    memory, at + layout->nmethod_scopes, &scopes))
			return false;
		scopes -= at;
	} else {
		if (!process_memory_u32(memory,
			    at + layout->nmethod_scopes_offset, &offset))
			return false;
		scopes = offset;
	}
	if (metadata > scopes || scopes > pcs || pcs > dependencies)
		return false;
	ret->metadata =
		(struct table_range){ at + metadata, scopes - metadata };
	ret->scopes = (struct table_range){ at + scopes, pcs - scopes };
	ret->pcs = (struct table_range){ at + pcs, dependencies - pcs };
	return true;
}

/*
 * Finds the tables outside of the nmethod at the address AT, since JDK 25. The metadata
 * follow the relocations in the mutable data. The PcDescs, then the scopes, are in the
 * immutable data. JVMCI data can follow the metadata, and a reference count the scopes.
 * They are read as parts of the tables, but no scope refers to them.
 */
static bool find_outer_tables(
	const struct hotspot_view *view, uint64_t at, struct table_ranges *ret)
{
	const struct hotspot_layout *layout = &view->hotspot->layout;
	struct process_memory *memory = view->memory;
	uint32_t relocations, mutable_size, pcs, scopes, size;
	uint64_t mutable_data, data;

	if (!process_memory_u64(
		    memory, at + layout->blob_mutable_data, &mutable_data) ||
		!process_memory_u32(memory, at + layout->blob_mutable_size,
			&mutable_size) ||
		!process_memory_u32(memory, at + layout->blob_relocation_size,
			&relocations) ||
		!process_memory_u64(
			memory, at + layout->nmethod_immutable_data, &data) ||
		!process_memory_u32(
			memory, at + layout->nmethod_immutable_size, &size) ||
		!process_memory_u32(memory, at + layout->nmethod_pcs, &pcs) ||
		!process_memory_u32(
			memory, at + layout->nmethod_scopes_offset, &scopes))
		return false;
	if (relocations > mutable_size || pcs > scopes || scopes > size)
		return false;
	ret->metadata = (struct table_range){ mutable_data + relocations,
		mutable_size - relocations };
	ret->pcs = (struct table_range){ data + pcs, scopes - pcs };
	ret->scopes = (struct table_range){ data + scopes, size - scopes };
	return true;
}

const uint8_t *hotspot_metadata(const struct hotspot_blob *blob)
{
	return blob->tables;
}

const uint8_t *hotspot_scopes(const struct hotspot_blob *blob)
{
	return blob->tables + blob->n_metadata * sizeof(uint64_t);
}

struct hotspot_pc_desc hotspot_pc_desc(const struct hotspot_layout *layout,
	const struct hotspot_blob *blob, size_t i)
{
	const uint8_t *at = hotspot_scopes(blob) + blob->scopes_size +
		i * (size_t)layout->size_pc_desc;
	struct hotspot_pc_desc desc = { 0 };

	memcpy(&desc.pc, at + layout->pc_desc_pc, sizeof(desc.pc));
	memcpy(&desc.scope, at + layout->pc_desc_scope, sizeof(desc.scope));
	return desc;
}

/*
 * Returns true if the first and the last PcDesc of BLOB are the limits that HotSpot
 * writes in nmethod::copy_scopes_pcs(). The first limit is -1. The last one is 1 + the
 * size of the content, which is the code and the constants before it. Also returns true
 * if there are no PcDescs, as in the wrapper of a native method.
 */
static bool has_pc_limits(
	const struct hotspot_layout *layout, const struct hotspot_blob *blob)
{
	int64_t last;

	if (!blob->n_pcs)
		return true;
	last = hotspot_pc_desc(layout, blob, blob->n_pcs - 1).pc;
	return hotspot_pc_desc(layout, blob, 0).pc == -1 &&
		last > (int64_t)(blob->end - blob->begin) &&
		last <= (int64_t)(blob->end - blob->address);
}

bool hotspot_read_tables(
	const struct hotspot_view *view, struct hotspot_blob *blob)
{
	const struct hotspot_layout *layout = &view->hotspot->layout;
	struct process_memory *memory = view->memory;
	struct table_ranges ranges;
	uint32_t offset;
	uint8_t *at;

	if (!(hotspot_has_field(layout->nmethod_immutable_data)
			    ? find_outer_tables(view, blob->address, &ranges)
			    : find_inner_tables(
				      view, blob->address, &ranges)) ||
		ranges.metadata.size > TABLE_MAX ||
		ranges.scopes.size > TABLE_MAX || ranges.pcs.size > TABLE_MAX)
		return false;
	blob->n_metadata = (size_t)ranges.metadata.size / sizeof(uint64_t);
	blob->scopes_size = (size_t)ranges.scopes.size;
	blob->n_pcs = (size_t)(ranges.pcs.size / layout->size_pc_desc);
	ranges.metadata.size = blob->n_metadata * sizeof(uint64_t);
	ranges.pcs.size = blob->n_pcs * layout->size_pc_desc;
	at = blob->tables = xmalloc((size_t)(ranges.metadata.size +
		ranges.scopes.size + ranges.pcs.size + 1));
	/* The deoptimization handler; see step_compiled(). */
	if (hotspot_has_field(layout->nmethod_deopt))
		process_memory_u64(memory,
			blob->address + layout->nmethod_deopt, &blob->deopt);
	else if (hotspot_has_field(layout->nmethod_deopt_offset) &&
		process_memory_u32(memory,
			blob->address + layout->nmethod_deopt_offset, &offset))
		blob->deopt = blob->address + offset;
	if (hotspot_has_field(layout->nmethod_orig_pc))
		process_memory_u32(memory,
			blob->address + layout->nmethod_orig_pc,
			&blob->orig_pc);
	if (!process_memory_read(memory, ranges.metadata.address, at,
		    (size_t)ranges.metadata.size))
		return false;
	at += ranges.metadata.size;
	if (!process_memory_read(memory, ranges.scopes.address, at,
		    (size_t)ranges.scopes.size))
		return false;
	at += ranges.scopes.size;
	return process_memory_read(memory, ranges.pcs.address, at,
		       (size_t)ranges.pcs.size) &&
		has_pc_limits(layout, blob);
}
