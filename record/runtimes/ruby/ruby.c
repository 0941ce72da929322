/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/ruby/ruby.h"

#include <stdlib.h>

#include "common/util/alloc.h"
#include "record/runtimes/interface/function_parts.h"
#include "record/runtimes/ruby/ruby_iseq.h"
#include "record/runtimes/ruby/ruby_thread.h"

/* INDEX is struct succ_index_table in the body (iseq.c). */
static const struct ruby_layout layouts[] = {
	{ "3.1.", 64, false, .lines = 120, .n_lines = 136, .index = 144 },
	{ "3.3.", 56, true, .lines = 112, .n_lines = 128, .index = 136 },
};
#define VERSION_LENGTH 4u
/* rb_execution_context_t (vm_core.h): stack, its words, and control
 * frame. */
#define CONTEXT_STACK 0u
#define CONTEXT_FRAME 16u
/* rb_control_frame_t */
#define FRAME_READ 40u
#define FRAME_PC 0u
#define FRAME_ISEQ 16u
#define FRAME_EP 32u
/* VM_FRAME_FLAG_FINISH and _CFRAME in the first word of the environment. */
#define IS_FINISH 0x20u
#define IS_CFRAME 0x80u

/* Candidates for the function that interprets. */
#define DISPATCHERS_MAX 64u
#define SEARCHES_MAX 64u

struct ruby {
	struct interpreter description;
	struct address_range dispatchers[DISPATCHERS_MAX];
	size_t n_dispatchers;
	unsigned n_searches;	    /* for the one that interprets */
	struct code_objects *codes; /* owned */
};

/* --- the probe ---------------------------------------------------------------- */

static struct ruby *make_ruby(const struct runtime_module *module,
	const struct ruby_layout *layout, const struct chain_runtime *hops)
{
	const struct code_language language = ruby_iseq_language(layout);
	struct ruby *ruby = xcalloc(1, sizeof(*ruby));
	struct chain_runtime *list = &ruby->description.list;

	*list = *hops;
	list->hops[list->n_hops++] = CONTEXT_FRAME;
	list->stack = CONTEXT_STACK;
	list->size = FRAME_READ;
	list->step = layout->frame_size;
	list->rest = layout->frame_size; /* the outermost frame is a dummy */
	list->code = FRAME_ISEQ;
	list->is_code_far = true;
	list->code_hop = RUBY_ISEQ_BODY;
	list->where = FRAME_PC;
	list->where_size = 8;
	list->mark = FRAME_EP;
	list->is_mark_far = true;
	list->cookie = RUBY_BODY_PATH;
	list->cookie_third = RUBY_BODY_LABEL;
	list->cookie_fourth = RUBY_BODY_FIRST_LINE;
	ruby->n_dispatchers = function_parts_dispatchers(
		module->file, module->bias, ruby->dispatchers, DISPATCHERS_MAX);
	ruby->codes = code_objects_create(&language, list);
	return ruby;
}

/* Returns the layout of the version of the process, or NULL. */
static const struct ruby_layout *find_ruby_layout(
	struct process_memory *memory, uint64_t version)
{
	char text[VERSION_LENGTH + 1] = "";
	size_t i;

	if (!process_memory_read(memory, version, text, VERSION_LENGTH))
		return NULL;
	for (i = 0; i < ARRAY_SIZE(layouts); i++)
		if (string_is(text, layouts[i].version))
			return &layouts[i];
	return NULL;
}

static enum runtime_state probe_ruby_symbols(
	const struct runtime_module *module,
	const struct module_symbols *symbols, struct process_memory *memory,
	void **ret, const char **reason_ret)
{
	const struct module_symbol *version =
		module_symbols_find(symbols, "ruby_version");
	const struct module_symbol *current =
		module_symbols_find(symbols, "rb_thread_current");
	const struct ruby_layout *layout;
	struct chain_runtime hops = { 0 };

	/* The program "ruby" loads its library. */
	if (!version || !current)
		return RUNTIME_ABSENT;
	*reason_ret = "dwell knows Ruby 3.1 and 3.3 only";
	layout = find_ruby_layout(memory, version->address + module->bias);
	if (!layout)
		return RUNTIME_REFUSED;
	*reason_ret = "the thread-local variable of Ruby was not found: dwell "
		      "knows Ruby in a library, with glibc";
	if (!ruby_thread_find(module, current, memory, &hops))
		return RUNTIME_STARTING;
	*ret = make_ruby(module, layout, &hops);
	return RUNTIME_READY;
}

static enum runtime_state probe_ruby(const struct runtime_module *module,
	struct process_memory *memory, void **ret, const char **reason_ret)
{
	static const char *const names[] = { "ruby_version",
		"rb_thread_current" };

	return module_symbols_probe(module, names, ARRAY_SIZE(names),
		probe_ruby_symbols, memory, ret, reason_ret);
}

static void destroy_ruby(void *state)
{
	struct ruby *ruby = state;

	code_objects_destroy(ruby->codes);
	free(ruby);
}

/* --- frames ------------------------------------------------------------------- */

static const struct interpreter *describe_ruby(const void *state)
{
	const struct ruby *ruby = state;

	return &ruby->description;
}

/*
 * Finds the function that interprets. It contains the code of each instruction. The
 * instruction sequence with the body BODY contains the addresses of this code (direct
 * threaded code).
 */
static void find_interpreter_function(
	struct ruby *ruby, struct process_memory *memory, uint64_t body)
{
	struct interpreter *description = &ruby->description;
	uint64_t code, address;
	size_t i;

	if (!process_memory_u64(memory, body + RUBY_BODY_CODE, &code) ||
		!process_memory_u64(memory, code, &address))
		return;
	for (i = 0; i < ruby->n_dispatchers; i++)
		if (address >= ruby->dispatchers[i].start &&
			address < ruby->dispatchers[i].end) {
			description->ranges[0] = ruby->dispatchers[i];
			description->n_ranges = 1;
		}
}

static bool name_ruby_frame(void *state, struct process_memory *memory,
	struct runtime_functions *functions, const struct chain_linked *frame,
	struct interpreted_frame *ret)
{
	struct ruby *ruby = state;
	uint8_t mark = (uint8_t)(frame->cookie >> CHAIN_MARK_SHIFT);

	*ret = (struct interpreted_frame){ .ends_group = mark & IS_FINISH };
	if (!ruby->description.n_ranges && frame->code &&
		ruby->n_searches++ < SEARCHES_MAX)
		find_interpreter_function(ruby, memory, frame->code);
	/* The functions of C frames are native frames. */
	return !frame->code || mark & IS_CFRAME ||
		code_objects_name(
			ruby->codes, memory, functions, frame, &ret->address);
}

/*
 * The execution context is in a variable of the thread, which only BPF can find: .read is not
 * set.
 */
static const struct interpreter_ops interpreter_ops = {
	.reads_lines = true,
	.describe = describe_ruby,
	.name = name_ruby_frame,
};

const struct runtime_ops ruby_runtime = {
	.name = "ruby",
	.probe = probe_ruby,
	.interpreter = &interpreter_ops,
	.destroy = destroy_ruby,
};
