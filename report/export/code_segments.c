/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/export/code_segments.h"

#include "common/util/alloc.h"
#include "report/scan/inputs.h"

/*
 * Addresses for segments that are moved: above the addresses of all processes,
 * and in the half of the address space that is not the kernel's.
 */
#define MOVED_START (UINT64_C(1) << 60)
#define MOVED_END (UINT64_C(1) << 62)
/* A segment is moved by a multiple of the largest page size. */
#define MOVED_ALIGN (UINT64_C(1) << 16)

static int compare_segment_dsos(
	const struct code_segment *a, const struct code_segment *b)
{
	if (a->input != b->input)
		return COMPARE(a->input, b->input);
	if (a->dso != b->dso)
		return COMPARE(a->dso, b->dso);
	return COMPARE(a->is_data, b->is_data);
}

static int compare_segments(const void *a, const void *b)
{
	const struct code_segment *left = a, *right = b;
	int order = compare_segment_dsos(left, right);

	if (order)
		return order;
	if (left->first != right->first)
		return COMPARE(left->first, right->first);
	return COMPARE(left->mapping, right->mapping);
}

static void add_input_segments(
	struct code_segments *segments, uint32_t input, const struct maps *maps)
{
	uint32_t n = maps_n_mappings(maps), i;

	for (i = 0; i < n; i++) {
		const struct mapping *mapping = maps_mapping(maps, i);
		struct code_segment segment = { .input = input,
			.dso = mapping->dso,
			.mapping = i,
			.is_data = mapping->is_data,
			.is_kernel = maps_dso(maps, mapping->dso)->pid ==
				MAPS_KERNEL_PID,
			.start = mapping->start };

		segment.first =
			segment.is_kernel ? mapping->start : mapping->offset;
		if (__builtin_add_overflow(segment.first,
			    mapping->end - mapping->start, &segment.end))
			segment.end = UINT64_MAX;
		*array_push(&segments->at) = segment;
	}
}

void code_segments_init(
	struct code_segments *segments, const struct inputs *inputs)
{
	*segments = (struct code_segments){ 0 };
	array_each(&inputs->at, input)
		add_input_segments(segments, inputs_number(inputs, input),
			input->survey.maps);
	array_sort(&segments->at, compare_segments);
	/* Remove the segments that end within the segments before them. */
	size_t n = 0;
	array_each(&segments->at, segment) {
		const struct code_segment *last =
			n ? &segments->at.at[n - 1] : NULL;

		if (last && !compare_segment_dsos(last, segment) &&
			segment->end <= last->end)
			continue;
		segments->at.at[n++] = *segment;
	}
	segments->at.n = n;
}

void code_segments_deinit(struct code_segments *segments)
{
	array_free(&segments->at);
	array_free(&segments->uses);
}

/*
 * Returns the number of the first segment with the DSO of WANTED that ends
 * after WANTED->first, or of the segment behind it.
 */
static size_t count_segments_before(
	const struct code_segments *segments, const struct code_segment *wanted)
{
	return array_count_before(&segments->at, segment,
		(compare_segment_dsos(segment, wanted)
				? compare_segment_dsos(segment, wanted) < 0
				: segment->end <= wanted->first));
}

size_t code_segments_find(const struct code_segments *segments, uint32_t input,
	uint32_t dso, uint64_t place)
{
	struct code_segment wanted = {
		.input = input, .dso = dso, .first = place
	};
	int is_data;

	for (is_data = 0; is_data <= 1; is_data++) {
		const struct code_segment *found;
		size_t i;

		wanted.is_data = is_data;
		i = count_segments_before(segments, &wanted);
		found = &segments->at.at[i];
		if (i < segments->at.n &&
			!compare_segment_dsos(found, &wanted) &&
			found->first <= place)
			return i;
	}
	return CODE_SEGMENT_NONE;
}

size_t code_segments_first(
	const struct code_segments *segments, uint32_t input, uint32_t dso)
{
	const struct code_segment wanted = { .input = input, .dso = dso };
	size_t i = count_segments_before(segments, &wanted);

	return i < segments->at.n && segments->at.at[i].input == input &&
			segments->at.at[i].dso == dso
		? i
		: CODE_SEGMENT_NONE;
}

void code_segments_use(
	struct code_segments *segments, const struct code_use *use)
{
	*array_push(&segments->uses) = *use;
}

void code_segments_weigh(
	struct code_segments *segments, size_t segment, uint64_t weight)
{
	uint64_t *sum = &segments->at.at[segment].weight;

	if (__builtin_add_overflow(*sum, weight, sum))
		*sum = UINT64_MAX;
}

/* --- addresses ----------------------------------------------------------- */

/*
 * Moves the segment of USE to the addresses of its file as linked, if the file
 * is found.
 */
static void place_as_linked(struct code_segments *segments,
	const struct inputs *inputs, const struct code_use *use)
{
	struct code_segment *segment = &segments->at.at[use->segment];
	uint64_t linked;

	if (segment->is_sought || segment->is_kernel)
		return;
	segment->is_sought = true;
	segment->is_linked =
		files_linked_address(inputs->at.at[segment->input].files,
			segment->dso, use->place, &linked);
	if (segment->is_linked)
		segment->start = linked - (use->place - segment->first);
}

static uint64_t use_start(
	const struct code_segments *segments, const struct code_use *use)
{
	return code_segment_address(&segments->at.at[use->segment], use->first);
}

static int compare_uses(const void *a, const void *b, void *data)
{
	const struct code_use *left = a, *right = b;
	const struct code_segments *segments = data;
	uint64_t start = use_start(segments, left);
	uint64_t other = use_start(segments, right);

	if (start != other)
		return COMPARE(start, other);
	return COMPARE(left->segment, right->segment);
}

/*
 * Returns whether A and B are the code of two copies of one file, as linked: both
 * have the same functions at the same addresses.
 */
static bool are_same_code(const struct inputs *inputs,
	const struct code_segment *a, const struct code_segment *b)
{
	struct build_id a_id, b_id;

	if (!a->is_linked || !b->is_linked ||
		a->start - a->first != b->start - b->first)
		return false;
	a_id = files_build_id(inputs->at.at[a->input].files, a->dso);
	b_id = files_build_id(inputs->at.at[b->input].files, b->dso);
	return a_id.size && build_id_equal(&a_id, &b_id);
}

/* Sets .is_moved of the segments that must be moved. */
static void find_overlaps(
	struct code_segments *segments, const struct inputs *inputs)
{
	const struct code_use *last = NULL;

	array_each(&segments->uses, use) {
		struct code_segment *segment = &segments->at.at[use->segment];
		struct code_segment *other;

		if (segment->is_kernel || segment->is_moved)
			continue;
		if (!last ||
			use_start(segments, use) - use_start(segments, last) >=
				last->end - last->first) {
			last = use;
			continue;
		}
		other = &segments->at.at[last->segment];
		if (other == segment || are_same_code(inputs, other, segment)) {
			if (use_start(segments, use) -
					use_start(segments, last) +
					(use->end - use->first) >
				last->end - last->first)
				last = use;
			continue;
		}
		if (other->weight >= segment->weight) {
			segment->is_moved = true;
		} else {
			other->is_moved = true;
			last = use;
		}
	}
}

void code_segments_place(
	struct code_segments *segments, const struct inputs *inputs)
{
	uint64_t next = MOVED_START;

	array_each(&segments->uses, use)
		place_as_linked(segments, inputs, use);
	if (segments->uses.n)
		qsort_r(segments->uses.at, segments->uses.n,
			sizeof(*segments->uses.at), compare_uses, segments);
	find_overlaps(segments, inputs);
	array_each(&segments->at, segment)
		if (segment->is_moved) {
			/*
			 * Move SEGMENT to NEXT or a little higher, and NEXT
			 * behind SEGMENT, if there is room.
			 */
			uint64_t start = next + segment->first % MOVED_ALIGN;
			uint64_t size = segment->end - segment->first;

			segment->is_linked = false;
			if (start < MOVED_END && size <= MOVED_END - start) {
				segment->start = start;
				next = (start + size + MOVED_ALIGN - 1) /
					MOVED_ALIGN * MOVED_ALIGN;
			}
		}
}
