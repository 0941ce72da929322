/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>

#include "common/util/alloc.h"
#include "record/runtimes/hotspot/hotspot_private.h"
#include "record/runtimes/interface/module_symbols.h"

/* Limits of the tables. For comparison: JDK 17 has 788 fields and 768 types. */
#define ENTRIES_MAX 8192u
#define STRIDE_MAX 128u
#define NAME_MAX_SIZE 128u

enum field_need {
	FIELD_REQUIRED, /* one of the rows of the member must be found */
	FIELD_OPTIONAL,
};

/*
 * A field of HotSpot, and the member of struct hotspot_layout that is set to the offset
 * of the field, or to the address of a static field. The name of a field differs
 * between versions. The fields are in vmStructs.cpp, and in vmStructs_x86.hpp before
 * JDK 9.
 */
struct wanted_field {
	const char *type, *field;
	size_t member;
	enum field_need need;
	const char *value; /* type of the field; NULL: any */
};

#define MEMBER(name) offsetof(struct hotspot_layout, name)

static const struct wanted_field wanted_fields[] = {
	{ "CodeCache", "_heap", MEMBER(code_cache_heap), FIELD_OPTIONAL },
	{ "CodeCache", "_heaps", MEMBER(code_cache_heaps), FIELD_OPTIONAL },
	{ "StubRoutines", "_call_stub_return_address",
		MEMBER(call_stub_return) },
	{ "Abstract_VM_Version", "_vm_major_version", MEMBER(major_version),
		FIELD_OPTIONAL },
	{ "GenericGrowableArray", "_len", MEMBER(array_len), FIELD_OPTIONAL },
	{ "GrowableArrayBase", "_len", MEMBER(array_len), FIELD_OPTIONAL },
	{ "GrowableArray<int>", "_data", MEMBER(array_data) },
	{ "CodeHeap", "_memory", MEMBER(heap_memory) },
	{ "CodeHeap", "_segmap", MEMBER(heap_segmap) },
	{ "CodeHeap", "_log2_segment_size", MEMBER(heap_log2) },
	{ "VirtualSpace", "_low_boundary", MEMBER(space_low) },
	{ "VirtualSpace", "_high_boundary", MEMBER(space_high) },
	{ "CodeBlob", "_name", MEMBER(blob_name) },
	{ "CodeBlob", "_frame_size", MEMBER(blob_frame_size) },
	{ "CodeBlob", "_code_begin", MEMBER(blob_begin), FIELD_OPTIONAL },
	{ "CodeBlob", "_code_end", MEMBER(blob_end), FIELD_OPTIONAL },
	{ "CodeBlob", "_code_offset", MEMBER(blob_code_offset),
		FIELD_OPTIONAL },
	{ "CodeBlob", "_data_offset", MEMBER(blob_data_offset),
		FIELD_OPTIONAL },
	{ "CodeBlob", "_frame_complete_offset", MEMBER(blob_frame_complete) },
	{ "CodeBlob", "_frame_complete_offset", MEMBER(blob_frame_complete_16),
		FIELD_OPTIONAL, "int16_t" },
	{ "CodeBlob", "_mutable_data", MEMBER(blob_mutable_data),
		FIELD_OPTIONAL },
	{ "CodeBlob", "_mutable_data_size", MEMBER(blob_mutable_size),
		FIELD_OPTIONAL },
	{ "CodeBlob", "_relocation_size", MEMBER(blob_relocation_size),
		FIELD_OPTIONAL },
	{ "CompiledMethod", "_method", MEMBER(nmethod_method) },
	{ "nmethod", "_method", MEMBER(nmethod_method) },
	{ "CompiledMethod", "_scopes_data_begin", MEMBER(nmethod_scopes),
		FIELD_OPTIONAL },
	{ "nmethod", "_scopes_data_offset", MEMBER(nmethod_scopes_offset),
		FIELD_OPTIONAL },
	{ "CompiledMethod", "_deopt_handler_begin", MEMBER(nmethod_deopt),
		FIELD_OPTIONAL },
	{ "nmethod", "_deoptimize_offset", MEMBER(nmethod_deopt_offset),
		FIELD_OPTIONAL },
	{ "nmethod", "_deopt_handler_offset", MEMBER(nmethod_deopt_offset),
		FIELD_OPTIONAL },
	{ "nmethod", "_deopt_handler_entry_offset",
		MEMBER(nmethod_deopt_offset), FIELD_OPTIONAL },
	{ "nmethod", "_compile_id", MEMBER(nmethod_compile_id) },
	{ "nmethod", "_orig_pc_offset", MEMBER(nmethod_orig_pc),
		FIELD_OPTIONAL },
	{ "nmethod", "_metadata_offset", MEMBER(nmethod_metadata),
		FIELD_OPTIONAL },
	{ "nmethod", "_dependencies_offset", MEMBER(nmethod_dependencies),
		FIELD_OPTIONAL },
	{ "nmethod", "_scopes_pcs_offset", MEMBER(nmethod_pcs) },
	{ "nmethod", "_immutable_data", MEMBER(nmethod_immutable_data),
		FIELD_OPTIONAL },
	{ "nmethod", "_immutable_data_size", MEMBER(nmethod_immutable_size),
		FIELD_OPTIONAL },
	{ "PcDesc", "_pc_offset", MEMBER(pc_desc_pc) },
	{ "PcDesc", "_scope_decode_offset", MEMBER(pc_desc_scope) },
	{ "Method", "_constMethod", MEMBER(method_const) },
	{ "ConstMethod", "_constants", MEMBER(const_constants) },
	{ "ConstMethod", "_code_size", MEMBER(const_code_size) },
	{ "ConstMethod", "_flags", MEMBER(const_flags), FIELD_OPTIONAL },
	{ "ConstMethod", "_flags._flags", MEMBER(const_flags), FIELD_OPTIONAL },
	{ "ConstMethod", "_name_index", MEMBER(const_name) },
	{ "ConstMethod", "_method_idnum", MEMBER(const_idnum) },
	{ "ConstantPool", "_pool_holder", MEMBER(pool_holder) },
	{ "ConstantPool", "_source_file_name_index", MEMBER(pool_source_file),
		FIELD_OPTIONAL },
	{ "InstanceKlass", "_source_file_name_index", MEMBER(klass_source_file),
		FIELD_OPTIONAL },
	{ "Klass", "_name", MEMBER(klass_name) },
	{ "InstanceKlass", "_methods", MEMBER(klass_methods) },
	{ "Symbol", "_length", MEMBER(symbol_length) },
	{ "Symbol", "_body", MEMBER(symbol_body) },
};

static const struct wanted_type {
	const char *type;
	size_t member;
} wanted_types[] = {
	{ "HeapBlock", MEMBER(size_heap_block) },
	{ "ConstMethod", MEMBER(size_const_method) },
	{ "ConstantPool", MEMBER(size_constant_pool) },
	{ "PcDesc", MEMBER(size_pc_desc) },
};

static uint64_t *layout_member(struct hotspot_layout *layout, size_t member)
{
	return (uint64_t *)((char *)layout + member);
}

/*
 * A table of HotSpot, with entries of .stride bytes. The last entry has no name. .entry
 * is the current entry, and .address the address of the next one.
 */
struct vm_table {
	const struct runtime_module *module;
	const struct module_symbols
		*symbols; /* of the variables of all tables */
	struct process_memory *memory;
	uint64_t address, stride;
	uint8_t entry[STRIDE_MAX];
};

/* Reads the 64-bit variable NAME of libjvm.so. */
static bool read_vm_variable(
	const struct vm_table *table, const char *name, uint64_t *ret)
{
	const struct module_symbol *symbol =
		module_symbols_find(table->symbols, name);

	return symbol &&
		process_memory_u64(table->memory,
			symbol->address + table->module->bias, ret);
}

static bool open_vm_table(
	struct vm_table *table, const char *start, const char *stride)
{
	return read_vm_variable(table, start, &table->address) &&
		read_vm_variable(table, stride, &table->stride) &&
		table->stride >= 16 && table->stride <= STRIDE_MAX;
}

static bool next_vm_entry(struct vm_table *table)
{
	bool is_read = process_memory_read(table->memory, table->address,
		table->entry, (size_t)table->stride);

	table->address += table->stride;
	return is_read;
}

/* Returns the 64-bit number at offset AT of the current entry. */
static uint64_t vm_entry_word(const struct vm_table *table, uint64_t at)
{
	uint64_t word = 0;

	if (at <= table->stride - sizeof(word))
		memcpy(&word, table->entry + at, sizeof(word));
	return word;
}

/* Reads the text to which the word at offset AT of the current entry points. */
static bool vm_entry_text(
	const struct vm_table *table, uint64_t at, char text[NAME_MAX_SIZE])
{
	uint64_t address = vm_entry_word(table, at);

	return address &&
		process_memory_text(
			table->memory, address, text, NAME_MAX_SIZE);
}

/* A field in HotSpot's table. .name and .value are "" if they are missing. */
struct vm_field {
	char type[NAME_MAX_SIZE], name[NAME_MAX_SIZE], value[NAME_MAX_SIZE];
	uint64_t offset, address; /* .address is 0 unless the field is static */
};
/* The offsets of the members of an entry of gHotSpotVMStructs. */
struct vm_field_columns {
	uint64_t type, name, value, offset, address;
};
/* Reads the next entry. Returns false at the end of the table. */
static bool next_vm_field(struct vm_table *table,
	const struct vm_field_columns *columns, struct vm_field *ret)
{
	bool is_wanted = false;
	size_t i;

	*ret = (struct vm_field){ 0 };
	if (!next_vm_entry(table) ||
		!vm_entry_text(table, columns->type, ret->type))
		return false;
	for (i = 0; i < ARRAY_SIZE(wanted_fields); i++)
		is_wanted |= string_is(wanted_fields[i].type, ret->type);
	if (!is_wanted)
		return true;
	if (!vm_entry_text(table, columns->name, ret->name))
		ret->name[0] = '\0';
	if (!vm_entry_text(table, columns->value, ret->value))
		ret->value[0] = '\0';
	ret->offset = vm_entry_word(table, columns->offset);
	ret->address = vm_entry_word(table, columns->address);
	return true;
}

static bool read_fields(struct vm_table *table, struct hotspot_layout *layout)
{
	struct vm_field_columns columns;
	struct vm_field field;
	size_t i, left;

	for (i = 0; i < ARRAY_SIZE(wanted_fields); i++)
		*layout_member(layout, wanted_fields[i].member) =
			HOTSPOT_NO_FIELD;
	if (!open_vm_table(table, "gHotSpotVMStructs",
		    "gHotSpotVMStructEntryArrayStride") ||
		!read_vm_variable(table, "gHotSpotVMStructEntryTypeNameOffset",
			&columns.type) ||
		!read_vm_variable(table, "gHotSpotVMStructEntryFieldNameOffset",
			&columns.name) ||
		!read_vm_variable(table, "gHotSpotVMStructEntryOffsetOffset",
			&columns.offset) ||
		!read_vm_variable(table, "gHotSpotVMStructEntryAddressOffset",
			&columns.address))
		return false;
	/* If the table has no types of fields, rows with a type do not match. */
	if (!read_vm_variable(table, "gHotSpotVMStructEntryTypeStringOffset",
		    &columns.value))
		columns.value = UINT64_MAX;
	for (left = ENTRIES_MAX; left && next_vm_field(table, &columns, &field);
		left--)
		for (i = 0; i < ARRAY_SIZE(wanted_fields); i++) {
			const struct wanted_field *wanted = &wanted_fields[i];

			if (string_is(wanted->type, field.type) &&
				string_is(wanted->field, field.name) &&
				(!wanted->value ||
					string_is(wanted->value, field.value)))
				*layout_member(layout, wanted->member) =
					field.address ? field.address
						      : field.offset;
		}
	for (i = 0; i < ARRAY_SIZE(wanted_fields); i++)
		if (wanted_fields[i].need == FIELD_REQUIRED &&
			!hotspot_has_field(*layout_member(
				layout, wanted_fields[i].member)))
			return false;
	return true;
}

static bool read_types(struct vm_table *table, struct hotspot_layout *layout)
{
	uint64_t name_at, size_at;
	char name[NAME_MAX_SIZE];
	size_t i, k, n = 0;

	if (!open_vm_table(table, "gHotSpotVMTypes",
		    "gHotSpotVMTypeEntryArrayStride") ||
		!read_vm_variable(
			table, "gHotSpotVMTypeEntryTypeNameOffset", &name_at) ||
		!read_vm_variable(
			table, "gHotSpotVMTypeEntrySizeOffset", &size_at))
		return false;
	for (i = 0; i < ENTRIES_MAX && next_vm_entry(table) &&
		vm_entry_text(table, name_at, name);
		i++)
		for (k = 0; k < ARRAY_SIZE(wanted_types); k++)
			if (string_is(wanted_types[k].type, name)) {
				*layout_member(layout, wanted_types[k].member) =
					vm_entry_word(table, size_at);
				n++;
			}
	return n == ARRAY_SIZE(wanted_types);
}

static void read_constants(
	struct vm_table *table, struct hotspot_layout *layout)
{
	uint64_t name_at, value_at;
	char name[NAME_MAX_SIZE];
	size_t i;

	layout->flag_has_lines = 1;
	if (!open_vm_table(table, "gHotSpotVMIntConstants",
		    "gHotSpotVMIntConstantEntryArrayStride") ||
		!read_vm_variable(table, "gHotSpotVMIntConstantEntryNameOffset",
			&name_at) ||
		!read_vm_variable(table,
			"gHotSpotVMIntConstantEntryValueOffset", &value_at))
		return;
	for (i = 0; i < ENTRIES_MAX && next_vm_entry(table) &&
		vm_entry_text(table, name_at, name);
		i++)
		if (string_is(name, "ConstMethod::_has_linenumber_table") ||
			string_is(name,
				"ConstMethodFlags::_misc_has_linenumber_table"))
			layout->flag_has_lines =
				(uint32_t)vm_entry_word(table, value_at);
}

enum runtime_state hotspot_layout_read(const struct runtime_module *module,
	struct process_memory *memory, struct hotspot_layout *ret,
	const char **reason_ret)
{
	static const char *const prefixes[] = { "gHotSpotVM" };
	struct vm_table table = { .module = module, .memory = memory };
	enum runtime_state state;

	state = module_symbols_get(module->file, prefixes, ARRAY_SIZE(prefixes),
		&table.symbols, reason_ret);
	if (state == RUNTIME_READY) {
		*reason_ret =
			"dwell cannot read the structures of this version of "
			"the Java virtual machine";
		state = RUNTIME_REFUSED;
		if (read_fields(&table, ret) && read_types(&table, ret)) {
			read_constants(&table, ret);
			state = hotspot_version_set(memory, ret, reason_ret);
		}
	}
	module_symbols_release(table.symbols);
	return state;
}
