/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of V8's data in a file, a program or library: offsets and numbers
 * from the constants "v8dbg_..." that V8 exports for debuggers
 * (tools/gen-postmortem-metadata.py of V8), and the builtins, which are the
 * functions "Builtins_...". A file is read once, and its layout is kept until
 * another file needs the memory.
 *
 * Thread-safe.
 */
#ifndef DWELL_RECORD_RUNTIMES_V8_V8_LAYOUT_H
#define DWELL_RECORD_RUNTIMES_V8_V8_LAYOUT_H

#include "common/elf/elf.h"
#include "common/util/array.h"
#include "record/runtimes/v8/v8_baseline.h"
#include "record/runtimes/v8/v8_builtin.h"

/* Offsets are in bytes from the start of an object, without its tag. */
struct v8_layout {
	int32_t map_type; /* Map: instance type, u16 */
	int32_t function_shared;
	int32_t shared_name, shared_script;
	int32_t shared_token; /* u16; 0: V8 has no such constant */
	int32_t script_source, script_name;
	int32_t string_length, string_chars;
	int32_t scope_first, scope_locals; /* indexes of words after the map */
	int32_t bytecode_first, bytecode_positions;
	int32_t code_deopt, code_positions, code_start, code_flags, code_size;
	/* the instructions are in the Code object, at the offset code_start */
	bool is_code_inline;
	int32_t kind_baseline; /* larger kinds are optimized code */
	int32_t deopt_literals, deopt_shared, deopt_inlining; /* indexes */
	/* instance types; -1: V8 has no such type */
	int32_t type_shared, type_script, type_scope, type_bytecode, type_code;
	int32_t type_stream; /* of the object that contains the instructions */
	int32_t type_bytes, type_trusted_bytes, type_wrapper, type_oddball;
	int32_t type_function_first, type_function_last;
	/* offsets from the frame pointer */
	int32_t fp_function, fp_context, fp_bytecode, fp_bytecode_offset;
	struct v8_bytecode_sizes bytecode_sizes;
	uint64_t text_start, text_end;	   /* linked addresses of all code */
	ARRAY(struct v8_builtin) builtins; /* sorted by .start */
	uint64_t builtins_start, builtins_end; /* linked addresses */
	uint64_t builtins_offset; /* file offset of builtins_start */
	uint8_t *builtins_code; /* owned; from builtins_start to builtins_end */
};

/*
 * Returns the layout of FILE, which the caller releases with
 * v8_layout_release(). Returns NULL if FILE is refused; *REASON_RET is a
 * constant text then. Other processes with the same file get the same layout.
 */
const struct v8_layout *v8_layout_get(
	struct elf_file *file, const char **reason_ret);
/* Releases LAYOUT, which may be NULL. */
void v8_layout_release(const struct v8_layout *layout);
/* Returns the builtin that contains the linked ADDRESS, or NULL. */
const struct v8_builtin *v8_layout_builtin(
	const struct v8_layout *layout, uint64_t address);

#endif
