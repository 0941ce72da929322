/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Evaluates DWARF expressions of CFI (DWARF 5, 2.5). The expressions are
 * untrusted: stack and number of steps are limited.
 */
#include "config.h"

#include "common/unwind/unwind.h"
#include "common/unwind/unwind_private.h"
#include "common/util/bytes.h"

#define STACK_MAX 64u

/* DW_OP_*: DWARF 5, 7.7.1. */
enum operation {
	OP_ADDR = 0x03,
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONST1S,
	OP_CONST2U,
	OP_CONST2S,
	OP_CONST4U,
	OP_CONST4S,
	OP_CONST8U,
	OP_CONST8S,
	OP_CONSTU,
	OP_CONSTS,
	OP_DUP,
	OP_DROP,
	OP_OVER,
	OP_PICK,
	OP_SWAP,
	OP_ROT,
	OP_ABS = 0x19,
	OP_AND,
	OP_DIV,
	OP_MINUS,
	OP_MOD,
	OP_MUL,
	OP_NEG,
	OP_NOT,
	OP_OR,
	OP_PLUS,
	OP_PLUS_UCONST,
	OP_SHL,
	OP_SHR,
	OP_SHRA,
	OP_XOR,
	OP_BRA,
	OP_EQ,
	OP_GE,
	OP_GT,
	OP_LE,
	OP_LT,
	OP_NE,
	OP_SKIP,
	OP_LIT0 = 0x30,
	OP_BREG0 = 0x70,
	OP_BREGX = 0x92,
	OP_DEREF_SIZE = 0x94,
	OP_NOP = 0x96,
};

struct expression_machine {
	struct unwind_walk *walk;
	const struct unwind_registers *registers;
	const uint8_t *begin; /* start of the expression */
	struct bytes code;
	uint64_t stack[STACK_MAX];
	unsigned n;
};

static void push_operand(struct expression_machine *m, uint64_t value)
{
	if (m->n == STACK_MAX)
		m->code.ok = false;
	else
		m->stack[m->n++] = value;
}

static uint64_t pop_operand(struct expression_machine *m)
{
	if (!m->n) {
		m->code.ok = false;
		return 0;
	}
	return m->stack[--m->n];
}

static void pick_operand(struct expression_machine *m, unsigned from_top)
{
	if (from_top >= m->n)
		m->code.ok = false;
	else
		push_operand(m, m->stack[m->n - 1 - from_top]);
}

static void push_register_value(struct expression_machine *m, uint64_t n)
{
	int64_t offset = bytes_sleb(&m->code);
	unsigned ra = unwind_numbers[m->walk->unwinder->arch].ra;
	bool is_arm = m->walk->unwinder->arch == UNWIND_AARCH64;

	if (n == ra && !is_arm)
		push_operand(m, m->registers->pc + (uint64_t)offset);
	else if (n < UNWIND_REGISTERS && m->registers->known >> n & 1)
		push_operand(m, m->registers->value[n] + (uint64_t)offset);
	else
		m->code.ok = false;
}

static void jump_in_expression(struct expression_machine *m, int16_t by)
{
	ptrdiff_t to = m->code.at - m->begin + by;

	if (to < 0 || to > m->code.end - m->begin)
		m->code.ok = false;
	else
		m->code.at = m->begin + to;
}

static void load_operand(struct expression_machine *m, unsigned size)
{
	uint64_t value, address = pop_operand(m);

	if (!m->code.ok || !size || size > 8 ||
		!unwind_load(m->walk, address, &value)) {
		m->code.ok = false;
		return;
	}
	push_operand(
		m, size == 8 ? value : value & ((UINT64_C(1) << size * 8) - 1));
}

/* Runs OP and returns true if OP pushes a constant. */
static bool run_constant_op(struct expression_machine *m, unsigned op)
{
	struct bytes *b = &m->code;

	switch (op) {
	case OP_CONST1U: push_operand(m, bytes_u8(b)); return true;
	case OP_CONST1S:
		push_operand(m, (uint64_t)(int8_t)bytes_u8(b));
		return true;
	case OP_CONST2U: push_operand(m, bytes_u16(b)); return true;
	case OP_CONST2S:
		push_operand(m, (uint64_t)(int16_t)bytes_u16(b));
		return true;
	case OP_CONST4U: push_operand(m, bytes_u32(b)); return true;
	case OP_CONST4S:
		push_operand(m, (uint64_t)(int32_t)bytes_u32(b));
		return true;
	case OP_CONST8U:
	case OP_CONST8S: push_operand(m, bytes_u64(b)); return true;
	case OP_CONSTU: push_operand(m, bytes_uleb(b)); return true;
	case OP_CONSTS: push_operand(m, (uint64_t)bytes_sleb(b)); return true;
	}
	if (op < OP_LIT0 || op >= OP_LIT0 + 32)
		return false;
	push_operand(m, op - OP_LIT0);
	return true;
}

/*
 * Computes A OP B, where B was the top of the stack. Returns false if OP is not
 * binary, or if OP divides by 0.
 */
static bool combine_operands(unsigned op, uint64_t a, uint64_t b, uint64_t *ret)
{
	int64_t x = (int64_t)a, y = (int64_t)b;

	switch (op) {
	case OP_AND: *ret = a & b; return true;
	case OP_OR: *ret = a | b; return true;
	case OP_XOR: *ret = a ^ b; return true;
	case OP_PLUS: *ret = a + b; return true;
	case OP_MINUS: *ret = a - b; return true;
	case OP_MUL: *ret = a * b; return true;
	case OP_DIV:
		/*
		 * INT64_MIN / -1 overflows in C; the result is the negation of
		 * A.
		 */
		*ret = !y ? 0 : y == -1 ? -a : (uint64_t)(x / y);
		return y != 0;
	case OP_MOD: *ret = b ? a % b : 0; return b != 0;
	case OP_SHL: *ret = b < 64 ? a << b : 0; return true;
	case OP_SHR: *ret = b < 64 ? a >> b : 0; return true;
	case OP_SHRA: *ret = (uint64_t)(x >> MIN(b, UINT64_C(63))); return true;
	case OP_EQ: *ret = x == y; return true;
	case OP_NE: *ret = x != y; return true;
	case OP_GE: *ret = x >= y; return true;
	case OP_GT: *ret = x > y; return true;
	case OP_LE: *ret = x <= y; return true;
	case OP_LT: *ret = x < y; return true;
	}
	return false;
}

/* Runs OP and returns true if OP only rearranges the stack. */
static bool run_stack_op(struct expression_machine *m, unsigned op)
{
	switch (op) {
	case OP_DUP: pick_operand(m, 0); return true;
	case OP_DROP: pop_operand(m); return true;
	case OP_OVER: pick_operand(m, 1); return true;
	case OP_PICK: pick_operand(m, bytes_u8(&m->code)); return true;
	case OP_SWAP: {
		uint64_t first = pop_operand(m), second = pop_operand(m);

		push_operand(m, first);
		push_operand(m, second);
		return true;
	}
	case OP_ROT: {
		uint64_t first = pop_operand(m), second = pop_operand(m),
			 third = pop_operand(m);

		push_operand(m, first);
		push_operand(m, third);
		push_operand(m, second);
		return true;
	}
	case OP_NOP: return true;
	}
	return false;
}

static void run_expression_op(struct expression_machine *m)
{
	unsigned op = bytes_u8(&m->code);
	unsigned word = unwind_numbers[m->walk->unwinder->arch].word_size;
	uint64_t value;
	int16_t by;

	if (run_constant_op(m, op) || run_stack_op(m, op))
		return;
	if (op >= OP_BREG0 && op < OP_BREG0 + 32) {
		push_register_value(m, op - OP_BREG0);
		return;
	}
	switch (op) {
	case OP_ADDR:
		push_operand(m,
			word == 4 ? bytes_u32(&m->code) : bytes_u64(&m->code));
		break;
	case OP_BREGX: push_register_value(m, bytes_uleb(&m->code)); break;
	case OP_DEREF: load_operand(m, word); break;
	case OP_DEREF_SIZE: load_operand(m, bytes_u8(&m->code)); break;
	case OP_ABS:
		value = pop_operand(m);
		push_operand(m, (int64_t)value < 0 ? -value : value);
		break;
	case OP_NEG: push_operand(m, -pop_operand(m)); break;
	case OP_NOT: push_operand(m, ~pop_operand(m)); break;
	case OP_PLUS_UCONST:
		value = pop_operand(m);
		push_operand(m, value + bytes_uleb(&m->code));
		break;
	case OP_SKIP:
		jump_in_expression(m, (int16_t)bytes_u16(&m->code));
		break;
	case OP_BRA:
		by = (int16_t)bytes_u16(&m->code);
		if (pop_operand(m))
			jump_in_expression(m, by);
		break;
	default: {
		uint64_t b = pop_operand(m), a = pop_operand(m);

		if (combine_operands(op, a, b, &value))
			push_operand(m, value);
		else
			m->code.ok = false;
	}
	}
}

bool unwind_expression(struct unwind_walk *walk,
	const struct unwind_registers *registers, struct bytes code,
	const uint64_t *cfa, uint64_t *ret)
{
	struct expression_machine m;
	unsigned steps = 0;

	m.walk = walk;
	m.registers = registers;
	m.begin = code.at;
	m.code = code;
	m.n = 0;
	if (cfa)
		push_operand(&m, *cfa);
	while (m.code.ok && bytes_left(&m.code) &&
		steps++ < EXPRESSION_STEPS_MAX)
		run_expression_op(&m);
	*ret = pop_operand(&m);
	if (unwind_numbers[walk->unwinder->arch].word_size == 4)
		*ret = (uint32_t)*ret;
	return m.code.ok && !bytes_left(&m.code);
}
