/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/v8/v8_code.h"

#define CODE_PAGE 4096u
#define PAGE_WORDS (CODE_PAGE / sizeof(uint64_t))
/* Number of pages below an address that are searched for the start of its code. */
#define SEARCH_PAGES 128u
/* The same for a search that accepts unknown Maps. */
#define LEARN_PAGES 16u
/* Limit of searches in an epoch. */
#define SEARCHES_MAX 32u
/* Number of epochs in which a page without code is not searched again. */
#define MISS_EPOCHS 32u
/* Limit of kept code objects. */
#define CODES_MAX 2048u
/*
 * Limit of the size of the instructions of one function, kMaxRegularHeapObjectSize
 * times 1024. A larger size is not plausible.
 */
#define CODE_SIZE_MAX MIB(128)
/* Size of the part of an instruction object that refers to the Code object. */
#define STREAM_HEADER 48u
/* The lower 4 bits of the flags contain the CodeKind. */
#define KIND_MASK 15u

void v8_codes_init(struct v8_codes *codes, struct v8_functions *functions)
{
	codes->functions = functions;
	codes->searches_left = SEARCHES_MAX;
}

void v8_codes_deinit(struct v8_codes *codes)
{
	array_free(&codes->list);
}

void v8_codes_settle(struct v8_codes *codes)
{
	codes->searches_left = SEARCHES_MAX;
}

bool v8_code_is_optimized(
	const struct v8_codes *codes, const struct v8_code *code)
{
	return (int32_t)code->kind >
		codes->functions->heap.layout->kind_baseline;
}

/* --- search ----------------------------------------------------------------- */

/* Returns the Code object of the instruction object at STREAM, or 0. */
static uint64_t find_code_object(struct v8_heap *heap, uint64_t stream)
{
	uint64_t at;

	if (heap->layout->is_code_inline)
		return stream;
	for (at = 8; at < STREAM_HEADER; at += 8) {
		uint64_t code = v8_heap_field(heap, stream + at);

		if (code && v8_heap_type(heap, code) == heap->layout->type_code)
			return code;
	}
	return 0;
}

static bool read_code_start(
	struct v8_heap *heap, uint64_t stream, uint64_t code, uint64_t *ret)
{
	const struct v8_layout *layout = heap->layout;

	if (layout->is_code_inline) {
		*ret = stream + (uint64_t)layout->code_start;
		return true;
	}
	return process_memory_u64(
		heap->memory, code + (uint64_t)layout->code_start, ret);
}

/* Reads the code whose instruction object, with the Map word MAP, is at STREAM. */
static bool read_code(struct v8_heap *heap, uint64_t stream, uint64_t map,
	struct v8_code *ret)
{
	const struct v8_layout *layout = heap->layout;
	uint64_t code = find_code_object(heap, stream);
	uint32_t flags;

	*ret = (struct v8_code){ .stream = stream, .map = map, .code = code };
	if (!code || !read_code_start(heap, stream, code, &ret->start) ||
		!process_memory_u32(heap->memory,
			code + (uint64_t)layout->code_size, &ret->size) ||
		!process_memory_u32(heap->memory,
			code + (uint64_t)layout->code_flags, &flags) ||
		!process_memory_u64(heap->memory,
			code + (uint64_t)layout->code_deopt, &ret->deopt) ||
		!process_memory_u64(heap->memory,
			code + (uint64_t)layout->code_positions,
			&ret->positions))
		return false;
	ret->kind = flags & KIND_MASK;
	return ret->start > stream && ret->start - stream <= 256 && ret->size &&
		ret->size <= CODE_SIZE_MAX;
}

static bool is_code_map_known(const struct v8_codes *codes, uint64_t word)
{
	size_t i;

	for (i = 0; i < codes->n_maps; i++)
		if (codes->maps[i] == word)
			return true;
	return false;
}

/* Returns true if WORD is the Map of instruction objects, and keeps the Map. */
static bool learn_code_map(struct v8_codes *codes, uint64_t word)
{
	struct v8_heap *heap = &codes->functions->heap;

	/* Maps are at multiples of 8 in the lower half of the address space. */
	if ((word & 7) != 1 || word >> 47 || word < CODE_PAGE ||
		v8_heap_map_type(heap, word) != heap->layout->type_stream)
		return false;
	if (codes->n_maps < V8_CODE_MAPS)
		codes->maps[codes->n_maps++] = word;
	return true;
}

enum code_search {
	CODE_FOUND,
	CODE_NOT_HERE, /* the page before may have the code */
	CODE_NONE,
};

/*
 * Searches the words of PAGE before END, downwards, for the instruction object of the
 * code that contains PC. IS_LEARNING: unknown Maps are examined, too.
 */
static enum code_search search_code_page(struct v8_codes *codes, uint64_t page,
	size_t end, bool is_learning, uint64_t pc, struct v8_code *ret)
{
	struct v8_heap *heap = &codes->functions->heap;
	uint64_t words[PAGE_WORDS];
	size_t i;

	if (!process_memory_read(heap->memory, page, words, sizeof(words)))
		return CODE_NONE;
	for (i = end; i-- > 0;) {
		if (!is_code_map_known(codes, words[i]) &&
			(!is_learning || !learn_code_map(codes, words[i])))
			continue;
		if (!read_code(heap, page + 8 * i, words[i], ret))
			continue;
		return pc >= ret->start && pc - ret->start < ret->size
			? CODE_FOUND
			: CODE_NONE;
	}
	return CODE_NOT_HERE;
}

static bool search_code(struct v8_codes *codes, uint64_t pc, bool is_learning,
	struct v8_code *ret)
{
	uint64_t page = pc & ~(uint64_t)(CODE_PAGE - 1);
	size_t end = (size_t)(pc - page) / 8 + 1, i;
	enum code_search result = CODE_NOT_HERE;

	for (i = 0; i < (is_learning ? LEARN_PAGES : SEARCH_PAGES) && page &&
		result == CODE_NOT_HERE;
		i++, page -= CODE_PAGE, end = PAGE_WORDS)
		result = search_code_page(
			codes, page, end, is_learning, pc, ret);
	return result == CODE_FOUND;
}

/* --- kept code -------------------------------------------------------------- */

/* Returns true if CODE is still in the heap, or if the process has ended. */
static bool check_code(struct v8_codes *codes, struct v8_code *code)
{
	struct v8_heap *heap = &codes->functions->heap;
	struct v8_code now;
	uint64_t map;

	if (code->epoch == codes->functions->epoch)
		return true;
	if (!process_memory_u64(heap->memory, code->stream, &map))
		return process_memory_is_gone(heap->memory);
	if (map != code->map || !read_code(heap, code->stream, map, &now) ||
		now.start != code->start || now.size != code->size ||
		now.kind != code->kind || now.code != code->code ||
		now.deopt != code->deopt || now.positions != code->positions)
		return false;
	code->epoch = codes->functions->epoch;
	return true;
}

static size_t find_code_index(const struct v8_codes *codes, uint64_t pc)
{
	return array_count_before(&codes->list, code, code->start <= pc);
}

static void remove_code(struct v8_codes *codes, size_t i)
{
	codes->list.n--;
	memmove(&codes->list.at[i], &codes->list.at[i + 1],
		(codes->list.n - i) * sizeof(codes->list.at[0]));
}

static struct v8_miss *miss_of(struct v8_codes *codes, uint64_t pc)
{
	return &codes->misses[(pc / CODE_PAGE) & (V8_MISSES - 1)];
}

const struct v8_code *v8_codes_find(struct v8_codes *codes, uint64_t pc)
{
	size_t i = find_code_index(codes, pc);
	struct v8_code code;

	if (i &&
		pc - codes->list.at[i - 1].start < codes->list.at[i - 1].size) {
		if (check_code(codes, &codes->list.at[i - 1]))
			return &codes->list.at[i - 1];
		remove_code(codes, i - 1);
	}
	const struct v8_miss *miss = miss_of(codes, pc);
	if (!codes->searches_left ||
		(miss->page == pc / CODE_PAGE &&
			codes->functions->epoch < miss->epoch))
		return NULL;
	codes->searches_left--;
	if ((codes->n_maps && search_code(codes, pc, false, &code)) ||
		search_code(codes, pc, true, &code)) {
		/* Keep the code in place of the code that it overlaps. */
		if (codes->list.n >= CODES_MAX)
			array_clear(&codes->list);
		i = find_code_index(codes, code.start);
		if (i &&
			code.start - codes->list.at[i - 1].start <
				codes->list.at[i - 1].size)
			remove_code(codes, --i);
		while (i < codes->list.n &&
			codes->list.at[i].start - code.start < code.size)
			remove_code(codes, i);
		array_push(&codes->list);
		memmove(&codes->list.at[i + 1], &codes->list.at[i],
			(codes->list.n - 1 - i) * sizeof(codes->list.at[0]));
		codes->list.at[i] = code;
		codes->list.at[i].epoch = codes->functions->epoch;
		codes->list.at[i].serial = ++codes->last_serial;
		return &codes->list.at[i];
	}
	*miss_of(codes, pc) = (struct v8_miss){ pc / CODE_PAGE,
		codes->functions->epoch + MISS_EPOCHS };
	return NULL;
}
