/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Included only by the files of record/runtimes/hotspot. */
#ifndef DWELL_RECORD_RUNTIMES_HOTSPOT_HOTSPOT_PRIVATE_H
#define DWELL_RECORD_RUNTIMES_HOTSPOT_HOTSPOT_PRIVATE_H

#include "common/util/array.h"
#include "common/util/hash.h"
#include "record/runtimes/interface/runtime.h"

/* The value of a member of struct hotspot_layout if the version has no such field. */
#define HOTSPOT_NO_FIELD UINT64_MAX

/*
 * Offsets of fields and sizes of types, in bytes, and addresses of static fields, from
 * HotSpot's tables. The names of the members contain the type and the field. If only
 * some versions of the JDK have a field, a comment contains the versions, or the first
 * one, in parentheses.
 */
struct hotspot_layout {
	/* addresses of static fields: one heap (8), or an array of heaps (9) */
	uint64_t code_cache_heap, code_cache_heaps;
	uint64_t call_stub_return, major_version;
	uint64_t array_len, array_data;
	uint64_t heap_memory, heap_segmap, heap_log2;
	uint64_t space_low, space_high;
	uint64_t blob_name, blob_frame_size;
	uint64_t blob_begin, blob_end;		     /* addresses (9 to 22) */
	uint64_t blob_code_offset, blob_data_offset; /* offsets (8, 23) */
	uint64_t blob_frame_complete;
	uint64_t blob_frame_complete_16; /* the same field, of 16 bits (23) */
	uint64_t blob_mutable_data, blob_mutable_size; /* (25) */
	uint64_t blob_relocation_size;
	uint64_t nmethod_method, nmethod_compile_id, nmethod_orig_pc;
	uint64_t nmethod_deopt;				 /* address (9 to 22) */
	uint64_t nmethod_deopt_offset;			 /* offset (8, 23) */
	uint64_t nmethod_scopes;			 /* address (9 to 22) */
	uint64_t nmethod_scopes_offset;			 /* offset (8, 23) */
	uint64_t nmethod_metadata, nmethod_dependencies; /* (8 to 22) */
	uint64_t nmethod_pcs;
	uint64_t nmethod_immutable_data, nmethod_immutable_size; /* (23) */
	uint64_t pc_desc_pc, pc_desc_scope;
	uint64_t method_const;
	uint64_t const_constants, const_code_size, const_flags, const_name,
		const_idnum;
	uint64_t pool_holder;
	uint64_t pool_source_file;  /* (17) */
	uint64_t klass_source_file; /* (8, 11) */
	uint64_t klass_name, klass_methods;
	uint64_t symbol_length, symbol_body;
	uint64_t size_heap_block, size_const_method, size_constant_pool,
		size_pc_desc;
	uint64_t flag_has_lines; /* bit of const_flags: the method has lines */
	/* UNSIGNED5 numbers do not contain a byte of value 0 (20) */
	bool excludes_zero;
	/*
	 * In a frame of the interpreter, the offset from rbp of the address of the
	 * current bytecode.
	 */
	int64_t interpreter_bcp;
};

/*
 * Returns true if the version of HotSpot has the field of OFFSET, a member of struct
 * hotspot_layout.
 */
static inline bool hotspot_has_field(uint64_t offset)
{
	return offset != HOTSPOT_NO_FIELD;
}

/*
 * Reads the tables of MODULE. If the result is RUNTIME_REFUSED, *REASON_RET is a constant
 * text. Tables that are not initialized yet are refused, too.
 */
enum runtime_state hotspot_layout_read(const struct runtime_module *module,
	struct process_memory *memory, struct hotspot_layout *ret,
	const char **reason_ret);
/*
 * Sets the members of LAYOUT that depend on the version of the JDK and that no table
 * contains. The result is RUNTIME_STARTING if the process has not set its version yet. If
 * it is RUNTIME_REFUSED, *REASON_RET is a constant text.
 */
enum runtime_state hotspot_version_set(struct process_memory *memory,
	struct hotspot_layout *layout, const char **reason_ret);

/* A code heap: a range of the code cache. */
struct hotspot_heap {
	uint64_t low, high; /* addresses of code */
	uint64_t
		segments; /* address of the segment map, one byte per segment */
	uint32_t log2_segment_size;
};
#define HOTSPOT_HEAPS_MAX 8u

enum hotspot_blob_kind {
	HOTSPOT_INTERPRETER,
	HOTSPOT_COMPILED, /* a compiled method, or the wrapper of a native one */
	HOTSPOT_STUBS,
	HOTSPOT_ADAPTERS,   /* code without a frame of its own */
	HOTSPOT_OTHER_CODE, /* code with a frame of a fixed size */
};

/* Number of bytes of code that are kept of each blob. */
#define HOTSPOT_PROLOGUE 64u

/* A piece of code in the code cache (class CodeBlob). */
struct hotspot_blob {
	uint64_t address;    /* of the CodeBlob */
	uint64_t begin, end; /* addresses of the code */
	uint64_t name_at;
	uint32_t frame_size; /* in words, with the return address */
	uint32_t
		frame_complete; /* offset of the end of the prologue from .begin */
	uint32_t compile_id;
	uint32_t
		function; /* runtime_functions_add(), for code that is no method */
	enum hotspot_blob_kind kind;
	uint64_t checked; /* number of the batch of the last comparison */
	uint8_t prologue[HOTSPOT_PROLOGUE];
	/* of HOTSPOT_COMPILED: */
	uint64_t method, deopt;
	uint32_t
		orig_pc; /* offset from sp of the pc that deoptimization saved */
	uint8_t *tables; /* owned: metadata, then scopes, then PcDescs */
	size_t n_metadata, scopes_size, n_pcs; /* words, bytes, PcDescs */
};

/*
 * A PcDesc: the scope of the code that ends at .pc. The offset .pc is from blob->begin,
 * and .scope from the start of the scopes, both in bytes.
 */
struct hotspot_pc_desc {
	int32_t pc, scope;
};

/* A Java method. */
struct hotspot_method {
	uint64_t address; /* of the Method */
	uint64_t const_method, constants, klass, klass_name;
	uint32_t code_size, name_index;
	uint16_t
		index; /* usually the index in the list of methods of its class */
	uint32_t function; /* of runtime_functions_add() */
	uint64_t checked;  /* number of the batch of the last comparison */
	bool is_listed;	   /* the class lists the method */
	uint64_t listed_checked; /* number of the batch that set .is_listed */
	bool excludes_zero;	 /* layout.excludes_zero, for .lines */
	uint8_t *lines;		 /* owned: compressed line numbers, or NULL */
	size_t lines_size;
};

struct hotspot {
	struct hotspot_layout layout;
	struct hotspot_heap heaps[HOTSPOT_HEAPS_MAX];
	size_t n_heaps;
	uint64_t call_stub_return; /* return address in the call stub */
	uint64_t batch;		   /* number of the batch of samples, from 1 */
	ARRAY(struct hotspot_blob *) blobs;
	struct hash_index blobs_by_address;
	size_t tables_size; /* bytes of all .tables */
	ARRAY(struct hotspot_method *) methods;
	struct hash_index methods_by_address;
};

/* Arguments of runtime_ops.step, borrowed for one call. */
struct hotspot_view {
	struct hotspot *hotspot;
	struct process_memory *memory;
	struct runtime_functions *functions;
};

/* Returns true if PC is in the code cache. */
bool hotspot_has_code(const struct hotspot *hotspot, uint64_t pc);
/*
 * Returns the blob with PC in its code, valid until the next call. Returns NULL if
 * no blob contains PC, or if the blob cannot be read.
 */
const struct hotspot_blob *hotspot_find_blob(
	const struct hotspot_view *view, uint64_t pc);
void hotspot_free_blobs(struct hotspot *hotspot);

/*
 * Reads the tables of the compiled method BLOB to blob->tables, which BLOB owns.
 * Returns false if the tables are not plausible; blob->tables can be set then, too.
 */
bool hotspot_read_tables(
	const struct hotspot_view *view, struct hotspot_blob *blob);
/* Return a table of the compiled method BLOB, borrowed. */
const uint8_t *hotspot_metadata(const struct hotspot_blob *blob);
const uint8_t *hotspot_scopes(const struct hotspot_blob *blob);
/* Returns the PcDesc number I of BLOB. I is less than blob->n_pcs. */
struct hotspot_pc_desc hotspot_pc_desc(const struct hotspot_layout *layout,
	const struct hotspot_blob *blob, size_t i);

/*
 * Returns the method at ADDRESS, valid until the next call, or NULL if its data cannot
 * be read. ADDRESS must be from the metadata of compiled code, which refer to methods.
 */
const struct hotspot_method *hotspot_find_method(
	const struct hotspot_view *view, uint64_t address);
/*
 * The same for an ADDRESS that may not be that of a method. Also returns NULL if the
 * class does not list the method. Methods that the Java virtual machine generates are
 * in no list.
 */
const struct hotspot_method *hotspot_find_listed_method(
	const struct hotspot_view *view, uint64_t address);
/*
 * Returns the source line of the bytecode at BCI, an offset in the bytecodes of METHOD
 * in bytes, or 0 if the line is unknown.
 */
uint32_t hotspot_line(const struct hotspot_method *method, uint32_t bci);
void hotspot_free_methods(struct hotspot *hotspot);
/*
 * Reads a number in the format UNSIGNED5 of HotSpot (unsigned5.hpp) from the SIZE BYTES
 * at offset *AT, and advances *AT. EXCLUDES_ZERO selects the format without bytes of
 * value 0. Returns false if the bytes end before the number, or if a byte is not valid.
 */
bool hotspot_unsigned5(const uint8_t *bytes, size_t size, bool excludes_zero,
	size_t *at, uint32_t *ret);

/* How much of its frame a compiled method has made. */
enum hotspot_progress {
	HOTSPOT_FRAME_NONE,	 /* not made yet, or removed */
	HOTSPOT_FRAME_PUSHED_FP, /* only rbp is pushed */
	HOTSPOT_FRAME_UNSAVED,	 /* made, but rbp is not saved yet */
	HOTSPOT_FRAME_COMPLETE,
};

/* Returns the state of FRAME, a frame of the compiled method BLOB, at its pc. */
enum hotspot_progress hotspot_frame_progress(const struct hotspot_view *view,
	const struct hotspot_blob *blob, const struct runtime_frame *frame);

/*
 * Appends the functions at PC in the compiled method BLOB to RET, innermost first.
 * IS_EXACT: PC is not a return address. Returns false if the data are not plausible.
 */
bool hotspot_add_compiled(const struct hotspot_view *view,
	const struct hotspot_blob *blob, uint64_t pc, bool is_exact,
	struct runtime_step *ret);

/* Implements runtime_ops.step. */
enum runtime_result hotspot_step(const struct hotspot_view *view,
	const struct runtime_frame *frame, struct runtime_step *ret);

#endif
