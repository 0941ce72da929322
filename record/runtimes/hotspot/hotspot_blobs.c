/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the CodeBlob of a pc in HotSpot's code cache. */
#include "config.h"

#include <stdlib.h>

#include "common/util/alloc.h"
#include "record/runtimes/hotspot/hotspot_private.h"

/* Limits of the kept blobs. When a limit is reached, all blobs are forgotten. */
#define BLOBS_MAX 65536u
#define TABLES_SIZE_MAX MIB(64)
/* Limit of the code of one blob. */
#define CODE_SIZE_MAX MIB(16)
#define FRAME_WORDS_MAX 65536u
/*
 * The segment map has a byte for each segment: its distance from the start of its
 * block, in segments. A larger distance is a chain of distances of at most 254. The
 * value 255 is a free segment (heap.hpp).
 */
#define SEGMENT_FREE 255u
#define SEGMENT_STEPS_MAX 65536u

static const struct hotspot_heap *find_heap(
	const struct hotspot *hotspot, uint64_t pc)
{
	size_t i;

	for (i = 0; i < hotspot->n_heaps; i++)
		if (pc >= hotspot->heaps[i].low && pc < hotspot->heaps[i].high)
			return &hotspot->heaps[i];
	return NULL;
}

bool hotspot_has_code(const struct hotspot *hotspot, uint64_t pc)
{
	return find_heap(hotspot, pc);
}

/* Returns the address of the CodeBlob that contains PC, or 0 if there is none. */
static uint64_t find_blob_address(const struct hotspot_view *view, uint64_t pc)
{
	const struct hotspot_heap *heap = find_heap(view->hotspot, pc);
	uint64_t segment;
	unsigned i;

	if (!heap)
		return 0;
	segment = (pc - heap->low) >> heap->log2_segment_size;
	for (i = 0; i < SEGMENT_STEPS_MAX; i++) {
		uint8_t distance;

		if (!process_memory_u8(view->memory, heap->segments + segment,
			    &distance) ||
			distance == SEGMENT_FREE || distance > segment)
			return 0;
		if (!distance)
			return heap->low +
				(segment << heap->log2_segment_size) +
				view->hotspot->layout.size_heap_block;
		segment -= distance;
	}
	return 0;
}

/*
 * Reads the range of the code of BLOB. JDK 9 to 22 store two addresses. Other versions
 * store the offsets of the code, and of the data that follow it, from the CodeBlob
 * (codeBlob.hpp).
 */
static bool read_code_range(
	const struct hotspot_view *view, struct hotspot_blob *blob)
{
	const struct hotspot_layout *layout = &view->hotspot->layout;
	struct process_memory *memory = view->memory;
	uint32_t code, data;

	if (hotspot_has_field(layout->blob_begin))
		return process_memory_u64(memory,
			       blob->address + layout->blob_begin,
			       &blob->begin) &&
			process_memory_u64(memory,
				blob->address + layout->blob_end, &blob->end);
	if (!process_memory_u32(
		    memory, blob->address + layout->blob_code_offset, &code) ||
		!process_memory_u32(memory,
			blob->address + layout->blob_data_offset, &data))
		return false;
	blob->begin = blob->address + code;
	blob->end = blob->address + data;
	return true;
}

/* Reads the offset of the end of the prologue. HotSpot's value -1 is UINT32_MAX. */
static bool read_frame_complete(
	const struct hotspot_view *view, struct hotspot_blob *blob)
{
	const struct hotspot_layout *layout = &view->hotspot->layout;
	uint16_t offset;

	if (!hotspot_has_field(layout->blob_frame_complete_16))
		return process_memory_u32(view->memory,
			blob->address + layout->blob_frame_complete,
			&blob->frame_complete);
	if (!process_memory_u16(view->memory,
		    blob->address + layout->blob_frame_complete_16, &offset))
		return false;
	blob->frame_complete = (uint32_t)(int16_t)offset;
	return true;
}

/* Reads the fields that all blobs have, and the compile ID and method of an nmethod. */
static bool read_blob_head(const struct hotspot_view *view, uint64_t address,
	struct hotspot_blob *ret)
{
	const struct hotspot_layout *layout = &view->hotspot->layout;
	struct process_memory *memory = view->memory;

	ret->address = address;
	return process_memory_u64(
		       memory, address + layout->blob_name, &ret->name_at) &&
		read_code_range(view, ret) && read_frame_complete(view, ret) &&
		process_memory_u32(memory, address + layout->blob_frame_size,
			&ret->frame_size) &&
		process_memory_u32(memory, address + layout->nmethod_compile_id,
			&ret->compile_id) &&
		process_memory_u64(memory, address + layout->nmethod_method,
			&ret->method) &&
		ret->begin > address && ret->end > ret->begin &&
		ret->end - ret->begin <= CODE_SIZE_MAX &&
		find_heap(view->hotspot, ret->begin) &&
		find_heap(view->hotspot, ret->begin) ==
		find_heap(view->hotspot, ret->end - 1);
}

/* NAME is one of the constants in codeBlob.cpp and nmethod.cpp of HotSpot. */
static enum hotspot_blob_kind kind_of_blob(
	const char *name, uint32_t frame_size)
{
	if (string_is(name, "Interpreter"))
		return HOTSPOT_INTERPRETER;
	if (string_is(name, "nmethod") || string_is(name, "native nmethod"))
		return HOTSPOT_COMPILED;
	/* Its code begins with enter(), and keeps rbp while it replaces its caller. */
	if (string_is(name, "DeoptimizationBlob"))
		return HOTSPOT_STUBS;
	if (strstr(name, "adapters") || strstr(name, "vtable") ||
		strstr(name, "itable"))
		return HOTSPOT_ADAPTERS;
	return frame_size ? HOTSPOT_OTHER_CODE : HOTSPOT_STUBS;
}

static bool read_blob(const struct hotspot_view *view, uint64_t address,
	struct hotspot_blob *ret)
{
	size_t prologue;
	char name[64];

	if (!read_blob_head(view, address, ret) ||
		!process_memory_text(
			view->memory, ret->name_at, name, sizeof(name)))
		return false;
	/* Some code that HotSpot generates at its start has the frame size -1. */
	if (ret->frame_size > FRAME_WORDS_MAX)
		ret->frame_size = 0;
	ret->kind = kind_of_blob(name, ret->frame_size);
	prologue = MIN((size_t)(ret->end - ret->begin), sizeof(ret->prologue));
	if (!process_memory_read(
		    view->memory, ret->begin, ret->prologue, prologue))
		return false;
	if (ret->kind == HOTSPOT_COMPILED)
		return hotspot_read_tables(view, ret);
	ret->function = runtime_functions_add(view->functions,
		&(struct runtime_function){ RUNTIME_JAVA, name, "", 0 });
	return true;
}

void hotspot_free_blobs(struct hotspot *hotspot)
{
	array_each(&hotspot->blobs, blob) {
		free((*blob)->tables);
		free(*blob);
	}
	array_free(&hotspot->blobs);
	hash_free(&hotspot->blobs_by_address);
	hotspot->tables_size = 0;
}

static size_t tables_size_of(
	const struct hotspot *hotspot, const struct hotspot_blob *blob)
{
	return blob->n_metadata * sizeof(uint64_t) + blob->scopes_size +
		blob->n_pcs * (size_t)hotspot->layout.size_pc_desc;
}

/*
 * Reads BLOB at ADDRESS again. If that fails, only .address and .checked of BLOB
 * are set.
 */
static void update_blob(const struct hotspot_view *view, uint64_t address,
	struct hotspot_blob *blob)
{
	struct hotspot_blob new = { 0 };

	view->hotspot->tables_size -= tables_size_of(view->hotspot, blob);
	free(blob->tables);
	if (!read_blob(view, address, &new)) {
		free(new.tables);
		new = (struct hotspot_blob){ 0 };
	}
	*blob = new;
	blob->address = address;
	blob->checked = view->hotspot->batch;
	view->hotspot->tables_size += tables_size_of(view->hotspot, blob);
}

/*
 * Returns true if BLOB is unchanged in the process. If the process has ended, BLOB
 * counts as unchanged.
 */
static bool is_blob_unchanged(
	const struct hotspot_view *view, const struct hotspot_blob *blob)
{
	struct hotspot_blob now = { 0 };

	if (!read_blob_head(view, blob->address, &now))
		return blob->end && process_memory_is_gone(view->memory);
	return now.begin == blob->begin && now.end == blob->end &&
		now.name_at == blob->name_at &&
		now.compile_id == blob->compile_id &&
		now.method == blob->method;
}

/* Returns the kept blob that contains PC, or NULL. The process has ended. */
static const struct hotspot_blob *find_blob_of_ended(
	const struct hotspot_view *view, uint64_t pc)
{
	struct hotspot *hotspot = view->hotspot;

	if (!process_memory_spend(view->memory, hotspot->blobs.n / 16))
		return NULL;
	array_each(&hotspot->blobs, at) {
		const struct hotspot_blob *blob = *at;

		if (pc >= blob->begin && pc < blob->end)
			return blob;
	}
	return NULL;
}

const struct hotspot_blob *hotspot_find_blob(
	const struct hotspot_view *view, uint64_t pc)
{
	struct hotspot *hotspot = view->hotspot;
	uint64_t address = find_blob_address(view, pc);
	struct hotspot_blob *blob = NULL;

	if (!address)
		return process_memory_is_gone(view->memory)
			? find_blob_of_ended(view, pc)
			: NULL;
	hash_each_match(&hotspot->blobs_by_address, hash_words(address, 0), i)
		if (!blob && hotspot->blobs.at[i]->address == address)
			blob = hotspot->blobs.at[i];
	if (!blob) {
		if (hotspot->blobs.n >= BLOBS_MAX ||
			hotspot->tables_size >= TABLES_SIZE_MAX)
			hotspot_free_blobs(hotspot);
		blob = xcalloc(1, sizeof(*blob));
		hash_insert(&hotspot->blobs_by_address, hash_words(address, 0),
			(uint32_t)hotspot->blobs.n);
		*array_push(&hotspot->blobs) = blob;
		update_blob(view, address, blob);
	} else if (blob->checked != hotspot->batch) {
		if (!is_blob_unchanged(view, blob))
			update_blob(view, address, blob);
		blob->checked = hotspot->batch;
	}
	return pc >= blob->begin && pc < blob->end ? blob : NULL;
}
