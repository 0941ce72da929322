/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the functions and the bytecode at an address of compiled code. */
#include "config.h"

#include "record/runtimes/v8/v8_code.h"
#include "record/runtimes/v8/v8_positions.h"

/* Offsets of the length and of the first element in FixedArray and similar objects. */
#define ARRAY_LENGTH 8
#define ARRAY_FIRST 16
/* Offset of the SharedFunctionInfo in SharedFunctionInfoWrapper. */
#define WRAPPER_SHARED 8
/*
 * struct InliningPosition of src/objects/code.h: its size, and the offset of the index
 * of the function, which follows the position of the call.
 */
#define INLINING_SIZE 16u
#define INLINING_FUNCTION 8u
#define INLININGS_MAX 65536u

/* The data of optimized code. */
struct optimized_code {
	uint64_t shared;    /* SharedFunctionInfo */
	uint64_t literals;  /* array that contains the inlined functions */
	uint64_t inlinings; /* address of the first struct InliningPosition */
	size_t n_inlinings;
};

/*
 * Returns the object to which element I of the array at ADDRESS refers, or 0. The
 * reference can be weak.
 */
static uint64_t array_element(struct v8_heap *heap, uint64_t address, int64_t i)
{
	uint64_t length, word;

	if (!address || i < 0 ||
		!process_memory_u64(
			heap->memory, address + ARRAY_LENGTH, &length) ||
		!v8_is_smi(length) || i >= v8_smi(length) ||
		!process_memory_u64(heap->memory,
			address + ARRAY_FIRST + 8 * (uint64_t)i, &word))
		return 0;
	return word & 1 ? word & ~(uint64_t)3 : 0;
}

/* Adds the function of the SharedFunctionInfo SHARED at POSITION to RET. */
static bool add_function_at(struct v8_functions *functions, uint64_t shared,
	struct v8_position position, struct runtime_step *ret)
{
	const struct v8_function *function =
		v8_functions_get(functions, shared);

	if (!function || ret->n == RUNTIME_INLINED_MAX)
		return false;
	ret->functions[ret->n++] =
		v8_functions_address(functions, function, position.offset);
	return true;
}

/*
 * Sets *SHARED_RET to the inlined function at *POSITION, or to 0 if the inlined code
 * belongs to no function. Changes *POSITION to that of the call that was inlined.
 * Returns false if the data are not plausible.
 */
static bool step_inlining(struct v8_heap *heap,
	const struct optimized_code *optimized, struct v8_position *position,
	uint64_t *shared_ret)
{
	uint64_t call, at;
	uint32_t index;

	if (position->inlining > optimized->n_inlinings)
		return false;
	at = optimized->inlinings +
		INLINING_SIZE * (uint64_t)(position->inlining - 1);
	if (!process_memory_u64(heap->memory, at, &call) ||
		!process_memory_u32(
			heap->memory, at + INLINING_FUNCTION, &index))
		return false;
	*position = v8_position_of(call);
	/* The index -1 stands for code of no function, such as that of a builtin. */
	*shared_ret = index == UINT32_MAX
		? 0
		: array_element(heap, optimized->literals, index);
	return index == UINT32_MAX || *shared_ret;
}

/*
 * Returns true if CLOSURE can refer to a JSFunction of SHARED, a SharedFunctionInfo. If
 * the result is false, code of another function has replaced the code since the sample.
 */
static bool can_be_closure(
	struct v8_functions *functions, uint64_t closure, uint64_t shared)
{
	uint64_t found = v8_functions_shared(functions, closure);

	return !found || found == shared;
}

/* Lists the functions at PC in CODE. Sets *SHARED_RET to the outermost one. */
static bool list_functions(struct v8_codes *codes, const struct v8_code *code,
	uint64_t pc, struct runtime_step *ret, uint64_t *shared_ret)
{
	struct v8_functions *functions = codes->functions;
	struct optimized_code optimized = { 0 };
	struct v8_position position, call;
	uint64_t shared;
	const struct v8_layout *layout = functions->heap.layout;
	uint64_t deopt = v8_object(code->deopt), bytes;
	size_t size;

	optimized.literals =
		array_element(&functions->heap, deopt, layout->deopt_literals);
	optimized.shared =
		array_element(&functions->heap, deopt, layout->deopt_shared);
	if (layout->type_wrapper >= 0 &&
		v8_heap_type(&functions->heap, optimized.shared) ==
			layout->type_wrapper)
		optimized.shared = v8_heap_field(
			&functions->heap, optimized.shared + WRAPPER_SHARED);
	bytes = array_element(&functions->heap, deopt, layout->deopt_inlining);
	if (!v8_heap_bytes(&functions->heap, bytes,
		    INLININGS_MAX * INLINING_SIZE, &optimized.inlinings, &size))
		size = 0;
	optimized.n_inlinings = size / INLINING_SIZE;
	if (!optimized.shared)
		return false;
	*shared_ret = optimized.shared;
	position = v8_functions_position(
		&functions->heap, v8_object(code->positions), pc - code->start);
	while (position.inlining) {
		call = position;
		if (!step_inlining(
			    &functions->heap, &optimized, &call, &shared) ||
			(shared &&
				!add_function_at(
					functions, shared, position, ret)) ||
			ret->n == RUNTIME_INLINED_MAX)
			return false;
		/* Outer calls have lower numbers. */
		if (call.inlining >= position.inlining)
			return false;
		position = call;
	}
	return add_function_at(functions, optimized.shared, position, ret);
}

bool v8_codes_functions(struct v8_codes *codes, const struct v8_code *code,
	uint64_t closure, uint64_t pc, struct runtime_step *ret)
{
	struct v8_place *place =
		&codes->places[(pc ^ pc >> 10) & (V8_PLACES - 1)];
	uint64_t shared;

	ret->n = 0;
	if (place->serial == code->serial && place->pc == pc) {
		if (closure != place->closure &&
			!can_be_closure(
				codes->functions, closure, place->shared))
			return false;
		place->closure = closure;
		memcpy(ret->functions, place->functions,
			place->n * sizeof(place->functions[0]));
		ret->n = place->n;
		return true;
	}
	if (!list_functions(codes, code, pc, ret, &shared) ||
		!can_be_closure(codes->functions, closure, shared))
		return false;
	if (ret->n > V8_PLACE_FUNCTIONS)
		return true;
	place->pc = pc;
	place->serial = code->serial;
	place->shared = shared;
	place->closure = closure;
	place->n = (uint32_t)ret->n;
	memcpy(place->functions, ret->functions,
		ret->n * sizeof(place->functions[0]));
	return true;
}

/* --- baseline code ------------------------------------------------------------ */

/* Returns the SIZE bytes at START, owned by the caller, or NULL. */
static uint8_t *read_block(struct v8_heap *heap, uint64_t start, size_t size)
{
	uint8_t *block = xmalloc(size + 1);

	if (process_memory_read(heap->memory, start, block, size))
		return block;
	free(block);
	return NULL;
}

static uint32_t find_baseline_bytecode(struct v8_heap *heap,
	const struct v8_code *code, uint64_t bytecode, uint64_t pc)
{
	const struct v8_layout *layout = heap->layout;
	_cleanup_free_ uint8_t *table = NULL, *codes = NULL;
	struct bytes table_bytes, code_bytes;
	uint64_t start, length;
	size_t size;

	if (!layout->bytecode_sizes.n ||
		!v8_heap_bytes(heap, v8_object(code->positions),
			V8_BASELINE_MAX, &start, &size) ||
		v8_heap_type(heap, bytecode) != layout->type_bytecode ||
		!process_memory_u64(
			heap->memory, bytecode + ARRAY_LENGTH, &length) ||
		!v8_is_smi(length) || v8_smi(length) < 0 ||
		(size_t)v8_smi(length) > V8_BASELINE_MAX)
		return UINT32_MAX;
	table = read_block(heap, start, size);
	codes = read_block(heap, bytecode + (uint64_t)layout->bytecode_first,
		(size_t)v8_smi(length));
	if (!table || !codes)
		return UINT32_MAX;
	table_bytes = bytes_of(table, size, false);
	code_bytes = bytes_of(codes, (size_t)v8_smi(length), false);
	return v8_baseline_find(&layout->bytecode_sizes, &table_bytes,
		&code_bytes, pc - code->start);
}

uint32_t v8_codes_bytecode(struct v8_codes *codes, const struct v8_code *code,
	uint64_t bytecode, uint64_t pc)
{
	struct v8_offset *kept =
		&codes->offsets[(pc ^ pc >> 10) & (V8_PLACES - 1)];

	if (kept->serial != code->serial || kept->pc != pc ||
		kept->bytecode != bytecode)
		*kept = (struct v8_offset){ pc, bytecode, code->serial,
			find_baseline_bytecode(
				&codes->functions->heap, code, bytecode, pc) };
	return kept->offset;
}
