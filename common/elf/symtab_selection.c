/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For each address, symtab_find() reads the SYMTAB_NESTED_MAX nearest starts up to the
 * address, and the next start ends a symbol without a size. The addresses divide all starts into
 * gaps, and the starts that an address needs are the highest ones of a gap, and its
 * lowest one, which follows the address before. All others are left out.
 */
#include "config.h"

#include "common/elf/symtab_selection.h"

#include "common/util/clock.h"

/*
 * The number of starts that are collected before they are compared with the selected, or
 * a share of the number of these, so that a symbol takes the same time in all files.
 */
#define FRESH_MIN 16384u
#define FRESH_SHARE 4u
/* The number of steps between two readings of the CPU time. */
#define STEPS_MAX 4096u

void symtab_selection_init(
	struct symtab_selection *ret, const struct symtab_limits *limits)
{
	*ret = (struct symtab_selection){ .limits = *limits,
		.cpu_ns = clock_thread_cpu_ns() };
}

void symtab_selection_deinit(struct symtab_selection *selection)
{
	array_free(&selection->addresses);
	array_free(&selection->starts);
	array_free(&selection->fresh);
}

void symtab_selection_add_address(
	struct symtab_selection *selection, uint64_t address)
{
	size_t n = selection->addresses.n;

	if (!n || selection->addresses.at[n - 1] != address)
		*array_push(&selection->addresses) = address;
}

bool symtab_selection_reserve(struct symtab_selection *selection, uint64_t n)
{
	if (selection->is_second_pass)
		return !selection->excess;
	selection->symbols += n;
	if (selection->symbols > selection->limits.symbols)
		selection->excess = SYMTAB_EXCESS_SYMBOLS;
	return !selection->excess;
}

/* Counts BYTES bytes of selected symbols, and returns false beyond the limit. */
static bool reserve_selected_bytes(
	struct symtab_selection *selection, uint64_t bytes)
{
	selection->bytes += bytes;
	if (selection->bytes > selection->limits.bytes)
		selection->excess = SYMTAB_EXCESS_BYTES;
	return !selection->excess;
}

bool symtab_selection_is_full(struct symtab_selection *selection)
{
	const struct symtab_limits *limits = &selection->limits;

	if (selection->excess)
		return true;
	if (limits->is_abandoned && *limits->is_abandoned) {
		selection->excess = SYMTAB_EXCESS_ABANDONED;
	} else if (++selection->steps == STEPS_MAX) {
		selection->steps = 0;
		if (clock_thread_cpu_ns() - selection->cpu_ns > limits->cpu_ns)
			selection->excess = SYMTAB_EXCESS_CPU;
	}
	return selection->excess;
}

/* Returns the number of addresses before START: the number of its gap. */
static size_t find_gap(const struct symtab_selection *selection, uint64_t start)
{
	return array_count_before(
		&selection->addresses, address, *address < start);
}

static bool is_same_gap(
	const struct symtab_selection *selection, uint64_t low, uint64_t high)
{
	size_t gap = find_gap(selection, low);

	return gap == selection->addresses.n ||
		high <= selection->addresses.at[gap];
}

/* Returns the index of the first of .starts that is not below START. */
static size_t find_selected_start(
	const struct symtab_selection *selection, uint64_t start)
{
	return array_count_before(&selection->starts, x, x->start < start);
}

/* Returns true if NEW, which the first pass found, can change .starts. */
static bool is_new_start(const struct symtab_selection *selection,
	const struct symtab_start *new)
{
	size_t at = find_selected_start(selection, new->start);
	const struct symtab_start *starts = selection->starts.at;
	size_t highest = at + SYMTAB_NESTED_MAX - 1;

	if (at < selection->starts.n && starts[at].start == new->start)
		return new->end > starts[at].end ||
			new->is_unsized > starts[at].is_unsized;
	/* The highest of the gap, and a lower one, make NEW needless. */
	return highest >= selection->starts.n || !at ||
		!is_same_gap(selection, new->start, starts[highest].start) ||
		!is_same_gap(selection, starts[at - 1].start, new->start);
}

static void merge_start(struct symtab_start *to, const struct symtab_start *new)
{
	to->end = MAX(to->end, new->end);
	to->is_unsized |= new->is_unsized;
}

static struct symtab_start start_of_symbol(uint64_t start, uint64_t end)
{
	return (struct symtab_start){ start, MAX(start, end), end <= start };
}

bool symtab_selection_has_names(
	const struct symtab_selection *selection, size_t i)
{
	const struct symtab_start *start = &selection->starts.at[i];
	size_t gap = find_gap(selection, start->start);
	uint64_t address;

	if (gap == selection->addresses.n)
		return false;
	address = selection->addresses.at[gap];
	if (address < start->end)
		return true;
	/* A symbol without a size ends at the next start. */
	return start->is_unsized &&
		(i + 1 == selection->starts.n || address < start[1].start);
}

bool symtab_selection_wants(
	const struct symtab_selection *selection, uint64_t start, uint64_t end)
{
	const struct symtab_start new = start_of_symbol(start, end);
	size_t at;

	if (selection->excess)
		return false;
	if (!selection->is_second_pass)
		return is_new_start(selection, &new);
	at = find_selected_start(selection, start);
	return at < selection->starts.n &&
		selection->starts.at[at].start == start &&
		symtab_selection_has_names(selection, at);
}

/* Merges .fresh into .starts. */
static void merge_fresh_starts(struct symtab_selection *selection)
{
	typeof(selection->starts) all = { 0 }, old = selection->starts;
	size_t i = 0;

	/* Without a spare room, because the starts can take many megabytes. */
	all.room = MAX(old.n + selection->fresh.n, 1u);
	all.at = xrealloc_array(NULL, all.room, sizeof(*all.at));
	array_sort(&selection->fresh, array_compare_u64);
	array_each(&selection->fresh, fresh) {
		for (; i < old.n && old.at[i].start <= fresh->start; i++)
			*array_push(&all) = old.at[i];
		if (all.n && all.at[all.n - 1].start == fresh->start)
			merge_start(&all.at[all.n - 1], fresh);
		else
			*array_push(&all) = *fresh;
	}
	for (; i < old.n; i++)
		*array_push(&all) = old.at[i];
	array_clear(&selection->fresh);
	array_free(&selection->starts);
	selection->starts = all;
}

/* Removes the starts that no address needs. */
static void select_starts(struct symtab_selection *selection)
{
	struct symtab_start *starts;
	size_t i, n, kept, n_gap = 0;

	merge_fresh_starts(selection);
	starts = selection->starts.at;
	n = kept = selection->starts.n;
	for (i = n; i-- > 0;) {
		bool is_lowest = !i ||
			!is_same_gap(selection, starts[i - 1].start,
				starts[i].start);

		if (is_lowest || n_gap < SYMTAB_NESTED_MAX)
			starts[--kept] = starts[i];
		n_gap = is_lowest ? 0 : n_gap + 1;
	}
	selection->starts.n = n - kept;
	if (kept)
		memmove(starts, starts + kept, (n - kept) * sizeof(*starts));
	selection->bytes = 0;
	if (!reserve_selected_bytes(selection, (n - kept) * sizeof(*starts)))
		array_clear(&selection->starts);
}

bool symtab_selection_take(struct symtab_selection *selection, uint64_t start,
	uint64_t end, size_t bytes)
{
	const struct symtab_start new = start_of_symbol(start, end);
	size_t n = selection->fresh.n;

	if (!symtab_selection_wants(selection, start, end))
		return false;
	if (selection->is_second_pass)
		return reserve_selected_bytes(selection, bytes);
	if (n && selection->fresh.at[n - 1].start == start) {
		merge_start(&selection->fresh.at[n - 1], &new);
		return false;
	}
	*array_push(&selection->fresh) = new;
	if (selection->fresh.n >=
		MAX((size_t)FRESH_MIN, selection->starts.n / FRESH_SHARE))
		select_starts(selection);
	return false;
}

bool symtab_selection_next_pass(struct symtab_selection *selection)
{
	if (selection->is_second_pass)
		return false;
	select_starts(selection);
	array_free(&selection->fresh);
	selection->is_second_pass = true;
	return !selection->excess;
}
