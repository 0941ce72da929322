/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/v8/v8.h"

#include "record/runtimes/v8/v8_builtins.h"
#include "record/runtimes/v8/v8_code.h"
#include "record/runtimes/v8/v8_edge.h"

/* DWARF numbers of registers. rdi has the called function at its entry. */
#define REGISTER_RDI 5
/* The others are set in bytecode handlers. */
#define REGISTER_BYTECODE_OFFSET 9 /* r9 */
#define REGISTER_BYTECODE_ARRAY 12 /* r12 */
#define REGISTER_DISPATCH_TABLE 15 /* r15 */

#define NAME_REGEXP "(regular expression)"
/* The name of a function that was moved or freed before its name was read. */
#define NAME_UNKNOWN "(unknown function)"

struct v8_state {
	const struct v8_layout *layout;
	struct v8_builtins builtins;
	struct v8_functions functions;
	struct v8_codes codes;
};

/* Arguments of runtime_ops.step, borrowed for one call. */
struct v8_walk {
	struct v8_state *state;
	struct process_memory *memory;
	const struct runtime_frame *frame;
	struct runtime_step *step;
};

/* --- the frame -------------------------------------------------------------- */

/* Reads the word at OFFSET from the frame pointer. Fails if the word is below sp. */
static bool read_frame_word(
	const struct v8_walk *walk, int32_t offset, uint64_t *ret)
{
	uint64_t address = walk->frame->fp + (uint64_t)(int64_t)offset;

	*ret = 0;
	return address >= walk->frame->sp &&
		runtime_load(walk->frame, address, ret);
}

/* Steps to the caller by the frame pointer. */
static bool step_by_frame_pointer(const struct v8_walk *walk)
{
	const struct runtime_frame *frame = walk->frame;
	struct runtime_step *step = walk->step;

	step->slot = frame->fp + 8;
	step->caller.sp = frame->fp + 16;
	return frame->fp >= frame->sp && !(frame->fp & 7) &&
		frame->fp < INT64_MAX &&
		runtime_load(frame, frame->fp, &step->caller.fp) &&
		runtime_load(frame, step->slot, &step->caller.pc);
}

static enum runtime_result end_step(const struct v8_walk *walk)
{
	return step_by_frame_pointer(walk) ? RUNTIME_STEPPED : RUNTIME_REJECTED;
}

static void add_named(const struct v8_walk *walk, const char *name)
{
	struct runtime_functions *names = walk->state->functions.names;
	const struct runtime_function function = { RUNTIME_NODE, name, "", 0 };
	uint32_t number = runtime_functions_add(names, &function);

	walk->step->functions[walk->step->n++] =
		runtime_function_address(names, RUNTIME_NODE, number, 0);
}

/*
 * Adds the function of a frame that is not optimized; the parameters are those of
 * v8_functions_unoptimized(). Returns false if CLOSURE has a wrong tag. If the function
 * cannot be read, because the garbage collector moved it, adds NAME_UNKNOWN.
 */
static bool add_unoptimized(const struct v8_walk *walk, uint64_t closure,
	uint64_t bytecode, uint32_t offset)
{
	uint64_t address;

	if (!v8_object(closure))
		return false;
	address = v8_functions_unoptimized(
		&walk->state->functions, closure, bytecode, offset);
	if (address)
		walk->step->functions[walk->step->n++] = address;
	else
		add_named(walk, NAME_UNKNOWN);
	return true;
}

/* Adds the function of the JSFunction to which CLOSURE refers, without a line. */
static bool add_closure(const struct v8_walk *walk, uint64_t closure)
{
	return add_unoptimized(walk, closure, 0, UINT32_MAX);
}

/* Returns the register NUMBER of the sampled frame, or 0 if it is unknown. */
static uint64_t sampled_register(const struct v8_walk *walk, unsigned number)
{
	const struct unwind_registers *registers = walk->frame->registers;

	return registers && registers->known >> number & 1
		? registers->value[number]
		: 0;
}

/* --- interpreted functions ---------------------------------------------------- */

/*
 * Finds the offset of the bytecode whose HANDLER was sampled. BYTECODE is the address
 * of the BytecodeArray. The offset is in a register until the handler overwrites the
 * register; the frame has the offset only for bytecodes that call. Returns false if the
 * bytecode at the offset has another handler.
 */
static bool sampled_bytecode(const struct v8_walk *walk,
	const struct v8_builtin *handler, uint64_t bytecode, uint64_t *ret)
{
	const struct v8_state *state = walk->state;
	const struct v8_builtin *found;
	uint64_t target, delta;
	uint8_t code;

	*ret = sampled_register(walk, REGISTER_BYTECODE_OFFSET);
	if (!walk->frame->is_exact || !*ret || *ret > INT32_MAX ||
		sampled_register(walk, REGISTER_BYTECODE_ARRAY) !=
			bytecode + 1 ||
		!process_memory_u8(walk->memory, bytecode + 1 + *ret, &code) ||
		!process_memory_u64(walk->memory,
			sampled_register(walk, REGISTER_DISPATCH_TABLE) +
				8 * (uint64_t)code,
			&target))
		return false;
	found = v8_builtins_find(&state->builtins, target, &delta);
	return found && found == handler;
}

/* Steps out of the frame, at rbp, of an interpreted function. BUILTIN contains the pc. */
static enum runtime_result step_interpreted(
	const struct v8_walk *walk, const struct v8_builtin *builtin)
{
	const struct v8_layout *layout = walk->state->layout;
	uint64_t closure, bytecode, word, offset;

	if (!read_frame_word(walk, layout->fp_function, &closure) ||
		!read_frame_word(walk, layout->fp_bytecode, &bytecode) ||
		!read_frame_word(walk, layout->fp_bytecode_offset, &word) ||
		!v8_is_smi(word))
		return RUNTIME_REJECTED;
	/* An offset counts from the tagged address of the BytecodeArray. */
	if (!sampled_bytecode(walk, builtin, v8_object(bytecode), &offset))
		offset = (uint64_t)(int64_t)v8_smi(word);
	offset -= (uint64_t)layout->bytecode_first - 1;
	return add_unoptimized(walk, closure, bytecode,
		       offset > INT32_MAX ? UINT32_MAX : (uint32_t)offset)
		? end_step(walk)
		: RUNTIME_REJECTED;
}

/*
 * Steps out of a bytecode handler that has its own frame, and out of its caller, the
 * interpreted function.
 */
static enum runtime_result step_handler_frame(
	const struct v8_walk *walk, const struct v8_builtin *builtin)
{
	const struct v8_builtin *caller;
	struct runtime_frame frame;
	const struct v8_walk outer = { walk->state, walk->memory, &frame,
		walk->step };
	uint64_t delta;

	if (!step_by_frame_pointer(walk))
		return RUNTIME_REJECTED;
	caller = v8_builtins_find(
		&walk->state->builtins, walk->step->caller.pc - 1, &delta);
	if (!caller || caller->kind != V8_BUILTIN_INTERPRETER)
		return RUNTIME_STEPPED;
	frame = *walk->frame;
	frame.pc = walk->step->caller.pc;
	frame.sp = walk->step->caller.sp;
	frame.fp = walk->step->caller.fp;
	return step_interpreted(&outer, builtin);
}

/* --- builtins --------------------------------------------------------------- */

/*
 * Adds the function of a sampled frame that is not made yet, or was removed. At the
 * entry of a function, rdi has the function. v8_edge_find() has set the caller.
 */
static enum runtime_result step_edge(
	const struct v8_walk *walk, enum v8_edge_kind edge)
{
	if (edge == V8_EDGE_ENTRY &&
		!add_closure(walk, sampled_register(walk, REGISTER_RDI)))
		return RUNTIME_REJECTED;
	return RUNTIME_STEPPED;
}

/*
 * Steps out of the builtin that makes frames for baseline code. At first, a return
 * address in the baseline code is on top of the stack, below that of the caller. The
 * instruction before "push rbp" removes it.
 */
static enum runtime_result step_prologue(
	const struct v8_walk *walk, const struct v8_edge_code *code)
{
	const struct v8_builtin *builtin = code->builtin;
	const struct runtime_frame *frame = walk->frame;
	struct runtime_step *step = walk->step;
	uint64_t offset = code->pc - code->start, at;

	if (!frame->is_exact || !builtin->n_sites)
		return RUNTIME_REJECTED;
	if (!add_closure(walk, sampled_register(walk, REGISTER_RDI)))
		return RUNTIME_REJECTED;
	at = builtin->sites[0].at;
	if (offset >= at + 4)
		return end_step(walk);
	step->slot = frame->sp + (offset == at ? 0 : 8);
	if (!runtime_load(frame, step->slot, &step->caller.pc))
		return RUNTIME_REJECTED;
	step->caller.sp = step->slot + 8;
	step->caller.fp = frame->fp;
	return RUNTIME_STEPPED;
}

static enum runtime_result step_builtin(const struct v8_walk *walk,
	const struct v8_builtin *builtin, uint64_t delta)
{
	const struct v8_edge_code code = {
		.builtins = &walk->state->builtins,
		.memory = walk->memory,
		.start = builtin->start + delta,
		.end = builtin->end + delta,
		.pc = walk->frame->pc,
		.builtin = builtin,
	};
	enum v8_edge_kind edge = V8_EDGE_NONE;
	uint64_t word;

	if (builtin->kind == V8_BUILTIN_HANDLER) {
		/*
		 * A handler uses the frame of the interpreted function, or has
		 * its own frame, with a marker in place of the context. Just
		 * after mov rbp, rsp, the marker is not pushed yet.
		 */
		if (walk->frame->fp == walk->frame->sp)
			return step_handler_frame(walk, builtin);
		if (!read_frame_word(
			    walk, walk->state->layout->fp_context, &word))
			return RUNTIME_REJECTED;
		return word & 1 ? step_interpreted(walk, builtin)
				: step_handler_frame(walk, builtin);
	}
	if (builtin->kind == V8_BUILTIN_PROLOGUE && walk->frame->is_exact)
		return step_prologue(walk, &code);
	if (walk->frame->is_exact)
		edge = v8_edge_find(&code, walk->frame, &walk->step->caller,
			&walk->step->slot);
	if (builtin->kind == V8_BUILTIN_INTERPRETER) {
		if (edge != V8_EDGE_NONE)
			return step_edge(walk, edge);
		if (walk->frame->is_exact &&
			!read_frame_word(walk,
				walk->state->layout->fp_bytecode_offset,
				&word)) {
			/* The frame is not complete. */
			if (!add_closure(
				    walk, sampled_register(walk, REGISTER_RDI)))
				return RUNTIME_REJECTED;
			return end_step(walk);
		}
		return step_interpreted(walk, builtin);
	}
	if (builtin->kind == V8_BUILTIN)
		add_named(walk, builtin->name);
	return edge == V8_EDGE_NONE ? end_step(walk) : RUNTIME_STEPPED;
}

/* --- compiled code ------------------------------------------------------------ */

/*
 * Adds the functions at PC in CODE, which is compiled JavaScript. If CODE is not
 * optimized, the function is read from the frame.
 */
static enum runtime_result add_compiled(const struct v8_walk *walk,
	const struct v8_code *code, uint64_t pc, enum v8_edge_kind edge)
{
	struct v8_state *state = walk->state;
	const struct v8_layout *layout = state->layout;
	uint64_t closure, bytecode;

	if (v8_code_is_optimized(&state->codes, code)) {
		closure = 0;
		if (edge == V8_EDGE_NONE)
			read_frame_word(walk, layout->fp_function, &closure);
		if (!v8_codes_functions(
			    &state->codes, code, closure, pc, walk->step)) {
			walk->step->n = 0;
			add_named(walk, NAME_UNKNOWN);
		}
		return RUNTIME_STEPPED;
	}
	if (edge != V8_EDGE_NONE)
		return step_edge(walk, edge);
	if (!read_frame_word(walk, layout->fp_function, &closure))
		closure = sampled_register(walk, REGISTER_RDI);
	read_frame_word(walk, layout->fp_bytecode, &bytecode);
	return add_unoptimized(walk, closure, bytecode,
		       v8_codes_bytecode(
			       &state->codes, code, v8_object(bytecode), pc))
		? RUNTIME_STEPPED
		: RUNTIME_REJECTED;
}

static enum runtime_result step_code(
	const struct v8_walk *walk, const struct v8_code *code, uint64_t pc)
{
	const struct v8_layout *layout = walk->state->layout;
	const struct v8_edge_code range = {
		.builtins = &walk->state->builtins,
		.memory = walk->memory,
		.start = code->start,
		.end = code->start + code->size,
		.pc = walk->frame->pc,
		.is_baseline = (int32_t)code->kind == layout->kind_baseline,
	};
	enum v8_edge_kind edge = V8_EDGE_NONE;

	if (walk->frame->is_exact)
		edge = v8_edge_find(&range, walk->frame, &walk->step->caller,
			&walk->step->slot);
	/* A copy of the interpreter (--interpreted-frames-native-stack). */
	if ((int32_t)code->kind == layout->kind_baseline - 1)
		return edge == V8_EDGE_NONE ? step_interpreted(walk, NULL)
					    : step_edge(walk, edge);
	if (code->kind == V8_KIND_REGEXP)
		add_named(walk, NAME_REGEXP);
	else if ((int32_t)code->kind >= layout->kind_baseline &&
		add_compiled(walk, code, pc, edge) != RUNTIME_STEPPED)
		return RUNTIME_REJECTED;
	return edge == V8_EDGE_NONE ? end_step(walk) : RUNTIME_STEPPED;
}

/* --- the runtime -------------------------------------------------------------- */

static enum runtime_state v8_probe(const struct runtime_module *module,
	_unused_ struct process_memory *memory, void **ret,
	const char **reason_ret)
{
	const struct v8_layout *layout =
		v8_layout_get(module->file, reason_ret);
	struct v8_state *state;

	if (!layout)
		return RUNTIME_REFUSED;
	state = xcalloc(1, sizeof(*state));
	state->layout = layout;
	v8_builtins_init(&state->builtins, layout, module->pid, module->bias);
	v8_functions_init(&state->functions, layout);
	v8_codes_init(&state->codes, &state->functions);
	*ret = state;
	return RUNTIME_READY;
}

static enum runtime_result v8_step(void *data, struct process_memory *memory,
	struct runtime_functions *functions, const struct runtime_frame *frame,
	struct runtime_step *ret)
{
	struct v8_state *state = data;
	const struct v8_walk walk = { state, memory, frame, ret };
	uint64_t pc = frame->is_exact ? frame->pc : frame->pc - 1, delta;
	const struct v8_builtin *builtin;
	const struct v8_code *code;

	ret->n = 0;
	state->functions.heap.memory = memory;
	state->functions.names = functions;
	if (v8_builtins_is_native(&state->builtins, pc))
		return RUNTIME_FOREIGN;
	builtin = v8_builtins_find(&state->builtins, pc, &delta);
	if (!builtin && v8_builtins_look(&state->builtins))
		builtin = v8_builtins_find(&state->builtins, pc, &delta);
	if (builtin)
		return step_builtin(&walk, builtin, delta);
	code = v8_codes_find(&state->codes, pc);
	return code ? step_code(&walk, code, pc) : RUNTIME_FOREIGN;
}

static void v8_settle(void *data)
{
	struct v8_state *state = data;

	v8_functions_settle(&state->functions);
	v8_codes_settle(&state->codes);
}

static void v8_destroy(void *data)
{
	struct v8_state *state = data;

	if (!state)
		return;
	v8_codes_deinit(&state->codes);
	v8_functions_deinit(&state->functions);
	v8_builtins_deinit(&state->builtins);
	v8_layout_release(state->layout);
	free(state);
}

const struct runtime_ops v8_runtime = {
	.name = "node",
	.probe = v8_probe,
	.step = v8_step,
	.settle = v8_settle,
	.destroy = v8_destroy,
};
