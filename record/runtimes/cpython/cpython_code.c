/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/cpython/cpython_code.h"

#include "common/util/alloc.h"
#include "record/runtimes/cpython/cpython_lines.h"

/* The name of the code of a file. */
#define MODULE "<module>"

/* Offsets in objects of CPython (Include/object.h), since 2.7. */
#define OBJECT_TYPE 8u
#define OBJECT_SIZE 16u /* of objects of variable size */
/* The state of a text (PyASCIIObject in unicodeobject.h), since 3.3. */
#define TEXT_STATE 32u
#define TEXT_KIND(state) ((state) >> 2 & 7)
#define TEXT_IS_COMPACT 0x20u
#define TEXT_IS_ASCII 0x40u
/* A hostile text can have larger numbers. */
#define CHARACTER_MASK 0x1fffffu

/* --- texts ------------------------------------------------------------------ */

/* Finds the characters of the text object at ADDRESS. */
static bool find_characters(const struct cpython_layout *layout,
	struct process_memory *memory, uint64_t address, uint64_t *at_ret,
	unsigned *width_ret)
{
	uint32_t state;

	if (layout->major < 3) {
		*at_ret = address + layout->bytes;
		*width_ret = 1;
		return true;
	}
	if (!process_memory_u32(memory, address + TEXT_STATE, &state) ||
		!(state & TEXT_IS_COMPACT))
		return false;
	*width_ret = TEXT_KIND(state);
	*at_ret = address +
		(state & TEXT_IS_ASCII ? layout->ascii : layout->text);
	return *width_ret == 1 || *width_ret == 2 || *width_ret == 4;
}

/* Appends the text object at ADDRESS to OUT. */
static bool read_text(const struct cpython_layout *layout,
	struct process_memory *memory, uint64_t address, struct strbuf *out)
{
	uint8_t bytes[4 * CODE_TEXT_MAX];
	uint64_t n, at;
	unsigned width;

	if (!address || address & 7 ||
		!process_memory_u64(memory, address + OBJECT_SIZE, &n) ||
		n > CODE_TEXT_MAX ||
		!find_characters(layout, memory, address, &at, &width) ||
		!process_memory_read(memory, at, bytes, n * width))
		return false;
	size_t i;
	for (i = 0; i < n; i++) {
		uint32_t c = 0;

		memcpy(&c, bytes + i * width, width);
		strbuf_put_utf8(out, c ? c & CHARACTER_MASK : '?');
	}
	return true;
}

/* --- code objects ----------------------------------------------------------- */

static bool read_code(void *data, struct process_memory *memory,
	struct code_object *ret, struct strbuf *name, struct strbuf *file)
{
	const struct cpython_code_reader *reader = data;
	const struct cpython_layout *layout = reader->layout;
	uint64_t type, name_at, file_at;

	if (!process_memory_u64(memory, ret->address + OBJECT_TYPE, &type) ||
		type != reader->type ||
		!process_memory_u64(
			memory, ret->address + layout->name, &name_at) ||
		!process_memory_u64(
			memory, ret->address + layout->file, &file_at) ||
		!process_memory_u32(memory, ret->address + layout->first_line,
			&ret->first_line) ||
		!read_text(layout, memory, name_at, name) ||
		!read_text(layout, memory, file_at, file))
		return false;
	/*
	 * Many functions have a name such as "<module>" and "<lambda>": add
	 * the file.
	 */
	bool is_module;
	if (name->n >= strlen(MODULE) && name->at[name->n - 1] == '>') {
		is_module = !memcmp(name->at, MODULE, strlen(MODULE));
		code_objects_add_place(
			name, file, is_module ? 0 : ret->first_line);
	}
	/*
	 * Read the line table of RET. Without the table, the lines are
	 * unknown.
	 */
	uint64_t table, n;
	if (process_memory_u64(memory, ret->address + layout->lines, &table) &&
		table && process_memory_u64(memory, table + OBJECT_SIZE, &n) &&
		n <= CODE_LINES_MAX) {
		ret->lines = xmalloc(n + 1);
		ret->n_lines = (uint32_t)n;
		if (!process_memory_read(
			    memory, table + layout->bytes, ret->lines, n)) {
			free(ret->lines);
			ret->lines = NULL;
			ret->n_lines = 0;
		}
	}
	return true;
}

static uint32_t line_of(void *data, struct process_memory *memory,
	const struct code_object *object, uint64_t where)
{
	const struct cpython_code_reader *reader = data;
	const struct cpython_layout *layout = reader->layout;
	const struct cpython_lines lines = { object->lines, object->n_lines,
		object->first_line };
	int64_t at;

	(void)memory;
	if (!object->lines)
		return 0;
	if (layout->instructions)
		at = (int64_t)(where - object->address - layout->instructions);
	else if (layout->major == 3 && layout->minor == 10)
		at = 2 * (int64_t)(int32_t)where; /* in instructions */
	else
		at = (int32_t)where;
	return cpython_lines_find(layout, &lines, at);
}

struct code_language cpython_code_language(struct cpython_code_reader *reader)
{
	return (struct code_language){ RUNTIME_PYTHON, read_code, line_of,
		reader };
}
