/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/hotspot/hotspot.h"

#include <stdlib.h>

#include "common/util/alloc.h"
#include "record/runtimes/hotspot/hotspot_private.h"

#define SEGMENT_SHIFT_MAX 20u
#define CODE_CACHE_MAX (UINT64_C(1) << 32)

/* Reads the code heap at ADDRESS. Returns false if the heap is not initialized. */
static bool read_heap(struct process_memory *memory,
	const struct hotspot_layout *layout, uint64_t address,
	struct hotspot_heap *ret)
{
	uint64_t space = address + layout->heap_memory;

	return process_memory_u64(
		       memory, space + layout->space_low, &ret->low) &&
		process_memory_u64(
			memory, space + layout->space_high, &ret->high) &&
		process_memory_u64(memory,
			address + layout->heap_segmap + layout->space_low,
			&ret->segments) &&
		process_memory_u32(memory, address + layout->heap_log2,
			&ret->log2_segment_size) &&
		ret->low && ret->segments && ret->high > ret->low &&
		ret->high - ret->low <= CODE_CACHE_MAX &&
		ret->log2_segment_size <= SEGMENT_SHIFT_MAX;
}

/* Reads the array of code heaps of JDK 9 and later. */
static bool read_heap_array(
	struct process_memory *memory, struct hotspot *hotspot)
{
	const struct hotspot_layout *layout = &hotspot->layout;
	uint64_t array, data, heap;
	uint32_t n, i;

	if (!process_memory_u64(memory, layout->code_cache_heaps, &array) ||
		!array ||
		!process_memory_u32(memory, array + layout->array_len, &n) ||
		!n || n > HOTSPOT_HEAPS_MAX ||
		!process_memory_u64(memory, array + layout->array_data, &data))
		return false;
	for (i = 0; i < n; i++)
		if (!process_memory_u64(
			    memory, data + 8 * (uint64_t)i, &heap) ||
			!read_heap(memory, layout, heap, &hotspot->heaps[i]))
			return false;
	hotspot->n_heaps = n;
	return true;
}

/* Reads the code heaps. Their boundaries never change. */
static bool read_heaps(struct process_memory *memory, struct hotspot *hotspot)
{
	const struct hotspot_layout *layout = &hotspot->layout;
	uint64_t heap;

	/* JDK 8 has only one. */
	hotspot->n_heaps = 1;
	if (hotspot_has_field(layout->code_cache_heaps)) {
		if (!read_heap_array(memory, hotspot))
			return false;
	} else if (!process_memory_u64(
			   memory, layout->code_cache_heap, &heap) ||
		!heap || !read_heap(memory, layout, heap, &hotspot->heaps[0])) {
		return false;
	}
	return process_memory_u64(memory, layout->call_stub_return,
		       &hotspot->call_stub_return) &&
		hotspot->call_stub_return;
}

static enum runtime_state probe_hotspot(const struct runtime_module *module,
	struct process_memory *memory, void **ret, const char **reason_ret)
{
	struct hotspot *hotspot = xcalloc(1, sizeof(*hotspot));
	enum runtime_state state;

	hotspot->batch = 1;
	state = hotspot_layout_read(
		module, memory, &hotspot->layout, reason_ret);
	if (state == RUNTIME_READY && !read_heaps(memory, hotspot))
		state = RUNTIME_STARTING;
	if (state == RUNTIME_READY)
		*ret = hotspot;
	else
		free(hotspot);
	return state;
}

static void destroy_hotspot(void *state)
{
	struct hotspot *hotspot = state;

	hotspot_free_blobs(hotspot);
	hotspot_free_methods(hotspot);
	free(hotspot);
}

static void settle_hotspot(void *state)
{
	struct hotspot *hotspot = state;

	hotspot->batch++;
}

static enum runtime_result step_hotspot(void *state,
	struct process_memory *memory, struct runtime_functions *functions,
	const struct runtime_frame *frame, struct runtime_step *ret)
{
	const struct hotspot_view view = { state, memory, functions };

	return hotspot_step(&view, frame, ret);
}

const struct runtime_ops hotspot_runtime = {
	.name = "java",
	.probe = probe_hotspot,
	.step = step_hotspot,
	.settle = settle_hotspot,
	.settle_ms = 50,
	.destroy = destroy_hotspot,
};
