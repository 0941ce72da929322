/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps out of frames of Java code on x86-64: frames of the interpreter
 * (frame_x86.hpp), of compiled methods (hotspot_progress.c), and of stubs, which begin
 * with enter().
 */
#include "config.h"

#include "record/runtimes/hotspot/hotspot_private.h"

/* Offsets from rbp in a frame of the interpreter, in bytes (frame_x86.hpp). */
#define INTERPRETER_SENDER_SP (-8)
#define INTERPRETER_METHOD (-24)
/*
 * DWARF numbers of registers that the interpreter uses. r13 has the address of the
 * bytecode. At the entry of a method, rbx has the method, and r13 the sp of the caller.
 */
#define REGISTER_METHOD 3u
#define REGISTER_BCP 13u
#define REGISTER_SENDER_SP 13u
/* Limit of the bytes between sp and rbp of a stub. */
#define STUB_FRAME_MAX 1024u

/* Reads the return address at SLOT. SP and FP are those of the caller. */
static bool read_caller(const struct runtime_frame *frame, uint64_t slot,
	uint64_t sp, uint64_t fp, struct runtime_step *ret)
{
	ret->caller.sp = sp;
	ret->caller.fp = fp;
	ret->slot = slot;
	return runtime_load(frame, slot, &ret->caller.pc);
}

/* Steps out of a function before its frame is made, or after the frame is removed. */
static bool step_without_frame(
	const struct runtime_frame *frame, struct runtime_step *ret)
{
	return read_caller(frame, frame->sp, frame->sp + 8, frame->fp, ret);
}

/* Steps out of a function that has only pushed rbp. */
static bool step_with_pushed_fp(
	const struct runtime_frame *frame, struct runtime_step *ret)
{
	uint64_t fp;

	return runtime_load(frame, frame->sp, &fp) &&
		read_caller(frame, frame->sp + 8, frame->sp + 16, fp, ret);
}

/* Steps to the caller by the frame pointer, rbp. */
static bool step_by_fp(
	const struct runtime_frame *frame, struct runtime_step *ret)
{
	uint64_t fp;

	return frame->fp >= frame->sp && runtime_load(frame, frame->fp, &fp) &&
		read_caller(frame, frame->fp + 8, frame->fp + 16, fp, ret);
}

/* --- the interpreter ----------------------------------------------------------- */

/* Returns the register NUMBER of the sampled frame, or 0 if it is unknown. */
static uint64_t sampled_register(
	const struct runtime_frame *frame, unsigned number)
{
	const struct unwind_registers *registers = frame->registers;

	return registers && registers->known >> number & 1
		? registers->value[number]
		: 0;
}

/*
 * Returns 1 + the bytecode index of FRAME, or 0 if the index is unknown. In the sampled
 * frame, r13 has the address of the bytecode at most instructions. Otherwise, the
 * address is that in the frame.
 */
static uint32_t find_bytecode(const struct hotspot_view *view,
	const struct hotspot_method *method, const struct runtime_frame *frame)
{
	const struct hotspot_layout *layout = &view->hotspot->layout;
	uint64_t code = method->const_method + layout->size_const_method;
	uint64_t bcp = sampled_register(frame, REGISTER_BCP);

	if (bcp - code < method->code_size)
		return (uint32_t)(bcp - code) + 1;
	if (runtime_load(frame, frame->fp + (uint64_t)layout->interpreter_bcp,
		    &bcp) &&
		bcp - code < method->code_size)
		return (uint32_t)(bcp - code) + 1;
	return 0;
}

/* Adds METHOD to RET. BCI is 1 + the bytecode index; 0: unknown. */
static void add_interpreted(const struct hotspot_view *view,
	const struct hotspot_method *method, uint32_t bci,
	struct runtime_step *ret)
{
	ret->functions[ret->n++] = runtime_function_address(view->functions,
		RUNTIME_JAVA, method->function,
		bci ? hotspot_line(method, bci - 1) : 0);
}

static bool step_interpreted(const struct hotspot_view *view,
	const struct runtime_frame *frame, struct runtime_step *ret)
{
	const struct hotspot_method *method;
	uint64_t address, sp, fp;

	if (!runtime_load(
		    frame, frame->fp + (uint64_t)INTERPRETER_METHOD, &address))
		return false;
	method = hotspot_find_listed_method(view, address);
	if (!method)
		return false;
	add_interpreted(view, method, find_bytecode(view, method, frame), ret);
	return runtime_load(frame, frame->fp, &fp) &&
		runtime_load(frame, frame->fp + (uint64_t)INTERPRETER_SENDER_SP,
			&sp) &&
		read_caller(frame, frame->fp + 8, sp, fp, ret);
}

/* At the entry of a method, rbx has the method, and r13 the sp of the caller. */
static bool step_out_of_entry(const struct hotspot_view *view,
	const struct runtime_frame *frame, struct runtime_step *ret)
{
	const struct hotspot_method *method = hotspot_find_listed_method(
		view, sampled_register(frame, REGISTER_METHOD));
	uint64_t sp = sampled_register(frame, REGISTER_SENDER_SP), fp;

	if (!method ||
		(frame->fp > frame->sp &&
			!runtime_load(frame,
				frame->fp + (uint64_t)INTERPRETER_SENDER_SP,
				&sp)))
		return false;
	add_interpreted(view, method, method->code_size > 0, ret);
	return runtime_load(frame, frame->fp, &fp) &&
		read_caller(frame, frame->fp + 8, sp, fp, ret) &&
		hotspot_has_code(view->hotspot, ret->caller.pc);
}

/* --- compiled methods ------------------------------------------------------------ */

/*
 * Steps out of a frame of the size blob->frame_size. HAS_FP: the rbp of the caller is
 * saved below the return address.
 */
static bool step_fixed_frame(const struct hotspot_blob *blob,
	const struct runtime_frame *frame, bool has_fp,
	struct runtime_step *ret)
{
	uint64_t end = frame->sp + 8 * (uint64_t)blob->frame_size;
	uint64_t fp = frame->fp;

	return blob->frame_size >= 2 &&
		(!has_fp || runtime_load(frame, end - 16, &fp)) &&
		read_caller(frame, end - 8, end, fp, ret);
}

static bool step_compiled(const struct hotspot_view *view,
	const struct hotspot_blob *blob, const struct runtime_frame *frame,
	struct runtime_step *ret)
{
	enum hotspot_progress progress =
		hotspot_frame_progress(view, blob, frame);
	uint64_t pc = frame->pc, saved;

	/*
	 * Deoptimization replaces a return address by the address of a handler,
	 * and saves the original return address in the frame.
	 */
	if (pc == blob->deopt && blob->orig_pc &&
		runtime_load(frame, frame->sp + blob->orig_pc, &saved) &&
		saved >= blob->begin && saved < blob->end)
		pc = saved;
	if (!hotspot_add_compiled(view, blob, pc, frame->is_exact, ret))
		return false;
	switch (progress) {
	case HOTSPOT_FRAME_NONE: return step_without_frame(frame, ret);
	case HOTSPOT_FRAME_PUSHED_FP: return step_with_pushed_fp(frame, ret);
	case HOTSPOT_FRAME_UNSAVED:
		return step_fixed_frame(blob, frame, false, ret);
	case HOTSPOT_FRAME_COMPLETE: break;
	}
	return step_fixed_frame(blob, frame, true, ret);
}

/* --- stubs ---------------------------------------------------------------------- */

/*
 * Returns true if the word at the stack address ADDRESS is an address of code in the
 * code cache, but not between BEGIN and END.
 */
static bool leads_to_other_code(const struct hotspot_view *view,
	const struct runtime_frame *frame, uint64_t address, uint64_t begin,
	uint64_t end)
{
	uint64_t pc;

	return runtime_load(frame, address, &pc) && (pc < begin || pc >= end) &&
		hotspot_has_code(view->hotspot, pc) &&
		hotspot_find_blob(view, pc);
}

static void add_code_name(const struct hotspot_view *view,
	const struct hotspot_blob *blob, struct runtime_step *ret)
{
	ret->functions[ret->n++] = runtime_function_address(
		view->functions, RUNTIME_JAVA, blob->function, 0);
}

/*
 * Steps out of a stub. The frame of the call stub has no function: libjvm.so calls Java
 * code through it.
 */
static bool step_stub(const struct hotspot_view *view,
	const struct hotspot_blob *blob, const struct runtime_frame *frame,
	struct runtime_step *ret)
{
	if (frame->pc == view->hotspot->call_stub_return)
		return step_by_fp(frame, ret);
	add_code_name(view, blob, ret);
	if (frame->is_exact) {
		/*
		 * Step out of a stub that was sampled. Its frame may not be
		 * made yet, and some stubs do not make a frame.
		 */
		bool has_fp = frame->fp - frame->sp < STUB_FRAME_MAX &&
			leads_to_other_code(view, frame, frame->fp + 8,
				blob->begin, blob->end);
		if (leads_to_other_code(
			    view, frame, frame->sp, blob->begin, blob->end))
			return step_without_frame(frame, ret);
		if (!has_fp &&
			leads_to_other_code(view, frame, frame->sp + 8,
				blob->begin, blob->end))
			return step_with_pushed_fp(frame, ret);
		return step_by_fp(frame, ret);
	}
	return step_by_fp(frame, ret);
}

enum runtime_result hotspot_step(const struct hotspot_view *view,
	const struct runtime_frame *frame, struct runtime_step *ret)
{
	const struct hotspot_blob *blob;
	bool is_stepped;

	if (!hotspot_has_code(view->hotspot, frame->pc))
		return RUNTIME_FOREIGN;
	blob = hotspot_find_blob(view, frame->pc);
	if (!blob)
		return RUNTIME_REJECTED;
	/*
	 * If rbp is set, but the method is not pushed yet, the frame is being
	 * made: generate_fixed_frame() pushes the method third
	 * (templateInterpreterGenerator_x86.cpp).
	 */
	if (blob->kind == HOTSPOT_INTERPRETER)
		is_stepped = frame->registers &&
				frame->fp - frame->sp <
					(uint64_t)-INTERPRETER_METHOD
			? step_out_of_entry(view, frame, ret)
			: step_interpreted(view, frame, ret);
	else if (blob->kind == HOTSPOT_COMPILED)
		is_stepped = step_compiled(view, blob, frame, ret);
	else if (blob->kind == HOTSPOT_STUBS)
		is_stepped = step_stub(view, blob, frame, ret);
	else {
		add_code_name(view, blob, ret);
		is_stepped = blob->kind == HOTSPOT_ADAPTERS
			? frame->is_exact && step_without_frame(frame, ret)
			: step_fixed_frame(blob, frame, true, ret);
	}
	return is_stepped && ret->caller.sp > frame->sp ? RUNTIME_STEPPED
							: RUNTIME_REJECTED;
}
