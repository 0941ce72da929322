/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/v8/v8_layout.h"

#include <elf.h>
#include <pthread.h>

#include "record/sys/file_identity.h"
#include "record/runtimes/interface/module_symbols.h"

/* Limits of the data of one file, and of the number of files. */
#define BUILTINS_MAX 8192u
#define BUILTINS_CODE_MAX MIB(32)
#define CONSTANTS_MAX 4096u
#define LAYOUTS_MAX 64u
/* Limit of the value of an offset, index or type. */
#define VALUE_MAX 65535

#define PREFIX_BUILTIN "Builtins_"
#define PREFIX_CONSTANT "v8dbg_"
/* const uint8_t v8::internal::interpreter::Bytecodes::kBytecodeSizes[3][n] */
#define SYMBOL_BYTECODE_SIZES \
	"_ZN2v88internal11interpreter9Bytecodes14kBytecodeSizesE"

/* A constant of V8; .name is without "v8dbg_". */
struct v8_constant {
	const char *name; /* borrowed from the file */
	int32_t value;
};
struct v8_constants {
	ARRAY(struct v8_constant) list;
};

#define NAMES_MAX 5u
/* Value of .otherwise: the layout is refused if the constant is missing. */
#define REQUIRED INT32_MIN

/* A member of struct v8_layout, and the names of its constant in different versions. */
struct layout_row {
	size_t member;
	int32_t otherwise; /* value if there is no constant */
	const char *names[NAMES_MAX];
};
#define ROW(member, otherwise, ...)                            \
	{                                                      \
		offsetof(struct v8_layout, member), otherwise, \
		{                                              \
			__VA_ARGS__                            \
		}                                              \
	}

static const struct layout_row layout_rows[] = {
	ROW(map_type, REQUIRED, "class_Map__instance_type__uint16_t"),
	ROW(function_shared, REQUIRED,
		"class_JSFunction__shared__SharedFunctionInfo"),
	ROW(shared_name, REQUIRED,
		"class_SharedFunctionInfo__name_or_scope_info__Object",
		"class_SharedFunctionInfo__name_or_scope_info__Tagged_Object_",
		"class_SharedFunctionInfo__name_or_scope_info__"
		"Tagged_NameOrScopeInfoT_"),
	ROW(shared_script, REQUIRED,
		"class_SharedFunctionInfo__script_or_debug_info__HeapObject",
		"class_SharedFunctionInfo__script__Tagged_HeapObject_",
		"class_SharedFunctionInfo__raw_script__Tagged_Object_"),
	ROW(shared_token, 0,
		"class_SharedFunctionInfo__raw_function_token_offset__int16_t"),
	ROW(script_source, REQUIRED, "class_Script__source__Object"),
	ROW(script_name, REQUIRED, "class_Script__name__Object"),
	ROW(string_length, REQUIRED, "class_String__length__int32_t"),
	ROW(string_chars, REQUIRED, "class_SeqOneByteString__chars__char"),
	ROW(scope_first, REQUIRED, "scopeinfo_idx_first_vars"),
	ROW(scope_locals, REQUIRED, "scopeinfo_idx_ncontextlocals"),
	ROW(bytecode_first, REQUIRED, "class_BytecodeArray__data__uintptr_t"),
	ROW(kind_baseline, REQUIRED, "CodeKindBaseline"),
	/* The defaults are the indexes of V8 10, which has no such constants. */
	ROW(deopt_literals, 2, "DeoptimizationDataLiteralArrayIndex"),
	ROW(deopt_shared, 6, "DeoptimizationDataSharedFunctionInfoIndex",
		"DeoptimizationDataWrappedSharedFunctionInfoIndex"),
	ROW(deopt_inlining, 7, "DeoptimizationDataInliningPositionsIndex"),
	ROW(type_shared, REQUIRED,
		"type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE"),
	ROW(type_script, REQUIRED, "type_Script__SCRIPT_TYPE"),
	ROW(type_scope, REQUIRED, "type_ScopeInfo__SCOPE_INFO_TYPE"),
	ROW(type_bytecode, REQUIRED, "type_BytecodeArray__BYTECODE_ARRAY_TYPE"),
	ROW(type_code, REQUIRED, "type_Code__CODE_TYPE"),
	ROW(type_stream, -1, "type_InstructionStream__INSTRUCTION_STREAM_TYPE"),
	ROW(type_bytes, REQUIRED, "type_ByteArray__BYTE_ARRAY_TYPE"),
	ROW(type_trusted_bytes, -1,
		"type_TrustedByteArray__TRUSTED_BYTE_ARRAY_TYPE"),
	ROW(type_wrapper, -1,
		"type_SharedFunctionInfoWrapper__"
		"SHARED_FUNCTION_INFO_WRAPPER_TYPE"),
	ROW(type_oddball, REQUIRED, "type_Oddball__ODDBALL_TYPE"),
	ROW(type_function_first, REQUIRED, "FirstJSFunctionType",
		"type_JSFunction__JS_FUNCTION_TYPE"),
	ROW(type_function_last, -1, "LastJSFunctionType"),
	ROW(fp_function, REQUIRED, "off_fp_function"),
	ROW(fp_context, REQUIRED, "off_fp_context"),
	ROW(fp_bytecode, REQUIRED, "off_fp_bytecode_array"),
	ROW(fp_bytecode_offset, REQUIRED, "off_fp_bytecode_offset"),
};

/* Constants whose values the code of this folder assumes. */
static const struct v8_constant fixed_constants[] = {
	{ "HeapObjectTag", 1 },
	{ "HeapObjectTagMask", 3 },
	{ "SmiTag", 0 },
	{ "SmiTagMask", 1 },
	{ "SmiShiftSize", 31 },
	{ "TaggedSize", 8 },
	{ "off_fp_context", -8 },
	{ "off_fp_function", -16 },
	{ "FirstNonstringType", 128 },
	{ "StringRepresentationMask", 7 },
	{ "StringEncodingMask", 8 },
	{ "OneByteStringTag", 8 },
	{ "SeqStringTag", 0 },
	{ "ConsStringTag", 1 },
	{ "SlicedStringTag", 3 },
	{ "ThinStringTag", 5 },
};

static bool find_constant(
	const struct v8_constants *constants, const char *name, int32_t *ret)
{
	array_each(&constants->list, constant)
		if (string_is(constant->name, name)) {
			*ret = constant->value;
			return true;
		}
	return false;
}

/* --- constants -------------------------------------------------------------- */

static bool has_fixed_constants(const struct v8_constants *constants)
{
	size_t i;
	int32_t value;

	for (i = 0; i < ARRAY_SIZE(fixed_constants); i++)
		if (!find_constant(
			    constants, fixed_constants[i].name, &value) ||
			value != fixed_constants[i].value)
			return false;
	return true;
}

/*
 * Sets the offsets of the fields of Code. V8 12 and later export them, except
 * deoptimization_data and source_position_table, which follow the Map. V8 11 exports
 * only these two; the other offsets are from its src/objects/code.h. In V8 10, the Code
 * object and the instructions are one object.
 */
static bool read_code_layout(
	const struct v8_constants *constants, struct v8_layout *layout)
{
	layout->code_deopt = 16;
	layout->code_positions = 24;
	if (layout->type_stream < 0) {
		layout->type_stream = layout->type_code;
		layout->is_code_inline = true;
		return find_constant(constants,
			       "class_Code__instruction_start__uintptr_t",
			       &layout->code_start) &&
			find_constant(constants, "class_Code__flags__uint32_t",
				&layout->code_flags) &&
			find_constant(constants,
				"class_Code__instruction_size__int",
				&layout->code_size);
	}
	if (find_constant(constants, "class_Code__instruction_start__Address",
		    &layout->code_start)) {
		layout->code_deopt = 8;
		layout->code_positions = 16;
		return find_constant(constants, "class_Code__flags__uint32_t",
			       &layout->code_flags) &&
			find_constant(constants,
				"class_Code__instruction_size__int",
				&layout->code_size);
	}
	layout->code_start = 40;
	layout->code_flags = 48;
	layout->code_size = 56;
	return find_constant(constants,
		       "class_Code__deoptimization_data__FixedArray",
		       &layout->code_deopt) &&
		find_constant(constants,
			"class_Code__source_position_table__ByteArray",
			&layout->code_positions);
}

static bool read_constants(
	const struct v8_constants *constants, struct v8_layout *layout)
{
	int32_t ignored;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(layout_rows); i++) {
		const struct layout_row *row = &layout_rows[i];
		int32_t value = row->otherwise;

		for (k = 0; k < NAMES_MAX && row->names[k]; k++)
			if (find_constant(constants, row->names[k], &value))
				break;
		if (value == REQUIRED || value > VALUE_MAX ||
			value < -VALUE_MAX)
			return false;
		memcpy((char *)layout + row->member, &value, sizeof(value));
	}
	/* The types of subclasses follow JSFunction: constructors of builtin types. */
	if (layout->type_function_last < layout->type_function_first)
		layout->type_function_last = layout->type_function_first + 14;
	/* In trusted BytecodeArrays, one field less precedes the position table. */
	layout->bytecode_positions =
		find_constant(constants,
			"class_BytecodeArray__wrapper__Tagged_BytecodeWrapper_",
			&ignored)
		? 24
		: 32;
	return read_code_layout(constants, layout);
}

/* --- builtins --------------------------------------------------------------- */

static int compare_builtins(const void *a, const void *b)
{
	const struct v8_builtin *x = a, *y = b;

	return COMPARE(x->start, y->start);
}

/* Reads the code of the builtins, and sets their ends and their sites. */
static bool finish_builtins(struct elf_file *file, struct v8_layout *layout)
{
	size_t n = layout->builtins.n, i, size;
	struct v8_builtin *list = layout->builtins.at;

	if (!n)
		return false;
	array_sort(&layout->builtins, compare_builtins);
	for (i = 0; i + 1 < n; i++)
		list[i].end = list[i + 1].start;
	if (list[n - 1].end <= list[n - 1].start)
		list[n - 1].end = list[n - 1].start + 4096;
	layout->builtins_start = list[0].start;
	layout->builtins_end = list[n - 1].end;
	if (layout->builtins_end - layout->builtins_start > BUILTINS_CODE_MAX)
		return false;
	size = (size_t)(layout->builtins_end - layout->builtins_start);
	layout->builtins_code = xmalloc(size);
	if (elf_file_read(file, layout->builtins_start, layout->builtins_code,
		    size) != size)
		return false;
	for (i = 0; i < n; i++)
		v8_builtin_find_sites(&list[i],
			layout->builtins_code +
				(list[i].start - layout->builtins_start),
			(size_t)(list[i].end - list[i].start));
	return true;
}

static bool find_builtins_offset(
	struct elf_file *file, struct v8_layout *layout)
{
	struct elf_segment segments[16];
	size_t n = elf_file_segments(file, segments, ARRAY_SIZE(segments));

	return elf_segments_offset(
		segments, n, layout->builtins_start, &layout->builtins_offset);
}

/* --- layouts ---------------------------------------------------------------- */

static void free_layout(struct v8_layout *layout)
{
	if (!layout)
		return;
	array_each(&layout->builtins, builtin)
		free(builtin->name);
	array_free(&layout->builtins);
	free(layout->builtins_code);
	free(layout);
}

static void read_bytecode_sizes(struct elf_file *file,
	const struct module_symbol *symbol, struct v8_bytecode_sizes *ret)
{
	size_t n = (size_t)symbol->size / 3, i;

	if (!string_is(symbol->name, SYMBOL_BYTECODE_SIZES) ||
		symbol->size % 3 || n > V8_BYTECODE_KINDS_MAX)
		return;
	for (i = 0; i < 3; i++)
		if (elf_file_read(file, symbol->address + i * n, ret->size[i],
			    n) != n)
			return;
	ret->n = n;
}

static const char *read_layout(struct elf_file *file,
	const struct module_symbols *symbols, struct v8_layout *layout)
{
	struct v8_constants constants = { 0 };
	const char *reason = NULL;

	array_each(&symbols->list, symbol) {
		const char *name = symbol->name;
		int32_t value = 0;
		if (string_starts(name, PREFIX_CONSTANT) &&
			constants.list.n < CONSTANTS_MAX) {
			/* A constant of 0 is in .bss, which the file does not contain. */
			if (elf_file_read(file, symbol->address, &value,
				    sizeof(value)) != sizeof(value))
				value = 0;
			*array_push(&constants.list) = (struct v8_constant){
				name + strlen(PREFIX_CONSTANT), value
			};
		}
		if (string_starts(name, PREFIX_BUILTIN) &&
			layout->builtins.n < BUILTINS_MAX) {
			name += strlen(PREFIX_BUILTIN);
			*array_push(&layout->builtins) = (struct v8_builtin){
				.start = symbol->address,
				.end = symbol->address + symbol->size,
				.name = xstrdup(name),
				.kind = v8_builtin_kind_of(name),
			};
		}
		read_bytecode_sizes(file, symbol, &layout->bytecode_sizes);
	}
	if (!constants.list.n)
		reason = "V8's symbols (v8dbg_...) are missing";
	else if (!has_fixed_constants(&constants) ||
		!read_constants(&constants, layout))
		reason = "dwell cannot read this version of V8";
	else if (!finish_builtins(file, layout) ||
		!find_builtins_offset(file, layout) ||
		!elf_file_code(file, &layout->text_start, &layout->text_end))
		reason = "V8's symbols (Builtins_...) are missing";
	array_free(&constants.list);
	return reason;
}

/* The layouts of files. .layout is NULL if the file was refused for .reason. */
static struct {
	pthread_mutex_t lock;
	size_t n;
	struct known_layout {
		struct file_identity file;
		struct v8_layout *layout;
		const char *reason;
		unsigned n_users;
	} list[LAYOUTS_MAX];
} known_layouts = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct known_layout *find_or_make_layout(
	struct elf_file *file, const struct file_identity *identity)
{
	static const char *const prefixes[] = { PREFIX_CONSTANT, PREFIX_BUILTIN,
		SYMBOL_BYTECODE_SIZES };
	const struct module_symbols *symbols;
	struct known_layout *place = NULL;
	size_t i;

	for (i = 0; i < known_layouts.n; i++)
		if (file_identity_equal(&known_layouts.list[i].file, identity))
			return &known_layouts.list[i];
	if (known_layouts.n < LAYOUTS_MAX)
		place = &known_layouts.list[known_layouts.n++];
	for (i = 0; i < LAYOUTS_MAX && !place; i++)
		if (!known_layouts.list[i].n_users)
			place = &known_layouts.list[i];
	if (!place)
		return NULL;
	free_layout(place->layout);
	*place = (struct known_layout){ .file = *identity };
	place->layout = xcalloc(1, sizeof(*place->layout));
	if (module_symbols_get(file, prefixes, ARRAY_SIZE(prefixes), &symbols,
		    &place->reason) == RUNTIME_READY)
		place->reason = read_layout(file, symbols, place->layout);
	module_symbols_release(symbols);
	if (place->reason) {
		free_layout(place->layout);
		place->layout = NULL;
	}
	return place;
}

const struct v8_layout *v8_layout_get(
	struct elf_file *file, const char **reason_ret)
{
	struct known_layout *known;
	struct file_identity identity;

	*reason_ret = "the file of the runtime cannot be read";
	if (!file_identity_read(elf_file_fd(file), &identity))
		return NULL;
	*reason_ret = "too many files of V8 are in use at the same time";
	pthread_mutex_lock(&known_layouts.lock);
	known = find_or_make_layout(file, &identity);
	if (known) {
		*reason_ret = known->reason;
		known->n_users += known->layout != NULL;
	}
	pthread_mutex_unlock(&known_layouts.lock);
	return known ? known->layout : NULL;
}

void v8_layout_release(const struct v8_layout *layout)
{
	size_t i;

	pthread_mutex_lock(&known_layouts.lock);
	for (i = 0; layout && i < known_layouts.n; i++)
		if (known_layouts.list[i].layout == layout)
			known_layouts.list[i].n_users--;
	pthread_mutex_unlock(&known_layouts.lock);
}

const struct v8_builtin *v8_layout_builtin(
	const struct v8_layout *layout, uint64_t address)
{
	size_t n;

	if (address < layout->builtins_start || address >= layout->builtins_end)
		return NULL;
	n = array_count_before(
		&layout->builtins, builtin, builtin->start <= address);
	return n ? &layout->builtins.at[n - 1] : NULL;
}
