/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/unwind/guessed_functions.h"

#include <elf.h>
#include <inttypes.h>

#include "common/unwind/cfi_source.h"
#include "common/util/alloc.h"

#define SEGMENTS_MAX 64
/* Limits, for hostile files: bytes of the file's name in a name, and of all names. */
#define BASE_MAX 64
#define NAMES_MAX MIB(128)

/* The executable segments of a file. */
struct code_segments {
	struct elf_segment at[SEGMENTS_MAX];
	size_t n;
};

/* Sets *RET to the file offset of the linked address ADDRESS. */
static bool find_code_offset(
	const struct code_segments *segments, uint64_t address, uint64_t *ret)
{
	size_t i;

	for (i = 0; i < segments->n; i++) {
		const struct elf_segment *segment = &segments->at[i];

		*ret = address - segment->delta;
		if (*ret >= segment->start && *ret < segment->end)
			return true;
	}
	return false;
}

void guessed_functions_read(
	struct elf_file *file, const char *path, struct symtab *ret)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash && slash[1] ? slash + 1 : path;
	struct code_segments segments;
	struct cfi_source source;
	size_t i;

	cfi_source_load(file, NULL, &source);
	cfi_source_sort(&source);
	segments.n = elf_file_segments(file, segments.at, SEGMENTS_MAX);
	for (i = 0; i < source.n_fdes && ret->names.n < NAMES_MAX; i++) {
		const struct cfi_fde *fde = &source.fdes[i];
		_cleanup_free_ char *name = NULL;
		uint64_t start;

		if (!find_code_offset(&segments, fde->start, &start))
			continue;
		name = xasprintf(
			"[%.*s+0x%" PRIx64 "]", BASE_MAX, base, fde->start);
		symtab_add(ret, start, start + (fde->end - fde->start),
			STB_LOCAL, name);
	}
	cfi_source_deinit(&source);
	symtab_finish(ret);
}
