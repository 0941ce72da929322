/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/resolve/moved_functions.h"

#include "common/util/strbuf.h"

void moved_functions_deinit(struct moved_functions *functions)
{
	string_table_deinit(&functions->texts);
	guessed_builds_deinit(&functions->builds);
	array_free(&functions->at);
	hash_free(&functions->by_name);
}

static const struct moved_function *find_moved_function(
	const struct moved_functions *functions, size_t side, const char *name)
{
	uint64_t hash = hash_words(hash_string(name), side);

	hash_each_match(&functions->by_name, hash, i) {
		const struct moved_function *known = &functions->at.at[i];

		if (known->side == side && string_is(known->name, name))
			return known;
	}
	return NULL;
}

static const char *intern_moved_text(
	struct moved_functions *functions, const char *text)
{
	return string_table_at(&functions->texts,
		string_table_intern(&functions->texts, text));
}

void moved_functions_add(struct moved_functions *functions, size_t side,
	const struct resolver *resolver, const struct location *location,
	const char *name)
{
	/* NAME without ":LINE" and ":COLUMN" */
	_cleanup_strbuf_ struct strbuf lineless = { 0 };
	const char *at = name;
	uint32_t dso;

	if (!location->is_inlined)
		return;
	strbuf_puts(&lineless, "");
	while (*at) {
		size_t digits = *at == ':' ? strspn(at + 1, "0123456789") : 0;

		if (digits)
			at += 1 + digits;
		else
			strbuf_putc(&lineless, *at++);
	}
	if (string_is(lineless.at, name))
		return;
	dso = guessed_builds_add(&functions->builds,
		resolver_dso_name(resolver, location->dso_name),
		resolver_build(resolver, location));
	if (find_moved_function(functions, side, name))
		return;
	hash_insert(&functions->by_name, hash_words(hash_string(name), side),
		(uint32_t)functions->at.n);
	*array_push(&functions->at) = (struct moved_function){ .side = side,
		.dso = dso,
		.name = intern_moved_text(functions, name),
		.lineless = intern_moved_text(functions, lineless.at) };
}

/* By name without line, recording, and line. */
static int compare_moved_functions(const void *a, const void *b)
{
	const struct moved_function *left = *(struct moved_function *const *)a;
	const struct moved_function *right = *(struct moved_function *const *)b;
	int order = strcmp(left->lineless, right->lineless);

	if (!order)
		order = COMPARE(left->side, right->side);
	return order ? order : strverscmp(left->name, right->name);
}

void moved_functions_match(struct moved_functions *functions)
{
	ARRAY(struct moved_function *) sorted = { 0 };
	size_t first, end;

	array_each(&functions->at, function)
		*array_push(&sorted) = function;
	array_sort(&sorted, compare_moved_functions);
	for (first = 0; first < sorted.n; first = end) {
		end = first + 1;
		while (end < sorted.n &&
			sorted.at[end]->lineless == sorted.at[first]->lineless)
			end++;
		/* These functions differ only in the line. */
		struct moved_function *const *group = &sorted.at[first];
		size_t n_group = end - first, n = 0, i;
		bool differs = false, is_ordered = true;

		for (i = 0; i < n_group; i++) {
			differs |=
				functions->builds.at.at[group[i]->dso].differs;
			n += group[i]->side == group[n_group - 1]->side;
		}
		/* whether each recording that has functions has n of them */
		for (i = 0; i < n_group; i++)
			is_ordered &=
				group[i]->side == group[i - i % n]->side &&
				(i < n || group[i]->side != group[i - n]->side);
		for (i = 0; differs && i < n_group; i++)
			group[i]->common = is_ordered
				? group[n_group - n + i % n]->name
				: group[i]->lineless;
	}
	array_free(&sorted);
}

const char *moved_functions_name(
	const struct moved_functions *functions, size_t side, const char *name)
{
	const struct moved_function *known =
		find_moved_function(functions, side, name);

	return known && known->common ? known->common : name;
}
