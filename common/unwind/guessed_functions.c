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

static void add_guessed_functions(struct elf_file *file, const char *base,
	const struct cfi_source *source, struct symtab *ret)
{
	struct elf_segment segments[SEGMENTS_MAX];
	size_t n_segments = elf_file_segments(file, segments, SEGMENTS_MAX), i;

	for (i = 0; i < source->n_fdes && ret->names.n < NAMES_MAX &&
		!symtab_is_full(ret);
		i++) {
		const struct cfi_fde *fde = &source->fdes[i];
		_cleanup_free_ char *name = NULL;
		uint64_t start;

		if (!elf_segments_offset(
			    segments, n_segments, fde->start, &start) ||
			!symtab_wants(
				ret, start, start + (fde->end - fde->start)))
			continue;
		name = xasprintf(
			"[%.*s+0x%" PRIx64 "]", BASE_MAX, base, fde->start);
		symtab_add(ret, start, start + (fde->end - fde->start),
			STB_LOCAL, name);
	}
}

void guessed_functions_read(
	struct elf_file *file, const char *path, struct symtab *ret)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash && slash[1] ? slash + 1 : path;
	struct cfi_source source;

	cfi_source_load(file, NULL, &source);
	cfi_source_sort(&source);
	do
		add_guessed_functions(file, base, &source, ret);
	while (symtab_next_pass(ret));
	cfi_source_deinit(&source);
	symtab_finish(ret);
}
