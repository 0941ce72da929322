/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/perl/perl_code.h"

/*
 * The layout of Perl 5.36, 5.40 and 5.42 with threads on x86-64, by offsetof()
 * with their headers: cv.h, gv.h, hv.h, cop.h.
 */
/* XPVCV */
#define BODY_START 40u /* the first operation */
#define BODY_GV 56u    /* or the HEK of the name */
#define BODY_FLAGS 92u
#define IS_NAMED 0x8000u /* CVf_NAMED */
/* GV, GP, and XPVGV */
#define VALUE_BODY 0u /* sv_any of each value */
#define GV_GP 16u
#define GP_EGV 56u
#define GV_NAME 32u
#define GV_STASH 40u
/* The body of a hash with struct xpvhv_aux: the name, or an array of names. */
#define HASH_NAME 32u
#define HASH_NAMES 60u /* 0: there is one name */
/* HEK */
#define KEY_LENGTH 4u
#define KEY_TEXT 8u
/* COP, which begins with OP */
#define OPERATION_TYPE 32u /* op_type: 9 bits */
#define TYPE_MASK 0x1ffu
#define STATEMENT_LINE 36u
#define STATEMENT_FILE 48u

#define LINE_MAX_PLAUSIBLE 10000000u
#define MAIN_PROGRAM "{main}"
/*
 * A function has room for 2,046 lines (runtime_functions.h). A main program
 * that is longer has several functions of the same name.
 */
#define MAIN_LINES 1024u

static bool read_key(
	struct process_memory *memory, uint64_t address, struct strbuf *out)
{
	uint32_t n;

	return address && !(address & 7) &&
		process_memory_u32(memory, address + KEY_LENGTH, &n) &&
		code_objects_read_text(memory, address + KEY_TEXT, n, out);
}

/* Appends the path at ADDRESS. */
static bool read_file(
	struct process_memory *memory, uint64_t address, struct strbuf *out)
{
	char path[CODE_TEXT_MAX];

	if (!address ||
		!process_memory_text(memory, address, path, sizeof(path)))
		return false;
	strbuf_puts(out, path);
	return true;
}

/* Appends "PACKAGE::" of the symbol table STASH. */
static bool read_package(
	struct process_memory *memory, uint64_t stash, struct strbuf *out)
{
	uint64_t body, name;
	uint32_t names;

	if (!stash || stash & 7 ||
		!process_memory_u64(memory, stash + VALUE_BODY, &body) ||
		!process_memory_u64(memory, body + HASH_NAME, &name) ||
		!process_memory_u32(memory, body + HASH_NAMES, &names) ||
		(names && !process_memory_u64(memory, name, &name)) ||
		!read_key(memory, name, out))
		return false;
	strbuf_puts(out, "::");
	return true;
}

/* Finds the name and the symbol table of the function with the symbol GV. */
static bool find_symbol(struct process_memory *memory, uint64_t gv,
	uint64_t *name_ret, uint64_t *stash_ret)
{
	uint64_t gp, effective, body;

	if (!gv || gv & 7 || !process_memory_u64(memory, gv + GV_GP, &gp) ||
		!process_memory_u64(memory, gp + GP_EGV, &effective))
		return false;
	return process_memory_u64(memory,
		       (effective ? effective : gv) + VALUE_BODY, &body) &&
		process_memory_u64(memory, body + GV_NAME, name_ret) &&
		process_memory_u64(memory, body + GV_STASH, stash_ret);
}

/* Returns the line of the statement at ADDRESS, or 0. */
static uint32_t read_line(struct process_memory *memory, uint64_t address)
{
	uint32_t line;

	return address && !(address & 7) &&
			process_memory_u32(
				memory, address + STATEMENT_LINE, &line) &&
			line <= LINE_MAX_PLAUSIBLE
		? line
		: 0;
}

/* Returns the line of the first statement of the function with BODY, or 0. */
static uint32_t read_first_line(const struct perl_code_reader *reader,
	struct process_memory *memory, uint64_t body)
{
	uint64_t start;
	uint16_t type;

	return process_memory_u64(memory, body + BODY_START, &start) &&
			process_memory_u16(
				memory, start + OPERATION_TYPE, &type) &&
			(type & TYPE_MASK) == reader->next_state
		? read_line(memory, start)
		: 0;
}

/* Returns whether NAME, with package, is one that many functions have. */
static bool is_shared_name(const struct strbuf *name)
{
	static const char *const shared[] = { "::__ANON__", "::BEGIN" };
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(shared); i++) {
		n = strlen(shared[i]);
		if (name->n >= n &&
			!memcmp(name->at + name->n - n, shared[i], n))
			return true;
	}
	return false;
}

static bool read_perl_function(void *data, struct process_memory *memory,
	struct code_object *ret, struct strbuf *name, struct strbuf *file)
{
	uint64_t name_at, stash, file_at;
	uint32_t flags;

	ret->first_line = read_first_line(data, memory, ret->address);
	if (!process_memory_u32(memory, ret->address + BODY_FLAGS, &flags) ||
		!process_memory_u64(memory, ret->address + BODY_GV, &name_at) ||
		!process_memory_u64(
			memory, ret->address + PERL_BODY_STASH, &stash) ||
		!process_memory_u64(
			memory, ret->address + PERL_BODY_FILE, &file_at))
		return false;
	if (!(flags & IS_NAMED) &&
		!find_symbol(memory, name_at, &name_at, &stash))
		return false;
	if (!read_package(memory, stash, name) ||
		!read_key(memory, name_at, name) ||
		!read_file(memory, file_at, file))
		return false;
	if (is_shared_name(name))
		code_objects_add_place(name, file, ret->first_line);
	return true;
}

static uint32_t line_of_main(void *data, struct process_memory *memory,
	const struct code_object *object, uint64_t where)
{
	(void)data;
	(void)object;
	return read_line(memory, where);
}

/* Returns whether the pointers at A and B lead to the same path. */
static bool is_same_file(struct process_memory *memory, uint64_t a, uint64_t b)
{
	char path[CODE_TEXT_MAX], other[CODE_TEXT_MAX];
	uint64_t path_at, other_at;

	return process_memory_u64(memory, a, &path_at) &&
		process_memory_u64(memory, b, &other_at) &&
		process_memory_text(memory, path_at, path, sizeof(path)) &&
		process_memory_text(memory, other_at, other, sizeof(other)) &&
		string_is(path, other);
}

/*
 * WHERE is the address of a COP, which can be in another file: that of a text for eval, or a
 * file that the function loads.
 */
static uint32_t line_of_statement(void *data, struct process_memory *memory,
	const struct code_object *object, uint64_t where)
{
	uint32_t line = read_line(memory, where);

	(void)data;
	return line &&
			is_same_file(memory, object->address + PERL_BODY_FILE,
				where + STATEMENT_FILE)
		? line
		: 0;
}

static bool read_main(void *data, struct process_memory *memory,
	struct code_object *ret, struct strbuf *name, struct strbuf *file)
{
	uint32_t line = read_line(memory, ret->address);
	uint64_t file_at;

	(void)data;
	strbuf_puts(name, MAIN_PROGRAM);
	ret->first_line = line ? line - (line - 1) % MAIN_LINES : 0;
	return process_memory_u64(
		       memory, ret->address + STATEMENT_FILE, &file_at) &&
		read_file(memory, file_at, file);
}

struct code_language perl_functions(struct perl_code_reader *reader)
{
	return (struct code_language){
		.runtime = RUNTIME_PERL,
		.read = read_perl_function,
		.line = line_of_statement,
		.data = reader,
		.has_copies = true,
	};
}

struct code_language perl_main(void)
{
	return (struct code_language){
		.runtime = RUNTIME_PERL,
		.read = read_main,
		.line = line_of_main,
	};
}
