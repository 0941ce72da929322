/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads DIEs with libdw: attributes of one DIE, the links to the DIEs that
 * complete it, the scopes that contain it, the source files to which the DIEs
 * of a unit refer, and the function of a DIE with its name and declaration.
 * Adds texts, files and functions to a struct line_builder. dwarf_lines.c
 * reads rows and inlined functions.
 */
#ifndef DWELL_REPORT_LINES_DIE_H
#define DWELL_REPORT_LINES_DIE_H

#include <elfutils/libdw.h>

#include "common/file/line_builder.h"
#include "common/util/array.h"
#include "common/util/base.h"
#include "common/util/hash.h"

/*
 * Limit of the links from a DIE to its origin or declaration that are followed;
 * two are usual. In a damaged file, the links can form a cycle.
 */
#define ORIGINS_MAX 8u

/* Returns the text of the attribute NAME of DIE, borrowed, or NULL. */
const char *die_text(Dwarf_Die *die, unsigned name);
/*
 * Stores the value of the attribute NAME of DIE in RET, limited to INT32_MAX.
 * Returns false if DIE has no such number.
 */
bool die_number(Dwarf_Die *die, unsigned name, uint32_t *ret);
/*
 * Stores the offset of UNIT's line table in .debug_line in RET. Returns false
 * if UNIT has none.
 */
bool die_line_table(Dwarf_Die *unit, uint64_t *ret);
/*
 * Stores the origin (DW_AT_abstract_origin) or the declaration
 * (DW_AT_specification) of DIE in RET. Returns false if there is none. RET may
 * be DIE.
 */
bool die_origin(Dwarf_Die *die, Dwarf_Die *ret);
/*
 * Stores DIE, its origin or declaration, the origin of that DIE, and so on, in
 * RET. Returns the number of DIEs, at least 1.
 */
size_t die_origins(const Dwarf_Die *die, Dwarf_Die ret[ORIGINS_MAX]);

/*
 * The scopes (namespaces, types, functions) that contain a DIE. A DIE has no
 * link to its parent, so the links are collected while the DIEs of a unit are
 * visited. Units to which the visited unit refers are read on request.
 */

/* Limit of the scopes around a DIE. */
#define SCOPES_MAX 32u

/* A zero-initialized struct has no links. */
struct die_scopes {
	const Dwarf_CU *visited; /* unit of .links; NULL: none */
	/*
	 * Address of the bytes of a DIE, and of its innermost scope, or NULL.
	 * Addresses ascend in the order of the DIEs of a unit.
	 */
	ARRAY(struct die_link { const void *die, *scope; }) links;
	/* units that were read on request */
	ARRAY(struct die_scope_unit {
		const Dwarf_CU *unit;
		ARRAY(struct die_link) links;
	})
	units;
	struct hash_index by_unit;
	uint32_t n_dies; /* number of DIEs that were read on request */
};

enum die_kind {
	DIE_OTHER,
	DIE_SCOPE, /* namespace, type or function */
	DIE_BLOCK, /* can contain scopes, but is not part of names */
};
/* Returns the kind of a DIE with TAG. */
enum die_kind die_scopes_kind(int tag);

void die_scopes_deinit(struct die_scopes *scopes);
/*
 * Forgets the links that were added, and begins the unit of UNIT, which is
 * borrowed until the next call.
 */
void die_scopes_begin(struct die_scopes *scopes, const Dwarf_Die *unit);
/*
 * Adds the scope DIE of the unit that was begun. SCOPE is the address of the
 * innermost scope that contains DIE; NULL: the unit itself. DIEs are added in
 * the order in which they are stored.
 */
void die_scopes_add(
	struct die_scopes *scopes, const Dwarf_Die *die, const void *scope);

/*
 * Stores the scopes (namespaces, classes and functions) around DIE in RET, the
 * innermost first. DIE must be a scope. If a scope refers to another DIE by
 * DW_AT_abstract_origin or DW_AT_specification, that DIE is stored. Returns the
 * number of scopes; 0: DIE is outside of all scopes,
 * or the scopes are not known.
 */
size_t die_scopes_find(struct die_scopes *scopes, const Dwarf_Die *die,
	Dwarf_Die ret[SCOPES_MAX]);

/*
 * The names of the source files to which the DIEs of one unit refer by number.
 */

struct die_files {
	Dwarf_Files *files; /* NULL: the unit has no table of files */
	size_t n;
	const char *folder; /* DW_AT_comp_dir; NULL: unknown */
};

/* Returns the files of the unit with the DIE UNIT; borrowed from libdw. */
struct die_files die_files_of(Dwarf_Die *unit);

/*
 * Adds TEXT to BUILDER. Returns its number, or LINE_NONE if TEXT is NULL or too
 * long.
 */
uint32_t die_files_add_text(struct line_builder *builder, const char *text);
/*
 * Adds PATH to BUILDER, behind .folder of FILES if PATH is relative. Returns
 * the number of the text, or LINE_NONE.
 */
uint32_t die_files_add_path(const struct die_files *files,
	struct line_builder *builder, const char *path);
/*
 * Adds the path of file NUMBER to BUILDER. Returns the number of the text, or
 * LINE_NONE if there is no such file.
 */
uint32_t die_files_add(const struct die_files *files,
	struct line_builder *builder, uint32_t number);

/*
 * Describes the function of a DIE: its name, the scopes that contain it, and
 * the position of its declaration.
 */

struct die_function_reading {
	const Dwarf_Die *unit;	       /* DIE of the unit that is read */
	const struct die_files *files; /* of .unit */
	struct die_scopes *scopes;
	struct line_builder *builder;
};

/*
 * Returns the linkage name of the function DIE or, if there is none, its name
 * in the source. Returns NULL if there is no name. The text is borrowed.
 */
const char *die_function_name(const Dwarf_Die *die);
/*
 * Adds the function DIE to the builder of READING. Returns its number, or
 * LINE_NONE if DIE has no name.
 */
uint32_t die_function_add(
	const struct die_function_reading *reading, const Dwarf_Die *die);

#endif
