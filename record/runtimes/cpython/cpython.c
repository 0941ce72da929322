/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/cpython/cpython.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/util/alloc.h"
#include "record/runtimes/cpython/cpython_code.h"
#include "record/runtimes/cpython/cpython_layout.h"
#include "record/runtimes/cpython/cpython_symbols.h"
#include "record/runtimes/cpython/cpython_threads.h"

/* Values of the byte cpython_layout.mark. */
#define IS_ENTRY 1u
#define IS_SHIM 3u /* FRAME_OWNED_BY_CSTACK */
/*
 * struct _Py_DebugOffsets of 3.13 to 3.15 (Include/internal/pycore_runtime.h and
 * pycore_debug_offsets.h), at the beginning of _PyRuntime.
 */
struct debug_offsets {
	char cookie[8];
	uint64_t version, free_threaded;
	uint64_t runtime_size, finalizing, interpreters_head;
	uint64_t interpreter_size, id, next, threads_head;
};
#define DEBUG_COOKIE "xdebugpy"

struct cpython {
	struct cpython_layout layout;
	struct interpreter description;
	uint64_t root; /* see cpython_threads_find() */
	struct cpython_code_reader reader;
	struct code_objects *codes; /* owned */
};

/* --- the probe ---------------------------------------------------------------- */

/* Reads "3.11" of ".../libpython3.11.so.1.0" or ".../python3.11". */
static const struct cpython_layout *layout_of_path(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = strstr(slash ? slash : path, "python");
	unsigned major, minor;

	if (!name || sscanf(name, "python%1u.%2u", &major, &minor) != 2)
		return NULL;
	return cpython_layout_find(major, minor);
}

/*
 * Returns the layout of the version that Py_Version contains, which exists
 * since 3.11, or that the name of the file contains. Returns NULL, with the
 * reason, if the version is not known.
 */
static const struct cpython_layout *find_layout(
	const struct runtime_module *module,
	const struct cpython_symbols *symbols, struct process_memory *memory,
	const char **reason_ret)
{
	uint32_t number;

	*reason_ret = "dwell knows CPython 2.7 and 3.6 to 3.15 only";
	if (!symbols->version)
		return layout_of_path(module->path);
	if (!process_memory_u32(
		    memory, symbols->version + module->bias, &number)) {
		*reason_ret = "its version cannot be read";
		return NULL;
	}
	return cpython_layout_find(number >> 24, number >> 16 & 0xff);
}

/*
 * Sets the offsets in LAYOUT that the process exports at ROOT: they differ between builds.
 * Returns false, with the reason, if they are not plausible, or the build has no global
 * interpreter lock: its layout differs.
 */
static bool use_exported_offsets(struct process_memory *memory, uint64_t root,
	struct cpython_layout *layout, const char **reason_ret)
{
	struct debug_offsets offsets;

	if (!layout->exports_offsets)
		return true;
	*reason_ret = "the offsets that it exports are not plausible";
	if (!process_memory_read(memory, root, &offsets, sizeof(offsets)) ||
		memcmp(offsets.cookie, DEBUG_COOKIE, strlen(DEBUG_COOKIE)) !=
			0 ||
		offsets.interpreters_head > UINT16_MAX ||
		offsets.next > UINT16_MAX || offsets.threads_head > UINT16_MAX)
		return false;
	*reason_ret = "it has no global interpreter lock (free-threaded)";
	if (offsets.free_threaded)
		return false;
	layout->interpreters = (uint16_t)offsets.interpreters_head;
	layout->next_interpreter = (uint16_t)offsets.next;
	layout->threads = (uint16_t)offsets.threads_head;
	return true;
}

/* ROOT and OFFSET are those of cpython_threads_find(). */
static void describe_list(const struct cpython_layout *layout, uint64_t root,
	uint64_t offset, struct chain_runtime *ret)
{
	bool is_global = layout->major < 3;
	size_t i;

	*ret = (struct chain_runtime){
		.n_hops = 1u + layout->n_hops,
		.base = is_global ? root : 0,
		.hops = { offset },
		.owner = is_global ? layout->thread_id : 0,
		.interpreters =
			layout->interpreters ? root + layout->interpreters : 0,
		.next_interpreter = layout->next_interpreter,
		.threads = layout->threads,
		.next_thread = layout->next,
		.thread_id = layout->thread_id,
		.size = layout->size,
		.link = layout->link,
		.code = layout->code,
		.where = layout->where,
		.where_size = layout->where_size,
		.mark = layout->mark,
		.cookie = layout->file, /* and .name, or the next word */
		.cookie_third = layout->first_line,
		.cookie_fourth = layout->lines,
	};
	for (i = 0; i < layout->n_hops; i++)
		ret->hops[1 + i] = layout->hops[i];
}

static struct cpython *make_cpython(const struct runtime_module *module,
	const struct cpython_symbols *symbols,
	const struct cpython_layout *layout, uint64_t root, uint64_t offset)
{
	struct cpython *cpython = xcalloc(1, sizeof(*cpython));
	struct code_language language = cpython_code_language(&cpython->reader);

	cpython->layout = *layout;
	cpython->root = root;
	cpython->reader = (struct cpython_code_reader){ &cpython->layout,
		symbols->code_type + module->bias };
	describe_list(layout, root, offset, &cpython->description.list);
	function_parts_put(
		&symbols->function, module->bias, &cpython->description);
	cpython->codes =
		code_objects_create(&language, &cpython->description.list);
	return cpython;
}

static enum runtime_state probe_cpython(const struct runtime_module *module,
	struct process_memory *memory, void **ret, const char **reason_ret)
{
	const struct cpython_layout *found;
	struct cpython_layout layout;
	struct cpython_symbols symbols;
	enum runtime_state state;
	uint64_t root, offset;

	*reason_ret = "its file has no symbols";
	if (!cpython_symbols_read(module->file, &symbols))
		return RUNTIME_REFUSED;
	/* The program "python" can load its library later. */
	if (!symbols.code_type)
		return RUNTIME_ABSENT;
	found = find_layout(module, &symbols, memory, reason_ret);
	if (!found)
		return RUNTIME_REFUSED;
	layout = *found;
	*reason_ret = "the symbol _PyRuntime is missing";
	root = layout.interpreter ? symbols.current_thread : symbols.runtime;
	if (!root)
		return RUNTIME_REFUSED;
	root += module->bias;
	if (!use_exported_offsets(memory, root, &layout, reason_ret))
		return RUNTIME_REFUSED;
	state = cpython_threads_find(
		&layout, memory, root, &offset, reason_ret);
	if (state == RUNTIME_READY)
		*ret = make_cpython(module, &symbols, &layout, root, offset);
	return state;
}

static void destroy_cpython(void *state)
{
	struct cpython *cpython = state;

	code_objects_destroy(cpython->codes);
	free(cpython);
}

/* --- frames ------------------------------------------------------------------- */

static const struct interpreter *describe_cpython(const void *state)
{
	const struct cpython *cpython = state;

	return &cpython->description;
}

static size_t read_cpython_frames(const void *state,
	struct process_memory *memory, uint32_t tid, struct chain_linked *ret)
{
	const struct cpython *cpython = state;

	return cpython_threads_read(&cpython->layout,
		&cpython->description.list, memory, cpython->root, tid, ret);
}

static bool name_cpython_frame(void *state, struct process_memory *memory,
	struct runtime_functions *functions, const struct chain_linked *frame,
	struct interpreted_frame *ret)
{
	struct cpython *cpython = state;
	uint8_t mark = (uint8_t)(frame->cookie >> CHAIN_MARK_SHIFT);

	*ret = (struct interpreted_frame){ .ends_group = true };
	switch (cpython->layout.groups) {
	case CPYTHON_EACH: break;
	case CPYTHON_ENTRY: ret->ends_group = mark == IS_ENTRY; break;
	case CPYTHON_SHIM:
		if (mark == IS_SHIM)
			return true;
		ret->ends_group = false;
		break;
	}
	return code_objects_name(
		cpython->codes, memory, functions, frame, &ret->address);
}

static const struct interpreter_ops interpreter_ops = {
	.describe = describe_cpython,
	.read = read_cpython_frames,
	.name = name_cpython_frame,
};

const struct runtime_ops cpython_runtime = {
	.name = "python",
	.probe = probe_cpython,
	.interpreter = &interpreter_ops,
	.destroy = destroy_cpython,
};
