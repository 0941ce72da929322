/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/glue.h"

#include "report/util/name_parts.h"

enum glue_language { LANGUAGE_C, LANGUAGE_CXX, LANGUAGE_RUST, LANGUAGE_GO };

enum glue_part {
	GLUE_START, /* the qualified name begins with the text */
	GLUE_WHOLE, /* the name without template arguments is the text */
	GLUE_LAST,  /* the last component of the name is the text */
};

static const struct glue_row {
	enum glue_language language;
	enum glue_part part;
	const char *text;
} glue_rows[] = {
	{ LANGUAGE_C, GLUE_WHOLE, "_start" },
	{ LANGUAGE_C, GLUE_WHOLE, "__libc_start_main" },
	{ LANGUAGE_C, GLUE_WHOLE, "__libc_start_main_impl" },
	{ LANGUAGE_C, GLUE_WHOLE, "__libc_start_call_main" },
	{ LANGUAGE_C, GLUE_WHOLE, "_start_c" },		      /* musl */
	{ LANGUAGE_C, GLUE_WHOLE, "libc_start_main_stage2" }, /* musl */
	{ LANGUAGE_C, GLUE_WHOLE, "start_thread" },
	{ LANGUAGE_C, GLUE_WHOLE, "clone" },
	{ LANGUAGE_C, GLUE_WHOLE, "__clone" },
	{ LANGUAGE_C, GLUE_WHOLE, "__GI___clone" },
	{ LANGUAGE_C, GLUE_WHOLE, "clone3" },
	{ LANGUAGE_C, GLUE_WHOLE, "__clone3" },
	{ LANGUAGE_C, GLUE_WHOLE, "__GI___clone3" },
	{ LANGUAGE_C, GLUE_WHOLE, "__clone_internal" },
	{ LANGUAGE_C, GLUE_WHOLE, "_dl_start_user" },
	{ LANGUAGE_C, GLUE_WHOLE, "_dl_start" },
	{ LANGUAGE_C, GLUE_WHOLE, "_dl_start_final" },
	{ LANGUAGE_C, GLUE_WHOLE, "_dl_sysdep_start" },
	{ LANGUAGE_C, GLUE_WHOLE, "dl_main" },
	{ LANGUAGE_CXX, GLUE_START, "std::" }, /* Rust's crate, too */
	{ LANGUAGE_CXX, GLUE_START, "__gnu_cxx::" },
	{ LANGUAGE_CXX, GLUE_START, "__cxxabiv1::" },
	{ LANGUAGE_CXX, GLUE_START, "__gthread_" }, /* below std::mutex */
	{ LANGUAGE_RUST, GLUE_START, "core::" },
	{ LANGUAGE_RUST, GLUE_START, "alloc::" },
	{ LANGUAGE_RUST, GLUE_START, "hashbrown::" }, /* of std's HashMap */
	{ LANGUAGE_RUST, GLUE_START, "__rustc::" },
	{ LANGUAGE_RUST, GLUE_START, "__rust_" },
	{ LANGUAGE_RUST, GLUE_START, "__rdl_" }, /* the default allocator */
	{ LANGUAGE_RUST, GLUE_LAST, "__rust_begin_short_backtrace" },
	{ LANGUAGE_RUST, GLUE_LAST, "__rust_end_short_backtrace" },
	{ LANGUAGE_RUST, GLUE_LAST, "__rust_try" },
	{ LANGUAGE_RUST, GLUE_LAST, "lang_start" },
	{ LANGUAGE_RUST, GLUE_LAST, "lang_start_internal" },
	{ LANGUAGE_GO, GLUE_WHOLE, "runtime.main" },
	{ LANGUAGE_GO, GLUE_WHOLE, "runtime.goexit" },
	{ LANGUAGE_GO, GLUE_WHOLE, "runtime.goexit0" },
	{ LANGUAGE_GO, GLUE_WHOLE, "runtime.mcall" },
	{ LANGUAGE_GO, GLUE_WHOLE, "runtime.systemstack" },
	{ LANGUAGE_GO, GLUE_WHOLE, "runtime.rt0_go" },
	{ LANGUAGE_GO, GLUE_WHOLE, "runtime.mstart" },
	{ LANGUAGE_GO, GLUE_WHOLE, "runtime.mstart0" },
	{ LANGUAGE_GO, GLUE_WHOLE, "runtime.mstart1" },
	{ LANGUAGE_GO, GLUE_WHOLE, "runtime.clone" },
};

static bool is_glue_row(const struct glue_row *row, struct name_part name)
{
	size_t start = 0, end;

	if (row->part == GLUE_START)
		return name_part_begins(name, row->text);
	end = name_part_bare_size(name);
	if (row->part == GLUE_LAST)
		for (start = end; start && name.at[start - 1] != ':';)
			start--;
	return name_part_is(
		(struct name_part){ name.at + start, end - start }, row->text);
}

static bool is_in_glue_table(struct name_part name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(glue_rows); i++)
		if (is_glue_row(&glue_rows[i], name))
			return true;
	return false;
}

bool glue_is_name(const char *name)
{
	struct name_part part = name_part_of(name);

	if (name_part_begins(part, "<")) {
		/*
		 * NAME is a function of Rust's standard library: only that
		 * library has functions of references, arrays, tuples and names
		 * without a crate, such as T and u32, except for the traits of
		 * other crates. Programs implement no Fn trait: such
		 * a function is the compiler's.
		 */
		struct name_rust_impl impl;

		if (!name_rust_impl_split(part, &impl))
			return false;
		if (is_in_glue_table(name_rust_type_path(impl.type)))
			return true;
		if (impl.trait.size && !name_part_begins(impl.trait, "<") &&
			!is_in_glue_table(impl.trait))
			return false;
		return strchr("&*[(", *impl.type.at) ||
			!memchr(impl.type.at, ':', impl.type.size) ||
			name_part_begins(impl.trait, "core::ops::function::Fn");
	}
	/*
	 * A C++ template with a name that is reserved for the library, such as
	 * "__sort<...>", is a part of it. Debug information of g++ has no
	 * namespace for functions with a lambda in their template arguments.
	 */
	return is_in_glue_table(part) ||
		(name_part_begins(part, "__") &&
			name_part_bare_size(part) < part.size &&
			!memchr(part.at, ':', name_part_bare_size(part)));
}

bool glue_is_start_name(const char *name)
{
	struct name_part part = name_part_of(name);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(glue_rows); i++)
		if ((glue_rows[i].language == LANGUAGE_C ||
			    glue_rows[i].language == LANGUAGE_GO) &&
			is_glue_row(&glue_rows[i], part))
			return true;
	return name_part_is(part, "main");
}
