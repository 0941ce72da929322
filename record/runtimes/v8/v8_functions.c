/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/v8/v8_functions.h"

#include "common/util/hash.h"
#include "record/runtimes/interface/runtime.h"
#include "record/runtimes/v8/v8_positions.h"

#define NAME_ANONYMOUS "(anonymous)"
/* Limit of attempts to read the first line of a function. */
#define PARTIAL_MAX 16u
/* Limit of the variables of a ScopeInfo, which precede its name. */
#define SCOPE_LOCALS_MAX 100000
/*
 * kScopeInfoMaxInlinedLocalNamesSize of V8. From this number of local variables on,
 * their names are in a separate table.
 */
#define SCOPE_INLINED_MAX 75
/* Limit of the words after the variables that contain the name and the position. */
#define SCOPE_WORDS 8
/* Index of the start in the source, if the start precedes the variables. */
#define SCOPE_POSITION 3
/* kFunctionTokenOutOfRange */
#define TOKEN_UNKNOWN 0xffffu
/* Offset of the bytecode or code in SharedFunctionInfo: the first field. */
#define SHARED_DATA 8

void v8_functions_init(
	struct v8_functions *functions, const struct v8_layout *layout)
{
	functions->heap.layout = layout;
	functions->scripts = v8_scripts_create();
	functions->epoch = 1;
}

void v8_functions_deinit(struct v8_functions *functions)
{
	v8_scripts_destroy(functions->scripts);
}

void v8_functions_settle(struct v8_functions *functions)
{
	functions->epoch++;
	v8_heap_settle(&functions->heap);
	v8_scripts_settle(functions->scripts);
}

/* Data of a function in its ScopeInfo. */
struct scope_facts {
	struct strbuf *name;
	uint32_t
		start; /* 1 + offset of the function in the source; 0: unknown */
};

/*
 * Reads the words at AT, after the variables. They are the name and its slot, the
 * inferred name or undefined (an oddball), the start and the end in the source, and
 * objects such as the outer ScopeInfo. All of them can be missing. In V8 13, the start
 * and the end precede the variables.
 */
static bool read_scope_words(
	struct v8_heap *heap, uint64_t at, struct scope_facts *ret)
{
	uint64_t word, last[2] = { 1, 1 };
	int32_t type;
	int i;

	for (i = 0; i < SCOPE_WORDS; i++, at += 8) {
		if (!process_memory_u64(heap->memory, at, &word))
			return false;
		type = v8_is_smi(word) ? heap->layout->type_oddball
				       : v8_heap_type(heap, v8_object(word));
		if (type != heap->layout->type_oddball && !v8_is_string(type))
			break;
		if (v8_is_string(type) && !ret->name->n &&
			!v8_heap_string(heap, v8_object(word), ret->name))
			return false;
		last[0] = last[1];
		last[1] = word;
	}
	if (v8_is_smi(last[0]) && v8_is_smi(last[1]) && v8_smi(last[0]) >= 0 &&
		v8_smi(last[1]) > v8_smi(last[0]))
		ret->start = (uint32_t)v8_smi(last[0]) + 1;
	return true;
}

static bool read_scope(
	struct v8_heap *heap, uint64_t address, struct scope_facts *ret)
{
	const struct v8_layout *layout = heap->layout;
	const uint64_t first = address + 8;
	uint64_t word, words;
	int32_t locals;

	/* Find the words after the variables. */
	if (!process_memory_u64(heap->memory,
		    first + 8 * (uint64_t)layout->scope_locals, &word) ||
		!v8_is_smi(word))
		return false;
	locals = v8_smi(word);
	if (locals < 0 || locals > SCOPE_LOCALS_MAX)
		return false;
	words = locals < SCOPE_INLINED_MAX ? 2 * (uint64_t)locals
					   : 1 + (uint64_t)locals;
	if (!read_scope_words(heap,
		    first + 8 * ((uint64_t)layout->scope_first + words), ret))
		return false;
	if (layout->scope_first < SCOPE_POSITION + 2)
		return true;
	ret->start = 0;
	if (process_memory_u64(
		    heap->memory, address + 8 + 8 * SCOPE_POSITION, &word) &&
		v8_is_smi(word) && v8_smi(word) >= 0)
		ret->start = (uint32_t)v8_smi(word) + 1;
	return true;
}

/* Reads the name and the start of FUNCTION, by its words. */
static bool read_scope_facts(struct v8_heap *heap,
	const struct v8_function *function, struct scope_facts *ret)
{
	uint64_t name = v8_object(function->name);
	uint16_t token = 0;
	int32_t type;

	if (v8_is_smi(function->name))
		return true; /* the function has no name */
	type = v8_heap_type(heap, name);
	if (v8_is_string(type))
		return v8_heap_string(heap, name, ret->name);
	if (type != heap->layout->type_scope || !read_scope(heap, name, ret))
		return false;
	/* The start is at "(". The function begins at the word "function" before it. */
	if (heap->layout->shared_token &&
		process_memory_u16(heap->memory,
			function->address +
				(uint64_t)heap->layout->shared_token,
			&token) &&
		token != TOKEN_UNKNOWN && token < ret->start)
		ret->start -= token;
	return true;
}

/* Returns true if FUNCTION has a line, or if no further attempt to read it is made. */
static bool is_final(const struct v8_function *function)
{
	return function->first_line || !function->n_partial ||
		function->n_partial >= PARTIAL_MAX;
}

const struct v8_function *v8_functions_get(
	struct v8_functions *functions, uint64_t address)
{
	struct v8_function *function =
		&functions->list[(address >> 3 ^ address >> 13) &
			(V8_FUNCTIONS - 1)];
	struct v8_function now = { 0 };

	if (!address)
		return NULL;
	if (function->address == address && function->epoch == functions->epoch)
		return function;
	const struct v8_layout *layout = functions->heap.layout;
	now.address = address;
	if (!(process_memory_u64(functions->heap.memory, address, &now.map) &&
		    process_memory_u64(functions->heap.memory,
			    address + (uint64_t)layout->shared_name,
			    &now.name) &&
		    process_memory_u64(functions->heap.memory,
			    address + (uint64_t)layout->shared_script,
			    &now.script) &&
		    v8_heap_map_type(&functions->heap, now.map) ==
			    layout->type_shared))
		return function->address == address &&
				process_memory_is_gone(functions->heap.memory)
			? function
			: NULL;
	if (function->address == address && function->map == now.map &&
		function->name == now.name && function->script == now.script) {
		if (is_final(function)) {
			function->epoch = functions->epoch;
			return function;
		}
		now.n_partial = function->n_partial;
	}
	_cleanup_strbuf_ struct strbuf name = { 0 };
	struct scope_facts facts = { &name, 0 };
	struct runtime_function added = { .runtime = RUNTIME_NODE };
	uint64_t script = v8_object(now.script);
	if (!read_scope_facts(&functions->heap, &now, &facts))
		return NULL;
	if (facts.start)
		added.first_line = v8_scripts_line(functions->scripts,
			&functions->heap, script, facts.start - 1);
	added.name = name.n ? name.at : NAME_ANONYMOUS;
	added.file =
		v8_scripts_name(functions->scripts, &functions->heap, script);
	now.first_line = added.first_line;
	if (facts.start && !added.first_line)
		now.n_partial++;
	now.number = runtime_functions_add(functions->names, &added);
	now.epoch = functions->epoch;
	*function = now;
	return function;
}

uint64_t v8_functions_shared(struct v8_functions *functions, uint64_t word)
{
	const struct v8_layout *layout = functions->heap.layout;
	uint64_t function = v8_heap_moved(&functions->heap, v8_object(word));
	int32_t type = v8_heap_type(&functions->heap, function);

	if (type < layout->type_function_first ||
		type > layout->type_function_last)
		return 0;
	return v8_heap_field(
		&functions->heap, function + (uint64_t)layout->function_shared);
}

uint64_t v8_functions_address(struct v8_functions *functions,
	const struct v8_function *function, uint32_t position)
{
	uint32_t line = 0;

	if (position)
		line = v8_scripts_line(functions->scripts, &functions->heap,
			v8_object(function->script), position - 1);
	return runtime_function_address(
		functions->names, RUNTIME_NODE, function->number, line);
}

struct v8_position v8_functions_position(
	struct v8_heap *heap, uint64_t table, uint64_t offset)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	uint64_t start;
	size_t size;

	if (!v8_heap_bytes(heap, table, V8_POSITIONS_MAX, &start, &size) ||
		!size)
		return (struct v8_position){ 0, 0 };
	bytes = xmalloc(size + 1);
	if (!process_memory_read(heap->memory, start, bytes, size))
		return (struct v8_position){ 0, 0 };
	return v8_positions_find(bytes, size, offset);
}

/* --- functions that are not optimized ----------------------------------------- */

/*
 * Finds the function of the BytecodeArray at ADDRESS. The garbage collector can have
 * moved CLOSURE, and another closure can be at its address. The function must therefore
 * have the BytecodeArray. Returns NULL if it does not.
 */
static const struct v8_bytecode *find_bytecode(
	struct v8_functions *functions, uint64_t closure, uint64_t address)
{
	struct v8_heap *heap = &functions->heap;
	struct v8_bytecode *kept =
		&functions->bytecodes[(address >> 3 ^ address >> 13) &
			(V8_BYTECODES - 1)];
	const struct v8_function *function;
	struct v8_bytecode now = { address, { 0 }, functions->epoch, { 0 } };
	uint64_t data;

	if (kept->address == address && kept->epoch == functions->epoch)
		return kept;
	if (!process_memory_read(
		    heap->memory, address, now.words, sizeof(now.words)))
		return kept->address == address &&
				process_memory_is_gone(heap->memory)
			? kept
			: NULL;
	if (v8_heap_map_type(heap, now.words[0]) != heap->layout->type_bytecode)
		return NULL;
	if (kept->address == address && is_final(&kept->function) &&
		memcmp(kept->words, now.words, sizeof(now.words)) == 0) {
		kept->epoch = functions->epoch;
		return kept;
	}
	function = v8_functions_get(
		functions, v8_functions_shared(functions, closure));
	if (!function)
		return NULL;
	data = v8_heap_field(heap, function->address + SHARED_DATA);
	/* The data can also be baseline code, which refers to the bytecode. */
	if (data != address &&
		v8_heap_type(heap, data) == heap->layout->type_code)
		data = v8_heap_field(
			heap, data + (uint64_t)heap->layout->code_deopt);
	if (!data || data != address)
		return NULL;
	now.function = *function;
	*kept = now;
	return kept;
}

/*
 * Returns the address for the bytecode at OFFSET in FUNCTION, whose position table is
 * at TABLE.
 */
static uint64_t bytecode_address(struct v8_functions *functions,
	const struct v8_function *function, uint64_t table, uint32_t offset)
{
	struct v8_line *line =
		&functions
			 ->lines[hash_words(table ^ function->address, offset) &
				 (V8_LINES - 1)];
	struct v8_position position;
	uint64_t place;

	if (line->table == table && line->shared == function->address &&
		line->offset == offset && line->number == function->number)
		return line->place;
	position = v8_functions_position(&functions->heap, table, offset);
	place = v8_functions_address(functions, function, position.offset);
	if (position.offset)
		*line = (struct v8_line){ table, function->address, offset,
			function->number, place };
	return place;
}

uint64_t v8_functions_unoptimized(struct v8_functions *functions,
	uint64_t closure, uint64_t bytecode, uint32_t offset)
{
	const struct v8_layout *layout = functions->heap.layout;
	uint64_t address = v8_object(bytecode), table;
	const struct v8_bytecode *found =
		address ? find_bytecode(functions, closure, address) : NULL;
	const struct v8_function *function;

	if (found) {
		table = v8_object(found->words[layout->bytecode_positions / 8]);
		return table && offset != UINT32_MAX
			? bytecode_address(
				  functions, &found->function, table, offset)
			: v8_functions_address(functions, &found->function, 0);
	}
	function = v8_functions_get(
		functions, v8_functions_shared(functions, closure));
	return function ? v8_functions_address(functions, function, 0) : 0;
}
