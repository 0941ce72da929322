/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/glue.h"

#include "report/util/name_scan.h"

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

/* A part of a name. */
struct name_part {
	const char *at;
	size_t size;
};

static bool part_is(struct name_part part, const char *text)
{
	return part.size == strlen(text) && !memcmp(part.at, text, part.size);
}

static bool part_begins_with(struct name_part part, const char *text)
{
	return part.size >= strlen(text) &&
		!memcmp(part.at, text, strlen(text));
}

/* Returns SIZE without ":12" at the end of NAME, or SIZE. */
static size_t size_without_number(const char *name, size_t size)
{
	size_t at = size;

	while (at && name[at - 1] >= '0' && name[at - 1] <= '9')
		at--;
	return at && at < size && name[at - 1] == ':' ? at - 1 : size;
}

/*
 * Returns SIZE without the place of a declaration, " file.h:12" or with a column
 * " file.h:12:3", at the end of NAME.
 */
static size_t size_without_place(const char *name, size_t size)
{
	size_t at = size_without_number(name, size);

	if (at == size)
		return size;
	at = size_without_number(name, at);
	while (at && name[at - 1] != ' ')
		at--;
	return at ? at - 1 : size;
}

/*
 * Returns the size of NAME without marks of dwell, the version of a dynamic
 * symbol, and suffixes of copies that compilers make of a function.
 */
static size_t size_without_marks(const char *name)
{
	static const char *const marks[] = { " (inlined)", " (?)", " [clone ",
		" [build ", "@", ".isra.", ".part.", ".constprop.",
		".lto_priv.", ".llvm." };
	static const char *const ends[] = { ".cold", ".abi0" };
	size_t size = strlen(name), i;

	for (i = 0; i < ARRAY_SIZE(marks); i++) {
		const char *mark = strstr(name, marks[i]);

		if (mark)
			size = MIN(size, (size_t)(mark - name));
	}
	size = size_without_place(name, size);
	for (i = 0; i < ARRAY_SIZE(ends); i++)
		if (size > strlen(ends[i]) &&
			!memcmp(name + size - strlen(ends[i]), ends[i],
				strlen(ends[i])))
			size -= strlen(ends[i]);
	return size;
}

/*
 * Returns the qualified name in the first SIZE bytes of NAME: the part behind
 * the return type, which ends with the last blank outside of brackets.
 */
static struct name_part find_qualified_name(const char *name, size_t size)
{
	size_t depth = 0, start = 0, i = 0;

	while (i < size) {
		/* The name of an operator can have a blank or a type. */
		if (!depth && name_operator_length(name, i))
			break;
		if (!depth && name[i] == ' ')
			start = i + 1;
		i += name_step(name, i, &depth);
	}
	return (struct name_part){ name + start, size - start };
}

/* Returns the length of NAME up to the template arguments at its end. */
static size_t length_before_arguments(struct name_part name)
{
	size_t depth = 0, end = name.size, i = 0;

	while (i < name.size) {
		size_t before = depth, at = i;

		i += name_step(name.at, i, &depth);
		if (!before && depth && name.at[at] == '<')
			end = at;
		else if (!before && !depth)
			end = name.size;
	}
	/* Rust separates the arguments by "::". */
	return end >= 2 && end < name.size && name.at[end - 1] == ':' ? end - 2
								      : end;
}

/* Returns the last component of NAME, without template arguments. */
static struct name_part last_component(struct name_part name)
{
	size_t end = length_before_arguments(name), start = end;

	while (start && name.at[start - 1] != ':')
		start--;
	return (struct name_part){ name.at + start, end - start };
}

static bool is_glue_row(const struct glue_row *row, struct name_part name)
{
	switch (row->part) {
	case GLUE_START: return part_begins_with(name, row->text);
	case GLUE_LAST: return part_is(last_component(name), row->text);
	case GLUE_WHOLE: break;
	}
	return part_is(
		(struct name_part){ name.at, length_before_arguments(name) },
		row->text);
}

static bool is_in_glue_table(struct name_part name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(glue_rows); i++)
		if (is_glue_row(&glue_rows[i], name))
			return true;
	return false;
}

/*
 * Returns whether NAME is a C++ template with a name that is reserved for the
 * library, such as "__sort<...>". Debug information of g++ has no namespace for
 * functions with a lambda in their template arguments.
 */
static bool is_reserved_template(struct name_part name)
{
	return part_begins_with(name, "__") &&
		length_before_arguments(name) < name.size &&
		!memchr(name.at, ':', length_before_arguments(name));
}

/* Returns the length of the first mark of NAME, a type of Rust, or 0. */
static size_t type_mark_length(struct name_part name)
{
	static const char *const marks[] = { "&", "*const ", "*mut ", "mut ",
		"dyn ", "[", "(" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(marks); i++)
		if (part_begins_with(name, marks[i]))
			return strlen(marks[i]);
	return 0;
}

/* Returns NAME, a type of Rust, from its path on. */
static struct name_part skip_type_marks(struct name_part name)
{
	size_t length;

	while ((length = type_mark_length(name))) {
		name.at += length;
		name.size -= length;
	}
	return name;
}

/* A function of Rust, "<TYPE>::function" or "<TYPE as TRAIT>::function". */
struct rust_impl {
	struct name_part type;
	struct name_part trait; /* empty: none */
};

static struct name_part rest_of(struct name_part name, size_t from)
{
	return (struct name_part){ name.at + from, name.size - from };
}

/*
 * Splits NAME, which begins with "<". Returns false if NAME is not a function
 * of Rust.
 */
static bool split_rust_impl(struct name_part name, struct rust_impl *ret)
{
	size_t depth = 0, i = name_step(name.at, 0, &depth);

	*ret = (struct rust_impl){ { NULL, 0 }, { NULL, 0 } };
	while (i < name.size && depth) {
		if (depth == 1 && !ret->type.at &&
			part_begins_with(rest_of(name, i), " as ")) {
			ret->type = (struct name_part){ name.at + 1, i - 1 };
			ret->trait = rest_of(name, i + strlen(" as "));
		}
		i += name_step(name.at, i, &depth);
	}
	if (!ret->type.at)
		ret->type = (struct name_part){ name.at + 1, i - 2 };
	return !depth && part_begins_with(rest_of(name, i), "::") &&
		!part_begins_with(ret->type, "lambda(");
}

/*
 * Returns whether NAME is a function in the standard library of Rust. Only the
 * library has functions of references, arrays, tuples and names without a
 * crate, such as T and u32, except for the traits of other crates. Programs
 * implement no Fn trait: such a function is the compiler's.
 */
static bool is_rust_glue(struct name_part name)
{
	struct rust_impl impl;

	if (!split_rust_impl(name, &impl))
		return false;
	if (is_in_glue_table(skip_type_marks(impl.type)))
		return true;
	if (impl.trait.size && !part_begins_with(impl.trait, "<") &&
		!is_in_glue_table(impl.trait))
		return false;
	return strchr("&*[(", *impl.type.at) ||
		!memchr(impl.type.at, ':', impl.type.size) ||
		part_begins_with(impl.trait, "core::ops::function::Fn");
}

bool is_glue_name(const char *name)
{
	struct name_part part =
		find_qualified_name(name, size_without_marks(name));

	if (part_begins_with(part, "<"))
		return is_rust_glue(part);
	return is_in_glue_table(part) || is_reserved_template(part);
}

bool is_start_name(const char *name)
{
	struct name_part part =
		find_qualified_name(name, size_without_marks(name));
	size_t i;

	for (i = 0; i < ARRAY_SIZE(glue_rows); i++)
		if ((glue_rows[i].language == LANGUAGE_C ||
			    glue_rows[i].language == LANGUAGE_GO) &&
			is_glue_row(&glue_rows[i], part))
			return true;
	return part_is(part, "main");
}
