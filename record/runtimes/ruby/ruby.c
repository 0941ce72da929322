/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/ruby/ruby.h"

#include <stdlib.h>

#include "common/util/alloc.h"
#include "record/runtimes/interface/code_objects.h"
#include "record/runtimes/interface/function_parts.h"
#include "record/runtimes/interface/module_symbols.h"
#include "record/runtimes/interface/runtime.h"

/* --- instruction sequences ----------------------------------------------- */

/*
 * Reads instruction sequences of Ruby 3.1 and 3.3: struct rb_iseq_constant_body
 * (vm_core.h) has the name, the file, and the lines.
 */

struct ruby_layout {
	const char *version; /* the beginning of ruby_version */
	uint16_t frame_size; /* rb_control_frame_t */
	/*
	 * Since 3.2, a string has its length before its characters, and the
	 * first line is an int, not an object.
	 */
	bool is_since_32;
	uint16_t lines, n_lines, index; /* in the body: insns_info */
};

/* Offset of the body in struct rb_iseq_t. */
#define RUBY_ISEQ_BODY 16u
/* Offset in the body of the pointer to the instructions. */
#define RUBY_BODY_CODE 8u
/* Offsets in the body of path, label, and first line (rb_iseq_location_t). */
#define RUBY_BODY_PATH 64u
#define RUBY_BODY_LABEL 80u
#define RUBY_BODY_FIRST_LINE 88u

/* Limits of the instructions and the lines of a sequence. */
#define INSTRUCTIONS_MAX (1u << 20)
#define LINES_MAX (1u << 20)

/* struct RBasic: the flags (include/ruby/internal/value_type.h, fl_type.h). */
#define TYPE_MASK 31u
#define TYPE_STRING 5u
#define TYPE_ARRAY 7u
#define FLAG_1 (1u << 13) /* strings: not embedded; arrays: embedded */
/* The length of an embedded string is in these bits. */
#define EMBEDDED_SHIFT 14u
#define EMBEDDED_MASK 31u
#define OBJECT_WORDS 16u /* embedded bytes or elements; length of others */
#define STRING_POINTER 24u
#define STRING_BYTES_SINCE_32 24u /* embedded */
#define ARRAY_POINTER 32u

#define LINE_SIZE 12u /* struct iseq_insn_info_entry: line, node, events */

/*
 * struct succ_index_table (iseq.c): the number of entries at or before a
 * position. The first positions have 7 bits each, 9 of them in a word; the
 * others are in blocks of bits.
 */
#define IMMEDIATE_POSITIONS 54u
#define IMMEDIATE_PER_WORD 9u
#define IMMEDIATE_BITS 7u
#define IMMEDIATE_WORDS (IMMEDIATE_POSITIONS / IMMEDIATE_PER_WORD)
#define BLOCK_POSITIONS 512u
struct index_block {
	uint32_t rank, unused;
	uint64_t small_ranks; /* of 64 positions each, 9 bits */
	uint64_t bits[BLOCK_POSITIONS / 64];
};

/* Appends the string at ADDRESS. */
static bool read_string(const struct ruby_layout *layout,
	struct process_memory *memory, uint64_t address, struct strbuf *out)
{
	uint64_t flags, n, at;

	if (!address || address & 7 ||
		!process_memory_u64(memory, address, &flags) ||
		(flags & TYPE_MASK) != TYPE_STRING)
		return false;
	n = flags >> EMBEDDED_SHIFT & EMBEDDED_MASK;
	at = address +
		(layout->is_since_32 ? STRING_BYTES_SINCE_32 : OBJECT_WORDS);
	if ((layout->is_since_32 || flags & FLAG_1) &&
		!process_memory_u64(memory, address + OBJECT_WORDS, &n))
		return false;
	if (flags & FLAG_1 &&
		!process_memory_u64(memory, address + STRING_POINTER, &at))
		return false;
	return code_objects_read_text(memory, at, n, out);
}

/* Appends the path: a string, or an array of the path and the real path. */
static bool read_path(const struct ruby_layout *layout,
	struct process_memory *memory, uint64_t address, struct strbuf *out)
{
	uint64_t flags, at = address + OBJECT_WORDS, path, real_path;

	if (!address || address & 7 ||
		!process_memory_u64(memory, address, &flags))
		return false;
	if ((flags & TYPE_MASK) != TYPE_ARRAY)
		return read_string(layout, memory, address, out);
	if (!(flags & FLAG_1) &&
		!process_memory_u64(memory, address + ARRAY_POINTER, &at))
		return false;
	if (!process_memory_u64(memory, at, &path) ||
		!process_memory_u64(memory, at + 8, &real_path))
		return false;
	/* The real path of code of eval() is nil. */
	return read_string(layout, memory, real_path, out) ||
		read_string(layout, memory, path, out);
}

static bool read_body(void *data, struct process_memory *memory,
	struct code_object *ret, struct strbuf *name, struct strbuf *file)
{
	const struct ruby_layout *layout = data;
	uint64_t path, label, line;

	if (!process_memory_u64(memory, ret->address + RUBY_BODY_PATH, &path) ||
		!process_memory_u64(
			memory, ret->address + RUBY_BODY_LABEL, &label) ||
		!process_memory_u64(
			memory, ret->address + RUBY_BODY_FIRST_LINE, &line) ||
		!read_string(layout, memory, label, name) ||
		!read_path(layout, memory, path, file))
		return false;
	/* The first line of a file is 0. Objects of integers have the lowest bit set. */
	if (layout->is_since_32)
		ret->first_line = MAX((uint32_t)line, 1u);
	else
		ret->first_line = line & 1 ? MAX((uint32_t)(line >> 1), 1u) : 0;
	return true;
}

/* Sets *RET to the number of entries at or before POSITION by the table at
 * INDEX. */
static bool find_rank(struct process_memory *memory, uint64_t index,
	uint64_t position, uint64_t *ret)
{
	uint64_t word, inner, small;
	struct index_block block;

	if (position < IMMEDIATE_POSITIONS) {
		if (!process_memory_u64(memory,
			    index + 8 * (position / IMMEDIATE_PER_WORD), &word))
			return false;
		*ret = word >> position % IMMEDIATE_PER_WORD * IMMEDIATE_BITS &
			((1u << IMMEDIATE_BITS) - 1);
		return true;
	}
	position -= IMMEDIATE_POSITIONS;
	if (!process_memory_read(memory,
		    index + 8 * IMMEDIATE_WORDS +
			    position / BLOCK_POSITIONS * sizeof(block),
		    &block, sizeof(block)))
		return false;
	inner = position % BLOCK_POSITIONS;
	small = inner / 64;
	*ret = block.rank +
		(small ? block.small_ranks >> (small - 1) * 9 & 0x1ff : 0) +
		(uint64_t)__builtin_popcountll(
			block.bits[small] << (63 - inner % 64));
	return true;
}

/* WHERE is the address of the next instruction. */
static uint32_t line_of(void *data, struct process_memory *memory,
	const struct code_object *object, uint64_t where)
{
	const struct ruby_layout *layout = data;
	uint64_t code, position, lines, index, rank = 1;
	uint32_t n, line;

	if (!process_memory_u64(
		    memory, object->address + RUBY_BODY_CODE, &code) ||
		!process_memory_u64(
			memory, object->address + layout->lines, &lines) ||
		!process_memory_u32(
			memory, object->address + layout->n_lines, &n) ||
		!process_memory_u64(
			memory, object->address + layout->index, &index))
		return 0;
	position = (where - code) / 8;
	position -= position > 0;
	if (!n || n > LINES_MAX || position > INSTRUCTIONS_MAX ||
		(n > 1 && !find_rank(memory, index, position, &rank)) ||
		!rank || rank > n ||
		!process_memory_u32(
			memory, lines + LINE_SIZE * (rank - 1), &line))
		return 0;
	return line;
}

/* --- the execution context ----------------------------------------------- */

/*
 * Finds the thread-local variable ruby_current_ec, which points to the
 * execution context of the current thread.
 */

/* Limit of the number of a module with thread-local variables. */
#define MODULES_MAX 4096u
/* Limit of the offset of a variable. */
#define OFFSET_MAX 65536u
/*
 * tcbhead_t of glibc on x86-64: the dynamic thread vector, whose entries have
 * 16 bytes (dtv_t in sysdeps/generic/dl-dtv.h).
 */
#define THREAD_DTV 8u
#define DTV_ENTRY 16u
/* The beginning of a function that is searched. */
#define CODE_BYTES 64u

/*
 * Finds the argument of __tls_get_addr() in FUNCTION: lea with a 32-bit
 * distance, with the prefix of the general dynamic model (ELF Handling For
 * Thread-Local Storage, 4.1.6).
 */
static bool find_argument(struct elf_file *file,
	const struct module_symbol *function, uint64_t *ret)
{
	static const uint8_t lea[] = { 0x66, 0x48, 0x8d, 0x3d };
	uint8_t code[CODE_BYTES];
	size_t n = elf_file_read(file, function->address, code, sizeof(code));
	int32_t distance;
	size_t i;

	for (i = 0; i + sizeof(lea) + sizeof(distance) <= n; i++) {
		if (memcmp(code + i, lea, sizeof(lea)) != 0)
			continue;
		memcpy(&distance, code + i + sizeof(lea), sizeof(distance));
		*ret = function->address + i + sizeof(lea) + sizeof(distance) +
			(uint64_t)(int64_t)distance;
		return true;
	}
	return false;
}

/* -------------------------------------------------------------------------- */

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
/* runtimes.c reads the description of each interpreter. */
_Static_assert(offsetof(struct ruby, description) == 0,
	"the description is the first member");

/* --- the probe ---------------------------------------------------------------- */

static enum runtime_state probe_ruby_symbols(
	const struct runtime_module *module,
	const struct module_symbols *symbols, struct process_memory *memory,
	void **ret, const char **reason_ret)
{
	const struct module_symbol *version =
		module_symbols_find(symbols, "ruby_version");
	const struct module_symbol *current =
		module_symbols_find(symbols, "rb_thread_current");
	const struct ruby_layout *layout = NULL;
	struct chain_runtime hops = { 0 };
	char text[VERSION_LENGTH + 1] = "";
	size_t i;

	/* The program "ruby" loads its library. */
	if (!version || !current)
		return RUNTIME_ABSENT;
	*reason_ret = "dwell knows Ruby 3.1 and 3.3 only";
	if (elf_file_read(module->file, version->address, text,
		    VERSION_LENGTH) != VERSION_LENGTH)
		return RUNTIME_REFUSED;
	for (i = 0; i < ARRAY_SIZE(layouts); i++)
		if (string_is(text, layouts[i].version))
			layout = &layouts[i];
	if (!layout)
		return RUNTIME_REFUSED;
	*reason_ret = "the thread-local variable of Ruby was not found: dwell "
		      "knows Ruby in a library, with glibc";
	/*
	 * The function rb_thread_current() reads the variable first. The search
	 * fails if the function does not call __tls_get_addr(), or the dynamic
	 * linker has not relocated the module yet.
	 */
	uint64_t argument, number, offset;
	if (!find_argument(module->file, current, &argument) ||
		!process_memory_u64(memory, argument + module->bias, &number) ||
		!process_memory_u64(
			memory, argument + module->bias + 8, &offset) ||
		!number || number > MODULES_MAX || offset > OFFSET_MAX)
		return RUNTIME_STARTING;
	hops.hops[0] = THREAD_DTV;
	hops.hops[1] = DTV_ENTRY * number;
	hops.hops[2] = offset;
	hops.n_hops = 3;
	const struct code_language language =
		(struct code_language){ RUNTIME_RUBY, read_body, line_of,
			(void *)layout };
	struct ruby *ruby = xcalloc(1, sizeof(*ruby));
	struct chain_runtime *list = &ruby->description.list;
	*list = hops;
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
	*ret = ruby;
	return RUNTIME_READY;
}

static void destroy_ruby(void *state)
{
	struct ruby *ruby = state;

	code_objects_destroy(ruby->codes);
	free(ruby);
}

/* --- frames --------------------------------------------------------------- */

static bool name_ruby_frame(void *state, struct process_memory *memory,
	struct runtime_functions *functions, const struct chain_linked *frame,
	struct interpreter_frame *ret)
{
	struct ruby *ruby = state;
	uint8_t mark = (uint8_t)(frame->cookie >> CHAIN_MARK_SHIFT);

	*ret = (struct interpreter_frame){ .ends_group = mark & IS_FINISH };
	if (!ruby->description.n_ranges && frame->code &&
		ruby->n_searches++ < SEARCHES_MAX) {
		struct interpreter *description = &ruby->description;
		/*
		 * The function that interprets contains the code of each
		 * instruction, and the instruction sequence contains the
		 * addresses of this code (direct threaded code).
		 */
		uint64_t code, address;
		size_t i;
		if (process_memory_u64(
			    memory, frame->code + RUBY_BODY_CODE, &code) &&
			process_memory_u64(memory, code, &address)) {
			for (i = 0; i < ruby->n_dispatchers; i++)
				if (address >= ruby->dispatchers[i].start &&
					address < ruby->dispatchers[i].end) {
					description->ranges[0] =
						ruby->dispatchers[i];
					description->n_ranges = 1;
				}
		}
	}
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
	.name = name_ruby_frame,
};

static const char *const prefixes[] = { "ruby_version", "rb_thread_current" };

const struct runtime_ops ruby_runtime = {
	.name = "ruby",
	.probe_symbols = probe_ruby_symbols,
	.prefixes = prefixes,
	.n_prefixes = ARRAY_SIZE(prefixes),
	.interpreter = &interpreter_ops,
	.destroy = destroy_ruby,
};
