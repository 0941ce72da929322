/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/cpython/cpython.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/elf/elf.h"
#include "common/util/alloc.h"
#include "record/runtimes/cpython/cpython_code.h"
#include "record/runtimes/cpython/cpython_layout.h"
#include "record/runtimes/interface/code_objects.h"
#include "record/runtimes/interface/function_parts.h"
#include "record/runtimes/interface/module_symbols.h"
#include "record/runtimes/interface/runtime.h"

/* --- threads ------------------------------------------------------------- */

/*
 * Finds where the pointer to the thread state of CPython is: in the
 * thread-specific data (pthread_getspecific(3)) of each thread, at the same
 * offset from the thread pointer. In 2.7, only _PyThreadState_Current points to
 * the state, that of the thread with the global interpreter lock.
 */

/* Limit of threads that are compared. */
#define THREADS_MAX 4096u
/*
 * Bytes behind the thread pointer. glibc keeps the first 32 keys in struct
 * pthread, at offset 0x310 on x86-64 (nptl/descr.h of 2.36), with 16 bytes for
 * each.
 */
#define THREAD_BYTES 0x600u
/*
 * Bytes before the thread pointer: thread-local variables. 3.15 has the thread state only
 * there (_Py_tss_gilstate, and while the thread runs also _Py_tss_tstate).
 */
#define VARIABLE_BYTES 0x1000u
#define CHUNK_BYTES 0x200u
/* Of struct pthread of glibc on x86-64: the thread ID. */
#define GLIBC_TID 0x2d0u

/* Sets *RET to the first interpreter, or to 0. */
static bool read_first_interpreter(const struct cpython_layout *layout,
	struct process_memory *memory, uint64_t root, uint64_t *ret)
{
	uint64_t thread;

	*ret = 0;
	if (layout->interpreters)
		return process_memory_u64(
			memory, root + layout->interpreters, ret);
	if (!process_memory_u64(memory, root, &thread))
		return false;
	return !thread ||
		process_memory_u64(memory, thread + layout->interpreter, ret);
}

/* The threads of all interpreters. */
struct thread_cursor {
	const struct cpython_layout *layout;
	struct process_memory *memory;
	uint64_t interpreter; /* the next one; 0: none */
	uint64_t thread;      /* 0: none of the current interpreter */
	unsigned n;
};

/*
 * Goes to the next thread. Returns false if there is none: the process changes the lists while
 * they are read.
 */
static bool next_thread(struct thread_cursor *cursor)
{
	const struct cpython_layout *layout = cursor->layout;
	uint64_t interpreter;

	if (cursor->thread &&
		!process_memory_u64(cursor->memory,
			cursor->thread + layout->next, &cursor->thread))
		return false;
	while (!cursor->thread && cursor->interpreter) {
		interpreter = cursor->interpreter;
		if (!process_memory_u64(cursor->memory,
			    interpreter + layout->threads, &cursor->thread) ||
			!process_memory_u64(cursor->memory,
				interpreter + layout->next_interpreter,
				&cursor->interpreter) ||
			cursor->n++ == THREADS_MAX)
			return false;
	}
	return cursor->thread && cursor->n++ < THREADS_MAX;
}

/* Finds the word VALUE in the SIZE bytes at ADDRESS; SIZE is at most THREAD_BYTES. */
static bool find_word(struct process_memory *memory, uint64_t address,
	size_t size, uint64_t value, uint64_t *ret)
{
	uint64_t words[THREAD_BYTES / 8];
	size_t i;

	if (!process_memory_read(memory, address, words, size))
		return false;
	for (i = 0; i < size / 8; i++)
		if (words[i] == value) {
			*ret = address + 8 * i;
			return true;
		}
	return false;
}

/*
 * Sets *RET to the offset from the thread pointer of THREAD at which the
 * address of THREAD is. CPython's thread ID is that of pthread_self(3), which
 * is the thread pointer. Returns false if there is no such offset.
 */
static bool find_own_address(const struct cpython_layout *layout,
	struct process_memory *memory, uint64_t thread, uint64_t *ret)
{
	uint64_t pointer, at;
	unsigned before;
	bool is_found;

	if (!process_memory_u64(memory, thread + layout->thread_id, &pointer) ||
		!pointer || pointer & 7)
		return false;
	is_found = find_word(memory, pointer, THREAD_BYTES, thread, &at);
	for (before = CHUNK_BYTES; !is_found && before <= VARIABLE_BYTES;
		before += CHUNK_BYTES)
		is_found = find_word(
			memory, pointer - before, CHUNK_BYTES, thread, &at);
	*ret = is_found ? at - pointer : 0;
	return is_found;
}

/*
 * Sets *RET to the offset from the thread pointer. ROOT is the address of
 * _PyRuntime, or of _PyThreadState_Current if LAYOUT has no .interpreters. The
 * result is RUNTIME_STARTING if the interpreter has no thread yet, or no
 * thread state is found; *REASON_RET is the reason then.
 */
static enum runtime_state cpython_threads_find(
	const struct cpython_layout *layout, struct process_memory *memory,
	uint64_t root, uint64_t *ret, const char **reason_ret)
{
	struct thread_cursor cursor = { layout, memory };

	*ret = 0;
	*reason_ret = NULL;
	if (layout->major < 3)
		return RUNTIME_READY;
	if (!read_first_interpreter(layout, memory, root, &cursor.interpreter))
		return RUNTIME_STARTING;
	while (next_thread(&cursor)) {
		*reason_ret = "the thread state of CPython was not found "
			      "where glibc keeps it";
		if (find_own_address(layout, memory, cursor.thread, ret))
			return RUNTIME_READY;
	}
	return RUNTIME_STARTING;
}

/* Returns whether THREAD is the thread TID. */
static bool is_thread(const struct cpython_layout *layout,
	struct process_memory *memory, uint64_t thread, uint32_t tid)
{
	uint64_t pointer;
	uint32_t found;

	/* The native thread ID is behind CPython's, since 3.11. */
	if (layout->instructions)
		return process_memory_u32(memory,
			       thread + layout->thread_id + 8, &found) &&
			found == tid;
	return process_memory_u64(
		       memory, thread + layout->thread_id, &pointer) &&
		process_memory_u32(memory, pointer + GLIBC_TID, &found) &&
		found == tid;
}

/* Sets *RET to the address of the pointer to the first frame of THREAD. */
static bool find_first_frame(const struct chain_runtime *list,
	struct process_memory *memory, uint64_t thread, uint64_t *ret)
{
	unsigned i;

	for (i = 1; i + 1 < list->n_hops; i++)
		if (!process_memory_u64(
			    memory, thread + list->hops[i], &thread))
			return false;
	*ret = thread + list->hops[i];
	return true;
}

/* --- symbols ------------------------------------------------------------- */

/*
 * The symbols of a program or library that contains CPython. Linked addresses;
 * 0: there is no such symbol.
 */
struct cpython_symbols {
	uint64_t runtime;	 /* _PyRuntime */
	uint64_t current_thread; /* _PyThreadState_Current, until 3.6 */
	uint64_t code_type;	 /* PyCode_Type */
	uint64_t version;	 /* Py_Version, since 3.11 */
	/*
	 * The function that interprets: _PyEval_EvalFrameDefault, or PyEval_EvalFrameEx in
	 * 2.7, which is only a wrapper if the first exists. NULL: there is none.
	 */
	const struct module_symbol *function;
};

static uint64_t address_of(
	const struct module_symbols *symbols, const char *name)
{
	const struct module_symbol *symbol = module_symbols_find(symbols, name);

	return symbol ? symbol->address : 0;
}

static struct cpython_symbols find_cpython_symbols(
	const struct module_symbols *symbols)
{
	struct cpython_symbols found = {
		.runtime = address_of(symbols, "_PyRuntime"),
		.current_thread = address_of(symbols, "_PyThreadState_Current"),
		.code_type = address_of(symbols, "PyCode_Type"),
		.version = address_of(symbols, "Py_Version"),
		.function = module_symbols_find(
			symbols, "_PyEval_EvalFrameDefault"),
	};

	if (!found.function)
		found.function =
			module_symbols_find(symbols, "PyEval_EvalFrameEx");
	return found;
}

/* -------------------------------------------------------------------------- */

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
	struct interpreter description;
	struct cpython_layout layout;
	uint64_t root; /* see cpython_threads_find() */
	struct cpython_code_reader reader;
	struct code_objects *codes; /* owned */
};
/* runtimes.c reads the description of each interpreter. */
_Static_assert(offsetof(struct cpython, description) == 0,
	"the description is the first member");

/* --- the probe ---------------------------------------------------------------- */

/*
 * Returns the layout of the version that Py_Version contains, a constant in the file that exists
 * since 3.11, or that the name of the file contains. Returns NULL, with the
 * reason, if the version is not known.
 */
static const struct cpython_layout *find_layout(
	const struct runtime_module *module,
	const struct cpython_symbols *symbols, const char **reason_ret)
{
	uint32_t number;

	*reason_ret = "dwell knows CPython 2.7 and 3.6 to 3.15 only";
	if (!symbols->version) {
		/*
		 * Read "3.11" of ".../libpython3.11.so.1.0" or
		 * ".../python3.11".
		 */
		const char *slash = strrchr(module->path, '/');
		const char *name =
			strstr(slash ? slash : module->path, "python");
		unsigned major, minor;
		if (!name || sscanf(name, "python%1u.%2u", &major, &minor) != 2)
			return NULL;
		return cpython_layout_find(major, minor);
	}
	if (elf_file_read(module->file, symbols->version, &number,
		    sizeof(number)) != sizeof(number)) {
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

static enum runtime_state probe_cpython(const struct runtime_module *module,
	const struct module_symbols *all, struct process_memory *memory,
	void **ret, const char **reason_ret)
{
	const struct cpython_symbols symbols = find_cpython_symbols(all);
	const struct cpython_layout *found;
	struct cpython_layout layout;
	struct function_parts function = { 0 };
	enum runtime_state state;
	uint64_t root, offset;

	/* The program "python" can load its library later. */
	if (!symbols.code_type)
		return RUNTIME_ABSENT;
	found = find_layout(module, &symbols, reason_ret);
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
	if (state == RUNTIME_READY) {
		struct cpython *cpython = xcalloc(1, sizeof(*cpython));
		struct code_language language =
			cpython_code_language(&cpython->reader);
		cpython->layout = layout;
		cpython->root = root;
		cpython->reader =
			(struct cpython_code_reader){ &cpython->layout,
				symbols.code_type + module->bias };
		describe_list(
			&layout, root, offset, &cpython->description.list);
		if (symbols.function)
			function_parts_find(
				module->file, symbols.function, &function);
		function_parts_put(
			&function, module->bias, &cpython->description);
		cpython->codes = code_objects_create(
			&language, &cpython->description.list);
		*ret = cpython;
	}
	return state;
}

static void destroy_cpython(void *state)
{
	struct cpython *cpython = state;

	code_objects_destroy(cpython->codes);
	free(cpython);
}

/* --- frames --------------------------------------------------------------- */

static size_t read_cpython_frames(const void *state,
	struct process_memory *memory, uint32_t tid, struct chain_linked *ret)
{
	const struct cpython *cpython = state;
	struct thread_cursor cursor = { &cpython->layout, memory };
	uint64_t first;
	size_t n = 0;

	if (!read_first_interpreter(&cpython->layout, memory, cpython->root,
		    &cursor.interpreter))
		return 0;
	/* A thread can have frames in several interpreters. */
	while (n < CHAIN_LINKED_MAX && next_thread(&cursor))
		if (is_thread(&cpython->layout, memory, cursor.thread, tid) &&
			find_first_frame(&cpython->description.list, memory,
				cursor.thread, &first))
			n += code_objects_read_list(&cpython->description.list,
				memory, first, ret + n, CHAIN_LINKED_MAX - n);
	return n;
}

static bool name_cpython_frame(void *state, struct process_memory *memory,
	struct runtime_functions *functions, const struct chain_linked *frame,
	struct interpreter_frame *ret)
{
	struct cpython *cpython = state;
	uint8_t mark = (uint8_t)(frame->cookie >> CHAIN_MARK_SHIFT);

	*ret = (struct interpreter_frame){ .ends_group = true };
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
	.read = read_cpython_frames,
	.name = name_cpython_frame,
};

static const char *const prefixes[] = { "_PyRuntime", "_PyThreadState_Current",
	"PyCode_Type", "Py_Version", "_PyEval_EvalFrameDefault",
	"PyEval_EvalFrameEx" };

const struct runtime_ops cpython_runtime = {
	.name = "python",
	.probe_symbols = probe_cpython,
	.prefixes = prefixes,
	.n_prefixes = ARRAY_SIZE(prefixes),
	.interpreter = &interpreter_ops,
	.destroy = destroy_cpython,
};
