/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/unwind/cfi_source.h"

#include "common/util/alloc.h"

/* Of a sort of many FDEs. */
#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)

static const struct cfi_section *section_of(
	const struct cfi_source *source, bool is_debug)
{
	return is_debug ? &source->debug_frame : &source->eh_frame;
}

/* NULL if it can't be read. */
static const struct cfi_cie *find_cie(const struct cfi_section *section,
	enum unwind_arch arch, uint32_t offset, struct cfi_cies *cies)
{
	struct cfi_cie *cie =
		&cies->at[(offset >> 3 & (CFI_CIES - 1)) * 2 + section->is_debug];

	if (!cie->is_ok || cie->offset != offset)
		cfi_read_cie(section, arch, offset, cie);
	return cie->is_ok ? cie : NULL;
}

static void push(struct cfi_source *source, const struct cfi_fde *fde)
{
	if (source->n_fdes == source->room) {
		source->room = source->room ? source->room * 2 : 256;
		source->fdes = xrealloc_array(
			source->fdes, source->room, sizeof(*source->fdes));
	}
	source->fdes[source->n_fdes++] = *fde;
}

static void list_section(struct cfi_source *source,
	const struct cfi_section *section, struct cfi_cies *cies)
{
	struct cfi_entries entries = { 0 };

	while (source->n_fdes < CFI_FDES_MAX &&
		cfi_entries_next(section, &entries)) {
		const struct cfi_cie *cie = find_cie(
			section, source->arch, entries.cie, cies);
		struct cfi_fde fde;

		if (cie && cfi_read_fde(section, cie, &entries, &fde) &&
			fde.start >= source->start && fde.end <= source->end)
			push(source, &fde);
	}
}

/* Of those that begin together the longest comes last, and wins. */
static int compare(const void *a, const void *b)
{
	const struct cfi_fde *x = a, *y = b;
	int order = COMPARE(x->start, y->start);

	if (!order)
		order = COMPARE(y->is_debug, x->is_debug);
	if (!order)
		order = COMPARE(x->end, y->end);
	return order ? order : COMPARE(y->offset, x->offset);
}

static bool is_sorted(const struct cfi_fde *fdes, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
		if (compare(&fdes[i - 1], &fdes[i]) > 0)
			return false;
	return true;
}

/* By one digit of START, keeping the order of those that have the same. */
static void sort_digit(const struct cfi_fde *from, struct cfi_fde *to, size_t n,
	unsigned shift)
{
	uint32_t at[DIGITS + 1] = { 0 };
	size_t i;

	for (i = 0; i < n; i++)
		at[(from[i].start >> shift & (DIGITS - 1)) + 1]++;
	for (i = 1; i < DIGITS; i++)
		at[i] += at[i - 1];
	for (i = 0; i < n; i++)
		to[at[from[i].start >> shift & (DIGITS - 1)]++] = from[i];
}

/* All that are in the small model's reach differ in 31 bits at most. */
static void sort_digits(struct cfi_fde *fdes, size_t n)
{
	struct cfi_fde *other = xrealloc_array(NULL, n, sizeof(*other));

	sort_digit(fdes, other, n, 0);
	sort_digit(other, fdes, n, DIGIT_BITS);
	sort_digit(fdes, other, n, 2 * DIGIT_BITS);
	memcpy(fdes, other, n * sizeof(*other));
	free(other);
}

static void sort(struct cfi_fde *fdes, size_t n)
{
	/* Those that begin together have to be brought into order, too. */
	if (n > DIGITS && !is_sorted(fdes, n))
		sort_digits(fdes, n);
	if (n && !is_sorted(fdes, n))
		qsort(fdes, n, sizeof(*fdes), compare);
}

/* Cuts each at the next one's start; those with nothing left go. */
static void separate(struct cfi_source *source)
{
	size_t i, n = 0;

	for (i = 0; i < source->n_fdes; i++) {
		struct cfi_fde *fde = &source->fdes[i];

		if (i + 1 < source->n_fdes && fde->end > fde[1].start)
			fde->end = fde[1].start;
		if (fde->start < fde->end)
			source->fdes[n++] = *fde;
	}
	source->n_fdes = n;
}

/* Leaves out what begins in code that the first N, sorted, are for. */
static void drop_covered(struct cfi_source *source, size_t n)
{
	size_t i, at = 0, kept = n;

	sort(source->fdes + n, source->n_fdes - n);
	for (i = n; i < source->n_fdes; i++) {
		uint64_t start = source->fdes[i].start;

		while (at < n && source->fdes[at].end <= start)
			at++;
		if (at == n || source->fdes[at].start > start)
			source->fdes[kept++] = source->fdes[i];
	}
	source->n_fdes = kept;
}

void cfi_source_sort(struct cfi_source *source)
{
	struct cfi_cies *cies = xcalloc(1, sizeof(*cies));
	size_t n;

	source->n_fdes = 0;
	list_section(source, &source->eh_frame, cies);
	sort(source->fdes, source->n_fdes);
	separate(source);
	n = source->n_fdes;
	if (source->debug_frame.size)
		list_section(source, &source->debug_frame, cies);
	if (source->n_fdes > n) {
		drop_covered(source, n);
		sort(source->fdes, source->n_fdes);
		separate(source);
	}
	free(cies);
}

void cfi_source_deinit(struct cfi_source *source)
{
	free(source->fdes);
	source->fdes = NULL;
	source->n_fdes = source->room = 0;
}

bool cfi_source_walk(const struct cfi_source *source,
	const struct cfi_fde *fde, struct cfi_cies *cies, struct cfi_walk *ret)
{
	const struct cfi_section *section = section_of(source, fde->is_debug);
	struct cfi_entries entries = { .at = fde->offset };
	const struct cfi_cie *cie;
	struct cfi_fde again;

	if (!cfi_entries_next(section, &entries))
		return false;
	cie = find_cie(section, source->arch, entries.cie, cies);
	if (!cie || !cfi_read_fde(section, cie, &entries, &again))
		return false;
	cfi_walk_start(ret, section, source->arch, cie, fde, entries.fde);
	return true;
}

bool cfi_source_row(const struct cfi_source *source, uint64_t address,
	struct cfi_row *ret, bool *is_debug_ret)
{
	_cleanup_free_ struct cfi_cies *cies = NULL;
	size_t low = 0, high = source->n_fdes;
	struct cfi_walk walk;

	*is_debug_ret = false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (source->fdes[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address >= source->fdes[low - 1].end)
		return false;
	*is_debug_ret = source->fdes[low - 1].is_debug;
	cies = xcalloc(1, sizeof(*cies));
	if (!cfi_source_walk(source, &source->fdes[low - 1], cies, &walk))
		return false;
	while (cfi_walk_next(&walk)) {
		if (address >= walk.row.end)
			continue;
		*ret = walk.row;
		return true;
	}
	return false;
}
