/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scopes (namespaces, types, functions) that contain a DIE. A DIE has no
 * link to its parent, so the links are collected while the DIEs of a unit are
 * visited. Units to which the visited unit refers are read on request.
 */
#ifndef DWELL_REPORT_LINES_DIE_SCOPES_H
#define DWELL_REPORT_LINES_DIE_SCOPES_H

#include <elfutils/libdw.h>

#include "common/util/array.h"
#include "common/util/hash.h"

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
	ARRAY(struct scope_unit {
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

#endif
