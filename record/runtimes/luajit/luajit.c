/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/luajit/luajit.h"

#include <stdlib.h>

#include "common/util/alloc.h"
#include "record/runtimes/interface/module_symbols.h"
#include "record/runtimes/luajit/luajit_prototype.h"
#include "record/runtimes/luajit/luajit_vm.h"

struct luajit {
	struct interpreter description;
	struct code_objects *codes; /* owned */
};
/* runtimes.c reads the description of each interpreter. */
_Static_assert(offsetof(struct luajit, description) == 0,
	"the description is the first member");

/* --- the probe ---------------------------------------------------------------- */

static enum runtime_state probe_luajit_symbols(
	const struct runtime_module *module,
	const struct module_symbols *symbols, struct process_memory *memory,
	void **ret, const char **reason_ret)
{
	struct luajit_vm vm;

	(void)memory;
	/* The program "luajit" can be linked to its library. */
	if (!module_symbols_find(symbols, "luaJIT_setmode"))
		return RUNTIME_ABSENT;
	*reason_ret = "dwell knows LuaJIT 2.1 with GC64 only";
	if (!luajit_vm_find(module->file, &vm))
		return RUNTIME_REFUSED;
	struct luajit *luajit = xcalloc(1, sizeof(*luajit));
	const struct code_language language = luajit_functions();
	struct interpreter *description = &luajit->description;
	description->has_hidden_groups = true;
	description->n_ranges = 1;
	description->ranges[0] = (struct address_range){
		.start = vm.code.start + module->bias,
		.end = vm.code.end + module->bias,
	};
	description->list = (struct chain_runtime){
		.lua_start = description->ranges[0].start,
		.lua_size = (uint32_t)(vm.code.end - vm.code.start),
		.lua_current = vm.current,
		.cookie = PROTOTYPE_PLACE,
		.cookie_third = PROTOTYPE_SIZES,
		.cookie_fourth = PROTOTYPE_CONSTANTS,
	};
	luajit->codes = code_objects_create(&language, &description->list);
	*ret = luajit;
	return RUNTIME_READY;
}

static void destroy_luajit(void *state)
{
	struct luajit *luajit = state;

	code_objects_destroy(luajit->codes);
	free(luajit);
}

/* --- frames --------------------------------------------------------------- */

/* Functions of C have native frames. */
static bool name_luajit_frame(void *state, struct process_memory *memory,
	struct runtime_functions *functions, const struct chain_linked *frame,
	struct interpreter_frame *ret)
{
	struct luajit *luajit = state;
	uint64_t mark = frame->cookie >> CHAIN_MARK_SHIFT;

	*ret = (struct interpreter_frame){
		.ends_group = mark & CHAIN_MARK_ENTRY,
	};
	return mark & CHAIN_MARK_LUA_C ||
		code_objects_name(
			luajit->codes, memory, functions, frame, &ret->address);
}

/* The states of threads are in their native stacks, which only BPF reads: .read is not set. */
static const struct interpreter_ops interpreter_ops = {
	.reads_lines = true,
	.name = name_luajit_frame,
};

static const char *const prefixes[] = { "luaJIT_setmode" };

const struct runtime_ops luajit_runtime = {
	.name = "luajit",
	.probe_symbols = probe_luajit_symbols,
	.prefixes = prefixes,
	.n_prefixes = ARRAY_SIZE(prefixes),
	.interpreter = &interpreter_ops,
	.destroy = destroy_luajit,
};
