/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports functions that are in a file of another name, and so in other rows.
 */
#include "config.h"

#include "report/diff/diff.h"

#include "common/util/alloc.h"
#include "common/util/log.h"

/* Smaller sums of moved shares, in percent, are not reported. */
#define MOVED_MIN 10

struct renaming {
	const struct diff *diff;
	size_t dso, sym; /* keys */
	const struct diff_row *
		*by_sym; /* rows of only side 1, by number of the text */
	const struct diff_row *from,
		*to; /* the pair with the largest share in the baseline */
	double moved;
};

static bool find_diff_key(
	const struct diff *diff, const char *name, size_t *ret)
{
	for (*ret = 0; *ret < diff->keys.n; (*ret)++)
		if (string_is(diff->keys.at[*ret].name, name))
			return true;
	return false;
}

static bool has_symbol(
	const struct renaming *renaming, const struct diff_row *row)
{
	const char *sym =
		diff_key_text(renaming->diff, row, renaming->sym);

	return sym[0] && !strstr(sym, DIFF_UNKNOWN);
}

static void index_new_rows(
	struct renaming *renaming, const struct diff_event *event)
{
	array_each(&event->rows, row)
		if (row->changes[1].is_new && has_symbol(renaming, row))
			renaming->by_sym[row->keys[renaming->sym]] = row;
}

static void match_gone_rows(
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

void diff_report_renamed(const struct diff *diff)
{
	struct renaming renaming = { .diff = diff };

	if (!diff->events.n || !find_diff_key(diff, "dso", &renaming.dso) ||
		!find_diff_key(diff, "sym", &renaming.sym))
		return;
	renaming.by_sym =
		xcalloc(diff->texts.at.n, sizeof(*renaming.by_sym));
	index_new_rows(&renaming, &diff->events.at[0]);
	match_gone_rows(&renaming, &diff->events.at[0]);
	if (renaming.moved >= MOVED_MIN)
		log_note("%s in %s and %s in %s have functions of the same "
			 "names; to compare functions regardless of their "
			 "file, use -s sym",
			diff_key_text(diff, renaming.from, renaming.dso),
			diff->sides.at[0].path,
			diff_key_text(diff, renaming.to, renaming.dso),
			diff->sides.at[1].path);
	free(renaming.by_sym);
}
