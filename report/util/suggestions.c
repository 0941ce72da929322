/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/suggestions.h"

#include "common/util/alloc.h"
#include "common/util/strbuf.h"

/*
 * Minimum length of a misspelled name for suggesting names that contain it:
 * shorter names are part of too many names.
 */
#define PART_MIN 3u

void suggestions_begin(struct suggestions *suggestions, const char *wanted)
{
	*suggestions = (struct suggestions){ .wanted = wanted };
	spell_suggest_init(&suggestions->nearest, wanted);
	spell_suggest_init_part(&suggestions->nearest_part, wanted);
}

void suggestions_add(struct suggestions *suggestions, const char *name)
{
	size_t i;

	for (i = 0; i < suggestions->n; i++)
		if (string_is(suggestions->names[i], name))
			return;
	if (suggestions->n < SUGGESTIONS_MAX)
		suggestions->names[suggestions->n++] = xstrdup(name);
}

void suggestions_offer(struct suggestions *suggestions, const char *name)
{
	const char *wanted = suggestions->wanted;

	spell_suggest_offer(&suggestions->nearest, name);
	spell_suggest_offer(&suggestions->nearest_part, name);
	if (strlen(wanted) >= PART_MIN && strcasestr(name, wanted))
		suggestions_add(suggestions, name);
}

char *suggestions_end(struct suggestions *suggestions)
{
	struct strbuf out = { 0 };
	size_t i;

	/*
	 * Put the name with the fewest typing errors first. If the list is
	 * full, its last name is dropped.
	 */
	const char *best = suggestions->nearest.best;
	struct suggestions parts = *suggestions;

	if (!*best && !suggestions->n)
		best = suggestions->nearest_part.best;
	if (*best) {
		suggestions->n = 0;
		suggestions_add(suggestions, best);
		for (i = 0; i < parts.n; i++) {
			suggestions_add(suggestions, parts.names[i]);
			free(parts.names[i]);
		}
	}
	for (i = 0; i < suggestions->n; i++) {
		if (i)
			strbuf_puts(
				&out, i + 1 < suggestions->n ? ", " : " or ");
		strbuf_printf(&out, "'%s'", suggestions->names[i]);
		free(suggestions->names[i]);
	}
	suggestions->n = 0;
	return out.at;
}
