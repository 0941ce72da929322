/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/transform_list.h"

#include "common/util/alloc.h"

static const char *const transform_options[TRANSFORM_KINDS] = {
	[TRANSFORM_FOCUS] = "focus",
	[TRANSFORM_DROP] = "drop",
	[TRANSFORM_MERGE] = "merge-fn",
	[TRANSFORM_COLLAPSE_RECURSION] = "collapse-recursion",
	[TRANSFORM_COLLAPSE_DSO] = "collapse-dso",
	[TRANSFORM_HIDE_GLUE] = "hide-glue",
	[TRANSFORM_LANG_FOLD] = "lang-frames=fold",
	[TRANSFORM_LANG_BOTH] = "lang-frames=both",
	[TRANSFORM_LANG_ONLY] = "lang-frames=only",
	[TRANSFORM_LANG_NATIVE] = "lang-frames=native",
};

const char *transform_option(enum transform_kind kind)
{
	return transform_options[kind];
}

enum transform_kind transform_find(const char *name)
{
	enum transform_kind kind = 0;

	while (kind < TRANSFORM_KINDS &&
		!string_is(transform_options[kind], name))
		kind++;
	return kind;
}

void transform_list_add(
	struct transform_list *list, enum transform_kind kind, const char *name)
{
	*array_push(&list->at) =
		(struct transform){ kind, name ? xstrdup(name) : NULL };
}

void transform_list_remove(
	struct transform_list *list, enum transform_kind kind)
{
	size_t n = 0;

	array_each(&list->at, transform)
		if (transform->kind == kind)
			free(transform->name);
		else
			list->at.at[n++] = *transform;
	list->at.n = n;
}

void transform_list_set_lang(
	struct transform_list *list, enum transform_kind kind)
{
	enum transform_kind other;

	for (other = TRANSFORM_LANG_FOLD; other <= TRANSFORM_LANG_NATIVE;
		other++)
		transform_list_remove(list, other);
	transform_list_add(list, kind, NULL);
}

bool transform_list_has(
	const struct transform_list *list, enum transform_kind kind)
{
	array_each(&list->at, transform)
		if (transform->kind == kind)
			return true;
	return false;
}

void transform_list_deinit(struct transform_list *list)
{
	array_each(&list->at, transform)
		free(transform->name);
	array_free(&list->at);
}
