/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/function_die.h"

#include <dwarf.h>

#include "report/lines/die_values.h"

/* Limits of a name with its scopes, and of the texts of a unit with such. */
#define QUALIFIED_MAX KIB(4)
#define QUALIFIED_TEXTS_MAX MIB(64)

/* A function, with the DIEs that describe it. */
struct described {
	/* the DIE of the function, its declaration, ... */
	Dwarf_Die origins[ORIGINS_MAX];
	size_t n_origins;
	const char *linked; /* linkage name, or NULL */
	const char *plain;  /* name in the source, or NULL */
	/* The innermost scope is first. */
	Dwarf_Die scopes[SCOPES_MAX];
	size_t n_scopes;
};

/* --- names --------------------------------------------------------------- */

static void describe_names(const Dwarf_Die *die, struct described *ret)
{
	size_t i;

	ret->n_origins = die_origins(die, ret->origins);
	for (i = 0; i < ret->n_origins; i++) {
		ret->linked = ret->linked
			?: (die_text(&ret->origins[i], DW_AT_linkage_name)
					   ?: die_text(&ret->origins[i],
						      DW_AT_MIPS_linkage_name));
		ret->plain =
			ret->plain ?: die_text(&ret->origins[i], DW_AT_name);
	}
}

const char *function_die_name(const Dwarf_Die *die)
{
	struct described function = { 0 };

	describe_names(die, &function);
	return function.linked ?: function.plain;
}

/* --- scopes -------------------------------------------------------------- */

/* Returns whether NAME is "operator()", or an instance of that template. */
static bool is_call_operator(const char *name)
{
	static const char start[] = "operator()";
	size_t size = strlen(start);

	return name && string_starts(name, start) &&
		(!name[size] || name[size] == '<');
}

static bool is_nameless_class(Dwarf_Die *scope)
{
	int tag = dwarf_tag(scope);

	return (tag == DW_TAG_structure_type || tag == DW_TAG_class_type) &&
		!die_text(scope, DW_AT_name);
}

/*
 * Returns whether FUNCTION is the call operator of the lambda with the class
 * SCOPE. Both compilers can have a struct without a name that has a call
 * operator: g++ marks that of a lambda as artificial, and clang writes a class.
 */
static bool is_lambda_of(Dwarf_Die *function, Dwarf_Die *scope)
{
	return is_nameless_class(scope) &&
		is_call_operator(die_text(function, DW_AT_name)) &&
		(dwarf_tag(scope) == DW_TAG_class_type ||
			dwarf_hasattr(function, DW_AT_artificial));
}

/* Returns the DIE of FUNCTION that .scopes contain. */
static Dwarf_Die *declaration_of(struct described *function)
{
	return &function->origins[function->n_origins - 1];
}

static bool is_lambda_function(struct described *function)
{
	return function->n_scopes &&
		is_lambda_of(declaration_of(function), &function->scopes[0]);
}

static void describe_scopes(
	const struct function_reading *reading, struct described *ret)
{
	if (ret->linked && !is_call_operator(ret->plain))
		return;
	ret->n_scopes = die_scopes_find(
		reading->scopes, declaration_of(ret), ret->scopes);
}

/*
 * Returns the name that replaces the SIZE bytes at TYPE, "(lambda at FILE:1:2)"
 * or "(unnamed struct at FILE:1:2)". Returns NULL for other texts.
 */
static const char *replacing_name(const char *type, size_t size)
{
	static const char place[] = " at ";

	if (!memmem(type, size, place, strlen(place)))
		return NULL;
	if (string_starts(type, "(lambda "))
		return "{lambda}";
	return string_starts(type, "(unnamed ") ||
			string_starts(type, "(anonymous ")
		? "{unnamed}"
		: NULL;
}

/*
 * Appends NAME. clang writes types without a name with the path of the source
 * file into the arguments of a template; the path is left out, because it is
 * another one on another machine.
 */
static void put_scope_text(const char *name, struct strbuf *out)
{
	size_t length = strnlen(name, QUALIFIED_MAX);

	/* The result is too long, and will not be used. */
	if (length == QUALIFIED_MAX)
		strbuf_put(out, name, length);
	while (length < QUALIFIED_MAX && *name) {
		size_t size = strcspn(name, "()");
		const char *replacing = NULL;

		if (*name == '(') {
			size = 1 + strcspn(name + 1, "()");
			size += name[size] == ')';
			replacing = replacing_name(name, size);
		}
		size = MAX(size, (size_t)1);
		if (replacing)
			strbuf_puts(out, replacing);
		else
			strbuf_put(out, name, size);
		name += size;
	}
}

/*
 * Appends the name of SCOPE, and "::". INNER is the function or the scope that
 * SCOPE contains.
 */
static void put_scope_name(
	Dwarf_Die *scope, Dwarf_Die *inner, struct strbuf *out)
{
	const char *name = die_text(scope, DW_AT_name);

	if (name)
		put_scope_text(name, out);
	else if (dwarf_tag(scope) == DW_TAG_namespace)
		strbuf_puts(out, "(anonymous namespace)");
	else
		strbuf_puts(out,
			is_lambda_of(inner, scope) ? "{lambda}" : "{unnamed}");
	strbuf_puts(out, "::");
}

/*
 * Returns whether the scopes of FUNCTION are better known from its linkage
 * name: clang puts nested lambdas into a function without a name.
 */
static bool are_scopes_linked(struct described *function)
{
	size_t i;

	for (i = 0; function->linked && i < function->n_scopes; i++)
		if (dwarf_tag(&function->scopes[i]) == DW_TAG_subprogram &&
			!die_text(&function->scopes[i], DW_AT_name))
			return true;
	return false;
}

/*
 * Returns the name of FUNCTION with its scopes, as a text, or LINE_NONE if the
 * function has no scope or the name is too long.
 */
static uint32_t qualified_name_of(
	const struct function_reading *reading, struct described *function)
{
	_cleanup_strbuf_ struct strbuf name = { 0 };
	size_t i;

	if (!function->n_scopes || !function->plain ||
		are_scopes_linked(function) ||
		reading->builder->texts.n > QUALIFIED_TEXTS_MAX)
		return LINE_NONE;
	for (i = function->n_scopes; i-- > 0 && name.n < QUALIFIED_MAX;)
		put_scope_name(&function->scopes[i],
			i ? &function->scopes[i - 1] : declaration_of(function),
			&name);
	put_scope_text(function->plain, &name);
	return name.n < QUALIFIED_MAX
		? unit_files_add_text(reading->builder, name.at)
		: LINE_NONE;
}

/* --- declarations -------------------------------------------------------- */

/* Returns the path of file NUMBER of the unit that contains DIE, as a text. */
static uint32_t declared_file_of(const struct function_reading *reading,
	const Dwarf_Die *die, uint32_t number)
{
	Dwarf_Die of = *die, unit;
	struct unit_files files;

	if (die->cu == reading->unit->cu)
		return unit_files_add(reading->files, reading->builder, number);
	if (!dwarf_diecu(&of, &unit, NULL, NULL))
		return LINE_NONE;
	files = unit_files_of(&unit);
	return unit_files_add(&files, reading->builder, number);
}

/* Sets the attributes of RET's declaration that DIE has and RET lacks. */
static void complete_declaration(const struct function_reading *reading,
	Dwarf_Die *die, struct line_function *ret)
{
	uint32_t number;

	if (ret->file == LINE_NONE && die_number(die, DW_AT_decl_file, &number))
		ret->file = declared_file_of(reading, die, number);
	if (!ret->line)
		die_number(die, DW_AT_decl_line, &ret->line);
	if (!ret->column)
		die_number(die, DW_AT_decl_column, &ret->column);
}

uint32_t function_die_add(
	const struct function_reading *reading, const Dwarf_Die *die)
{
	struct line_function ret = { .qualified = LINE_NONE,
		.file = LINE_NONE };
	struct described function = { 0 };

	describe_names(die, &function);
	describe_scopes(reading, &function);
	ret.name = unit_files_add_text(
		reading->builder, function.linked ?: function.plain);
	if (is_lambda_function(&function))
		ret.flags = LINE_LAMBDA;
	if (!function.linked || ret.flags)
		ret.qualified = qualified_name_of(reading, &function);
	/*
	 * Sets the declaration of RET, which is FUNCTION. g++ writes the place
	 * of a lambda only into its class.
	 */
	size_t i;

	for (i = 0; i < function.n_origins; i++)
		complete_declaration(reading, &function.origins[i], &ret);
	if (!ret.line && is_lambda_function(&function))
		complete_declaration(reading, &function.scopes[0], &ret);
	return line_builder_function(reading->builder, &ret);
}
