/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/die_scopes.h"

#include <dwarf.h>

#include "report/lines/die_values.h"

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
static const struct scope_unit *find_scope_unit(
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
	const struct scope_unit *unit;

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
