/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/die.h"

#include <dwarf.h>

#include "common/util/alloc.h"

const char *die_text(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(die, name, &attribute) ? dwarf_formstring(&attribute)
						 : NULL;
}

bool die_number(Dwarf_Die *die, unsigned name, uint32_t *ret)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (!dwarf_attr(die, name, &attribute) ||
		dwarf_formudata(&attribute, &value))
		return false;
	*ret = (uint32_t)MIN(value, (Dwarf_Word)INT32_MAX);
	return true;
}

bool die_line_table(Dwarf_Die *unit, uint64_t *ret)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(unit, DW_AT_stmt_list, &attribute) &&
		dwarf_formudata(&attribute, ret) == 0;
}

bool die_origin(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute attribute;
	Dwarf_Die from = *die;

	return (dwarf_attr(&from, DW_AT_abstract_origin, &attribute) ||
		       dwarf_attr(&from, DW_AT_specification, &attribute)) &&
		dwarf_formref_die(&attribute, ret);
}

size_t die_origins(const Dwarf_Die *die, Dwarf_Die ret[ORIGINS_MAX])
{
	size_t n = 1;

	ret[0] = *die;
	while (n < ORIGINS_MAX && die_origin(&ret[n - 1], &ret[n]))
		n++;
	return n;
}

/* --- die scopes ---------------------------------------------------------- */

/* Limit of the DIEs that are read on request, of all units of a file. */
#define DIES_ON_REQUEST_MAX (UINT32_C(1) << 24)
#define SCOPE_NESTING_MAX 256u

enum die_kind die_scopes_kind(int tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type: return DIE_SCOPE;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt: return DIE_BLOCK;
	default: return DIE_OTHER;
	}
}

void die_scopes_deinit(struct die_scopes *scopes)
{
	array_each(&scopes->units, unit)
		array_free(&unit->links);
	array_free(&scopes->units);
	hash_free(&scopes->by_unit);
	array_free(&scopes->links);
}

void die_scopes_begin(struct die_scopes *scopes, const Dwarf_Die *unit)
{
	array_free(&scopes->links);
	scopes->visited = unit->cu;
}

void die_scopes_add(
	struct die_scopes *scopes, const Dwarf_Die *die, const void *scope)
{
	*array_push(&scopes->links) = (struct die_link){ die->addr, scope };
}

/* --- units that are read on request -------------------------------------- */

static void read_scope_links(struct die_scopes *scopes, size_t number,
	Dwarf_Die *parent, const void *scope, unsigned depth)
{
	Dwarf_Die die;

	if (depth == SCOPE_NESTING_MAX || dwarf_child(parent, &die) != 0)
		return;
	do {
		enum die_kind kind = die_scopes_kind(dwarf_tag(&die));

		if (scopes->n_dies == DIES_ON_REQUEST_MAX)
			return;
		scopes->n_dies++;
		if (kind == DIE_SCOPE)
			*array_push(&scopes->units.at[number].links) =
				(struct die_link){ die.addr, scope };
		if (kind != DIE_OTHER)
			read_scope_links(scopes, number, &die,
				kind == DIE_SCOPE ? die.addr : scope,
				depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

/* Returns the links of the unit that contains DIE. */
static const struct die_scope_unit *find_scope_unit(
	struct die_scopes *scopes, const Dwarf_Die *die)
{
	uint64_t hash = hash_words((uintptr_t)die->cu, 0);
	uint32_t n = (uint32_t)scopes->units.n;
	Dwarf_Die of = *die, unit;

	hash_each_match(&scopes->by_unit, hash, i)
		if (scopes->units.at[i].unit == die->cu)
			return &scopes->units.at[i];
	hash_insert(&scopes->by_unit, hash, n);
	array_push(&scopes->units)->unit = die->cu;
	if (dwarf_diecu(&of, &unit, NULL, NULL))
		read_scope_links(scopes, n, &unit, NULL, 0);
	return &scopes->units.at[n];
}

/* --- searches ------------------------------------------------------------ */

/* Returns the link of the N LINKS with the DIE at ADDRESS, or NULL. */
static const struct die_link *find_die_link(
	const struct die_link *links, size_t n, const void *address)
{
	const struct {
		const struct die_link *at;
		size_t n;
	} all = { links, n };
	size_t i = array_count_before(
		&all, link, (uintptr_t)link->die <= (uintptr_t)address);

	return i && links[i - 1].die == address ? &links[i - 1] : NULL;
}

/* Stores the innermost scope of DIE in RET. Returns false if there is none. */
static bool find_innermost_scope(
	struct die_scopes *scopes, const Dwarf_Die *die, Dwarf_Die *ret)
{
	const struct die_link *link = NULL;
	const struct die_scope_unit *unit;

	/* A function that the linker removed was not visited. */
	if (die->cu == scopes->visited)
		link = find_die_link(
			scopes->links.at, scopes->links.n, die->addr);
	if (!link) {
		unit = find_scope_unit(scopes, die);
		link = find_die_link(unit->links.at, unit->links.n, die->addr);
	}
	if (!link || !link->scope)
		return false;
	*ret = (Dwarf_Die){ .addr = (void *)link->scope, .cu = die->cu };
	return true;
}

size_t die_scopes_find(struct die_scopes *scopes, const Dwarf_Die *die,
	Dwarf_Die ret[SCOPES_MAX])
{
	Dwarf_Die origins[ORIGINS_MAX], scope = *die;
	size_t n = 0;

	while (find_innermost_scope(scopes, &scope, &scope)) {
		/* In a damaged file, scopes can form a cycle. */
		if (n == SCOPES_MAX)
			return 0;
		scope = origins[die_origins(&scope, origins) - 1];
		ret[n++] = scope;
	}
	return n;
}

/* --- unit files ---------------------------------------------------------- */

#define TEXT_MAX KIB(64)

struct die_files die_files_of(Dwarf_Die *unit)
{
	struct die_files files = { .folder = die_text(unit, DW_AT_comp_dir) };

	if (dwarf_getsrcfiles(unit, &files.files, &files.n))
		files.files = NULL;
	return files;
}

static bool is_short_text(const char *text)
{
	return text && strnlen(text, TEXT_MAX) < TEXT_MAX;
}

uint32_t die_files_add_text(struct line_builder *builder, const char *text)
{
	return is_short_text(text) ? line_builder_text(builder, text)
				   : LINE_NONE;
}

/*
 * libdw adds the folder of the line table to a path, but only sometimes
 * DW_AT_comp_dir.
 */
uint32_t die_files_add_path(const struct die_files *files,
	struct line_builder *builder, const char *path)
{
	const char *folder = files->folder;
	_cleanup_free_ char *whole = NULL;

	if (!is_short_text(path) || *path == '/' || !is_short_text(folder) ||
		!*folder)
		return die_files_add_text(builder, path);
	/* PATH can already begin with a DW_AT_comp_dir that is relative. */
	if (string_starts(path, folder) && path[strlen(folder)] == '/')
		return die_files_add_text(builder, path);
	whole = xasprintf("%s/%s", folder, path);
	return die_files_add_text(builder, whole);
}

uint32_t die_files_add(const struct die_files *files,
	struct line_builder *builder, uint32_t number)
{
	return files->files && number < files->n
		? die_files_add_path(files, builder,
			  dwarf_filesrc(files->files, number, NULL, NULL))
		: LINE_NONE;
}

/* --- function die -------------------------------------------------------- */

/* Limits of a name with its scopes, and of the texts of a unit with such. */
#define QUALIFIED_MAX KIB(4)
#define QUALIFIED_TEXTS_MAX MIB(64)

/* A function, with the DIEs that describe it. */
struct described_function {
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

static void describe_names(const Dwarf_Die *die, struct described_function *ret)
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

const char *die_function_name(const Dwarf_Die *die)
{
	struct described_function function = { 0 };

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

/*
 * Returns whether FUNCTION is the call operator of the lambda with the class
 * SCOPE. Both compilers can have a struct without a name that has a call
 * operator: g++ marks that of a lambda as artificial, and clang writes a class.
 */
static bool is_lambda_of(Dwarf_Die *function, Dwarf_Die *scope)
{
	int tag = dwarf_tag(scope);

	return (tag == DW_TAG_structure_type || tag == DW_TAG_class_type) &&
		!die_text(scope, DW_AT_name) &&
		is_call_operator(die_text(function, DW_AT_name)) &&
		(tag == DW_TAG_class_type ||
			dwarf_hasattr(function, DW_AT_artificial));
}

/* Returns the DIE of FUNCTION that .scopes contain. */
static Dwarf_Die *declaration_of(struct described_function *function)
{
	return &function->origins[function->n_origins - 1];
}

static bool is_lambda_function(struct described_function *function)
{
	return function->n_scopes &&
		is_lambda_of(declaration_of(function), &function->scopes[0]);
}

/*
 * Appends NAME. clang writes types without a name with the path of the source
 * file into the arguments of a template; the path is left out, because it is
 * another one on another machine.
 */
static void put_scope_text(const char *name, struct strbuf *out)
{
	static const char place[] = " at ";
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
			/* "(lambda at FILE:1:2)", "(unnamed struct at FILE:1:2)" */
			if (!memmem(name, size, place, strlen(place)))
				replacing = NULL;
			else if (string_starts(name, "(lambda "))
				replacing = "{lambda}";
			else if (string_starts(name, "(unnamed ") ||
				string_starts(name, "(anonymous "))
				replacing = "{unnamed}";
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
 * Returns whether the scopes of FUNCTION are better known from its linkage
 * name: clang puts nested lambdas into a function without a name.
 */
static bool are_scopes_linked(struct described_function *function)
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
static uint32_t qualified_name_of(const struct die_function_reading *reading,
	struct described_function *function)
{
	_cleanup_strbuf_ struct strbuf name = { 0 };
	size_t i;

	if (!function->n_scopes || !function->plain ||
		are_scopes_linked(function) ||
		reading->builder->texts.n > QUALIFIED_TEXTS_MAX)
		return LINE_NONE;
	for (i = function->n_scopes; i-- > 0 && name.n < QUALIFIED_MAX;) {
		Dwarf_Die *scope = &function->scopes[i];
		const char *own = die_text(scope, DW_AT_name);

		if (own)
			put_scope_text(own, &name);
		else if (dwarf_tag(scope) == DW_TAG_namespace)
			strbuf_puts(&name, "(anonymous namespace)");
		else
			strbuf_puts(&name,
				is_lambda_of(i ? scope - 1
					       : declaration_of(function),
					scope)
					? "{lambda}"
					: "{unnamed}");
		strbuf_puts(&name, "::");
	}
	put_scope_text(function->plain, &name);
	return name.n < QUALIFIED_MAX
		? die_files_add_text(reading->builder, name.at)
		: LINE_NONE;
}

/* --- declarations -------------------------------------------------------- */

/* Sets the attributes of RET's declaration that DIE has and RET lacks. */
static void complete_declaration(const struct die_function_reading *reading,
	Dwarf_Die *die, struct line_function *ret)
{
	Dwarf_Die of = *die, unit;
	uint32_t number;

	if (ret->file == LINE_NONE &&
		die_number(die, DW_AT_decl_file, &number)) {
		/* NUMBER is a file of the unit that contains DIE. */
		if (die->cu == reading->unit->cu) {
			ret->file = die_files_add(
				reading->files, reading->builder, number);
		} else if (dwarf_diecu(&of, &unit, NULL, NULL)) {
			struct die_files files = die_files_of(&unit);

			ret->file =
				die_files_add(&files, reading->builder, number);
		}
	}
	if (!ret->line)
		die_number(die, DW_AT_decl_line, &ret->line);
	if (!ret->column)
		die_number(die, DW_AT_decl_column, &ret->column);
}

uint32_t die_function_add(
	const struct die_function_reading *reading, const Dwarf_Die *die)
{
	struct line_function ret = { .qualified = LINE_NONE,
		.file = LINE_NONE };
	struct described_function function = { 0 };

	describe_names(die, &function);
	if (!function.linked || is_call_operator(function.plain)) {
		function.n_scopes = die_scopes_find(reading->scopes,
			declaration_of(&function), function.scopes);
	}
	ret.name = die_files_add_text(
		reading->builder, function.linked ?: function.plain);
	if (is_lambda_function(&function))
		ret.flags = LINE_LAMBDA;
	if (!function.linked || ret.flags)
		ret.qualified = qualified_name_of(reading, &function);
	/*
	 * Set the declaration. g++ writes the place of a lambda only into its
	 * class.
	 */
	size_t i;

	for (i = 0; i < function.n_origins; i++)
		complete_declaration(reading, &function.origins[i], &ret);
	if (!ret.line && is_lambda_function(&function))
		complete_declaration(reading, &function.scopes[0], &ret);
	return line_builder_function(reading->builder, &ret);
}
