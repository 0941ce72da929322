/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/spell_suggest.h"

#include <ctype.h>

static bool is_same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/*
 * Returns the number of typing errors between A and B, or if IN_PART, between A
 * and the part of B that is most similar to A.
 */
static size_t typo_distance(const char *a, const char *b, bool in_part)
{
	size_t rows[3][SPELL_SUGGEST_NAME_MAX + 1], i, j, length = strlen(b);
	size_t *before = rows[0], *last = rows[1], *row = rows[2], least;

	for (j = 0; j <= length; j++)
		row[j] = in_part ? 0 : j;
	for (i = 0; a[i]; i++) {
		size_t *oldest = before;

		before = last;
		last = row;
		row = oldest;
		row[0] = i + 1;
		for (j = 0; j < length; j++) {
			size_t replace = last[j] + !is_same_letter(a[i], b[j]);
			size_t shift = MIN(row[j], last[j + 1]) + 1;

			row[j + 1] = MIN(replace, shift);
			if (i && j && is_same_letter(a[i], b[j - 1]) &&
				is_same_letter(a[i - 1], b[j]))
				row[j + 1] = MIN(row[j + 1], before[j - 1] + 1);
		}
	}
	least = row[length];
	for (j = 0; in_part && j < length; j++)
		least = MIN(least, row[j]);
	return least;
}

void spell_suggest_init(struct spell_suggest *nearest, const char *wanted)
{
	*nearest = (struct spell_suggest){ .wanted = wanted };
	/*
	 * A name is not suggested if its typing errors are more than a third of
	 * WANTED's letters.
	 */
	nearest->distance = MAX(strlen(wanted) / 3, (size_t)1) + 1;
}

void spell_suggest_init_part(struct spell_suggest *nearest, const char *wanted)
{
	size_t most = strlen(wanted) / 5;

	/* More parts than whole names are similar by chance. */
	*nearest = (struct spell_suggest){ .wanted = wanted,
		.in_part = true,
		.distance = most ? most + 1 : 0 };
}

void spell_suggest_offer(struct spell_suggest *nearest, const char *name)
{
	size_t length = strlen(name), d;

	if (length >= SPELL_SUGGEST_NAME_MAX)
		return;
	d = typo_distance(nearest->wanted, name, nearest->in_part);
	if (d >= nearest->distance)
		return;
	nearest->distance = d;
	memcpy(nearest->best, name, length + 1);
}

struct error *spell_suggest_hint(
	const struct spell_suggest *nearest, struct error *err)
{
	if (!nearest->best[0])
		return err;
	return error_hint(err, "did you mean '%s'?", nearest->best);
}
