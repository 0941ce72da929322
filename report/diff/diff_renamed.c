/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same functions in a file of another name are other rows: that is said. */
#include "config.h"

#include "report/diff/diff.h"

#include "common/util/alloc.h"
#include "common/util/log.h"

/* So much of a side, in percent, must have moved to be worth a word. */
#define MOVED_MIN 10

struct renaming {
	const struct diff *diff;
	size_t dso, sym; /* keys */
	const struct diff_row **by_sym; /* that only side 1 has, by text */
	const struct diff_row *from, *to; /* the heaviest that moved */
	double moved;
};

static bool find_key(const struct diff *diff, const char *name, size_t *ret)
{
	for (*ret = 0; *ret < diff->keys.n; (*ret)++)
		if (string_is(diff->keys.at[*ret].name, name))
			return true;
	return false;
}

static bool is_named(const struct renaming *renaming, const struct diff_row *row)
{
	const char *sym =
		diff_key_text(renaming->diff, row, renaming->sym);

	return sym[0] && !strstr(sym, DIFF_UNKNOWN);
}

static void take_new(struct renaming *renaming, const struct diff_event *event)
{
	array_each(&event->rows, row)
		if (row->changes[1].is_new && is_named(renaming, row))
			renaming->by_sym[row->keys[renaming->sym]] = row;
}

static void match_gone(
	struct renaming *renaming, const struct diff_event *event)
{
	array_each(&event->rows, row) {
		const struct diff_row *to =
			renaming->by_sym[row->keys[renaming->sym]];

		if (!to || !row->changes[1].is_gone)
			continue;
		renaming->moved += MIN(row->cells[0].share, to->cells[1].share);
		if (renaming->from &&
			row->cells[0].share <= renaming->from->cells[0].share)
			continue;
		renaming->from = row;
		renaming->to = to;
	}
}

void diff_tell_renamed(const struct diff *diff)
{
	struct renaming renaming = { .diff = diff };

	if (!diff->events.n || !find_key(diff, "dso", &renaming.dso) ||
		!find_key(diff, "sym", &renaming.sym))
		return;
	renaming.by_sym =
		xcalloc(diff->texts.at.n, sizeof(*renaming.by_sym));
	take_new(&renaming, &diff->events.at[0]);
	match_gone(&renaming, &diff->events.at[0]);
	if (renaming.moved >= MOVED_MIN)
		log_note("functions of %s in %s have the names of those of %s "
			 "in %s; -s sym compares functions wherever they are",
			diff_key_text(diff, renaming.from, renaming.dso),
			diff->sides.at[0].path,
			diff_key_text(diff, renaming.to, renaming.dso),
			diff->sides.at[1].path);
	free(renaming.by_sym);
}
