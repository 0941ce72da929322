/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/perl/perl.h"

#include <stdlib.h>

#include "common/util/alloc.h"
#include "record/runtimes/interface/function_parts.h"
#include "record/runtimes/perl/perl_code.h"

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

/* --- the probe ---------------------------------------------------------------- */

static const struct perl_version *find_perl_version(uint8_t number)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known_versions); i++)
		if (known_versions[i].number == number)
			return &known_versions[i];
	return NULL;
}

/* KEY is that of the interpreter of a thread. */
static struct perl *make_perl(const struct runtime_module *module,
	const struct perl_version *version, const struct module_symbol *run,
	uint32_t key)
{
	struct perl *perl = xcalloc(1, sizeof(*perl));
	const struct code_language functions = perl_functions(&perl->reader);
	const struct code_language main = perl_main();
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
	const struct perl_version *known;
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
	if (!process_memory_u8(memory, version->address + module->bias, &found))
		return RUNTIME_REFUSED;
	known = find_perl_version(found);
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

static enum runtime_state probe_perl(const struct runtime_module *module,
	struct process_memory *memory, void **ret, const char **reason_ret)
{
	static const char *const names[] = { "PL_version", "PL_thr_key",
		"PL_curinterp", "Perl_runops_standard" };

	return module_symbols_probe(module, names, ARRAY_SIZE(names),
		probe_perl_symbols, memory, ret, reason_ret);
}

static void destroy_perl(void *state)
{
	struct perl *perl = state;

	code_objects_destroy(perl->functions);
	code_objects_destroy(perl->main);
	free(perl);
}

/* --- frames ------------------------------------------------------------------- */

static const struct interpreter *describe_perl(const void *state)
{
	const struct perl *perl = state;

	return &perl->description;
}

static bool name_perl_frame(void *state, struct process_memory *memory,
	struct runtime_functions *functions, const struct chain_linked *frame,
	struct interpreted_frame *ret)
{
	struct perl *perl = state;

	*ret = (struct interpreted_frame){
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
	.describe = describe_perl,
	.name = name_perl_frame,
};

const struct runtime_ops perl_runtime = {
	.name = "perl",
	.probe = probe_perl,
	.interpreter = &interpreter_ops,
	.destroy = destroy_perl,
};
