/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/php/php.h"

#include <stdlib.h>

#include "common/util/alloc.h"
#include "record/runtimes/interface/code_objects.h"
#include "record/runtimes/interface/function_parts.h"

/*
 * The layout of PHP 8.2 and 8.4 on x86-64 (Zend/zend_globals.h, zend_compile.h,
 * zend_types.h).
 */
struct php_layout {
	const char *version;
	/*
	 * Sizes of executor_globals without thread safety. Later releases add
	 * members at its end.
	 */
	uint32_t globals_min, globals_max;
	uint16_t
		file; /* struct zend_op_array; u32 line_start, u32 line_end follow */
};
static const struct php_layout layouts[] = {
	{ "8.2", 1776, 1800, 152 }, /* of 8.2.32 and 8.2.36 */
	{ "8.4", 1984, 1984, 168 },
};
#define GLOBALS_EXECUTE_DATA 488u
/* struct zend_execute_data */
#define EXECUTE_OPLINE 0u
#define EXECUTE_FUNC 24u
#define EXECUTE_CALL_INFO 42u /* the third byte of This.u1.type_info */
#define EXECUTE_PREVIOUS 48u
#define EXECUTE_SIZE 56u
#define CALL_IS_TOP 2u /* ZEND_CALL_TOP, 1 << 17 */
/* union zend_function */
#define FUNCTION_TYPE 0u
#define FUNCTION_NAME 8u
#define FUNCTION_SCOPE 16u
#define TYPE_INTERNAL 1u
#define TYPE_USER 2u
#define TYPE_EVAL 4u
#define CLASS_NAME 8u	/* struct zend_class_entry */
#define OPLINE_LINE 24u /* struct zend_op: u32 lineno */
/* struct zend_string */
#define STRING_LENGTH 16u
#define STRING_BYTES 24u

struct php {
	struct interpreter description;
	struct code_objects *codes; /* owned */
	uint32_t pid;
};
/* runtimes.c reads the description of each interpreter. */
_Static_assert(offsetof(struct php, description) == 0,
	"the description is the first member");

/* --- functions ------------------------------------------------------------- */

/* Appends the string at ADDRESS. */
static bool read_string(
	struct process_memory *memory, uint64_t address, struct strbuf *out)
{
	uint64_t n;

	return address && !(address & 7) &&
		process_memory_u64(memory, address + STRING_LENGTH, &n) &&
		code_objects_read_text(memory, address + STRING_BYTES, n, out);
}

static bool read_function(void *data, struct process_memory *memory,
	struct code_object *ret, struct strbuf *name, struct strbuf *file)
{
	const struct php_layout *layout = data;
	uint64_t name_at, scope, class_at, file_at;
	uint8_t type;

	if (!process_memory_u8(memory, ret->address + FUNCTION_TYPE, &type) ||
		!process_memory_u64(
			memory, ret->address + FUNCTION_NAME, &name_at) ||
		!process_memory_u64(
			memory, ret->address + FUNCTION_SCOPE, &scope))
		return false;
	if (scope) {
		if (!process_memory_u64(
			    memory, scope + CLASS_NAME, &class_at) ||
			!read_string(memory, class_at, name))
			return false;
		strbuf_puts(name, "::");
	}
	/* The code of a file is a function without a name. */
	if (!name_at)
		strbuf_puts(name, "{main}");
	else if (!read_string(memory, name_at, name))
		return false;
	if (type == TYPE_INTERNAL)
		return name_at;
	return (type == TYPE_USER || type == TYPE_EVAL) &&
		process_memory_u64(
			memory, ret->address + layout->file, &file_at) &&
		process_memory_u32(memory, ret->address + layout->file + 8,
			&ret->first_line) &&
		process_memory_u32(memory, ret->address + layout->file + 12,
			&ret->last_line) &&
		read_string(memory, file_at, file);
}

/* The line of an operation outside of its function is not plausible. */
static uint32_t line_of(void *data, struct process_memory *memory,
	const struct code_object *object, uint64_t where)
{
	uint32_t line;

	(void)data;
	if (!object->first_line ||
		!process_memory_u32(memory, where + OPLINE_LINE, &line) ||
		line < object->first_line || line > object->last_line)
		return 0;
	return line;
}

/* --- the probe --------------------------------------------------------------- */

/*
 * Returns the layout of the version in the name of the file, or NULL. GLOBALS_SIZE is the
 * size of executor_globals.
 */
static const struct php_layout *find_php_layout(
	const char *path, uint64_t globals_size)
{
	const char *slash = strrchr(path, '/'), *version;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(layouts); i++) {
		version = strstr(slash ? slash : path, layouts[i].version);
		if (version && !(version[3] >= '0' && version[3] <= '9') &&
			globals_size >= layouts[i].globals_min &&
			globals_size <= layouts[i].globals_max)
			return &layouts[i];
	}
	return NULL;
}

static enum runtime_state probe_php_symbols(const struct runtime_module *module,
	const struct module_symbols *symbols, struct process_memory *memory,
	void **ret, const char **reason_ret)
{
	const struct module_symbol *globals =
		module_symbols_find(symbols, "executor_globals");
	const struct module_symbol *execute =
		module_symbols_find(symbols, "execute_ex");
	struct code_language language = { RUNTIME_PHP, read_function, line_of,
		NULL };
	const struct php_layout *layout;
	struct function_parts parts;
	struct chain_runtime *list;
	struct php *php;

	(void)memory;
	*reason_ret = "its build has thread safety (ZTS), or lacks symbols";
	if (!globals || !execute || !execute->size)
		return RUNTIME_REFUSED;
	*reason_ret =
		"dwell knows PHP 8.2 and 8.4 only, in a file with the version "
		"in its name";
	layout = find_php_layout(module->path, globals->size);
	if (!layout)
		return RUNTIME_REFUSED;
	php = xcalloc(1, sizeof(*php));
	language.data = (void *)layout;
	php->pid = module->pid;
	list = &php->description.list;
	*list = (struct chain_runtime){
		.n_hops = 1,
		.base = globals->address + module->bias,
		.hops = { GLOBALS_EXECUTE_DATA },
		.size = EXECUTE_SIZE,
		.link = EXECUTE_PREVIOUS,
		.code = EXECUTE_FUNC,
		.where = EXECUTE_OPLINE,
		.where_size = 8,
		.mark = EXECUTE_CALL_INFO,
		.cookie = FUNCTION_NAME, /* and FUNCTION_SCOPE */
		.cookie_third = layout->file,
		.cookie_fourth = (uint16_t)(layout->file + 8),
		.is_of_main_thread = true,
	};
	function_parts_find(module->file, execute, &parts);
	function_parts_put(&parts, module->bias, &php->description);
	php->codes = code_objects_create(&language, list);
	*ret = php;
	return RUNTIME_READY;
}

static void destroy_php(void *state)
{
	struct php *php = state;

	code_objects_destroy(php->codes);
	free(php);
}

/* --- frames --------------------------------------------------------------- */

static size_t read_php_frames(const void *state, struct process_memory *memory,
	uint32_t tid, struct chain_linked *ret)
{
	const struct php *php = state;
	const struct chain_runtime *list = &php->description.list;

	if (tid != php->pid)
		return 0;
	return code_objects_read_list(list, memory, list->base + list->hops[0],
		ret, CHAIN_LINKED_MAX);
}

static bool name_php_frame(void *state, struct process_memory *memory,
	struct runtime_functions *functions, const struct chain_linked *frame,
	struct interpreter_frame *ret)
{
	const struct php *php = state;

	*ret = (struct interpreter_frame){
		.ends_group = frame->cookie >> CHAIN_MARK_SHIFT & CALL_IS_TOP,
	};
	/* Frames without a function are auxiliary ones, such as of generators.
	 */
	return !frame->code ||
		code_objects_name(
			php->codes, memory, functions, frame, &ret->address);
}

static const struct interpreter_ops interpreter_ops = {
	.reads_lines = true,
	.read = read_php_frames,
	.name = name_php_frame,
};

static const char *const prefixes[] = { "executor_globals", "execute_ex" };

const struct runtime_ops php_runtime = {
	.name = "php",
	.probe_symbols = probe_php_symbols,
	.prefixes = prefixes,
	.n_prefixes = ARRAY_SIZE(prefixes),
	.interpreter = &interpreter_ops,
	.destroy = destroy_php,
};
