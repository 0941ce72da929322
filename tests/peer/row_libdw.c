/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "row.h"

#include <dwarf.h>

/*
 * A machine that runs the DWARF operations of libdw on a row_file's contents.
 */
struct machine {
	const struct row_file *file;
	uint64_t cfa, pc;
	uint64_t stack[64];
	unsigned n;
	bool is_value;
};

static bool run(struct machine *m, const Dwarf_Op *op)
{
	uint64_t *top = m->n ? &m->stack[m->n - 1] : m->stack;
	uint64_t number = op->number;
	const uint64_t *values = m->file->registers.value;

	if (m->n > 60)
		return false;
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
		m->stack[m->n++] = op->atom - DW_OP_lit0;
		return true;
	}
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		number = op->atom - DW_OP_breg0;
		m->stack[m->n++] = op->number +
			(number == unwind_numbers[m->file->arch].ra &&
						m->file->arch != UNWIND_AARCH64
					? m->pc
					: values[number]);
		return true;
	}
	switch (op->atom) {
	case DW_OP_bregx:
		m->stack[m->n++] = values[number] + op->number2;
		return true;
	case DW_OP_regx:
		m->stack[m->n++] = values[number];
		m->is_value = true;
		return true;
	case DW_OP_call_frame_cfa: m->stack[m->n++] = m->cfa; return true;
	case DW_OP_stack_value: m->is_value = true; return true;
	case DW_OP_plus_uconst: *top += number; return true;
	case DW_OP_const1u:
	case DW_OP_const2u:
	case DW_OP_const4u:
	case DW_OP_const8u:
	case DW_OP_constu:
	case DW_OP_const1s:
	case DW_OP_const2s:
	case DW_OP_const4s:
	case DW_OP_const8s:
	case DW_OP_consts: m->stack[m->n++] = number; return true;
	case DW_OP_deref: *top = row_contents(m->file, *top); return true;
	}
	if (m->n < 2)
		return false;
	m->n--;
	top--;
	switch (op->atom) {
	case DW_OP_plus: *top += top[1]; return true;
	case DW_OP_minus: *top -= top[1]; return true;
	case DW_OP_and: *top &= top[1]; return true;
	case DW_OP_shl: *top <<= top[1]; return true;
	case DW_OP_ge: *top = (int64_t)*top >= (int64_t)top[1]; return true;
	}
	return false;
}

static bool evaluate(const struct row_file *file, uint64_t pc, uint64_t cfa,
	const Dwarf_Op *ops, size_t n, uint64_t *ret, bool *is_value_ret)
{
	struct machine m = { .file = file, .cfa = cfa, .pc = pc };
	size_t i;

	for (i = 0; i < n; i++)
		if (!run(&m, &ops[i]))
			return false;
	*ret = m.n ? m.stack[m.n - 1] : 0;
	*is_value_ret = m.is_value;
	return m.n > 0;
}

/*
 * Finds register N of the caller: its value, and where it was saved (0:
 * nowhere). Returns false if its rule cannot be run.
 */
static bool find_register(const struct row_file *file, Dwarf_Frame *frame,
	int n, uint64_t pc, uint64_t cfa, uint64_t *ret, uint64_t *at_ret,
	bool *is_undefined_ret)
{
	Dwarf_Op memory[3], *ops;
	bool is_value;
	size_t n_ops;

	*is_undefined_ret = false;
	*at_ret = 0;
	if (dwarf_frame_register(frame, n, memory, &ops, &n_ops) < 0)
		return false;
	if (!n_ops) {
		*is_undefined_ret = ops == memory;
		*ret = file->registers.value[n];
		return true;
	}
	if (!evaluate(file, pc, cfa, ops, n_ops, ret, &is_value))
		return false;
	if (!is_value) {
		*at_ret = *ret;
		*ret = row_contents(file, *ret);
	}
	return true;
}

bool row_step_libdw(
	const struct row_file *file, uint64_t address, struct outcome *ret)
{
	const struct unwind_numbers *numbers = &unwind_numbers[file->arch];
	bool is_undefined, is_value, ok = false;
	Dwarf_Frame *frame;
	uint64_t cfa, at;
	size_t n;
	Dwarf_Op *ops;

	memset(ret, 0, sizeof(*ret));
	if (dwarf_cfi_addrframe(file->eh_frame, address, &frame) != 0) {
		ret->is_none = true;
		return true;
	}
	if (!dwarf_frame_cfa(frame, &ops, &n) && n &&
		evaluate(file, address, 0, ops, n, &cfa, &is_value) &&
		find_register(file, frame, numbers->ra, address, cfa, &ret->pc,
			&ret->pc_at, &ret->is_root) &&
		find_register(file, frame, numbers->sp, address, cfa, &ret->sp,
			&at, &is_undefined) &&
		find_register(file, frame, numbers->fp, address, cfa, &ret->fp,
			&ret->fp_at, &is_undefined))
		ok = true;
	free(frame);
	return ok;
}
