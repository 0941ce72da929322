/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/unwind/cfi_source.h"

#include "common/elf/elf.h"
#include "common/util/alloc.h"
#include "common/util/array.h"

/*
 * CFI from a compiler has about a tenth of the size of the code. If the CFI of
 * a file has less than 1/64 of the size of the code, most of the CFI is missing
 * or in another file.
 */
#define CODE_PER_CFI 64u
/*
 * Maximum size of the CFI in start files such as crt1.o, which a program has
 * even if its other code has no CFI.
 */
#define CFI_OF_START KIB(1)

/* Bits per pass of the radix sort of FDEs. */
#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)

/* --- loading -------------------------------------------------------------- */

static void load_cfi_section(
	struct elf_file *file, const char *name, struct cfi_section *ret)
{
	struct elf_section section;

	if (ret->size ||
		!elf_file_section(file, name, CFI_SECTION_MAX, &section))
		return;
	ret->at = section.at;
	ret->size = section.size;
	ret->address = section.address;
}

/*
 * Returns true if SOURCE has little CFI for the size of its code. Only then is
 * .gnu_debugdata decompressed, because decompression is slow and seldom helps.
 */
static bool is_sparse_source(const struct cfi_source *source)
{
	size_t size = source->eh_frame.size + source->debug_frame.size;

	return size < CFI_OF_START ||
		size < (source->end - source->start) / CODE_PER_CFI;
}

/*
 * Sets RET to the CFI sections of FILE. Returns false if FILE cannot have
 * rules.
 */
static bool load_file_sections(struct elf_file *file, struct cfi_source *ret)
{
	struct elf_section section;
	uint64_t hdr;

	memset(ret, 0, sizeof(*ret));
	ret->arch = unwind_arch_of_elf(elf_file_machine(file));
	ret->debug_frame.is_debug = true;
	if (ret->arch == UNWIND_NONE ||
		!elf_file_code(file, &ret->start, &ret->end))
		return false;
	elf_file_is_relocated(file, &ret->entry);
	/*
	 * Load .eh_frame, by the section headers or else by the program
	 * headers. Files without section headers can run, so their code needs
	 * to be unwound.
	 */
	load_cfi_section(file, ".eh_frame", &ret->eh_frame);
	ret->eh_frame.data = elf_file_section_address(file, ".eh_frame_hdr");
	ret->eh_frame.text = elf_file_section_address(file, ".text");
	if (!ret->eh_frame.size &&
		elf_file_frames(file, CFI_SECTION_MAX, &section, &hdr))
		ret->eh_frame = (struct cfi_section){ .at = section.at,
			.size = section.size,
			.address = section.address,
			.data = hdr };
	load_cfi_section(file, ".debug_frame", &ret->debug_frame);
	return true;
}

bool cfi_source_is_sparse(struct elf_file *file)
{
	struct cfi_source source;

	return load_file_sections(file, &source) && is_sparse_source(&source);
}

void cfi_source_load(
	struct elf_file *file, struct elf_file *debug, struct cfi_source *ret)
{
	struct elf_file *inner;

	if (!load_file_sections(file, ret))
		return;
	if (debug)
		load_cfi_section(debug, ".debug_frame", &ret->debug_frame);
	inner = is_sparse_source(ret) ? elf_file_debugdata(file) : NULL;
	if (inner)
		load_cfi_section(inner, ".debug_frame", &ret->debug_frame);
}

/* --- sorting -------------------------------------------------------------- */

/*
 * Returns the CIE at OFFSET of SECTION, from the cache CIES or read into CIES,
 * or NULL if the CIE is damaged.
 */
static const struct cfi_cie *find_cached_cie(const struct cfi_section *section,
	enum unwind_arch arch, uint32_t offset, struct cfi_cies *cies)
{
	struct cfi_cie *cie = &cies->at[(offset >> 3 & (CFI_CIES - 1)) * 2 +
		section->is_debug];

	if (!cie->is_ok || cie->offset != offset)
		cfi_read_cie(section, arch, offset, cie);
	return cie->is_ok ? cie : NULL;
}

static void list_section_fdes(struct cfi_source *source,
	const struct cfi_section *section, struct cfi_cies *cies)
{
	struct cfi_entries entries = { 0 };

	while (source->n_fdes < CFI_FDES_MAX &&
		cfi_entries_next(section, &entries)) {
		const struct cfi_cie *cie = find_cached_cie(
			section, source->arch, entries.cie, cies);
		struct cfi_fde fde;

		if (cie && cfi_read_fde(section, cie, &entries, &fde) &&
			fde.start >= source->start && fde.end <= source->end) {
			if (source->n_fdes == source->room) {
				source->room =
					source->room ? source->room * 2 : 256;
				source->fdes = xrealloc_array(source->fdes,
					source->room, sizeof(*source->fdes));
			}
			source->fdes[source->n_fdes++] = fde;
		}
	}
}

/*
 * Orders FDEs by start. Of FDEs with the same start, the FDE in .eh_frame, and
 * then the longest, comes last and is used.
 */
static int compare_fdes(const void *a, const void *b)
{
	const struct cfi_fde *x = a, *y = b;
	int order = COMPARE(x->start, y->start);

	if (!order)
		order = COMPARE(y->is_debug, x->is_debug);
	if (!order)
		order = COMPARE(x->end, y->end);
	return order ? order : COMPARE(y->offset, x->offset);
}

static bool are_fdes_sorted(const struct cfi_fde *fdes, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
		if (compare_fdes(&fdes[i - 1], &fdes[i]) > 0)
			return false;
	return true;
}

/*
 * Sorts the N FDEs FROM into TO by the DIGIT_BITS bits of .start from bit SHIFT
 * on. The sort is stable.
 */
static void sort_fdes_by_digit(const struct cfi_fde *from, struct cfi_fde *to,
	size_t n, unsigned shift)
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

static void sort_fdes(struct cfi_fde *fdes, size_t n)
{
	/*
	 * A radix sort by the start address only. FDEs with the same start are
	 * sorted by comparisons.
	 */
	if (n > DIGITS && !are_fdes_sorted(fdes, n)) {
		struct cfi_fde *other = xrealloc_array(NULL, n, sizeof(*other));

		/*
		 * The lower 33 bits are enough: in the small code model, the
		 * start addresses differ in at most 31 bits.
		 */
		sort_fdes_by_digit(fdes, other, n, 0);
		sort_fdes_by_digit(other, fdes, n, DIGIT_BITS);
		sort_fdes_by_digit(fdes, other, n, 2 * DIGIT_BITS);
		memcpy(fdes, other, n * sizeof(*other));
		free(other);
	}
	if (n && !are_fdes_sorted(fdes, n))
		qsort(fdes, n, sizeof(*fdes), compare_fdes);
}

/* Cuts each FDE at the start of the next one; removes empty FDEs. */
static void cut_fde_overlaps(struct cfi_source *source)
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

void cfi_source_sort(struct cfi_source *source)
{
	struct cfi_cies *cies = xcalloc(1, sizeof(*cies));
	size_t n;

	source->n_fdes = 0;
	list_section_fdes(source, &source->eh_frame, cies);
	sort_fdes(source->fdes, source->n_fdes);
	cut_fde_overlaps(source);
	n = source->n_fdes;
	if (source->debug_frame.size)
		list_section_fdes(source, &source->debug_frame, cies);
	if (source->n_fdes > n) {
		/*
		 * Remove the FDEs of .debug_frame that begin in the code of an
		 * FDE of .eh_frame.
		 */
		size_t i, at = 0, kept = n;

		sort_fdes(source->fdes + n, source->n_fdes - n);
		for (i = n; i < source->n_fdes; i++) {
			uint64_t start = source->fdes[i].start;

			while (at < n && source->fdes[at].end <= start)
				at++;
			if (at == n || source->fdes[at].start > start)
				source->fdes[kept++] = source->fdes[i];
		}
		source->n_fdes = kept;
		sort_fdes(source->fdes, source->n_fdes);
		cut_fde_overlaps(source);
	}
	free(cies);
}

void cfi_source_deinit(struct cfi_source *source)
{
	free(source->fdes);
	source->fdes = NULL;
	source->n_fdes = source->room = 0;
}

bool cfi_source_walk(const struct cfi_source *source, const struct cfi_fde *fde,
	struct cfi_cies *cies, struct cfi_walk *ret)
{
	const struct cfi_section *section =
		fde->is_debug ? &source->debug_frame : &source->eh_frame;
	struct cfi_entries entries = { .at = fde->offset };
	const struct cfi_cie *cie;
	struct cfi_fde again;

	if (!cfi_entries_next(section, &entries))
		return false;
	cie = find_cached_cie(section, source->arch, entries.cie, cies);
	if (!cie || !cfi_read_fde(section, cie, &entries, &again))
		return false;
	cfi_walk_start(ret, section, source->arch, cie, fde, entries.fde);
	return true;
}

bool cfi_source_row(const struct cfi_source *source, uint64_t address,
	struct cfi_row *ret, bool *is_debug_ret)
{
	_cleanup_free_ struct cfi_cies *cies = NULL;
	size_t n = sorted_count_before(
		source->fdes, source->n_fdes, fde, fde->start <= address);
	struct cfi_walk walk;

	*is_debug_ret = false;
	if (!n || address >= source->fdes[n - 1].end)
		return false;
	*is_debug_ret = source->fdes[n - 1].is_debug;
	cies = xcalloc(1, sizeof(*cies));
	if (!cfi_source_walk(source, &source->fdes[n - 1], cies, &walk))
		return false;
	while (cfi_walk_next(&walk)) {
		if (address >= walk.row.end)
			continue;
		*ret = walk.row;
		return true;
	}
	return false;
}
