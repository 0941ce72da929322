/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/luajit/luajit_prototype.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/util/alloc.h"

/* The layout of LuaJIT 2.1 with GC64 (lj_obj.h). */
/* GCproto, which the bytecode follows */
#define TYPE 9u
#define IS_PROTOTYPE 7u /* ~LJ_TPROTO */
#define FIRST_LINE 72u
#define N_LINES 76u
/* A number for each instruction but the first; 0: there is no debug information. */
#define LINES 80u
#define SIZE 104u
#define INSTRUCTION_SIZE 4u
/* The first line of a function that is a part of LuaJIT. */
#define BUILTIN_LINE UINT32_MAX
/* GCstr: the length in later versions, and in 2.1.0-beta3 until 2020 */
#define STRING_TEXT 24u
static const unsigned string_lengths[] = { 20, 16 };

#define LINE_MAX_PLAUSIBLE 10000000u

/* The head of code_object.lines. */
struct lines_head {
	uint32_t first_line, n_lines;
};

/* --- names --- */

/*
 * Appends the N characters at TEXT, the name of a chunk, which ends with NUL. Of a longer
 * text, which is the source of the chunk, appends only the first character.
 */
static bool read_chunk_text(struct process_memory *memory, uint64_t text,
	uint32_t n, struct strbuf *out)
{
	char bytes[CODE_TEXT_MAX + 1];
	uint8_t end;

	if (!n || !process_memory_u8(memory, text + n, &end) || end)
		return false;
	if (n <= CODE_TEXT_MAX) {
		if (!process_memory_read(memory, text, bytes, n + 1) ||
			strnlen(bytes, n + 1) != n)
			return false;
		strbuf_put(out, bytes, n);
		return true;
	}
	if (!process_memory_read(memory, text, bytes, 1) || *bytes == '@' ||
		*bytes == '=')
		return false;
	strbuf_putc(out, *bytes);
	return true;
}

/*
 * Appends the name of a chunk, which is a string at ADDRESS. The two places of
 * its length cannot both be right: the text ends with the only NUL.
 */
static bool read_chunk(
	struct process_memory *memory, uint64_t address, struct strbuf *out)
{
	uint32_t n;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(string_lengths); i++)
		if (process_memory_u32(
			    memory, address + string_lengths[i], &n) &&
			read_chunk_text(memory, address + STRING_TEXT, n, out))
			return true;
	return false;
}

/*
 * Appends the file of a function to FILE, and its place to NAME. The first
 * character of CHUNK is its kind: "@" before the path of a file, "=" before a
 * name. Any other one begins the source text.
 */
static void put_place(const struct strbuf *chunk,
	const struct lines_head *lines, struct strbuf *name,
	struct strbuf *file)
{
	const char *text = chunk->at, *slash;
	int n = (int)chunk->n;

	if (*text == '@' && n > 1) {
		strbuf_printf(file, "%.*s", n - 1, text + 1);
		slash = memrchr(text, '/', chunk->n);
		if (slash && slash + 1 < text + n)
			n -= (int)(slash - text);
		text = chunk->at + chunk->n - n;
	} else if (*text != '=' || n == 1) {
		text = "=(string)";
		n = (int)strlen(text);
	}
	strbuf_printf(name, "%s <%.*s",
		!lines->first_line && lines->n_lines ? "main chunk"
						     : "function",
		n - 1, text + 1);
	if (lines->first_line)
		strbuf_printf(name, ":%" PRIu32, lines->first_line);
	strbuf_putc(name, '>');
}

/* --- prototypes --- */

/* Returns the size of each number in a table of lines. */
static size_t line_size(uint32_t n_lines)
{
	if (n_lines < 256)
		return 1;
	return n_lines < 65536 ? 2 : 4;
}

/* Copies the table of lines of the N instructions of the prototype RET. */
static void read_lines(struct process_memory *memory, uint32_t n,
	const struct lines_head *head, struct code_object *ret)
{
	size_t size = (size_t)n * line_size(head->n_lines);
	uint64_t lines;

	if (size > CODE_LINES_MAX - sizeof(*head) ||
		!process_memory_u64(memory, ret->address + LINES, &lines) ||
		!lines)
		return;
	ret->lines = xmalloc(sizeof(*head) + size);
	memcpy(ret->lines, head, sizeof(*head));
	ret->n_lines = (uint32_t)(sizeof(*head) + size);
	if (process_memory_read(
		    memory, lines, ret->lines + sizeof(*head), size))
		return;
	free(ret->lines);
	ret->lines = NULL;
	ret->n_lines = 0;
}

static bool read_prototype(void *data, struct process_memory *memory,
	struct code_object *ret, struct strbuf *name, struct strbuf *file)
{
	_cleanup_strbuf_ struct strbuf chunk = { 0 };
	uint64_t chunk_at;
	struct lines_head lines;
	uint32_t n;
	uint8_t type;

	(void)data;
	if (!process_memory_u8(memory, ret->address + TYPE, &type) ||
		type != IS_PROTOTYPE ||
		!process_memory_u64(
			memory, ret->address + PROTOTYPE_PLACE, &chunk_at) ||
		!process_memory_u32(
			memory, ret->address + FIRST_LINE, &lines.first_line) ||
		!process_memory_u32(
			memory, ret->address + N_LINES, &lines.n_lines) ||
		!process_memory_u32(
			memory, ret->address + PROTOTYPE_SIZES, &n) ||
		!n || !read_chunk(memory, chunk_at, &chunk))
		return false;
	if (lines.first_line == BUILTIN_LINE) {
		/*
		 * The chunk of a function that is a part of LuaJIT has the name
		 * of the function.
		 */
		strbuf_puts(name, "builtin:");
		strbuf_put(name, chunk.at, chunk.n);
		return true;
	}
	if (lines.first_line > LINE_MAX_PLAUSIBLE ||
		lines.n_lines > LINE_MAX_PLAUSIBLE)
		return false;
	put_place(&chunk, &lines, name, file);
	/* The main chunk begins in line 0. */
	ret->first_line = lines.first_line;
	if (!lines.first_line && lines.n_lines)
		ret->first_line = 1;
	ret->last_line = lines.first_line + lines.n_lines;
	read_lines(memory, n - 1, &lines, ret);
	return true;
}

/* Returns the line of the instruction before WHERE, as lj_debug_line() does, or
 * 0. */
static uint32_t line_of(void *data, struct process_memory *memory,
	const struct code_object *object, uint64_t where)
{
	uint64_t code = object->address + SIZE, at;
	struct lines_head head;
	uint32_t line = 0;
	size_t size;

	(void)data;
	(void)memory;
	if (!object->lines || where <= code ||
		(where - code) % INSTRUCTION_SIZE)
		return 0;
	memcpy(&head, object->lines, sizeof(head));
	at = (where - code) / INSTRUCTION_SIZE - 1;
	/* The first instruction is the head of the function. */
	if (!at)
		return head.first_line;
	size = line_size(head.n_lines);
	if (at > (object->n_lines - sizeof(head)) / size)
		return 0;
	memcpy(&line, object->lines + sizeof(head) + (at - 1) * size, size);
	return line > head.n_lines ? 0 : head.first_line + line;
}

struct code_language luajit_functions(void)
{
	return (struct code_language){
		.runtime = RUNTIME_LUAJIT,
		.read = read_prototype,
		.line = line_of,
		.has_copies = true,
	};
}
