/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/perl/perl.h"

#include <stdlib.h>

#include "common/util/alloc.h"
#include "record/runtimes/interface/code_objects.h"
#include "record/runtimes/interface/function_parts.h"

/* --- functions and statements -------------------------------------------- */

/* The functions of Perl, and the statements of the main program. */

/*
 * Offsets in XPVCV, the body of a function (cv.h), that never change: two
 * pointers, and two others. They are also in COP, a statement (cop.h).
 */
#define PERL_BODY_STASH 32u
#define PERL_BODY_ROOT 48u
#define PERL_BODY_FILE 64u

struct perl_code_reader {
	unsigned next_state; /* OP_NEXTSTATE: the type of COPs (opnames.h) */
};

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
#define OPERATION_TYPE_MASK 0x1ffu
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
	const struct perl_code_reader *reader = data;
	uint64_t name_at, stash, file_at, start;
	uint32_t flags;
	uint16_t type;

	ret->first_line =
		process_memory_u64(memory, ret->address + BODY_START, &start) &&
			process_memory_u16(
				memory, start + OPERATION_TYPE, &type) &&
			(type & OPERATION_TYPE_MASK) == reader->next_state
		? read_line(memory, start)
		: 0;
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

/*
 * WHERE is the address of a COP, which can be in another file: that of a text for eval, or a
 * file that the function loads.
 */
static uint32_t line_of_statement(void *data, struct process_memory *memory,
	const struct code_object *object, uint64_t where)
{
	uint32_t line = read_line(memory, where);
	char path[CODE_TEXT_MAX], other[CODE_TEXT_MAX];
	uint64_t path_at, other_at;

	(void)data;
	return line &&
			process_memory_u64(memory,
				object->address + PERL_BODY_FILE, &path_at) &&
			process_memory_u64(
				memory, where + STATEMENT_FILE, &other_at) &&
			process_memory_text(
				memory, path_at, path, sizeof(path)) &&
			process_memory_text(
				memory, other_at, other, sizeof(other)) &&
			string_is(path, other)
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

/* -------------------------------------------------------------------------- */

/*
 * The layout of Perl 5.36, 5.40 and 5.42 with threads on x86-64, by offsetof()
 * with their headers: intrpvar.h, cop.h. It is the same in all three.
 */
static const struct perl_version {
	uint8_t number;	     /* PL_version */
	unsigned next_state; /* OP_NEXTSTATE (opnames.h) */
} known_versions[] = {
	{ 36, 195 },
	{ 40, 198 },
	{ 42, 202 },
};
/* struct interpreter */
#define INTERPRETER_STATEMENT 208u /* Icurcop */
#define INTERPRETER_STACKS 224u	   /* Icurstackinfo */
/* PERL_SI */
#define STACK_CONTEXTS 8u
#define STACK_OUTER 16u
#define STACK_TOP 32u
/* PERL_CONTEXT */
#define CONTEXT_SIZE 104u
#define CONTEXT_TYPE 0u
#define CONTEXT_STATEMENT 16u /* blku_oldcop: the calling statement */
#define CONTEXT_RETURN 48u    /* retop: 0 in calls from C */
#define CONTEXT_FUNCTION 72u
/* CXTYPEMASK and CXp_SUB_RE_FAKE, which marks code in a regular expression. */
#define TYPE_MASK 0x8fu
#define TYPE_FUNCTION 9u /* CXt_SUB */
/*
 * struct pthread of glibc on x86-64 (nptl/descr.h of 2.36): the values of the
 * first keys of pthread_key_create(3), each behind a number.
 */
#define THREAD_KEYS 0x310u
#define THREAD_KEYS_MAX 32u
#define THREAD_KEY_SIZE 16u
#define THREAD_KEY_VALUE 8u

struct perl {
	struct interpreter description;
	struct perl_code_reader reader;
	struct code_objects *functions, *main; /* owned */
};
/* runtimes.c reads the description of each interpreter. */
_Static_assert(offsetof(struct perl, description) == 0,
	"the description is the first member");

/* --- the probe ------------------------------------------------------------ */

/* KEY is that of the interpreter of a thread. */
static struct perl *make_perl(const struct runtime_module *module,
	const struct perl_version *version, const struct module_symbol *run,
	uint32_t key)
{
	struct perl *perl = xcalloc(1, sizeof(*perl));
	/* The code object is an XPVCV. The instruction is a COP. */
	const struct code_language functions = (struct code_language){
		.runtime = RUNTIME_PERL,
		.read = read_perl_function,
		.line = line_of_statement,
		.data = &perl->reader,
		.has_copies = true,
	};
	/* The code object is the instruction of the main program. */
	const struct code_language main = (struct code_language){
		.runtime = RUNTIME_PERL,
		.read = read_main,
		.line = line_of_main,
	};
	struct chain_runtime *list = &perl->description.list;
	struct function_parts parts;

	*list = (struct chain_runtime){
		.n_hops = 2,
		.hops = { THREAD_KEYS + THREAD_KEY_SIZE * key +
				THREAD_KEY_VALUE,
			INTERPRETER_STACKS },
		.size = CONTEXT_SIZE,
		.code = CONTEXT_FUNCTION,
		.is_code_far = true,
		.where = CONTEXT_STATEMENT,
		.where_size = 8,
		.mark = CONTEXT_TYPE,
		.cookie = PERL_BODY_STASH,
		.cookie_third = PERL_BODY_ROOT,
		.cookie_fourth = PERL_BODY_FILE,
		.array = STACK_CONTEXTS,
		.top = STACK_TOP,
		.outer = STACK_OUTER,
		.inner = INTERPRETER_STATEMENT,
		.entry = CONTEXT_RETURN,
		.kind_mask = TYPE_MASK,
		.kind = TYPE_FUNCTION,
	};
	function_parts_find(module->file, run, &parts);
	function_parts_put(&parts, module->bias, &perl->description);
	perl->reader.next_state = version->next_state;
	perl->functions = code_objects_create(&functions, list);
	perl->main = code_objects_create(&main, list);
	return perl;
}

static enum runtime_state probe_perl_symbols(
	const struct runtime_module *module,
	const struct module_symbols *symbols, struct process_memory *memory,
	void **ret, const char **reason_ret)
{
	const struct module_symbol *version =
		module_symbols_find(symbols, "PL_version");
	const struct module_symbol *run =
		module_symbols_find(symbols, "Perl_runops_standard");
	const struct module_symbol *key =
		module_symbols_find(symbols, "PL_thr_key");
	const struct module_symbol *first =
		module_symbols_find(symbols, "PL_curinterp");
	const struct perl_version *known = NULL;
	size_t i;
	uint64_t interpreter;
	uint8_t found;
	uint32_t number;

	/* The program "perl" can load its library later. */
	if (!version || !run || !run->size)
		return RUNTIME_ABSENT;
	*reason_ret = "it has no threads (usethreads)";
	if (!key || !first)
		return RUNTIME_REFUSED;
	*reason_ret = "dwell knows Perl 5.36, 5.40 and 5.42 only";
	if (elf_file_read(module->file, version->address, &found, 1) != 1)
		return RUNTIME_REFUSED;
	for (i = 0; i < ARRAY_SIZE(known_versions); i++)
		if (known_versions[i].number == found)
			known = &known_versions[i];
	if (!known)
		return RUNTIME_REFUSED;
	*reason_ret = NULL;
	if (!process_memory_u64(
		    memory, first->address + module->bias, &interpreter) ||
		!interpreter ||
		!process_memory_u32(
			memory, key->address + module->bias, &number))
		return RUNTIME_STARTING;
	*reason_ret = "its thread-specific key is above 31";
	if (number >= THREAD_KEYS_MAX)
		return RUNTIME_REFUSED;
	*ret = make_perl(module, known, run, number);
	return RUNTIME_READY;
}

static void destroy_perl(void *state)
{
	struct perl *perl = state;

	code_objects_destroy(perl->functions);
	code_objects_destroy(perl->main);
	free(perl);
}

/* --- frames --------------------------------------------------------------- */

static bool name_perl_frame(void *state, struct process_memory *memory,
	struct runtime_functions *functions, const struct chain_linked *frame,
	struct interpreter_frame *ret)
{
	struct perl *perl = state;

	*ret = (struct interpreter_frame){
		.ends_group =
			frame->cookie >> CHAIN_MARK_SHIFT & CHAIN_MARK_ENTRY,
	};
	return code_objects_name(
		frame->code == frame->where ? perl->main : perl->functions,
		memory, functions, frame, &ret->address);
}

/*
 * The address of the interpreter is in a value of the thread, which only BPF can find: .read is
 * not set.
 */
static const struct interpreter_ops interpreter_ops = {
	.reads_lines = true,
	.name = name_perl_frame,
};

static const char *const prefixes[] = { "PL_version", "PL_thr_key",
	"PL_curinterp", "Perl_runops_standard" };

const struct runtime_ops perl_runtime = {
	.name = "perl",
	.probe_symbols = probe_perl_symbols,
	.prefixes = prefixes,
	.n_prefixes = ARRAY_SIZE(prefixes),
	.interpreter = &interpreter_ops,
	.destroy = destroy_perl,
};
