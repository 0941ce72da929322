/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options that change stacks, in the order of the command line. The
 * changes themselves are made by report/transform/transform.h.
 */
#ifndef DWELL_REPORT_UTIL_TRANSFORM_LIST_H
#define DWELL_REPORT_UTIL_TRANSFORM_LIST_H

#include "common/util/array.h"

enum transform_kind {
	TRANSFORM_FOCUS,	      /* --focus FUNCTION */
	TRANSFORM_DROP,		      /* --drop FUNCTION */
	TRANSFORM_MERGE,	      /* --merge-fn FUNCTION */
	TRANSFORM_COLLAPSE_RECURSION, /* --collapse-recursion FUNCTION */
	TRANSFORM_COLLAPSE_DSO,	      /* --collapse-dso DSO */
	TRANSFORM_HIDE_GLUE,	      /* --hide-glue */
	TRANSFORM_LANG_FOLD,	      /* --lang-frames fold */
	TRANSFORM_LANG_BOTH,	      /* --lang-frames both: changes nothing */
	TRANSFORM_LANG_ONLY,	      /* --lang-frames only */
	TRANSFORM_LANG_NATIVE,	      /* --lang-frames native */
	TRANSFORM_KINDS,
};

struct transform {
	enum transform_kind kind;
	char *name; /* function or DSO, owned; NULL: the kind has no name */
};

struct transform_list {
	ARRAY(struct transform) at;
};

/* Returns the name of the option for KIND, without "--". */
const char *transform_option(enum transform_kind kind);
/*
 * Returns the kind of the option NAME, or TRANSFORM_KINDS if there is no such
 * option.
 */
enum transform_kind transform_find(const char *name);

/* Appends a transform to LIST. NAME is copied, and can be NULL. */
void transform_list_add(struct transform_list *list, enum transform_kind kind,
	const char *name);
/* Removes all transforms of KIND from LIST. */
void transform_list_remove(
	struct transform_list *list, enum transform_kind kind);
/* Replaces the transforms TRANSFORM_LANG_* in LIST by KIND, one of these. */
void transform_list_set_lang(
	struct transform_list *list, enum transform_kind kind);
/* Returns whether LIST has a transform of KIND. */
bool transform_list_has(
	const struct transform_list *list, enum transform_kind kind);
void transform_list_deinit(struct transform_list *list);

#endif
